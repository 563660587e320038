"""Integration of the equations of motion until the end of the duration, or until rolling fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.integrate import DOP853

from .equations_kernel import FORCE, KINETIC, OBSERVED, POTENTIAL, SPIN, STATE, TURN, observe, rates
from .events import Step, first_event

if TYPE_CHECKING:
    from ..shapes.shape import Shape

KINDS = ("lift-off", "slip")
RELAXED = 10.0  # factor on the tolerance after a step that cannot be made short enough: next to a flat place
MOST_RELAXED = 1e3
CLOCK = 1e-3  # time of the integrator at a restart, in units of the time in which the body turns by one radian
SHORT = 1e-14  # in the same units: steps below it hardly move the body
SOUND = 1e-12  # in the same units: the rounding errors of longer steps do not add up
MOST_SHORT = 200  # of them before the tolerance is relaxed
MAX_LOSS = 1e-10  # of the energy, in short steps and in those with a relaxed tolerance
RELAXED_STEPS = 20  # steps after which the tolerance is tightened again


class Path(NamedTuple):
    """A motion as states at given times."""

    time: np.ndarray
    states: np.ndarray  #: (T, STATE)
    end: str
    steps: int


class Equations:
    """The equations of motion of one body, for SciPy's integrators."""

    def __init__(self, shape: Shape, constants: np.ndarray, normal: np.ndarray) -> None:
        self._address, self._rows, self._constants, self._normal = shape.address, shape.rows, constants, normal
        self.evaluations = 0

    def rate(self, _: float, y: np.ndarray) -> np.ndarray:
        """Rate of the state y."""
        out = np.empty(STATE)
        rates(self._address, self._rows, self._constants, np.ascontiguousarray(y), out)
        self.evaluations += 1
        return out

    def observed(self, states: np.ndarray) -> np.ndarray:
        """Positions, velocities, force and energy of states (K, STATE)."""
        out = np.empty((len(states), OBSERVED))
        observe(self._address, self._rows, self._constants, np.ascontiguousarray(states), out)
        return out

    def energy(self, state: np.ndarray) -> float:
        """Kinetic plus potential energy of a state [J]."""
        return float(self.observed(state[None])[0, [KINETIC, POTENTIAL]].sum())

    def scale_of_energy(self, state: np.ndarray) -> float:
        """Sum of the magnitudes of both energies [J]."""
        return float(np.abs(self.observed(state[None])[0, [KINETIC, POTENTIAL]]).sum())

    def margins(self, states: np.ndarray, friction: float | None) -> np.ndarray:
        """Normal force and reserve of static friction of states (K, STATE) [N], (K, 1 or 2); positive in rolling."""
        force = self.observed(states)[:, FORCE]
        down = force @ self._normal
        if friction is None:
            return down[:, None]
        across = np.linalg.norm(force - down[:, None] * self._normal, axis=1)
        return np.stack([down, friction * down - across], axis=1)


class Steps:
    """Steps of DOP853, restarted where they would have to be shorter than a rounding error of the time.

    After a restart the clock of the integrator shows a short time again, so that its rounding errors turn the body less
    than those of the orientation do; if that does not help, the tolerance is relaxed for a few steps.
    """

    def __init__(self, equations: Equations, start: np.ndarray, duration: float, errors: np.ndarray) -> None:
        self._equations, self._duration, self._errors = equations, duration, errors
        self.count, self.time, self.state = 0, 0.0, start
        self._clock = CLOCK * float(errors[TURN][0] / errors[SPIN][0])
        self._factor, self._held = 1.0, equations.scale_of_energy(start)
        self.safe = 0.0, start
        self._restart()

    def _new(self, start: np.ndarray, length: float, at_once: bool = False) -> DOP853:
        errors, clock, end = self._factor * self._errors, self._clock, self._clock + length
        first, rtol = end - clock if at_once else None, float(errors[TURN][0])
        return DOP853(self._equations.rate, clock, start, end, rtol=rtol, atol=errors, first_step=first)

    def _restart(self) -> None:
        self._origin, self._since, self._short = self.time - self._clock, 0, 0
        self._solver = self._new(self.state, self._duration - self.time)

    @property
    def finished(self) -> bool:
        """Whether the end of the duration is reached."""
        return self._solver.status == "finished"

    def take(self) -> Step | None:
        """The next step, or None if no tolerance helps; then `safe` is the last state that can be trusted."""
        before, start, solver = self.state, self.time, self._solver
        with np.errstate(invalid="ignore", over="ignore"):
            solver.step()
        if solver.status == "failed" or self._short > MOST_SHORT:
            if self._short > MOST_SHORT or solver.t <= 2.0 * self._clock:
                self._factor *= RELAXED
            if self._factor > MOST_RELAXED or self._lost(before):
                return None
            self._restart()
            return self.take()
        self.count += 1
        length = solver.step_size * CLOCK / self._clock
        if length < SHORT:
            self._short += 1
        else:
            self._since += 1
        path, origin = solver.dense_output(), self._origin
        self.time, self.state = origin + solver.t, solver.y
        if self.finished:
            self.time = self._duration
        if self._factor > 1.0 and (self._since >= RELAXED_STEPS or self.finished):
            if self._lost(self.state):
                return None
            self._factor = 1.0
            if not self.finished:
                self._restart()
        elif self._factor == 1.0 and length > SOUND:
            self.safe = self.time, self.state
        return Step(start, self.time, before, lambda time: path(time - origin))

    def _lost(self, state: np.ndarray) -> bool:
        """Whether too much energy was lost since the last state that can be trusted."""
        energy = self._equations.energy
        return not abs(energy(state) - energy(self.safe[1])) <= MAX_LOSS * self._held

    def again(self, step: Step, time: float) -> np.ndarray:
        """State at a time within a step, by integration from its start."""
        if self._clock + (time - step.start) <= self._clock:
            return step.before
        solver = self._new(step.before, time - step.start, at_once=True)
        while solver.status == "running":
            solver.step()
        return solver.y


def integrate(
    equations: Equations, start: np.ndarray, errors: np.ndarray, times: np.ndarray, friction: float | None
) -> Path:
    """Integrate from the state `start` at times[0] = 0; `errors` are the tolerances of the components of a state."""

    def margins(states: np.ndarray) -> np.ndarray:
        return equations.margins(states, friction)

    failed = np.flatnonzero(~(margins(start[None])[0] > 0.0))
    if len(failed):
        return Path(times[:1], start[None], KINDS[failed[0]], 0)
    steps = Steps(equations, start, float(times[-1]), errors)
    kept, states, end = [times[:1]], [start[None]], "time"

    def keep(time: float, state: np.ndarray) -> None:
        if time > kept[-1][-1]:
            kept.append(np.array([time]))
            states.append(state[None])

    while not steps.finished:
        step = steps.take()
        if step is None:
            return _until(np.concatenate(kept), np.concatenate(states), *steps.safe, steps.count)
        event = first_event(step, margins, steps.again)
        until = step.end if event is None else event.time
        inside = times[(times > step.start) & (times < until)]
        if len(inside):
            kept.append(inside)
            states.append(step.path(inside).T)
        if event is not None:
            end = KINDS[event.kind]
            keep(event.time, event.state)
            break
        if until in times:
            keep(until, steps.state)
    return Path(np.concatenate(kept), np.concatenate(states), end, steps.count)


def _until(times: np.ndarray, states: np.ndarray, time: float, state: np.ndarray, steps: int) -> Path:
    """The part of a motion before a flat place, with its last state."""
    before = times < time
    return Path(np.append(times[before], time), np.concatenate([states[before], state[None]]), "flat", steps)
