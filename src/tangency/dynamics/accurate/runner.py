"""The accurate mode, for few bodies: SciPy's integrators from one event to the next.

The instant at which a pair of shapes starts or stops touching is located on the integrator's own interpolant; the
integration stops and restarts there.  The closing speed at the impact, on which the dissipative laws depend, is
therefore accurate, and no step crosses a kink of a force.  Steps and tolerances are derived from the contacts, and a
step whose energy does not balance is repeated with a shorter length; see `step_control`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..assembly import Assembly
from ..contact.columns import ABSORBED, ELASTIC, IMPACT, LOST, SINCE, TOUCHING
from ..frames import Frame
from ..impacts import rows_of
from ..initial_scene import misfits
from ..tables import MESH
from .between_events import SmoothPart
from .equations import Equations
from .kernel import GAP, GAP_RATE
from .motion_vector import ABSORBED_WORK
from .stalling import Stalling
from .step_control import Tolerances

BURIED = 2.0  # initial depth that is refused, in radii of the smaller body
MAX_EVENTS_AT_ONCE = 100  # events without progress in time, plus two per pair, before the run is aborted


class AccurateRunner:
    """A `Runner` that uses SciPy's integrators."""

    def __init__(
        self, assembly: Assembly, *, method: str, rtol: float, atol: float, max_step: float | None = None
    ) -> None:
        self.assembly, self.equations, self._method = assembly, Equations(assembly), method
        self._tolerances = Tolerances(rtol, atol, math.inf if max_step is None else max_step)
        self.log: list[np.ndarray] = []  # finished contacts, see `impacts`
        self._impacts = 0
        self._stalling = Stalling()

    # ---- the protocol --------------------------------------------------------------------------
    def start(self, record: Callable[[Frame], None]) -> None:
        """Pass the frame at time 0 to `record`."""
        equations = self.equations
        for sentence in misfits(self.assembly):
            raise ValueError(f"{sentence}, or the fast mode, which only warns")
        self._begin_touching()
        self._refuse_buried()
        touching = equations.touching
        equations.rate(touching)(equations.time, equations.vector())
        equations.require_finite_laws(equations.time)
        equations.works[ABSORBED_WORK] = sum(equations.elastic)
        memory, records = equations.contacts.memory, equations.contacts.records
        memory[touching, ABSORBED] = records[touching, ELASTIC]  # energy present at the start counts as absorbed
        record(equations.frame())

    def advance(self, times: np.ndarray, record: Callable[[Frame], None], look: Callable[[None], None]) -> None:
        """Integrate to the last of `times`, pass the frame at each to `record`, and call `look` when a contact ends."""
        equations, until, still = self.equations, float(times[-1]), 0
        times = times[times > equations.time]
        while equations.time < until:
            self._begin_touching()
            start, ended = equations.time, len(self.log)
            self._to_next_event(until, times, record)
            if len(self.log) > ended:
                look(None)
            still = 0 if equations.time > start else still + 1
            if still > MAX_EVENTS_AT_ONCE + 2 * len(equations.contacts.pairs):
                raise RuntimeError(
                    f"the motion does not get beyond t = {equations.time:.9g} s: contacts start and end there "
                    f"repeatedly{equations.names(equations.touching)}"
                )
            times = times[times > equations.time] if equations.time > start else times

    def open_contacts(self) -> np.ndarray:
        """Rows of the impact log for contacts that still last."""
        return self._rows(self.equations.touching)

    def counts(self) -> dict[str, int]:
        """Numbers of steps, failed contacts, force evaluations and impacts."""
        own = self.equations
        return {
            "steps": own.steps,
            "contacts_failed": own.failures,
            "evaluations": own.evaluations,
            "impacts": self._impacts,
        }

    def warnings(self) -> list[str]:
        """No warnings: steps whose energy does not balance are an error."""
        return []

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state."""
        own = self.equations
        return {
            "time": np.array(own.time),
            "y": own.y,
            "rows": own.contacts.rows,
            "memory": own.contacts.memory,
            "works": own.works,
            "joints": own.numbers,
            "counts": np.array(list(self.counts().values()), np.int64),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`."""
        own = self.equations
        own.time = float(arrays["time"])
        held = {"y": own.y, "rows": own.contacts.rows, "memory": own.contacts.memory, "works": own.works}
        held["joints"] = own.numbers
        for name, array in held.items():
            array[:] = arrays[name]
        own.steps, own.failures, own.evaluations, self._impacts = (int(n) for n in arrays["counts"])

    # ---- contacts that start and end -----------------------------------------------------------
    def _to_next_event(self, until: float, times: np.ndarray, record: Callable[[Frame], None]) -> None:
        """Integrate until a pair starts or stops touching, or to the time `until`."""
        equations = self.equations
        event = SmoothPart(equations, self._method, self._tolerances, self._stalling).run(until, times, record)
        if event is None:
            return
        if equations.contacts.memory[event.pair, TOUCHING] == 0.0:
            gap = equations.distances(event.time, equations.vector(), np.array([event.pair]))
            self.begin(event.pair, -gap[0, GAP_RATE])
            self._take_over(event.pair)
        else:
            self.end(event.pair)

    def _begin_touching(self) -> None:
        """Mark pairs that overlap as touching from now on."""
        equations = self.equations
        if not len(equations.contacts.pairs):
            return
        gaps = equations.distances(equations.time, equations.vector(), keep=True)
        for k in np.flatnonzero((gaps[:, GAP] <= 0.0) & (equations.contacts.memory[:, TOUCHING] == 0.0)):
            self.begin(int(k), float(-gaps[k, GAP_RATE]))

    def begin(self, k: int, closing: float) -> None:
        """Mark a pair as touching from now on."""
        memory = self.equations.contacts.memory
        memory[k] = 0.0
        memory[k, TOUCHING], memory[k, IMPACT], memory[k, SINCE] = 1.0, max(closing, 0.0), self.equations.time
        self._impacts += 1

    def _take_over(self, k: int) -> None:
        """Count the present energy of a contact with a mesh wall as absorbed: another patch may have had it before."""
        equations, contacts = self.equations, self.equations.contacts
        if self.assembly.kind[contacts.pairs[k, 0]] == MESH:
            equations.rate(equations.touching)(equations.time, equations.vector())
            contacts.memory[k, ABSORBED] = contacts.records[k, ELASTIC]

    def end(self, k: int) -> None:
        """Mark a pair as apart from now on, and log its contact."""
        memory = self.equations.contacts.memory
        memory[k, LOST] = memory[k, ABSORBED]  # nothing is stored any more, even if the curvature changed
        self.log.append(self._rows(np.array([k]))[0])
        memory[k] = 0.0

    def _rows(self, which: np.ndarray) -> np.ndarray:
        contacts = self.equations.contacts
        return rows_of(contacts.pairs, contacts.memory, which, self.equations.time)

    def _refuse_buried(self) -> None:
        """Refuse an initial overlap so deep that no force law is meaningful."""
        equations, assembly = self.equations, self.assembly
        if not len(equations.contacts.pairs):
            return
        depth = -equations.distances(equations.time, equations.vector())[:, GAP]
        owners = assembly.owner[equations.contacts.pairs]
        reach = np.where(assembly.reach > 0.0, assembly.reach, np.inf)[owners].min(axis=1)
        worst = int(np.argmax(depth / reach))
        if depth[worst] > BURIED * reach[worst]:
            a, b = (assembly.names[k] for k in owners[worst])
            raise ValueError(
                f"bodies {a!r} and {b!r} overlap by {depth[worst]:.6g} m at the start, more than the width of the "
                "smaller one: move them apart, or reduce the overlap"
            )
