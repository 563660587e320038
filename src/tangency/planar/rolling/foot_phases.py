"""Equations of motion of a rigid body that rolls, slips or flies above a line or a circle.

With the frame (t, n) of the ground at the contact point, alpha the angle of the body against it, v the slip and w the
clockwise angular velocity, the centre of mass moves with (f w + v) t + f' w n (Römer 2-D, Eq. 22, with slip).  The
curvature k of the ground turns the frame: d alpha / dt = (w - k v) / (1 + k R), R = f + f''.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from typing import NamedTuple

import numpy as np

from ..shape import Shape
from .ground import Ground
from .line import scalar_height

#: Force (x, y) and clockwise moment on the body about its centre of mass, for (time, turn, rate).
Load = Callable[[float, float, float], tuple[float, float, float]]


class Pushes(NamedTuple):
    """Accelerations and forces of a phase with contact."""

    angular: float  #: clockwise angular acceleration [rad/s^2]
    sliding: float  #: rate of the slip [m/s^2]
    along: float  #: force of the ground along it [N]
    normal: float  #: and normal to it [N]
    mass: float  #: effective inertia of the equation of motion [kg m^2]; not positive: no solution slides


class Touching(NamedTuple):
    """State of a body in contact."""

    alpha: float  #: against the normal of the ground [rad]
    rate: float  #: clockwise angular velocity [rad/s]
    travel: float  #: length along the ground to the contact point, minus f' [m]
    slip: float  #: velocity of the contact point of the body along the ground [m/s]


class Flying(NamedTuple):
    """State of a body off the ground."""

    x: float
    y: float
    turn: float  #: clockwise angle of the body [rad]
    vx: float
    vy: float
    rate: float


class Phases:
    """The equations of one body; plain numbers in and out, for integrators."""

    def __init__(self, shape: Shape, ground: Ground, mass: float, inertia: float, gravity: tuple[float, float]) -> None:
        self.height = scalar_height(shape)
        self.ground, self.k = ground, ground.curvature
        self.mass, self.inertia, self.gravity = mass, inertia, gravity
        grid = np.arange(256) * (np.pi / 128)
        self._grid = grid, np.array([self.height(a)[0] for a in grid])
        self.load: Load | None = None

    def loaded(self, load: Load | None) -> Phases:
        """The same body with a load."""
        other = copy(self)
        other.load = load
        return other

    # ---- in contact ---------------------------------------------------------------------------
    def rates(self, state: Touching) -> tuple[float, float]:
        """Rates of alpha and of the travel."""
        f, _, f2 = self.height(state.alpha)
        inner = (state.rate - self.k * state.slip) / (1.0 + self.k * (f + f2))
        return inner, state.slip + f * inner

    def _outside(self, time: float, state: Touching) -> tuple[float, float, float]:
        """Gravity and load: force along and normal to the ground, clockwise moment about the centre of mass."""
        arc = state.travel + self.height(state.alpha)[1] if self.k else 0.0
        x, y = self.mass * self.gravity[0], self.mass * self.gravity[1]
        moment = 0.0
        if self.load is not None:
            fx, fy, moment = self.load(time, state.alpha + self.k * arc, state.rate)
            x, y = x + fx, y + fy
        if not self.k:
            return x, y, moment
        c, s = math.cos(self.k * arc), math.sin(self.k * arc)
        return c * x - s * y, s * x + c * y, moment

    def pushes(self, time: float, state: Touching, friction: float | None) -> Pushes:
        """Accelerations and forces; `friction` is None for rolling, else the force along the ground per normal force.

        Eqs. (87) and (88) for a line, a body that does not slip, and no load.
        """
        m, j, w = self.mass, self.inertia, state.rate
        f, f1, f2 = self.height(state.alpha)
        inner, _ = self.rates(state)
        glide = state.slip + (f + f2) * inner  # velocity of the contact point along the ground
        along, up, moment = self._outside(time, state)
        # m times the normal acceleration without the angular one, minus the outside forces
        lift = m * (f2 * inner * w - self.k * glide * (f * w + state.slip)) - up
        if friction is None:
            whole = j + m * (f * f + f1 * f1)
            angular = (moment - f1 * lift - f * (m * f1 * w * w - along)) / whole
            return Pushes(angular, 0.0, m * (f * angular + f1 * w * w) - along, m * f1 * angular + lift, whole)
        arm = f1 + friction * f
        whole = j + m * f1 * arm
        angular = (moment - arm * lift) / whole if whole else math.inf
        normal = m * f1 * angular + lift
        sliding = (friction * normal + along) / m - f * angular - f1 * w * w
        return Pushes(angular, sliding, friction * normal, normal, whole)

    # ---- in flight ----------------------------------------------------------------------------
    def flight(self, time: float, turn: float, rate: float) -> tuple[float, float, float]:
        """Accelerations in flight: x, y and clockwise."""
        if self.load is None:
            return self.gravity[0], self.gravity[1], 0.0
        fx, fy, moment = self.load(time, turn, rate)
        return self.gravity[0] + fx / self.mass, self.gravity[1] + fy / self.mass, moment / self.inertia

    def nearest(self, x: float, y: float, turn: float) -> tuple[float, float, float]:
        """Gap, and alpha and travel of the contact that would result, for a centre of mass at (x, y)."""
        if not self.k:
            f, f1, _ = self.height(turn)
            return y - f, turn, x
        y += 1.0 / self.k  # from the centre of the circle
        side = math.copysign(1.0, self.k)
        # gap(beta) = q . n(beta) - f(turn - beta) - 1/k: its maximum outside, its minimum inside
        angle, f_grid = self._grid
        gaps = x * np.sin(turn - angle) + y * np.cos(turn - angle) - f_grid
        alpha = float(angle[(side * gaps).argmax()])
        for _ in range(30):
            c, s = math.cos(turn - alpha), math.sin(turn - alpha)
            f, f1, f2 = self.height(alpha)
            slope, bend = x * c - y * s + f1, x * s + y * c + f2
            step = -slope / bend if side * bend > 0.0 else 0.0
            alpha += max(min(step, 0.03), -0.03)
            if abs(step) < 1e-15:
                break
        c, s = math.cos(turn - alpha), math.sin(turn - alpha)
        f, f1, _ = self.height(alpha)
        # beta = k times the arc, in the turn nearest to the body's own
        alpha += 2.0 * math.pi * round((turn - alpha) / (2.0 * math.pi))
        return x * s + y * c - f - 1.0 / self.k, alpha, (turn - alpha) / self.k - f1

    # ---- between the two ----------------------------------------------------------------------
    def released(self, state: Touching, up: float = 0.0) -> Flying:
        """The same body, off the ground with the normal velocity `up` of its contact point."""
        f, f1, _ = self.height(state.alpha)
        arc = state.travel + f1
        t, n = self.ground.frame(np.array(arc))
        place = self.ground.point(np.array(arc)) - f1 * t + f * n
        speed = (f * state.rate + state.slip) * t + (f1 * state.rate + up) * n
        turn = state.alpha + self.k * arc
        return Flying(float(place[0]), float(place[1]), turn, float(speed[0]), float(speed[1]), state.rate)

    def landed(self, body: Flying) -> tuple[Touching, float]:
        """The contact state of a body that touches the ground, and the normal velocity of its contact point."""
        _, alpha, travel = self.nearest(body.x, body.y, body.turn)
        f, f1, _ = self.height(alpha)
        t, n = self.ground.frame(np.array(travel + f1))
        along, up = (float(body.vx * axis[0] + body.vy * axis[1]) for axis in (t, n))
        return Touching(alpha, body.rate, travel, along - f * body.rate), up - f1 * body.rate

    def energy(self, body: Flying) -> float:
        """Kinetic plus potential energy [J]."""
        kinetic = 0.5 * self.mass * (body.vx**2 + body.vy**2) + 0.5 * self.inertia * body.rate**2
        return kinetic - self.mass * (self.gravity[0] * body.x + self.gravity[1] * body.y)
