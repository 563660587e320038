"""The accurate mode, for few bodies: SciPy's integrators from one event to the next.

A pair of shapes begins to touch, or ceases to, at an instant that is searched for on the integrator's own
interpolant; there the integration stops and begins anew.  So the closing speed at the impact, on which the
dissipative laws depend, is the true one, and no step crosses the kink of a force.  Steps and tolerances follow from
the contacts, and a step whose energy does not balance is taken again, shorter; see `step_control`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .assembly import Assembly
from .contact_memory import ABSORBED, IMPACT, LOST, SINCE, TOUCHING
from .contact_record import ELASTIC
from .equations import Equations
from .impacts import rows_of
from .record import Frame
from .smooth_part import SmoothPart
from .step_control import Tolerances
from .trajectory import Trajectory

BURIED = 2.0  # depth at the start that is refused, in radii of the smaller body
MAX_EVENTS_AT_ONCE = 100  # events without any progress in time, and two for each pair, before the run is given up


class AccurateRunner:
    """A world on its way, with SciPy's integrators; a `Runner`."""

    def __init__(
        self, assembly: Assembly, *, method: str, rtol: float, atol: float, max_step: float | None = None
    ) -> None:
        self.assembly, self._equations, self._method = assembly, Equations(assembly), method
        self._tolerances = Tolerances(rtol, atol, math.inf if max_step is None else max_step)
        self.log: list[np.ndarray] = []  # contacts that are over, see `impacts`
        self._impacts = 0

    # ---- the protocol --------------------------------------------------------------------------
    def start(self, record: Callable[[Frame], None]) -> None:
        """Give `record` the frame at time 0."""
        equations = self._equations
        self._begin_touching()
        self._refuse_buried()
        touching = equations.touching
        equations.rate(touching)(equations.time, equations.vector())
        equations.works[0] = sum(equations.energies)
        memory, records = equations.contacts.memory, equations.contacts.records
        memory[touching, ABSORBED] = records[touching, ELASTIC]  # what the start gives is absorbed
        record(equations.frame())

    def advance(self, times: np.ndarray, record: Callable[[Frame], None]) -> None:
        """Integrate to the last of `times`, and give `record` the frame at each."""
        equations, until, still = self._equations, float(times[-1]), 0
        times = times[times > equations.time]
        while equations.time < until:
            self._begin_touching()
            start = equations.time
            self._to_next_event(until, times, record)
            still = 0 if equations.time > start else still + 1
            if still > MAX_EVENTS_AT_ONCE + 2 * len(equations.contacts.pairs):
                raise RuntimeError(
                    f"the motion does not get beyond t = {equations.time:.9g} s: contacts begin and end there without "
                    f"end{equations.names(equations.touching)}"
                )
            times = times[times > equations.time] if equations.time > start else times

    def open_contacts(self) -> np.ndarray:
        """Rows of the log, of the contacts that are not over yet."""
        return self._rows(self._equations.touching)

    def counts(self) -> dict[str, int]:
        """Steps, contacts that failed, evaluations of the forces, contacts that began."""
        own = self._equations
        return {
            "steps": own.steps,
            "contacts_failed": own.failures,
            "evaluations": own.evaluations,
            "impacts": self._impacts,
        }

    def warnings(self, run: Trajectory) -> list[str]:
        """Nothing: steps whose energy does not balance are an error."""
        return []

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state."""
        own = self._equations
        return {
            "time": np.array(own.time),
            "y": own.y,
            "rows": own.contacts.rows,
            "memory": own.contacts.memory,
            "works": own.works,
            "counts": np.array(list(self.counts().values()), np.int64),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`."""
        own = self._equations
        own.time = float(arrays["time"])
        held = {"y": own.y, "rows": own.contacts.rows, "memory": own.contacts.memory, "works": own.works}
        for name, array in held.items():
            array[:] = arrays[name]
        own.steps, own.failures, own.evaluations, self._impacts = (int(n) for n in arrays["counts"])

    # ---- contacts that begin and end -----------------------------------------------------------
    def _to_next_event(self, until: float, times: np.ndarray, record: Callable[[Frame], None]) -> None:
        """Integrate until a pair begins or ceases to touch, or to the time `until`."""
        equations = self._equations
        event = SmoothPart(equations, self._method, self._tolerances).run(until, times, record)
        if event is None:
            return
        if equations.contacts.memory[event.pair, TOUCHING] == 0.0:
            gap = equations.distances(event.time, equations.vector(), np.array([event.pair]))
            self._begin(event.pair, -gap[0, 1])
        else:
            self._end(event.pair)

    def _begin_touching(self) -> None:
        """Pairs that overlap but do not count as touching, do so from now on."""
        equations = self._equations
        if not len(equations.contacts.pairs):
            return
        gaps = equations.distances(equations.time, equations.vector(), keep=True)
        for k in np.flatnonzero((gaps[:, 0] <= 0.0) & (equations.contacts.memory[:, TOUCHING] == 0.0)):
            self._begin(int(k), float(-gaps[k, 1]))

    def _begin(self, k: int, closing: float) -> None:
        memory = self._equations.contacts.memory
        memory[k] = 0.0
        memory[k, TOUCHING], memory[k, IMPACT], memory[k, SINCE] = 1.0, max(closing, 0.0), self._equations.time
        self._impacts += 1

    def _end(self, k: int) -> None:
        memory = self._equations.contacts.memory
        memory[k, LOST] = memory[k, ABSORBED]  # nothing is stored now, whatever the curvature did to it
        self.log.append(self._rows(np.array([k]))[0])
        memory[k] = 0.0

    def _rows(self, which: np.ndarray) -> np.ndarray:
        contacts = self._equations.contacts
        return rows_of(contacts.pairs, contacts.memory, which, self._equations.time)

    def _refuse_buried(self) -> None:
        """Refuse a start with a body so deep in another that no force law has a meaning."""
        equations, assembly = self._equations, self.assembly
        if not len(equations.contacts.pairs):
            return
        depth = -equations.distances(equations.time, equations.vector())[:, 0]
        owners = assembly.owner[equations.contacts.pairs]
        reach = np.where(assembly.reach > 0.0, assembly.reach, np.inf)[owners].min(axis=1)
        worst = int(np.argmax(depth / reach))
        if depth[worst] > BURIED * reach[worst]:
            a, b = (assembly.names[k] for k in owners[worst])
            raise ValueError(
                f"bodies {a!r} and {b!r} overlap by {depth[worst]:.6g} m at the start, more than the smaller one is "
                "wide: place them apart, or let them overlap less"
            )
