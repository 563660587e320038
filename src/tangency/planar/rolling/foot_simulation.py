"""Motion of a rigid body through rolling, slip, flight and landing: one smooth piece after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .foot_phases import Flying, Touching
from .foot_pieces import Outcome, Piece, Simulation, ended
from .foot_sides import Standing, come_down, side_at, standing_pushes, tipped

MOST_PIECES = 20_000
STALL = 50  # pieces without progress in time


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
    if side and state.slip == 0.0:
        state = state._replace(slip=side * 1e-300)  # a slip of 0 would end at once
    solution, names = sim.contact_piece(time, state, side, duration)
    name, end, y = ended(solution, names, phases)
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
    if (
        not spans
        and phases.load is None
        and not any((body.vx, body.vy, body.rate, *phases.flight(time, body.turn, 0.0)))
    ):
        spans = [(duration, False)]  # weightless and at rest
    for last, watched in spans:
        if not time < last:
            continue
        solution, names = sim.flight_piece(time, body, last, watched)
        name, end, y = ended(solution, names, phases)
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
    name, end, y = ended(solution, list(named), phases)
    sim.pieces.append(Piece("stand", time, end, lambda t: solution.sol(t)[:4], sign, sim.heat, sim.lost, side))
    sim.heat, sim.work = float(y[2]), float(y[3])
    state = Standing(side, float(y[0]), 0.0 if name == "stop" or not sign else float(y[1]))
    if name == "stop":
        sim.note("grip", end, Touching(side.alpha, 0.0, state.travel, 0.0))
    elif name == "tip":
        return end, tipped(state, pushes(end, state.slip or slip).arm), ""
    return end, state, "time" if name == "time" else ""
