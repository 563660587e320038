"""Few bodies, accurately: SciPy's integrators from one event to the next.

A pair of shapes begins to touch, or ceases to, at an instant that is searched for on the integrator's own
interpolant; there the integration stops and begins anew.  So the closing speed at the impact, on which the
dissipative laws depend, is the true one, and no step crosses the kink of a force.  Steps and tolerances follow from
the contacts, and a step whose energy does not balance is taken again, shorter; see `step_control`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from .accurate_kernel import PER_CONTACT, evaluate
from .assembly import Assembly
from .contact_scale import DURATION, ELASTIC_NOW, ENDLESS, ENERGY, FELT
from .events import first_event
from .impacts import rows_of
from .limits import note_contacts
from .loads_kernel import ABSORBED, BRISTLE, DEED, ELASTIC, HUGE, IMPACT, LOST, MEMORY, PEAK, SINCE, TOUCHING
from .state import STATE
from .step_control import BALANCE, EPSILON, Imbalance, Look, StepControl
from .touch import ROW

IMPLICIT = ("Radau", "BDF")
METHODS = {"DOP853": integrate.DOP853, "RK45": integrate.RK45, "Radau": integrate.Radau, "BDF": integrate.BDF}
TOL = 1e-12  # of the contact solver
STRICT = {"BDF": 0.1}  # part of the tolerances that a method gets: its errors add up over many steps
BURIED = 2.0  # depth at the start that is refused, in radii of the smaller body
SHORTER = 0.25  # next to a step whose energy did not balance
INSTANT = 1e-5  # of the time that a contact takes: a step in which an imbalance is a jump
REFUSED = 60  # steps in a row, before the run is given up
CREEPING, CREEP = 1000, 1e-4  # steps that do not get on by this part of a contact, before the run is given up
STILL = 100  # events without any progress in time, before the run is given up
_NONE = np.empty((0, 2))


class Accurate:
    """A world on its way, with SciPy's integrators.

    Everything the further way depends on is in `arrays()`, so that a run can be taken up where it was left.
    """

    def __init__(self, assembly: Assembly, *, method: str, rtol: float, atol: float, max_step: float) -> None:
        pairs = assembly.all_pairs()
        self.assembly, self.pairs, self._world = assembly, pairs, assembly.tables()
        self._method, self._rtol, self._atol, self._max_step = method, rtol, atol, max_step
        count = len(pairs)
        self.time, self.y = 0.0, assembly.start.copy()
        self.table, self.memory, self.deeds = np.zeros((count, ROW)), np.zeros((count, MEMORY)), np.zeros((count, DEED))
        self.works = np.zeros(2)  # absorbed by contacts and springs, from outside [J]
        self.failures, self.steps, self.evaluations, self.impacts = 0, 0, 0, 0
        self._free = np.flatnonzero(assembly.free)
        self._moved = [(i, body) for i, body in enumerate(assembly.world.bodies) if body.motion is not None]
        self._loads = [(assembly.names.index(load.body), load) for load in assembly.world.loads]
        self._pieces = assembly.pieces(np.zeros((len(assembly.owner), 12)))
        self._extra, self._all = np.zeros((len(self.y), 6)), np.arange(count)
        self.log: list[np.ndarray] = []  # contacts that are over, see `impacts`
        self.looked = self.table.copy()  # the same at the last evaluation
        self.energies = (0.0, 0.0)  # of contacts and springs, at the last evaluation

    # ---- what has to be kept -------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """All that the further way depends on."""
        counts = np.array([self.failures, self.steps, self.evaluations, self.impacts], np.int64)
        return {"time": np.array(self.time), "y": self.y, "table": self.table, "memory": self.memory,
                "works": self.works, "counts": counts}  # fmt: skip

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Take up a run."""
        self.time = float(arrays["time"])
        for name in ("y", "table", "memory", "works"):
            getattr(self, name)[:] = arrays[name]
        self.failures, self.steps, self.evaluations, self.impacts = (int(n) for n in arrays["counts"])

    @property
    def touching(self) -> np.ndarray:
        """Numbers of the pairs that touch."""
        return np.flatnonzero(self.memory[:, TOUCHING])

    # ---- the vector ----------------------------------------------------------------------------
    def _vector(self) -> np.ndarray:
        sums = self.memory[self.touching, BRISTLE : LOST + 1]
        return np.concatenate([self.y[self._free].ravel(), sums.ravel(), self.works])

    def _keep(self, time: float, vector: np.ndarray, touching: np.ndarray) -> None:
        """The vector back into the state, quaternions brought to unit length (the rotation they mean stays)."""
        rows = vector[: len(self._free) * STATE].reshape(-1, STATE)
        self.y[self._free] = rows
        self.y[self._free, 3:7] /= np.linalg.norm(rows[:, 3:7], axis=1, keepdims=True)
        self._place(time)
        self.memory[touching, BRISTLE : LOST + 1] = vector[len(self._free) * STATE : -2].reshape(-1, PER_CONTACT)
        self.works[:], self.time = vector[-2:], time

    def _place(self, time: float) -> None:
        for i, body in self._moved:
            self.y[i] = self.assembly.moved(i, body, time)

    def _rate(self, touching: np.ndarray) -> Callable[[float, np.ndarray], np.ndarray]:
        y, extra = self.y.copy(), self._extra
        common = (
            self._world,
            self._pieces,
            self.pairs,
            touching,
            self.looked,
            self.memory,
            self.deeds,
            TOL,
        )
        free, size = self._free, len(self._free) * STATE

        def rate(time: float, vector: np.ndarray) -> np.ndarray:
            for i, body in self._moved:
                y[i] = self.assembly.moved(i, body, time)
            if self._loads:
                y[free] = vector[:size].reshape(-1, STATE)
                extra[:] = 0.0
                for i, load in self._loads:
                    force, torque = load(time, self.assembly.state_of(i, y))
                    extra[i, :3] += force
                    extra[i, 3:] += torque
            self.looked[touching] = self.table[touching]
            out = np.empty_like(vector)
            contacts, springs, failures = evaluate(vector, free, y, extra, *common, False, out, _NONE)
            self.energies = (contacts, springs)
            self.failures += failures
            self.evaluations += 1
            return out

        return rate

    def _distances(
        self, time: float, vector: np.ndarray, which: np.ndarray | None = None, keep: bool = False
    ) -> np.ndarray:
        """Distance and rate of all pairs, or of some.

        Contacts start from the normals of the last accepted step, so that trial states leave no trace; `keep`
        accepts the present ones.
        """
        y = self.y.copy()
        for i, body in self._moved:
            y[i] = self.assembly.moved(i, body, time)
        which = self._all if which is None else which
        out = np.empty((len(which), 2))
        self.looked[which] = self.table[which]
        self.failures += evaluate(
            vector, self._free, y, self._extra, self._world, self._pieces, self.pairs, which, self.looked, self.memory,
            self.deeds, TOL, True, vector, out,
        )[2]  # fmt: skip
        if keep:
            self.table[which] = self.looked[which]
        return out

    def first(self, record: Callable[[float, Any], None]) -> None:
        """Call `record` at the start."""
        self._begin_touching()
        self._refuse_buried()
        touching = self.touching
        self._rate(touching)(self.time, self._vector())
        self.works[0] = sum(self.energies)
        self.memory[touching, ABSORBED] = self.deeds[touching, ELASTIC]  # what the start gives is absorbed
        record(self.time, self)

    def _refuse_buried(self) -> None:
        """Refuse a start with a body so deep in another that no force law has a meaning."""
        if not len(self.pairs):
            return
        depth = -self._distances(self.time, self._vector())[:, 0]
        owners = self.assembly.owner[self.pairs]
        reach = np.where(self.assembly.reach > 0.0, self.assembly.reach, np.inf)[owners].min(axis=1)
        worst = int(np.argmax(depth / reach))
        if depth[worst] > BURIED * reach[worst]:
            a, b = (self.assembly.names[k] for k in owners[worst])
            raise ValueError(
                f"bodies {a!r} and {b!r} overlap by {depth[worst]:.6g} m at the start, more than the smaller one is "
                "wide: place them apart, or let them overlap less"
            )

    # ---- the way -------------------------------------------------------------------------------
    def advance(self, until: float, frames: np.ndarray, record: Callable[[float, Any], None]) -> None:
        """Integrate to the time `until`; `record` is called at all `frames` on the way."""
        frames = frames[(frames > self.time) & (frames <= until)]
        still = 0
        while self.time < until:
            self._begin_touching()
            start = self.time
            self._smooth_part(until, frames, record)
            still = 0 if self.time > start else still + 1
            if still > STILL + 2 * len(self.pairs):
                raise RuntimeError(
                    f"the motion does not get beyond t = {self.time:.9g} s: contacts begin and end there without end"
                    f"{self._who(self.touching)}"
                )
            frames = frames[frames > self.time] if self.time > start else frames

    def _begin_touching(self) -> None:
        """Pairs that overlap but do not count as touching, do so from now on."""
        if not len(self.pairs):
            return
        gaps = self._distances(self.time, self._vector(), keep=True)
        for k in np.flatnonzero((gaps[:, 0] <= 0.0) & (self.memory[:, TOUCHING] == 0.0)):
            self._begin(int(k), float(-gaps[k, 1]))

    def _begin(self, k: int, closing: float) -> None:
        self.memory[k] = 0.0
        self.memory[k, TOUCHING], self.memory[k, IMPACT], self.memory[k, SINCE] = 1.0, max(closing, 0.0), self.time
        self.impacts += 1

    def _end(self, k: int) -> None:
        self.memory[k, LOST] = self.memory[k, ABSORBED]  # nothing is stored now, whatever the curvature did to it
        self.log.append(rows_of(self.pairs, self.memory, np.array([k]), self.time)[0])
        self.memory[k] = 0.0

    def open_contacts(self) -> np.ndarray:
        """Rows of the log, of the contacts that are not over yet."""
        return rows_of(self.pairs, self.memory, self.touching, self.time)

    def _smooth_part(self, until: float, frames: np.ndarray, record: Callable[[float, Any], None]) -> None:
        """Integrate until a pair begins or ceases to touch, or to the time `until`."""
        touching, vector = self.touching, self._vector()
        rate, apart = self._rate(touching), self.memory[:, TOUCHING] == 0.0
        control = StepControl(
            self.assembly, self._world, self._pieces, self.pairs, touching, self.memory, self._rtol, self._atol,
            self._max_step,
        )  # fmt: skip
        gaps = self._distances(self.time, vector, keep=True)
        here = self._look(control, self.time, vector, gaps, control.pushes(rate(self.time, vector)))
        solver = self._solver(rate, control, here, until, control.first_step(here))
        refused, bends, steps, marked = 0, None, 0, here.time
        while here.time < until:
            solver.atol, solver.rtol = STRICT.get(self._method, 1.0) * control.tolerances(here), 0.0
            solver.max_step = control.longest(here, self._bodies(here.time, here.vector), bends)
            message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise RuntimeError(
                    f"{self._method} gave up at t = {solver.t:.9g} s ({message or 'numbers not finite'})"
                    f"{self._who(touching)}; try another method, such as 'Radau' for stiff contacts, or a larger rtol"
                )
            self.steps += 1
            step, state = solver.t - here.time, solver.y.copy()
            gaps = self._distances(solver.t, state)
            pushed = control.pushes(state - here.vector, step)
            there = self._look(control, solver.t, state, gaps, pushed)
            accepted = self.looked.copy()
            found = control.imbalance(here, there, self.energies[1])
            event = None
            if found.excess <= 1.0:
                event = first_event(solver, self._distances, here.gaps, gaps, apart)
                if event is not None and event.time > here.time:
                    at = self._look(control, event.time, event.state, self._distances(event.time, event.state), pushed)
                    found = control.imbalance(here, at, self.energies[1])
            if found.excess > 1.0 and not self._pardoned(here, step, found, refused):
                refused += 1
                solver = self._solver(rate, control, here, until, SHORTER * step)
                continue
            refused = 0
            self._note_peaks(touching, there, accepted)
            end = solver.t if event is None else event.time
            passed = frames[(frames > here.time) & (frames <= end)]
            if len(passed):
                dense = solver.dense_output()
                for time in passed:
                    self._show(time, state if time == solver.t else dense(time), touching, rate, record)
            if event is not None:
                self._keep(event.time, event.state, touching)
                if apart[event.pair]:
                    self._begin(event.pair, -self._distances(event.time, self._vector(), np.array([event.pair]))[0, 1])
                else:
                    self._end(event.pair)
                return
            bends = (gaps[:, 1] - here.gaps[:, 1]) / step
            here = there
            self.table[:] = accepted
            steps += 1
            if steps % CREEPING == 0:
                self._gets_on(here, here.time - marked, touching)
                marked = here.time
        self._keep(here.time, here.vector, touching)

    def _bodies(self, time: float, vector: np.ndarray) -> np.ndarray:
        """Rows of all bodies."""
        y = self.y.copy()
        y[self._free] = vector[: len(self._free) * STATE].reshape(-1, STATE)
        for i, body in self._moved:
            y[i] = self.assembly.moved(i, body, time)
        return y

    def _look(
        self, control: StepControl, time: float, vector: np.ndarray, gaps: np.ndarray, pushed: np.ndarray
    ) -> Look:
        """The state after a call of `_distances`."""
        return control.look(time, vector, self._bodies(time, vector), gaps, self.looked, pushed)

    def _solver(self, rate: Any, control: StepControl, here: Look, until: float, first: float | None) -> Any:
        options: dict[str, Any] = {"rtol": self._rtol, "atol": control.tolerances(here)}
        if self._method in IMPLICIT:
            options["jac"] = jacobian(rate, control.increments(here))
        if first is not None:
            options["first_step"] = min(max(first, 16.0 * EPSILON * abs(here.time)), until - here.time)
        solver = METHODS[self._method](rate, here.time, here.vector, until, **options)
        if self._method in IMPLICIT:  # Newton's iteration cannot be more exact than the forces
            solver.newton_tol = max(solver.newton_tol, min(10.0 * control.noise(here) / self._rtol, 0.1))
        return solver

    def _pardoned(self, here: Look, step: float, found: Imbalance, refused: int) -> bool:
        """Whether a step is accepted though its energy does not balance; an error if shorter ones would not help."""
        k = found.contact
        quickest = float(here.scales[:, DURATION].min(initial=np.inf))
        shortest = max(INSTANT * quickest if quickest < ENDLESS else 0.0, 64.0 * EPSILON * abs(here.time))
        if step > shortest and refused < REFUSED:
            return False
        held = here.kinetic + float(here.scales[:, ENERGY].sum())
        if abs(found.energy) <= BALANCE * self._rtol * held:
            return True
        who = self._who(self.touching if k < 0 else np.array([k]))
        raise RuntimeError(
            f"the energy does not balance at t = {here.time:.9g} s{who}: {abs(found.energy):.3g} J of {held:.3g} J "
            f"{'appear' if found.energy < 0.0 else 'vanish'} within {step:.3g} s, and shorter steps do not help; "
            "bodies as deep in each other as they are wide have no single way out: look at the depth, take a stiffer "
            "law, or the fast mode"
        )

    def _gets_on(self, here: Look, way: float, touching: np.ndarray) -> None:
        """An error if the last steps were so short that the run would never end."""
        lasts = float(here.scales[:, DURATION].min(initial=np.inf))
        if lasts < ENDLESS and way < CREEP * lasts:
            raise RuntimeError(
                f"{CREEPING} steps get on by {way:.2g} s at t = {here.time:.9g} s{self._who(touching)}: its force "
                "jumps from place to place, or friction is too stiff for the method; a body that is jammed between two "
                "walls needs several shapes, stiff friction the method 'Radau' or a larger speed, or take the fast mode"
            )

    def _who(self, pairs: np.ndarray) -> str:
        """Names of pairs that touch, for messages."""
        owner, names = self.assembly.owner, self.assembly.names
        texts = [f"{names[owner[a]]!r} and {names[owner[b]]!r}" for a, b in self.pairs[pairs[:3]]]
        return f", contact of {', '.join(texts)}{' and others' if len(pairs) > 3 else ''}" if texts else ""

    def _note_peaks(self, touching: np.ndarray, there: Look, table: np.ndarray) -> None:
        """Largest energies and depths of the contacts."""
        if len(touching):
            made = self.assembly
            laws = tuple(made.laws)
            note_contacts(self._pieces, made.owner, made.law_of, laws, self.pairs[touching], table[touching],
                          made.extremes)  # fmt: skip
            hit = 0.5 * there.scales[:, FELT] * self.memory[touching, IMPACT] ** 2
            peak = np.maximum(there.scales[:, ELASTIC_NOW], self.memory[touching, PEAK])
            self.memory[touching, PEAK] = np.maximum(peak, np.where(there.scales[:, FELT] < HUGE, hit, 0.0))

    def _show(self, time: float, vector: np.ndarray, touching: np.ndarray, rate: Any, record: Any) -> None:
        """Call `record` with the state at a time within a step."""
        held = self.time, self.y.copy(), self.memory.copy(), self.works.copy()
        self._keep(time, vector, touching)
        rate(time, vector)
        record(time, self)
        self.time, self.y[:], self.memory[:], self.works[:] = held


def jacobian(
    rate: Callable[[float, np.ndarray], np.ndarray], increments: np.ndarray
) -> Callable[[float, np.ndarray], np.ndarray]:
    """Derivatives of `rate` by differences; 0 where the increment is 0.

    SciPy's own differences grow tenfold each time that nothing depends on a variable, such as the orientation of a
    ball, until they overflow.
    """

    def derivatives(time: float, vector: np.ndarray) -> np.ndarray:
        out, here, there = np.zeros((len(vector), len(vector))), rate(time, vector), vector.copy()
        for k in np.flatnonzero(increments):
            there[k] += increments[k] * max(abs(vector[k]), 1.0)
            out[:, k] = (rate(time, there) - here) / (there[k] - vector[k])
            there[k] = vector[k]
        return out

    return derivatives
