"""A body that rolls on a circle, by its pitch function (Römer 2-D, section 5, Eqs. 43-56)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..pitch.periodic import FULL
from ..pitch.pitch import Pitch
from ..pose import turned
from ..quadrature import integrals
from .line import Motion


class CircleContact(NamedTuple):
    """Contact of a body with the circle it rolls on, whose centre O is the origin."""

    reference: np.ndarray  #: (..., 2) position of the reference point P [m]
    contact: np.ndarray  #: (..., 2) contact point C [m]
    turn: np.ndarray  #: (...) clockwise angle of the body, alpha + phi [rad]
    curvature: np.ndarray  #: (...) of the body at C, negative where it is hollow [1/m]


@dataclass(frozen=True)
class RollingOnCircle:
    """A body that rolls, without slipping, on a fixed circle, from outside or, as a ring, around it.

    Parameters
    ----------
    pitch : Pitch
        The body, by its pitch function for the radius of the circle.  It may have hollow sections; with
        ``concave=True`` it is a ring that surrounds the circle.

    Notes
    -----
    ``alpha`` is the paper's angle between the body and the line from the centre O of the circle to P, and phi the
    angle of that line, both clockwise; phi = 0 at alpha = 0, where P is above O.  The contact point must be unique.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> coin = planar.RollingOnCircle(planar.pitch_from_shape(planar.Circle(0.01), 0.03))
    >>> round(float(coin.at(6 * np.pi).turn / (2 * np.pi)), 12)    # once around: four turns, not three
    4.0
    """

    pitch: Pitch

    def __post_init__(self) -> None:
        if not isinstance(self.pitch, Pitch):
            raise TypeError(f"pitch must be a Pitch, got {self.pitch!r}")
        if not self.pitch.radius > 0.0:
            raise ValueError("pitch must have a radius > 0, that of the circle, got 0")
        found = self.pitch.uniqueness()
        if not found:
            raise ValueError(f"pitch must have a unique contact point: {found}")

    @property
    def _sign(self) -> float:
        return -1.0 if self.pitch.concave else 1.0

    @cached_property
    def _whole_turn(self) -> float:
        return float(self._integral(np.array([FULL]))[0])

    def _slope(self, alpha: np.ndarray) -> np.ndarray:
        """d phi / d alpha (Eq. 52) with z_PC and z_C of Eqs. (55) and (56)."""
        g, g1, _ = self.pitch.values(alpha)
        return self._sign * np.hypot(g, g1) / self.pitch.radius - 1.0

    def _integral(self, rest: np.ndarray) -> np.ndarray:
        flat, place = np.unique(rest, return_inverse=True)
        breaks = self.pitch.function.breaks
        edges = np.union1d(np.append(flat, 0.0), breaks[breaks < flat.max(initial=0.0)])
        edges = np.union1d(edges, np.arange(0.0, edges[-1], 0.25 * np.pi))
        parts = integrals(lambda at: self._slope(at)[:, None], edges, np.ones(1)).values[:, 0]
        sums = np.concatenate([[0.0], np.cumsum(parts)])
        return sums[np.searchsorted(edges, flat)][place].reshape(rest.shape)

    def advance(self, alpha: ArrayLike) -> np.ndarray:
        """phi(alpha), the clockwise angle of the line from O to P [rad]: the integral of Eq. (52)."""
        alpha = validate.array(alpha, "alpha")
        turns = np.floor(alpha / FULL)
        whole = turns * self._whole_turn if turns.any() else 0.0
        return whole + self._integral(alpha - FULL * turns)

    def _arm(self, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """x_C and z_C (Eqs. 55, 56) and their derivatives in alpha."""
        g, g1, g2 = self.pitch.values(alpha)
        d = np.hypot(g, g1)
        k = self._sign * self.pitch.radius
        # (g1 / d)' and (g / d)' without cancellation
        turn = (g * g2 - g1 * g1) / d**3
        return k * g1 / d, k * g / d, k * g * turn, -k * g1 * turn

    def at(self, alpha: ArrayLike) -> CircleContact:
        """Position of P, contact point, angle of the body and its curvature."""
        alpha = validate.array(alpha, "alpha")
        phi = self.advance(alpha)
        kx, kz = _frame(phi)
        x, z, _, _ = self._arm(alpha)
        return CircleContact(
            reference=self.pitch.values(alpha).value[..., None] * kz,  # Eqs. (43), (48)
            contact=x[..., None] * kx + z[..., None] * kz,  # Eq. (44)
            turn=alpha + phi,
            curvature=self.pitch.at(alpha).curvature,  # Eq. (71)
        )

    def motion(self, alpha: ArrayLike, rate: ArrayLike, acceleration: ArrayLike = 0.0) -> Motion:
        """Velocity and acceleration of P for the clockwise angular velocity `rate` of the body and its derivative.

        The rate is that of alpha + phi (Eq. 51).
        """
        alpha = validate.array(alpha, "alpha")
        rate, second = validate.array(rate, "rate"), validate.array(acceleration, "acceleration")
        g, g1, _ = self.pitch.values(alpha)
        x, z, dx, dz = self._arm(alpha)
        inner = rate * self._sign * self.pitch.radius / np.hypot(g, g1)  # of alpha, by Eq. (52)
        outer = rate - inner  # of phi
        kx, kz = _frame(self.advance(alpha))
        # Eq. (51), z_PC = z_C - g, and its derivative; k_x turns by -outer k_z, k_z by outer k_x
        u, w = (g - z) * rate, x * rate
        du = (g - z) * second + (g1 - dz) * inner * rate + w * outer
        dw = x * second + dx * inner * rate - u * outer
        return Motion(
            u[..., None] * kx + w[..., None] * kz,
            du[..., None] * kx + dw[..., None] * kz,
        )

    def energy(
        self, alpha: ArrayLike, rate: ArrayLike, mass: float, inertia: float, gravity: float = 9.81
    ) -> np.ndarray:
        """Kinetic plus potential energy if P is the centre of mass [J]; gravity acts along -y."""
        velocity = self.motion(alpha, rate).velocity
        kinetic = 0.5 * mass * (velocity**2).sum(axis=-1) + 0.5 * inertia * np.asarray(rate) ** 2
        return kinetic + mass * gravity * self.at(alpha).reference[..., 1]

    def path(self, alpha: ArrayLike, point: ArrayLike = (0.0, 0.0)) -> np.ndarray:
        """Path of a body-fixed point, (..., 2), as the body rolls."""
        at = self.at(alpha)
        turn = np.stack([np.cos(at.turn), -np.sin(at.turn)], axis=-1)
        return at.reference + turned(turn, validate.vectors(point, "point", 2))


def _frame(phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """k_x and k_z in the inertial frame: k_z points from O to P."""
    c, s = np.cos(phi), np.sin(phi)
    return np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)
