"""Extreme principal radii of curvature over all normals, and what they allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .moments import spread
from .tangent import frame, principal

if TYPE_CHECKING:
    from .shape import Shape

SAMPLES = 1500
BLOCK = 200  # bodies of a stack treated at once


def normals() -> np.ndarray:
    """Spread directions and the places where built-in shapes are special: axes and coordinate planes."""
    angle = np.arange(48) * np.pi / 24
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)
    ring[np.abs(ring) < 1e-12] = 0.0
    rings = [np.roll(ring, k, axis=1) for k in range(3)]
    return np.concatenate([spread(SAMPLES), *rings])


def principal_radii(shape: Shape, n: np.ndarray) -> np.ndarray:
    """Principal radii at unit normals, the smaller first."""
    return principal(n, shape.hessian(n)).radii


def extreme_radius(shape: Shape, which: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest (which = 0) or largest (1) principal radius of a flat stack, and its normal.

    Dense sampling, then a pattern search on the sphere: eight neighbours at a step that is halved
    where none of them is better.
    """
    sign = 1.0 if which == 0 else -1.0
    samples = normals()
    values = sign * principal_radii(shape, samples[:, None])[..., which]
    best = values.argmin(axis=0)
    value, n = values.min(axis=0), samples[best]
    step = np.full(len(n), 0.05)
    angle = np.arange(8) * np.pi / 4
    for _ in range(120):
        t, s = frame(n)
        move = np.cos(angle)[:, None, None] * t + np.sin(angle)[:, None, None] * s
        trial = n + step[:, None] * move
        trial /= np.linalg.norm(trial, axis=-1, keepdims=True)
        found = sign * principal_radii(shape, trial)[..., which]
        k = found.argmin(axis=0)
        lower = found.min(axis=0)
        better = lower < value
        n = np.where(better[:, None], np.take_along_axis(trial, k[None, :, None], axis=0)[0], n)
        value = np.where(better, lower, value)
        step = np.where(better, step, 0.5 * step)
        if (step < 1e-9).all():
            break
    return sign * value, n


def flat_stack(shape: Shape) -> list[Shape]:
    """The stack as blocks with one leading axis."""
    if not shape.batch_shape:
        return [shape.broadcast_to((1,))]
    count = int(np.prod(shape.batch_shape))
    index = np.arange(count)
    blocks = [np.unravel_index(index[k : k + BLOCK], shape.batch_shape) for k in range(0, count, BLOCK)]
    return [shape[block] for block in blocks]


def offset_limit(shape: Shape) -> np.ndarray:
    """Lower bound of admissible offset distances: minus the smallest principal radius (Römer 3-D, Eq. 50).

    Parameters
    ----------
    shape : Shape
        One body or a stack.

    Returns
    -------
    (...) array
        ``shape.offset(d)`` is convex for d above it [m]; 0 for bodies with edges or corners.  Found by
        sampling and local search, in tests to nine digits for bodies up to 10:1.

    Notes
    -----
    The radicand printed in Eq. (50) lacks a term: the smaller root of Eq. (49) is
    ``(s^2 e + g - sqrt((s^2 e - g)^2 + 4 s^2 f^2)) / (2 s^2)``, the smaller principal radius.

    Examples
    --------
    >>> import tangency as tg
    >>> round(float(tg.offset_limit(tg.Ellipsoid([2, 1, 1]))), 9)
    -0.5
    """
    limit = np.concatenate([-extreme_radius(block, 0)[0] for block in flat_stack(shape)])
    return np.minimum(limit, 0.0).reshape(shape.batch_shape) + 0.0
