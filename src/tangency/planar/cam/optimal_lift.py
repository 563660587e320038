"""Motions of a follower with the least contact force or the highest jump speed.

While a rigid follower keeps its contact, the cam presses with m speed^2 g'' + c (g + rest) (Römer 2-D, Eq. 106a).  The
acceleration g'' is taken as piecewise linear between even knots, so that g, and the force at every angle, are linear in
its values there: the least largest force is a linear programme, and the highest jump speed a sequence of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...io.numbers import count, not_negative, number, positive
from ..pitch.periodic import FULL, PeriodicFunction, Polynomials

HIGHEST = 1e6  # ratio of speeds searched for the jump speed


@dataclass(frozen=True)
class LiftTask:
    """What a follower shall do, and with what: it rises, dwells, falls, and dwells for the rest of the turn.

    Parameters
    ----------
    lift : float
        Height of the rise [m], or angle of a swinging follower [rad].
    rise, dwell, fall : float
        Angles of the cam [rad]; `dwell` is the one at the top.
    start : float
        Coordinate of the follower before the rise: radius of the base circle, plus that of a roller [m].
    mass, spring, rest : float
        As in :class:`CamTappet`: the spring presses with spring (g + rest).
    largest_acceleration : float, optional
        Upper bound of g'' [m/rad^2].
    largest_jerk : float, optional
        Upper bound of |g'''| [m/rad^3].
    knots : int
        Number of intervals of rise and of fall.

    Examples
    --------
    >>> from tangency import planar
    >>> task = planar.LiftTask(lift=0.008, rise=1.2, dwell=0.3, fall=1.2, start=0.03, mass=0.05, spring=4000.0)
    >>> best = planar.least_force(task, speed=150.0)
    >>> best.lowest_force > -1e-9, round(best.largest_force)
    (True, 152)
    """

    lift: float
    rise: float
    dwell: float
    fall: float
    start: float
    mass: float
    spring: float
    rest: float = 0.0
    largest_acceleration: float | None = None
    largest_jerk: float | None = None
    knots: int = 60

    def __post_init__(self) -> None:
        for name in ("lift", "rise", "fall", "start", "mass", "spring"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        object.__setattr__(self, "dwell", not_negative(self.dwell, "dwell"))
        object.__setattr__(self, "rest", number(self.rest, "rest"))
        object.__setattr__(self, "knots", count(self.knots, "knots", 8))
        for name in ("largest_acceleration", "largest_jerk"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, positive(getattr(self, name), name))
        if self.rise + self.dwell + self.fall > FULL:
            raise ValueError(
                f"rise, dwell and fall must fit into one turn, got {self.rise + self.dwell + self.fall:.6g} rad"
            )
        if not self.spring * (self.start + self.rest) > 0.0:
            raise ValueError("rest must leave the spring pressing on the base circle, got a force that is not positive")


@dataclass(frozen=True, repr=False)
class OptimalLift:
    """Outcome of :func:`least_force` or :func:`highest_jump_speed`.

    Attributes
    ----------
    motion : PeriodicFunction
        The follower's coordinate, for :func:`cam_from_motion`; the rise begins at 0.
    speed : float
        Speed of the cam for which the forces hold [rad/s].
    largest_force, lowest_force : float
        Along the motion of a rigid follower, at that speed [N].
    jump_speed : float
        Speed at which a rigid follower leaves the cam [rad/s].
    """

    motion: PeriodicFunction
    speed: float
    largest_force: float
    lowest_force: float
    jump_speed: float

    def __repr__(self) -> str:
        return (
            f"OptimalLift(force {self.lowest_force:.4g} to {self.largest_force:.4g} N at {self.speed:.4g} rad/s, "
            f"jump speed {self.jump_speed:.4g} rad/s)"
        )


class _Model(NamedTuple):
    """The motion as a linear function of the accelerations at the inner knots of rise and fall."""

    values: np.ndarray  # (M, K) of g - start at the samples
    offset: np.ndarray  # (M,) its part without unknowns
    second: np.ndarray  # (M, K) of g''
    equal: np.ndarray  # (4, K) end conditions
    goal: np.ndarray  # (4,)
    jerk: np.ndarray  # (J, K) differences over an interval, divided by its length


def least_force(task: LiftTask, speed: float, *, least: float = 0.0) -> OptimalLift:
    """Motion with the least largest force at a speed.

    Parameters
    ----------
    task : LiftTask
        What the follower shall do.
    speed : float
        Angular velocity of the cam [rad/s].
    least : float
        Force that must remain everywhere, so that the follower keeps its contact [N].

    Returns
    -------
    OptimalLift

    Raises
    ------
    ValueError
        If no motion keeps the contact at this speed.
    """
    model, speed = _model(_task(task)), positive(speed, "speed")
    least = number(least, "least")
    inertia = task.mass * speed**2
    rows = inertia * model.second + task.spring * model.values
    known = task.spring * (task.start + task.rest + model.offset)
    # Unknowns: accelerations, and the largest force
    upper = np.block([[rows, -np.ones((len(rows), 1))], [-rows, np.zeros((len(rows), 1))]])
    found = _solve(task, model, upper, np.concatenate([-known, known - least]), largest=True)
    if found is None:
        raise ValueError(
            f"speed must be lower: no motion of {task.lift:g} m keeps a force of {least:g} N at {speed:.6g} rad/s; "
            "raise the spring's stiffness or its preload, or widen rise and fall"
        )
    return _named(task, model, found[:-1], speed)


def highest_jump_speed(task: LiftTask, *, rtol: float = 1e-4) -> OptimalLift:
    """Motion with the highest speed at which a rigid follower still keeps its contact.

    Parameters
    ----------
    task : LiftTask
        With a `largest_acceleration` or a `largest_jerk`: without them, ever shorter and harder pushes allow ever
        higher speeds.
    rtol : float
        Relative accuracy of the speed.

    Returns
    -------
    OptimalLift
        With :attr:`~OptimalLift.speed` the jump speed itself.
    """
    model = _model(_task(task))
    if task.largest_acceleration is None and task.largest_jerk is None:
        raise ValueError("task must have a largest_acceleration or a largest_jerk: without a bound there is no optimum")
    known = task.spring * (task.start + task.rest + model.offset)

    def keeps(speed: float) -> np.ndarray | None:
        rows = task.mass * speed**2 * model.second + task.spring * model.values
        return _solve(task, model, -rows, known, largest=False)

    low = math.sqrt(task.spring / task.mass) * 1e-3
    best = keeps(low)
    if best is None:
        raise ValueError("task cannot be done: largest_acceleration or largest_jerk is too small for the rise or fall")
    high = 2.0 * low
    while (found := keeps(high)) is not None:
        low, high, best = high, 2.0 * high, found
        if high > HIGHEST * math.sqrt(task.spring / task.mass):
            return _named(task, model, best, low)
    while high - low > positive(rtol, "rtol") * high:
        middle = math.sqrt(low * high)
        found = keeps(middle)
        low, high, best = (low, middle, best) if found is None else (middle, high, found)
    return _named(task, model, best, low)


def _task(task: object) -> LiftTask:
    if not isinstance(task, LiftTask):
        raise TypeError(f"task must be a LiftTask, got {task!r}")
    return task


def _half(width: float, knots: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, slopes and accelerations at knots and between them, (2 knots + 1, knots - 1), per inner acceleration."""
    step = width / knots
    second = np.zeros((knots + 1, knots - 1))
    second[1:-1] = np.eye(knots - 1)
    slope, value = np.zeros_like(second), np.zeros_like(second)
    for j in range(knots):
        a, b = second[j], second[j + 1]
        slope[j + 1] = slope[j] + 0.5 * step * (a + b)
        value[j + 1] = value[j] + step * slope[j] + step**2 * (a / 3.0 + b / 6.0)
    middle = 0.5 * (second[:-1] + second[1:])
    between = value[:-1] + 0.5 * step * slope[:-1] + step**2 * (5.0 * second[:-1] + second[1:]) / 48.0
    both = np.empty((2 * knots + 1, knots - 1)), np.empty((2 * knots + 1, knots - 1))
    both[0][::2], both[0][1::2] = value, between
    both[1][::2], both[1][1::2] = second, middle
    return both[0], both[1], slope[-1], np.diff(second, axis=0) / step


def _model(task: LiftTask) -> _Model:
    up, up2, up_end, up_jerk = _half(task.rise, task.knots)
    down, down2, down_end, down_jerk = _half(task.fall, task.knots)
    zero = np.zeros_like(up)
    values = np.block([[up, zero], [zero, down]])
    second = np.block([[up2, zero], [zero, down2]])
    none = np.zeros(task.knots - 1)
    ends = [[*up_end, *none], [*up[-1], *none], [*none, *down_end], [*none, *down[-1]]]
    offset = np.concatenate([np.zeros(len(up)), np.full(len(down), task.lift)])
    jerk = np.block([[up_jerk, np.zeros_like(up_jerk)], [np.zeros_like(down_jerk), down_jerk]])
    return _Model(values, offset, second, np.array(ends), np.array([0.0, task.lift, 0.0, -task.lift]), jerk)


def _solve(task: LiftTask, model: _Model, rows: np.ndarray, right: np.ndarray, *, largest: bool) -> np.ndarray | None:
    """Solution of rows x <= right with the end conditions and the task's bounds; None if there is none."""
    from scipy.optimize import linprog

    size = model.second.shape[1]
    more: list[np.ndarray] = []
    limits: list[np.ndarray] = []
    for bound, matrix in ((task.largest_jerk, model.jerk), (task.largest_jerk, -model.jerk)):
        if bound is not None:
            more.append(matrix)
            limits.append(np.full(len(matrix), bound))
    blank = np.zeros((0, size))
    extra = np.concatenate([blank, *more])
    goal: Any = np.zeros(rows.shape[1])
    equal = model.equal
    if largest:
        goal[-1] = 1.0
        extra, equal = (np.concatenate([part, np.zeros((len(part), 1))], axis=1) for part in (extra, equal))
    # Accelerations in units of lift / rise^2, forces in units of the largest at hand, so that tolerances are relative.
    unit = task.lift / min(task.rise, task.fall) ** 2
    force = float(np.abs(right).max())
    scale = np.full(rows.shape[1], unit)
    if largest:
        scale[-1] = force
    bounds: list[tuple[float | None, float | None]] = [
        (None, None if task.largest_acceleration is None else task.largest_acceleration / unit)
    ] * size
    bounds += [(None, None)] * largest
    jerk_unit = unit / min(task.rise, task.fall) * task.knots
    above = np.concatenate([rows * scale / force, extra * scale / jerk_unit])
    most = np.concatenate([right / force, *(limit / jerk_unit for limit in limits)])
    found = linprog(goal, above, most, equal * scale / task.lift, model.goal / task.lift, bounds=bounds, method="highs")
    return found.x * scale if found.success else None


def _named(task: LiftTask, model: _Model, x: np.ndarray, speed: float) -> OptimalLift:
    g = task.start + model.offset + model.values @ x
    second = model.second @ x
    force = task.mass * speed**2 * second + task.spring * (g + task.rest)
    falling = second < 0.0
    square = task.spring * (g + task.rest)[falling] / (-task.mass * second[falling])
    return OptimalLift(
        _motion(task, x), speed, float(force.max()), float(force.min()), math.sqrt(max(float(square.min()), 0.0))
    )


def _motion(task: LiftTask, x: np.ndarray) -> PeriodicFunction:
    """The motion as cubic pieces."""
    inner = task.knots - 1
    knots: list[float] = []
    rows: list[tuple[float, ...]] = []
    for first, width, height, part in (
        (0.0, task.rise, 0.0, x[:inner]),
        (task.rise + task.dwell, task.fall, task.lift, x[inner:]),
    ):
        step = width / task.knots
        a = np.concatenate([[0.0], part, [0.0]])
        slope = np.concatenate([[0.0], np.cumsum(0.5 * step * (a[:-1] + a[1:]))])
        rises = step * slope[:-1] + step**2 * (a[:-1] / 3.0 + a[1:] / 6.0)
        value = task.start + height + np.concatenate([[0.0], np.cumsum(rises)])
        knots.extend(first + step * np.arange(task.knots))
        rows.extend(zip(value[:-1], slope[:-1], 0.5 * a[:-1], np.diff(a) / (6.0 * step)))
        knots.append(first + width)
        rows.append((task.start + task.lift - height, 0.0, 0.0, 0.0))
    # A dwell of no width at the top or at the base has no piece of its own.
    keep = np.diff(np.append(knots, FULL)) > 1e-12
    table = Polynomials(np.array(knots)[keep], np.array(rows)[keep])
    return PeriodicFunction(table.values, table.knots)
