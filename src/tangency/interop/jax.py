"""Contacts in JAX: distance, normal and points as differentiable functions of poses.

The functions call compiled code through ``jax.pure_callback``, one call for a whole batch; they work under ``jit``,
``vmap``, ``grad`` and, for the distance, ``hessian``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..shapes.shape import Shape
from .pose_vectors import BOTH, QUANTITIES, FlatPair, FunctionsOfPoses

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise ImportError("tangency.interop.jax needs JAX: pip install 'tangency[jax]'") from None


class Pair(FunctionsOfPoses):
    """Contact of two single bodies as functions of their poses, which are JAX arrays of float64.

    JAX must run with ``jax.config.update("jax_enable_x64", True)``.  Parameters, methods and their derivatives: see
    `tangency.interop.pose_vectors.FunctionsOfPoses`.
    """

    def __init__(self, a: Shape, b: Shape, **options: Any) -> None:
        super().__init__(a, b, **options)
        self._functions = {of: _function(self._flat, of) for of in QUANTITIES}

    def _call(self, of: str, pose_a: Any, pose_b: Any) -> Any:
        parts = [_rows(pose, name) for pose, name in ((pose_a, "pose_a"), (pose_b, "pose_b"))]
        shape = jnp.broadcast_shapes(*(part.shape[:-1] for part in parts))
        poses = jnp.concatenate([jnp.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)
        return self._functions[of](poses)


def _rows(pose: Any, name: str) -> Any:
    pose = jnp.asarray(pose)
    if pose.dtype != jnp.float64:
        raise TypeError(
            f"{name} must have dtype float64, got {pose.dtype}: call jax.config.update('jax_enable_x64', True) first"
        )
    if pose.shape[-2:] != (4, 4):
        raise ValueError(f"{name} must have shape (..., 4, 4), got {pose.shape}")
    return pose[..., :3, :].reshape(*pose.shape[:-2], 12)


def _callback(function: Callable, tail: tuple[int, ...]) -> Callable:
    """`function` of NumPy arrays (..., 24), with results (..., *tail), inside JAX."""

    def call(poses: Any) -> Any:
        kind = jax.ShapeDtypeStruct((*poses.shape[:-1], *tail), jnp.float64)
        return jax.pure_callback(lambda p: function(np.asarray(p)), kind, poses, vmap_method="expand_dims")

    return call


def _function(pair: FlatPair, of: str) -> Callable:
    tail = () if of == "distance" else (3,)
    value = jax.custom_jvp(_callback(lambda p: pair.value(p, of), tail))
    gradient = jax.custom_jvp(_callback(lambda p: pair.gradient(p, of), (*tail, BOTH)))

    @value.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        (poses,), (change,) = primals, tangents
        rule = "...p,...p->..." if of == "distance" else "...ip,...p->...i"
        return value(poses), jnp.einsum(rule, gradient(poses), change)

    @gradient.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        (poses,), (change,) = primals, tangents
        if of != "distance":
            raise NotImplementedError(f"no second derivatives of the {of}: only of the distance")
        return gradient(poses), jnp.einsum("...pq,...q->...p", hessian(poses), change)

    hessian = jax.custom_jvp(_callback(pair.hessian, (BOTH, BOTH)))

    @hessian.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        raise NotImplementedError("no third derivatives of the distance")

    return value


def pose(position: Any, rotation_vector: Any) -> Any:
    """Pose (..., 4, 4) from position and rotation vector, smooth everywhere, with derivatives of all orders.

    Examples
    --------
    >>> import jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> import tangency as tg
    >>> from tangency.interop.jax import Pair, pose
    >>> pair = Pair(tg.Ellipsoid([3.0, 2.0, 1.0]), tg.Sphere(1.0))
    >>> place = jax.numpy.array([0.0, 0.0, 4.0])
    >>> gap = lambda x: pair.distance(pose(0 * x, 0 * x), pose(x, 0 * x))
    >>> jax.grad(gap)(place).tolist()
    [0.0, 0.0, 1.0]
    """
    position, w = jnp.asarray(position), jnp.asarray(rotation_vector)
    square = (w * w).sum(axis=-1)[..., None, None]
    small = square < 1e-2
    angle = jnp.sqrt(jnp.where(small, 1.0, square))
    # Taylor series near zero: sin(x) / x and (1 - cos(x)) / x^2
    sine = jnp.where(small, _series(square, 3), jnp.sin(angle) / angle)
    cosine = jnp.where(small, _series(square, 4), (1.0 - jnp.cos(angle)) / (angle * angle))
    zero = jnp.zeros_like(w[..., 0])
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    rows = [jnp.stack(row, axis=-1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))]
    k = jnp.stack(rows, axis=-2)
    rotation = jnp.eye(3) + sine * k + cosine * (k @ k)
    shape = jnp.broadcast_shapes(rotation.shape[:-2], position.shape[:-1])
    column = jnp.broadcast_to(position, (*shape, 3))[..., None]
    top = jnp.concatenate([jnp.broadcast_to(rotation, (*shape, 3, 3)), column], axis=-1)
    last = jnp.broadcast_to(jnp.array([0.0, 0.0, 0.0, 1.0]), (*shape, 1, 4))
    return jnp.concatenate([top, last], axis=-2)


def _series(square: Any, first: int) -> Any:
    """Sum of (-square)^k (first - 2)! ... : 1 / (first - 2)! times a series with factors 1 / (n (n + 1))."""
    total, term, n = 0.0, 1.0 if first == 3 else 0.5, first - 1
    for _ in range(7):
        total = total + term
        term = -term * square / (n * (n + 1))
        n += 2
    return total
