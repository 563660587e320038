"""Overlap of smooth places, proved by two balls or by rings without a global search.

For a unit vector n, let a ball of radius rho_A inside A touch its boundary at x_A(n), and a ball of radius rho_B inside
B touch its boundary at x_B(-n) (``kernels/inner_ball.py``).  The Minkowski difference of the two is a ball of radius
rho = rho_A + rho_B with the centre w(n) + rho n, inside the set D of all w = x_B - x_A.  The signed distance of the
origin from D is at most that from this ball,

    F(n) <= distance <= |w(n) + rho n| - rho.

If n is a common normal and F + rho >= 0, then w = F n and the bounds agree: *a common normal with a depth of at most
the sum of both radii is that of the shortest separating translation*.  So Newton's method from a good initial normal is
enough; the rest of the surface need not be searched.  Deeper common normals, and those of bodies without a known inner
ball, are proved by rings (`ring_proof`), which either succeed or find a better direction to climb from.

All lengths refer to the cores (see `pair`): if a body has the core radius c, an inner ball of radius rho becomes one of
radius rho - c inside its core.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import call_shape, element, uncounted
from ...kernels.jet import INNER_BALL, JET
from ...kernels.vectors import add, axpy, dot, mat_t_mul, norm, unit
from .ascent import climb_from
from .contact_point import contact_point
from .pair import evaluate, newton_step
from .ring_proof import rings

BUDGET = 12  # maximum number of evaluations of a climb, which are wasted if there is no proof
CLIMBS = 3  # maximum number of climbs, unless a guess is followed


class Shallow(NamedTuple):
    """Result of the climb."""

    proved: bool
    lower: float
    upper: float
    distance: float
    normal: Any  #: if not proved, the normal from which to continue
    foot: Any  #: contact point on the core of A
    evaluations: int


@uncounted
def inner_radius(pair, n, jets, scratch):
    """Sum of the radii of the inner balls of both cores, from the jets of the last evaluation, which was at n."""
    m = mat_t_mul(pair.rotation, n)
    for k in range(4):
        scratch[k], scratch[JET + k] = jets[k], jets[JET + k]
    call_shape(pair.address_a, pair.row_a, pair.size_a + INNER_BALL, n[0], n[1], n[2], element(scratch, 0))
    call_shape(pair.address_b, pair.row_b, pair.size_b + INNER_BALL, -m[0], -m[1], -m[2], element(scratch, JET))
    # A user's formulas may return NaN; this counts as no ball.
    a, b = scratch[0] - pair.core_a, scratch[JET] - pair.core_b
    return (a if a > 0.0 else 0.0) + (b if b > 0.0 else 0.0)


@uncounted
def bound_by_balls(f, w, n, rho):
    """Upper bound |w + rho n| - rho on the distance, without cancellation; valid for bodies apart and overlapping."""
    g, c = axpy(w, -dot(n, w), n), f + rho
    square = dot(g, g)
    length = math.sqrt(c * c + square)
    return f + (square / (length + c) if c > 0.0 else length - c)


@uncounted
def _prove(pair, stop, lengths, work):
    """Try to prove the maximum found by a climb: (whether a better direction was found instead, the result)."""
    tolerance = lengths.tolerance
    n, f, w, x, evaluations = stop.normal, stop.value, stop.w, stop.point, 0
    d, gain, shift_a = stop.step, stop.gain, stop.shift
    rho = inner_radius(pair, n, work.jets, work.scratch)
    upper = bound_by_balls(f, w, n, rho)
    if upper - f > tolerance and stop.close:
        n = unit(add(n, d))
        f, w, x = evaluate(pair, n, work.jets)
        evaluations += 1
        d, gain, shift_a, _, _ = newton_step(pair, work.jets, n, f, w)
        if f + rho > 0.0:
            upper = bound_by_balls(f, w, n, inner_radius(pair, n, work.jets, work.scratch))
    better, start = False, n
    if upper - f > tolerance:
        ringed = rings(pair, n, f, w, lengths, work.jets)
        evaluations, better, start = evaluations + ringed.evaluations, ringed.better, ringed.normal
        if ringed.proved:
            upper = ringed.upper
    if better or not upper - f <= tolerance:
        return better, Shallow(False, f, upper, f, start, x, evaluations)
    if stop.close and norm(d) < 1e-5:
        return False, Shallow(True, f, upper, min(f + gain, upper), unit(add(n, d)), add(x, shift_a), evaluations)
    aside = axpy(w, -dot(n, w), n)
    if norm(aside) <= tolerance:
        return False, Shallow(True, f, upper, f, n, axpy(x, 0.5, aside), evaluations)
    # The normal of a face or an edge is known, but not yet the point of it that is opposite to the other body.
    place = contact_point(pair, n, f, lengths, work)
    value = max(f, place.value)
    evaluations += place.evaluations
    return False, Shallow(True, value, max(upper, value), value, place.normal, place.foot, evaluations)


@uncounted
def shallow(pair, n, lengths, climbs, work):
    """Climb from n, whose jets are in `work`, while F < 0; then try to prove the maximum found.

    Where the proof finds a better direction, the next climb starts there; at most `climbs` times in all.
    """
    evaluations = 0
    for _ in range(climbs):
        stop = climb_from(pair, n, lengths, 0.0, BUDGET, work)
        evaluations += stop.evaluations
        if not (stop.found and stop.value < 0.0):
            # At an edge or corner the next search does better from the initial normal.
            start = n if stop.value < 0.0 else stop.normal
            return Shallow(False, stop.value, norm(stop.w), stop.value, start, stop.point, evaluations)
        better, found = _prove(pair, stop, lengths, work)
        evaluations += found.evaluations
        n = found.normal
        if not better:
            break
        evaluate(pair, n, work.jets)
        evaluations += 1
    return Shallow(found.proved, found.lower, found.upper, found.distance, found.normal, found.foot, evaluations)
