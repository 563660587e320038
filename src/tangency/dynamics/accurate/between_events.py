"""Integration from one event to the next, while the same contacts touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..contact.columns import IMPACT, PEAK, TOUCHING
from ..contact.scale import DURATION, ELASTIC_NOW, ENDLESS, ENERGY, FELT
from ..frames import Frame
from ..loads_kernel import IMMOVABLE
from .equations import Equations
from .events import Event, first_event
from .integrators import TOLERANCE_PART, new_solver
from .kernel import GAP_RATE
from .stalling import Stalling
from .step_control import EPSILON, MAX_IMBALANCE, Imbalance, Look, StepControl, Tolerances

STEP_AFTER_IMBALANCE = 0.25  # factor on the step after one whose energy did not balance
INSTANT = 1e-5  # times the duration of a contact: an imbalance in a step this short is a jump
MAX_REFUSED = 60  # consecutive steps before the run is aborted


class SmoothPart:
    """Part of a run in which no contact starts or ends, so that all quantities are smooth."""

    def __init__(self, equations: Equations, method: str, tolerances: Tolerances, stalling: Stalling) -> None:
        self._equations, self._method, self._stalling = equations, method, stalling
        self._touching = equations.touching
        self._control = StepControl(equations, self._touching, tolerances)
        self._rate = equations.rate(self._touching)

    def run(self, until: float, frames: np.ndarray, record: Callable[[Frame], None]) -> Event | None:
        """Integrate until a pair starts or stops touching, or to the time `until`; returns the event, if any.

        Afterwards the state is that at the end; `record` is called for all `frames` in between.
        """
        equations, control, rate, touching = self._equations, self._control, self._rate, self._touching
        vector, apart = equations.vector(), equations.contacts.memory[:, TOUCHING] == 0.0
        gaps = equations.distances(equations.time, vector, keep=True)
        here = control.look(equations.time, vector, gaps, control.pushes(vector, rate(equations.time, vector)))
        equations.require_finite_laws(here.time)
        self._require_sound(here.time, vector)
        solver = new_solver(self._method, rate, control, here, until, control.first_step(here))
        refused, bends = 0, None
        while here.time < until:
            solver.atol, solver.rtol = TOLERANCE_PART.get(self._method, 1.0) * control.errors(here), 0.0
            solver.max_step = control.longest(here, bends)
            message = self._step(solver)
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                equations.require_finite_laws(solver.t)
                other = "'DOP853'" if self._method in ("Radau", "BDF") else "'Radau' for stiff contacts"
                raise RuntimeError(
                    f"{self._method} failed at t = {solver.t:.9g} s ({message or 'numbers not finite'})"
                    f"{equations.names(touching)}; try another method, such as {other}, or a larger rtol"
                )
            equations.steps += 1
            step, state = solver.t - here.time, solver.y.copy()
            self._gets_on(here, step, until)
            gaps = equations.distances(solver.t, state)
            pushed = control.pushes(state, state - here.vector, step)
            there = control.look(solver.t, state, gaps, pushed)
            accepted = equations.looked.rows.copy(), equations.looked.records.copy()
            found = control.imbalance(here, there, equations.elastic.springs)
            event = None
            if found.excess <= 1.0:
                event = first_event(solver, equations.distances, here.gaps, gaps, apart)
                if event is not None and event.time > here.time:
                    seen = equations.distances(event.time, event.state)
                    at = control.look(event.time, event.state, seen, pushed)
                    found = control.imbalance(here, at, equations.elastic.springs)
            if found.excess > 1.0 and not self._pardoned(here, step, found, refused):
                refused += 1
                solver = new_solver(self._method, rate, control, here, until, STEP_AFTER_IMBALANCE * step)
                continue
            refused = 0
            equations.require_finite_laws(there.time, there.vector, rate)
            self._require_sound(there.time, there.vector)
            self._note_peaks(there, *accepted)
            end = solver.t if event is None else event.time
            passed = frames[(frames > here.time) & (frames <= end)]
            if len(passed):
                dense = solver.dense_output()
                for time in passed:
                    record(equations.frame_at(time, state if time == solver.t else dense(time), touching))
                    equations.require_finite_laws(time)
            if event is not None:
                equations.keep(event.time, event.state, touching)
                return event
            bends = (gaps[:, GAP_RATE] - here.gaps[:, GAP_RATE]) / step
            here = there
            equations.contacts.rows[:] = accepted[0]
        equations.keep(here.time, here.vector, touching)
        return None

    def _require_sound(self, time: float, vector: np.ndarray) -> None:
        """Raise an error if joints are told to move as they cannot."""
        equations = self._equations
        if equations.joints.size:
            equations.joints.require_sound(time, equations.parts(vector).joints, self._control.tolerances.rtol)

    def _step(self, solver: Any) -> str | None:
        """Take a step; returns the message of the integrator, if it failed."""
        try:
            return solver.step()
        except ValueError:  # SciPy's linear algebra refuses numbers that are not finite
            self._equations.require_finite_laws(solver.t)
            raise

    def _pardoned(self, here: Look, step: float, found: Imbalance, refused: int) -> bool:
        """Whether a step is accepted although its energy does not balance; an error if shorter steps would not help."""
        k = found.contact
        quickest = float(here.scales[:, DURATION].min(initial=np.inf))
        shortest = max(INSTANT * quickest if quickest < ENDLESS else 0.0, 64.0 * EPSILON * abs(here.time))
        if step > shortest and refused < MAX_REFUSED:
            return False
        held = here.kinetic + float(here.scales[:, ENERGY].sum())
        if abs(found.energy) <= MAX_IMBALANCE * self._control.tolerances.rtol * held:
            return True
        self._equations.require_finite_laws(here.time)
        who = self._equations.names(self._touching if k < 0 else np.array([k]))
        raise RuntimeError(
            f"the energy does not balance at t = {here.time:.9g} s{who}: {abs(found.energy):.3g} J of {held:.3g} J "
            f"{'appear' if found.energy < 0.0 else 'vanish'} within {step:.3g} s, and shorter steps do not help; "
            "check the depth (the contact of bodies that overlap by their own width is ambiguous) and a law of your "
            "own (tangency.forces.check), use a stiffer law, or the fast mode"
        )

    def _gets_on(self, here: Look, step: float, until: float) -> None:
        """Raise an error if the last steps were so short that the run would never end."""
        lasts = float(here.scales[:, DURATION].min(initial=np.inf))
        stalled = self._stalling.step(here.time, step, lasts if lasts < ENDLESS else np.inf, until)
        if stalled:
            self._equations.require_no_limit_of_laws(here.time)
            raise RuntimeError(stalled.format(self._equations.names(self._touching)))

    def _note_peaks(self, there: Look, rows: np.ndarray, records: np.ndarray) -> None:
        """Update the largest energies and depths of the contacts."""
        touching, memory, felt = self._touching, self._equations.contacts.memory, there.scales[:, FELT]
        self._equations.note(touching, rows, records)
        hit = 0.5 * felt * memory[touching, IMPACT] ** 2
        peak = np.maximum(there.scales[:, ELASTIC_NOW], memory[touching, PEAK])
        memory[touching, PEAK] = np.maximum(peak, np.where(felt < IMMOVABLE, hit, 0.0))
