"""Motion of a rigid body through rolling, slip, flight and landing: one smooth piece after the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .foot_phases import Flying, Phases, Touching
from .foot_sides import Side, Standing, around, come_down, side_at, standing_pushes, tipped
from .point_impact import impact, mobility

MOST_PIECES = 20_000
STALL = 50  # pieces without progress in time


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
    """The pieces of one motion; see :func:`simulate`."""

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
        low = limits.low if below is None else max(limits.low, below.alpha)
        high = limits.high if above is None else min(limits.high, above.alpha)

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
            named |= {"stop": slip_ends, "jam": jams}
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
        step = self.longest(body.rate)
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
            if abs(push.along) <= limits.static * push.normal:
                return 0.0
            return -math.copysign(1.0, push.along)
        side = math.copysign(1.0, state.slip)
        push = phases.pushes(time, state, -side * limits.sliding)
        return None if push.mass > 0.0 and push.normal <= 0.0 else side


def simulate(sim: Simulation, state: Touching | Standing | Flying, duration: float) -> Outcome:
    """Follow a motion from its initial state until `duration`, or until it leaves the sole."""
    time, stalled = 0.0, 0
    phases, limits = sim.phases, sim.limits
    if isinstance(state, Touching) and sim.contact_phase(0.0, state) is None:
        sim.note("lift-off", 0.0, state)
        if limits.only_rolling:
            return _outcome(sim, "lift-off", 0.0, state)
        state = phases.released(state)
    while len(sim.pieces) < MOST_PIECES:
        before = time
        if isinstance(state, Touching):
            time, state, end = _contact(sim, time, state, duration)
        elif isinstance(state, Standing):
            time, state, end = _stand(sim, time, state, duration)
        else:
            time, state, end = _flight(sim, time, state, duration)
        if end:
            return _outcome(sim, end, time, state)
        stalled = stalled + 1 if time <= before else 0
        if stalled > STALL:
            return _outcome(sim, "stalled", time, state)
    return _outcome(sim, "stalled", time, state)


def _outcome(sim: Simulation, end: str, time: float, state: Touching | Standing | Flying) -> Outcome:
    if isinstance(state, Standing):
        arm = standing_pushes(sim.phases, time, state, sim.limits.sliding, sim.limits.static).arm
        return Outcome(sim.pieces, sim.events, end, float(time), state.side.alpha, float(state.travel + arm))
    at = state if isinstance(state, Touching) else sim.phases.landed(state)[0]
    position = at.travel + sim.phases.height(at.alpha)[1]
    return Outcome(sim.pieces, sim.events, end, float(time), float(at.alpha), float(position))


def _ended(solution: Any, names: list[str], phases: Phases) -> tuple[str, float, np.ndarray]:
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


def _contact(sim: Simulation, time: float, state: Touching, duration: float) -> tuple[float, Any, str]:
    """One piece with contact; the time and state after it, and the end of the motion or an empty word."""
    phases, limits = sim.phases, sim.limits
    side = sim.contact_phase(time, state)
    if side is None:
        sim.note("lift-off", time, state)
        return time, phases.released(state), ""
    if not limits.low <= state.alpha <= limits.high:
        return time, state, "edge"
    if side and limits.only_rolling:
        sim.note("slip", time, state)
        return time, state, "slip"
    if side and phases.pushes(time, state, -side * limits.sliding).mass <= 1e-9 * phases.inertia:
        # Painlevé: no rigid body slides on like this; friction stops it at once.
        after, up = sim.strike("jam", time, state._replace(slip=state.slip or side * 1e-300), 0.0)
        return time, phases.released(after, up) if up > 0.0 else after, ""
    solution, names = sim.contact_piece(time, state, side, duration)
    name, end, y = _ended(solution, names, phases)
    sim.pieces.append(Piece("slip" if side else "roll", time, end, solution.sol, side, sim.heat, sim.lost))
    sim.heat, sim.work = float(y[4]), float(y[5])
    state = Touching(float(y[0]), float(y[1]), float(y[2]), float(y[3]) if side else 0.0)
    if name == "edge" and (below := side_at(limits.sides, state.alpha)) is not None:
        if limits.only_rolling:
            return end, state, "side"
        arm = below.before if state.rate > 0.0 else below.after
        return end, come_down(sim, end, below, state.rate, arm * state.rate, state.slip, state.travel), ""
    if name in ("time", "edge"):
        return end, state, name
    if name == "stop":
        state = state._replace(slip=0.0)
        sim.note("grip" if sim.contact_phase(end, state) == 0.0 else "turn", end, state)
    elif name == "slip":
        sim.note("slip", end, state)
        if limits.only_rolling:
            return end, state, "slip"
        along = phases.pushes(end, state, None).along
        # Rolling failed by a rounding error: the slip begins against the force that the ground could not bear.
        state = state._replace(slip=-math.copysign(1e-300, along))
    elif name == "lift-off":
        sim.note("lift-off", end, state, abs(state.slip))
        return end, (state if limits.only_rolling else phases.released(state)), name if limits.only_rolling else ""
    return end, state, ""


def _flight(sim: Simulation, time: float, body: Flying, duration: float) -> tuple[float, Any, str]:
    """One flight and the landing after it."""
    phases = sim.phases
    end, name = sim.clear(time, body), "landing"
    # A body that leaves the ground starts on it: the search for its landing begins when it is above.
    spans = [(min(end, duration), False), (duration, True)] if end > time else []
    for last, watched in spans:
        if not time < last:
            continue
        solution, names = sim.flight_piece(time, body, last, watched)
        name, end, y = _ended(solution, names, phases)
        sim.pieces.append(Piece("flight", time, end, solution.sol, 0.0, sim.heat, sim.lost))
        sim.work = float(y[6])
        time, body = end, Flying(*(float(value) for value in y[:6]))
    if name == "time":
        return time, body, "time"
    state, approach = phases.landed(body)
    side = side_at(sim.limits.sides, state.alpha)
    if side is not None:
        return time, come_down(sim, time, side, body.rate, body.vy, state.slip, state.travel), ""
    state, up = sim.strike("landing", time, state, min(approach, 0.0))
    return time, phases.released(state, up) if up > 0.0 else state, ""


def _stand(sim: Simulation, time: float, state: Standing, duration: float) -> tuple[float, Any, str]:
    """One piece on a straight side, at rest or sliding."""
    phases, limits = sim.phases, sim.limits
    side = state.side

    def pushes(t: float, slip: float) -> Any:
        return standing_pushes(phases, t, Standing(side, 0.0, slip), limits.sliding, limits.static)

    push = pushes(time, state.slip)
    if push.normal <= 0.0:
        at = Touching(side.alpha, 0.0, state.travel, state.slip)
        sim.note("lift-off", time, at)
        return time, phases.released(at), ""
    if not side.before <= push.arm <= side.after:
        return time, tipped(state, push.arm), ""
    slip = state.slip
    if slip == 0.0 and push.sliding != 0.0 and math.isfinite(limits.static):
        sim.note("slip", time, Touching(side.alpha, 0.0, state.travel, 0.0))
        slip = math.copysign(1e-300, push.sliding)
    sign = math.copysign(1.0, slip) if slip else 0.0

    def rates(t: float, y: np.ndarray) -> list[float]:
        at = pushes(t, y[1] or slip)
        load = 0.0
        if phases.load is not None:
            load = power(t, float(y[1]))
        return [y[1], at.sliding if sign else 0.0, -at.along * y[1], load, 0.0, 0.0]

    def power(t: float, speed: float) -> float:
        return sim._power(t, Flying(0.0, 0.0, side.alpha, speed, 0.0, 0.0))

    def tips(t: float, y: np.ndarray) -> float:
        arm = pushes(t, y[1] or slip).arm
        return float(min(arm - side.before, side.after - arm))

    def lift_off(t: float, y: np.ndarray) -> float:
        return float(pushes(t, y[1] or slip).normal)

    def stops(_: float, y: np.ndarray) -> float:
        return float(sign * y[1])

    def starts(t: float, y: np.ndarray) -> float:
        at = pushes(t, 0.0)
        return 1.0 if at.sliding == 0.0 else -1.0

    named: dict[str, Any] = (
        {"tip": tips, "lift-off": lift_off, "stop": stops} if sign else {"tip": tips, "slip": starts}
    )
    solution = sim._integrate(
        rates, time, [state.travel, slip, sim.heat, sim.work, 0.0, 0.0], list(named.values()), duration
    )
    name, end, y = _ended(solution, list(named), phases)
    sim.pieces.append(Piece("stand", time, end, lambda t: solution.sol(t)[:4], sign, sim.heat, sim.lost, side))
    sim.heat, sim.work = float(y[2]), float(y[3])
    state = Standing(side, float(y[0]), 0.0 if name == "stop" or not sign else float(y[1]))
    if name == "stop":
        sim.note("grip", end, Touching(side.alpha, 0.0, state.travel, 0.0))
    elif name == "tip":
        return end, tipped(state, pushes(end, state.slip or slip).arm), ""
    return end, state, "time" if name == "time" else ""
