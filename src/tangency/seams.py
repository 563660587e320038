"""Where the boundary point or the curvature of a body jumps: edges of faces, straight pieces, dents without width.

Jumps are searched by bisection between neighbouring directions, from where neighbours differ most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .directions import ring
from .moments import spread
from .tangent import principal

if TYPE_CHECKING:
    from .shape import Shape

SAMPLES = 1500
CANDIDATES = 200  # pairs of neighbours that are bisected
ROUNDS = 40
JUMP = 1e-6  # smallest jump that is noticed, relative to the size of the body


class Seams(NamedTuple):
    """Normals (3,) where something jumps; None where nothing was found."""

    point: np.ndarray | None  #: the boundary point: a straight or flat piece has this normal
    curvature: np.ndarray | None
    dent: np.ndarray | None  #: the boundary point, and inwards: the body is not convex
    depth: float  #: of the dent: how far the point jumps inwards [m]


def body_size(x: np.ndarray) -> float:
    """Half the extent of a body, from boundary points (..., 3)."""
    return float(np.linalg.norm(x - x.mean(axis=0), axis=-1).max()) or 1.0


def seams(shape: Shape) -> Seams:
    """Jumps of the point and of the curvature of a single body."""
    from scipy.spatial import ConvexHull

    axes = np.concatenate([np.eye(3), -np.eye(3), *(np.roll(ring(np.pi / 2, 48, 0.0), k, axis=1) for k in range(3))])
    n = np.unique(np.concatenate([spread(SAMPLES), np.where(np.abs(axes) < 1e-12, 0.0, axes)]), axis=0)
    size = body_size(shape.point(n))
    faces = ConvexHull(n).simplices
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    left, right = n[edges[:, 0]], n[edges[:, 1]]

    def point(m: np.ndarray) -> np.ndarray:
        return shape.point(m) / size

    # Short straight pieces hide among long steps of smooth places: compare with the step that W predicts.
    w = np.minimum(shape.hessian(left), shape.hessian(right)) / size
    gap = point(right) - point(left)
    surprise = np.linalg.norm(gap - np.einsum("kij,kj->ki", w, right - left), axis=-1)
    inward = -np.einsum("ki,ki->k", gap, right - left)
    starts = np.unique(np.concatenate([largest(np.linalg.norm(gap, axis=-1)), largest(surprise), largest(inward)]))
    jump, (dent, depth) = bisect(point, left[starts], right[starts]), _dent(point, left[starts], right[starts])

    def bend(m: np.ndarray) -> np.ndarray:
        return bend_tensor(m, shape.hessian(m), size)

    worst = largest(np.linalg.norm(bend(right) - bend(left), axis=-1))
    return Seams(jump, bisect(bend, left[worst], right[worst]), dent, depth * size)


def bend_tensor(n: np.ndarray, w: np.ndarray, size: float) -> np.ndarray:
    """The tensor with the values r / (size + |r|), (..., 9): bounded and continuous for radii r of any sign."""
    curvature = principal(n, w)
    d, r = curvature.directions, curvature.radii
    bounded = r / (size + np.abs(r))
    return np.einsum("...a,...ai,...aj->...ij", bounded, d, d).reshape(*n.shape[:-1], 9)


def largest(values: np.ndarray) -> np.ndarray:
    """Places of the largest values."""
    return np.argsort(values)[-CANDIDATES:]


def bisect(value: Callable, left: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    """Where `value` jumps between left and right: a difference that does not shrink with the step."""
    history = []
    for _ in range(ROUNDS):
        left, right, gap, _ = _halved(value, left, right)
        history.append(np.linalg.norm(gap, axis=-1))
    jumps = (history[-1] > 0.95 * history[ROUNDS // 2 - 1]) & (history[-1] > JUMP)
    return left[(history[-1] * jumps).argmax()] if jumps.any() else None


def _dent(point: Callable, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray | None, float]:
    """Where the boundary point moves against its normal, (x(n) - x(m)) . (n - m) < 0, and how far."""
    worst, depth = None, 0.0
    for _ in range(ROUNDS // 2):
        left, right, gap, (vl, vr) = _halved(point, left, right)
        step = right - left
        length = np.linalg.norm(step, axis=-1)
        back = -np.einsum("ki,ki->k", gap, step) / np.maximum(length, 1e-300)
        # A point beyond the tangent plane at its neighbour: the support value itself jumps.
        beyond = np.maximum(np.einsum("ki,ki->k", gap, left), -np.einsum("ki,ki->k", gap, right))
        found = np.maximum(np.where(back > 1e-3 * np.linalg.norm(gap, axis=-1), back, 0.0), beyond)
        if (found > JUMP).any() and found.max() > depth:
            worst, depth = left[found.argmax()], float(found.max())
    return worst, depth


def _halved(value: Callable, left: np.ndarray, right: np.ndarray) -> tuple:
    """The half of every interval with the larger difference, that difference, and the values at both ends."""
    middle = left + right
    middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
    v, vl, vr = value(middle), value(left), value(right)
    lower = (np.linalg.norm(v - vl, axis=-1) > np.linalg.norm(vr - v, axis=-1))[:, None]
    left, right = np.where(lower, left, middle), np.where(lower, middle, right)
    vl, vr = np.where(lower, vl, v), np.where(lower, v, vr)
    return left, right, vr - vl, (vl, vr)
