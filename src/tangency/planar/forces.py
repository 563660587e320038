"""Forces and torques on planar bodies from a contact and their motion, by the laws of :mod:`tangency.forces`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..forces.friction_base import FrictionLaw
from ..forces.normal_base import NormalLaw
from ..io import validate

if TYPE_CHECKING:
    from .result import Contact


@dataclass(frozen=True)
class PlanarForces:
    """Result of :func:`tangency.forces.on` for planar contacts; the leading axes are those of the contacts.

    Attributes
    ----------
    force_a, force_b : (..., 2) array
        Force on each body [N]; equal and opposite.
    torque_a, torque_b : (...) array
        Torque on each body about its own origin, positive counter-clockwise [N m].
    point : (..., 2) array
        Point of application of the force [m].
    normal : (...) array
        Normal force, >= 0 [N].
    friction : (..., 2) array
        Tangential part of `force_b` [N].
    depth, rate : (...) array
        Penetration [m] (negative: apart) and its time derivative [m/s].
    slip : (...) array
        Velocity of B relative to A along the normal turned by 90 degrees counter-clockwise [m/s].
    """

    force_a: np.ndarray
    force_b: np.ndarray
    torque_a: np.ndarray
    torque_b: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    friction: np.ndarray
    depth: np.ndarray
    rate: np.ndarray
    slip: np.ndarray


def planar_forces(
    contact: Contact,
    twist_a: Any,
    twist_b: Any,
    *,
    normal: NormalLaw,
    friction: FrictionLaw | None = None,
    impact_speed: ArrayLike | None = None,
    at: ArrayLike = 0.5,
    origin_a: ArrayLike | None = None,
    origin_b: ArrayLike | None = None,
) -> PlanarForces:
    """Forces of planar contacts, see :func:`tangency.forces.on`; a twist is a velocity (..., 2) and a rate (...)."""
    if not contact.converged.all():
        raise ValueError(f"contact must have converged: {contact.message}")
    if friction is not None and friction.has_state:
        raise ValueError(f"friction must have no state for planar contacts, got {friction!r}")
    n, depth = contact.normal, -contact.distance
    t = quarter(n)
    place = _place(contact, at)
    arms = []
    for side, given, name in ((0, origin_a, "origin_a"), (1, origin_b, "origin_b")):
        origin = contact._bodies[side][2] if given is None else validate.vectors(given, name, 2)
        arms.append(place - origin)
    velocities = []
    for twist, arm, name in ((twist_a, arms[0], "twist_a"), (twist_b, arms[1], "twist_b")):
        velocity, rate = twist_of(twist, name)
        velocities.append(velocity + rate[..., None] * quarter(arm))
    relative = velocities[1] - velocities[0]
    apart, slip = (relative * n).sum(axis=-1), (relative * t).sum(axis=-1)
    curvature = np.repeat(contact.relative_curvature[..., None], 2, axis=-1) if normal.needs_curvature else None
    load = normal.force(depth, -apart, impact_speed, curvature)
    tangential = np.zeros_like(load)
    if friction is not None:
        # The laws take vectors in space: the slip lies along their x axis.
        vectors = np.stack([slip, 0.0 * slip, 0.0 * slip], axis=-1)
        tangential = friction.force(load, vectors).force[..., 0]
    force = load[..., None] * n + tangential[..., None] * t
    found = {
        "force_a": -force,
        "force_b": force,
        "torque_a": -_cross(arms[0], force),
        "torque_b": _cross(arms[1], force),
        "point": place,
        "normal": load,
        "friction": tangential[..., None] * t,
        "depth": depth,
        "rate": -apart,
        "slip": slip,
    }
    return PlanarForces(**{name: value + 0.0 for name, value in found.items()})  # no -0.0


def quarter(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 2) turned by 90 degrees counter-clockwise."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _place(contact: Contact, at: Any) -> np.ndarray:
    where = validate.array(at, "at")
    if where.ndim == 0:
        if not 0.0 <= where <= 1.0:
            raise ValueError(f"at must lie between 0 (point_a) and 1 (point_b), or be points, got {float(where):g}")
        return contact.point_a + (where * contact.distance)[..., None] * contact.normal
    return validate.vectors(at, "at", 2)


def twist_of(twist: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Velocity (..., 2) and rate (...) of a planar twist; None is at rest."""
    if twist is None:
        return np.zeros(2), np.zeros(())
    if not isinstance(twist, tuple | list) or len(twist) != 2:
        raise TypeError(f"{name} must be None or (velocity, rate), got {twist!r}")
    return validate.vectors(twist[0], f"{name} velocity", 2), validate.array(twist[1], f"{name} rate")
