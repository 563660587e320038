"""Any motion given as a function of time, with a bound on its speed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..geometry.pose import ROW, Poses, draft
from .motion import Motion


class BoundedMotion(Motion):
    """Motion given by a function of time, with bounds on its speed: without these nothing could be proved.

    Parameters
    ----------
    pose : callable
        ``pose(t)`` returns the pose at the time t, in any form that :func:`tangency.contact` takes.
    speed, angular_speed : float or callable
        Upper bounds on the speed of the reference point [m/s] and on the angular speed [rad/s], at all times; or
        functions ``bound(t_a, t_b)`` that return a bound for the times from t_a to t_b.
    vectorized : bool
        Whether `pose` takes an array of n times and returns n poses.

    Examples
    --------
    >>> import math, tangency as tg
    >>> motion = tg.BoundedMotion(lambda t: (None, [3.0 + math.sin(t), 0.0, 0.0]), speed=1.0, angular_speed=0.0)
    >>> motion.pose(0.0)[1].tolist()
    [3.0, 0.0, 0.0]
    """

    batch_shape = ()

    def __init__(
        self, pose: Callable[[Any], Any], speed: Any = None, angular_speed: Any = None, *, vectorized: bool = False
    ) -> None:
        if not callable(pose):
            raise TypeError(f"pose must be a function of time, got {type(pose).__name__}: use Drift for a constant one")
        self._pose, self._vectorized = pose, bool(vectorized)
        self._speed, self._angular = _bound(speed, "speed"), _bound(angular_speed, "angular_speed")

    @property
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        return np.asarray(-math.inf), np.asarray(math.inf)

    def poses_at(self, motions: np.ndarray, times: np.ndarray) -> Poses:
        if self._vectorized:
            placed = draft(self._pose(times), "pose(t)").filled()
            if placed.shape != times.shape:
                raise ValueError(f"pose(t) must return one pose per time, {times.shape}, got shape {placed.shape}")
            return placed
        rows = np.empty((len(times), ROW))
        for k, time in enumerate(times.tolist()):
            placed = draft(self._pose(time), "pose(t)").filled()
            if placed.shape:
                raise ValueError(f"pose(t) must return a single pose for a single time, got shape {placed.shape}")
            rows[k] = placed.rows[0]
        return Poses(rows, times.shape)

    def speeds(self, motions: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bounds = [
            [_checked(bound(a, b), name) for a, b in zip(begin.tolist(), end.tolist())]
            for bound, name in ((self._speed, "speed"), (self._angular, "angular_speed"))
        ]
        return np.array(bounds[0]), np.array(bounds[1])

    def __repr__(self) -> str:
        return f"BoundedMotion({getattr(self._pose, '__name__', self._pose)!r})"


def _checked(value: Any, name: str) -> float:
    try:
        number = float(value)
    except OverflowError:  # an integer of Python
        number = math.inf
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or a function that returns one, got {value!r}") from None
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{name} must be a finite bound >= 0, got {number!r}")
    return number


def _bound(value: Any, name: str) -> Callable[[float, float], float]:
    if value is None:
        raise TypeError(f"{name} must be given: an upper bound for all times, or a function bound(t_a, t_b)")
    if callable(value):
        return value
    return _Constant(_checked(value, name))


@dataclass(frozen=True)
class _Constant:
    """The same bound for all times."""

    value: float

    def __call__(self, begin: float, end: float) -> float:
        return self.value
