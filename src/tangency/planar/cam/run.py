"""Motion of a follower on its cam: alternating contact and flight, each transition located (Römer 2-D, Fig. 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...io.numbers import count, positive, tolerance
from ..pitch.periodic import FULL
from .follower_table import FollowerTable
from .spring_flight import SpringFlight
from .tappet import FELT, STIFF, CamTappet, TappetForces, coordinate_at, tappet_rates

MOST_VIBRATIONS = 2e6  # of the contact in a run: minutes


class CamEvent(NamedTuple):
    """Loss or start of contact.

    A "lift-off" is a loss of contact during which the cam falls away under the roller: the spring cannot
    follow the nose, and the growth of the gap accelerates for a while.  It may start with a bounce.  Leaving a
    settled contact is also a lift-off.  A "rebound" is any other loss of contact after an impact.
    """

    kind: str  #: "lift-off", "rebound" or "impact"
    time: float  #: [s]
    alpha: float  #: angle of the cam since the start [rad]
    speed: float  #: relative normal velocity, positive while approaching [m/s]


@dataclass(frozen=True, repr=False)
class CamRun:
    """A motion of a :class:`CamTappet`; arrays have one entry per time.

    Attributes
    ----------
    time, alpha : (T,) arrays
        Time [s] and angle of the cam [rad].
    distance : (T,) array
        Distance between the axis P of the cam and the centre M of the roller, Fig. 8a, or the face [m]; for a
        swinging follower its angle [rad].
    velocity : (T,) array
        Its derivative [m/s].
    roller_angle, roller_rate : (T,) arrays
        Rotation of the roller [rad], [rad/s].
    forces : TappetForces
        Penetration, its rate, slip, normal and tangential force.
    events : tuple of CamEvent
        Lift-offs, rebounds and impacts, in order.
    surge : (T,) array
        Way of the middle of the spring from its place in a spring without mass [m], or [rad]; 0 for such a spring.
    """

    cam: CamTappet
    time: np.ndarray
    alpha: np.ndarray
    distance: np.ndarray
    velocity: np.ndarray
    roller_angle: np.ndarray
    roller_rate: np.ndarray
    forces: TappetForces
    events: tuple[CamEvent, ...]
    surge: np.ndarray

    @property
    def spring_force(self) -> np.ndarray:
        """Force of the spring on the follower [N], or its moment [N m], with that of its surge."""
        return self.cam.spring * (self.coordinate + self.cam.rest - FELT * STIFF * self.surge)

    def __repr__(self) -> str:
        return f"CamRun({len(self.time)} times until {self.time[-1]:.6g} s, {len(self.lift_offs)} lift-offs)"

    @property
    def gap(self) -> np.ndarray:
        """Gap -delta, Fig. 8b [m]: positive in flight, minus the deformation in contact."""
        return -self.forces.penetration

    @property
    def coordinate(self) -> np.ndarray:
        """Coordinate of the follower, which grows with the lift: minus the distance inside a ring [m] or [rad]."""
        return -self.distance if self.cam.motion.follower.inside else self.distance

    @property
    def touching(self) -> np.ndarray:
        """Distance or angle that the follower would have in contact [m] or [rad]."""
        q = self.cam.motion.values(self.alpha).value
        return -q if self.cam.motion.follower.inside else q

    @property
    def openings(self) -> tuple[CamEvent, ...]:
        """All losses of contact: lift-offs and rebounds."""
        return tuple(event for event in self.events if event.kind != "impact")

    @property
    def lift_offs(self) -> tuple[CamEvent, ...]:
        """Losses of contact that are not rebounds, see :class:`CamEvent`."""
        return tuple(event for event in self.events if event.kind == "lift-off")

    @property
    def highest_gap(self) -> float:
        """Largest gap in the result [m]; 0 if contact was never lost."""
        return max(float(self.gap.max()), 0.0)

    @property
    def flights(self) -> np.ndarray:
        """(F, 2) times at which contact was lost and regained; the last flight may be unfinished."""
        starts = [event.time for event in self.events if event.kind != "impact"]
        ends = [event.time for event in self.events if event.kind == "impact"]
        last = float(self.time[-1])
        return np.array([[s, min((e for e in ends if e > s), default=last)] for s in starts]).reshape(-1, 2)


def run_cam(cam: CamTappet, revolutions: float = 3.0, *, samples: int = 720, rtol: float = 1e-8) -> CamRun:
    """Motion of the tappet, which follows the cam at alpha = 0.

    Parameters
    ----------
    cam : CamTappet
        Cam, follower and spring.
    revolutions : float
        Number of turns of the cam.
    samples : int
        Number of times per revolution in the result, in addition to those of events and impacts.
    rtol : float
        Relative tolerance of the integration in contact; the flight is exact.

    Returns
    -------
    CamRun

    Notes
    -----
    The initial state is that of a rigid follower: the velocity is speed g'(0), a roller rolls, and the
    penetration carries the spring's force and the inertia m speed^2 g''(0).  If that force is not positive,
    the cam drops away under the roller: the run starts in the air with a lift-off at t = 0.

    Examples
    --------
    >>> from tangency import planar
    >>> run = planar.run_cam(planar.CamTappet(spring=2000.0), revolutions=1.0)
    >>> len(run.lift_offs), bool(run.gap.max() <= 0)
    (0, True)
    """
    tappet(cam)
    revolutions, rtol = positive(revolutions, "revolutions"), tolerance(rtol, "rtol")
    samples = count(samples, "samples")
    stop = FULL * revolutions / cam.speed
    _require_few_vibrations(cam, revolutions)
    task = _Task(cam, np.linspace(0.0, stop, max(int(samples * revolutions), 2) + 1), cam.compiled_table, rtol)
    y, touching = _start(cam)
    t, impact = 0.0, cam.impact_floor
    phases: list[_Phase] = []
    impacts: list[float] = []
    events: list[CamEvent] = [] if touching else [CamEvent("lift-off", 0.0, 0.0, 0.0)]
    while t < stop:
        impact = max(impact, cam.impact_floor)
        phase = _contact(task, t, y, impact) if touching else _flight(task, t, y)
        phases.append(phase)
        impacts.append(impact)
        if phase.fell_away:
            events[-1] = events[-1]._replace(kind="lift-off")
        t, y = phase.end, phase.state
        if t >= stop:
            break
        alpha = cam.speed * t
        approach = float(cam.forces(alpha, y, impact).rate[0])
        kind = "impact"
        if touching:
            short = bool(events) and t - events[-1].time < 2.0 * cam.impact_duration(impact)
            kind = "rebound" if short else "lift-off"
        events.append(CamEvent(kind, t, alpha, approach))
        impact, touching = approach, not touching
        if len(events) > 2000 * max(revolutions, 1.0):
            raise RuntimeError(f"the roller chatters: {len(events)} events until t = {t:.6g} s; raise least_impact")
    time = np.concatenate([phase.times for phase in phases])
    states = np.concatenate([phase.states for phase in phases])
    forces = cam.forces(cam.speed * time, states, np.repeat(impacts, [len(phase.times) for phase in phases]))
    distance, velocity, roller_angle, roller_rate = states.T[:4]
    surge = states.T[4] if cam.spring_mass else np.zeros(len(time))
    if cam.motion.follower.inside:
        distance, velocity = -distance, -velocity
    path = distance, velocity, roller_angle, roller_rate
    return CamRun(cam, time, cam.speed * time, *path, forces, tuple(events), surge)


def _require_few_vibrations(cam: CamTappet, revolutions: float) -> None:
    """Refuse runs in which the contact vibrates so often that they would take hours."""
    lever = float(cam.motion.contact(0.0).lever)
    force = cam.preload(0.0) / lever
    depth = cam.indentation(force, 0.0) if force > 0.0 else 0.0
    if not depth > 0.0:
        return
    often = revolutions / cam.speed * lever * (1.5 * force / (depth * cam.moving_mass)) ** 0.5
    if not often < MOST_VIBRATIONS:
        raise ValueError(
            f"speed must be higher or revolutions fewer: the contact would vibrate {often:.2g} times in "
            f"{revolutions:g} revolutions at {cam.speed:g} rad/s, and {MOST_VIBRATIONS:g} can be followed; so slow a "
            "follower moves as CamMotion.values says"
        )


def tappet(cam: object) -> CamTappet:
    """`cam`, if it is a CamTappet; a Pitch alone has no mass and no spring."""
    if not isinstance(cam, CamTappet):
        raise TypeError(f"cam must be a CamTappet, for instance CamTappet(pitch), got {cam!r}")
    return cam


def _start(cam: CamTappet) -> tuple[np.ndarray, bool]:
    """State at alpha = 0 of a tappet that follows the cam without vibrating, and whether it touches."""
    g, g1, g2 = (float(v) for v in cam.motion.values(0.0))
    at, radius = cam.motion.contact(0.0), cam.numbers(0.0)[1]
    lever, slide, roll = float(at.lever), float(at.slide), float(at.roll)
    force = cam.preload(0.0) + cam.whole_mass * cam.speed**2 * g2  # Eq. (106a) with s = g
    # In the air, a tiny gap keeps the flight from ending immediately.
    q = g - cam.indentation(force / lever, 0.0) / lever if force > 0 else g + 1e-12 * abs(g)
    spin = -cam.speed * (g1 * slide + roll) / radius if radius > 0 else 0.0  # rolling: Eq. (102b) vanishes
    state = [q, cam.speed * g1, 0.0, spin]
    if cam.spring_mass:  # the surge that the acceleration alone keeps up
        state += [-FELT * cam.surge_mass * cam.speed**2 * g2 / (STIFF * cam.spring), 0.0]
    return np.array(state), force > 0


class _Task(NamedTuple):
    """Data shared by all phases of a run."""

    cam: CamTappet
    times: np.ndarray  # output times; the last one is the end
    table: FollowerTable
    rtol: float

    def pitch(self, time: float) -> float:
        """Coordinate of the touching follower at a time, as a float."""
        return coordinate_at(self.table, self.cam.speed * time)

    def within(self, start: float, end: float) -> np.ndarray:
        """The output times of a phase, with its start and end."""
        inside = self.times[(self.times > start) & (self.times < end)]
        return np.concatenate([[start], inside, [end]])


class _Phase(NamedTuple):
    """A phase of contact or flight: how it ended, and its states (T, 4 or 6) at the output times."""

    end: float
    state: np.ndarray
    times: np.ndarray
    states: np.ndarray
    fell_away: bool = False  # a flight over a nose that the spring cannot follow


def _contact(task: _Task, t: float, y: np.ndarray, impact: float) -> _Phase:
    """Integrate until the penetration vanishes."""
    from scipy.integrate import solve_ivp

    cam, stop, step = task.cam, float(task.times[-1]), float(task.times[1])
    numbers, laws = cam.numbers(impact), cam.compiled_laws()

    def penetration(time: float, state: np.ndarray) -> float:
        return task.pitch(time) - state[0]

    event: Any = penetration
    event.terminal, event.direction = True, -1.0
    lever = float(cam.motion.contact(0.0).lever)
    scale = (cam.indentation(cam.preload(0.0) / lever, 0.0) or 1e-9 * cam.motion.travel) / lever
    # An impact starts exactly at zero: a tiny penetration keeps the event from triggering immediately.
    y = np.array([min(y[0], task.pitch(t) - 1e-9 * scale), *y[1:]])
    solution = solve_ivp(
        lambda time, state: tappet_rates(time, state, numbers, laws, task.table),
        (t, stop),
        y,
        method="LSODA",
        rtol=task.rtol,
        atol=np.array(
            [1e-5 * scale, 1e-5 * scale * cam.speed, 1e-6, 1e-6 * cam.speed, scale, scale * cam.speed][: len(y)]
        ),
        events=event,
        dense_output=True,
        max_step=8.0 * step,
    )
    if not (solution.success and np.isfinite(solution.y[:, -1]).all()):
        raise RuntimeError(f"the motion of the tappet could not be integrated: {solution.message}")
    end = float(solution.t[-1])
    state = solution.y_events[0][0] if len(solution.t_events[0]) else solution.y[:, -1]
    at = task.within(t, end)
    if end - t < 8.0 * step:
        # An impact spans few output times: extra points resolve its force.
        at = np.union1d(at, np.linspace(t, end, 41))
    return _Phase(end, state, at, solution.sol(at).T)


def _flight(task: _Task, t: float, y: np.ndarray) -> _Phase:
    """Motion under the spring alone, in closed form, until the roller meets the cam."""
    cam = task.cam
    free = SpringFlight(cam, y, t)

    state = free.state

    def room(time: Any) -> np.ndarray:
        return state(time)[..., 0] - cam.table.values(cam.speed * np.asarray(time)).value

    step = FULL / cam.speed / 2880
    end = _first_root(room, t, float(task.times[-1]), step)
    at = task.within(t, end)
    if len(at) < 41:
        # Few output times: extra points resolve the largest gap.
        at = np.union1d(at, np.linspace(t, end, 41))
    # A bounce may start before the cam falls away, and end before that is over.  It is a lift-off if the roller is
    # in the air when the second derivative of the gap turns negative again, so each nose has at most one.
    inside = np.linspace(t, end, int((end - t) / step) + 3)
    second = cam.table.values(cam.speed * inside).second
    falling = free.acceleration(inside) - cam.speed**2 * second > 0
    fell_away = bool((falling[:-1] & ~falling[1:]).any() or (falling[-1] and end >= task.times[-1]))
    return _Phase(end, state(end), at, state(at), fell_away)


def _first_root(room: Callable[[Any], np.ndarray], t: float, stop: float, step: float) -> float:
    """First time after t at which the gap closes, or `stop`; very short flights are also found."""
    from scipy.optimize import brentq

    early = step * 2.0 ** np.arange(-24.0, 0.0)
    grid = np.concatenate([t + early, np.arange(t + step, stop, step), [stop]])
    grid = grid[grid <= stop]
    closed = np.flatnonzero(room(grid) <= 0)
    if not len(closed):
        return stop
    k = int(closed[0])
    low = grid[k - 1] if k else t
    if k == 0 or not room(low) > 0:
        return float(grid[k])
    return float(brentq(lambda time: float(room(time)), low, grid[k], xtol=1e-15, rtol=8.9e-16))
