"""First search of every body of a large stack for places where it is not convex: a few hundred directions each."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...geometry.curvature import frame
from ...geometry.directions import GOLDEN, ring
from ...geometry.extreme_radii import flat_stack, least_secant, principal_radii, rough_radius
from ...geometry.moments import spread
from ..shape import Shape

DIRECTIONS = 200  # evenly spread
RINGS = (0.3, 0.03, 1e-3, 1e-6)  # [rad] around the axes
PER_RING = 5
STEP, ROUNDS = 0.1, 12  # [rad] first step and number of steps of the descent to the smallest radius
EDGES, HALVINGS = 4, 14  # neighbouring directions that are bisected, and how often
JUMP = 1e-6  # smallest inward jump of the boundary point that counts, relative to the size
FLAT = 1e100  # radii are limited to this

Radius = Callable[[Shape, np.ndarray], np.ndarray]


class Survey(NamedTuple):
    """What was found, for each body of a flat stack."""

    radius: np.ndarray  #: (N,) smallest radius found [m]
    normal: np.ndarray  #: (N, 3) where
    inward: np.ndarray  #: (N,) how far the boundary point moves against its normal [m]
    jump: np.ndarray  #: (N, 3) where


def survey(shape: Shape, by_differences: bool) -> Survey:
    """The smallest radius of every body, from its lowest sample downhill, and its worst inward jump."""
    parts = [_block(block, least_secant if by_differences else None) for block in flat_stack(shape)]
    return Survey(*(np.concatenate(column) for column in zip(*parts)))


def _smallest(shape: Shape, n: np.ndarray) -> np.ndarray:
    return principal_radii(shape, n)[..., 0]


@lru_cache(maxsize=1)
def _directions() -> tuple[np.ndarray, np.ndarray]:
    """Directions, and the indices (..., 2) of neighbours."""
    from scipy.spatial import ConvexHull

    rings = np.concatenate([ring(angle, PER_RING, k * GOLDEN) for k, angle in enumerate(RINGS)])
    caps = [np.roll(part, axis, axis=1) for axis in range(3) for part in (rings, rings * [1.0, 1.0, -1.0])]
    even = np.concatenate([np.eye(3), -np.eye(3), spread(DIRECTIONS)])
    faces = ConvexHull(even).simplices
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    return np.concatenate([even, *caps]), edges


def _block(shape: Shape, radius: Radius | None) -> Survey:
    n, edges = _directions()
    _, x, w = shape.jet(n[:, None])
    count = len(shape.rows)
    found = rough_radius(w, 0) if radius is None else radius(shape, np.broadcast_to(n[:, None], (len(n), count, 3)))
    value, at = _downhill(shape, radius or _smallest, n[found.argmin(axis=0)])
    return Survey(value, at, *_inward(shape, n, edges, x, w))


def _downhill(shape: Shape, radius: Radius, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest radius near one direction for each body, and its direction."""
    value, step, angle = radius(shape, at), np.full(len(at), STEP), np.arange(8) * np.pi / 4
    for _ in range(ROUNDS):
        t, s = frame(at)
        trial = at + step[:, None] * (np.cos(angle)[:, None, None] * t + np.sin(angle)[:, None, None] * s)
        trial /= np.linalg.norm(trial, axis=-1, keepdims=True)
        values = radius(shape, trial)
        k, lower = values.argmin(axis=0), values.min(axis=0)
        better = lower < value
        at = np.where(better[:, None], np.take_along_axis(trial, k[None, :, None], axis=0)[0], at)
        value, step = np.where(better, lower, value), np.where(better, step, 0.5 * step)
    return value, at


def _inward(
    shape: Shape, n: np.ndarray, edges: np.ndarray, x: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The largest inward move of the boundary point, (x(n) - x(m)) . (n - m) < 0, by bisection, and where.

    It starts between neighbours whose points are closer to each other than the radii at both predict.
    """
    l, r = edges.T
    step = n[r] - n[l]
    along = np.einsum("ec,ekc->ek", step, x[r] - x[l])
    expected = np.einsum("ec,ekcd,ed->ek", step, 0.5 * (np.minimum(w[l], FLAT) + np.minimum(w[r], FLAT)), step)
    size = np.sqrt((step * step).sum(axis=1, keepdims=True))
    chosen = np.argpartition((along - expected) / size, EDGES, axis=0)[:EDGES]  # (EDGES, N)
    bodies = np.arange(x.shape[1])
    left, right, x_left, x_right = n[l[chosen]], n[r[chosen]], x[l[chosen], bodies], x[r[chosen], bodies]
    depth, where = np.zeros(len(bodies)), np.zeros((len(bodies), 3))
    for _ in range(HALVINGS):
        middle = left + right
        middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
        x_middle = shape.point(middle)
        first, last = _move(left, middle, x_left, x_middle), _move(middle, right, x_middle, x_right)
        lower = (first < last)[..., None]
        left, right = np.where(lower, left, middle), np.where(lower, middle, right)
        x_left, x_right = np.where(lower, x_left, x_middle), np.where(lower, x_middle, x_right)
        worst = np.minimum(first, last)
        k = worst.argmin(axis=0)
        deeper = -worst.min(axis=0) > depth
        depth = np.where(deeper, -worst.min(axis=0), depth)
        where = np.where(deeper[:, None], left[k, bodies], where)
    return depth, where


def _move(n: np.ndarray, m: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far the boundary point moves along the change of the normal from n to m; never < 0 on a convex body."""
    step = m - n
    return ((y - x) * step).sum(axis=-1) / np.sqrt((step * step).sum(axis=-1))
