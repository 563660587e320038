"""First contacts of bodies whose motions are functions of time with bounds on their speed.

Conservative advancement (Mirtich 1996): at each time the proved distance, divided by a bound on the speed of approach,
is a proved stretch of free time.  All pairs that are still under way make each step together.
"""

from __future__ import annotations

import math

import numpy as np

from ..shapes.bounds import half_diagonals
from ..shapes.half_space import HalfSpace
from ..solvers.question import chosen
from ..solvers.tables import Columns
from .impact_search import Found, Search, classify, contacts_at, times_of
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
            sizes[pairs] += half_diagonals(moving.side.shape.bounds[chosen(moving.side.pick, pairs)])
    found.time[pairs] = found.lower[pairs] = begin[pairs]
    found.upper[pairs], found.status[pairs] = math.inf, ImpactStatus.NOT_CONVERGED
    there = contacts_at(search, pairs, begin[pairs], total)
    found.tolerance[pairs] = np.maximum(search.tol * sizes, ROUNDINGS * _width(there))[pairs]
    found.evaluations[pairs] = 0
    near = there.lower[pairs] <= found.tolerance[pairs]
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
    """Width of the bounds on distances that are not negative: their rounding errors and tolerance."""
    width = there.upper - there.lower
    return np.where(np.isfinite(width) & (there.distance >= 0.0), width, 0.0)


def _step(search: Search, pairs: np.ndarray, now: np.ndarray, last: np.ndarray, clearance: np.ndarray) -> np.ndarray:
    """Proved free time after `now`; infinite where nothing moves."""
    with np.errstate(divide="ignore"):
        step = clearance / _approach(search, pairs, now, last)
        ahead = np.minimum(LOOK_AHEAD * step, last - now)
        again = clearance / _approach(search, pairs, now, now + ahead)
    return np.maximum(step, np.minimum(again, ahead)) * SLIGHTLY


def _approach(search: Search, pairs: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Bound on the speed of approach."""
    total = np.zeros(len(pairs))
    for moving in (search.a, search.b):
        speed, spin = moving.speeds(pairs, begin, end)
        if issubclass(moving.side.kind, HalfSpace):
            total += speed
            continue
        bounds = moving.side.shape.bounds[chosen(moving.side.pick, pairs)]
        reach = np.linalg.norm(np.abs(bounds[:, :3]) + np.abs(bounds[:, 3:6]), axis=1)
        total += speed + spin * reach
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
        found.time[done] = np.minimum(now + gap[left] / rate[left], later)[proved]
        left = left[~proved]
