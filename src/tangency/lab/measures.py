"""Contacts of an arrangement, and the ellipses and vectors that explain the contact under study."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..contacts.bodies import Bodies
from ..contacts.result import Contact
from ..forces.ellipse import ContactEllipse, contact_ellipse
from ..geometry.curvature import Curvature, frame
from ..shapes.shape import Shape
from .arrangement import Arrangement

CORNERS = 72  # of a drawn ellipse
MAX_PAIRS = 500  # computed at every update: all pairs of 32 bodies


@dataclass(frozen=True)
class Measured:
    """Contacts of all pairs; that of the pair under study is the last.

    Attributes
    ----------
    pairs : tuple of (name, name)
    contacts : Contact
        One for each pair.
    left_out : int
        Number of pairs that are not computed, since a scene has more than `MAX_PAIRS`: those without A and without B.
    """

    pairs: tuple[tuple[str, str], ...]
    contacts: Contact
    left_out: int

    @property
    def studied(self) -> Contact:
        """The contact under study."""
        return self.contacts[len(self.pairs) - 1]


class Contacts:
    """Contacts of arrangements; bodies whose shapes stay the same are prepared once."""

    def __init__(self) -> None:
        self._shapes: tuple[Shape, ...] = ()
        self._bodies: Bodies | None = None

    def of(self, arrangement: Arrangement) -> Measured:
        """Contacts of all pairs of the scene, or of those with A or B if there are many; A and B come last."""
        scene, number = arrangement.scene, {name: k for k, name in enumerate(arrangement.names)}
        shapes = tuple(body.shape for body in scene.bodies)
        if (
            self._bodies is None
            or any(a is not b for a, b in zip(shapes, self._shapes))
            or len(shapes) != len(self._shapes)
        ):
            self._shapes, self._bodies = shapes, Bodies(shapes)
        own = set(arrangement.pair)
        known = [(a.name, b.name) for a, b in scene.queried() if {a.name, b.name} != own]
        pairs = known if len(known) < MAX_PAIRS else [pair for pair in known if own & set(pair)]
        left_out = len(known) - len(pairs)
        pairs.append(arrangement.pair)
        poses = np.array([body.pose.as_matrix() for body in scene.bodies])
        numbers = [(number[a], number[b]) for a, b in pairs]
        contacts = self._bodies.contact(numbers, poses, threads=1, **scene.options)
        return Measured(tuple(pairs), contacts, left_out)


def ring(centre: np.ndarray, long: np.ndarray, short: np.ndarray) -> np.ndarray:
    """Closed polygon of the ellipse with these semi-axes, (CORNERS, 3)."""
    angle = np.linspace(0.0, 2.0 * math.pi, CORNERS, endpoint=False)[:, None]
    return centre + np.cos(angle) * long + np.sin(angle) * short


def dupin_ring(point: np.ndarray, curvature: Curvature, depth: float, limit: float) -> np.ndarray:
    """Dupin's indicatrix: where a plane parallel to the tangent plane, `depth` below, meets the osculating surface.

    Its semi-axes are sqrt(2 R depth), at most `limit`, since they are infinite on a flat place.
    """
    with np.errstate(over="ignore"):
        axes = np.minimum(np.sqrt(2.0 * np.abs(curvature.radii) * depth), limit)
    return ring(point, axes[1] * curvature.directions[1], axes[0] * curvature.directions[0])


class Hertz(NamedTuple):
    """The contact ellipse under a load, or the reason why there is none."""

    ellipse: ContactEllipse | None
    polygon: np.ndarray  #: (CORNERS, 3), or (0, 3)
    reason: str


def hertz_ring(contact: Contact, load: float, modulus: float) -> Hertz:
    """Hertz's contact ellipse in the tangent plane, midway between the contact points."""
    curvature = contact.relative_curvature
    values = curvature.values
    if not (np.isfinite(values).all() and (values > 0).all()):
        low, high = sorted(values.tolist())
        reason = (
            f"no contact ellipse: the gap has the curvatures {low:.3g} and {high:.3g} per metre, a point needs both"
        )
        return Hertz(None, np.empty((0, 3)), f"{reason} finite and positive")
    found = contact_ellipse(load, values, modulus)
    middle = 0.5 * (contact.point_a + contact.point_b)
    # The longer semi-axis lies along the direction of smaller curvature, which is the second one.
    long, short = (axis * way for axis, way in zip(found.semi_axes, curvature.directions[::-1]))
    return Hertz(found, ring(middle, long, short), "")


def tangent_square(point: np.ndarray, normal: np.ndarray, half_width: float) -> np.ndarray:
    """Corners of a square in the tangent plane, (4, 3)."""
    t, s = frame(normal)
    return point + half_width * np.array([-t - s, t - s, t + s, s - t])


def slopes(contact: Contact) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the distance by the position of B and by its rotation [m/rad], along the axes of the world."""
    row = contact.jacobian("distance", "pose_b")
    return row[:3], row[3:]
