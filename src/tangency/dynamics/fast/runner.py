"""The fast mode: fixed steps in one compiled loop, and the work in Python between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..assembly import Assembly
from ..contact.columns import ELASTIC, TOUCHING
from ..contact.law_faults import fault_sentence
from ..frames import Elastic, Frame, Instant
from ..impacts import LOG, rows_of
from ..state import PLACE, TURN
from ..tables import PLANE, ROUND, ContactTables, plain
from ..trajectory import Trajectory
from ..validity import friction_warnings, step_warnings, turn_warnings, way_warnings
from ..wrenches import no_wrenches
from .kernel import place_all, run_steps
from .tables import (
    CONTACTS,
    DONE,
    FAILURES,
    FULL,
    LAW_FAULT,
    LOG_FULL,
    LOGGED,
    LONGEST,
    SPRINGS,
    TOTALS,
    TURNED,
    WORKS,
    Clock,
    FastBodies,
    grown,
    pair_lists,
)

STEPS_AT_ONCE = 500  # steps between checks for a keyboard interrupt, and of the energy


class FastRunner:
    """A `Runner` with fixed steps."""

    def __init__(self, assembly: Assembly, *, step: float, skin: float, steps_per_frame: int = 1) -> None:
        self.assembly, self.step, self._skin, self._per_frame = assembly, step, skin, steps_per_frame
        self.time, count, shapes = 0.0, len(assembly.names), len(assembly.owner)
        self._world = plain(assembly.tables())
        # Bodies without a bound on their displacement per step: prescribed ones, and unbounded walls that may turn.
        planes = np.isin(np.arange(count), assembly.owner[np.isin(assembly.kind, (PLANE, ROUND))])
        prescribed = np.isin(np.arange(count), [i for i, _ in assembly.prescribed])
        self._prescribed, moved = bool(prescribed.any()), prescribed | (planes & assembly.free)
        self._bodies = FastBodies(assembly.start.copy(), no_wrenches(count), no_wrenches(count), assembly.reach, moved)
        self._lists, self._count = pair_lists(16 + 8 * shapes), -1  # no list of pairs yet
        self._handed: tuple = None, ()  # lists of pairs, and the same as plain tuples
        self._totals, self._steps = np.zeros(TOTALS), 0
        self.log: list[np.ndarray] = []  # finished contacts, see `impacts`
        self._room = np.zeros((4 * len(self._lists.contacts.pairs), LOG))

    # ---- the protocol --------------------------------------------------------------------------
    def start(self, record: Callable[[Frame], None]) -> None:
        """Pass the frame at time 0 to `record`."""
        record(self._frame())

    def advance(self, times: np.ndarray, record: Callable[[Frame], None], look: Callable[[Instant], None]) -> None:
        """Integrate to the last of `times`, pass the frame at each to `record`, and instants in between to `look`."""
        self._prepare()
        for time in times:
            self._to_frame(float(time), look)
            record(self._frame())

    def open_contacts(self) -> np.ndarray:
        """Rows of the impact log for contacts that still last."""
        known = self._listed()
        return rows_of(known.pairs, known.memory, np.flatnonzero(known.memory[:, TOUCHING]), self.time)

    def counts(self) -> dict[str, int]:
        """Numbers of steps and failed contacts."""
        return {"steps": self._steps, "contacts_failed": int(self._totals[FAILURES])}

    def warnings(self, run: Trajectory) -> list[str]:
        """Warnings about steps that were too long."""
        found = step_warnings(run.impacts.duration[run.impacts.over], self.step)
        found += friction_warnings(self.assembly, self.step)
        found += way_warnings(self.assembly, float(self._totals[LONGEST]))
        return found + turn_warnings(float(self._totals[TURNED]), self.step)

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state."""
        known, bodies = self._listed(), self._bodies
        return {
            "time": np.array(self.time),
            "y": bodies.y,
            "forces": bodies.forces,
            "extra": bodies.extra,
            **known._asdict(),
            "totals": self._totals,
            "steps": np.array(self._steps),
        }

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`."""
        self.time, self._steps = float(arrays["time"]), int(arrays["steps"])
        bodies = self._bodies
        held = {"y": bodies.y, "forces": bodies.forces, "extra": bodies.extra, "totals": self._totals}
        for name, own in held.items():
            own[:] = arrays[name]
        n = self._count = len(arrays["pairs"])
        self._lists = pair_lists(max(n, len(self._lists.contacts.pairs)))
        for name, table in self._lists.contacts._asdict().items():
            table[:n] = arrays[name]

    # ---- stepping ------------------------------------------------------------------------------
    def stored(self) -> np.ndarray:
        """Elastic energy of the contacts of each body, plus that of all springs for bodies with a spring [J]."""
        known, out = self._listed(), np.zeros(len(self.assembly.names))
        out[self.assembly.ends[self.assembly.ends >= 0]] = self._totals[SPRINGS]
        touching = np.flatnonzero(known.memory[:, TOUCHING])
        for side in range(2):
            np.add.at(out, self.assembly.owner[known.pairs[touching, side]], known.records[touching, ELASTIC])
        return out

    def _listed(self) -> ContactTables:
        """The used part of the tables."""
        self._prepare()
        return ContactTables(*(table[: self._count] for table in self._lists.contacts))

    def _frame(self) -> Frame:
        self._prepare()
        known = self._lists.contacts
        touching = known.memory[: self._count, TOUCHING].nonzero()[0]
        pairs, rows, records = known.pairs[touching], known.rows[touching], known.records[touching]
        return Frame(*self._instant()._replace(time=self.time), pairs, rows, records)

    def _outside(self, time: float) -> None:
        """Update prescribed bodies and user-defined loads."""
        self.assembly.place_moved(time, self._bodies.y)
        self.assembly.load(time, self._bodies.y, self._bodies.extra)

    def _prepare(self) -> None:
        """Create the list of pairs and the forces, if there are none yet."""
        if self._count < 0:
            self._outside(self.time)
            self._run(0)

    def _instant(self) -> Instant:
        elastic = Elastic(float(self._totals[CONTACTS]), float(self._totals[SPRINGS]))
        return Instant(self._steps * self.step, self._bodies.y, self._totals[WORKS], elastic)

    def _to_frame(self, time: float, look: Callable[[Instant], None]) -> None:
        # Poses of the shapes follow from the state, which may just have been read from a file.
        place_all(self._bodies.y, self._world)
        left, alone = self._per_frame, self.assembly.is_alone
        while left > 0:
            if left < self._per_frame and (self._per_frame - left) % STEPS_AT_ONCE == 0:
                look(self._instant())
            if alone:
                left -= self._run(min(left, STEPS_AT_ONCE))
                continue
            before, longest = self._bodies.y.copy(), self._totals[LONGEST]
            self._outside(self.time + (self._per_frame - left + 1) * self.step)
            left -= self._run(1)
            if self._prescribed:  # not from velocities, which are meaningless where a prescribed pose jumps
                self._totals[LONGEST] = max(longest, self._longest_way(before))
        self.time = time

    def _longest_way(self, before: np.ndarray) -> float:
        """Largest displacement of a point of a body since the state `before` [m]."""
        y, reach = self._bodies.y, self._bodies.reach
        cosine = np.clip(np.abs((before[:, TURN] * y[:, TURN]).sum(axis=1)), 0.0, 1.0)
        ways = np.linalg.norm(y[:, PLACE] - before[:, PLACE], axis=1) + reach * 2.0 * np.arccos(cosine)
        return float(ways.max())

    def _run(self, steps: int) -> int:
        """Take steps; return how many were done, or raise the error that ended them."""
        clock, lists = tuple(Clock(steps, self.step, self._steps)), self._lists
        if self._handed[0] is not lists:  # made plain once: it takes microseconds
            self._handed = lists, plain(lists)
        done, found, end = run_steps(
            clock, tuple(self._bodies), self._world, self._handed[1], self._count, self._skin, self._totals, self._room
        )
        if end == LAW_FAULT:
            time = 0.0 if self._count < 0 else (self._steps + done + 1) * self.step
            raise RuntimeError(fault_sentence(self.assembly, time))
        self._steps += done
        if self._totals[LOGGED]:
            self.log.extend(self._room[: int(self._totals[LOGGED])].copy())
            self._totals[LOGGED] = 0.0
        if end == FULL:
            self._lists = grown(self._lists, -found)
            return done + self._run(steps - done)
        self._count = found
        if end == LOG_FULL:
            if found > len(self._room):
                self._room = np.zeros((4 * found, LOG))
            return done + self._run(steps - done)
        y = self._bodies.y
        if end != DONE or not np.isfinite(y).all():
            bad = ~np.isfinite(y).all(axis=1)
            who = f"the motion of body {self.assembly.names[int(np.argmax(bad))]!r}" if bad.any() else "a speed"
            raise RuntimeError(
                f"{who} became infinite after {self._steps} steps, near t = {self._steps * self.step:.6g} s: the step "
                f"{self.step:.3g} s is too long for the stiffness or damping of the contacts and springs"
            )
        return done
