"""Smooth pieces of the motion of a rigid body, and what happens between them: rolling, slip, flight, impacts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .foot_phases import Flying, Phases, Touching
from .foot_sides import BESIDE, Side, around
from .point_impact import impact, mobility


class FootEvent(NamedTuple):
    """A change of the motion."""

    kind: str  #: "slip", "grip" (rolls again), "turn" (slips back), "lift-off", "landing" or "jam"
    time: float  #: [s]
    alpha: float  #: angle of the body against the ground at the contact point [rad]
    position: float  #: length along the ground to the contact point [m]
    speed: float  #: of approach at a landing, of slip otherwise [m/s]
    loss: float  #: energy that a landing or jam took [J]


class Piece(NamedTuple):
    """A smooth part of the motion."""

    phase: str  #: "roll", "slip", "stand" or "flight"
    start: float
    end: float
    states: Callable[[np.ndarray], np.ndarray]  #: of times; the last row is the work of the load [J]
    side: float  #: direction of the slip, 0 otherwise
    heat: float  #: energy taken by friction before this piece [J]
    impact_loss: float  #: energy taken by impacts before this piece [J]
    ground: Side | None = None  #: the side on which the body stands


class Limits(NamedTuple):
    """Coefficients and bounds of a simulation."""

    static: float
    sliding: float
    restitution: float
    least_bounce: float  #: a slower rebound is no rebound [m/s]
    low: float  #: ends of the sole [rad]
    high: float
    only_rolling: bool
    sides: tuple[Side, ...] = ()  #: straight sides of the sole within one turn


class Outcome(NamedTuple):
    """Pieces and events of a motion, and how it ended."""

    pieces: list[Piece]
    events: list[FootEvent]
    end: str
    time: float
    alpha: float
    position: float


class Simulation:
    """The pieces of one motion, see ``foot_simulation.py``, and how each is integrated."""

    def __init__(self, phases: Phases, limits: Limits, longest: Callable[[float], float]) -> None:
        self.phases, self.limits, self.longest = phases, limits, longest
        self.pieces: list[Piece] = []
        self.events: list[FootEvent] = []
        self.lost = self.heat = self.work = 0.0

    # ---- pieces -------------------------------------------------------------------------------
    def _integrate(self, rates: Any, start: float, state: list[float], events: list[Any], last: float) -> Any:
        from scipy.integrate import solve_ivp

        for event in events:
            event.terminal, event.direction = True, -1.0
        rate = state[5] if len(state) == 7 else state[1]
        return solve_ivp(
            rates,
            (start, last),
            state,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
            events=events,
            dense_output=True,
            max_step=self.longest(rate),
        )

    def _power(self, time: float, body: Flying) -> float:
        if self.phases.load is None:
            return 0.0
        fx, fy, moment = self.phases.load(time, body.turn, body.rate)
        return fx * body.vx + fy * body.vy + moment * body.rate

    def contact_piece(self, time: float, state: Touching, side: float, last: float) -> tuple[Any, list[str]]:
        """Integrate rolling (side 0) or slip; the solution and the names of its events."""
        phases, limits = self.phases, self.limits
        friction = None if side == 0.0 else -side * limits.sliding
        below, above = around(limits.sides, state.alpha)
        # Short of the side: past its normal, whose last digits are not known, the body would be pushed back.
        low = limits.low if below is None else max(limits.low, below.alpha + 0.5 * BESIDE)
        high = limits.high if above is None else min(limits.high, above.alpha - 0.5 * BESIDE)

        def touching(y: np.ndarray) -> Touching:
            return Touching(y[0], y[1], y[2], y[3] if side else 0.0)

        def rates(t: float, y: np.ndarray) -> list[float]:
            at = touching(y)
            push = phases.pushes(t, at, friction)
            inner, travel = phases.rates(at)
            load = self._power(t, phases.released(at)) if phases.load is not None else 0.0
            return [inner, push.angular, travel, push.sliding, -push.along * at.slip, load]

        def lift_off(t: float, y: np.ndarray) -> float:
            return phases.pushes(t, touching(y), friction).normal  # Eq. (89a)

        def edge(_: float, y: np.ndarray) -> float:
            return float(min(y[0] - low, high - y[0]))

        def grip_lost(t: float, y: np.ndarray) -> float:
            push = phases.pushes(t, touching(y), None)
            return limits.static * push.normal - abs(push.along)  # Eq. (89b)

        def slip_ends(_: float, y: np.ndarray) -> float:
            return side * y[3]

        def jams(t: float, y: np.ndarray) -> float:
            return phases.pushes(t, touching(y), friction).mass - 1e-9 * phases.inertia

        named = {"lift-off": lift_off, "edge": edge}
        if side:
            # Without friction it does not matter in which direction the body slips.
            named |= {"stop": slip_ends, "jam": jams} if limits.static > 0.0 else {"jam": jams}
        elif math.isfinite(limits.static):
            named = {"slip": grip_lost, **named}
        solution = self._integrate(rates, time, [*state, self.heat, self.work], list(named.values()), last)
        return solution, list(named)

    def flight_piece(self, time: float, body: Flying, last: float, watched: bool) -> tuple[Any, list[str]]:
        """Integrate a flight, if `watched` until the body touches the ground."""
        phases = self.phases

        def rates(t: float, y: np.ndarray) -> list[float]:
            at = Flying(*y[:6])
            x, z, turn = phases.flight(t, at.turn, at.rate)
            return [at.vx, at.vy, at.rate, x, z, turn, self._power(t, at)]

        def landing(_: float, y: np.ndarray) -> float:
            return phases.nearest(y[0], y[1], y[2])[0]

        events, names = ([landing], ["landing"]) if watched else ([], [])
        return self._integrate(rates, time, [*body, self.work], events, last), names

    def clear(self, time: float, body: Flying) -> float:
        """A time after `time` at which the body that leaves the ground is above it; `time` itself if there is none."""
        step = min(self.longest(body.rate), 1.0)
        for _ in range(40):
            x, y, _ = self.phases.flight(time, body.turn, body.rate)
            place = (
                body.x + step * (body.vx + 0.5 * step * x),
                body.y + step * (body.vy + 0.5 * step * y),
                body.turn + step * body.rate,
            )
            if self.phases.nearest(*place)[0] > 0.0:
                return time + step
            step *= 0.25
        return time

    # ---- transitions --------------------------------------------------------------------------
    def note(self, kind: str, time: float, state: Touching, speed: float = 0.0, loss: float = 0.0) -> None:
        """Record an event."""
        position = state.travel + self.phases.height(state.alpha)[1]
        self.events.append(FootEvent(kind, float(time), float(state.alpha), float(position), float(speed), float(loss)))

    def strike(self, kind: str, time: float, state: Touching, approach: float) -> tuple[Touching, float]:
        """An impact; the state after it, and the normal velocity with which the contact point leaves."""
        f, f1, _ = self.phases.height(state.alpha)
        at = mobility(self.phases.mass, self.phases.inertia, -f1, f)
        friction = self.limits.static, self.limits.sliding
        hit = impact(at, state.slip, approach, self.limits.restitution, friction)
        if hit.departure <= self.limits.least_bounce:
            hit = impact(at, state.slip, approach, 0.0, friction)
        rate = state.rate - (f1 * hit.normal + f * hit.tangential) / self.phases.inertia
        self.lost -= hit.work
        self.note(kind, time, state, -approach, -hit.work)
        return state._replace(rate=rate, slip=hit.slip), hit.departure

    def contact_phase(self, time: float, state: Touching) -> float | None:
        """0 for rolling, the direction of a slip, or None if the ground does not push."""
        phases, limits = self.phases, self.limits
        if state.slip == 0.0:
            push = phases.pushes(time, state, None)
            if push.normal <= 0.0:
                return None
            if abs(push.along) <= limits.static * push.normal and limits.static > 0.0:
                return 0.0
            return -math.copysign(1.0, push.along)  # without friction, rolling is a slip of 0
        side = math.copysign(1.0, state.slip)
        push = phases.pushes(time, state, -side * limits.sliding)
        return None if push.mass > 0.0 and push.normal <= 0.0 else side


def ended(solution: Any, names: list[str], phases: Phases) -> tuple[str, float, np.ndarray]:
    """Name, time and state of the first event, or of the end of the span."""
    if not solution.success:
        stuck = float(solution.y[0, -1])
        f, _, f2 = phases.height(stuck)
        raise ValueError(
            f"shape is flat at alpha = {stuck:.6g}, its radius of curvature {f + f2:.3g} m: the motion cannot be "
            f"integrated through it, at t = {solution.t[-1]:.6g} s ({solution.message})"
        )
    found = [(t[0], name, y[0]) for name, t, y in zip(names, solution.t_events, solution.y_events) if len(t)]
    if not found:
        return "time", float(solution.t[-1]), solution.y[:, -1]
    time, name, y = min(found, key=lambda item: item[0])
    return name, float(time), y
