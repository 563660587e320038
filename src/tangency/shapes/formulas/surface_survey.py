"""The most concave place of a surface given by a formula, searched for on the surface itself.

A closed surface that is nowhere concave bounds a convex body (Hadamard 1897).  A search over normals, as in
``checks/convexity.py``, sees no dent whose rim has the larger support: there the formulas describe the convex hull.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...geometry.directions import trouble
from .support import symbol, sympy_module

PLACES = 2500  # at which the curvature is computed first
GRID = 48  # the same for a parametric surface, along u and v
LOWEST, ROUNDS = 16, 60  # places from which the search goes downhill, and its steps
ROOM = 0.004  # of the range of u, next to poles, where parameters are singular
ALLOWED, SHARE = 1e-9, 1e-12  # concave curvature attributed to rounding: times the size, and of the largest curvature
SINGULAR = 1e-5  # smallest area of the parameters, relative to the largest one
HALVINGS = 60  # of a ray
EIGHT = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)], axis=-1)

Numeric = Callable[[np.ndarray], list[np.ndarray]]
Curvature = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


class Hollow(NamedTuple):
    """A place where a surface is concave."""

    point: np.ndarray
    curvature: float  #: < 0 [1/m]

    def __str__(self) -> str:
        where = (self.point + 0.0).round(6).tolist()
        return f"its surface is concave at the point {where}: a curvature is {self.curvature:.3g} there"


def concave_implicit(f: Any, values: dict[str, Any], variables: Any, centre: np.ndarray, reach: float) -> Hollow | None:
    """The most concave place of the surface f = 0, f < 0 inside, on rays from the centre; None if there is none."""
    names, fixed = [symbol(name, variables) for name in variables], [float(value) for value in values.values()]
    symbols = [*names, *(symbol(name, variables) for name in values)]
    slopes = [f.diff(v) for v in names]
    level = _numeric(symbols, [f], fixed)
    both = _numeric(symbols, [*slopes, *(slopes[i].diff(names[j]) for i in range(3) for j in range(i, 3))], fixed)
    lengths = reach * 2.0 ** np.arange(-20.0, 20.0, 0.5)

    def points(d: np.ndarray) -> np.ndarray:
        outside = np.stack([level(centre + length * d)[0] > 0.0 for length in lengths])
        k = outside.argmax(axis=0)
        high, low = lengths[k], np.where(k > 0, lengths[np.maximum(k - 1, 0)], 0.0)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            out = level(centre + middle[:, None] * d)[0] > 0.0
            low, high = np.where(out, low, middle), np.where(out, middle, high)
        return centre + np.where(outside.any(axis=0), 0.5 * (low + high), np.nan)[:, None] * d

    def curvature(d: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x = points(d)
        gx, gy, gz, xx, xy, xz, yy, yz, zz = both(x)
        g = np.stack([gx, gy, gz], axis=-1)
        size = np.linalg.norm(g, axis=-1)
        h = np.stack([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
        t, s = _tangents(g / size[:, None])
        a, b, c = (np.einsum("ki,kij,kj->k", p, h, q) / size for p, q in ((t, t), (t, s), (s, s)))
        middle, half = 0.5 * (a + c), np.hypot(0.5 * (a - c), b)
        return x, middle - half, middle + half

    def moved(d: np.ndarray, step: np.ndarray) -> np.ndarray:
        t, s = _tangents(d)
        trial = d + step[:, None] * (EIGHT[:, 0, None, None] * t + EIGHT[:, 1, None, None] * s)
        return trial / np.linalg.norm(trial, axis=-1, keepdims=True)

    return _lowest(curvature, trouble(PLACES, 24), moved, 0.05)


def concave_parametric(
    x: tuple[Any, ...], values: dict[str, Any], variables: Any, ranges: tuple[float, ...], periodic: bool
) -> Hollow | None:
    """The most concave place of the surface x(u, v); None if there is none."""
    (u, v), fixed = (symbol(name, variables) for name in variables), [float(value) for value in values.values()]
    orders: tuple[tuple[Any, ...], ...] = ((), (u,), (v,), (u, u), (u, v), (v, v))
    symbols = [u, v, *(symbol(name, variables) for name in values)]
    all_of = _numeric(symbols, [e.diff(*order) if order else e for order in orders for e in x], fixed)
    u0, u1, v0, v1 = ranges
    room = ROOM * np.array([u1 - u0, 0.0 if periodic else v1 - v0])
    low, high = np.array([u0, v0]) + room, np.array([u1, v1]) - room
    grid = np.linspace(0.0, 1.0, GRID)
    places = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    middle = np.stack(all_of(low + (high - low) * places)[:3], axis=-1).mean(axis=0)
    size = np.zeros(1)

    def curvature(at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        table = np.array(all_of(low + (high - low) * at)).reshape(6, 3, -1)
        p, xu, xv, xuu, xuv, xvv = table.transpose(0, 2, 1)
        n = np.cross(xu, xv)
        area = np.linalg.norm(n, axis=-1)
        size[0] = max(size[0], float(np.nanmax(area)))
        n = n / area[:, None] * np.sign((n * (p - middle)).sum(axis=-1))[:, None]
        e, f, g, a, b, c = (
            (one * two).sum(axis=-1) for one, two in ((xu, xu), (xu, xv), (xv, xv), (-n, xuu), (-n, xuv), (-n, xvv))
        )
        mean = (e * c - 2.0 * f * b + g * a) / (2.0 * area**2)
        half = np.sqrt(np.maximum(mean**2 - (a * c - b * b) / area**2, 0.0))
        return p, np.where(area > SINGULAR * size[0], mean - half, np.nan), mean + half

    def moved(at: np.ndarray, step: np.ndarray) -> np.ndarray:
        return np.clip(at + step[:, None] * EIGHT[:, None, :], 0.0, 1.0)

    return _lowest(curvature, places, moved, 0.5 / GRID)


def _lowest(curvature: Curvature, places: np.ndarray, moved: Callable, first: float) -> Hollow | None:
    """The most concave place near some of the given ones; None if none is concave by more than rounding."""
    with np.errstate(all="ignore"):
        x, low, high = curvature(places)
        known = np.isfinite(x).all(axis=1)
        size = float(np.ptp(x[known], axis=0).max()) if known.any() else 1.0

        def score(low: np.ndarray, high: np.ndarray) -> np.ndarray:
            found = low * size / (ALLOWED + SHARE * np.abs(high) * size)
            return np.where(np.isfinite(low) & np.isfinite(high), found, np.inf)

        order = np.argsort(score(low, high))[:LOWEST]
        at, best = places[order], score(low, high)[order]
        step = np.full(len(at), first)
        for _ in range(ROUNDS):
            trial = moved(at, step)
            _, low, high = curvature(trial.reshape(-1, trial.shape[-1]))
            found = score(low, high).reshape(trial.shape[:2])
            k = found.argmin(axis=0)
            better = found.min(axis=0) < best
            at = np.where(better[:, None], trial[k, np.arange(len(at))], at)
            best, step = np.minimum(best, found.min(axis=0)), np.where(better, step, 0.5 * step)
        if not best.min() < -1.0:
            return None
        x, low, _ = curvature(at[[best.argmin()]])
    return Hollow(x[0], float(low[0]))


def _numeric(
    symbols: list[Any], expressions: list[Any], fixed: list[float]
) -> Callable[[np.ndarray], list[np.ndarray]]:
    """The expressions as functions of points (N, 3) or parameters (N, 2)."""
    sympy = sympy_module()
    # Second derivatives of |x| are zero except at the kink itself.
    smooth = [sympy.sympify(e).replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for e in expressions]
    function = sympy.lambdify(symbols, smooth, "numpy", cse=True)

    def at(p: np.ndarray) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            found = function(*p.T, *fixed)
        return [np.broadcast_to(np.asarray(one, float), len(p)) for one in found]

    return at


def _tangents(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors normal to n, the first next to the coordinate axis that is most nearly tangential."""
    e = np.eye(3)[np.abs(np.nan_to_num(n)).argmin(axis=-1)]
    t = e - (e * n).sum(axis=-1, keepdims=True) * n
    t = t / np.linalg.norm(t, axis=-1, keepdims=True)
    return t, np.cross(n, t)
