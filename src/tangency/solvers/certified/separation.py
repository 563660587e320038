"""Distance of two bodies that may be apart: one loop, four kinds of step, one pair of bounds.

Every evaluation gives a lower bound F(n) and adds w(n) to a simplex; the distance |v| of the simplex from the
origin is an upper bound, v its point nearest to the origin.  The next direction is one of

    NEWTON   a Newton step from the best n so far, bent along flat places: quadratic where both bodies are smooth
    PLANE    along v, the maximum of the cutting planes n.w (GJK): exact at corners, always converges
    KINK     the maximum of the smallest part of F, each known around its own n: for an edge against a smooth body
    MODEL    the maximum of the same planes, each with its own curvature K, with the weights of v

Newton steps are used as long as they contract, then kink steps, if they are possible; otherwise the three other kinds
alternate, with shorter Newton steps from a point that they did not improve.  After `PATIENCE` evaluations, 20 of every
40 are PLANE steps only, whose convergence is proved.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined, uncounted
from ...compiled.small_arrays import on_stack
from ...kernels.simplex import blend, nearest
from ...kernels.vectors import add, axpy, dot, norm, scale, sub, sym_solve, unit
from .edge_steps import settle
from .flat_steps import STIFF, is_settled, settle_beside
from .kink_steps import kink_step
from .pair import JETS, SHORTER, curvature, evaluate, moved, newton_step
from .places import all_radii, has_edge, has_no_curvature, is_flat, is_level, keeps_corners
from .simplex_rows import COLUMNS, CORNERS, CURVATURE, NORMAL, POINT, put, put_curvature

CONVERGED, INSIDE, EXHAUSTED, BEYOND, BROKEN, REFUSED = 0, 1, 2, 3, 4, 5
ROUGH = 6  # as CONVERGED, but the foot is less accurate than the distance
NEARLY = 7  # as CONVERGED, but normal and foot may be a little less accurate than elsewhere
PLANE, MODEL, NEWTON, KINK = 0, 1, 2, 3
PATIENCE = 80
STRAIGHT_EDGES = 1e-9  # sum of all radii of curvature, in sizes, below which plane steps are exact
KINKS = 30  # evaluations after which no more kink steps are made
BESIDE = 1e-7  # angle to the rows of the simplex below which a kink step is exact [rad]
CLOSER = 3  # maximum number of kink steps after the proof
STALE = 20  # evaluations without a shorter v after which a new simplex is started
HALTED = 4  # the same if v is already shorter than the tolerance; the bodies then overlap
UNCHECKED = 1e-12  # residual, in sizes, that may remain after a last Newton step that is not evaluated
STEADY = 1e-3  # relative change of the radii of curvature in a step, below which the next one does not bend
STRAIGHT = 1e-11  # angle by which a last step that is not evaluated may be bent [rad]
FINE = 1e-6  # tolerance, in sizes, below which normal and points are refined where a Newton step fails
JOINS = 10  # directions v that are tried after the proof to improve normal and point
TRIES = 3  # Newton steps from the same direction


class Work(NamedTuple):
    """Work arrays for one pair at a time."""

    jets: np.ndarray
    scratch: np.ndarray
    simplex: np.ndarray
    parts: np.ndarray  #: parts of F at a kink, one in each row


class Separation(NamedTuple):
    """Result of the loop for one pair."""

    end: int
    lower: float
    upper: float
    distance: float
    normal: Any
    foot: Any  #: contact point on the core of A
    evaluations: int
    corners: int  #: rows of the simplex in use; if the end is INSIDE, the origin is within `upper` of their hull


_jets, _simplex, _parts = on_stack(JETS), on_stack(CORNERS, COLUMNS), on_stack(CORNERS, COLUMNS + 1)


@inlined
def room_to_work():
    """Room on the stack of the function that calls this one."""
    return Work(_jets(), _jets(), _simplex(), _parts())


@uncounted
def model(m, count, v, mu):
    """Direction of the maximum of the planes n.w, each with its own curvature: (mu + weighted mean of K) n = v."""
    a, b = blend(m, count, CURVATURE), blend(m, count, CURVATURE + 3)
    mu = max(mu, 1e-13 * (a[0] + b[0] + b[2]))
    u = sym_solve((a[0] + mu, a[1], a[2], b[0] + mu, b[1], b[2] + mu), v)
    length = norm(u)
    return scale(u, 1.0 / length) if 0.0 < length < 1e300 else unit(blend(m, count, NORMAL))


@uncounted
def foot(x, v, n):
    """Contact point on A, from the points x of A and x + v of B; both share the part of v across n equally."""
    return axpy(x, 0.5, axpy(v, -dot(v, n), n))


@uncounted
def is_sure(before, after, size):
    """Whether the next Newton step needs no evaluation, if the last one reduced the residual from `before` to `after`.

    It leaves a residual of C after^2, and C is about after / before^2.
    """
    return after * after * after <= UNCHECKED * size * before * before


@uncounted
def is_straight(pair, n, d, radii, scratch):
    """Whether the step d from n hardly bends along flat places.

    `radii` are the sums of all radii of curvature before and after the step to n, which was longer.
    """
    before, after = radii
    if not pair.bends or abs(after - before) <= STEADY * after:
        return True
    return norm(sub(moved(pair, n, d, scratch), unit(add(n, d)))) <= STRAIGHT


@uncounted
def separate(pair, n, lengths, farthest, budget, work):
    """Bounds and contact of a pair, or the proof that it overlaps.

    The search starts at n; `lengths` are the `Scales` of the pair; it ends early if the distance exceeds `farthest`.
    """
    return separate_above(pair, n, lengths, -math.inf, farthest, budget, work)


@uncounted
def separate_above(pair, n, lengths, least, farthest, budget, work):
    """As `separate`, but ends with REFUSED if F is below `least` at the first evaluation."""
    size, rounding, tolerance = lengths
    jets, scratch, simplex, parts = work
    lower, upper = -1e300, 1e300
    best, step, residual = n, n, 1e300
    trial, shorter, tries = n, n, 0  # Newton steps from the best direction: the next one, the one after it, how many
    best_w, best_x, best_k, previous, stale = n, n, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1e300, 0
    polished, gain, best_f, polishing = n, 0.0, 0.0, 0
    last = 1e300  # residual of the previous best n
    radii = (0.0, 0.0)  # sum of all radii of curvature there, and at the best n
    near_x, near_v = n, n  # point of A and vector from there to B that give the upper bound
    joined, joined_x, joins = 1e300, n, 0  # length of the v whose direction is tried, and its point of A
    count, kind = 0, NEWTON
    used, sought = 0, False  # evaluations, and whether the maximum was sought at an edge
    flat, stiff = False, False  # whether a body is flat at the best n
    levelled = False  # whether steps beside it failed
    there, closer = n, 0  # the next kink step, and how many were made after the proof
    for k in range(budget):
        f, w, x = evaluate(pair, n, jets)
        used += 1
        g = norm(axpy(w, -dot(n, w), n))
        if not (abs(f) < 1e300 and g < 1e300):
            return Separation(BROKEN, lower, upper, 0.0, n, x, used, count)
        if k == 0 and f < least:
            return Separation(REFUSED, f, upper, f, n, x, 1, 0)
        gap = upper - lower
        better = f > lower or (f > lower - rounding and g < 0.5 * residual)
        contracts = g <= 0.5 * residual
        if not better and f > lower - rounding and not stiff:
            # At a flat place the points of two normals may be far apart, and the Newton step tells which one is better.
            better = norm(newton_step(pair, jets, n, max(f, 0.0), w).turn) <= 0.5 * norm(step)
            better = better and is_level(pair, jets, size) and not is_flat(jets, STIFF * size)
        lower = max(lower, f)
        bent = curvature(pair, n, jets)
        curved = bent[0] + bent[3] + bent[5] > STRAIGHT_EDGES * size
        put(simplex, count, w, n, x)
        put_curvature(simplex, count, bent)
        count, plane = nearest(simplex, count + 1)
        v = blend(simplex, count, 0)
        length = norm(v)
        if length <= upper:
            # Keep the shortest: with a needle-like simplex, rounding may make a later v longer.
            upper, near_x, near_v = length, blend(simplex, count, POINT), v
        if better:
            last, radii = residual, (radii[1], all_radii(jets))
            best, best_w, best_k, residual = n, w, bent, g
            step, gain, shift_a, _, shorter = newton_step(pair, jets, n, max(f, 0.0), w)
            level = is_level(pair, jets, size)
            flat, stiff = level and is_flat(jets, size), not level or is_flat(jets, STIFF * size)
            trial, tries = step, 0
            gain, best_x, polished, best_f = f + gain, x, add(x, shift_a), f
        if upper - lower <= tolerance:
            if joined - f <= tolerance:
                # The lower bound is that of the returned normal, the distance that of the best one.
                return Separation(NEARLY, f, upper, min(lower, upper), n, joined_x, used, count)
            joined = 1e300
            if residual <= rounding:
                return Separation(CONVERGED, lower, upper, best_f, best, best_x, used, count)
            # At an edge or corner a step may leave the normals of that place, where F has a kink: it is evaluated.
            edge = has_edge(pair, jets)
            uneven = edge and pair.bends  # the curvature of a bending body changes fast, and a corner has none
            short = better and residual <= 1e-6 * size and norm(step) < 1e-5
            if edge and short and keeps_corners(pair, best, step, jets, size, scratch):
                edge = False
            sure = better and (polishing > 0 or is_sure(last, residual, size)) and not edge
            if is_settled(step, best_f, size) and not stiff:
                distance = min(max(gain, lower), upper)
                return Separation(CONVERGED, best_f, upper, distance, best, polished, used, count)
            if flat and not levelled:
                settled, place = settle_beside(pair, best, lengths, work)
                used, levelled = used + place.evaluations, True
                if settled and place.value >= lower - rounding:
                    distance = min(max(lower, place.value), max(upper, place.value))
                    return Separation(CONVERGED, place.value, upper, distance, place.normal, place.foot, used, count)
                evaluate(pair, n, jets)
                used += 1
            if short and sure and is_straight(pair, best, step, radii, scratch):
                # The last Newton step needs no evaluation and makes points and normal fully accurate.
                distance, end = min(max(gain, lower), upper), NEARLY if uneven else CONVERGED
                return Separation(end, lower, upper, distance, unit(add(best, step)), polished, used, count)
            kink = edge or (tolerance <= FINE * size and (polishing > 0 or tries > 0))
            if kink and not sought and not has_no_curvature(jets, size):
                near, far = False, 0.0
                if curved and count > 1:
                    near, there, far = kink_step(simplex, count, best, best_f, parts)
                if near and far > BESIDE and closer < CLOSER and k + 1 < budget:
                    n, closer = there, closer + 1
                    continue
                if near or not better:
                    n, used = there if near else best, used + 1
                    f, w, x = evaluate(pair, n, jets)
                settled, place = settle(pair, n, (f, w, x), lengths, work)
                used, sought = used + place.evaluations, True
                if settled and place.value >= lower - rounding:
                    distance = min(max(lower, place.value), max(upper, place.value))
                    end = CONVERGED if place.exact else NEARLY
                    return Separation(end, place.value, upper, distance, place.normal, place.foot, used, count)
            # Proved; a few more steps may make points and normal as accurate as the distance.
            polishing += 1
            if polishing > 3 or tries > 0 or k + 1 == budget:
                aside = norm(axpy(near_v, -dot(near_v, best), best))
                rough = aside > max(tolerance, rounding)
                if not rough or joins == JOINS or k + 1 == budget:
                    end, x = ROUGH if rough else NEARLY, foot(near_x, near_v, best)
                    return Separation(end, lower, upper, min(lower, upper), best, x, used, count)
                # At an edge or a flat place, v joins two contact points: its direction is better if F is large there.
                joins += 1
                n, joined, joined_x = unit(near_v), upper, near_x
                continue
            kind = NEWTON
            n = moved(pair, best, step, scratch)
            trial, shorter, tries = shorter, scale(shorter, SHORTER), tries + 1
            continue
        if count == 4 or length <= rounding:
            return Separation(INSIDE, lower, 0.0, lower, best, x, used, count)
        # A needle-like simplex may have an inaccurate direction: start a new one at the best point.
        stale = stale + 1 if length > (1.0 - 1e-7) * previous else 0
        previous = length
        if stale >= HALTED and length <= tolerance and lower < -tolerance:
            # A needle-like simplex that cannot be made to contain the origin.
            return Separation(INSIDE, lower, length, lower, best, x, used, count)
        if stale >= STALE:
            stale, previous = 0, 1e300
            put(simplex, 0, best_w, best, best_x)
            put_curvature(simplex, 0, best_k)
            count, plane = nearest(simplex, 1)
            v, length = best_w, norm(best_w)
        if lower > farthest:
            return Separation(BEYOND, lower, upper, lower, best, foot(near_x, near_v, best), used, count)
        if not (kind == NEWTON and better and (f > 0.0 or k == 0) and (contracts or upper - lower < 0.5 * gap)):
            kinked = False
            if curved and count > 1 and k < KINKS and (kind != KINK or upper - lower < 0.5 * gap):
                kinked, there, _ = kink_step(simplex, count, best, max(lower, 0.0), parts)
            kind = KINK if kinked else (PLANE if kind == KINK else (kind + 1) % 3)
            if (k >= PATIENCE and k % 40 < 20) or (kind == NEWTON and tries == TRIES):
                kind = PLANE
        if kind == NEWTON:
            n = moved(pair, best, trial, scratch)
            trial, shorter, tries = shorter, scale(shorter, SHORTER), tries + 1
        elif kind == KINK:
            n = there
        elif kind == PLANE:
            n = unit(plane) if norm(plane) > 0.0 else scale(v, 1.0 / length)
        else:
            n = model(simplex, count, v, max(lower, 0.1 * length))
    return Separation(EXHAUSTED, lower, upper, lower, best, foot(near_x, near_v, best), used, count)
