"""Prescribed motion with constant velocities, for walls and drums."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..geometry.pose import PoseLike, as_pose
from ..io import validate
from .body import Motion


def steady_motion(
    pose: PoseLike = None,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    centre: ArrayLike | None = None,
) -> Callable[[float], Motion]:
    """A motion for ``Body(..., motion=...)``: a drum that turns, a wall that moves.

    Parameters
    ----------
    pose : optional
        Pose of the body frame at time 0.
    velocity, angular_velocity : (3,) array_like
        Of the centre of rotation, and of the body, in the world [m/s, rad/s].
    centre : (3,) array_like, optional
        Centre of rotation at time 0 [m]; default the origin of the body frame.

    Returns
    -------
    callable

    Examples
    --------
    >>> import tangency as tg
    >>> turning = tg.dynamics.steady_motion(angular_velocity=[0, 2, 0])
    >>> drum = tg.dynamics.Body("drum", tg.Cavity(tg.Cylinder(0.2, 0.3)), motion=turning)
    >>> turning(0.25).pose[0].as_rotvec().tolist()
    [0.0, 0.5, 0.0]
    """
    rotation, position = as_pose(pose)
    start, place = Rotation.from_matrix(rotation), np.array(position)
    vectors = [validate.vectors(velocity, "velocity"), validate.vectors(angular_velocity, "angular_velocity")]
    middle = place if centre is None else validate.vectors(centre, "centre")
    for name, vector in zip(("pose", "velocity", "angular_velocity", "centre"), (place, *vectors, middle)):
        validate.single({name: vector.shape[:-1]})
    speed, spin, arm = vectors[0], vectors[1], place - middle

    def motion(time: float) -> Motion:
        turn = Rotation.from_rotvec(time * spin)
        away = turn.apply(arm)
        return Motion((turn * start, middle + time * speed + away), speed + np.cross(spin, away), spin)

    return motion
