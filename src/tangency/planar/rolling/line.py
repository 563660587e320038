"""A convex body that rolls on a straight line (Römer 2-D, section 4), or on a circle from outside or inside."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import number
from ..jet import JET, evaluate_many
from ..pose import turned
from ..quadrature import integrals
from ..radii import extreme_radius
from ..shape import Shape, bounded
from .ground import Ground

AXES = np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])  # normals at alpha = 0, pi/2, pi, 3 pi/2


class LineContact(NamedTuple):
    """Contact of a body with the line or circle it rolls on."""

    reference: np.ndarray  #: (..., 2) position of the reference point P [m]
    contact: np.ndarray  #: (..., 2) contact point C on the ground [m]
    arm: np.ndarray  #: (..., 2) r_PC, from P to C, along and normal to the ground at C [m]
    curvature: np.ndarray  #: (...) of the body at C [1/m]


class Motion(NamedTuple):
    """Velocity and acceleration of the reference point of a rolling body."""

    velocity: np.ndarray  #: (..., 2) [m/s]
    acceleration: np.ndarray  #: (..., 2) [m/s^2]


@dataclass(frozen=True)
class RollingBody:
    """A convex body that rolls, without slipping, on the line y = 0 from above, or on a circle.

    Parameters
    ----------
    shape : Shape
        A single body.  Its origin is the paper's reference point P; use ``shape.seen_from(point)`` for
        another one (Eq. 42).
    start : float
        x of the reference point at alpha = 0 [m], the paper's x_P0.  On a circle, a length along it.
    radius : float
        inf for the line; positive for a circle below the origin, on which the body rolls from outside; negative for
        one above the origin, in which it rolls [m].  A body must be more curved than the bowl in which it rolls.

    Notes
    -----
    ``alpha`` is the paper's angle: positive if the body rotates clockwise and rolls towards +x; the
    body's own angle is ``-alpha``.  The paper's z is y here.  With phi the angle of the normal in the
    body, the paper's f_P(alpha) is g(phi) at phi = alpha - pi/2.

    On a circle, alpha is the angle between the body and the normal of the circle at the contact point.  There the
    body has rolled over the arc s(alpha) of its own boundary, so that it is turned by alpha + s / radius in all:
    nothing but the quadrature of the line is needed.  :class:`RollingOnCircle` uses the paper's equations (49) to (53)
    instead, for bodies that need not be convex.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> wheel = planar.RollingBody(planar.Circle(0.5))
    >>> wheel.at(2.0).contact.round(12).tolist()
    [1.0, 0.0]
    >>> marble = planar.RollingBody(planar.Circle(0.1), radius=-0.5)     # in a bowl: the centre moves on a circle
    >>> bool(abs(np.hypot(*(marble.at(3.0).reference - (0, 0.5))) - 0.4) < 1e-15)
    True
    """

    shape: Shape
    start: float = 0.0
    radius: float = math.inf

    def __post_init__(self) -> None:
        if bounded(self.shape, "shape").batch_shape:
            raise ValueError(f"shape must be a single body, got a stack of {self.shape.batch_shape}")
        object.__setattr__(self, "start", number(self.start, "start"))
        object.__setattr__(self, "radius", self.ground.radius)
        if self.radius < 0.0:
            self.ground.require_fit(float(extreme_radius(self.shape, 1)[0]), "radius")

    @cached_property
    def ground(self) -> Ground:
        """The line or circle on which the body rolls."""
        return Ground(self.radius)

    def height(self, alpha: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """f_P, f_P' and f_P'' (Eq. 18): the height of P above the line, and its derivatives in alpha."""
        n = normal_at(validate.array(alpha, "alpha"))
        h, x, radius = self.shape.jet(n)
        return h, n[..., 0] * x[..., 1] - n[..., 1] * x[..., 0], radius - h

    def travel(self, alpha: ArrayLike) -> np.ndarray:
        """x_P(alpha): the integral of f_P from 0 to alpha (Eq. 24), by quadrature with error control.

        On a circle, ``travel(alpha) + f_P'(alpha)`` is the length along it to the contact point.
        """
        alpha = validate.array(alpha, "alpha")
        # x_C - x_P = f_P' (Eq. 23) and x_C follows the arc length, so the integral over a full turn is the
        # arc length, and only the remaining part of a turn has to be integrated.
        turns = np.floor(alpha / (2.0 * np.pi))
        rest = alpha - 2.0 * np.pi * turns
        whole = turns * float(self.shape.arc_length) if turns.any() else 0.0
        return self.start + whole + self._integral(rest)

    def _integral(self, rest: np.ndarray) -> np.ndarray:
        flat, place = np.unique(rest, return_inverse=True)
        breaks = _within_turn(self.shape._breaks() + 0.5 * np.pi, flat.max(initial=0.0))
        edges = np.union1d(np.append(flat, 0.0), breaks)
        edges = np.union1d(edges, np.arange(0.0, edges[-1], 0.25 * np.pi))
        size = np.array([float(self.shape.bounding_radius)])
        # Eq. (24); a point, or a circle about its centre, has size 0 and nothing to integrate
        parts = integrals(lambda at: self.height(at)[0][:, None], edges, size).values[:, 0]
        sums = np.concatenate([[0.0], np.cumsum(parts)])
        return sums[np.searchsorted(edges, flat)][place].reshape(rest.shape)

    def turn(self, alpha: ArrayLike) -> np.ndarray:
        """Clockwise angle of the body [rad]: alpha itself on a line, alpha + s / radius on a circle."""
        alpha = validate.array(alpha, "alpha")
        return alpha + self.ground.curvature * self._arc(alpha) if self.ground.curvature else alpha

    def _arc(self, alpha: np.ndarray) -> np.ndarray:
        return self.travel(alpha) + self.height(alpha)[1]  # Eq. (25)

    def at(self, alpha: ArrayLike) -> LineContact:
        """Position of P, contact point and curvature at the angles `alpha`."""
        alpha = validate.array(alpha, "alpha")
        f, f1, f2 = self.height(alpha)
        arc = self.travel(alpha) + f1
        tangent, normal = self.ground.frame(arc)
        contact = self.ground.point(arc)
        radius = f + f2
        return LineContact(
            reference=contact - f1[..., None] * tangent + f[..., None] * normal,  # Eqs. (18), (24)
            contact=contact,  # Eq. (25)
            arm=np.stack([f1, -f], axis=-1),  # Eq. (26)
            curvature=np.divide(1.0, radius, out=np.full_like(f, np.inf), where=radius > 0),  # Eq. (37)
        )

    def motion(self, alpha: ArrayLike, rate: ArrayLike, acceleration: ArrayLike = 0.0) -> Motion:
        """Velocity and acceleration of P for the angular velocity `rate` of the body [rad/s] and its derivative.

        On a line, the angular velocity is the derivative of alpha.

        Examples
        --------
        >>> from tangency import planar
        >>> planar.RollingBody(planar.Circle(0.5)).motion(0.0, rate=2.0).velocity.tolist()
        [1.0, 0.0]
        """
        rate, second = validate.array(rate, "rate"), validate.array(acceleration, "acceleration")
        alpha = validate.array(alpha, "alpha")
        f, f1, f2 = self.height(alpha)
        k = self.ground.curvature
        # The angular velocity is that of alpha plus that of the normal of the ground at C, which travels by R alpha.
        inner = rate / (1.0 + k * (f + f2))
        along, up = f * rate, f1 * rate  # Eq. (22)
        # Its derivative, as in Eqs. (88a) and (88b); the last term turns the frame
        along2 = f * second + f1 * rate**2
        up2 = f1 * second + f2 * inner * rate - k * (f + f2) * inner * f * rate
        if not k:
            return Motion(_pairs(along, up), _pairs(along2, up2))
        tangent, normal = self.ground.frame(self._arc(alpha))
        velocity = along[..., None] * tangent + up[..., None] * normal
        return Motion(velocity, along2[..., None] * tangent + up2[..., None] * normal)

    def energy(
        self, alpha: ArrayLike, rate: ArrayLike, mass: float, inertia: float, gravity: float = 9.81
    ) -> np.ndarray:
        """Kinetic plus potential energy if P is the centre of mass (Eq. 86) [J]."""
        f, f1, _ = self.height(alpha)
        kinetic = 0.5 * (mass * (f * f + f1 * f1) + inertia) * np.asarray(rate) ** 2
        height = f if not self.ground.curvature else self.at(alpha).reference[..., 1]
        return kinetic + mass * gravity * height

    def pose(self, alpha: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Pose (angle, translation) of the body, for ``planar.contact``."""
        alpha = validate.array(alpha, "alpha")
        return -self.turn(alpha), self.at(alpha).reference

    def path(self, alpha: ArrayLike, point: ArrayLike = (0.0, 0.0)) -> np.ndarray:
        """Path of a body-fixed point, (..., 2), as the body rolls (Eq. 39)."""
        angle, reference = self.pose(alpha)
        turn = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return reference + turned(turn, validate.vectors(point, "point", 2))


def scalar_height(shape: Shape) -> Callable[[float], tuple[float, float, float]]:
    """f_P, f_P' and f_P'' of a single body as floats, without checks, for integrators."""
    rows, address = shape.rows, shape.address
    normal, out = np.empty((1, 2)), np.empty((1, JET))
    last: dict[float, tuple[float, float, float]] = {}

    def height(alpha: float) -> tuple[float, float, float]:
        # Rates and events ask for the same angle several times in a row.
        known = last.get(alpha)
        if known is not None:
            return known
        last.clear()
        last[alpha] = result = compute(alpha)
        return result

    def compute(alpha: float) -> tuple[float, float, float]:
        # phi = alpha - pi/2
        c, s = math.sin(alpha), -math.cos(alpha)
        normal[0, 0], normal[0, 1] = c, s
        evaluate_many(address, rows, 0, normal, out)
        h, x, y, radius = out[0].tolist()
        return h, c * y - s * x, radius - h

    return height


def normal_at(alpha: np.ndarray) -> np.ndarray:
    """Normals (..., 2) in the body at the angle alpha - pi/2; exact on the axes, in every turn.

    On an axis, a rounding error would decide between the two ends of a straight side.
    """
    quarter = np.rint(alpha / (0.5 * np.pi))
    rest = alpha - quarter * (0.5 * np.pi)
    rest = np.where(np.abs(rest) <= 4.0 * np.finfo(float).eps * np.abs(alpha), 0.0, rest)
    axis = AXES[(quarter % 4.0).astype(int)]
    c, s = np.cos(rest), np.sin(rest)
    return np.stack([c * axis[..., 0] - s * axis[..., 1], s * axis[..., 0] + c * axis[..., 1]], axis=-1)


def _pairs(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack(np.broadcast_arrays(x, y), axis=-1)


def _within_turn(angles: np.ndarray, top: float) -> np.ndarray:
    angles = angles % (2.0 * np.pi)
    return angles[angles < top]
