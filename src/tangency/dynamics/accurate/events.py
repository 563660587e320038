"""The instant at which a pair of shapes starts or stops touching, on the interpolant of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

from .kernel import GAP, GAP_RATE


class Event(NamedTuple):
    """A pair starts or stops touching."""

    time: float
    pair: int
    state: np.ndarray


def first_event(
    solver: Any,
    distances: Callable[[float, np.ndarray, np.ndarray], np.ndarray],
    before: np.ndarray,
    after: np.ndarray,
    apart: np.ndarray,
) -> Event | None:
    """First event in the last step of `solver`, or None.

    `distances(time, state, pairs)` gives the distances and their rates, `before` and `after` those of all pairs at
    the ends of the step; pairs that are `apart` may start touching, the others may stop.
    """
    enter = apart & (after[:, GAP] <= 0.0)
    leave = ~apart & (after[:, GAP] > 0.0)
    # In and out again within one step: first approaching, then receding.  No pair can move farther in one step
    # than its distance, or a small fraction of its size; see `step_control`.
    dip = apart & ~enter & (before[:, GAP_RATE] < 0.0) & (after[:, GAP_RATE] > 0.0)
    dip &= before[:, GAP] < -2.0 * before[:, GAP_RATE] * (solver.t - solver.t_old)
    if not (enter | leave | dip).any():
        return None
    dense = solver.dense_output()
    found = []
    for k in np.flatnonzero(enter | leave | dip):
        only = np.array([k])

        def gap(time: float, column: int = GAP, only: np.ndarray = only) -> float:
            return float(distances(time, dense(time), only)[0, column])

        low, high = solver.t_old, solver.t
        if dip[k]:
            low_rate, high_rate = gap(low, GAP_RATE), gap(high, GAP_RATE)
            if not low_rate < 0.0 < high_rate:
                continue
            high = scipy.optimize.brentq(gap, low, high, args=(GAP_RATE,))
            if gap(high) > 0.0:
                continue
        sign = -1.0 if apart[k] else 1.0  # of the distance after the event
        found.append((_crossing(gap, low, high, sign), int(k)))
    if not found:
        return None
    time, pair = min(found)
    return Event(time, pair, dense(time))


def _crossing(gap: Callable[[float], float], low: float, high: float, sign: float) -> float:
    """Time at which the distance changes to `sign`, or slightly later, never before."""
    if sign * gap(low) >= 0.0:
        time = low  # at the very start, up to rounding
    elif sign * gap(high) <= 0.0:
        return high
    else:
        time = _root(gap, low, high, sign)
    step = 1e-15 * max(abs(high), high - low)
    while time < high and not sign * gap(time) > 0.0:
        time, step = min(time + step, high), 2.0 * step
    return time


def _root(gap: Callable[[float], float], low: float, high: float, sign: float) -> float:
    """Root between a time before the event and one after it."""
    try:
        return scipy.optimize.brentq(gap, low, high, xtol=4e-16 * max(abs(high), high - low), rtol=1e-15)
    except ValueError:
        # In deep overlap the depth may jump between common normals: bisect, without using the values at the ends.
        while high - low > 1e-15 * max(abs(high), high - low):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            low, high = (low, middle) if sign * gap(middle) > 0.0 else (middle, high)
        return high
