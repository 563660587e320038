"""Slip and lift-off within a step of the integration, located by further, shorter steps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

LOOKS = 9  # instants per step at which the margins are looked at, with both ends
NEAR = 0.25  # of the change between looks: a smaller margin is searched for a short dip below zero
CORRECTIONS = 8  # most steps of the secant method


class Step(NamedTuple):
    """A step of the integration."""

    start: float
    end: float
    before: np.ndarray  #: state at the start
    path: Callable[[Any], np.ndarray]  #: states (S,) or (S, K) at times within the step


Margins = Callable[[np.ndarray], np.ndarray]
Again = Callable[[Step, float], np.ndarray]


class Event(NamedTuple):
    """The first failure of rolling in a step."""

    kind: int  #: column of the margins
    time: float
    state: np.ndarray


def first_event(step: Step, margins: Margins, again: Again) -> Event | None:
    """First instant of a step at which a margin becomes negative, or None.

    Parameters
    ----------
    step : Step
        The step.
    margins : callable
        Margins (K, M) of states (K, S), positive while the body rolls.
    again : callable
        ``again(step, time)`` is the state at a time within the step, integrated from its start.
    """
    times = np.linspace(step.start, step.end, LOOKS)

    def margin(time: float, kind: int) -> float:
        return float(margins(step.path(time)[None])[0, kind])

    seen = margins(step.path(times).T)
    found: list[tuple[float, int]] = []
    for kind in range(seen.shape[1]):
        bracket = _bracket(times, seen[:, kind], functools.partial(margin, kind=kind))
        if bracket is not None:
            low, high = bracket
            root = low if margin(low, kind) <= 0.0 else scipy.optimize.brentq(margin, low, high, (kind,), xtol=1e-300)
            found.append((root, kind))
    if not found:
        return None
    time, kind = min(found)
    return _corrected(step, time, kind, margins, again)


def _bracket(times: np.ndarray, values: np.ndarray, margin: Callable[[float], float]) -> tuple[float, float] | None:
    """An interval whose left end has a positive margin and whose right end a negative one: the first such, or None."""
    last = len(times) - 1
    for k in range(last + 1):
        if k > 0 and values[k] <= 0.0:
            return float(times[k - 1]), float(times[k])
        around = values[max(k - 1, 0)], values[min(k + 1, last)]
        # At a minimum it may become negative between two looks.
        if values[k] <= min(around) and values[k] < NEAR * (max(around) - values[k]):
            bounds = float(times[max(k - 1, 0)]), float(times[min(k + 1, last)])
            lowest = scipy.optimize.minimize_scalar(margin, bounds=bounds, method="bounded")
            if lowest.fun <= 0.0:
                return bounds[0], float(lowest.x)
    return None


def _corrected(step: Step, time: float, kind: int, margins: Margins, again: Again) -> Event:
    """The event by integration from the start of the step: the interpolant is less accurate than the steps."""
    start, end = step.start, step.end

    def at(instant: float) -> tuple[np.ndarray, float]:
        state = again(step, instant)
        return state, float(margins(state[None])[0, kind])

    state, value = at(time)
    # The slope over a fraction of the step, on the side that lies within it
    other = time + (1e-3 if time < 0.5 * (start + end) else -1e-3) * (end - start)
    if other == time:  # the step is as short as a rounding error
        return Event(kind, time, state)
    slope = (at(other)[1] - value) / (other - time)
    for _ in range(CORRECTIONS):
        if value == 0.0 or slope == 0.0:
            break
        new = min(max(time - value / slope, start), end)
        moved, rest = at(new)
        if not abs(rest) < abs(value):
            break
        if new != time:
            slope = (rest - value) / (new - time) or slope
        time, state, value = new, moved, rest
        if abs(value) <= 4.0 * np.finfo(float).eps * abs(slope) * max(abs(time), end - start):
            break
    return Event(kind, time, state)
