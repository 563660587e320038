"""Straight sides of a sole: falling onto one, standing and sliding on it, tipping over its ends; on a straight ground.

Between its sides a body rolls over corners and curved parts.  When a side comes down, the contact point jumps to its
other end with an impact; the body rolls on over that end, rebounds, or comes to stand on the side.  A standing body has
the centre of pressure between the ends, and tips over the end that it passes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..radii import direction
from .foot_phases import Phases, Touching
from .line import RollingBody
from .point_impact import impact, mobility

if TYPE_CHECKING:
    from .foot_pieces import Simulation

BESIDE = 1e-11  # [rad] from a side, where a body stands on one of its ends; its normal is known to 5e-13
MOST_IMPACTS = 400  # of the two ends in turn, which take ever less energy


class Side(NamedTuple):
    """A straight side."""

    alpha: float  #: angle at which it lies on the ground [rad]
    before: float  #: f' of its rear end: the way from the centre of mass to it along the ground [m]
    after: float  #: of its front end


class Standing(NamedTuple):
    """State of a body that stands or slides on a side."""

    side: Side
    travel: float  #: x of the centre of mass [m]
    slip: float  #: its velocity along the ground [m/s]


class StandingPushes(NamedTuple):
    """Force of the ground on a standing body, and where it acts."""

    along: float
    normal: float
    sliding: float  #: rate of the slip [m/s^2]
    arm: float  #: way from the centre of mass to the centre of pressure along the ground [m]


def straight_sides(rolling: RollingBody, low: float, high: float) -> list[Side]:
    """All straight sides of the boundary between two angles."""
    top = min(high, low + 2.0 * np.pi)
    breaks = low + (rolling.shape._breaks() + 0.5 * np.pi - low) % (2.0 * np.pi)
    near = np.concatenate([breaks - 1e-9, breaks + 1e-9])
    edges = np.union1d(np.linspace(low, top, 1441), near[(near > low) & (near < top)])
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
    found: list[Side] = []
    for a, b in zip(left[straight], right[straight]):
        alpha = round(float(0.5 * (a + b)), 12)
        if found and alpha - found[-1].alpha < 1e-6:
            continue
        # Beside the side, and continued to it.
        ends = [rolling.height(np.array(alpha + step)) for step in (-1e-8, 1e-8)]
        before, after = (float(f1 - step * f2) for (_, f1, f2), step in zip(ends, (-1e-8, 1e-8)))
        found.append(Side(alpha, before, after))
    return found


def around(sides: tuple[Side, ...], alpha: float) -> tuple[Side | None, Side | None]:
    """The sides next to an angle: below and above it; a side repeats in every turn."""
    below = above = None
    for side in sides:
        turns = math.floor((alpha - side.alpha) / (2.0 * math.pi))
        for k in (turns, turns + 1):
            place = side._replace(alpha=side.alpha + 2.0 * math.pi * k)
            if place.alpha <= alpha and (below is None or place.alpha > below.alpha):
                below = place
            if place.alpha > alpha and (above is None or place.alpha < above.alpha):
                above = place
    return below, above


def side_at(sides: tuple[Side, ...], alpha: float) -> Side | None:
    """The side that lies on the ground at an angle, if any."""
    for side in around(sides, alpha):
        if side is not None and abs(side.alpha - alpha) < 1e-9:
            return side
    return None


def standing_pushes(phases: Phases, time: float, state: Standing, sliding: float, static: float) -> StandingPushes:
    """Forces on a body that stands (slip 0) or slides."""
    at = Touching(state.side.alpha, 0.0, state.travel, state.slip)
    along, up, moment = phases._outside(time, at)
    normal = -up
    push = -along
    if state.slip != 0.0:
        push = -math.copysign(sliding, state.slip) * normal
    elif abs(along) > static * normal:
        push = -math.copysign(sliding, along) * normal
    height = phases.height(state.side.alpha)[0]
    arm = (moment - height * push) / normal if normal > 0.0 else 0.0
    return StandingPushes(push, normal, (push + along) / phases.mass, arm)


def come_down(sim: Simulation, time: float, side: Side, rate: float, up: float, slip: float, travel: float) -> Any:
    """Impacts of the two ends of a side; `up` is the normal velocity of the centre of mass.  The state afterwards."""
    phases, limits = sim.phases, sim.limits
    f = phases.height(side.alpha)[0]
    friction = limits.static, limits.sliding
    slow = limits.least_bounce
    if abs(rate) * (side.after - side.before) <= 1e-9 * abs(up):
        return _flat_landing(sim, time, side, up, slip, travel)
    for k in range(MOST_IMPACTS):
        # The end that approaches faster is next.
        arm = min((side.before, side.after), key=lambda x: up - x * rate)
        approach = up - arm * rate
        if approach >= -1e-3 * slow:
            break
        at = mobility(phases.mass, phases.inertia, -arm, f)
        bounce = limits.restitution if k < MOST_IMPACTS // 2 else 0.0
        hit = impact(at, slip, approach, bounce, friction)
        if hit.departure <= slow:
            hit = impact(at, slip, approach, 0.0, friction)
        up += hit.normal / phases.mass
        rate -= (arm * hit.normal + f * hit.tangential) / phases.inertia
        slip = hit.slip
        sim.lost -= hit.work
        sim.note("landing", time, Touching(side.alpha, rate, travel, slip), -approach, -hit.work)
    rear, front = up - side.before * rate, up - side.after * rate
    if max(rear, front) <= slow:
        # What is left of the rotation stops: both ends rest on the ground.
        left = 0.5 * phases.mass * (up * up + (slip + f * rate) ** 2 - slip * slip) + 0.5 * phases.inertia * rate * rate
        sim.lost += left
        return Standing(side, travel, slip)
    # The front end is on the ground if the rear one rises faster.
    alpha, gap_rate = (side.alpha + BESIDE, front) if rear > front else (side.alpha - BESIDE, rear)
    state = Touching(alpha, rate, travel, slip)
    return phases.released(state, gap_rate) if gap_rate > slow else state


def _flat_landing(sim: Simulation, time: float, side: Side, up: float, slip: float, travel: float) -> Any:
    """Impact of a whole side at once, if the impulse acts between its ends; otherwise of its ends in turn."""
    phases, limits = sim.phases, sim.limits
    f, mass = phases.height(side.alpha)[0], phases.mass
    rebound = -limits.restitution * up if -limits.restitution * up > limits.least_bounce else 0.0
    normal = mass * (rebound - up)
    most = limits.sliding * normal if math.isfinite(limits.sliding) else math.inf
    tangential = -math.copysign(min(most, mass * abs(slip)), slip) if slip else 0.0
    arm = -f * tangential / normal
    if not side.before <= arm <= side.after:
        # The nudge lets the end that friction presses down strike first.
        nudge = math.copysign(1e-6 * abs(up) / (side.after - side.before), -tangential)
        return come_down(sim, time, side, nudge, up, slip, travel)
    after = 0.0 if abs(tangential) == mass * abs(slip) else slip + tangential / mass
    loss = 0.5 * mass * (up * up - rebound * rebound + slip * slip - after * after)
    sim.lost += loss
    sim.note("landing", time, Touching(side.alpha, 0.0, travel, slip), -up, loss)
    if rebound:
        return phases.released(Touching(side.alpha, 0.0, travel, after), rebound)
    return Standing(side, travel, after)


def tipped(state: Standing, arm: float) -> Touching:
    """The body as it begins to turn over the end of its side that the centre of pressure has passed."""
    middle = 0.5 * (state.side.before + state.side.after)
    alpha = state.side.alpha + math.copysign(BESIDE, arm - middle)
    return Touching(alpha, 0.0, state.travel, state.slip)
