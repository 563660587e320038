"""A good direction for two moving bodies at one time, and what it says about their distance.

The next step keeps the direction n, so the best one is not that of the distance now but that of a later time t':
F(n, t) is a tangent of the distance d(t) from below, and one that touches d later stays positive for longer.  The
direction of the distance moves by (K + F)^-1 times the rate of w, and F is lower now by a term of second order in
t' - t.  That time is chosen such that F keeps a part of the distance, and no later than the contact that a quadratic
model predicts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...compiled.jit import jit
from ...kernels.vectors import axpy, mat_mul, norm, scale
from ..certified.pair import Placed, core_of, first_normal, moved, newton_step
from ..certified.places import corners_of, has_edge, has_no_curvature
from ..certified.separation import CONVERGED, NEARLY, ROUGH, separate
from ..certified.shallow_overlap import bound_by_balls, inner_radius
from ..tolerances import Scales
from .features import Features, copied, found_features, room_for_features, spread
from .following import CORNERS_OF_A, CORNERS_OF_B, PAIRS, followed
from .moving_pair import View, bend_of, pair_at, plane_normal, rate_of, size_of, stances_at, view_of, w_rate
from .turning import growth

GOOD = 0.3  # part of F that a further Newton step may promise
TRIES = 5  # evaluations of Newton's method before the robust search
BESIDE_CORNERS = 2  # the same if one of the bodies has corners
SHORTER = 0.3  # factor of a step that did not help
LEAD = 0.6  # part of the distance that a direction for a later time may cost
WITHIN = 0.5  # of the distance: how much F may bulge by rotation until the later time
KEPT = 0.15  # part of the distance that it must keep
WIDEST = 0.5  # largest change of the direction towards a later time [rad]
NEAR = 8.0  # distance, in tolerances, from which on the direction is that of the distance now
BUDGET = 400  # evaluations of the robust search
FOLLOWING = (12, 30, 5)  # evaluations in search of the features of two corners, of others, and of a curved body's point
NARROW = 0.1  # of the size: points of a curved body as near to each other as this may be one that moves
PART = 0.2  # of the distance: width of its bounds, if the direction is not that of a contact


class Better(NamedTuple):
    """A view with a better direction; its jets stand in the working memory."""

    seen: View
    upper: float  #: bound on the distance, if one was found
    features: Features
    evaluations: int


@jit
def start_direction(moving, t):
    """A first direction at time t, in the world."""
    if moving.is_plane:
        return plane_normal(moving, t)
    stances = stances_at(moving, t)
    placed = Placed(pair_at(moving, stances), moving.a.bounds, moving.b.bounds, stances[0].turn, (0.0, 0.0, 0.0))
    return mat_mul(stances[0].turn, first_normal(placed))


@jit
def along(moving, seen, local, work):
    """The same pair along another direction, given in the frame of A: one evaluation."""
    n = mat_mul(seen.stances[0].turn, local)
    return view_of(moving, seen.stances, seen.pair, n, seen.time, work.jets)


@jit
def upper_bound(moving, seen, work):
    """Upper bound on the distance, from a view whose jets stand in `work`."""
    if moving.is_plane:
        return seen.value
    core = core_of(seen.pair)
    rho = inner_radius(seen.pair, seen.local, work.jets, work.scratch)
    return min(norm(seen.w), bound_by_balls(seen.value + core, seen.w, seen.local, rho)) - core


@jit
def _lead(moving, seen, hope, loss, turn):
    """Time by which the direction should be ahead; `hope` is the distance, `loss` what a unit of time squared costs."""
    rate, bend = rate_of(seen), bend_of(seen) + 2.0 * loss
    square = rate * rate - 2.0 * bend * hope
    if not square < math.inf or not loss < 1e300:
        return 0.0
    contact = 1e300
    if square < 0.0:
        contact = -rate / bend  # the closest approach
    elif rate < 0.0 or bend < 0.0:
        contact = 2.0 * hope / (math.sqrt(square) - rate)
    bulging = growth(moving.a.turning, moving.a.segment, seen.a.direction, seen.a.support)
    bulging += growth(moving.b.turning, moving.b.segment, seen.b.direction, seen.b.support)
    allowed = min(
        WIDEST / max(turn, 1e-300), math.sqrt(hope * min(LEAD / max(loss, 1e-300), WITHIN / max(bulging, 1e-300)))
    )
    return max(min(contact, allowed), 0.0)


@jit
def _newton(moving, seen, allowed, tries, work):
    """By Newton's method: (a better direction for the next step or the same, whether it is good, evaluations)."""
    used, core, length = 0, core_of(seen.pair), 0.0
    d, ahead, least = seen.local, seen.local, 0.0
    while seen.value > 0.0 and used < tries:
        if length == 0.0:
            d, gain, _, _, _ = newton_step(seen.pair, work.jets, seen.local, seen.value + core, seen.w)
            hope, cost, least = seen.value + gain, 0.0, math.inf
            if used == 0 and hope > NEAR * allowed.tolerance:
                turn, loss, _, _, _ = newton_step(seen.pair, work.jets, seen.local, hope + core, w_rate(seen))
                time = _lead(moving, seen, hope, loss, norm(turn))
                if time > 0.0:
                    cost, ahead, least = loss * time * time, axpy(d, time, turn), KEPT * hope
            if max(gain, cost) <= GOOD * max(seen.value, 0.25 * allowed.tolerance):
                return seen, True, used
            length = 1.0
        step = ahead if least < math.inf else scale(d, length)
        trial = along(moving, seen, moved(seen.pair, seen.local, step, work.scratch), work)
        used += 1
        if trial.value >= max(least, seen.value):
            return trial, True, used
        if least < math.inf:
            least = math.inf
        else:
            length *= SHORTER
        if trial.value > seen.value:
            seen, length = trial, 0.0
    return seen, False, used


@jit
def improved(moving, seen, features, allowed, strict, work):
    """A good direction for the next step, from a view whose jets stand in `work`.

    If `strict`, it is that of the distance now, whose bounds come as close as a quarter of the tolerance.
    """
    used, core = 0, core_of(seen.pair)
    if moving.is_plane:
        return Better(seen, seen.value, features, used)
    aim, part = max(0.25 * allowed.tolerance, 0.25 * allowed.rounding), 0.0 if strict else PART
    size, none = size_of(moving), Features(features.points, 0)
    corner_a, corner_b = corners_of(seen.pair, work.jets, size)
    corners, mixed, kept = has_no_curvature(work.jets, size), corner_a != corner_b, features.number > 1
    if not (strict or corners or kept):
        seen, good, used = _newton(moving, seen, allowed, BESIDE_CORNERS if mixed else TRIES, work)
        if good:
            return Better(seen, math.inf, none, used)
        if mixed and abs(seen.value) < 1e300:
            seen, used = along(moving, seen, seen.local, work), used + 1
            corner_a, corner_b = corners_of(seen.pair, work.jets, size)
            mixed = corner_a != corner_b
    if mixed and spread(features, not corner_b) <= NARROW * size:
        use, tried = CORNERS_OF_B if corner_b else CORNERS_OF_A, copied(features, room_for_features())
        found = followed(moving, seen, tried, use, (aim, part), FOLLOWING[2], work)
        seen, used = found.seen, used + found.evaluations
        if found.found:
            return Better(seen, found.upper, copied(found.features, features.points), used)
    if corners or mixed or kept:
        found = followed(moving, seen, features, PAIRS, (aim, part), FOLLOWING[0] if corners else FOLLOWING[1], work)
        seen, used = found.seen, used + found.evaluations
        if found.found:
            return Better(seen, found.upper, found.features, used)
    lengths = Scales(size, allowed.rounding, max(aim, part * seen.value))
    robust = separate(seen.pair, seen.local, lengths, 1e300, BUDGET, work)
    used += robust.evaluations + 1
    after = none
    if robust.end in (CONVERGED, NEARLY, ROUGH):
        after = found_features(features.points, seen.pair, work.simplex, robust.corners)
    best = along(moving, seen, robust.normal, work)
    if not best.value >= seen.value and abs(seen.value) < 1e300:
        best, used = along(moving, seen, seen.local, work), used + 1
    if not has_edge(best.pair, work.jets):
        after = none
    return Better(best, robust.upper - core, after, used)
