"""The point of a simplex nearest to the origin, against exact rational arithmetic."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tangency.compiled.jit import jit
from tangency.kernels.simplex import blend, nearest


@jit
def nearest_point(m, count):
    left, _ = nearest(m, count)
    return left, blend(m, left, 0)


def solved(rows):
    """Solution of a small linear system, its right-hand side in the last column; None if it has no single one."""
    size = len(rows)
    for i in range(size):
        pivot = next((r for r in range(i, size) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(size):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def exact_distance(corners):
    """Smallest distance among the feet of the origin on all corners, edges, faces and the whole that lie inside."""
    corners, best = [[Fraction(float(x)) for x in c] for c in corners], None
    for size in range(1, len(corners) + 1):
        for first, *others in itertools.combinations(corners, size):
            edges = [[x - y for x, y in zip(c, first)] for c in others]
            weights = solved([[dot(e, f) for f in edges] + [-dot(e, first)] for e in edges])
            if weights is None or any(w < 0 for w in weights) or sum(weights) > 1:
                continue
            foot = [x + sum(w * e[k] for w, e in zip(weights, edges)) for k, x in enumerate(first)]
            best = dot(foot, foot) if best is None else min(best, dot(foot, foot))
    return float(best) ** 0.5


def simplices(rng, kind, count):
    rows = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-10, 0, (count, 1))
    if kind == "far":
        return rows + rng.normal(size=3)
    if kind == "long":  # as of a long segment and a small body
        return rows + rng.normal(size=3) * rng.choice([-1.0, 1.0], (count, 1))
    if kind == "flat":
        rows[:, 2] = rows[:, 2] * 10.0 ** rng.uniform(-12, 0) + 10.0 ** rng.uniform(-12, 0)
    return rows


@pytest.mark.parametrize("number", [150, pytest.param(500, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", ["around", "far", "long", "flat"])
def test_nearest_point_of_needles(kind, number):
    """As long as the exact one, to rounding of the farthest corner, however thin the simplex is."""
    rng = np.random.default_rng(7)
    for count in rng.integers(2, 5, number):
        corners = simplices(rng, kind, int(count))
        m = np.zeros((5, 16))
        m[:count, :3] = corners
        left, point = nearest_point(m, int(count))
        length = 0.0 if left == 4 else np.linalg.norm(point)
        far = np.linalg.norm(corners, axis=1).max()
        assert abs(length - exact_distance(corners)) <= 1e-14 * far, corners.tolist()
