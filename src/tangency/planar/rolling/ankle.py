"""Loads at the ankle of a foot: as an input of its motion, and from its motion (Römer 2-D, Eqs. 38-42)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..pose import turned
from .foot_phases import Load

if TYPE_CHECKING:
    from .foot import RollingFoot


class AnkleLoads(NamedTuple):
    """Motion of the ankle, and what the leg does to the foot there."""

    position: np.ndarray  #: (..., 2) [m]
    velocity: np.ndarray  #: (..., 2) [m/s]
    acceleration: np.ndarray  #: (..., 2) [m/s^2]
    force: np.ndarray  #: (..., 2) force of the leg on the foot [N]
    moment: np.ndarray  #: (...) moment of the leg on the foot, positive clockwise [N m]


def ankle_load(load: Callable[[float, float, float], Any] | None, ankle: Any, centre: Any) -> Load | None:
    """A load at the ankle as a force and a moment about the centre of mass."""
    if load is None:
        if ankle is not None:
            raise ValueError("ankle must be given only with a load; FootRun.point gives the motion of any point")
        return None
    if not callable(load):
        raise TypeError(f"load must be a function of time, alpha and rate, got {load!r}")
    arm = np.zeros(2) if ankle is None else validate.vectors(ankle, "ankle", 2) - centre
    if arm.shape != (2,):
        raise ValueError(f"ankle must be two numbers, got an array of shape {arm.shape}")
    x, y = arm.tolist()

    def about_centre(time: float, turn: float, rate: float) -> tuple[float, float, float]:
        try:
            fx, fy, moment = (float(value) for value in load(time, turn, rate))
        except (TypeError, ValueError) as error:
            raise type(error)(f"load must return a force (x, y) and a moment, three numbers: {error}") from error
        c, s = math.cos(turn), math.sin(turn)
        return fx, fy, moment + (c * y - s * x) * fx - (c * x + s * y) * fy

    return about_centre


def ankle_loads(
    foot: RollingFoot,
    ankle: ArrayLike,
    alpha: ArrayLike,
    rate: ArrayLike,
    acceleration: ArrayLike,
    ground_force: ArrayLike,
) -> AnkleLoads:
    """Force and moment at the ankle of a rolling foot whose motion and ground reaction are known (inverse dynamics).

    Parameters
    ----------
    foot : RollingFoot
        On a line or a circle.
    ankle : (2,) array_like
        Ankle in the frame of the shape [m].
    alpha, rate, acceleration : (...) array_like
        Angle against the ground [rad], angular velocity of the foot [rad/s] and its derivative.
    ground_force : (..., 2) array_like
        Measured force of the ground on the foot, along and normal to the ground [N]; it acts at the contact point.

    Returns
    -------
    AnkleLoads

    Examples
    --------
    A foot that rolls freely needs no leg:

    >>> from tangency import planar
    >>> foot = planar.RollingFoot()
    >>> loads = planar.ankle_loads(foot, [0, 0.05], 0.2, 1.5, foot.acceleration(0.2, 1.5), foot.force(0.2, 1.5))
    >>> bool(abs(loads.force).max() < 1e-12), bool(abs(loads.moment) < 1e-12)
    (True, True)
    """
    alpha, rate = validate.array(alpha, "alpha"), validate.array(rate, "rate")
    second = validate.array(acceleration, "acceleration")
    at, motion = foot.rolling.at(alpha), foot.rolling.motion(alpha, rate, second)
    tangent, normal = foot.rolling.ground.frame(foot.rolling.travel(alpha) + foot.rolling.height(alpha)[1])
    along, up = np.moveaxis(validate.vectors(ground_force, "ground_force", 2), -1, 0)
    ground = along[..., None] * tangent + up[..., None] * normal
    gravity = foot.gravity * np.array([math.sin(foot.slope), -math.cos(foot.slope)])
    force = foot.mass * (motion.acceleration - gravity) - ground
    turn = foot.rolling.turn(alpha)
    local = validate.vectors(ankle, "ankle", 2) - np.asarray(foot.centre_of_mass)
    arm = turned(np.stack([np.cos(turn), -np.sin(turn)], axis=-1), local)  # Eq. (38)
    clockwise = np.stack([arm[..., 1], -arm[..., 0]], axis=-1)
    w, w2 = rate[..., None], second[..., None]
    moment = (
        float(foot.inertia or 0.0) * second - _clockwise(at.contact - at.reference, ground) - _clockwise(arm, force)
    )
    return AnkleLoads(
        at.reference + arm,
        motion.velocity + w * clockwise,
        motion.acceleration + w2 * clockwise - w * w * arm,
        force,
        moment,
    )


def _clockwise(arm: np.ndarray, force: np.ndarray) -> np.ndarray:
    return arm[..., 1] * force[..., 0] - arm[..., 0] * force[..., 1]
