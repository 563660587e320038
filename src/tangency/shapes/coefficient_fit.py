"""Fits of support functions that are linear in their coefficients, with the constraint of convexity.

Römer 3-D, Remark 22: a generating potential with free coefficients approximates any strictly convex body as long
as its radii of curvature stay positive.  The coefficients c follow from least squares; where a radius would fall
below a floor, linear inequalities t'W(n)t >= floor are added for its normal n and directions t, round by round.
The inequalities are met by least-distance programming (Lawson and Hanson 1974, chapter 23).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..geometry.curvature import principal
from ..geometry.extreme_radii import extreme_radius
from ..geometry.moments import spread
from .shape import Shape, ShapeError

ROUNDS = 6
CUTS = 100  # most normals per round
SECOND = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))

#: Rows (10 J, P) of value, gradient (3) and Hessian (6) at unit vectors (J, 3), dense or sparse.
Rows = Callable[[np.ndarray], Any]


@dataclass(frozen=True)
class PotentialFit:
    """How well a potential reproduces what it was fitted to.

    Attributes
    ----------
    unknowns : int
        Number of free coefficients.
    rms, largest : float
        Root mean square and maximum of the distances between fit and data [m]: along normals not used in the fit,
        for a shape; from the points to the surface, for a cloud.
    least_radius : float
        Smallest radius of curvature found [m].
    constraints : int
        Number of inequalities needed for convexity; 0 if the plain least-squares fit was convex.
    settled : bool
        False if a fit to points had not converged when it was stopped.
    """

    unknowns: int
    rms: float
    largest: float
    least_radius: float
    constraints: int
    settled: bool = True


def solve(gram: np.ndarray, right: np.ndarray, cuts: np.ndarray, floor: float) -> np.ndarray:
    """Minimiser c of c'G c - 2 c'b subject to cuts c >= floor; G is positive definite."""
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    r = cholesky(gram)  # upper
    z = solve_triangular(r, right, trans="T")
    if len(cuts):
        # y = R c - z: the smallest |y| with H y >= d.  Rows are normalised for better conditioning.
        h = solve_triangular(r, cuts.T, trans="T").T
        d = floor - h @ z
        length = np.linalg.norm(h, axis=1)
        h, d = h / length[:, None], d / length
        scale = max(float(np.abs(d).max()), 1e-300)
        system = np.vstack([h.T, d / scale])
        target = np.zeros(len(system))
        target[-1] = 1.0
        u, _ = nnls(system, target, maxiter=50 * system.shape[1])
        residual = system @ u - target
        if not residual[-1] < -1e-14:
            raise ShapeError("the data allow no convex body of this resolution: lower least_radius or the resolution")
        z = z - scale * residual[:-1] / residual[-1]
    return solve_triangular(r, z)


def curvature_rows(rows: Any, n: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Rows (J, P) of t'W(n)t: Hessian along t, plus value minus radial slope."""
    blocks = [rows[k::10] for k in range(10)]

    def times(weight: np.ndarray, block: Any) -> np.ndarray:
        return weight[:, None] * (block.toarray() if hasattr(block, "toarray") else block)

    total = times(np.ones(len(n)), blocks[0])
    for i in range(3):
        total = total - times(n[:, i], blocks[1 + i])
    for k, (i, j) in enumerate(SECOND):
        total = total + times((1.0 if i == j else 2.0) * t[:, i] * t[:, j], blocks[4 + k])
    return total


def fit_convex(
    gram: np.ndarray,
    right: np.ndarray,
    rows: Rows,
    make: Callable[[np.ndarray], Any],
    rescue: Callable[[], list[np.ndarray]],
    floor: float,
) -> tuple[Any, float, int]:
    """Convex least-squares fit: the shape, its smallest radius, and the number of inequalities used.

    `make` builds an unchecked single shape from coefficients.  Cutting planes get close in a few rounds and then
    converge slowly.  Remaining dents are removed by adding the smallest sufficient share of a convex body from
    `rescue`: radii of curvature are linear in the coefficients.
    """
    cuts = np.zeros((0, len(right)))
    c = solve(gram, right, cuts, floor)
    watched = spread(make(c)._samples())

    def least(c: np.ndarray) -> float:
        return float(principal(watched, make(c).hessian(watched)).radii[:, 0].min())

    for _ in range(ROUNDS):
        found = principal(watched, make(c).hessian(watched))
        low = found.radii[:, 0]
        bad = np.flatnonzero(low < 0.5 * floor)
        if not len(bad):
            break
        # The deepest dents, and a sample of the others
        deepest = bad[np.argsort(low[bad])]
        bad = np.unique(np.concatenate([deepest[: CUTS // 2], deepest[:: 1 + len(bad) // (CUTS // 2)]]))
        t, s = found.directions[bad, 0], found.directions[bad, 1]
        new = rows(watched[bad])
        directions = (t, 0.95 * t + 0.31 * s, 0.95 * t - 0.31 * s)
        fresh = [curvature_rows(new, watched[bad], d / np.linalg.norm(d, axis=1)[:, None]) for d in directions]
        cuts = np.vstack([cuts, *fresh])
        c = solve(gram, right, cuts, floor)
    goal = 0.2 * floor
    for _ in range(6):
        if least(c) < goal:
            c = _mixed(c, rescue(), least, goal)
        shape = make(c)
        value, _ = extreme_radius(shape.broadcast_to((1,)), 0, len(watched))
        if value[0] >= 0.1 * floor:
            return shape, float(value[0]), len(cuts)
        goal *= 4.0  # the samples missed the worst point
    raise ShapeError("no convex body of this resolution was found: lower least_radius or raise the resolution")


def _mixed(c: np.ndarray, rescue: list[np.ndarray], least: Callable[[np.ndarray], float], goal: float) -> np.ndarray:
    """c mixed with the smallest sufficient share of the first body in `rescue` that is convex enough."""
    for safe in rescue:
        if least(safe) < goal:
            continue
        low, high = 0.0, 1.0
        for _ in range(12):
            part = 0.5 * (low + high)
            low, high = (low, part) if least((1.0 - part) * c + part * safe) >= goal else (part, high)
        return (1.0 - high) * c + high * safe
    raise ShapeError("no convex body of this resolution was found: lower least_radius or raise the resolution")


def foot_normals(shape: Shape, points: np.ndarray, n: np.ndarray, rounds: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Signed distances of points from a body, max over n of n.p - h(n), and the normals: Newton from the guess n."""
    h, x, w = shape.jet(n)
    f = (points * n).sum(axis=1) - h
    for _ in range(rounds):
        gap = points - x
        g = gap - (gap * n).sum(axis=1)[:, None] * n
        # (W + F) d = g on the tangent plane, shifted where F is not concave
        low = principal(n, w).radii[:, 0] + f
        lam = np.where(low > 0, f, f - low + 0.1 * np.abs(f))
        nn = n[:, :, None] * n[:, None, :]
        top = np.trace(w, axis1=1, axis2=2) + np.abs(lam) + 1e-300
        matrix = w + lam[:, None, None] * (np.eye(3) - nn) + top[:, None, None] * (nn + 1e-12 * np.eye(3))
        d = np.linalg.solve(matrix, g[..., None])[..., 0]
        length = np.linalg.norm(d, axis=1)
        d *= np.minimum(1.0, 0.5 / np.maximum(length, 1e-300))[:, None]
        for shrink in (1.0, 0.2, 0.04):
            trial = n + shrink * d
            trial /= np.linalg.norm(trial, axis=1, keepdims=True)
            ht, xt, wt = shape.jet(trial)
            ft = (points * trial).sum(axis=1) - ht
            up = ft > f
            n, f, h = np.where(up[:, None], trial, n), np.where(up, ft, f), np.where(up, ht, h)
            x, w = np.where(up[:, None], xt, x), np.where(up[:, None, None], wt, w)
            d = np.where(up[:, None], 0.0, d)
        if length.max() < 1e-9:
            break
    return f, n
