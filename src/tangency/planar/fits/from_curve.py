"""Convex shapes from parametric and implicit curves: their support function by the normal (Römer 3-D, Example 9)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ...io.numbers import number
from ...shapes.formulas.support import Formula, parse, symbol, sympy_module
from ..pitch.periodic import FULL
from ..pitch.polar import Curve, CurvePoints, by_normal, interpolant
from ..radii import direction
from ..shapes.piecewise import PiecewiseShape

NO_BREAKS = np.zeros(0)
SAMPLES = 4096


class CurveFit(NamedTuple):
    """A convex shape that follows a curve."""

    shape: PiecewiseShape  #: its support function, piecewise quintic
    error: float  #: largest distance found between the curve and the boundary [m]


def shape_from_curve(x: Formula, y: Formula, **parameters: float) -> CurveFit:
    """Convex shape whose boundary is a closed parametric curve x(t), y(t), 0 <= t <= 2 pi.

    Parameters
    ----------
    x, y : str or sympy.Expr
        Expressions in t [m], with period 2 pi, once around counter-clockwise.  A string may contain only
        arithmetic and functions of SymPy.
    **parameters : float
        Values of all other symbols.

    Returns
    -------
    CurveFit

    Raises
    ------
    ValueError
        If the curve is not closed, runs clockwise, or is not strictly convex; the message names the parameter.

    Examples
    --------
    >>> from tangency import planar
    >>> found = planar.shape_from_curve("3*cos(t)", "b*sin(t)", b=2)
    >>> (found.shape.point([0, 1]).round(12) + 0.0).tolist(), found.error < 1e-12
    ([0.0, 2.0], True)
    """
    t = symbol("t", ("t",))
    # A parameter need not be in both coordinates.
    used = [{name: value for name, value in parameters.items() if name in _names(formula)} for formula in (x, y)]
    unused = sorted(set(parameters) - set(used[0]) - set(used[1]))
    if unused:
        raise TypeError(f"x and y do not contain {', '.join(unused)}")
    columns = [
        _derivatives(_expression(formula, name, ("t",), given), t)
        for formula, name, given in ((x, "x", used[0]), (y, "y", used[1]))
    ]

    def curve(at: np.ndarray) -> CurvePoints:
        (px, dx, d2x), (py, dy, d2y) = (tuple(_on(f, at) for f in column) for column in columns)
        speed = np.hypot(dx, dy)
        normal = np.stack([dy, -dx], axis=-1) / speed[..., None]
        return CurvePoints(np.stack([px, py], axis=-1), normal, speed, (dx * d2y - dy * d2x) / speed**2)

    ends = curve(np.array([0.0, FULL])).point
    if np.abs(ends[1] - ends[0]).max() > 1e-9 * np.abs(curve(np.linspace(0.0, FULL, 9)).point).max():
        raise ValueError(f"x, y must be a closed curve, but they run from {ends[0].tolist()} to {ends[1].tolist()}")
    return _shape(curve, "t")


def shape_from_implicit(f: Formula, **parameters: float) -> CurveFit:
    """Convex shape whose boundary is f(x, y) = 0, with f < 0 inside and the origin inside.

    Parameters
    ----------
    f : str or sympy.Expr
        Expression in x and y.  A string may contain only
        arithmetic and functions of SymPy.
    **parameters : float
        Values of all other symbols.

    Returns
    -------
    CurveFit

    Raises
    ------
    ValueError
        If the origin does not lie inside, the curve is not closed around it, or is not strictly convex; the message
        names the polar angle.

    Examples
    --------
    >>> from tangency import planar
    >>> found = planar.shape_from_implicit("(x/3)**2 + (y/b)**2 - 1", b=2)
    >>> (found.shape.point([0, 1]).round(12) + 0.0).tolist(), found.error < 1e-12
    ([0.0, 2.0], True)
    """
    sympy = sympy_module()
    names = ("x", "y")
    expression = _expression(f, "f", names, parameters)
    symbols = [symbol(name, names) for name in names]
    first = [expression.diff(s) for s in symbols]
    second = [expression.diff(a, b) for a, b in ((symbols[0],) * 2, symbols, (symbols[1],) * 2)]
    value, *slopes = (sympy.lambdify(symbols, e, "numpy") for e in (expression, *first, *second))
    outermost = _reach(value)

    def curve(at: np.ndarray) -> CurvePoints:
        u = direction(at)
        r = _radius(value, slopes[:2], u, outermost)
        p = r[..., None] * u
        gx, gy, hxx, hxy, hyy = (np.broadcast_to(np.asarray(s(*np.moveaxis(p, -1, 0)), float), r.shape) for s in slopes)
        length = np.hypot(gx, gy)
        normal = np.stack([gx, gy], axis=-1) / length[..., None]
        tx, ty = -normal[..., 1], normal[..., 0]
        bend = (hxx * tx * tx + 2.0 * hxy * tx * ty + hyy * ty * ty) / length
        speed = r / (normal * u).sum(axis=-1)
        return CurvePoints(p, normal, speed, bend * speed)

    return _shape(curve, "the polar angle")


def _expression(formula: Formula, name: str, variables: tuple[str, ...], parameters: dict[str, float]) -> Any:
    values = {key: number(value, key) for key, value in parameters.items()}
    expression = parse(formula, name, variables, values)
    return expression.subs({symbol(key, variables): value for key, value in values.items()})


def _names(formula: Formula) -> set[str]:
    """Names in a formula, among them those of its symbols."""
    if isinstance(formula, str):
        return set(re.findall(r"[^\W\d]\w*", formula))
    return {s.name for s in getattr(formula, "free_symbols", ())}


def _derivatives(expression: Any, t: Any) -> list[Any]:
    sympy = sympy_module()
    return [sympy.lambdify(t, expression.diff(t, order) if order else expression, "numpy") for order in range(3)]


def _on(function: Any, at: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(function(at), dtype=float), at.shape)


def _reach(value: Any) -> float:
    """A radius outside the curve in all of 64 directions."""
    u = direction(np.arange(64) * (FULL / 64))
    start = float(value(0.0, 0.0))
    if not start < 0.0:
        raise ValueError(f"f must be negative at the origin, which must lie inside, got {start:.6g}")
    radius = 1e-9
    while radius < 1e12:
        with np.errstate(all="ignore"):
            outside = np.broadcast_to(np.asarray(value(*(radius * u).T), float), (64,)) > 0.0
        if outside.all():
            return 2.0 * radius
        radius *= 2.0
    raise ValueError("f must be positive far from the origin in all directions: the curve is not closed around it")


def _radius(value: Any, gradient: list[Any], u: np.ndarray, outermost: float) -> np.ndarray:
    """Distance of the curve from the origin along u: bisection first, then Newton's method."""
    low, high = np.zeros(u.shape[:-1]), np.full(u.shape[:-1], outermost)
    x, y = np.moveaxis(u, -1, 0)
    with np.errstate(all="ignore"):
        for _ in range(40):
            middle = 0.5 * (low + high)
            inside = value(middle * x, middle * y) < 0.0
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        r = 0.5 * (low + high)
        for _ in range(3):
            slope = gradient[0](r * x, r * y) * x + gradient[1](r * x, r * y) * y
            step = np.asarray(value(r * x, r * y) / slope, dtype=float)
            r = r - np.where(np.isfinite(step), np.clip(step, -1e-6 * r, 1e-6 * r), 0.0)
    return r


def _shape(curve: Curve, parameter: str) -> CurveFit:
    at = np.arange(SAMPLES) * (FULL / SAMPLES)
    points = curve(at)
    for name, numbers in (("the curve", points.point), ("its curvature", points.turn)):
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name} must be finite everywhere around the origin")
    bad = ~((points.turn > 0.0) & (points.speed > 0.0))
    if bad.any():
        turn = float(points.turn.sum()) * FULL / SAMPLES
        why = "runs clockwise" if (points.turn < 0.0).all() else "is not strictly convex there"
        raise ValueError(
            f"the curve must be strictly convex and counter-clockwise, but at {parameter} = {at[bad][0]:.6g} it {why} "
            f"(it turns by {turn:.4g} rad in all)"
        )
    turns = float(points.turn.sum()) * FULL / SAMPLES
    if abs(turns - FULL) > 0.01:
        raise ValueError(f"the curve must turn once, by 2 pi, got {turns:.4g} rad")
    table, _ = interpolant(curve, NO_BREAKS, 0.0, by_normal)
    shape = PiecewiseShape(*table)
    between = curve(at + 0.37 * FULL / SAMPLES)
    error = np.abs((between.point * between.normal).sum(axis=-1) - shape.support(between.normal)).max()
    return CurveFit(shape, float(error))
