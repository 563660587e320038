"""Extreme principal radii of curvature over all normals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .curvature import frame, principal
from .directions import trouble

if TYPE_CHECKING:
    from ..shapes.shape import Shape

    Radius = Callable[[Shape, np.ndarray], np.ndarray]

SAMPLES = 1500
BODIES_AT_ONCE = 200  # bodies of a stack processed at once
MAX_SAMPLES = 400_000  # most normals times bodies in the first search
FIRST_STEP = 0.05  # [rad] first step of the local search
STARTS = 16  # of the local search, for a single body
SECANT = 1e-5  # half the difference between two normals


def principal_radii(shape: Shape, n: np.ndarray) -> np.ndarray:
    """Principal radii at unit normals, the smaller first."""
    return principal(n, shape.hessian(n)).radii


def least_secant(shape: Shape, n: np.ndarray) -> np.ndarray:
    """Smallest radius at unit normals by differences of points along tangents, for shapes without a Hessian.

    For a convex body no such difference is negative, even where the radii jump; a matrix of differences along two
    tangents may have a negative eigenvalue there.
    """
    t, s = frame(n)

    def along(angle: np.ndarray) -> np.ndarray:
        d = np.cos(angle)[..., None] * t + np.sin(angle)[..., None] * s
        move = shape.point(n + SECANT * d) - shape.point(n - SECANT * d)
        return (move * d).sum(axis=-1) / (2.0 * SECANT)

    fan = np.arange(6) * np.pi / 6
    found = np.stack([along(np.full(n.shape[:-1], angle)) for angle in fan])
    # Where q = mean + c cos(2 angle) + s sin(2 angle) has its minimum
    c, s2 = (np.tensordot(part, found, 1) for part in (np.cos(2.0 * fan), np.sin(2.0 * fan)))
    return np.minimum(found.min(axis=0), along(0.5 * np.arctan2(-s2, -c)))


def extreme_radius(
    shape: Shape, which: int, samples: int | None = None, radius: Radius | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest (which = 0) or largest (1) principal radius of a flat stack, and its normal.

    `radius` computes it for bodies and normals; the default takes it from the Hessian.

    Dense sampling, including around the axes and along the coordinate planes, is followed by a pattern search on the
    sphere from the lowest non-adjacent samples: eight neighbours at a step that is halved if none of them is better,
    and moves along parallels and meridians about the axes, because near a pole the curvature may depend on the azimuth
    only.
    """
    sign = 1.0 if which == 0 else -1.0
    bodies = len(shape.rows)
    if samples is None:
        samples = int(np.clip(MAX_SAMPLES // bodies, SAMPLES, 10 * SAMPLES))
    normals = trouble(samples, 24 if bodies == 1 else 8)
    if radius is None:

        def radius(shape: Shape, n: np.ndarray) -> np.ndarray:
            return principal_radii(shape, n)[..., which]

        def rough(part: np.ndarray) -> np.ndarray:
            return rough_radius(shape.hessian(part), which)
    else:

        def rough(part: np.ndarray) -> np.ndarray:
            return radius(shape, np.broadcast_to(part, (len(part), bodies, 3)))

    parts = np.array_split(normals, 1 + bodies * len(normals) // MAX_SAMPLES)
    values = sign * np.concatenate([rough(part[:, None]) for part in parts])
    body, start = _starts(values, normals, max(STARTS // bodies, 2))
    some = shape.take(body)
    n = normals[start]
    value = sign * radius(some, n)
    step = np.full(len(n), FIRST_STEP)
    angle = np.arange(8) * np.pi / 4
    for _ in range(120):
        t, s = frame(n)
        move = np.cos(angle)[:, None, None] * t + np.sin(angle)[:, None, None] * s
        trial = np.concatenate([n + step[:, None] * move, _polar_moves(n, step)])
        trial /= np.linalg.norm(trial, axis=-1, keepdims=True)
        found = sign * radius(some, trial)
        k = found.argmin(axis=0)
        lower = found.min(axis=0)
        better = lower < value
        n = np.where(better[:, None], np.take_along_axis(trial, k[None, :, None], axis=0)[0], n)
        value = np.where(better, lower, value)
        step = np.where(better, step, 0.5 * step)
        if (step < 1e-9).all():
            break
    # The starts of a body are adjacent; the lowest is written last.
    order = np.argsort(-value, kind="stable")
    best = np.empty(bodies, dtype=int)
    best[body[order]] = order
    return sign * value[best], n[best]


def _polar_moves(n: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The vectors n rotated about each axis, and moved along the meridian towards or away from it, (12, ..., 3)."""
    moved = []
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        for sign in (1.0, -1.0):
            turned, drawn = n.copy(), n.copy()
            cos, sin = np.cos(step), sign * np.sin(step)
            turned[..., i], turned[..., j] = cos * n[..., i] - sin * n[..., j], sin * n[..., i] + cos * n[..., j]
            # By half the distance at the largest step
            drawn[..., i], drawn[..., j] = (n[..., k] * (1.0 + 0.5 * sign * step / FIRST_STEP) for k in (i, j))
            moved += [turned, drawn]
    return np.stack(moved)


def rough_radius(w: np.ndarray, which: int) -> np.ndarray:
    """The smaller (which = 0) or larger (1) eigenvalue of W on the tangent plane, accurate relative to the larger."""
    top = np.abs(w).max(axis=(-2, -1))
    w = w / np.where(top > 0.0, top, 1.0)[..., None, None]
    half = 0.5 * np.trace(w, axis1=-2, axis2=-1)
    # The eigenvalues besides the 0 along n are half +- spread.
    spread = np.sqrt(np.maximum(0.5 * np.einsum("...ij,...ij->...", w, w) - half * half, 0.0))
    return top * (half + spread if which else half - spread)


def _starts(values: np.ndarray, normals: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Bodies and samples from which to search: for each body, the lowest sample in each of `count` parts of the sphere.

    The parts are cells of nearest directions, those with the lowest samples first.
    """
    centres = trouble(4 * count, 4)[: 4 * count]
    part = (normals @ centres.T).argmax(axis=1)
    lowest = np.stack([_argmin(values, np.flatnonzero(part == k)) for k in range(len(centres))])
    found = np.take_along_axis(values, lowest, axis=0)
    chosen = np.take_along_axis(lowest, np.argsort(found, axis=0)[:count], axis=0)
    body = np.broadcast_to(np.arange(values.shape[1]), chosen.shape)
    return body.ravel(), chosen.ravel()


def _argmin(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return rows[values[rows].argmin(axis=0)]


def flat_stack(shape: Shape) -> list[Shape]:
    """The stack as blocks with one leading axis."""
    if not shape.batch_shape:
        return [shape.broadcast_to((1,))]
    count = int(np.prod(shape.batch_shape))
    index = np.arange(count)
    blocks = [
        np.unravel_index(index[k : k + BODIES_AT_ONCE], shape.batch_shape) for k in range(0, count, BODIES_AT_ONCE)
    ]
    return [shape[block] for block in blocks]
