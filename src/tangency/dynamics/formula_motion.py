"""Motions, loads and torques from the formulas of a scene file; classes, so that worlds can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from ..scene.formulas import Formula
from .body import Motion
from .spring import BodyState

if TYPE_CHECKING:
    from .joints.mechanism import JointState

Vector = tuple[Formula, Formula, Formula]


@dataclass(frozen=True, eq=False)
class FormulaMotion:
    """A prescribed motion: a displacement, and a rotation about an axis that is displaced with the body.

    Parameters
    ----------
    pose : RigidTransform
        Pose of the body frame without displacement and rotation.
    displacement : three formulas of the time, optional
        [m]
    angle : formula of the time, optional
        [rad]
    axis : (3,) array, optional
        Of the rotation, in the world.
    centre : (3,) array, optional
        A point of the axis [m]; default the origin of the body frame.
    """

    pose: RigidTransform
    displacement: Vector | None = None
    angle: Formula | None = None
    axis: np.ndarray | None = None
    centre: np.ndarray | None = None

    def __call__(self, time: float) -> Motion:
        place = np.asarray(self.pose.translation)
        jets = np.zeros((3, 3)) if self.displacement is None else np.array([f.jet(time) for f in self.displacement])
        way, speed = jets[:, 0], jets[:, 1]
        turn, spin = Rotation.identity(), np.zeros(3)
        if self.angle is not None and self.axis is not None:
            axis, angle = self.axis / np.linalg.norm(self.axis), self.angle.jet(time)
            turn, spin = Rotation.from_rotvec(angle.value * axis), angle.rate * axis
        middle = place if self.centre is None else self.centre
        arm = turn.apply(place - middle)
        return Motion((turn * self.pose.rotation, middle + way + arm), speed + np.cross(spin, arm), spin)


@dataclass(frozen=True, eq=False)
class FormulaLoad:
    """Force and torque at the centre of mass, as functions of the time and the state of the body."""

    force: Vector | None = None
    torque: Vector | None = None

    def __call__(self, time: float, state: BodyState) -> tuple[np.ndarray, np.ndarray]:
        values = (time, *state.centre_of_mass.tolist(), *state.velocity.tolist(), *state.angular_velocity.tolist())
        force, torque = (
            np.zeros(3) if vector is None else np.array([formula(*values) for formula in vector])
            for vector in (self.force, self.torque)
        )
        return force, torque


@dataclass(frozen=True, eq=False)
class FormulaJoint:
    """Position, velocity and acceleration of a prescribed joint."""

    formula: Formula

    def __call__(self, time: float) -> tuple[float, float, float]:
        return self.formula.jet(time)


@dataclass(frozen=True, eq=False)
class FormulaTorques:
    """Torques by joint, each as a function of the time, and of position and velocity of the joint."""

    formulas: tuple[tuple[str, Formula], ...]

    def __call__(self, time: float, state: JointState) -> dict[str, Any]:
        return {joint: formula(time, *state.of(joint)) for joint, formula in self.formulas}
