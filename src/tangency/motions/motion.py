"""What a motion is: the pose of a body at every time, and bounds on its speed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.pose import Poses
from ..io import validate


class Moment(NamedTuple):
    """Where a body is at a time, and how it moves."""

    rotation: np.ndarray  #: (..., 3, 3)
    translation: np.ndarray  #: (..., 3) [m]
    velocity: np.ndarray  #: (..., 3) of the reference point [m/s]
    angular_velocity: np.ndarray  #: (..., 3), world frame [rad/s]


class Motion(ABC):
    """Base class of all motions: one, or a stack of them."""

    batch_shape: tuple[int, ...]  #: leading shape of the stack

    @property
    @abstractmethod
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last time for which the motion is defined."""

    @abstractmethod
    def poses_at(self, motions: np.ndarray, times: np.ndarray) -> Poses:
        """Poses of the motions with these numbers at as many times."""

    @abstractmethod
    def speeds(self, motions: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bounds on the speed of the reference point and on the angular speed, from `begin` to `end`."""

    def pose(self, time: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Pose at a time, or at times that broadcast against the stack: (rotation, translation).

        Examples
        --------
        >>> import tangency as tg
        >>> rotation, translation = tg.Drift(velocity=[1, 0, 0]).pose([0.0, 2.0])
        >>> translation.tolist()
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
        """
        numbers, times, shape = self._asked(time)
        poses = self.poses_at(numbers, times)
        return poses.rotation.reshape(*shape, 3, 3), poses.translation.reshape(*shape, 3)

    def _asked(self, time: ArrayLike) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
        """Numbers of motions and times, flat, and the shape of the result."""
        times = validate.array(time, "time")
        shape = validate.broadcast({"motion": self.batch_shape, "time": times.shape})
        self.require(times, times, "time")
        numbers = np.arange(math.prod(self.batch_shape)).reshape(self.batch_shape)
        flat = [np.ascontiguousarray(np.broadcast_to(part, shape)).reshape(-1) for part in (numbers, times)]
        return flat[0], flat[1], shape

    def require(self, begin: np.ndarray, end: np.ndarray, name: str) -> None:
        """Raise an error unless the motion is defined from `begin` to `end`, whose shapes broadcast against it."""
        first, last = self.span
        if not ((begin >= first).all() and (end <= last).all()):
            raise ValueError(
                f"{name} must lie between {float(np.max(first)):g} and {float(np.min(last)):g}, where the motion is "
                f"defined, got {validate.short(begin)} to {validate.short(end)}"
            )
