"""Integration of the equations of motion until the end of the duration, or until rolling fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.integrate import DOP853

from .equations_kernel import FORCE, OBSERVED, STATE, observe, rates
from .events import Step, first_event

if TYPE_CHECKING:
    from ..shapes.shape import Shape

KINDS = ("lift-off", "slip")


class Path(NamedTuple):
    """A motion as states at given times."""

    time: np.ndarray
    states: np.ndarray  #: (T, STATE)
    end: str
    steps: int
    evaluations: int


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

    def margins(self, states: np.ndarray, friction: float | None) -> np.ndarray:
        """Normal force and reserve of static friction of states (K, STATE) [N], (K, 1 or 2): positive while it rolls."""
        force = self.observed(states)[:, FORCE]
        down = force @ self._normal
        if friction is None:
            return down[:, None]
        across = np.linalg.norm(force - down[:, None] * self._normal, axis=1)
        return np.stack([down, friction * down - across], axis=1)


def integrate(
    equations: Equations,
    start: np.ndarray,
    scale: np.ndarray,
    duration: float,
    samples: int,
    *,
    friction: float | None,
    rtol: float,
) -> Path:
    """Integrate from the state `start`; `scale` holds the magnitudes to which errors are relative."""

    def margins(states: np.ndarray) -> np.ndarray:
        return equations.margins(states, friction)

    def solver_from(time: float, state: np.ndarray, end: float, **options: float) -> DOP853:
        return DOP853(equations.rate, time, state, end, rtol=rtol, atol=rtol * scale, **options)

    def again(time: float, state: np.ndarray, end: float) -> np.ndarray:
        if end <= time:
            return state
        solver = solver_from(time, state, end, first_step=end - time)
        while solver.status == "running":
            solver.step()
        return solver.y

    failed = np.flatnonzero(~(margins(start[None])[0] > 0.0))
    if len(failed):
        return Path(np.zeros(1), start[None], KINDS[failed[0]], 0, equations.evaluations)
    solver = solver_from(0.0, start, duration)
    wanted = np.linspace(0.0, duration, samples)
    pieces, steps, end = [(np.zeros(1), start[None])], 0, "time"
    while solver.status == "running":
        before = solver.y
        solver.step()
        if solver.status == "failed":
            end = "flat"
            break
        steps += 1
        path = solver.dense_output()
        event = first_event(Step(solver.t_old, solver.t, before, path), margins, again)
        until = solver.t if event is None else event.time
        inside = wanted[(wanted > solver.t_old) & (wanted < until)]
        if len(inside):
            pieces.append((inside, path(inside).T))
        if event is not None:
            pieces.append((np.array([event.time]), event.state[None]))
            end = KINDS[event.kind]
            break
        if solver.status == "finished" or until in wanted:
            pieces.append((np.array([until]), solver.y[None]))
    if end == "flat" and solver.t > pieces[-1][0][-1]:
        pieces.append((np.array([solver.t]), solver.y[None]))
    time = np.concatenate([piece[0] for piece in pieces])
    states = np.concatenate([piece[1] for piece in pieces])
    return Path(time, states, end, steps, equations.evaluations)
