"""First contacts of bodies in cavities, and of bodies whose motions are functions of time with bounds on their speed.

Conservative advancement (Mirtich 1996): at each time the proved distance, divided by a bound on the speed of approach,
is a proved stretch of free time.  All pairs that are still under way make each step together.

The distance from a body A changes no faster than the points of B move, as seen from A.  For a half-space or a cavity A,
which may be infinite, the speed of approach is bounded by these points alone: with r between the reference points, rho
the reach of B, and speeds v and angular speeds o of both, it is at most v_A + v_B + o_A (|r| + rho) + o_B rho.
"""

from __future__ import annotations

import math

import numpy as np

from ..shapes.bounds import box_of, half_diagonals
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..solvers.question import chosen
from ..solvers.tables import Columns
from .impact_search import Found, Moving, Search, classify, contacts_at, times_of
from .impact_status import ImpactStatus
from .status import Status

ROUNDINGS = 4.0  # least tolerance, in widths of the bounds on a distance
DEPTHS = (0.5, 0.9)  # overlaps that are tried as upper bounds, in tolerances
SLIGHTLY = 1.0 - 1e-9
LOOK_AHEAD = 4.0  # length of time, in steps, for which speeds are asked again


def find_stepwise(search: Search, found: Found) -> None:
    """Write the first contacts of all pairs of a search."""
    pairs, total = search.pairs, len(found.time)
    begin, last = np.zeros(total), np.zeros(total)
    begin[pairs], last[pairs] = times_of(search.begin, pairs), times_of(search.end, pairs)
    sizes, rate = np.zeros(total), np.full(total, 0.0)
    for moving in (search.a, search.b):
        if not issubclass(moving.side.kind, HalfSpace):
            sizes[pairs] += half_diagonals(_bounds(moving, pairs))
    found.time[pairs] = found.lower[pairs] = begin[pairs]
    found.upper[pairs], found.status[pairs] = math.inf, ImpactStatus.NOT_CONVERGED
    there = contacts_at(search, pairs, begin[pairs], total)
    found.tolerance[pairs] = np.maximum(search.tol * sizes, ROUNDINGS * _width(there))[pairs]
    found.evaluations[pairs] = 0
    near = (there.upper[pairs] <= found.tolerance[pairs]) | ~(there.lower[pairs] > 0.0)
    classify(there, pairs[near], begin[pairs[near]], found)
    active = pairs[~near]
    found.evaluations[active] += there.evaluations[active]
    while len(active):
        found.normal[active] = there.normal[active]
        step = _step(search, active, found.lower[active], last[active], there.lower[active])
        later = found.lower[active] + step
        later = np.where(later - found.lower[active] > step, np.nextafter(later, -math.inf), later)  # rounded down
        later = np.minimum(later, last[active])
        stuck = ~(later > found.lower[active]) & (later < last[active])
        free = later >= last[active]
        before = there.distance[active]
        passed = later - found.lower[active]
        found.lower[active] = np.where(stuck, found.lower[active], later)
        found.status[active[free]] = ImpactStatus.FREE
        found.time[active[free]] = math.inf
        found.time[active[~free]] = found.lower[active[~free]]
        on = ~(free | stuck)
        active, before, passed = active[on], before[on], passed[on]
        if not len(active):
            break
        there = contacts_at(search, active, found.lower[active], total)
        found.evaluations[active] += there.evaluations[active]
        rate[active] = (before - there.distance[active]) / passed
        wrong = there.status[active] == Status.NOT_A_NUMBER
        found.status[active[wrong]] = ImpactStatus.NOT_A_NUMBER
        touching = (there.upper[active] <= found.tolerance[active]) & ~wrong
        _finish(search, active[touching], rate, there, last, found)
        lost = ~(there.lower[active] > 0.0) & ~touching
        spent = found.evaluations[active] >= search.budget
        active = active[~(touching | wrong | lost | spent)]


def _width(there: Columns) -> np.ndarray:
    """Width of the bounds on distances that are proved and not negative: their rounding errors and tolerance."""
    width = there.upper - there.lower
    return np.where(np.isfinite(width) & (there.distance >= 0.0) & (there.status == Status.APART), width, 0.0)


def _step(search: Search, pairs: np.ndarray, now: np.ndarray, last: np.ndarray, clearance: np.ndarray) -> np.ndarray:
    """Proved free time after `now`; infinite where nothing moves."""
    with np.errstate(divide="ignore"):
        step = clearance / _approach(search, pairs, now, last)
        ahead = np.minimum(LOOK_AHEAD * step, last - now)
        again = clearance / _approach(search, pairs, now, now + ahead)
    return np.maximum(step, np.minimum(again, ahead)) * SLIGHTLY


def _bounds(moving: Moving, pairs: np.ndarray) -> np.ndarray:
    """Bounds of the bodies of some pairs; of cavities, those of their hollows."""
    shape = moving.side.shape
    table = shape.hollow.bounds if isinstance(shape, Cavity) else shape.bounds
    return table[chosen(moving.side.pick, pairs)]


def _approach(search: Search, pairs: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Bound on the speed of approach."""
    sides = search.a, search.b
    (speed_a, spin_a), (speed_b, spin_b) = (moving.speeds(pairs, begin, end) for moving in sides)
    speed = total = speed_a + speed_b
    walls = [issubclass(moving.side.kind, HalfSpace | Cavity) for moving in sides]
    for moving, other, is_wall, spin in zip(sides, sides[::-1], walls, (spin_a, spin_b)):
        if is_wall:
            apart = other.placed(pairs, begin).translation - moving.placed(pairs, begin).translation
            total = total + spin * (np.linalg.norm(apart, axis=-1) + speed * (end - begin))
        else:
            half, centre = box_of(_bounds(moving, pairs))
            reach = np.linalg.norm(np.abs(half) + np.abs(centre), axis=-1)
            total = total + (spin_a + spin_b if any(walls) else spin) * reach
    return total * (1.0 + 1e-12)


def _finish(
    search: Search, pairs: np.ndarray, rate: np.ndarray, there: Columns, last: np.ndarray, found: Found
) -> None:
    """Results of pairs closer than the tolerance: an overlap shortly after is tried as the upper bound."""
    found.status[pairs] = ImpactStatus.TOUCH
    found.time[pairs] = found.upper[pairs] = found.lower[pairs]
    found.normal[pairs] = there.normal[pairs]
    gap = np.maximum(there.distance, 0.0)
    left = pairs[rate[pairs] > 0.0]
    for depth in DEPTHS:
        if not len(left):
            return
        now, tolerance = found.lower[left], found.tolerance[left]
        later = now + (gap[left] + depth * tolerance) / rate[left]
        later = np.minimum(np.maximum(later, np.nextafter(now, math.inf)), last[left])
        deeper = contacts_at(search, left, later, len(found.time))
        found.evaluations[left] += deeper.evaluations[left]
        proved = deeper.upper[left] < 0.0
        done = left[proved]
        found.status[done], found.upper[done] = ImpactStatus.IMPACT, later[proved]
        _choose_time(search, done, np.minimum(now + gap[left] / rate[left], later)[proved], found)
        left = left[~proved]


def _choose_time(search: Search, pairs: np.ndarray, times: np.ndarray, found: Found) -> None:
    """Write the times of contact of some pairs where the distance is proved to be within the tolerance."""
    if not len(pairs):
        return
    there = contacts_at(search, pairs, times, len(found.time))
    found.evaluations[pairs] += there.evaluations[pairs]
    tolerance = found.tolerance[pairs]
    within = (there.lower[pairs] >= -tolerance) & (there.upper[pairs] <= tolerance)
    found.time[pairs] = np.where(within, times, found.lower[pairs])
