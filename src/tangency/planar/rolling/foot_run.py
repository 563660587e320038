"""The result of a motion of a rolling foot: its samples, forces, energy and ankle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..pose import turned
from .foot_phases import Flying, Touching
from .foot_pieces import FootEvent, Outcome, Simulation
from .foot_sides import Standing, standing_pushes

if TYPE_CHECKING:
    from .foot import RollingFoot

ENDS = {
    "time": "The end of the duration was reached; {how}.",
    "lift-off": "The normal force vanishes {where}: the body leaves the ground (Römer 2-D, Eq. 89a).",
    "slip": "Static friction no longer holds the body {where}: it slips (Römer 2-D, Eq. 89b).",
    "edge": "The body reaches the end of its sole {where}.",
    "side": "A straight side of the sole comes down {where}: the contact point jumps.",
    "stalled": "The motion changes between rolling, slip and flight without end {where}: it could not be followed.",
}
HOW = {"slip": "slips", "lift-off": "lift-offs", "landing": "landings", "jam": "jams"}


class PointMotion(NamedTuple):
    """Motion of a body-fixed point."""

    position: np.ndarray  #: (T, 2) [m]
    velocity: np.ndarray  #: (T, 2) [m/s]
    acceleration: np.ndarray  #: (T, 2) [m/s^2]


@dataclass(frozen=True, repr=False)
class FootRun:
    """A motion of a :class:`RollingFoot`; arrays have one entry per time.

    Attributes
    ----------
    time : (T,) array
        Time [s].
    phase : (T,) array of str
        "roll", "slip", "flight", or "stand" on a straight side, at rest or sliding.
    alpha, rate, acceleration : (T,) arrays
        Clockwise angle of the body [rad] and its derivatives; it rolls towards +x if the angle grows.
    reference, velocity, linear_acceleration : (T, 2) arrays
        Path, velocity and acceleration of the centre of mass [m, m/s, m/s^2].
    contact : (T, 2) array
        Contact point; in flight the nearest point of the ground [m].
    sole_angle : (T,) array
        Angle between the body and the normal of the ground at the contact point [rad]; `alpha` on a line.
    force : (T, 2) array
        Force of the ground on the body at the contact point, along and normal to the ground: (F_Cx, F_Cz) of
        Eq. (88) [N].
    slip, gap : (T,) arrays
        Velocity of the body's contact point along the ground [m/s]; distance from the ground [m].
    energy : (T,) array
        Kinetic plus potential energy (Eq. 86) [J].
    friction_loss, impact_loss, load_work : (T,) arrays
        Energy taken by friction and by impacts so far, and work done by the load [J].
    events : tuple of FootEvent
        Every slip, grip, lift-off and landing, with the energy it took.
    end : str
        "time" or "edge"; "lift-off", "slip" or "side" for a run that stops there; "stalled".
    end_time, end_alpha, end_position : float
        End of the motion: time [s], angle against the ground [rad] and length along it to the contact point [m].
    """

    foot: RollingFoot
    time: np.ndarray
    phase: np.ndarray
    alpha: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    reference: np.ndarray
    velocity: np.ndarray
    linear_acceleration: np.ndarray
    contact: np.ndarray
    sole_angle: np.ndarray
    force: np.ndarray
    slip: np.ndarray
    gap: np.ndarray
    energy: np.ndarray
    friction_loss: np.ndarray
    impact_loss: np.ndarray
    load_work: np.ndarray
    events: tuple[FootEvent, ...]
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
        kinds = [event.kind for event in self.events]
        counts = [f"{kinds.count(kind)} {name}" for kind, name in HOW.items() if kind in kinds]
        how = ", ".join(counts) + " on the way" if counts else "rolling did not fail"
        for phase, done in (("slip", "slipped"), ("stand", "stood"), ("flight", "flew")):
            if not counts and phase in self.phase:
                how = f"it {done} all the time" if (self.phase == phase).all() else f"it {done} at first"
        return ENDS[self.end].format(where=where, how=how)

    @property
    def friction_demand(self) -> np.ndarray:
        """|F_Cx| / F_Cz, the coefficient of friction in use; inf if the normal force is not positive, 0 in flight."""
        down = self.force[:, 1]
        demand = np.divide(np.abs(self.force[:, 0]), down, out=np.full_like(down, np.inf), where=down > 0)
        return np.where(self.phase == "flight", 0.0, demand)

    @cached_property
    def balance_error(self) -> float:
        """Largest violation of the balance of energy, friction, impacts and load over the run [J]."""
        sum_ = self.energy + self.friction_loss + self.impact_loss - self.load_work
        return float(np.abs(sum_ - sum_[0]).max())

    def point(self, point: ArrayLike) -> PointMotion:
        """Motion of a point fixed in the body, such as the ankle, given in the frame of the shape (Eqs. 38, 39)."""
        local = validate.vectors(point, "point", 2) - np.asarray(self.foot.centre_of_mass)
        arm = turned(np.stack([np.cos(self.alpha), -np.sin(self.alpha)], axis=-1), local)
        clockwise = np.stack([arm[:, 1], -arm[:, 0]], axis=-1)
        w, second = self.rate[:, None], self.acceleration[:, None]
        return PointMotion(
            self.reference + arm,
            self.velocity + w * clockwise,
            self.linear_acceleration + second * clockwise - w * w * arm,
        )


def ground_frame(run: FootRun) -> tuple[np.ndarray, np.ndarray]:
    """Tangent and normal of the ground at the contact points of a run, (T, 2) each."""
    k = run.foot.rolling.ground.curvature
    return run.foot.rolling.ground.frame(_arcs(run) if k else np.zeros(len(run.time)))


def ground_points(run: FootRun, margin: float) -> np.ndarray:
    """Points of the ground below a run, `margin` further on both sides [m]."""
    arcs = _arcs(run)
    return run.foot.rolling.ground.point(np.linspace(arcs.min() - margin, arcs.max() + margin, 201))


def _arcs(run: FootRun) -> np.ndarray:
    k = run.foot.rolling.ground.curvature
    if not k:
        return run.contact[:, 0]
    return np.arctan2(k * run.contact[:, 0], 1.0 + k * run.contact[:, 1]) / k


def sampled(foot: RollingFoot, sim: Simulation, outcome: Outcome, samples: int, start: Any) -> FootRun:
    """The samples of a simulated motion."""
    time = np.linspace(0.0, outcome.time, samples) if outcome.pieces else np.zeros(1)
    rows = [_row(sim, outcome, t, start) for t in time]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return FootRun(
        foot=foot,
        time=time,
        events=tuple(outcome.events),
        end=outcome.end,
        end_time=outcome.time,
        end_alpha=outcome.alpha,
        end_position=outcome.position,
        **columns,
    )


def _row(sim: Simulation, outcome: Outcome, time: float, start: Any) -> dict[str, object]:
    phases = sim.phases
    state: Touching | Standing | Flying
    if not outcome.pieces:
        phase, heat, lost, work = ("roll" if isinstance(start, Touching) else "flight"), 0.0, sim.lost, 0.0
        state, side = start, 0.0
    else:
        starts = [piece.start for piece in outcome.pieces]
        piece = outcome.pieces[max(int(np.searchsorted(starts, time, side="right")) - 1, 0)]
        y = piece.states(np.minimum(time, piece.end)).tolist()
        phase, side, lost, work = piece.phase, piece.side, piece.impact_loss, y[-1]
        if piece.ground is not None:
            heat, state = y[2], Standing(piece.ground, y[0], y[1] if side else 0.0)
        elif phase == "flight":
            heat, state = piece.heat, Flying(*y[:6])
        else:
            heat, state = y[4], Touching(y[0], y[1], y[2], y[3] if side else 0.0)
    if isinstance(state, Flying):
        body, force = state, (0.0, 0.0)
        gap, alpha, travel = phases.nearest(body.x, body.y, body.turn)
        x, y2, angular = phases.flight(time, body.turn, body.rate)
        acceleration = (x, y2)
        slip = phases.landed(body)[0].slip
    elif isinstance(state, Standing):
        rest = standing_pushes(phases, time, state, sim.limits.sliding, sim.limits.static)
        alpha, travel, slip, gap, angular = state.side.alpha, state.travel, state.slip, 0.0, 0.0
        body = Flying(travel, phases.height(alpha)[0], alpha, slip, 0.0, 0.0)
        force, acceleration = (rest.along, rest.normal), (rest.sliding, 0.0)
        arm = rest.arm  # to the centre of pressure
    else:
        push = phases.pushes(time, state, -side * sim.limits.sliding if side else None)
        body, gap, alpha, travel, slip = phases.released(state), 0.0, state.alpha, state.travel, state.slip
        force, angular = (push.along, push.normal), push.angular
        t, n = phases.ground.frame(np.array(travel + phases.height(alpha)[1]))
        outside = phases.flight(time, body.turn, body.rate)
        acceleration = tuple(outside[:2] + (push.along * t + push.normal * n) / phases.mass)
    if not isinstance(state, Standing):
        arm = phases.height(alpha)[1]
    return {
        "phase": phase,
        "alpha": body.turn,
        "rate": body.rate,
        "acceleration": angular,
        "reference": (body.x, body.y),
        "velocity": (body.vx, body.vy),
        "linear_acceleration": acceleration,
        "contact": phases.ground.point(np.array(travel + arm)),
        "sole_angle": alpha,
        "force": force,
        "slip": slip,
        "gap": gap,
        "energy": phases.energy(body),
        "friction_loss": heat,
        "impact_loss": lost,
        "load_work": work,
    }
