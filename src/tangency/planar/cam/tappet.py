"""A cam that lifts a follower against a spring (Römer 2-D, section 6.2): the model and its forces."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.jit import entry, jit
from ...forces.friction_base import FrictionLaw
from ...forces.friction_kernel import friction_force
from ...forces.friction_laws import Tanh
from ...forces.impact import depth_storing, depth_under
from ...forces.material import Material
from ...forces.normal_base import NormalLaw
from ...forces.normal_kernel import normal_force
from ...forces.normal_laws import HuntCrossley
from ...io import validate
from ...io.numbers import number, positive
from ..minima import local_minima, piece_samples
from ..pitch.periodic import FULL, Polynomials
from ..pitch.pitch import Pitch
from ..pitch.profile import cam_pitch
from .follower_table import FollowerTable, table_at
from .motion import CamMotion, cam_motion

# Parameters of a cam for compiled code.
_OMEGA, _RADIUS, _MASS, _INERTIA, _SPRING, _REST, _IMPACT, _SURGE, _DRAG = range(9)

# First surge u sin(pi x / L) of a uniform spring with the mass M, held at x = 0 and moved by s x / L: its modal mass
# over M, its stiffness over c, what it feels of the follower's acceleration, and the part of the third of M that moves
# with the follower and is not in it.  The same as a mass of 9 M / (2 pi^2) at two thirds of a spring without mass.
SURGING, STIFF, FELT = 0.5, 0.5 * math.pi**2, 2.0 / math.pi
CARRIED = 1.0 / 3.0 - SURGING * FELT**2


class TappetForces(NamedTuple):
    """Contact of cam and follower at given times."""

    penetration: np.ndarray  #: delta, negative if there is a gap (Eq. 101) [m]
    rate: np.ndarray  #: d delta / dt (Eq. 102a) [m/s]
    slip: np.ndarray  #: relative tangential velocity (Eq. 102b) [m/s]
    normal: np.ndarray  #: F_Cn (Eq. 103) [N]
    tangential: np.ndarray  #: F_Ct (Eq. 105) [N]


@dataclass(frozen=True)
class CamTappet:
    """Cam, follower and spring; the defaults are the paper's.

    Parameters
    ----------
    pitch : Pitch or CamMotion, optional
        The cam with its roller, or with any follower (:func:`cam_motion`); default Eq. (90) with R = 0.01 m.
    speed : float
        Angular velocity of the cam, constant and positive [rad/s].
    mass, roller_inertia : float
        Mass of follower and roller [kg], moment of inertia of the roller about its axis [kg m^2].  For a swinging
        follower `mass` is the moment of inertia about its pivot [kg m^2].
    spring : float
        Stiffness c [N/m]; of a swinging follower about its pivot [N m/rad].
    rest : float
        z_0 of Eq. (106a): the spring presses with c (s + rest), s the distance of the roller's centre or of the face
        from the axis of the cam [m].  Inside a ring it presses outwards with c (rest - s).  For a swinging follower s
        is its angle [rad].
    modulus, poisson : (float, float)
        Young's moduli [N/m^2] and Poisson's ratios of cam and roller.
    restitution : float
        Coefficient c_r of Eq. (103), 0 < c_r <= 1.
    friction, slip_speed : float
        mu and k of Eq. (105): the friction is mu tanh(v / k) of the normal force.
    spring_mass : float
        Mass M of the spring [kg] (moment of inertia for a swinging follower); 0 for a spring without inertia.  A third
        of it moves with the follower, and its first surge, at pi sqrt(c / M), is a second degree of freedom.
    surge_damping : float
        Damping ratio of the surge, 0 to below 1.
    least_impact : float, optional
        Smallest impact velocity used in Eq. (103) [m/s]: a contact that starts without an impact would
        divide by zero.  Default a tenth of the speed at which the preload dominates.
    normal_law : NormalLaw, optional
        Law of :mod:`tangency.forces`, built-in or user-defined, instead of Eqs. (103) and (104); excludes `modulus`,
        `poisson` and `restitution`.  Both curvatures of the gap are those of cam and roller in the plane.
    friction_law : FrictionLaw, optional
        Law without a state, instead of Eq. (105); excludes `friction` and `slip_speed`.

    Notes
    -----
    The paper prints k = 100 m/s and says that large k approximates the sign function, which contradicts
    tanh(v / k); the default k = 0.01 m/s agrees with the text.  Eq. (106b) does not state the sign of the
    angle of the roller; here it is that of alpha, so that friction opposes the slip.

    Examples
    --------
    >>> from tangency import planar
    >>> cam = planar.CamTappet()
    >>> round(cam.rigid_lift_off_speed(), 3)
    78.21
    """

    pitch: Pitch | CamMotion = field(default_factory=cam_pitch)
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
    spring_mass: float = 0.0
    surge_damping: float = 0.02
    least_impact: float | None = None
    normal_law: NormalLaw | None = None
    friction_law: FrictionLaw | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.pitch, Pitch | CamMotion):
            raise TypeError(f"pitch must be a Pitch or a CamMotion, got {self.pitch!r}")
        if not (self.motion.follower.flat or self.motion.follower.radius > 0):
            raise ValueError(
                f"pitch must have a follower with a radius > 0, on which forces depend, got {self.motion.follower!r}"
            )
        for name in ("speed", "mass", "roller_inertia", "spring", "slip_speed"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        for name in ("modulus", "poisson"):
            pair = validate.vectors(getattr(self, name), name, 2)
            if pair.ndim != 1:
                raise ValueError(f"{name} must be two numbers, of cam and roller, got shape {pair.shape}")
            object.__setattr__(self, name, tuple(pair.tolist()))
        validate.positive(np.array(self.modulus), "modulus")
        validate.within(np.array(self.poisson), "poisson", -1.0, 0.5 + 1e-12)
        object.__setattr__(self, "spring_mass", number(self.spring_mass, "spring_mass", least=0.0))
        damping = number(self.surge_damping, "surge_damping", least=0.0)
        if not damping < 1.0:
            raise ValueError(f"surge_damping must be below 1, got {damping:g}")
        for name in ("rest", "restitution", "friction", "least_impact"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number(getattr(self, name), name))
        if not 0 < self.restitution <= 1:
            raise ValueError(f"restitution must lie between 0 (not included) and 1, got {self.restitution!r}")
        if not self.friction >= 0:
            raise ValueError(f"friction must be >= 0, got {self.friction!r}")
        if self.least_impact is not None and not self.least_impact > 0:
            raise ValueError(f"least_impact must be > 0, got {self.least_impact!r}")
        self._check_laws()

    def _check_laws(self) -> None:
        """Refuse objects that are not laws, and parameters of laws that are replaced."""
        replaced = {
            "normal_law": (NormalLaw, ("modulus", "poisson", "restitution")),
            "friction_law": (FrictionLaw, ("friction", "slip_speed")),
        }
        for name, (kind, parameters) in replaced.items():
            law = getattr(self, name)
            if law is None:
                continue
            if not isinstance(law, kind):
                raise TypeError(f"{name} must be a {kind.__name__} of tangency.forces, got {law!r}")
            for parameter in parameters:
                if getattr(self, parameter) != type(self).__dataclass_fields__[parameter].default:
                    raise ValueError(f"{parameter} must not be given with {name}, which replaces it")
        if self.friction_law is not None and self.friction_law.has_state:
            raise ValueError(f"friction_law must have no state, got {self.friction_law!r}")

    @cached_property
    def motion(self) -> CamMotion:
        """Motion that the cam gives to its follower."""
        return cam_motion(self.pitch) if isinstance(self.pitch, Pitch) else self.pitch

    @property
    def table(self) -> Polynomials:
        """The follower's coordinate as quintic pieces."""
        return self.motion.table

    @property
    def compiled_table(self) -> FollowerTable:
        """The follower's coordinate and contact as pieces, for compiled code."""
        return self.motion.compiled_table

    @property
    def stiffness(self) -> float:
        """K of Eq. (104) without the curvature: 4/3 of the reduced modulus [N/m^2]."""
        (e1, e2), (n1, n2) = self.modulus, self.poisson
        return 4.0 / 3.0 / ((1 - n1 * n1) / e1 + (1 - n2 * n2) / e2)

    @cached_property
    def laws(self) -> tuple[NormalLaw, FrictionLaw]:
        """Normal law, by default Eqs. (103) and (104), and friction law, by default Eq. (105)."""
        normal, friction = self.normal_law, self.friction_law
        if normal is None:
            materials = tuple(Material(young=e, poisson=n) for e, n in zip(self.modulus, self.poisson))
            normal = HuntCrossley(
                materials=materials, form="mean", restitution=self.restitution, slowest_impact=self.impact_floor
            )
        return normal, friction or Tanh(coefficient=self.friction, speed=self.slip_speed)

    def compiled_laws(self) -> tuple[int, np.ndarray, int, np.ndarray]:
        """Addresses and parameters of both laws, for compiled code."""
        normal, friction = self.laws
        return normal.address, normal.row, friction.address, friction.row

    def numbers(self, impact_speed: float) -> np.ndarray:
        """Parameters for compiled code; `impact_speed` is the rate at the start of the contact [m/s]."""
        radius = self.motion.follower.radius if self.motion.follower.rotates else 0.0
        spring = (self.roller_inertia, self.spring, self.rest, impact_speed, self.surge_mass, self.surge_drag)
        return np.array([self.speed, radius, self.moving_mass, *spring])

    @property
    def moving_mass(self) -> float:
        """Mass that moves as the follower does: its own, and the part of the spring's that is not in the surge [kg]."""
        return self.mass + CARRIED * self.spring_mass

    @property
    def whole_mass(self) -> float:
        """Mass of the follower and one third of that of the spring, which resist slow changes of the motion [kg]."""
        return self.mass + self.spring_mass / 3.0

    @property
    def surge_mass(self) -> float:
        """Modal mass of the surge [kg]."""
        return SURGING * self.spring_mass

    @property
    def surge_drag(self) -> float:
        """Damping coefficient of the surge [N s/m]."""
        return 2.0 * self.surge_damping * math.sqrt(STIFF * self.spring * self.surge_mass)

    def preload(self, alpha: float) -> float:
        """Force of the spring while the follower touches at alpha [N], or its moment [N m]."""
        return self.spring * (float(self.motion.values(alpha).value) + self.rest)

    def indentation(self, force: float, alpha: float) -> float:
        """Penetration at which the contact carries the given normal force at rest (Eqs. 103, 104) [m]."""
        curvature = float(self.motion.contact(alpha).relative_curvature)
        if self.normal_law is not None:
            return depth_under(self.normal_law, force, (curvature,) * 2) if force > 0.0 else 0.0
        return float((max(force, 0.0) * math.sqrt(curvature) / self.stiffness) ** (2.0 / 3.0))

    @cached_property
    def impact_floor(self) -> float:
        """Smallest impact velocity used in Eq. (103) [m/s]."""
        if self.least_impact is not None:
            return float(self.least_impact)
        lever = float(self.motion.contact(0.0).lever)
        force = max(self.preload(0.0), 1e-6 * self.spring * self.motion.travel) / lever
        # An oscillator with Hertz's stiffness 3 F / (2 delta) and the amplitude delta.
        return 0.1 * lever * math.sqrt(1.5 * force * self.indentation(force, 0.0) / self.mass)

    def impact_duration(self, speed: float) -> float:
        """Duration of an elastic impact at `speed` by Hertz's theory, at alpha = 0 [s]."""
        at = self.motion.contact(0.0)
        mass = self.mass / float(at.lever) ** 2  # that moves along the normal
        if self.normal_law is not None:
            curvature = (float(at.relative_curvature),) * 2
            return 2.943275 * depth_storing(self.normal_law, 0.5 * mass * speed * speed, curvature) / speed
        stiffness = 1.0 / self.indentation(1.0, 0.0) ** 1.5
        deepest = (1.25 * mass * speed * speed / stiffness) ** 0.4
        return 2.943275 * deepest / speed

    def rigid_lift_off_speed(self) -> float:
        """Speed above which a rigid follower would leave the cam [rad/s]; inf if none does.

        While it follows the cam, s = g(alpha), so the normal force vanishes where the spring's force
        c (g + z_0) equals m (-g'') speed^2 (Eq. 106a without friction).
        """

        def square(alpha: np.ndarray) -> np.ndarray:
            g, _, g2 = self.motion.function(alpha)
            return np.divide(
                self.spring * (g + self.rest), -self.whole_mass * g2, out=np.full(alpha.shape, np.inf), where=g2 < 0
            )

        inside = piece_samples(self.motion.function.breaks, 1e-9) % FULL
        samples = np.union1d(np.arange(7200) * (FULL / 7200), inside)
        lowest = float(square(local_minima(square, samples)).min())
        return math.sqrt(max(lowest, 0.0))

    def forces(self, alpha: ArrayLike, state: ArrayLike, impact_speed: ArrayLike) -> TappetForces:
        """Contact forces at angles and states (T, 4 or 6): s, ds/dt, roller angle, its rate, surge and its rate.

        `impact_speed` is the rate of the penetration at the start of the contact [m/s], at least :attr:`impact_floor`.
        """
        alpha, state = np.atleast_1d(np.asarray(alpha, float)), np.atleast_2d(np.asarray(state, float))
        out = np.empty((len(alpha), 5))
        impacts = np.maximum(np.broadcast_to(np.asarray(impact_speed, float), alpha.shape), self.impact_floor)
        given = self.numbers(0.0), self.compiled_laws(), self.compiled_table
        _forces_of_many(alpha, np.ascontiguousarray(state), impacts, *given, out)
        return TappetForces(*out.T)


@jit
def contact_forces(alpha, q, v, spin, p, laws, table):
    """delta, its rate, the slip, F_n, F_t, and the follower's force or moment and the roller's moment."""
    g, g1, lever, slide, roll, curvature = table_at(table, alpha)
    omega, radius = p[_OMEGA], p[_RADIUS]
    delta = (g - q) * lever  # Eq. (101)
    rate = (omega * g1 - v) * lever  # Eq. (102a)
    slip = spin * radius + v * slide + omega * roll  # Eq. (102b)
    if not delta > 0.0:
        return delta, rate, slip, 0.0, 0.0, 0.0, 0.0
    normal_law, normal_row, friction_law, friction_row = laws
    normal = normal_force(normal_law, normal_row, delta, rate, p[_IMPACT], curvature, curvature)  # Eqs. (103), (104)
    against, _ = friction_force(friction_law, friction_row, normal, (slip, 0.0, 0.0), (0.0, 0.0, 0.0))  # Eq. (105)
    tangential = -against[0]
    # The power of both forces gives the forces on the coordinates, as in Eq. (100) for a roller.
    return delta, rate, slip, normal, tangential, normal * lever - tangential * slide, -radius * tangential


@entry
def tappet_rates(t, y, p, laws, table):
    """Derivatives of (q, dq/dt, roller angle, its rate, surge, its rate), Eq. (106), with alpha = speed * t.

    The surge u is the way of the middle of the spring from its place in a spring without mass.
    """
    _, _, _, _, _, force, moment = contact_forces(p[_OMEGA] * t, y[0], y[1], y[3], p, laws, table)
    out = np.empty(len(y))
    push = force - p[_SPRING] * (y[0] + p[_REST])
    surges = len(y) > 4
    back = STIFF * p[_SPRING] * y[4] + p[_DRAG] * y[5] if surges else 0.0
    out[0], out[1] = y[1], (push + FELT * back) / p[_MASS]
    out[2], out[3] = y[3], moment / p[_INERTIA]
    if surges:
        out[4], out[5] = y[5], -back / p[_SURGE] - FELT * out[1]
    return out


@entry
def coordinate_at(table, alpha):
    """G at an angle."""
    return table_at(table, alpha)[0]


@entry
def _forces_of_many(alpha, state, impacts, p, laws, table, out):
    for k in range(len(alpha)):
        p[_IMPACT] = impacts[k]
        s = state[k]
        found = contact_forces(alpha[k], s[0], s[1], s[3], p, laws, table)
        for j in range(5):
            out[k, j] = found[j]
