"""A runner of the fast mode whose steps are taken by all ranks; it lives on rank 0, the others follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dynamics.assembly import Assembly
from ...dynamics.fast.runner import FastRunner
from ...dynamics.fast.tables import (
    CONTACTS,
    COUNT,
    LOGGED,
    NUMBERS,
    OUTER,
    TOTALS,
    WORK,
    WORKS,
    known_pairs,
    pair_lists,
    write_pairs,
)
from ...dynamics.frames import Instant
from ...dynamics.tables import ContactTables
from .migration import Known
from .ranks import Leader
from .snapshot import Snapshot


class LammpsRunner(FastRunner):
    """A `Runner` that holds the state of all bodies between frames only."""

    def __init__(self, assembly: Assembly, *, leader: Leader, **options: Any) -> None:
        super().__init__(assembly, **options)
        self._leader, self._begun = leader, False
        self._start: Snapshot | None = None
        self._before = np.zeros(2)  # works that no body has
        self._works = np.zeros((len(assembly.names), 2))
        self._first_skin = options["skin"]

    def _prepare(self) -> None:
        if self._begun:
            return
        self._begun = True
        skins = self._first_skin, *self._skins
        self._leader.start(self.assembly, step=self.step, skins=skins, start=self._start)
        if self._start is None:
            self._take(self._leader.gather(False))
            self._before[0] = self._totals[CONTACTS]  # the initial energy counts as absorbed
            self._totals[WORK] = self._before[0]
        self._start = None

    def _to_frame(self, time: float, look: Callable[[Instant], None]) -> None:
        self._leader.run(self._per_frame)
        self._take(self._leader.gather(False))
        self.time = time

    def _take(self, state: Snapshot) -> None:
        """Take over the state of all ranks."""
        self._bodies.y[:], self._bodies.forces[:], self._works[:] = state.y, state.forces, state.works
        self._bodies.marks[:], self._bodies.pads[:] = state.marks, state.pads
        self._steps = state.steps
        self._totals[:], self._numbers[:] = state.totals, state.counts
        self._totals[WORKS] = self._before + state.works.sum(axis=0)
        count = len(state.known.pairs)
        self._numbers[COUNT], self._numbers[LOGGED] = count, 0
        self._lists = pair_lists(count + 1, len(self._bodies.y))
        pairs, rows, memory, slack = state.known
        write_pairs(self._lists, ContactTables(pairs, rows, memory, state.records), slack[:, 0])
        self.assembly.extremes[:] = state.extremes
        self.log.extend(state.log)

    def warnings(self) -> list[str]:
        """Warnings about steps that were too long."""
        self._take(self._leader.gather(True))
        return super().warnings()

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state, from which the fast mode can resume as well."""
        self._take(self._leader.gather(True))
        return {**super().checkpoint(), "works": self._works.copy()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`, also of the fast mode."""
        super().restore(arrays)
        if "works" in arrays:
            self._works[:] = arrays["works"]
        self._before[:] = self._totals[[WORK, OUTER]] - self._works.sum(axis=0)
        count = int(self._numbers[COUNT])
        pairs, rows, memory, records = known_pairs(self._lists, np.arange(count))
        self._start = Snapshot(
            self._steps,
            self._bodies.y.copy(),
            self._bodies.forces.copy(),
            self._works.copy(),
            self._bodies.marks.copy(),
            self._bodies.pads.copy(),
            Known(pairs, rows, memory, self._lists.slack[:count, None].copy()),
            records,
            np.zeros((0, self._tally.log.shape[1])),
            self._totals[:TOTALS].copy(),
            self._numbers[:NUMBERS].copy(),
            self.assembly.extremes.copy(),
        )
