"""Overlap proved by two balls, without a search.

Let n be a unit vector, and let a ball of radius rho_A inside A touch at x_A(n), one of radius rho_B inside B at
x_B(-n) (``kernels/inner_ball.py``).  Their difference is a ball of radius rho = rho_A + rho_B inside the set D of all
w = x_B - x_A, with the centre w(n) + rho n.  If the origin lies inside that ball,

    F(n) <= distance <= |w(n) + rho n| - rho,

and the bounds meet where n is a common normal, for there w = F n: *a common normal less deep than the sum of both
radii is that of the shortest separating translation*.  So Newton's method from a good start is enough, and no other
place of the surface is looked at.

All lengths are those of the cores (see `pair`): an inner ball of a body whose core radius is c leaves one of radius
rho - c inside the core.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import call_shape, element, jit
from ...kernels.jet import INNER_BALL
from ...kernels.vectors import add, axpy, dot, mat_t_mul, norm, unit
from .ascent import climb_until
from .contact_point import CLOSE
from .pair import evaluate, newton_step

BUDGET = 12  # evaluations of a climb that may be for nothing


class Shallow(NamedTuple):
    """What is known when the climb ends."""

    proved: bool
    lower: float
    upper: float
    distance: float
    normal: Any  #: the best so far
    foot: Any  #: contact point on the core of A
    evaluations: int


@jit
def inner_radius(pair, n, scratch):
    """Sum of the radii of the inner balls of both cores, at the unit vector n."""
    m = mat_t_mul(pair.rotation, n)
    call_shape(pair.address_a, pair.row_a, pair.size_a + INNER_BALL, n[0], n[1], n[2], element(scratch, 0))
    call_shape(pair.address_b, pair.row_b, pair.size_b + INNER_BALL, -m[0], -m[1], -m[2], element(scratch, 1))
    # A user's formulas may return NaN: then there is no ball.
    a, b = scratch[0] - pair.core_a, scratch[1] - pair.core_b
    return (a if a > 0.0 else 0.0) + (b if b > 0.0 else 0.0)


@jit
def bound_by_balls(f, w, n, rho):
    """Upper bound |w + rho n| - rho of the distance, without cancellation; 0 if the origin is outside the ball."""
    g, c = axpy(w, -dot(n, w), n), f + rho
    if not c > 0.0:
        return 0.0
    square = dot(g, g)
    return f + square / (math.sqrt(c * c + square) + c)


@jit
def shallow(pair, n, lengths, work):
    """Climb from n, as long as the bodies overlap there, and try to prove what is found."""
    size, rounding, tolerance = lengths
    best = climb_until(pair, n, lengths, 0.0, BUDGET, work)
    m, evaluations = best.normal, best.evaluations
    if not (best.found and best.value < 0.0):
        return Shallow(False, best.value, 0.0, best.value, m, best.foot, evaluations)
    rho = inner_radius(pair, m, work.scratch)
    if not best.value + rho > 0.0:
        return Shallow(False, best.value, 0.0, best.value, m, best.foot, evaluations)
    f, w, x = evaluate(pair, m, work.jets)
    upper = bound_by_balls(f, w, m, rho)
    # Flat places and edges may hide where the bodies touch (see `contact_point`): that is another search.
    opposite = norm(axpy(w, -dot(m, w), m)) <= max(CLOSE * size, rounding)
    proved = opposite and upper - f <= tolerance
    d, gain, shift_a, _ = newton_step(pair, work.jets, m, f, w)
    if norm(d) < 1e-5 and gain <= tolerance:
        n = unit(add(m, d))
        return Shallow(proved, f, upper, min(f + gain, upper), n, add(x, shift_a), evaluations + 1)
    return Shallow(proved, f, upper, f, m, best.foot, evaluations + 1)
