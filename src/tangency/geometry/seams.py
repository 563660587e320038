"""Jumps of the boundary point or the curvature of a body: edges of faces, straight pieces, inward jumps.

They are located by bisection between neighbouring directions, starting where neighbours differ most.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .curvature import principal
from .directions import ring
from .moments import spread

if TYPE_CHECKING:
    from ..shapes.shape import Shape

SAMPLES = 1500
CANDIDATES = 200  # number of neighbour pairs that are bisected
ROUNDS = 40
MIN_JUMP = 1e-6  # smallest jump that is detected, relative to the size of the body


class Seams(NamedTuple):
    """Normals (3,) at jumps; None if no jump was found."""

    point: np.ndarray | None  #: jump of the boundary point: normal of a straight or flat piece
    curvature: np.ndarray | None
    dent: np.ndarray | None  #: inward jump of the boundary point: the body is not convex
    depth: float  #: of the inward jump [m]


def body_size(x: np.ndarray) -> float:
    """Half the extent of a body, from boundary points (..., 3)."""
    return float(np.linalg.norm(x - x.mean(axis=0), axis=-1).max()) or 1.0


def seams(shape: Shape) -> Seams:
    """Jumps of the point and of the curvature of a single body."""
    n, edges = _neighbours()
    _, x, w = shape.jet(n)
    size = body_size(x)
    l, r = edges.T
    left, right = n[l], n[r]

    def point(m: np.ndarray) -> np.ndarray:
        return shape.point(m) / size

    # Short straight pieces are hard to tell from large steps on smooth parts: compare with the step predicted by W.
    gap = (x[r] - x[l]) / size
    surprise = _length(gap - np.einsum("kij,kj->ki", np.minimum(w[l], w[r]) / size, right - left))
    inward = -np.einsum("ki,ki->k", gap, right - left)
    starts = np.unique(np.concatenate([largest(_length(gap)), largest(surprise), largest(inward)]))
    dent, depth = None, 0.0

    def look(left: np.ndarray, right: np.ndarray, gap: np.ndarray) -> None:
        nonlocal dent, depth
        found = _inward(left, right, gap)
        if found.max() > max(depth, MIN_JUMP):
            dent, depth = left[found.argmax()], float(found.max())

    jump = bisect(point, left[starts], right[starts], look)

    def bend(m: np.ndarray) -> np.ndarray:
        return bend_tensor(m, shape.hessian(m), size)

    bent = bend_tensor(n, w, size)
    worst = largest(_length(bent[r] - bent[l]))
    return Seams(jump, bisect(bend, left[worst], right[worst]), dent, depth * size)


@lru_cache(maxsize=1)
def _neighbours() -> tuple[np.ndarray, np.ndarray]:
    """Evenly spread directions, axes and coordinate planes, and the indices (..., 2) of neighbours."""
    from scipy.spatial import ConvexHull

    axes = np.concatenate([np.eye(3), -np.eye(3), *(np.roll(ring(np.pi / 2, 48), k, axis=1) for k in range(3))])
    n = np.unique(np.concatenate([spread(SAMPLES), np.where(np.abs(axes) < 1e-12, 0.0, axes)]), axis=0)
    faces = ConvexHull(n).simplices
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    return n, edges


def bend_tensor(n: np.ndarray, w: np.ndarray, size: float) -> np.ndarray:
    """Tensor with the eigenvalues r / (size + |r|), (..., 9): bounded and continuous for radii r of any sign."""
    curvature = principal(n, w)
    d, r = curvature.directions, curvature.radii
    bounded = r / (size + np.abs(r))
    return np.einsum("...a,...ai,...aj->...ij", bounded, d, d).reshape(*n.shape[:-1], 9)


def largest(values: np.ndarray) -> np.ndarray:
    """Indices of the largest values."""
    return np.argsort(values)[-CANDIDATES:]


def bisect(value: Callable, left: np.ndarray, right: np.ndarray, look: Callable | None = None) -> np.ndarray | None:
    """Where `value` jumps between left and right: a difference that does not shrink with the step.

    The half of each interval with the larger difference is kept; `look` is called for each half.
    """
    history = []
    v_left, v_right = value(left), value(right)
    for _ in range(ROUNDS):
        middle = left + right
        middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
        v = value(middle)
        lower = (_length(v - v_left) > _length(v_right - v))[:, None]
        left, right = np.where(lower, left, middle), np.where(lower, middle, right)
        v_left, v_right = np.where(lower, v_left, v), np.where(lower, v, v_right)
        history.append(_length(v_right - v_left))
        if look is not None:
            look(left, right, v_right - v_left)
    jumps = (history[-1] > 0.95 * history[ROUNDS // 2 - 1]) & (history[-1] > MIN_JUMP)
    return left[(history[-1] * jumps).argmax()] if jumps.any() else None


def _length(v: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("...i,...i->...", v, v))


def _inward(left: np.ndarray, right: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Distance that the boundary point moves against its normal, (x(n) - x(m)) . (n - m) < 0, from left to right."""
    step = right - left
    length = _length(step)
    back = -np.einsum("ki,ki->k", gap, step) / np.maximum(length, 1e-300)
    back = np.where((length > 1e-9) & (back > 1e-3 * _length(gap)), back, 0.0)
    # A point beyond the tangent plane at its neighbour: the support value itself jumps.
    beyond = np.maximum(np.einsum("ki,ki->k", gap, left), -np.einsum("ki,ki->k", gap, right))
    return np.maximum(back, beyond)
