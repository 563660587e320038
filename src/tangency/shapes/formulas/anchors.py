"""Parameters of surfaces x(u, v) that keep their digits beside singular values.

The curvature next to a pole or a plane of symmetry depends on the distance of u or v from a singular value: an end of
its range, a quarter of a period, where powers of sines and cosines vanish, or 1/2 if 1 - 2 u is in the formulas.  Next
to pi a number is rounded to 4e-16, and so is this distance.  A parameter is therefore kept as the sum of such a value,
its anchor, and an offset, and sines, cosines and sums such as 1 - u in the formulas are computed from both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...compiled.jit import jit
from .support import sympy_module

SAME = 1e-15  # relative difference below which an end of a range is a rounded quarter of a period


class Parameter(NamedTuple):
    """The parameter anchor + offset; `quarters` is the anchor in quarters of a period, exact if it is whole."""

    quarters: float
    anchor: float
    offset: float


class Chart(NamedTuple):
    """Range of a parameter, a quarter of its period, and other values at which the formulas may be singular."""

    low: float
    high: float
    quarter: float
    zeros: tuple[float, ...]


@jit
def anchored(p, chart):
    """The same parameter, with the nearest quarter of a period, zero of a sum or end of its range as the anchor."""
    at = p.anchor + p.offset
    quarters = float(math.floor(at / chart.quarter + 0.5))
    whole = quarters * chart.quarter
    anchor = whole
    for other in (chart.low, chart.high, *chart.zeros):
        if abs(other - at) < abs(anchor - at) and abs(other - whole) > SAME * abs(other):
            quarters, anchor = other / chart.quarter, other
    if anchor == p.anchor:
        return p
    return Parameter(quarters, anchor, p.offset + (p.anchor - anchor))


@jit
def from_anchor(end, anchor):
    """An end of a range relative to the anchor; zero if they are equal but for rounding."""
    return end - anchor if abs(end - anchor) > SAME * abs(end) else 0.0


@jit
def within(p, step, chart):
    """The parameter after a step; a step beyond an end of the range goes nine tenths of the way to this end.

    Newton's method leaves the end itself too slowly if powers of the distance to it are in the formulas.
    """
    offset, first, last = p.offset + step, from_anchor(chart.low, p.anchor), from_anchor(chart.high, p.anchor)
    if offset <= first:
        offset = first + 0.1 * (p.offset - first)
    elif offset >= last:
        offset = last - 0.1 * (last - p.offset)
    return anchored(Parameter(p.quarters, p.anchor, offset), chart)


@jit
def around(p, step, chart):
    """The periodic parameter after a step."""
    quarters, anchor, offset = p.quarters, p.anchor, p.offset + step
    period = chart.high - chart.low
    turns = float(math.floor((anchor - chart.low + offset) / period))
    if turns != 0.0:
        quarters, anchor = quarters - turns * (period / chart.quarter), anchor - turns * period
        if quarters == math.floor(quarters):
            anchor = quarters * chart.quarter
    return anchored(Parameter(quarters, anchor, offset), chart)


@jit
def moved(p, share, tiny, chart):
    """The parameter, moved by a share of itself and a tiny part of its range towards the middle."""
    at, low, high = p.anchor + p.offset, chart.low, chart.high
    by = share * abs(at) + tiny * (high - low)
    return Parameter(p.quarters, p.anchor, p.offset + math.copysign(by, 0.5 * (low + high) - at))


@jit
def turned(p, share, quarters, slope):
    """Sine and cosine of slope * p + quarters * pi / 2, where slope * p is `share` quarters per quarter of p."""
    turns = share * p.quarters + quarters
    whole = float(math.floor(turns + 0.5))
    rest = (turns - whole) * (0.5 * math.pi) + slope * p.offset
    s, c = math.sin(rest), math.cos(rest)
    side = whole - 4.0 * math.floor(0.25 * whole)
    if side == 0.0:
        return s, c
    if side == 1.0:
        return c, -s
    if side == 2.0:
        return -s, -c
    return -c, s


#: What the lines of `from_anchors` call.
FUNCTIONS = {"turned": turned}


def factored(expression: Any, variables: Sequence[Any]) -> Any:
    """The expression with rational functions of one parameter as products, 1 - u**2 as (1 - u) (1 + u)."""
    sympy = sympy_module()

    def product(found: Any) -> Any:
        for p in variables:
            if found.free_symbols == {p} and found.is_rational_function(p) and not found.atoms(sympy.Float):
                return sympy.factor(found)
        return found

    return sympy.sympify(expression).replace(lambda e: e.is_Add, product)


def zeros_of(expressions: Sequence[Any], p: Any) -> tuple[float, ...]:
    """Where sums m p + c in the expressions are zero."""
    sympy = sympy_module()
    found = (linear(e, [p]) for one in expressions for e in one.atoms(sympy.Add))
    roots = {-one[2] / one[1] for one in found if one is not None}
    return tuple(sorted({float(root) for root in roots if root.is_number}))


def linear(expression: Any, variables: Sequence[Any]) -> tuple[Any, Any, Any] | None:
    """p, m and c if the expression is m p + c, with one p of the variables."""
    for p in variables:
        if expression.free_symbols & set(variables) == {p}:
            slope = expression.diff(p)
            if p not in slope.free_symbols:
                return p, slope, expression.subs(p, 0)
    return None


def periodic(expressions: Sequence[Any], p: Any) -> Any:
    """The largest m of all sin(m p + c) and cos(m p + c); 1 if there is none."""
    sympy = sympy_module()
    found = (linear(e.args[0], [p]) for one in expressions for e in one.atoms(sympy.sin, sympy.cos))
    slopes = [abs(one[1]) for one in found if one is not None and one[1].is_number]
    return max(slopes, default=sympy.Integer(1))


def from_anchors(expressions: Sequence[Any], slopes: dict[Any, Any]) -> tuple[list[Any], list[str]]:
    """The expressions with what keeps its digits as new symbols, and the lines of source that compute these symbols.

    New symbols are sin(m p + c pi), cos(m p + c pi) and c + m p.  Each p of `slopes` is a Parameter `<name>_at`, a
    quarter of whose period is pi / 2 over its slope.
    """
    sympy = sympy_module()
    lines = [f"{p} = {p}_at.anchor + {p}_at.offset" for p in slopes]
    known: dict[Any, Any] = {}

    def new(key: Any) -> Any:
        known[key] = sympy.Symbol(f"near_{len(known)}", real=True)
        return known[key]

    def turn(e: Any) -> Any:
        found = linear(e.args[0], list(slopes))
        if found is None:
            return e
        p, slope, rest = found
        share, quarters = slope / slopes[p], 2 * rest / sympy.pi
        if not (share.is_number and (share.is_Rational or share.is_Float) and quarters.is_Rational):
            return e
        key = (p, slope, quarters)
        if (sympy.sin, *key) not in known:
            s, c = new((sympy.sin, *key)), new((sympy.cos, *key))
            values = ", ".join(repr(float(one)) for one in (share, quarters, slope))
            lines.append(f"{s}, {c} = turned({p}_at, {values})")
        return known[e.func, *key]

    def plus(e: Any) -> Any:
        found = linear(e, list(slopes))
        if found is None:
            return e
        p, slope, rest = found
        if e not in known:
            lines.append(f"{new(e)} = ({rest} + ({slope})*{p}_at.anchor) + ({slope})*{p}_at.offset")
        return known[e]

    found = []
    for e in map(sympy.sympify, expressions):
        e = e.replace(lambda x: isinstance(x, sympy.sin | sympy.cos), turn)
        found.append(e.replace(lambda x: x.is_Add, plus))
    return found, lines
