"""A convex body that rolls on a straight line (Römer 2-D, section 4)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import number
from ..jet import JET, evaluate_many
from ..pose import turned
from ..quadrature import integrals
from ..shape import Shape, bounded

AXES = np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])  # normals at alpha = 0, pi/2, pi, 3 pi/2


class LineContact(NamedTuple):
    """Contact of a body with the line it rolls on; the line is the x axis, the body above it."""

    reference: np.ndarray  #: (..., 2) position of the reference point P [m]
    contact: np.ndarray  #: (..., 2) contact point C on the line [m]
    arm: np.ndarray  #: (..., 2) r_PC, from P to C in the frame of the line [m]
    curvature: np.ndarray  #: (...) of the body at C [1/m]


class Motion(NamedTuple):
    """Velocity and acceleration of the reference point of a rolling body."""

    velocity: np.ndarray  #: (..., 2) [m/s]
    acceleration: np.ndarray  #: (..., 2) [m/s^2]


@dataclass(frozen=True)
class RollingBody:
    """A convex body that rolls, without slipping, on the line y = 0 from above.

    Parameters
    ----------
    shape : Shape
        A single body.  Its origin is the paper's reference point P; use ``shape.seen_from(point)`` for
        another one (Eq. 42).
    start : float
        x of the reference point at alpha = 0 [m], the paper's x_P0.

    Notes
    -----
    ``alpha`` is the paper's angle: positive if the body rotates clockwise and rolls towards +x; the
    body's own angle is ``-alpha``.  The paper's z is y here.  With phi the angle of the normal in the
    body, the paper's f_P(alpha) is g(phi) at phi = alpha - pi/2.

    Examples
    --------
    >>> from tangency import planar
    >>> wheel = planar.RollingBody(planar.Circle(0.5))
    >>> wheel.at(2.0).contact.round(12).tolist()
    [1.0, 0.0]
    """

    shape: Shape
    start: float = 0.0

    def __post_init__(self) -> None:
        if bounded(self.shape, "shape").batch_shape:
            raise ValueError(f"shape must be a single body, got a stack of {self.shape.batch_shape}")
        object.__setattr__(self, "start", number(self.start, "start"))

    def height(self, alpha: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """f_P, f_P' and f_P'' (Eq. 18): the height of P above the line, and its derivatives in alpha."""
        n = normal_at(validate.array(alpha, "alpha"))
        h, x, radius = self.shape.jet(n)
        return h, n[..., 0] * x[..., 1] - n[..., 1] * x[..., 0], radius - h

    def travel(self, alpha: ArrayLike) -> np.ndarray:
        """x_P(alpha): the integral of f_P from 0 to alpha (Eq. 24), by quadrature with error control."""
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

    def at(self, alpha: ArrayLike) -> LineContact:
        """Position of P, contact point and curvature at the angles `alpha`."""
        alpha = validate.array(alpha, "alpha")
        f, f1, f2 = self.height(alpha)
        x = self.travel(alpha)
        zero = np.zeros_like(f)
        radius = f + f2
        return LineContact(
            reference=np.stack([x, f], axis=-1),  # Eqs. (18), (24)
            contact=np.stack([x + f1, zero], axis=-1),  # Eq. (25)
            arm=np.stack([f1, -f], axis=-1),  # Eq. (26)
            curvature=np.divide(1.0, radius, out=np.full_like(f, np.inf), where=radius > 0),  # Eq. (37)
        )

    def motion(self, alpha: ArrayLike, rate: ArrayLike, acceleration: ArrayLike = 0.0) -> Motion:
        """Velocity and acceleration of P for the angular velocity `rate` [rad/s] and its derivative.

        Examples
        --------
        >>> from tangency import planar
        >>> planar.RollingBody(planar.Circle(0.5)).motion(0.0, rate=2.0).velocity.tolist()
        [1.0, 0.0]
        """
        rate, second = validate.array(rate, "rate"), validate.array(acceleration, "acceleration")
        f, f1, f2 = self.height(alpha)
        velocity = np.stack(np.broadcast_arrays(f * rate, f1 * rate), axis=-1)  # Eq. (22)
        # Its derivative, as in Eqs. (88a) and (88b)
        along, up = f * second + f1 * rate**2, f1 * second + f2 * rate**2
        return Motion(velocity, np.stack(np.broadcast_arrays(along, up), axis=-1))

    def pose(self, alpha: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Pose (angle, translation) of the body, for ``planar.contact``."""
        alpha = validate.array(alpha, "alpha")
        return -alpha, self.at(alpha).reference

    def path(self, alpha: ArrayLike, point: ArrayLike = (0.0, 0.0)) -> np.ndarray:
        """Path of a body-fixed point, (..., 2), as the body rolls (Eq. 39)."""
        angle, reference = self.pose(alpha)
        turn = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return reference + turned(turn, validate.vectors(point, "point", 2))


def scalar_height(shape: Shape) -> Callable[[float], tuple[float, float, float]]:
    """f_P, f_P' and f_P'' of a single body as floats, without checks, for integrators."""
    rows, address = shape.rows, shape.address
    normal, out = np.empty((1, 2)), np.empty((1, JET))

    def height(alpha: float) -> tuple[float, float, float]:
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


def _within_turn(angles: np.ndarray, top: float) -> np.ndarray:
    angles = angles % (2.0 * np.pi)
    return angles[angles < top]
