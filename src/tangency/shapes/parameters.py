"""Parameters of shapes as one vector: names, values, and derivatives of h and x by them.

A shape lists the arguments of its constructor that are parameters (`_parameters`: name and number of trailing axes;
None for a nested shape) and has a method `_by_parameters(n)` with the derivatives, in this order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class ParameterJet(NamedTuple):
    """Derivatives of the support function and of the boundary point by the parameters of a shape, at fixed normals."""

    support: np.ndarray  #: (..., P) dh/dp
    point: np.ndarray  #: (..., P, 3) dx/dp


def names_of(shape: Any) -> tuple[str, ...]:
    """Names such as ``radii[0]`` or ``body.distance``."""
    found: list[str] = []
    for name, axes in shape._parameters.items():
        value = getattr(shape, name)
        if axes is None:
            found += [f"{name}.{inner}" for inner in value.parameter_names]
        elif axes == 0:
            found.append(name)
        else:
            found += [f"{name}{list(index)}" for index in np.ndindex(value.shape[value.ndim - axes :])]
    return tuple(found)


def values_of(shape: Any) -> np.ndarray:
    """Parameters, (..., P)."""
    parts = []
    for name, axes in shape._parameters.items():
        value = getattr(shape, name)
        part = value.parameters if axes is None else value.reshape(*value.shape[: value.ndim - axes], -1)
        parts.append(np.broadcast_to(part, (*shape.batch_shape, part.shape[-1])))
    return np.concatenate(parts, axis=-1)


def with_values(shape: Any, values: np.ndarray) -> Any:
    """The same kind of shape with other parameters (..., P)."""
    arguments: dict[str, Any] = {}
    start = 0
    for name, axes in shape._parameters.items():
        value = getattr(shape, name)
        tail = () if axes is None or axes == 0 else value.shape[value.ndim - axes :]
        count = len(value.parameter_names) if axes is None else int(np.prod(tail))
        part = values[..., start : start + count]
        start += count
        if axes is None:
            arguments[name] = value.with_parameters(part)
        else:
            arguments[name] = part.reshape((*part.shape[:-1], *tail))
    return shape._rebuilt(**arguments)


def joined(*parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by several groups of parameters as those by all of them: dh (..., P) and dx (..., P, 3)."""
    shape = np.broadcast_shapes(*(h.shape[:-1] for h, _ in parts))
    support = [np.broadcast_to(h, (*shape, h.shape[-1])) for h, _ in parts]
    point = [np.broadcast_to(x, (*shape, *x.shape[-2:])) for _, x in parts]
    return np.concatenate(support, axis=-1), np.concatenate(point, axis=-2)


def by_stretch(n: np.ndarray, jet: Any, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by semi-axes, where h is a function of (a nx, b ny, c nz): dh/da = nx x / a."""
    shape = np.broadcast_shapes(jet.point.shape, radii.shape, n.shape)
    n, x, radii = (np.broadcast_to(v, shape) for v in (n, jet.point, radii))
    # Row k of W times n_k, and x_k on the diagonal
    rows = jet.hessian * n[..., :, None] + x[..., :, None] * np.eye(3)
    return n * x / radii, rows / radii[..., :, None]


def along(directions: list[np.ndarray], n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by parameters that move the point by the given vectors: dx, and dh = n.dx."""
    dx = np.stack(np.broadcast_arrays(*directions), axis=-2)
    return (dx * n[..., None, :]).sum(axis=-1), dx
