"""What one rank holds between two divisions of space: tables of its bodies, lists of pairs, and the log of impacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.contact.columns import ABSORBED, ELASTIC, LOST, RECORD, TOUCHING
from ...dynamics.extremes_kernel import EXTREMES
from ...dynamics.fast.contact_steps import new_room
from ...dynamics.fast.tables import (
    COUNT,
    LOGGED,
    NUMBERS,
    TOTALS,
    TOUCHED,
    PairLists,
    Tally,
    emptied,
    grown,
    known_pairs,
    pair_lists,
    write_pairs,
)
from ...dynamics.impacts import LOG, SHAPE_A, SHAPE_B
from ...dynamics.periodic import periods_of
from ...dynamics.tables import ContactTables, plain
from .carrier import Carrier
from .domain import Domain, Whole
from .migration import Known, Luggage, exchanged, joined, no_pairs
from .snapshot import Part
from .steps import Steps

LOG_ROWS, PAIRS_PER_SHAPE = 256, 8
NONE = np.zeros(0, np.int64)


class Holdings:
    """Tables of one rank; numbers of bodies and shapes are those of the world, rows those of the tables."""

    domain: Domain
    lists: PairLists
    steps: Steps

    def __init__(self, whole: Whole, carrier: Carrier, comm: Any, y: np.ndarray) -> None:
        self.whole, self.carrier, self._comm, self.y = whole, carrier, comm, y
        self.tally = Tally(np.zeros(TOTALS), np.zeros(NUMBERS, np.int64), np.zeros((LOG_ROWS, LOG)))
        self.known = no_pairs()  # until there are tables
        self.extremes = np.zeros(EXTREMES)
        self.log = [np.zeros((0, LOG))]
        self._owner, self._periods = whole.assembly.owner, periods_of(whole.assembly.world.periodic)
        self._room, self._started = plain(new_room()), False
        self._atoms = 0, NONE  # those of this rank, and the numbers of all of them

    @property
    def pairs(self) -> int:
        """Length of the list of pairs."""
        return int(self.tally.numbers[COUNT])

    # ---- division ------------------------------------------------------------------------------
    def divide(self, count: int) -> None:
        """Make the tables of the bodies that LAMMPS gave to this rank: its first `count` atoms; the others are near."""
        total = count + self.carrier.ghosts
        numbers, self.arrays = self.carrier.numbers(total), self.carrier.arrays(total)
        if self._are_as_before(count, numbers):
            self._offsets = self._offsets_of(self.domain)
            self._hold()
            return
        own = numbers[:count]
        others, places = np.unique(numbers[count:], return_index=True)
        away = ~np.isin(others, own)
        new = self.whole.domain(own, np.arange(count), others[away], count + places[away])
        known, arrived = self._keep(self.domain, new) if self._started else (self.known, None)
        bodies = self._owner[known.pairs]
        needed: Any = np.isin(bodies, own).any(axis=1) & np.isin(bodies, new.numbers).all(axis=1)
        self._put(new, known.chosen(needed).sorted())
        self._offsets = self._offsets_of(new)
        self.domain = new
        self._hold()
        if not self._started:
            self._start(new)
        elif arrived is not None:
            self._unpack(new, arrived)
        self._started = True

    def _are_as_before(self, count: int, numbers: np.ndarray) -> bool:
        """Whether every rank has the bodies that it had, and the same ones near it."""
        before, self._atoms = self._atoms, (count, numbers)
        same = self._started and count == before[0] and np.array_equal(numbers, before[1])
        return same if self._comm is None else all(self._comm.allgather(same))

    def _hold(self) -> None:
        """Hand over the tables to compiled code."""
        self.steps = Steps(self.domain, self.lists, self.tally, self._room, self.arrays, self._offsets)

    def _offsets_of(self, new: Domain) -> np.ndarray:
        """Periods by which LAMMPS has moved each body of this rank back into the box."""
        offsets, at = np.zeros((len(new.numbers), 3)), new.at[new.at >= 0]
        moved = self.arrays.vest[at] - self.arrays.x[at]
        for c in np.flatnonzero(self._periods):
            offsets[new.own, c] = self._periods[c] * np.rint(moved[:, c] / self._periods[c])
        return offsets

    def _start(self, new: Domain) -> None:
        """Rows at the beginning: what LAMMPS sent, with the momenta of the state."""
        self.steps.receive(new.own, new.at[new.at >= 0])
        new.bodies.y[:] = self.y[new.numbers]
        self.steps.depart(0.0, np.setdiff1d(new.mine, new.own))

    def _keep(self, old: Domain, new: Domain) -> tuple[Known, Luggage | None]:
        """Copy the rows of bodies that stay, exchange those that move; return what is known of pairs, and arrivals."""
        self.drain()
        pairs, rows, memory, _ = known_pairs(self.lists, np.arange(self.pairs))
        known = Known(old.shapes[pairs], rows, memory, self.lists.slack[: self.pairs, None])
        before, now = old.numbers[old.own], new.numbers[new.own]
        stays = np.isin(new.numbers[new.mine], old.numbers[old.mine])
        to = new.mine[stays]
        start = np.searchsorted(old.numbers, new.numbers[to])
        for name, table in new.bodies._asdict().items():
            if name not in ("first_shape", "flocks"):
                table[to] = getattr(old.bodies, name)[start]
        new.works[to], new.bodies.flocks[:] = old.works[start], old.bodies.flocks
        self._copy_poses(old, new, to, start)
        if self._comm is None:
            return known, None
        leaving = old.own[~np.isin(before, now)]
        gone: Any = np.isin(self._owner[known.pairs], old.numbers[leaving]).any(axis=1)
        bodies = old.bodies
        state = bodies.y[leaving], bodies.forces[leaving], old.works[leaving]
        listed = bodies.marks[leaving], bodies.pads[leaving, None]
        luggage = Luggage(old.numbers[leaving], *state, *listed, known.chosen(gone))
        got = exchanged(self._comm, luggage, self._owner, now[~np.isin(now, before)])
        return joined([known, got.known]), got

    def _unpack(self, new: Domain, got: Luggage) -> None:
        """Write the rows of bodies that came from other ranks."""
        rows, place = np.searchsorted(new.numbers, got.numbers), np.full(len(new.numbers), -1)
        place[new.mine] = new.at
        self.steps.receive(rows, place[rows])
        new.bodies.y[rows], new.bodies.forces[rows] = got.y, got.forces
        new.works[rows], new.bodies.marks[rows], new.bodies.pads[rows] = got.works, got.marks, got.pads[:, 0]

    def _copy_poses(self, old: Domain, new: Domain, to: np.ndarray, start: np.ndarray) -> None:
        """Copy the poses of the shapes of bodies that stay, which are moved in the tables only."""
        owner = np.repeat(np.arange(len(new.numbers)), np.diff(new.bodies.first_shape))
        source = np.full(len(new.numbers), -1)
        source[to] = start
        shape = np.flatnonzero(source[owner] >= 0)
        number = shape - new.bodies.first_shape[owner[shape]]
        new.poses[shape] = old.poses[old.bodies.first_shape[source[owner[shape]]] + number]

    # ---- pairs ---------------------------------------------------------------------------------
    def _put(self, domain: Domain, known: Known) -> None:
        """Make the lists of pairs from what is known of them."""
        count = len(known.pairs)
        if self._started and len(self.lists.pairs) >= count:  # new memory takes longer than all the rest
            self.lists = emptied(self.lists, len(domain.numbers))
        else:
            self.lists = pair_lists(max(16 + PAIRS_PER_SHAPE * len(domain.shapes), count), len(domain.numbers))
        rows, records = np.searchsorted(domain.shapes, known.pairs), np.zeros((count, RECORD))
        write_pairs(self.lists, ContactTables(rows, known.rows, known.memory, records), known.slack[:, 0])
        self.tally.numbers[COUNT] = count
        self.tally.numbers[TOUCHED] = np.count_nonzero(known.memory[:, TOUCHING])  # as many may end in a step

    def grow_pairs(self, room: int) -> None:
        """Make room for more pairs."""
        self.lists = grown(self.lists, room, max(self.pairs, 0))
        self._hold()

    def grow_log(self, rows: int) -> None:
        """Make room for more impacts."""
        self.drain()
        self.tally = self.tally._replace(log=np.zeros((max(rows, LOG_ROWS), LOG)))
        self._hold()

    def _at_home(self, pairs: np.ndarray) -> np.ndarray:
        """Which pairs of shapes (rows) belong to this rank: the first free body of each does, so each has one home."""
        owner = np.repeat(np.arange(len(self.domain.numbers)), np.diff(self.domain.bodies.first_shape))
        bodies, own = owner[pairs], np.zeros(len(self.domain.numbers), bool)
        own[self.domain.own] = True
        free = self.whole.assembly.free[self.domain.numbers]
        return np.where(free[bodies[:, 0]], own[bodies[:, 0]], own[bodies[:, 1]])

    def drain(self) -> None:
        """Move the log of impacts and the extremes out of the tables, with the numbers of the world."""
        numbers, shapes = self.tally.numbers, self.domain.shapes
        rows = self.tally.log[: numbers[LOGGED]].copy()
        numbers[LOGGED] = 0
        if len(rows):
            pairs = rows[:, [SHAPE_A, SHAPE_B]].astype(np.int64)
            home = self._at_home(pairs)
            rows[:, [SHAPE_A, SHAPE_B]] = shapes[pairs]
            self.log.append(rows[home])
        own = self.domain.extremes
        for k in range(0, EXTREMES, 3):
            if own[k] > self.extremes[k]:
                self.extremes[k : k + 3] = own[k], *shapes[own[k + 1 : k + 3].astype(np.int64)]
        own[:] = 0.0

    def part(self, everything: bool) -> Part:
        """The state of the bodies of this rank, and of the pairs that belong to it: of those that touch, or of all."""
        self.drain()
        domain, lists, which = self.domain, self.lists, np.arange(self.pairs)
        if not everything:
            met = which[lists.contact_of[which] >= 0]
            which = met[lists.contacts.memory[lists.contact_of[met], TOUCHING] != 0.0]
        which = which[self._at_home(lists.pairs[which])]
        pairs, rows, memory, records = known_pairs(lists, which)
        lasts = memory[:, TOUCHING] != 0.0
        memory[lasts, LOST] = memory[lasts, ABSORBED] - records[lasts, ELASTIC]
        log, self.log = np.concatenate(self.log), [np.zeros((0, LOG))]
        mine = domain.mine
        return Part(
            numbers=domain.numbers[mine],
            y=domain.bodies.y[mine],
            forces=domain.bodies.forces[mine],
            works=domain.works[mine],
            marks=domain.bodies.marks[mine],
            pads=domain.bodies.pads[mine],
            known=Known(domain.shapes[pairs], rows, memory, lists.slack[which, None]),
            records=records,
            log=log,
            totals=self.tally.totals.copy(),
            counts=self.tally.numbers.copy(),
            extremes=self.extremes.copy(),
        )
