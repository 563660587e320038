"""Forces and torques on both bodies from a contact and their motion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..contacts.result import Contact
from ..geometry.pose import Poses
from ..io import validate
from ..kernels.relative_motion import relative_motions
from .friction_base import FrictionLaw
from .normal_base import NormalLaw
from .rolling import Rolling

#: Velocity and angular velocity of a body; None at rest.
Twist: TypeAlias = tuple[ArrayLike, ArrayLike] | None

_LAWS = {"normal": "Hertz(stiffness=1e8)", "friction": "Tanh(coefficient=0.5, speed=1e-3)"}


@dataclass(frozen=True)
class ContactForces:
    """Result of :func:`on`, world frame; the leading axes are those of the contacts.

    Attributes
    ----------
    force_a, force_b : (..., 3) array
        Force on each body [N]; equal and opposite.
    torque_a, torque_b : (..., 3) array
        Torque on each body about its own origin [N m].
    point : (..., 3) array
        Point of application of the force [m].
    normal : (...) array
        Normal force, >= 0 [N].
    friction : (..., 3) array
        Tangential part of `force_b` [N].
    depth, rate : (...) array
        Penetration [m] (negative: apart) and its time derivative [m/s].
    slip : (..., 3) array
        Tangential velocity of B relative to A at `point` [m/s].
    stretch_rate : (..., 3) array
        Time derivative of the state of a :class:`Bristle` [m/s].
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
    stretch_rate: np.ndarray


def on(
    contact: Contact,
    twist_a: Twist = None,
    twist_b: Twist = None,
    *,
    normal: NormalLaw,
    friction: FrictionLaw | None = None,
    rolling: Rolling | None = None,
    impact_speed: ArrayLike | None = None,
    stretch: ArrayLike = (0.0, 0.0, 0.0),
    at: ArrayLike = 0.5,
    origin_a: ArrayLike | None = None,
    origin_b: ArrayLike | None = None,
) -> ContactForces:
    """Forces and torques of contacts on both bodies.

    Parameters
    ----------
    contact : Contact
        A single contact or a stack, from :func:`tangency.contact`; all must have converged.  For contacts of
        :func:`tangency.planar.contact`, vectors have two components, angular velocities and torques are numbers, and
        the result is a :class:`tangency.planar.PlanarForces`.
    twist_a, twist_b : None or (velocity, angular_velocity)
        Motion of the body's origin, world frame [m/s], [rad/s], each (..., 3); None for a body at rest.
    normal, friction, rolling
        The force laws.
    impact_speed : (...) array, optional
        `rate` at the start of each contact [m/s], for laws with a restitution.
    stretch : (..., 3) array
        State of a :class:`Bristle` [m].
    at : float or (..., 3) array
        Point of application: 0 is `point_a`, 1 is `point_b`, 0.5 the midpoint (Römer 3-D, below
        Eq. 100); or explicit points, world frame.
    origin_a, origin_b : (..., 3) array, optional
        Reference points of twists and torques, for instance centres of mass, world frame; default the origins
        of the bodies' poses.

    Returns
    -------
    ContactForces

    Examples
    --------
    >>> import tangency as tg
    >>> ball, floor = tg.Sphere(0.1), tg.HalfSpace([0, 0, 1])
    >>> c = tg.contact(ball, floor, (None, [0, 0, 0.099]))
    >>> slide = ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    >>> f = tg.forces.on(c, slide, normal=tg.forces.Hertz(stiffness=1e6),
    ...                  friction=tg.forces.Tanh(coefficient=0.5, speed=1e-3))
    >>> f.force_a.round(6).tolist()
    [-15.811388, 0.0, 31.622777]
    >>> f.torque_a.round(6).tolist()
    [0.0, 1.573233, 0.0]
    """
    planar = hasattr(contact, "_forces_on")  # a planar contact, whose module is on a higher layer
    if not (planar or isinstance(contact, Contact)):
        raise TypeError(f"contact must be a Contact, got {type(contact).__name__}")
    for name, law, kind in (("normal", normal, NormalLaw), ("friction", friction, FrictionLaw)):
        if not isinstance(law, kind) and not (law is None and name == "friction"):
            raise TypeError(f"{name} must be a {kind.__name__}, for instance {_LAWS[name]}, got {law!r}")
    if planar:
        if rolling is not None or not np.array_equal(stretch, (0.0, 0.0, 0.0)):
            raise ValueError("rolling and stretch must not be given for planar contacts")
        options = {"friction": friction, "impact_speed": impact_speed, "at": at, "origin_a": origin_a}
        flat: Any = contact
        return flat._forces_on(twist_a, twist_b, normal=normal, origin_b=origin_b, **options)
    if not contact.converged.all():
        raise ValueError(f"contact must have converged: {contact.message}")
    n, depth = contact.normal, -contact.distance
    place = _place(contact, at)
    arm_a = place - _origin(contact, 0, origin_a, "origin_a")
    arm_b = place - _origin(contact, 1, origin_b, "origin_b")
    velocity_a, omega_a = _twist(twist_a, "twist_a")
    velocity_b, omega_b = _twist(twist_b, "twist_b")
    apart, slip = gap_motion(n, (arm_a, arm_b), (velocity_a, omega_a, velocity_b, omega_b))
    curvature = contact.relative_curvature if normal.needs_curvature else None
    load = normal.force(depth, -apart, impact_speed, curvature)
    push = load[..., None] * n
    if friction is None:
        tangential, stretch_rate = np.zeros_like(push), np.zeros_like(push)
    else:
        answer = friction.force(load, slip, stretch)
        tangential, stretch_rate = answer.force, answer.stretch_rate
    force_b = push + tangential
    torque_a, torque_b = np.cross(arm_a, -force_b), np.cross(arm_b, force_b)
    if rolling is not None:
        couple = rolling.torque(load, n, omega_b - omega_a)
        torque_a, torque_b = torque_a - couple, torque_b + couple
    found = {
        "force_a": -force_b,
        "force_b": force_b,
        "torque_a": torque_a,
        "torque_b": torque_b,
        "point": place,
        "normal": load,
        "friction": tangential,
        "depth": depth,
        "rate": -apart,
        "slip": slip,
        "stretch_rate": stretch_rate,
    }
    return ContactForces(**{name: value + 0.0 for name, value in found.items()})  # no -0.0


def gap_motion(n: np.ndarray, arms: tuple, twists: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Rate of the gap (...) and slip (..., 3) of B relative to A, from normals, both arms, and both twists."""
    names = "at and origin_a", "at and origin_b", "twist_a", "twist_a", "twist_b", "twist_b"
    given = zip(names, (v.shape[:-1] for v in (*arms, *twists)))
    shape = validate.broadcast({"contacts": n.shape[:-1], **dict(given)})
    normals, *parts = (np.broadcast_to(v, (*shape, 3)) for v in (n, *arms, *twists))
    rates, slips = np.empty(math.prod(shape)), np.empty((math.prod(shape), 3))
    both = (plain_rows(np.concatenate(part, axis=-1), (-1, 3 * len(part))) for part in (parts[:2], parts[2:]))
    relative_motions(plain_rows(normals, (-1, 3)), *both, rates, slips)
    return rates.reshape(shape), slips.reshape(*shape, 3)


def _place(contact: Contact, at: Any) -> np.ndarray:
    where = validate.array(at, "at")
    if where.ndim == 0:
        if not 0.0 <= where <= 1.0:
            raise ValueError(f"at must lie between 0 (point_a) and 1 (point_b), or be points, got {float(where):g}")
        return contact.point_a + (where * contact.distance)[..., None] * contact.normal
    return validate.vectors(at, "at")


def _origin(contact: Contact, side: int, given: Any, name: str) -> np.ndarray:
    if given is not None:
        return validate.vectors(given, name)
    _, rows, leading = contact._bodies[side]
    return Poses(rows, leading).translation


def _twist(twist: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    if twist is None:
        return np.zeros(3), np.zeros(3)
    if not isinstance(twist, tuple | list) or len(twist) != 2:
        raise TypeError(f"{name} must be None or (velocity, angular_velocity), got {twist!r}")
    return validate.vectors(twist[0], f"{name} velocity"), validate.vectors(twist[1], f"{name} angular velocity")
