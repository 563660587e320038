"""Steady motions: constant angular velocity, and a reference point on a line (Drift) or on a helix (Screw)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.pose import PoseLike, Poses, draft
from ..io import validate
from ..kernels.rotations import ROW
from ..kernels.steady_motion import MOMENT, SEGMENT, moments, segment_rows
from .motion import Moment, Motion

FASTEST = 1e100  # limit of speeds, so that products stay within the range of float64


class SteadyMotion(Motion):
    """A motion that consists of one or more segments of steady motion (``kernels/steady_motion.py``)."""

    def __init__(self, rows: np.ndarray, last: ArrayLike = math.inf) -> None:
        self.batch_shape = rows.shape[:-2]
        self.segments = rows.shape[-2]  #: of each motion
        self.rows = np.ascontiguousarray(rows).reshape(-1, SEGMENT)  #: one segment each
        self._last = np.asarray(last, float)

    @property
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        if not np.isfinite(self._last).all():
            return np.asarray(-math.inf), np.asarray(math.inf)
        return self._starts[..., 0], self._last

    @property
    def _starts(self) -> np.ndarray:
        return self.rows[:, 0].reshape(*self.batch_shape, self.segments)

    def poses_at(self, motions: np.ndarray, times: np.ndarray) -> Poses:
        return Poses(np.ascontiguousarray(self._moments(motions, times)[:, :ROW]), times.shape)

    def speeds(self, motions: np.ndarray, begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        table = self.rows.reshape(-1, self.segments, SEGMENT)[motions]
        starts = table[..., 0]
        ends = np.concatenate([starts[:, 1:], np.full((len(starts), 1), math.inf)], axis=1)
        # The first segment also holds before its start.
        met = (ends >= begin[:, None]) & (np.where(np.arange(self.segments) == 0, -math.inf, starts) <= end[:, None])
        fast, spin = (np.linalg.norm(table[..., part], axis=-1) for part in (slice(13, 16), slice(16, 19)))
        return np.where(met, fast, 0.0).max(axis=1), np.where(met, spin, 0.0).max(axis=1)

    def moment(self, time: ArrayLike) -> Moment:
        """Pose and velocities at a time, or at times that broadcast against the stack.

        Examples
        --------
        >>> import tangency as tg
        >>> motion = tg.Screw((None, [1, 0, 0]), velocity=[0, 2, 0], angular_velocity=[0, 0, 2])
        >>> motion.moment(0.0).velocity.tolist()                    # on a circle about the z axis
        [0.0, 2.0, 0.0]
        """
        numbers, times, shape = self._asked(time)
        out = self._moments(numbers, times).reshape(*shape, MOMENT)
        frame = out[..., :ROW].reshape(*shape, 3, 4)
        return Moment(frame[..., :3], frame[..., 3], out[..., 12:15], out[..., 15:])

    def _moments(self, motions: np.ndarray, times: np.ndarray) -> np.ndarray:
        out = np.empty((len(times), MOMENT))
        # Copies: read-only arrays would be compiled for once more.
        moments(self.rows, self.segments, np.array(motions), np.array(times), out)
        return out + 0.0

    def __repr__(self) -> str:
        inner = f"shape={self.batch_shape}, segments={self.segments}"
        return f"{type(self).__name__}({inner})"


def _speed(value: ArrayLike, name: str) -> np.ndarray:
    vectors = validate.vectors(value, name)
    if not (np.abs(vectors) <= FASTEST).all():
        raise ValueError(f"{name} must be smaller than {FASTEST:g} (choose other units), got {validate.short(vectors)}")
    return vectors


class _OneSegment(SteadyMotion):
    _screw: float

    def __init__(
        self,
        pose: PoseLike = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        *,
        time: ArrayLike = 0.0,
    ) -> None:
        poses = draft(pose, "pose").filled()
        v, spin = _speed(velocity, "velocity"), _speed(angular_velocity, "angular_velocity")
        start = validate.array(time, "time")
        validate.broadcast(
            {"pose": poses.shape, "velocity": v.shape[:-1], "angular_velocity": spin.shape[:-1], "time": start.shape}
        )
        rows = segment_rows(start, poses.rotation, poses.translation, v, spin, self._screw)
        super().__init__(rows[..., None, :])


class Drift(_OneSegment):
    """Constant velocity and angular velocity in the world: one motion, or a stack of them.

    Parameters
    ----------
    pose : optional
        Pose at `time`, as in :func:`tangency.contact`.
    velocity : (..., 3) array_like
        Velocity of the reference point, the origin of the shape's frame [m/s].
    angular_velocity : (..., 3) array_like
        Angular velocity in the world [rad/s].
    time : (...) array_like
        Time at which the body has the given pose [s].

    Examples
    --------
    >>> import tangency as tg
    >>> motion = tg.Drift((None, [1, 0, 0]), velocity=[2, 0, 0], angular_velocity=[0, 0, 3])
    >>> motion.pose(0.5)[1].tolist()
    [2.0, 0.0, 0.0]
    """

    _screw = 0.0


class Screw(_OneSegment):
    """Constant twist in the world: the body turns about a fixed axis and slides along it.

    Unlike a :class:`Drift`, its reference point circles about the axis, with the velocity `velocity` at `time`.

    Parameters
    ----------
    pose, velocity, angular_velocity, time
        As for :class:`Drift`; `velocity` is that of the reference point at `time`.

    Examples
    --------
    >>> import math, tangency as tg
    >>> motion = tg.Screw((None, [1, 0, 0]), velocity=[0, math.pi, 0], angular_velocity=[0, 0, math.pi])
    >>> motion.pose(1.0)[1].round(9).tolist()                       # half a circle about the z axis
    [-1.0, 0.0, 0.0]
    """

    _screw = 1.0


def at_rest(pose: PoseLike, name: str) -> SteadyMotion:
    """The motion of a body that stays at a pose, which is called by this name in errors."""
    poses, still = draft(pose, name).filled(), np.zeros(3)
    rows = segment_rows(np.zeros(()), poses.rotation, poses.translation, still, still, 0.0)
    return SteadyMotion(rows[..., None, :])
