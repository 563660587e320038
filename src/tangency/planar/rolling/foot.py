"""A rigid foot, or any convex body, that rocks on flat ground (Römer 2-D, section 6.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ...io.numbers import count, number, positive
from ..radii import direction
from ..shape import Shape, bounded
from ..shapes.fourier import foot_shape
from .line import RollingBody, scalar_height

ENDS = {
    "time": "The end of the duration was reached; rolling did not fail.",
    "lift-off": "The normal force vanishes {where}: the body leaves the ground (Römer 2-D, Eq. 89a).",
    "slip": "Static friction no longer holds the body {where}: it slips (Römer 2-D, Eq. 89b).",
    "edge": "The body reaches the end of its sole {where}.",
}


@dataclass(frozen=True, repr=False)
class FootRun:
    """A motion of a :class:`RollingFoot`; arrays have one entry per time.

    Attributes
    ----------
    time : (T,) array
        Time [s].
    alpha, rate, acceleration : (T,) arrays
        Angle (positive if the foot rolls towards +x) [rad] and its derivatives.
    force : (T, 2) array
        Force of the ground on the body at the contact point, (F_Cx, F_Cz) of Eq. (88) [N].
    energy : (T,) array
        Kinetic plus potential energy (Eq. 86) [J].
    end : str
        "time", "lift-off", "slip" or "edge".
    end_time, end_alpha, end_position : float
        End of the motion: time [s], angle [rad] and x of the contact point [m].
    """

    foot: RollingFoot
    time: np.ndarray
    alpha: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    force: np.ndarray
    energy: np.ndarray
    end: str
    end_time: float
    end_alpha: float
    end_position: float

    def __repr__(self) -> str:
        return f"FootRun({len(self.time)} times until {self.end_time:.6g} s, end {self.end!r})"

    @property
    def message(self) -> str:
        """How the motion ended, in a sentence."""
        where = f"at t = {self.end_time:.6g} s, alpha = {self.end_alpha:.6g}, x = {self.end_position:.6g} m"
        return ENDS[self.end].format(where=where)

    @cached_property
    def reference(self) -> np.ndarray:
        """Path of the centre of mass, (T, 2) [m]."""
        return self.foot.rolling.at(self.alpha).reference

    @cached_property
    def contact(self) -> np.ndarray:
        """Path of the contact point on the ground, (T, 2) [m]."""
        return self.foot.rolling.at(self.alpha).contact

    @property
    def friction_demand(self) -> np.ndarray:
        """|F_Cx| / F_Cz, the coefficient of friction required for rolling; inf if the normal force is not positive."""
        down = self.force[:, 1]
        return np.divide(np.abs(self.force[:, 0]), down, out=np.full_like(down, np.inf), where=down > 0)


@dataclass(frozen=True)
class RollingFoot:
    """A convex body of given mass that rolls without slipping on the ground y = 0.

    Parameters
    ----------
    shape : Shape, optional
        A single body; the default is the foot of Eq. (85) with R = 0.1 m.  Its sole must have no
        straight pieces: a body that comes down on one hits the ground instead of rolling.
    mass : float
        Mass [kg].
    inertia : float, optional
        Moment of inertia about the centre of mass [kg m^2]; default that of a plate of uniform thickness.
    centre_of_mass : (2,) array_like, optional
        Centre of mass in the frame of the shape [m]; default its origin, as in the paper.
    gravity : float
        Gravitational acceleration [m/s^2].
    friction : float
        Coefficient of static friction mu_0 (Eq. 89b); inf to exclude slip.
    sole : (float, float)
        Smallest and largest alpha; the paper's sole reaches from -pi/2 to pi/2.

    Notes
    -----
    One coordinate describes the motion: alpha, the clockwise angle of the body.  The equation of motion
    (87) holds for the potential about the centre of mass, to which Eq. (42) transforms any other.

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
    sole: tuple[float, float] = (-0.5 * np.pi, 0.5 * np.pi)

    def __post_init__(self) -> None:
        if bounded(self.shape, "shape").batch_shape:
            raise ValueError(f"shape must be a single body, got a stack of {self.shape.batch_shape}")
        centre, sole = (validate.vectors(getattr(self, name), name, 2) for name in ("centre_of_mass", "sole"))
        for name, pair in (("centre_of_mass", centre), ("sole", sole)):
            if pair.ndim != 1:
                raise ValueError(f"{name} must be two numbers, got an array of shape {pair.shape}")
        mass = positive(self.mass, "mass")
        inertia = self.inertia
        if inertia is None:
            # Of a uniform plate, about the given centre of mass (parallel-axis theorem).
            moments = self.shape.moments()
            inertia = float(mass * (moments.inertia / moments.area + ((moments.centroid - centre) ** 2).sum()))
        values = {"mass": mass, "inertia": positive(inertia, "inertia"), "gravity": number(self.gravity, "gravity")}
        values["friction"] = math.inf if _infinite(self.friction) else positive(self.friction, "friction")
        low, high = sole.tolist()
        if not low < high:
            raise ValueError(f"sole must give the smaller angle first, got {self.sole}")
        for name, value in {**values, "centre_of_mass": centre, "sole": (low, high)}.items():
            object.__setattr__(self, name, value)
        straight = _straight_piece(self.rolling, low, high)
        if straight is not None:
            raise ValueError(
                f"shape must not have straight pieces on its sole, where it would hit the ground, but "
                f"{type(self.shape).__name__} has one at alpha = {straight:.6g}; choose a sole without it or a rounder "
                "shape"
            )

    @cached_property
    def rolling(self) -> RollingBody:
        """The motion of the centre of mass as a function of alpha."""
        shape = self.shape if not np.any(self.centre_of_mass) else self.shape.seen_from(self.centre_of_mass)
        return RollingBody(shape)

    def acceleration(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Angular acceleration from the equation of motion (87) [rad/s^2]."""
        f, f1, f2 = self.rolling.height(alpha)
        m, rate = self.mass, np.asarray(rate, dtype=float)
        inertia = m * (f * f + f1 * f1) + self.inertia
        return -m * f1 * ((f + f2) * rate**2 + self.gravity) / inertia

    def force(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Force of the ground on the body, (..., 2): along and normal to the ground (Eq. 88) [N]."""
        motion = self.rolling.motion(alpha, rate, self.acceleration(alpha, rate))
        return self.mass * (motion.acceleration + np.array([0.0, self.gravity]))

    def energy(self, alpha: ArrayLike, rate: ArrayLike) -> np.ndarray:
        """Kinetic plus potential energy (Eqs. 86a, 86b) [J]."""
        f, f1, _ = self.rolling.height(alpha)
        kinetic = 0.5 * (self.mass * (f * f + f1 * f1) + self.inertia) * np.asarray(rate) ** 2
        return kinetic + self.mass * self.gravity * f

    def balance(self) -> np.ndarray:
        """Angles alpha of the sole at which the body is in equilibrium, f_P' = 0, ascending.

        Also empty if every angle is one, as for a circle about its centre of mass.
        """
        alpha = np.linspace(*self.sole, 2881)
        slope = self.rolling.height(alpha)[1]
        if np.abs(slope).max() <= 1e-13 * float(self.rolling.shape.magnitude):
            return np.zeros(0)
        # The ends of the sole also count if the slope there is zero to rounding.
        ends = alpha[[0, -1]][np.abs(slope[[0, -1]]) < 1e-14 * float(self.rolling.shape.magnitude)]
        change = slope[:-1] * slope[1:] < 0
        low, high = alpha[:-1][change], alpha[1:][change]
        sign = np.sign(slope[:-1][change])
        for _ in range(60):
            middle = 0.5 * (low + high)
            same = sign * self.rolling.height(middle)[1] > 0
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        exact = alpha[1:-1][slope[1:-1] == 0]
        return np.unique(np.concatenate([ends, exact, 0.5 * (low + high)]))

    def _longest_step(self, rate: float) -> float:
        """Longest step within which no event can be missed [s]."""
        falls = math.sqrt(float(self.rolling.shape.magnitude) / self.gravity) if self.gravity > 0.0 else math.inf
        return 0.02 * min(falls, 1.0 / abs(rate) if rate else math.inf)

    def run(self, alpha: float = 0.0, rate: float = 0.0, duration: float = 5.0, *, samples: int = 501) -> FootRun:
        """Motion from an initial state until the end of the duration, or until rolling fails (Eq. 89).

        Parameters
        ----------
        alpha, rate : float
            Initial angle [rad] and angular velocity [rad/s].
        duration : float
            Simulated time [s].
        samples : int
            Number of times in the result, evenly spaced, including the end.

        Returns
        -------
        FootRun

        Raises
        ------
        ValueError
            If the body reaches a place so flat, for instance on a Superellipse with an exponent above 3, that
            the motion cannot be integrated through it; the message names the angle.
        """
        from scipy.integrate import solve_ivp

        alpha, rate, duration = number(alpha, "alpha"), number(rate, "rate"), positive(duration, "duration")
        samples = count(samples, "samples", 2)
        low, high = self.sole
        if not low <= alpha <= high:
            raise ValueError(f"alpha must lie on the sole, between {low:.6g} and {high:.6g}, got {alpha:.6g}")

        height, m, gravity, friction = scalar_height(self.rolling.shape), self.mass, self.gravity, self.friction
        inertia = float(self.inertia or 0.0)

        def rates(_: float, y: np.ndarray) -> tuple[float, float]:
            f, f1, f2 = height(y[0])
            return y[1], -m * f1 * ((f + f2) * y[1] ** 2 + gravity) / (m * (f * f + f1 * f1) + inertia)  # Eq. (87)

        def pushes(y: np.ndarray) -> tuple[float, float]:
            f, f1, f2 = height(y[0])
            second = rates(0.0, y)[1]
            return m * (f * second + f1 * y[1] ** 2), m * (f1 * second + f2 * y[1] ** 2 + gravity)  # Eq. (88)

        def lift_off(_: float, y: np.ndarray) -> float:
            return pushes(y)[1]  # Eq. (89a)

        def slip(_: float, y: np.ndarray) -> float:
            along, normal = pushes(y)
            return friction * normal - abs(along) if math.isfinite(friction) else 1.0  # Eq. (89b)

        def edge(_: float, y: np.ndarray) -> float:
            return float(min(y[0] - low, high - y[0]))

        events: list[Any] = [slip, lift_off, edge]
        names = ("slip", "lift-off", "edge")
        for event in events:
            event.terminal, event.direction = True, -1.0
        start = (0.0, np.array([alpha, rate]))
        failed = [name for name, event in zip(names[:2], events) if event(*start) < 0]
        if failed:
            solution = None
            end, end_time, state = failed[0], 0.0, start[1]
            time, states = np.zeros(1), start[1][:, None]
        else:
            solution = solve_ivp(
                rates,
                (0.0, duration),
                start[1],
                method="DOP853",
                rtol=1e-12,
                atol=1e-13,
                events=events,
                dense_output=True,
                max_step=self._longest_step(rate),
            )
            if not solution.success:
                stuck = float(solution.y[0, -1])
                f, _, f2 = height(stuck)
                if f + f2 > 1e3 * float(self.rolling.shape.magnitude):
                    raise ValueError(
                        f"shape is flat at alpha = {stuck:.6g}, its radius of curvature infinite: the motion cannot be "
                        f"integrated through it, at t = {solution.t[-1]:.6g} s"
                    )
                raise RuntimeError(f"the motion could not be integrated: {solution.message}")
            end, end_time, state = "time", duration, solution.y[:, -1]
            for name, times, found in zip(names, solution.t_events, solution.y_events):
                if len(times) and times[0] <= end_time:
                    end, end_time, state = name, float(times[0]), found[0]
            time = np.linspace(0.0, end_time, samples)
            states = solution.sol(time)
        where = float(self.rolling.at(state[0]).contact[0])
        a, w = states
        return FootRun(
            self,
            time,
            a,
            w,
            self.acceleration(a, w),
            self.force(a, w),
            self.energy(a, w),
            end,
            end_time,
            float(state[0]),
            where,
        )


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and value == math.inf


def _straight_piece(rolling: RollingBody, low: float, high: float) -> float | None:
    """An angle alpha of the sole at which the contact point jumps, or None."""
    high = min(high, low + 2.0 * np.pi)
    breaks = low + (rolling.shape._breaks() + 0.5 * np.pi - low) % (2.0 * np.pi)
    near = np.concatenate([breaks - 1e-9, breaks + 1e-9])
    edges = np.union1d(np.linspace(low, high, 1441), near[(near > low) & (near < high)])
    left, right = edges[:-1], edges[1:]

    def point(alpha: np.ndarray) -> np.ndarray:
        return rolling.shape.point(direction(alpha - 0.5 * np.pi))

    def width(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.linalg.norm(point(b) - point(a), axis=-1)

    for _ in range(36):
        middle = 0.5 * (left + right)
        first = width(left, middle) > width(middle, right)
        left, right = np.where(first, left, middle), np.where(first, middle, right)
    size = float(rolling.shape.magnitude)
    jump = width(left, right)
    # If the radius of curvature grows without bound, the point only seems to jump: a flat place.
    f, _, f2 = rolling.height(left)
    straight = (jump > 1e-2 * size) | ((jump > 1e-6 * size) & (f + f2 < 1e3 * size))
    return round(float(right[straight.argmax()]), 12) if straight.any() else None
