"""A rolling body at one or many instants: kinematics, contact force and energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from .equations_kernel import (
    ANGULAR_ACCELERATION,
    ANGULAR_VELOCITY,
    BODY_POINT,
    CENTRE,
    CONTACT,
    CONTACT_VELOCITY,
    FORCE,
    KINETIC,
    POTENTIAL,
    REFERENCE,
    TORQUE,
    VELOCITY,
)


@dataclass(frozen=True, eq=False, repr=False)
class RollingState:
    """Instants of a rolling body; the leading axes of all arrays are those of the states asked for.

    Attributes
    ----------
    orientation : Rotation
        From the frame of the body to the world.
    angular_velocity, angular_acceleration : (..., 3) arrays
        In the world [rad/s, rad/s^2].
    reference, velocity : (..., 3) arrays
        Origin of the shape, the paper's B, and its velocity (Römer 3-D, Eq. 76) [m, m/s].
    centre_of_mass : (..., 3) array
        In the world [m].
    contact : (..., 3) array
        Contact point P in the world [m].
    contact_on_body : (..., 3) array
        The same point in the frame of the body (Römer 3-D, Eq. 77) [m].
    contact_velocity : (..., 3) array
        Velocity of the contact point along the plane, at which it also moves over the body [m/s].
    force : (..., 3) array
        Force of the plane on the body at the contact point, in the world [N].
    torque : (...) array
        Torque of the plane about its normal, which keeps a body without pivoting from spinning [N m].
    normal : (3,) array
        Unit normal of the plane.
    kinetic_energy, potential_energy : (...) arrays
        The latter is 0 for a centre of mass at the origin [J].
    """

    orientation: Rotation
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray
    reference: np.ndarray
    velocity: np.ndarray
    centre_of_mass: np.ndarray
    contact: np.ndarray
    contact_on_body: np.ndarray
    contact_velocity: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    normal: np.ndarray
    kinetic_energy: np.ndarray
    potential_energy: np.ndarray

    def __repr__(self) -> str:
        return f"{type(self).__name__}(instants of shape {self.torque.shape})"

    @property
    def energy(self) -> np.ndarray:
        """Kinetic plus potential energy [J]."""
        return self.kinetic_energy + self.potential_energy

    @property
    def centre_velocity(self) -> np.ndarray:
        """Velocity of the centre of mass, (..., 3) [m/s]."""
        return np.cross(self.angular_velocity, self.centre_of_mass - self.contact)

    @property
    def arm(self) -> np.ndarray:
        """r_BP, from the reference point to the contact point, in the world (Römer 3-D, Eq. 70) [m]."""
        return self.orientation.apply(self.contact_on_body)

    @property
    def normal_force(self) -> np.ndarray:
        """Component of the force along the normal [N]."""
        return self.force @ self.normal

    @property
    def tangential_force(self) -> np.ndarray:
        """Part of the force along the plane, (..., 3) [N]."""
        return self.force - self.normal_force[..., None] * self.normal

    @property
    def spin(self) -> np.ndarray:
        """Component of the angular velocity along the normal, with which the body pivots [rad/s]."""
        return self.angular_velocity @ self.normal

    @property
    def friction_demand(self) -> np.ndarray:
        """Coefficient of friction that rolling requires, |F_t| / F_n; inf if the normal force is not positive."""
        down = np.asarray(self.normal_force)
        across = np.linalg.norm(self.tangential_force, axis=-1)
        return np.divide(across, down, out=np.full_like(down, np.inf), where=down > 0.0)


def fields_from(observed: np.ndarray, orientation: Rotation, normal: np.ndarray) -> dict[str, Any]:
    """Arguments of a `RollingState` from what the compiled code has written, (..., OBSERVED)."""
    columns: dict[str, Any] = {
        "angular_velocity": ANGULAR_VELOCITY,
        "angular_acceleration": ANGULAR_ACCELERATION,
        "reference": REFERENCE,
        "velocity": VELOCITY,
        "centre_of_mass": CENTRE,
        "contact": CONTACT,
        "contact_on_body": BODY_POINT,
        "contact_velocity": CONTACT_VELOCITY,
        "force": FORCE,
        "torque": TORQUE,
        "kinetic_energy": KINETIC,
        "potential_energy": POTENTIAL,
    }
    # Adding 0.0 copies, and removes the sign of zeros.
    return {name: observed[..., column] + 0.0 for name, column in columns.items()} | {
        "orientation": orientation,
        "normal": normal,
    }
