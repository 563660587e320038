"""A rigid foot, or any convex body, that rolls, slips, flies and lands (Römer 2-D, section 6.1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import count, not_negative, number, positive
from ..shape import Shape, bounded
from ..shapes.fourier import foot_shape
from .ankle import ankle_load
from .foot_phases import Phases, Touching
from .foot_pieces import Limits, Simulation
from .foot_run import FootRun, sampled
from .foot_sides import BESIDE, Side, Standing, side_at, straight_sides
from .foot_simulation import simulate
from .ground import Ground
from .line import RollingBody


@dataclass(frozen=True)
class RollingFoot:
    """A convex body of given mass that rolls, slips, flies and lands on a line or a circle.

    Parameters
    ----------
    shape : Shape, optional
        A single body; the default is the foot of Eq. (85) with R = 0.1 m.  It may have corners and, on a straight
        ground, straight sides.
    mass : float
        Mass [kg].
    inertia : float, optional
        Moment of inertia about the centre of mass [kg m^2]; default that of a plate of uniform thickness.
    centre_of_mass : (2,) array_like, optional
        Centre of mass in the frame of the shape [m]; default its origin, as in the paper.
    gravity : float
        Gravitational acceleration [m/s^2].
    friction : float
        Coefficient of static friction mu_0 (Eq. 89b); 0 for ice, inf to exclude slip.
    sole : (float, float), optional
        Smallest and largest alpha; the paper's sole reaches from -pi/2 to pi/2.  None for the whole boundary.
    sliding_friction : float, optional
        Coefficient of friction while the body slips, at most `friction`, which is the default.
    restitution : float
        Of landings, 0 to 1: the square root of the ratio of the works of restitution and of compression (Stronge).
    ground_radius : float
        inf for a line, positive to roll on a circle from outside, negative to roll in a bowl [m]; see
        :class:`RollingBody`.
    slope : float
        Angle by which the ground, at x = 0, falls towards +x [rad].

    Notes
    -----
    One coordinate describes rolling: alpha, the clockwise angle of the body.  The equation of motion
    (87) holds for the potential about the centre of mass, to which Eq. (42) transforms any other.  While the body
    slips, the slip is a second coordinate, and Coulomb's law gives the force along the ground; in flight it has three.
    Changes are located as roots, and an impact is followed through sliding and sticking (Routh).  A straight side that
    comes down ends on its other end by such an impact; the body rolls on, or stands on the side.  Where a rigid body
    cannot slide on (Painlevé's paradox), friction stops it by such an impact, a *jam*.

    Examples
    --------
    >>> from tangency import planar
    >>> shape = planar.foot_shape(0.1)
    >>> run = planar.RollingFoot(shape, centre_of_mass=shape.centroid).run(alpha=0.3, duration=2.0)
    >>> run.end, bool(abs(run.energy - run.energy[0]).max() < 1e-9 * run.energy[0])
    ('time', True)
    """

    shape: Shape = field(default_factory=lambda: foot_shape(0.1))
    mass: float = 1.0
    inertia: float | None = None
    centre_of_mass: ArrayLike = (0.0, 0.0)
    gravity: float = 9.81
    friction: float = float("inf")
    sole: tuple[float, float] | None = (-0.5 * np.pi, 0.5 * np.pi)
    sliding_friction: float | None = None
    restitution: float = 0.0
    ground_radius: float = float("inf")
    slope: float = 0.0

    def __post_init__(self) -> None:
        if bounded(self.shape, "shape").batch_shape:
            raise ValueError(f"shape must be a single body, got a stack of {self.shape.batch_shape}")
        centre = _two(self.centre_of_mass, "centre_of_mass")
        low, high = (-math.inf, math.inf) if self.sole is None else _two(self.sole, "sole").tolist()
        mass = positive(self.mass, "mass")
        inertia = self.inertia
        if inertia is None:
            # Of a uniform plate, about the given centre of mass (parallel-axis theorem).
            moments = self.shape.moments()
            inertia = float(mass * (moments.inertia / moments.area + ((moments.centroid - centre) ** 2).sum()))
        values = {"mass": mass, "inertia": positive(inertia, "inertia"), "gravity": number(self.gravity, "gravity")}
        values["friction"] = math.inf if _infinite(self.friction) else not_negative(self.friction, "friction")
        values |= self._contact_values(values["friction"])
        if not low < high:
            raise ValueError(f"sole must give the smaller angle first, got {self.sole}")
        for name, value in {
            **values,
            "centre_of_mass": centre,
            "sole": None if self.sole is None else (low, high),
        }.items():
            object.__setattr__(self, name, value)
        if self._sides and math.isfinite(self.ground_radius):
            raise ValueError(
                f"ground_radius must be inf for a sole with straight sides, but {type(self.shape).__name__} has one at "
                f"alpha = {self._sides[0].alpha:.6g}; choose a sole without it or a rounder shape"
            )

    @cached_property
    def _sides(self) -> tuple[Side, ...]:
        """Straight sides of the sole."""
        low, high = (-np.pi, np.pi) if self.sole is None else self.sole
        return tuple(straight_sides(self.rolling, low, high))

    def _contact_values(self, friction: float) -> dict[str, float]:
        """Checked parameters of slip, impact and ground."""
        sliding = friction
        if self.sliding_friction is not None:
            sliding = (
                math.inf
                if _infinite(self.sliding_friction)
                else not_negative(self.sliding_friction, "sliding_friction")
            )
        if sliding > friction:
            raise ValueError(f"sliding_friction must be at most friction, {friction:g}, got {sliding:g}")
        restitution = number(self.restitution, "restitution", least=0.0, most=1.0)
        slope = number(self.slope, "slope", above=-0.5 * math.pi, most=0.5 * math.pi)
        try:
            radius = Ground(self.ground_radius).radius
        except (TypeError, ValueError) as error:
            raise type(error)(f"ground_{error}") from None
        return {"sliding_friction": sliding, "restitution": restitution, "slope": slope, "ground_radius": radius}

    @cached_property
    def rolling(self) -> RollingBody:
        """The motion of the centre of mass as a function of alpha."""
        shape = self.shape if not np.any(self.centre_of_mass) else self.shape.seen_from(self.centre_of_mass)
        return RollingBody(shape, radius=self.ground_radius)

    @cached_property
    def _phases(self) -> Phases:
        pull = (self.gravity * math.sin(self.slope), -self.gravity * math.cos(self.slope))
        return Phases(self.rolling.shape, self.rolling.ground, self.mass, float(self.inertia or 0.0), pull)

    def _pushes(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Angular acceleration, and force along and normal to the ground, of rolling: (..., 3)."""
        alpha, rate = np.broadcast_arrays(validate.array(alpha, "alpha"), validate.array(rate, "rate"))
        travel = self.rolling.travel(alpha) if self.rolling.ground.curvature else np.zeros(alpha.shape)
        out = np.empty((*alpha.shape, 3))
        for index in np.ndindex(alpha.shape):
            at = Touching(float(alpha[index]), float(rate[index]), float(travel[index]), 0.0)
            push = self._phases.pushes(0.0, at, None)
            out[index] = push.angular, push.along, push.normal
        return out

    def acceleration(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Angular acceleration of rolling from the equation of motion (87) [rad/s^2]."""
        return self._pushes(alpha, rate)[..., 0]

    def force(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Force of the ground on the rolling body, (..., 2): along and normal to the ground (Eq. 88) [N]."""
        return self._pushes(alpha, rate)[..., 1:]

    def energy(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Kinetic plus potential energy of rolling (Eqs. 86a, 86b) [J]."""
        whole = self.rolling.energy(alpha, rate, self.mass, float(self.inertia or 0.0), 0.0)
        height = self.rolling.at(alpha).reference @ [-math.sin(self.slope), math.cos(self.slope)]
        return whole + self.mass * self.gravity * height

    def balance(self) -> np.ndarray:
        """Angles alpha of the sole at which the body can stand: f_P' = 0 on level ground; ascending.

        Also empty if every angle is one, as for a circle about its centre of mass.
        """
        low, high = (-np.pi, np.pi) if self.sole is None else self.sole
        alpha = np.linspace(low, high, 2881)
        slope = self._lean(alpha)
        if np.abs(slope).max() <= 1e-13 * float(self.rolling.shape.magnitude):
            return np.zeros(0)
        # The ends of the sole also count if the slope there is zero to rounding.
        ends = alpha[[0, -1]][np.abs(slope[[0, -1]]) < 1e-14 * float(self.rolling.shape.magnitude)]
        change = slope[:-1] * slope[1:] < 0
        low, high = alpha[:-1][change], alpha[1:][change]
        sign = np.sign(slope[:-1][change])
        for _ in range(60):
            middle = 0.5 * (low + high)
            same = sign * self._lean(middle) > 0
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        exact = alpha[1:-1][slope[1:-1] == 0]
        return np.unique(np.concatenate([ends, exact, 0.5 * (low + high)]))

    def _lean(self, alpha: np.ndarray) -> np.ndarray:
        """Horizontal distance from the centre of mass to the contact point [m]."""
        f, f1, _ = self.rolling.height(alpha)
        k = self.rolling.ground.curvature
        if not (k or self.slope):
            return f1
        turn = self.slope + (k * (self.rolling.travel(alpha) + f1) if k else 0.0)
        return f1 * np.cos(turn) - f * np.sin(turn)

    def _longest_step(self, rate: float) -> float:
        """Longest step within which no event can be missed [s]."""
        falls = math.sqrt(float(self.rolling.shape.magnitude) / abs(self.gravity)) if self.gravity else math.inf
        return 0.02 * min(falls, 1.0 / abs(rate) if rate else math.inf)

    def _start(self, alpha: float, rate: float, slip: float, height: float, velocity: ArrayLike | None) -> Any:
        if slip and math.isinf(float(self.sliding_friction or 0.0)):
            raise ValueError(f"slip must be 0 if friction is infinite, which excludes slip, got {slip:g}")
        state: Any = Touching(alpha, rate, float(self.rolling.travel(alpha)), slip)
        side = side_at(self._sides, alpha)
        if side is not None and height == 0.0:
            if rate == 0.0:
                state = Standing(side, state.travel, slip)
            else:
                state = state._replace(alpha=side.alpha + math.copysign(BESIDE, rate))
        if height == 0.0:
            if velocity is not None:
                raise ValueError(
                    "velocity must be given only with height > 0; on the ground, rate and slip determine it"
                )
            return state
        if slip:
            raise ValueError(f"slip must be 0 for a start above the ground, got {slip:g}: give velocity")
        vx, vy = (0.0, 0.0) if velocity is None else _two(velocity, "velocity").tolist()
        body = self._phases.released(state)
        _, normal = self.rolling.ground.frame(np.array(state.travel + self._phases.height(alpha)[1]))
        return body._replace(x=body.x + height * normal[0], y=body.y + height * normal[1], vx=vx, vy=vy)

    def run(
        self,
        alpha: float = 0.0,
        rate: float = 0.0,
        duration: float = 5.0,
        *,
        samples: int = 501,
        slip: float = 0.0,
        height: float = 0.0,
        velocity: ArrayLike | None = None,
        load: Callable[[float, float, float], Any] | None = None,
        ankle: ArrayLike | None = None,
        only_rolling: bool = False,
    ) -> FootRun:
        """Motion from an initial state until the end of the duration or of the sole.

        Parameters
        ----------
        alpha, rate : float
            Initial angle against the ground [rad] and angular velocity [rad/s].
        duration : float
            Simulated time [s].
        samples : int
            Number of times in the result, evenly spaced, including the end.
        slip : float
            Initial velocity of the contact point of the body along the ground [m/s].
        height : float
            Initial distance from the ground [m]; positive starts in flight.
        velocity : (2,) array_like, optional
            Initial velocity of the centre of mass for a start in flight [m/s]; default 0.
        load : callable, optional
            ``load(time, alpha, rate)`` returns the force (x, y) [N] and the clockwise moment [N m] that act on the foot
            at the ankle, as three numbers.
        ankle : (2,) array_like, optional
            Ankle in the frame of the shape [m]; default the centre of mass.
        only_rolling : bool
            Stop where rolling fails (Eq. 89), instead of going on through slip, flight and landing.

        Returns
        -------
        FootRun

        Raises
        ------
        ValueError
            If the body reaches a place so flat, for instance on a Superellipse with an exponent above 3, that
            the motion cannot be integrated through it; the message names the angle.

        Examples
        --------
        >>> from tangency import planar
        >>> shape = planar.foot_shape(0.1)
        >>> foot = planar.RollingFoot(shape, centre_of_mass=shape.centroid, friction=0.4, restitution=0.3)
        >>> run = foot.run(alpha=0.2, height=0.05, duration=1.0)
        >>> bool(run.balance_error < 1e-9 * run.energy[0]), run.events[0].kind
        (True, 'landing')
        """
        alpha, rate, duration = number(alpha, "alpha"), number(rate, "rate"), positive(duration, "duration")
        samples = count(samples, "samples", 2)
        low, high = (-math.inf, math.inf) if self.sole is None else self.sole
        if not low <= alpha <= high:
            raise ValueError(f"alpha must lie on the sole, between {low:.6g} and {high:.6g}, got {alpha:.6g}")
        start = self._start(alpha, rate, number(slip, "slip"), number(height, "height", least=0.0), velocity)
        if only_rolling and (slip or height):
            raise ValueError("only_rolling must be False for a start with slip or above the ground")
        size = float(self.rolling.shape.magnitude)
        slow = 1e-5 * math.sqrt(abs(self.gravity) * size)
        sliding = float(self.friction if self.sliding_friction is None else self.sliding_friction)
        limits = Limits(self.friction, sliding, self.restitution, slow, low, high, bool(only_rolling), self._sides)
        phases = self._phases.loaded(ankle_load(load, ankle, self.centre_of_mass))
        sim = Simulation(phases, limits, self._longest_step)
        return sampled(self, sim, simulate(sim, start, duration), samples, start)


def _two(value: Any, name: str) -> np.ndarray:
    pair = validate.vectors(value, name, 2)
    if pair.ndim != 1:
        raise ValueError(f"{name} must be two numbers, got an array of shape {pair.shape}")
    return pair


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and value == math.inf
