"""A cam that lifts a roller tappet against a spring (Römer 2-D, section 6.2): the model and its forces."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import entry, jit
from ...io import validate
from ..minima import local_minima, piece_samples
from ..pitch.periodic import FULL, Polynomials
from ..pitch.pitch import Pitch
from ..pitch.profile import cam_pitch
from ..scalars import number, positive
from ..shapes.piecewise import piecewise_polynomial

# Numbers of a cam as compiled code reads them.
_OMEGA, _RADIUS, _MASS, _INERTIA, _SPRING, _REST, _STIFFNESS, _FRICTION, _SLIP, _DAMPING, PARAMETERS = range(11)


class TappetForces(NamedTuple):
    """Contact of cam and roller at some instants."""

    penetration: np.ndarray  #: delta, negative if there is a gap (Eq. 101) [m]
    rate: np.ndarray  #: d delta / dt (Eq. 102a) [m/s]
    slip: np.ndarray  #: relative tangential velocity (Eq. 102b) [m/s]
    normal: np.ndarray  #: F_Cn (Eq. 103) [N]
    tangential: np.ndarray  #: F_Ct (Eq. 105) [N]


@dataclass(frozen=True)
class CamTappet:
    """Cam, roller tappet and spring; the defaults are the paper's.

    Parameters
    ----------
    pitch : Pitch, optional
        The cam for its roller, almost convex; default Eq. (90) with R = 0.01 m.
    speed : float
        Angular velocity of the cam, constant and positive [rad/s].
    mass, roller_inertia : float
        Mass of tappet and roller [kg], moment of inertia of the roller about its axis [kg m^2].
    spring : float
        Stiffness c [N/m].
    rest : float
        z_0 of Eq. (106a): the spring presses with c (s + rest), s the distance of the roller's centre
        from the axis of the cam [m].
    modulus, poisson : (float, float)
        Young's moduli [N/m^2] and Poisson's ratios of cam and roller.
    restitution : float
        Coefficient c_r of Eq. (103), 0 < c_r <= 1.
    friction, slip_speed : float
        mu and k of Eq. (105): the friction is mu tanh(v / k) of the normal force.
    least_impact : float, optional
        Slowest impact velocity used in Eq. (103) [m/s]: contact that begins without an impact would
        divide by zero.  Default a tenth of the speed at which the preload decides.

    Notes
    -----
    The paper prints k = 100 m/s and says that large k approximates the sign function, which contradicts
    tanh(v / k); the default k = 0.01 m/s is what the text means.  Eq. (106b) does not say which way the
    angle of the roller counts; here it does as alpha, so that friction opposes the slip.

    Examples
    --------
    >>> from tangency import planar
    >>> cam = planar.CamTappet()
    >>> round(cam.rigid_lift_off_speed(), 3)
    78.21
    """

    pitch: Pitch = field(default_factory=cam_pitch)
    speed: float = 100.0
    mass: float = 0.025
    roller_inertia: float = 1.25e-6
    spring: float = 200.0
    rest: float = 0.0
    modulus: tuple[float, float] = (2.1e11, 2.1e11)
    poisson: tuple[float, float] = (0.3, 0.3)
    restitution: float = 0.6
    friction: float = 0.6
    slip_speed: float = 0.01
    least_impact: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.pitch, Pitch) or self.pitch.concave or not self.pitch.radius > 0:
            raise ValueError(f"pitch must be an almost convex Pitch with a radius > 0, got {self.pitch!r}")
        report = self.pitch.uniqueness()
        if not report:
            raise ValueError(f"pitch must have a unique contact point: {report}")
        for name in ("speed", "mass", "roller_inertia", "spring", "slip_speed"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        for name in ("modulus", "poisson"):
            pair = validate.vectors(getattr(self, name), name, 2)
            if pair.ndim != 1:
                raise ValueError(f"{name} must be two numbers, of cam and roller, got shape {pair.shape}")
            object.__setattr__(self, name, tuple(pair.tolist()))
        validate.positive(np.array(self.modulus), "modulus")
        validate.within(np.array(self.poisson), "poisson", -1.0, 0.5 + 1e-12)
        for name in ("rest", "restitution", "friction", "least_impact"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number(getattr(self, name), name))
        if not 0 < self.restitution <= 1:
            raise ValueError(f"restitution must lie between 0 (not included) and 1, got {self.restitution!r}")
        if not self.friction >= 0:
            raise ValueError(f"friction must be >= 0, got {self.friction!r}")
        if self.least_impact is not None and not self.least_impact > 0:
            raise ValueError(f"least_impact must be > 0, got {self.least_impact!r}")

    @cached_property
    def table(self) -> Polynomials:
        """The pitch function as quintic pieces, for compiled code."""
        return self.pitch.function.polynomials()

    @property
    def stiffness(self) -> float:
        """K of Eq. (104) without the curvature: 4/3 of the reduced modulus [N/m^2]."""
        (e1, e2), (n1, n2) = self.modulus, self.poisson
        return 4.0 / 3.0 / ((1 - n1 * n1) / e1 + (1 - n2 * n2) / e2)

    def numbers(self, damping: float) -> np.ndarray:
        """Parameters as compiled code reads them; `damping` is 3/2 (1 - c_r) over the impact velocity."""
        return np.array([
            self.speed, self.pitch.radius, self.mass, self.roller_inertia, self.spring, self.rest, self.stiffness,
            self.friction, self.slip_speed, damping,
        ])  # fmt: skip

    def preload(self, alpha: float) -> float:
        """Force of the spring while the roller touches at alpha [N]."""
        return self.spring * (float(self.pitch.values(alpha).value) + self.rest)

    def indentation(self, force: float, alpha: float) -> float:
        """Penetration at which the contact carries a force at rest (Eqs. 103, 104) [m]."""
        g, g1, g2 = self.pitch.values(alpha)
        bend = (g * g + 2.0 * g1 * g1 - g * g2) / np.hypot(g, g1) ** 3
        radius = self.pitch.radius * (1.0 - self.pitch.radius * bend)  # of relative curvature, 1 / (1/R + kappa)
        return float((max(force, 0.0) / (self.stiffness * np.sqrt(radius))) ** (2.0 / 3.0))

    @cached_property
    def impact_floor(self) -> float:
        """Slowest impact velocity used in Eq. (103) [m/s]."""
        if self.least_impact is not None:
            return float(self.least_impact)
        force = max(self.preload(0.0), 1e-6 * self.spring * self.pitch.radius)
        # An oscillator of Hertz's stiffness 3 F / (2 delta), swinging by delta.
        return 0.1 * math.sqrt(1.5 * force * self.indentation(force, 0.0) / self.mass)

    def impact_duration(self, speed: float) -> float:
        """Time that an elastic impact at `speed` takes by Hertz's theory, on the base circle [s]."""
        stiffness = 1.0 / self.indentation(1.0, 0.0) ** 1.5
        deepest = (1.25 * self.mass * speed * speed / stiffness) ** 0.4
        return 2.943275 * deepest / speed

    def rigid_lift_off_speed(self) -> float:
        """Speed above which a rigid roller would leave the cam [rad/s]; inf if none does.

        While it follows the cam, s = g(alpha), so that the normal force vanishes where the spring's force
        c (g + z_0) equals m (-g'') speed^2 (Eq. 106a without friction).
        """

        def square(alpha: np.ndarray) -> np.ndarray:
            g, _, g2 = self.pitch.function(alpha)
            return np.divide(self.spring * (g + self.rest), -self.mass * g2, out=np.full(alpha.shape, np.inf),
                             where=g2 < 0)  # fmt: skip

        inside = piece_samples(self.pitch.function.breaks, 1e-9) % FULL
        samples = np.union1d(np.arange(7200) * (FULL / 7200), inside)
        lowest = float(square(local_minima(square, samples)).min())
        return math.sqrt(max(lowest, 0.0))

    def forces(self, alpha: Any, state: Any, damping: Any) -> TappetForces:
        """Contact forces at angles and states (T, 4): s, ds/dt, roller angle and its rate."""
        alpha, state = np.atleast_1d(np.asarray(alpha, float)), np.atleast_2d(np.asarray(state, float))
        out = np.empty((len(alpha), 5))
        numbers = self.numbers(0.0)
        damping = np.broadcast_to(np.asarray(damping, float), alpha.shape).copy()
        _forces_of_many(alpha, np.ascontiguousarray(state), damping, numbers, *flat_table(self.table), out)
        return TappetForces(*out.T)


def flat_table(table: Polynomials) -> tuple[np.ndarray, np.ndarray]:
    """Knots and coefficients as `piecewise_polynomial` reads them."""
    return np.ascontiguousarray(table.knots), np.ascontiguousarray(table.coefficients).ravel()


@jit
def contact_forces(alpha, s, v, spin, p, knots, coefficients):
    """delta, its rate, the slip, F_n, F_t, and the direction (x_C, z_C) / R of the normal."""
    g, g1, g2 = piecewise_polynomial(knots, coefficients, alpha)
    d = math.sqrt(g * g + g1 * g1)
    x, z = g1 / d, g / d  # Eqs. (55b), (55c), over R
    omega, radius = p[_OMEGA], p[_RADIUS]
    delta = (g - s) * z  # Eq. (101), with r_M = -s k_z
    rate = (omega * g1 - v) * z  # Eq. (102a)
    slip = spin * radius + v * x - omega * (radius - g * z)  # Eq. (102b)
    if not delta > 0.0:
        return delta, rate, slip, 0.0, 0.0, x, z
    bend = (g * g + 2.0 * g1 * g1 - g * g2) / (d * d * d)
    # 1 / (1/R + kappa) = R (1 - R bend), with kappa from Eq. (71a)
    stiffness = p[_STIFFNESS] * math.sqrt(radius * (1.0 - radius * bend))  # Eq. (104)
    normal = max(stiffness * delta * math.sqrt(delta) * (1.0 + p[_DAMPING] * rate), 0.0)  # Eq. (103)
    return delta, rate, slip, normal, p[_FRICTION] * math.tanh(slip / p[_SLIP]) * normal, x, z  # Eq. (105)


@entry
def tappet_rates(t, y, p, knots, coefficients):
    """Derivatives of (s, ds/dt, roller angle, its rate), Eq. (106), with alpha = speed * t."""
    _, _, _, normal, tangential, x, z = contact_forces(p[_OMEGA] * t, y[0], y[1], y[3], p, knots, coefficients)
    upward = normal * z - tangential * x  # F_Cz, Eq. (100)
    out = np.empty(4)
    out[0], out[1] = y[1], (upward - p[_SPRING] * (y[0] + p[_REST])) / p[_MASS]
    out[2], out[3] = y[3], -p[_RADIUS] * tangential / p[_INERTIA]
    return out


@entry
def _forces_of_many(alpha, state, damping, p, knots, coefficients, out):
    for k in range(len(alpha)):
        p[_DAMPING] = damping[k]
        s = state[k]
        found = contact_forces(alpha[k], s[0], s[1], s[3], p, knots, coefficients)
        for j in range(5):
            out[k, j] = found[j]
