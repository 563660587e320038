"""The end of a search: bounds on the time of first contact, and the time itself.

At the last view before contact the bodies are proved to be apart, and closer than the tolerance.  An overlap shortly
after gives the upper bound.  It is proved by two balls inside the bodies, or by four points of their difference: if
the origin lies deeper inside the tetrahedron of these than their rounding errors, the bodies overlap.  Between the
bounds, the time is that of contact by the rate of F, if the distance there is proved to be within the tolerance, or
else that of the last view.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import jit
from ...contacts.impact_status import ImpactStatus
from ...kernels.simplex import nearest
from ...kernels.vectors import cross, dot, mat_mul, norm, sub, unit
from ..certified.pair import core_of, evaluate, moved, newton_step
from ..certified.separation import INSIDE, separate
from ..certified.simplex_rows import put
from ..tolerances import Scales
from .carried import carried_to
from .features import course, features_bound, placed, put_view
from .following import bent
from .moving_pair import size_of, view
from .normals import BUDGET, along, upper_bound

DEPTHS = (0.5, 0.9)  # overlaps that are tried as upper bounds, in tolerances
ENCLOSING = 16  # points of the difference that are tried for a proof of overlap
DEEPENING = 4  # Newton steps towards one

_IMPACT, _TOUCH, _FAILED = int(ImpactStatus.IMPACT), int(ImpactStatus.TOUCH), int(ImpactStatus.NOT_CONVERGED)


class First(NamedTuple):
    """The first contact."""

    status: int
    time: float
    lower: float
    upper: float
    normal: Any
    tolerance: float
    evaluations: int


class Depth(NamedTuple):
    """What is known of an overlap."""

    overlap: bool  #: proved
    touch: bool  #: proved up to rounding errors
    normal: Any
    evaluations: int


@jit
def _plane_distance(m, i, j, k):
    """Distance of the origin from the plane through three corners of a simplex."""
    a, b, c = (m[i, 0], m[i, 1], m[i, 2]), (m[j, 0], m[j, 1], m[j, 2]), (m[k, 0], m[k, 1], m[k, 2])
    e = cross(sub(b, a), sub(c, a))
    length = norm(e)
    return abs(dot(a, e)) / length if length > 0.0 else 0.0


@jit
def _is_deep(m, rounding):
    """Whether the origin, inside a tetrahedron, is farther than `rounding` from all its faces."""
    least = min(_plane_distance(m, 0, 1, 2), _plane_distance(m, 0, 1, 3))
    return min(least, _plane_distance(m, 0, 2, 3), _plane_distance(m, 1, 2, 3)) > rounding


@jit
def _inside(seen, features, rounding, work):
    """By the features, and points of the difference around the origin: (overlap proved, apart, direction, evaluations).

    The jets of the view are lost.
    """
    pair, m, used = seen.pair, work.simplex, 0
    placed(features, pair, m)
    put_view(m, features.number, seen, work.jets)
    count, plane = nearest(m, features.number + 1)
    n, f, most = seen.local, seen.value, seen.value
    while count < 4 and used < ENCLOSING and 0.0 < norm(plane) < 1e300:
        # A curved body may be apart along a direction that GJK alone approaches slowly.
        n = bent(pair, n, f, m, count, work.jets) if count < 3 and f >= most else unit(plane)
        f, w, x = evaluate(pair, n, work.jets)
        used, most = used + 1, max(most, f)
        if not f <= rounding:
            return False, True, n, used
        put(m, count, w, n, x)
        count, plane = nearest(m, count + 1)
    return count == 4 and _is_deep(m, 2.0 * rounding), False, seen.local, used


@jit
def overlap(moving, seen, features, allowed, work):
    """Whether the bodies overlap, from a view whose jets stand in `work`."""
    rounding, tolerance = allowed
    if seen.value > rounding:
        return Depth(False, False, seen.normal, 0)
    upper, used = upper_bound(moving, seen, work), 0
    if moving.is_plane:
        deep = upper + rounding < 0.0
        return Depth(deep, deep, seen.normal, 0)
    core = core_of(seen.pair)
    if min(upper, features_bound(seen, features, work)) + rounding < 0.0:
        return Depth(True, True, seen.normal, used)
    if features.number > 0 and core == 0.0:
        inside, apart, n, used = _inside(seen, features, rounding, work)
        if inside or apart:
            return Depth(inside, inside, mat_mul(seen.stances[0].turn, n), used)
        seen, used = along(moving, seen, seen.local, work), used + 1
    for _ in range(DEEPENING):
        d, gain, _, concave, _ = newton_step(seen.pair, work.jets, seen.local, seen.value + core, seen.w)
        if not (concave and gain >= 0.01 * tolerance and gain < math.inf):
            break
        seen = along(moving, seen, moved(seen.pair, seen.local, d, work.scratch), work)
        upper = upper_bound(moving, seen, work)
        used += 1
        if upper + rounding < 0.0:
            return Depth(True, True, seen.normal, used)
    if seen.value > rounding:
        return Depth(False, False, seen.normal, used)
    lengths = Scales(size_of(moving), rounding, rounding)
    found = separate(seen.pair, seen.local, lengths, core + rounding, BUDGET, work)
    inside = found.end == INSIDE and core == 0.0
    proved = found.upper - core + rounding < 0.0 or (found.end == INSIDE and core > rounding)
    if inside and found.corners == 4:
        proved = proved or _is_deep(work.simplex, 2.0 * rounding)
    n = mat_mul(seen.stances[0].turn, found.normal)
    return Depth(proved, proved or inside, n, used + found.evaluations)


@jit
def _is_within(moving, seen, features, allowed, work):
    """Whether the distance is proved to be within the tolerance at a view, whose jets stand in `work`."""
    upper = min(upper_bound(moving, seen, work), features_bound(seen, features, work))
    return seen.value - allowed.rounding >= -allowed.tolerance and upper + allowed.rounding <= allowed.tolerance


@jit
def landed(moving, seen, features, allowed, end, touching, work):
    """The result at the last view before contact.

    Bodies that are `touching` are closer than the tolerance; otherwise there is hardly a later time before contact.
    """
    tolerance, t, used = allowed.tolerance, seen.time, 0
    way = course(moving, seen, features)
    gap, last, next_time = max(seen.value, 0.0), min(moving.until, end), t
    tried, before = seen.normal, t  # a direction along which the bodies may be apart, and its time
    for depth in DEPTHS:
        if not way.rate < 0.0:
            break
        next_time = np.nextafter(next_time, math.inf)
        later = min(max(t + (gap + depth * tolerance) / -way.rate, next_time), last)
        if not later > t:
            break
        n = carried_to(moving, tried, way.spin, before, later)
        proof = overlap(moving, view(moving, n, later, work.jets), features, allowed, work)
        used, tried, before = used + proof.evaluations + 1, proof.normal, later
        if proof.touch:
            time = min(max(t + gap / -way.rate, t), later)
            n = carried_to(moving, seen.normal, way.spin, t, time)
            there = view(moving, n, time, work.jets)
            used += 1
            if touching and not _is_within(moving, there, features, allowed, work):
                time = t
            status = _IMPACT if proof.overlap else _TOUCH
            return First(status, time, t, later, proof.normal, tolerance, used)
    if touching:
        return First(_TOUCH, t, t, t, seen.normal, tolerance, used)
    return First(_FAILED, t, t, math.inf, seen.normal, tolerance, used)
