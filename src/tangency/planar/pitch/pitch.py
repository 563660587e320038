"""Contact between a body and a circle by the pitch function g_R(alpha) (Römer 2-D, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import not_negative
from ..radii import direction
from ..shapes.piecewise import PiecewiseShape
from .periodic import PeriodicFunction, Values
from .polar import by_normal, curve_of, interpolant, offset_function
from .uniqueness import Uniqueness, uniqueness


class PitchContact(NamedTuple):
    """Contact of a body with a circle, in the frame of the body; the leading axes of all arrays are those of alpha."""

    point: np.ndarray  #: (..., 2) contact point C, r_PC (Eq. 63) [m]
    centre: np.ndarray  #: (..., 2) centre O of the circle that touches there (Eq. 77) [m]
    tangent: np.ndarray  #: (..., 2) unit tangent (Eq. 67)
    normal: np.ndarray  #: (..., 2) unit normal from the circle to the body (Eq. 67)
    curvature: np.ndarray  #: (...) of the body, positive where it is convex (Eq. 71) [1/m]


@dataclass(frozen=True, repr=False)
class Pitch:
    """A body described by the path of the centre of a touching circle.

    Parameters
    ----------
    function : PeriodicFunction
        g_R(alpha) > 0, with two derivatives [m]: distance between the circle's centre O and the reference
        point P while the circle touches the body.  O lies at the polar angle alpha - pi/2 in the frame of the body.
    radius : float
        Radius R >= 0 of the circle [m]; 0 means that g is the boundary itself (Eq. 76).
    concave : bool
        False: the circle touches from outside, the body is almost convex.  True: it rolls inside a body
        that is almost concave.

    Notes
    -----
    The body may have concave sections, as long as the circle fits them; :meth:`uniqueness` checks this.  In
    Eqs. (56a), (75a) and (76a) as printed, the sign of the right-hand side is missing.

    Examples
    --------
    >>> from tangency import planar
    >>> cam = planar.cam_pitch(0.01)
    >>> cam.at(0.0).point.round(12).tolist(), float(cam.at(0.0).curvature.round(9))
    ([0.0, -0.01], 100.0)
    """

    function: PeriodicFunction
    radius: float
    concave: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.function, PeriodicFunction):
            raise TypeError(f"function must be a PeriodicFunction, got {self.function!r}")
        if not isinstance(self.concave, bool | np.bool_):
            raise TypeError(f"concave must be True or False, got {self.concave!r}")
        object.__setattr__(self, "radius", not_negative(self.radius, "radius"))
        # A kink of the boundary itself is a corner; a kink of the pitch curve means two simultaneous contacts.
        self.function.require_continuous("function", derivative=self.radius > 0)
        g = self.function(np.arange(720) * np.pi / 360).value
        if not (g > 0).all():
            raise ValueError(
                f"function must be > 0 (Römer 2-D, Eq. 48), got {g.min():.6g} at alpha = {g.argmin() * np.pi / 360:.6g}"
            )
        self.function.require_derivatives("function")

    def __repr__(self) -> str:
        g = self.function(np.arange(720) * np.pi / 360).value
        return f"Pitch(g from {g.min():.6g} to {g.max():.6g}, radius={self.radius:.6g}, concave={self.concave})"

    def values(self, alpha: ArrayLike) -> Values:
        """Pitch function g_R and its two derivatives."""
        return self.function(validate.array(alpha, "alpha"))

    def reduced(self, alpha: ArrayLike) -> np.ndarray:
        """Reduced pitch function g_R - R (Eq. 74); tends to f_P of section 4 as R grows."""
        return self.values(alpha).value - self.radius

    def at(self, alpha: ArrayLike) -> PitchContact:
        """Contact point, tangent, normal and curvature at the angles `alpha`."""
        alpha = validate.array(alpha, "alpha")
        g, g1, g2 = self.function(alpha)
        d = np.hypot(g, g1)
        sign = -1.0 if self.concave else 1.0
        kx, kz = direction(alpha), direction(alpha + 0.5 * np.pi)  # Eq. (64)
        # Eqs. (55), (56): x_C / R and z_C / R
        x, z = (sign * g1 / d)[..., None], (sign * g / d)[..., None]
        tangent, normal = z * kx - x * kz, x * kx + z * kz  # Eq. (67)
        centre = -g[..., None] * kz  # Eq. (77)
        # Eq. (71), expressed by the curvature of the pitch curve (Eq. 76c), whose parallel curve is the
        # boundary: equivalent, and also defined for R = 0.
        bend = (g * g + 2.0 * g1 * g1 - g * g2) / d**3
        room = 1.0 - sign * self.radius * bend
        curvature = np.divide(sign * bend, room, out=np.full_like(bend, np.inf), where=room != 0)
        return PitchContact(centre + self.radius * normal, centre, tangent, normal, curvature)

    def gap(self, centre: ArrayLike) -> np.ndarray:
        """Gap between the body and the circle whose centre lies at `centre` in the frame of the body.

        The paper's negative penetration -delta (Eq. 101) at the potential contact point: exact at contact,
        elsewhere measured along the normal that belongs to the direction of the centre.
        """
        centre = validate.vectors(centre, "centre", 2)
        alpha = np.arctan2(centre[..., 1], centre[..., 0]) + 0.5 * np.pi
        g, g1, _ = self.function(alpha)
        room = np.linalg.norm(centre, axis=-1) - g
        return (-room if self.concave else room) * g / np.hypot(g, g1)

    def uniqueness(self) -> Uniqueness:
        """Whether the contact point is unique (Eqs. 72, 73), and the first angle at which it is not."""
        return uniqueness(self.function, self.radius, self.concave)

    def change_radius(self, radius: float) -> Pitch:
        """Pitch function of the same body and a circle of another radius: Eq. (84), solved along its characteristics.

        Parameters
        ----------
        radius : float
            Radius of the new circle [m], >= 0.

        Returns
        -------
        Pitch

        Raises
        ------
        ValueError
            If the new circle does not fit a concave section of the body; the message names the angle.

        Examples
        --------
        >>> from tangency import planar
        >>> cam = planar.cam_pitch(0.01)
        >>> round(float(cam.change_radius(0.004).values(0.0).value), 12)
        0.014
        """
        radius = not_negative(radius, "radius")
        distance = (radius - self.radius) * (-1.0 if self.concave else 1.0)
        if distance == 0.0:
            return self
        function = offset_function(curve_of(self.function), self.function.breaks, distance)
        return Pitch(function, radius, self.concave)

    def convex_shape(self) -> PiecewiseShape:
        """The body as a planar shape, by its support function: the limit R -> infinity (Eqs. 74, 75).

        Raises
        ------
        ValueError
            If the body is not convex; the message names the angle.

        Examples
        --------
        >>> from tangency import planar
        >>> pitch = planar.pitch_from_shape(planar.Ellipse([0.03, 0.02]), 0.01)
        >>> (pitch.convex_shape().point([0, 1]).round(12) + 0.0).tolist()
        [0.0, 0.02]
        """
        alpha = np.arange(7200) * (np.pi / 3600)
        bend = self.at(alpha).curvature
        if self.concave or (bend <= 0).any():
            worst = 0.0 if self.concave else float(alpha[bend.argmin()])
            raise ValueError(f"the body must be convex, but its curvature is {bend.min():.6g} at alpha = {worst:.6g}")
        table, _ = interpolant(curve_of(self.function), self.function.breaks, -self.radius, by_normal)
        return PiecewiseShape(*table)
