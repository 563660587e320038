"""A walking person in the sagittal plane, chapter 6 of Lopes' thesis: trunk, thighs, shanks and feet of three segments.

Masses, lengths, centres of mass and radii of gyration are those of Winter (Biomechanics and Motor Control of Human
Movement, 4th ed. 2009, Table 4.1 and Fig. 4.1), relative to mass and height.  The mass of the foot is his, too; how its
segments share it is chosen here.  Passive torques of hip, knee and ankle have the coefficients of Anderson's thesis
(1999), as printed by Falisse et al. (J. R. Soc. Interface 16, 2019, 20190402).  x is forward, z up; angles are positive
from x to z: flexion of the hip, extension of the knee, dorsiflexion of the ankle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dynamics import Body, JointSpring, Link, Mechanism, PassiveTorque, World
from ...shapes import HalfSpace
from .foot import JOINTS, PARTS, Foot

SIDES = ("right", "left")
ROOT, LEG, ACTUATED = 3, 5, 3  # degrees of freedom of the trunk, of a leg, of these with an actuator
AXIS = (0.0, -1.0, 0.0)
HALF_HIPS = 0.1  # half the distance of the hips [m]; no effect in the plane


class Limb(NamedTuple):
    """Fractions of the mass and height of the body; and of its length, to its centre of mass and its gyration."""

    mass: float
    length: float
    centre: float
    gyration: float


TRUNK, THIGH, SHANK = (
    Limb(0.678, 0.288, 0.626, 0.496),
    Limb(0.100, 0.245, 0.433, 0.323),
    Limb(0.0465, 0.246, 0.433, 0.302),
)
FOOT_MASS = 0.0145
#: Share of the mass of the foot; centre of mass relative to the ball of the foot and radius of gyration [m].
FOOT_PARTS: dict[str, tuple[float, tuple[float, float], float]] = {
    "calcaneus": (0.45, (-0.165, 0.0), 0.035),
    "midfoot": (0.40, (-0.06, 0.0), 0.03),
    "toes": (0.15, (0.03, -0.008), 0.02),
}
#: Joints of the foot have no actuators, but springs, chosen here [N m/rad, N m s/rad].
SPRINGS = {"midfoot": (400.0, 2.0), "toes": (25.0, 0.6)}
#: low, high [rad] and the coefficients of :class:`PassiveTorque`, [N m] and [1/rad].
PASSIVE = {
    "thigh": (-0.6981, 1.81, (1.51, 21.88, 2.44, 5.05)),
    "shank": (-2.4, 0.13, (11.03, 11.33, 6.09, 33.94)),
    "calcaneus": (-0.74, 0.52, (0.18, 12.12, 2.03, 38.11)),
}
DAMPING = 0.1  # of the passive torques [N m s/rad]


def _limb(name: str, parent: str, limb: Limb, body: tuple[float, float], place: Any, upwards: bool) -> Link:
    mass, size = limb.mass * body[0], limb.length * body[1]
    moment = mass * (limb.gyration * size) ** 2
    at = [0.0, 0.0, limb.centre * size * (1.0 if upwards else -1.0)]
    inertia = [moment, moment, 0.2 * moment]
    return Link(name, parent, "revolute", AXIS, place, mass=mass, centre_of_mass=at, inertia=inertia)


def _foot_part(name: str, parent: str, foot: Foot, mass: float, place: np.ndarray) -> Link:
    part = name.split()[1]
    share, centre, gyration = FOOT_PARTS[part]
    own, at = share * FOOT_MASS * mass, np.array(centre) - JOINTS[part]
    shapes: Any = [(e.shape, (None, [e.place[0], 0.0, e.place[1]])) for e in foot.of_part(part)]
    pose: Any = (None, [place[0], 0.0, place[1]])
    given: Any = {"mass": own, "centre_of_mass": [at[0], 0.0, at[1]], "inertia": [own * gyration**2] * 3}
    return Link(name, parent, "revolute", AXIS, pose, shapes, **given)


def links(foot: Foot, mass: float, height: float) -> list[Link]:
    """The links; both feet have the same elements."""
    body = (mass, height)
    made = [
        Link("forward", joint="prismatic", axis=[1, 0, 0]),
        Link("up", "forward", "prismatic", [0, 0, 1]),
        _limb("trunk", "up", TRUNK, body, None, True),
    ]
    for side, across in zip(SIDES, (-HALF_HIPS, HALF_HIPS)):
        knee = (None, [0.0, 0.0, -THIGH.length * height])
        made.append(_limb(f"{side} thigh", "trunk", THIGH, body, (None, [0.0, across, 0.0]), False))
        made.append(_limb(f"{side} shank", f"{side} thigh", SHANK, body, knee, False))
        parent, place = f"{side} shank", np.array([0.0, -SHANK.length * height])
        for part, following in zip(PARTS, (*PARTS[1:], None)):
            made.append(_foot_part(f"{side} {part}", parent, foot, mass, place))
            if following is not None:
                parent, place = f"{side} {part}", JOINTS[following] - JOINTS[part]
    return made


def person(foot: Foot, mass: float, height: float, more: Sequence[Link] = (), **given: Any) -> Mechanism:
    """The mechanism, with more links if there are any; further arguments as for :class:`Mechanism`."""
    springs = [
        JointSpring(f"{side} {part}", stiffness=k, damping=c) for side in SIDES for part, (k, c) in SPRINGS.items()
    ]
    passive = [
        PassiveTorque(f"{side} {part}", low, high, coefficients, DAMPING)
        for side in SIDES
        for part, (low, high, coefficients) in PASSIVE.items()
    ]
    return Mechanism("person", [*links(foot, mass, height), *more], elements=[*springs, *passive], **given)


def world(foot: Foot, *mechanisms: Mechanism) -> World:
    """The person on a level ground."""
    return World((Body("ground", HalfSpace([0, 0, 1])),), interaction=foot.law, mechanisms=mechanisms)


def actuated() -> np.ndarray:
    """Places of the joints with an actuator: hip, knee and ankle of the right leg, then of the left."""
    return np.concatenate([ROOT + LEG * side + np.arange(ACTUATED) for side in range(len(SIDES))])
