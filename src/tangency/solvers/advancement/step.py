"""One step of the advancement: how far a fixed direction proves that two moving bodies stay apart.

Over the time T from a view along n with F = F0 to another one along the same n with F = F1,

    F(n, t) >= (1 - s) F0 + s F1 - s (1 - s) / 2 M,    s = t / T,

by bound (2) of ``turning.py`` for the rotation of both bodies and of their reference points; M is of second order in T.
A body that turns fast or far away from the other one is replaced by its swept cylinder, bound (3): then F0 and F1 are
smaller, and T may be any number of turns.  The same holds, with another M, for a direction that turns (``carried.py``);
it is used where that allows a longer step.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import jit
from ...kernels.vectors import dot, norm, scale, sub
from .carried import carried_growth
from .moving_pair import between_axes, between_boxes, plane_normal, rate_of, size_of, stances_at
from .turning import WIDEST, bulge, excess, growth, positive_part, swept_support

SPENT = 0.3  # part of F that the swept cylinder of a body may cost
LANDINGS = (1e-3, 0.1)  # part of F that a step towards contact leaves: F in sizes, within these limits
SHORTER = 0.7
WIDEST_CARRIED = 1.0  # largest angle by which a direction turns in a step [rad]
SLIGHTLY = 1.0 - 1e-9  # factor of a proved time, for rounding
MARGIN = 1.1  # for the growth of M with the support at the end of the step


@jit
def not_after(t, time):
    """The time t + `time`, rounded down."""
    later = t + time
    return np.nextafter(later, -math.inf) if later - t > time else later


class Reach(NamedTuple):
    """How far a step may go."""

    time: float
    swept_a: bool  #: whether A is replaced by its swept cylinder
    swept_b: bool
    carried: bool  #: whether the direction turns
    spin: Any  #: its angular velocity


@jit
def _is_swept(mover, stance, part, allowed):
    """Whether a body is replaced by its swept cylinder, and what that costs."""
    if mover.turning.rate == 0.0:
        return False, 0.0
    cost = excess(mover.turning, mover.bounds, mover.segment, stance, part.direction, part.support)
    return cost <= allowed, cost


@jit
def _model(mover, stance, part, swept):
    """Rate and second derivative of F by the motion of one body, its bulge per time squared, and the longest step."""
    spin = mover.turning
    if swept:
        # The circling of the reference point is in the cylinder.
        return dot(part.direction, sub(stance.velocity, spin.drift)), 0.0, 0.0, 1e300
    if spin.rate == 0.0:
        return 0.0, 0.0, 0.0, 1e300
    bulging = growth(spin, mover.segment, part.direction, part.support)
    bend = max(part.bend, -4.0 * bulging) if part.bend > -1e300 else -4.0 * bulging
    return part.slope, bend, bulging, 0.9 * WIDEST / spin.rate


@jit
def _room(moving, start, target):
    """By how much F may fall in a step from `start`."""
    part = min(max(start / size_of(moving), LANDINGS[0]), LANDINGS[1])
    return start - max(min(target, 0.5 * start), part * start)


@jit
def _fall(room, slope, bend):
    """Time in which slope t + bend t^2 / 2 falls by `room`."""
    square = slope * slope - 2.0 * bend * room
    if square >= 0.0 and (slope < 0.0 or bend < 0.0):
        root = math.sqrt(square) - slope
        if root > 0.0:
            return 2.0 * room / root
    return 1e300


@jit
def _provable(time, start, slope, bend, bulging):
    """The longest time up to `time` for which a quadratic F is positive less its bulge per time squared."""
    for _ in range(60):
        end = start + time * (slope + 0.5 * time * bend)
        if positive_part(start, end, bulging * time * time) >= 1.0:
            break
        time *= SHORTER
    return time


@jit
def _fixed_reach(moving, seen, clearance, target, limit, kink):
    """As `reach`, for a fixed direction; `kink` is added to the rate of F."""
    allowed = SPENT * clearance
    swept_a, cost_a = _is_swept(moving.a, seen.stances[0], seen.a, allowed)
    swept_b, cost_b = _is_swept(moving.b, seen.stances[1], seen.b, allowed)
    slope_a, bend_a, growth_a, widest_a = _model(moving.a, seen.stances[0], seen.a, swept_a)
    slope_b, bend_b, growth_b, widest_b = _model(moving.b, seen.stances[1], seen.b, swept_b)
    start = clearance - (cost_a if swept_a else 0.0) - (cost_b if swept_b else 0.0)
    slope, bend = seen.slope + slope_a + slope_b, bend_a + bend_b
    if not (swept_a or swept_b):
        bend += seen.bend
        slope += kink
    time = min(limit, min(widest_a, widest_b))
    time = min(time, _fall(_room(moving, start, target), slope, bend))
    time = _provable(time, start, slope, bend, MARGIN * (growth_a + growth_b))
    return Reach(time, swept_a, swept_b, False, (0.0, 0.0, 0.0))


@jit
def reach(moving, seen, clearance, target, limit, way):
    """The longest step from a view that is likely to be proved; `clearance` is F less its rounding errors.

    Towards contact it ends where F is about `target`.  The direction turns as its `Course` says if that is better.
    """
    rate = norm(way.spin)
    if not rate > 0.0:
        return _fixed_reach(moving, seen, clearance, target, limit, way.fixed - rate_of(seen))
    time = min(limit, WIDEST_CARRIED / rate)
    time = min(time, _fall(_room(moving, clearance, target), way.rate, 0.0))
    time = _provable(time, clearance, way.rate, 0.0, carried_growth(moving, seen, way.spin, time))
    if not moving.is_plane:
        fixed = _fixed_reach(moving, seen, clearance, target, limit, way.fixed - rate_of(seen))
        if fixed.time >= time:
            return fixed
    return Reach(time, False, False, True, way.spin)


class Loss(NamedTuple):
    """What the rotation of a body costs in a step."""

    first: float  #: of F at its beginning
    last: float  #: of F at its end
    bulge: float  #: in between


@jit
def _cost(mover, stance, part):
    return excess(mover.turning, mover.bounds, mover.segment, stance, part.direction, part.support)


@jit
def _loss(mover, swept, stances, first, last, time):
    """The `Loss` by one body, whose parts of both views are given."""
    if swept:
        return Loss(_cost(mover, stances[0], first), _cost(mover, stances[1], last), 0.0)
    return Loss(0.0, 0.0, bulge(mover.turning, mover.segment, first.direction, first.support, last.support, time))


@jit
def proved_part(moving, before, after, rounding, how):
    """Part of the step between two views along its direction for which the bodies are proved to be apart."""
    time = after.time - before.time
    f0, f1, bulging = before.value - rounding, after.value - rounding, 0.0
    if how.carried:
        bulging = carried_growth(moving, before, how.spin, time) * time * time
    else:
        a0, b0 = before.stances
        a1, b1 = after.stances
        by_a = _loss(moving.a, how.swept_a, (a0, a1), before.a, after.a, time)
        by_b = _loss(moving.b, how.swept_b, (b0, b1), before.b, after.b, time)
        f0, f1, bulging = f0 - by_a.first - by_b.first, f1 - by_a.last - by_b.last, by_a.bulge + by_b.bulge
    if not (f0 > 0.0 and abs(f1) < 1e300 and abs(bulging) < 1e300):
        return 0.0
    part = positive_part(f0, f1, bulging)
    return part if f1 > 0.0 or part < 1.0 else 1.0 - 1e-9


class Flight(NamedTuple):
    """What the swept cylinders prove without any evaluation."""

    apart: bool
    time: float  #: until which they are apart
    clearance: float  #: between them now
    normal: Any


@jit
def flight(moving, t, margin):
    """How long the swept cylinders of both bodies stay farther apart than `margin` along the line between them."""
    stances = stances_at(moving, t)
    if moving.is_plane:
        n, ahead = plane_normal(moving, t), moving.plane[1]
        if moving.a.turning.rate > 0.0:
            return Flight(False, t, 0.0, n)
    else:
        n = between_boxes(moving, stances)
        length = norm(n)
        if not length > 0.0:
            return Flight(False, t, 0.0, (0.0, 0.0, 1.0))
        n = scale(n, 1.0 / length)
        ahead = swept_support(moving.a.turning, moving.a.bounds, stances[0], n) + moving.a.bounds.core
    away = scale(n, -1.0)
    behind = swept_support(moving.b.turning, moving.b.bounds, stances[1], away) + moving.b.bounds.core
    clearance = dot(n, between_axes(moving, stances)) - ahead - behind - margin
    rate = dot(n, sub(moving.b.turning.drift, moving.a.turning.drift))
    if not clearance > 0.0:
        return Flight(False, t, clearance, n)
    if rate >= 0.0:
        return Flight(True, moving.until, clearance, n)
    return Flight(True, min(moving.until, not_after(t, clearance / -rate * SLIGHTLY)), clearance, n)
