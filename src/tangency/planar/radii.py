"""Extreme radii of curvature over all normals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .minima import local_minima, piece_samples

if TYPE_CHECKING:
    from .shape import Shape

SAMPLES = 1440  # a multiple of 8, to include the axes, where built-in shapes are special
SIDE = 1e-12  # [rad] from a break
ONE_BY_ONE = 256  # most bodies of a stack whose own breaks are used


def direction(phi: ArrayLike) -> np.ndarray:
    """Unit vectors (..., 2) at the angles phi; exact on the axes."""
    n = np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    n[np.abs(n) < 1e-15] = 0.0
    return n


def sample_angles(shape: Shape) -> np.ndarray:
    """Evenly spread angles; for a single body, also angles in each piece and on both sides of each break."""
    angles = (np.arange(SAMPLES) - SAMPLES // 2) * (2.0 * np.pi / SAMPLES)
    if shape.batch_shape:
        return angles
    return np.unique(np.concatenate([angles, _within_turn(piece_samples(shape._breaks(), SIDE))]))


def _within_turn(phi: np.ndarray) -> np.ndarray:
    return np.where(phi >= np.pi, phi - 2.0 * np.pi, phi)


def extreme_radius(shape: Shape, which: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest (which = 0) or largest (1) radius of curvature of every body, and the angle of its normal.

    By sampling, then a search that halves its step if neither neighbour is better.
    """
    sign = 1.0 if which == 0 else -1.0
    if not shape.batch_shape:
        at = local_minima(lambda phi: sign * shape.radius_of_curvature(direction(phi)), sample_angles(shape))
        values = shape.radius_of_curvature(direction(at))
        best = (sign * values).argmin()
        return values[best], at[best]
    if len(shape.rows) <= ONE_BY_ONE:
        each = [extreme_radius(shape[index], which) for index in np.ndindex(shape.batch_shape)]
        value, phi = np.array(each).reshape(-1, 2).T
        return value.reshape(shape.batch_shape), phi.reshape(shape.batch_shape)
    return quick_extreme_radius(shape, which)


def quick_extreme_radius(shape: Shape, which: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for many bodies at once, from the best of evenly spread samples only."""
    sign = 1.0 if which == 0 else -1.0
    samples = sample_angles(shape)
    tail = (1,) * len(shape.batch_shape)
    values = sign * shape.radius_of_curvature(direction(samples.reshape(-1, *tail)))
    best = values.argmin(axis=0)
    value, phi = values.min(axis=0), samples[best]
    step = np.full(np.shape(phi), 2.0 * np.pi / SAMPLES)
    for _ in range(60):
        trial = np.stack([phi - step, phi + step])
        found = sign * shape.radius_of_curvature(direction(trial))
        k = found.argmin(axis=0)
        lower = found.min(axis=0)
        better = lower < value
        phi = np.where(better, np.take_along_axis(trial, k[None], axis=0)[0], phi)
        value = np.where(better, lower, value)
        step = np.where(better, step, 0.5 * step)
        if (step < 1e-10).all():
            break
    return sign * value, phi


def offset_limit(shape: Shape) -> np.ndarray:
    """Lower bound of admissible offset distances: minus the smallest radius of curvature (Römer 3-D, Remark 8).

    Parameters
    ----------
    shape : Shape
        One planar body or a stack.

    Returns
    -------
    (...) array
        ``shape.offset(d)`` is convex for d above this limit [m]; 0 for bodies with corners.

    Examples
    --------
    >>> from tangency import planar
    >>> round(float(planar.offset_limit(planar.Ellipse([2, 1]))), 9)
    -0.5
    """
    from .shape import bounded

    return np.minimum(-extreme_radius(bounded(shape, "shape"), 0)[0], 0.0) + 0.0
