"""A foot of three segments with contact elements: their layout, number and stiffness are the user's.

Places are those of the flat foot relative to the ball of the foot, the joint of the toes: x forward, z up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import forces
from ...dynamics import Interaction
from ...io import validate
from ...shapes import Ellipsoid, Sphere
from ...shapes.shape import Shape
from ..foot_shapes import ELLIPSES, HALF_WIDTH, POINTS, sole

PARTS = ("calcaneus", "midfoot", "toes")
#: Joints of the parts relative to the ball of the foot [m].
JOINTS = {"calcaneus": np.array([-0.165, 0.045]), "midfoot": np.array([-0.112, 0.005]), "toes": np.zeros(2)}
RADIUS = 1e-6  # of a point [m]


class Element(NamedTuple):
    """A contact element."""

    shape: Shape
    place: np.ndarray  #: (2,) x and z relative to the ball of the foot [m]

    @property
    def part(self) -> str:
        """The segment that carries it: behind the joint of the mid-foot, behind the joint of the toes, or before it."""
        x = float(self.place[0])
        return "calcaneus" if x < JOINTS["midfoot"][0] else "midfoot" if x < 0.0 else "toes"


@dataclass(frozen=True, eq=False)
class Foot:
    """Contact elements of a foot and their law, F = stiffness / count * depth^exponent (1 + damping * rate).

    Parameters
    ----------
    elements : sequence of Element
        Any shapes that are symmetric about the sagittal plane.
    stiffness : float
        Of all elements together [N/m^exponent].
    exponent : float
        Of the depth.
    damping : float
        Of Hunt and Crossley [s/m].
    friction : float
        Coefficient of friction.
    creep : float
        Speed that scales the tanh of the friction [m/s].
    """

    elements: Sequence[Element]
    stiffness: float = 9.6e5
    exponent: float = 1.5
    damping: float = 3.0
    friction: float = 0.8
    creep: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "elements", tuple(self.elements))
        if not self.elements or not all(isinstance(element, Element) for element in self.elements):
            raise ValueError(f"elements must be at least one Element, got {self.elements!r}")
        for name in ("stiffness", "exponent", "friction", "creep"):
            validate.positive(validate.array(getattr(self, name), name), name)

    @property
    def law(self) -> Interaction:
        """The law of each element."""
        each = self.stiffness / len(self.elements)
        return Interaction(
            forces.HuntCrossley(stiffness=each, exponent=self.exponent, damping=self.damping),
            forces.Tanh(coefficient=self.friction, speed=self.creep),
        )

    def of_part(self, part: str) -> list[Element]:
        """Elements of a segment, with places relative to its joint."""
        return [e._replace(place=e.place - JOINTS[part]) for e in self.elements if e.part == part]


def foot_of_ellipsoids(ellipses: ArrayLike | None = None, **law: float) -> Foot:
    """A foot of ellipsoids.

    Parameters
    ----------
    ellipses : (n, 4) array_like, optional
        Centres x, z and semi-axes along x, z [m]; default six.
    **law
        See :class:`Foot`.
    """
    table = np.concatenate(list(ELLIPSES.values())) if ellipses is None else validate.array(ellipses, "ellipses")
    if table.ndim != 2 or table.shape[1] != 4:
        raise ValueError(f"ellipses must have shape (n, 4), got shape {table.shape}")
    return Foot([Element(Ellipsoid([a, HALF_WIDTH, c]), np.array([x, z])) for x, z, a, c in table], **law)


def foot_of_points(count: int = sum(POINTS.values()), **law: float) -> Foot:
    """A foot of points, about equally spaced on the sole around the six ellipsoids.

    Parameters
    ----------
    count : int
        Number of points, at least 4.
    **law
        See :class:`Foot`.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 4:
        raise ValueError(f"count must be a whole number >= 4, got {count!r}")
    toes = max(2, round(count * POINTS["toes"] / sum(POINTS.values())))
    places = np.concatenate([sole("hind", count - toes), sole("toes", toes)])
    return Foot([Element(Sphere(RADIUS), place) for place in places], **law)


#: The two models of the thesis.
KINDS: dict[str, Callable[..., Foot]] = {"points": foot_of_points, "ellipsoids": foot_of_ellipsoids}
