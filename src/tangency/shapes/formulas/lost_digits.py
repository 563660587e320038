"""Digits that the formulas of a surface x(u, v) lose beside singular values, measured with 50 digits.

Formulas that cancel, such as 1 - u**p next to u = 1, are wrong there by 1e-16 over the distance, and so are curvatures.
Nothing shows this at run time.  The body is therefore compared with the same formulas in multiple precision, at normals
beside the values of u and v at which a part of the formulas is zero or has an extreme value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..shape import Shape
from .anchors import linear, periodic
from .support import symbol, sympy_module

DIGITS = 50
SAMPLES = 101  # of each parameter, between which zeros and extreme values of parts of the formulas are looked for
BISECTIONS = 150
SINGULAR = 8  # values of each parameter beside which the body is compared, at most
DISTANCES = ((1, 1e-4), (-1, 1e-8), (1, 1e-12), (-1, 1e-15))  # from them, in ranges, and on which side
ELSEWHERE = (0.3137, 0.5861)  # the other parameter, in ranges
NEWTON, CONVERGED = 8, 1e-25  # steps, and the last but one: the last doubles the digits
SAME_VALUE = 1e-12  # difference below which two values are one, in ranges
PARTS = 30  # of the formulas, at most
POINT, CURVATURE = 1e-10, 1e-7  # promised: errors of points, in sizes, and of radii of curvature, relative
FLOOR = 1e-3  # radii of curvature below this, in sizes, have no relative accuracy
FLAT = 1e9  # radii of curvature above this, in sizes, belong to flat places, where points are undetermined
TIP = 1e-6, 0.1  # distance of points, in sizes, and of their normals [rad] that makes a tip, where W jumps
ROUNDINGS = 16.0  # of the normal, whose effect is not an error of the formulas


class Loss(NamedTuple):
    """The largest error found."""

    parameter: str
    value: float  #: of the parameter beside which it was found
    normal: np.ndarray
    point: float  #: error of the point [m]
    bend: float  #: error of W [m]
    radius: float  #: the largest component of W [m]

    def __str__(self) -> str:
        where = ", ".join(f"{c:.6g}" for c in self.normal)
        return (
            f"x makes an inaccurate body next to {self.parameter} = {self.value:.9g}: at n = ({where}) the point is "
            f"off by {self.point:.2g} and the radius of curvature {self.radius:.3g} by {self.bend:.2g}, compared with "
            f"{DIGITS} digits; sums that cancel there, such as 1 - u**p or 2*u/(1 + u**2), lose digits, but powers of "
            "sines and cosines do not: write u = sin(w)**(2/p) and cos(w)**2 for 1 - u**p, or sin(w) for 2*u/(1 + u**2)"
        )


class Place(NamedTuple):
    """Parameters beside a singular value of one of them, with 50 digits."""

    parameter: str
    value: float
    u: Any
    v: Any


def lost_digits(
    shape: Shape, expressions: Sequence[Any], values: dict[str, Any], variables: tuple[str, ...]
) -> Loss | None:
    """The largest error of the body that exceeds the promised accuracy; None if there is none."""
    import mpmath

    u, v = (symbol(name, variables) for name in variables)
    given = {symbol(name, variables): float(value) for name, value in values.items()}
    low_u, high_u, low_v, high_v = (float(shape._fields[name]) for name in ("u0", "u1", "v0", "v1"))
    orders: tuple[tuple[Any, ...], ...] = ((), (u,), (v,), (u, u), (u, v), (v, v))
    middle = shape.point(np.concatenate([np.eye(3), -np.eye(3)])).mean(axis=0)
    with mpmath.workdps(DIGITS):
        formulas = _function([u, v, *given], [e.diff(*order) if order else e for order in orders for e in expressions])
        fixed = [mpmath.mpf(value) for value in given.values()]

        def table(at_u: Any, at_v: Any) -> list[list[Any]]:
            flat = formulas(at_u, at_v, *fixed)
            return [flat[k : k + 3] for k in range(0, 18, 3)]

        beside_u = _beside(expressions, u, given, low_u, high_u, open_ends=True)
        beside_v = _beside(expressions, v, given, low_v, high_v, open_ends=not shape._fields["round"])
        other_u, other_v = (
            [low + share * (high - low) for share in ELSEWHERE] for low, high in ((low_u, high_u), (low_v, high_v))
        )
        places = [Place("u", near, at, other_v[k % 2]) for k, (near, at) in enumerate(beside_u)]
        places += [Place("v", near, other_u[k % 2], at) for k, (near, at) in enumerate(beside_v)]
        found = [reference for place in places if (reference := _reference(table, place, middle)) is not None]
    return _worst(shape, found) if found else None


class Reference(NamedTuple):
    """Point and W of the exact surface at a normal, and how much they change if this is rounded."""

    place: Place
    normal: np.ndarray
    point: np.ndarray
    hessian: np.ndarray
    point_slack: float
    hessian_slack: float


def _worst(shape: Shape, references: list[Reference]) -> Loss | None:
    """The largest error of the body, measured by what is promised."""
    jet, size = shape.jet(np.array([one.normal for one in references])), float(np.asarray(shape.bounding_radius))
    points, normals = (np.array([getattr(one, name) for one in references]) for name in ("point", "normal"))
    apart, turned = (np.linalg.norm(a[:, None] - a, axis=-1) for a in (points, normals))
    tips = ((apart < TIP[0] * size) & (turned > TIP[1])).any(axis=1)
    worst, most = None, 1.0
    for one, x, w, tip in zip(references, jet.point, jet.hessian, tips):
        radius = float(np.abs(one.hessian).max())
        if radius > FLAT * size:
            continue
        point, bend = float(np.abs(x - one.point).max()), float(np.abs(w - one.hessian).max())
        allowed_point = POINT * size + ROUNDINGS * one.point_slack
        allowed_bend = CURVATURE * max(radius, FLOOR * size) + ROUNDINGS * one.hessian_slack
        share = max(point / allowed_point, 0.0 if tip else bend / allowed_bend)
        if share > most:
            worst, most = Loss(one.place.parameter, one.place.value, one.normal, point, bend, radius), share
    return worst


def _reference(table: Callable, place: Place, middle: np.ndarray) -> Reference | None:
    """The exact surface at the rounded normal of a place; None where it has none, or no curvature."""
    import mpmath

    u, v = place.u, place.v
    try:
        x, xu, xv, *second = table(u, v)
        m = _cross(xu, xv)
        length = mpmath.sqrt(_dot(m, m)) * mpmath.sign(_dot(m, [c - float(k) for c, k in zip(x, middle)]))
        m = [c / length for c in m]
        first = [*x, *_radii(xu, xv, second, m)]
        normal = np.array([float(c) for c in m])
        n = [mpmath.mpf(float(c)) for c in normal]
        for _ in range(NEWTON):
            gu, gv = _dot(n, xu), _dot(n, xv)
            a, b, d = (_dot(n, one) for one in second)
            det = a * d - b * b
            du, dv = (b * gv - d * gu) / det, (b * gu - a * gv) / det
            u, v = u + du, v + dv
            x, xu, xv, *second = table(u, v)
            if abs(du) + abs(dv) < CONVERGED * (1 + abs(u) + abs(v)):
                break
        else:
            return None
        last = [*x, *_radii(xu, xv, second, n)]
        exact, change = (np.array([float(c) for c in row]) for row in (last, [p - q for p, q in zip(last, first)]))
    except (ZeroDivisionError, ValueError, TypeError, OverflowError):  # infinite or complex at a singular value
        return None
    if not (np.isfinite(exact).all() and np.isfinite(change).all()):
        return None
    slack = np.abs(change)
    return Reference(place, normal, exact[:3], exact[3:].reshape(3, 3), float(slack[:3].max()), float(slack[3:].max()))


def _radii(xu: Any, xv: Any, second: Any, n: Any) -> list[Any]:
    """The nine components of W, in space: the inverse of the second fundamental form."""
    a, b, d = (-_dot(n, one) for one in second)
    det = (a * d - b * b) / _dot(n, n) ** 0.5
    rows = list(zip(xu, xv))
    return [(d * p * r - b * (p * s + q * r) + a * q * s) / det for p, q in rows for r, s in rows]


def _beside(
    expressions: Sequence[Any], p: Any, given: dict[Any, float], low: float, high: float, *, open_ends: bool
) -> list[tuple[float, Any]]:
    """Singular values of a parameter, each with exact values beside it within the range."""
    import mpmath

    quarter = mpmath.pi / 2 / mpmath.mpf(sympy_module().N(periodic(expressions, p), DIGITS))
    wide = mpmath.mpf(high) - mpmath.mpf(low)

    def is_new(value: Any) -> bool:
        return all(abs(value - other) > SAME_VALUE * wide for other in values)

    first, last = int(mpmath.ceil(low / quarter - SAME_VALUE)), int(mpmath.floor(high / quarter + SAME_VALUE))
    whole = [k * quarter for k in range(first, min(last, first + 5) + 1)] if _turns(expressions, p) else []
    values: list[Any] = []
    ends = [mpmath.mpf(end) for end in (low, high)] if open_ends else []
    for value in (*whole, *ends, *_roots(expressions, p, given, low, high)):
        if is_new(value) and (open_ends or is_new(value - wide)):  # a closed surface has both ends in common
            values.append(value)
    found = []
    for value in values[:SINGULAR]:
        for side, distance in DISTANCES:
            at = value + side * distance * wide
            if not low < at < high:
                at = value - side * distance * wide
            if low < at < high:
                found.append((round(float(value), 12) + 0.0, at))
    return found


def _turns(expressions: Sequence[Any], p: Any) -> bool:
    sympy = sympy_module()
    return any(linear(e.args[0], [p]) for one in expressions for e in one.atoms(sympy.sin, sympy.cos))


def _roots(expressions: Sequence[Any], p: Any, given: dict[Any, float], low: float, high: float) -> list[Any]:
    """Where parts of the expressions that contain no other parameter are zero or have an extreme value."""
    import mpmath

    sympy = sympy_module()
    known = {p, *given}
    found_parts = {
        e
        for one in expressions
        for e in sympy.preorder_traversal(one)
        if p in e.free_symbols <= known and not e.is_Symbol and isinstance(e, sympy.Expr)
    }
    parts = sorted(found_parts, key=sympy.count_ops)[:PARTS]
    both = [*parts, *(e.diff(p) for e in parts)]
    share = (np.arange(SAMPLES) + 0.37) / SAMPLES
    at = low + (high - low) * share
    with np.errstate(all="ignore"):
        rows = _function([p, *given], both, "numpy")(at, *given.values())
        signs = [np.sign(np.broadcast_to(np.asarray(row, float), at.shape)) for row in rows]
    fixed = [mpmath.mpf(value) for value in given.values()]
    found: list[Any] = []
    for k, sign in enumerate(signs):
        for j in np.flatnonzero(sign[1:] * sign[:-1] < 0):
            if any(at[j] <= one <= at[j + 1] for one in found):
                continue
            one = _function([p, *given], both[k : k + 1])
            a, b = mpmath.mpf(at[j]), mpmath.mpf(at[j + 1])
            for _ in range(BISECTIONS):
                middle = (a + b) / 2
                if one(middle, *fixed)[0] * int(sign[j]) > 0:
                    a = middle
                else:
                    b = middle
            found.append(a)
    return found


def _function(symbols: list[Any], expressions: list[Any], module: str = "mpmath") -> Callable:
    sympy = sympy_module()
    # Second derivatives of |x| are zero except at the kink itself.
    smooth = [sympy.sympify(e).replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for e in expressions]
    return sympy.lambdify(symbols, smooth, module, cse=True)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
