"""A walking person in the sagittal plane, for chapter 6 of Lopes' thesis: a mechanism of trunk, legs and feet.

Masses, lengths, centres of mass and radii of gyration are those of Winter (Biomechanics and Motor Control of Human
Movement, 4th ed. 2009, Table 4.1 and Fig. 4.1), relative to the mass and the height of the body.  The foot has three
segments, calcaneus, mid-foot and toes, with two ellipsoids each; the numbers of the foot are chosen here, as the thesis
gives them only as a drawing (Fig. 6.3).  x is forward, z up; angles are positive from x to z, so that a positive angle
of the hip is flexion, of the knee extension and of the ankle dorsiflexion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import forces
from ..dynamics import Body, Interaction, JointSpring, Link, Mechanism, World
from ..shapes import Ellipsoid, HalfSpace, Sphere
from ..shapes.shape import Shape
from .foot_shapes import ELLIPSES, HALF_WIDTH, POINTS, sole

GRAVITY = 9.81
SIDES = ("right", "left")
KINDS = ("points", "ellipsoids")
FOOT = ("calcaneus", "midfoot", "toes")
#: Fractions of the mass and of the height; of the length, from the upper joint to the centre of mass and radius of
#: gyration.
TRUNK = (0.678, 0.288, 0.626, 0.496)
THIGH = (0.100, 0.245, 0.433, 0.323)
SHANK = (0.0465, 0.246, 0.433, 0.302)
FOOT_MASS = 0.0145
#: Share of the mass of the foot, centre of mass relative to the ball of the foot [m], radius of gyration [m].
FOOT_PARTS = {
    "calcaneus": (0.45, (-0.165, 0.0), 0.035),
    "midfoot": (0.40, (-0.06, 0.0), 0.03),
    "toes": (0.15, (0.03, -0.008), 0.02),
}
ANKLE, MIDTARSAL = np.array([-0.165, 0.045]), np.array([-0.112, 0.005])  # relative to the ball of the foot [m]
AXIS = (0.0, -1.0, 0.0)
STIFFNESS, DAMPING = 9.6e5, 3.0  # of all elements of a foot [N/m^1.5], Hunt and Crossley [s/m]
FRICTION, CREEP = 0.8, 0.05  # coefficient, speed that scales the tanh [m/s]
RADIUS = 1e-6  # of a point [m]
#: Springs in the joints of the foot [N m/rad, N m s/rad], which have no actuator.
SPRINGS = {"midfoot": (400.0, 2.0), "toes": (25.0, 0.6)}


class Element(NamedTuple):
    """A contact element of a foot."""

    part: str  #: of `FOOT`
    shape: Shape
    place: np.ndarray  #: (2,) x and z relative to the joint of the part [m]


def joint_of(part: str) -> np.ndarray:
    """Place of the joint of a part of the foot relative to the ball of the foot [m]."""
    return {"calcaneus": ANKLE, "midfoot": MIDTARSAL, "toes": np.zeros(2)}[part]


def elements(kind: str) -> list[Element]:
    """The contact elements of a foot: 6 ellipsoids or 31 points."""
    found = []
    for segment in ("hind", "toes"):
        if kind == "points":
            places = [(np.array(p), Sphere(RADIUS)) for p in sole(segment, POINTS[segment])]
        else:
            places = [(np.array([x, z]), Ellipsoid([a, HALF_WIDTH, c])) for x, z, a, c in ELLIPSES[segment]]
        for place, shape in places:
            hind = "calcaneus" if place[0] < MIDTARSAL[0] else "midfoot"
            part = hind if segment == "hind" else "toes"
            found.append(Element(part, shape, place - joint_of(part)))
    return found


def law(kind: str) -> Interaction:
    """The viscoelastic law with friction, of each element."""
    return Interaction(
        forces.HuntCrossley(stiffness=STIFFNESS / len(elements(kind)), exponent=1.5, damping=DAMPING),
        forces.Tanh(coefficient=FRICTION, speed=CREEP),
    )


def _limb(name: str, parent: str | None, numbers: tuple, mass: float, height: float, place: Any, up: bool) -> Link:
    share, length, centre, gyration = numbers
    size = length * height
    moment = share * mass * (gyration * size) ** 2
    at = [0.0, 0.0, centre * size if up else -centre * size]
    inertia = [moment, moment, 0.2 * moment]
    return Link(name, parent, "revolute", AXIS, place, mass=share * mass, centre_of_mass=at, inertia=inertia)


def links(kind: str, mass: float, height: float) -> list[Link]:
    """The links, with the contact elements of both feet."""
    made = [
        Link("forward", joint="prismatic", axis=[1, 0, 0]),
        Link("up", "forward", "prismatic", [0, 0, 1]),
        _limb("trunk", "up", TRUNK, mass, height, None, True),
    ]
    own = elements(kind)
    for k, side in enumerate(SIDES):
        hip = (None, [0.0, 0.2 * k - 0.1, 0.0])
        made.append(_limb(f"{side} thigh", "trunk", THIGH, mass, height, hip, False))
        knee = (None, [0.0, 0.0, -THIGH[1] * height])
        made.append(_limb(f"{side} shank", f"{side} thigh", SHANK, mass, height, knee, False))
        parent, place = f"{side} shank", np.array([0.0, -SHANK[1] * height])
        for part in FOOT:
            share, centre, gyration = FOOT_PARTS[part]
            weight = share * FOOT_MASS * mass
            at = np.array(centre) - joint_of(part)
            shapes = [(e.shape, (None, [e.place[0], 0.0, e.place[1]])) for e in own if e.part == part]
            made.append(
                Link(
                    f"{side} {part}",
                    parent,
                    "revolute",
                    AXIS,
                    (None, [place[0], 0.0, place[1]]),
                    shapes,
                    mass=weight,
                    centre_of_mass=[at[0], 0.0, at[1]],
                    inertia=[weight * gyration**2] * 3,
                )
            )
            following = FOOT.index(part) + 1
            if following < len(FOOT):
                parent, place = f"{side} {part}", joint_of(FOOT[following]) - joint_of(part)
    return made


def person(kind: str, mass: float, height: float, **given: Any) -> Mechanism:
    """The mechanism; further arguments as for :class:`Mechanism`."""
    springs = [
        JointSpring(f"{side} {part}", stiffness=k, damping=c) for side in SIDES for part, (k, c) in SPRINGS.items()
    ]
    return Mechanism("person", links(kind, mass, height), elements=springs, **given)


def world(kind: str, mechanism: Mechanism) -> World:
    """The person on a level ground."""
    return World([Body("ground", HalfSpace([0, 0, 1]))], interaction=law(kind), mechanisms=[mechanism])
