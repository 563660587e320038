"""Simulations of the person: a whole cycle with feedback, and short pieces of it without."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from ...dynamics import Mechanism, Trajectory, World
from ...dynamics.accurate.runner import AccurateRunner
from ...dynamics.assembly import Assembly
from ...dynamics.frames import Frame, Record
from ...io.progress import Progress
from .cycle import NODE
from .feedback import Plan
from .foot import PARTS
from .person import SIDES, actuated, person, world
from .tracking import Tracker

RTOL, ATOL = 1e-6, 1e-8
PIECE = 0.05  # duration of the pieces that are integrated without feedback [s]


class Walk(NamedTuple):
    """A simulated walk."""

    motion: Trajectory
    q: np.ndarray  #: (n, 13) joints of the person
    force: np.ndarray  #: (n, 2, 2) on the right and left foot; forward and up [N]
    correction: np.ndarray  #: (n, 6) torques of the feedback [N m]
    steps: np.ndarray  #: (n,) of the integrator so far
    evaluations: int
    begun: int  #: number of contacts started
    seconds: float  #: processor time [s]


class Pieces(NamedTuple):
    """A walk in pieces, each from the state of the fitted motion, without feedback."""

    q: np.ndarray  #: (n, 13)
    force: np.ndarray  #: (n, 2, 2)
    apart: np.ndarray  #: (pieces, 13) deviations of the joints at the ends of the pieces [m, rad]


def correction(plan: Plan, time: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Torques (6,) of the feedback."""
    wanted, _, gain = plan.wanted(time)
    return gain @ (wanted - np.concatenate([q, v]))


def driver(plan: Plan, start: float = 0.0, feedback: bool = True) -> Callable[[float, Any], np.ndarray]:
    """Torques of a plan, from the time `start` on."""
    own, size = actuated(), plan.motion.q.shape[1]

    def torque(time: float, state: Any) -> np.ndarray:
        wanted, drive, gain = plan.wanted(start + time)
        out = np.zeros(size)
        out[own] = drive
        if feedback:
            out[own] += gain @ (wanted - np.concatenate([state.position, state.velocity]))
        return out

    return torque


def walk(tracker: Tracker, plan: Plan, progress: Progress, name: str, duration: float | None = None) -> Walk:
    """Simulate the person with the torques of a plan and its feedback."""
    torque = driver(plan)
    own = placed(tracker, plan, 0.0, torque)
    return run(world(tracker.foot, own), plan, progress, name, duration)


def placed(tracker: Tracker, plan: Plan, time: float, torque: Any) -> Mechanism:
    """The person in the state of a plan."""
    q, v = np.split(plan.wanted(time)[0], 2)
    return person(tracker.foot, tracker.cycle.mass, tracker.height, position=q, velocity=v, torque=torque)


def integrated(
    scene: World, duration: float, note: Callable[[AccurateRunner], None] | None = None
) -> tuple[Trajectory, AccurateRunner]:
    """The accurate mode of :func:`simulate`, without its warning that points are smaller than their depths.

    `note` is called at every frame.
    """
    assembly = Assembly(scene)
    record = Record(assembly)
    runner = AccurateRunner(assembly, method="DOP853", rtol=RTOL, atol=ATOL)

    def add(frame: Frame) -> None:
        record.add(frame)
        if note is not None:
            note(runner)

    runner.start(add)
    runner.advance(NODE * np.arange(1, int(duration / NODE + 1e-9) + 1), add, lambda instant: None)
    return record.trajectory({}, runner.log, runner.open_contacts()), runner


def run(scene: World, plan: Plan, progress: Progress, name: str, duration: float | None = None) -> Walk:
    """Integrate with SciPy's DOP853 and record the steps of every frame; the joints of the person are the first."""
    end, steps = float(plan.motion.time[-1]) if duration is None else duration, []

    def note(runner: AccurateRunner) -> None:
        steps.append(runner.counts()["steps"])
        progress.step(f"{name}: walked {NODE * (len(steps) - 1):.2f} of {end:.2f} s, {steps[-1]} steps")

    begin = process_time()
    motion, runner = integrated(scene, end, note)
    seconds, counts = process_time() - begin, runner.counts()
    size = plan.motion.q.shape[1]
    joints: Any = motion.joints
    q, v = joints.position[:, :size], joints.velocity[:, :size]
    fed = np.array([correction(plan, float(t), *row) for t, *row in zip(motion.time, q, v)])
    return Walk(motion, q, reactions(motion), fed, np.array(steps), counts["evaluations"], counts["impacts"], seconds)


def pieces(tracker: Tracker, plan: Plan, progress: Progress, name: str, duration: float | None = None) -> Pieces:
    """Integrate pieces of the cycle, each from the fitted state, with the fitted torques alone."""
    end = float(plan.motion.time[-1]) if duration is None else duration
    q: list[np.ndarray] = []
    force, apart = [], []
    size = plan.motion.q.shape[1]
    for start in (PIECE * np.arange(int(np.ceil(end / PIECE - 1e-9)))).tolist():
        progress.step(f"{name}: without feedback from {start:.2f} s")
        long = NODE * round(min(PIECE, end - start) / NODE)
        own = placed(tracker, plan, start, driver(plan, start, feedback=False))
        motion, _ = integrated(world(tracker.foot, own), long)
        joints: Any = motion.joints
        apart.append(joints.position[-1] - plan.wanted(start + long)[0][:size])
        first = 1 if q else 0  # the frame at which two pieces meet is that of the earlier one
        q.append(joints.position[first:])
        force.append(reactions(motion)[first:])
    return Pieces(np.concatenate(q), np.concatenate(force), np.array(apart))


def reactions(motion: Trajectory) -> np.ndarray:
    """Forces of the ground on the right and left foot (n, 2, 2), forward and up [N]."""
    c, out = motion.contacts, np.zeros((len(motion), 2, 2))
    frame = np.repeat(np.arange(len(motion)), np.diff(c.first))
    for side, name in enumerate(SIDES):
        parts = [motion.number(f"person/{name} {part}") for part in PARTS]
        for body, sign in ((c.body_a, -1.0), (c.body_b, 1.0)):
            own = np.isin(body, parts)
            np.add.at(out[:, side], frame[own], sign * c.force[own][:, ::2])
    return out
