"""A step of one rank in compiled code, for bodies whose numbers also stand in the arrays of LAMMPS.

The only file here that knows how the fast mode is compiled; the parts of a step are those of the fast mode.  Tables are
held (`compiled/held.py`), since they are handed over several times in each step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from ...compiled.held import Holder, opened, store
from ...compiled.jit import entry, inlined, uncounted_inside
from ...dynamics.fast.body_lanes import ABSORBED, AFTER, ANGLE, FAR, GIVEN, MOVE, V
from ...dynamics.fast.body_steps import Some, bound_some, finish_some, move_some, write_ahead
from ...dynamics.fast.contact_steps import Room, Step, blocks_of, evaluate_block, named_room
from ...dynamics.fast.kernel import SCHEDULE, join, prepare, pull_springs
from ...dynamics.fast.neighbour_list import check_list, note_places
from ...dynamics.fast.tables import (
    COUNT,
    DONE,
    FARTHEST,
    HOLDS,
    OUTCOME,
    QUICKEST,
    SKIN,
    SPIN_AHEAD,
    UNSETTLED,
    FastBodies,
    PairLists,
    Schedule,
    Tally,
    named_lists,
)
from ...dynamics.state import INVERSE_MASS, inverse_moments, orientation, place, place_shape, velocity
from ...dynamics.tables import WorldTables, named_world, plain
from ...kernels.block import LANES, get3
from ...kernels.quaternions import matrix
from .carrier import Arrays
from .domain import Domain

_ROWS = types.int64[::1]


class _Everything(NamedTuple):
    """All tables of a rank."""

    bodies: FastBodies
    world: WorldTables
    lists: PairLists
    tally: Tally
    room: Room
    arrays: Arrays
    offsets: np.ndarray  #: (R, 3) periods by which LAMMPS has moved each body back into the box [m]
    works: np.ndarray  #: (R, 2) absorbed and external work of each body since the start [J]


@inlined
def _every(held):
    """All tables, see ``compiled/held.py``."""
    bodies, world, lists, tally, room, arrays, offsets, works = opened(held)
    return _Everything(
        FastBodies(*bodies),
        named_world(world),
        named_lists(lists),
        Tally(*tally),
        named_room(room),
        Arrays(*arrays),
        offsets,
        works,
    )


@entry
def _receive(rows, at, held):
    """Write what LAMMPS sent about bodies to their rows; `at` are their indices there."""
    every = _every(held)
    bodies, world, arrays = every.bodies, every.world, every.arrays
    y = bodies.y
    for k in range(rows.shape[0]):
        i, j = rows[k], at[k]
        for c in range(3):
            y[i, c], y[i, 7 + c], y[i, 10 + c] = arrays.vest[j, c], arrays.v[j, c], arrays.omega[j, c]
            y[i, 3 + c] = arrays.quat[j, 1 + c]  # LAMMPS has the real part first
        y[i, 6] = arrays.quat[j, 0]
        w, light = (arrays.omega[j, 0], arrays.omega[j, 1], arrays.omega[j, 2]), world.inertia[i, INVERSE_MASS]
        inverse = light, max(inverse_moments(world.inertia, i))
        write_ahead(bodies.ahead, y, i, velocity(y, i), w, inverse)
        bodies.moves[i] = arrays.rho[j]
        frame = matrix(orientation(y, i))
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world, p, frame, place(y, i))


@entry
def _touch(schedule, held):
    """List of pairs, contacts, and their forces at the end of a step; returns an outcome."""
    schedule = Schedule(*schedule)
    every = _every(held)
    bodies, world, lists, tally, room = every.bodies, every.world, every.lists, every.tally, every.room
    totals, numbers = tally.totals, tally.numbers
    numbers[OUTCOME], totals[UNSETTLED] = DONE, -1.0
    if lists.first_of[0] < 0:  # a list that came from other ranks, or from a file
        note_places(schedule.spatial, world, lists, numbers[COUNT])
    check_list(schedule, bodies, tally)
    prepare(schedule, bodies, world, lists, tally)
    if numbers[OUTCOME] == DONE:
        now = (schedule.before + 1) * schedule.h
        step = Step(schedule.h, now, totals[SKIN], numbers[COUNT], totals[UNSETTLED])
        pull_springs(bodies, world, tally)
        for block in range(blocks_of(step.listed)):
            evaluate_block(step, bodies, world, lists, block, room)
        join(step, world, lists, tally)
    return numbers[OUTCOME]


@inlined
def _add_works(s, some, works):
    """Add the works of a kick to those of the bodies."""
    for l in range(some.size):
        i = some.rows[some.first + l]
        works[i, 0] += s[ABSORBED * LANES + l]
        works[i, 1] += s[GIVEN * LANES + l]


@inlined
def _note_bounds(s, some, bodies):
    """Update the bounds of the only flock by those of some bodies, and whether the list of pairs still holds."""
    own = bodies.flocks[0]
    for l in range(some.size):
        move = s[MOVE * LANES + l]
        own[QUICKEST] = max(own[QUICKEST], s[ANGLE * LANES + l])
        if not move <= own[FARTHEST]:
            own[FARTHEST] = move if move < np.inf else np.inf
        if not s[FAR * LANES + l] + move <= bodies.pads[some.rows[some.first + l]]:
            own[HOLDS] = 0.0


@uncounted_inside
def _depart_some(s, some, at, h, every):
    """First half of the next step of some bodies; what other ranks need is written to the arrays of LAMMPS."""
    bodies, arrays, offsets = every.bodies, every.arrays, every.offsets
    move_some(s, some, bodies, every.world, h)
    _add_works(s, some, every.works)
    y = bodies.y
    for k in range(some.first, some.first + some.size):
        i, j = some.rows[k], at[k]
        if j >= 0:
            for c in range(3):
                arrays.vest[j, c], arrays.x[j, c] = y[i, c], y[i, c] - offsets[i, c]
                arrays.v[j, c], arrays.omega[j, c] = bodies.ahead[i, 7 + c], bodies.ahead[i, SPIN_AHEAD + c]
                arrays.quat[j, 1 + c] = y[i, 3 + c]
            arrays.quat[j, 0] = y[i, 6]
            arrays.rho[j] = bodies.moves[i]


@entry
def _finish(rows, at, h, step, farthest, onward, held):
    """Second half of a step of the length h, and the first half of the next one if `onward`."""
    every = _every(held)
    bodies, world, lists, arrays, s = every.bodies, every.world, every.lists, every.arrays, every.room.desk.lanes
    longest, which, own = 0.0, 0, bodies.flocks[0]
    if onward:
        own[FARTHEST], own[QUICKEST], own[HOLDS] = 0.0, 0.0, 1.0
    for first in range(0, rows.shape[0], LANES):
        some = Some(rows, first, min(LANES, rows.shape[0] - first))
        for k in range(first, first + some.size):
            if at[k] >= 0:
                for c in range(3):
                    bodies.extra[rows[k], c] = arrays.f[at[k], c]
                    bodies.extra[rows[k], 3 + c] = arrays.torque[at[k], c]
        finish_some(s, some, bodies, world, lists, h, step)
        _add_works(s, some, every.works)
        for l in range(some.size):
            i, j, v, w, way = rows[first + l], at[first + l], get3(s, V, l), get3(s, AFTER, l), 0.0
            for c in range(3):
                if j >= 0:
                    arrays.v[j, c], arrays.omega[j, c] = v[c], w[c]
                way += step * (abs(v[c]) + step * world.inertia[i, INVERSE_MASS] * abs(bodies.forces[i, c]))
            if not way <= longest:
                longest, which = way if way < np.inf else np.inf, i
        if onward and longest < farthest:  # LAMMPS loses atoms that are too far away
            _note_bounds(s, some, bodies)
            _depart_some(s, some, at, step, every)
    return longest, which


@entry
def _depart(rows, at, h, held):
    """First half of the next step; whether the list of pairs still holds is noted in the only flock."""
    every = _every(held)
    bodies, world, s = every.bodies, every.world, every.room.desk.lanes
    own = bodies.flocks[0]
    own[FARTHEST], own[QUICKEST], own[HOLDS] = 0.0, 0.0, 1.0
    for first in range(0, rows.shape[0], LANES):
        some = Some(rows, first, min(LANES, rows.shape[0] - first))
        bound_some(s, some, bodies, world.inertia, h)
        _note_bounds(s, some, bodies)
        _depart_some(s, some, at, h, every)


@entry
def _store(tables, buffer):
    """Write tables, as plain tuples, to a buffer; returns the space needed."""
    return store(tables, buffer)


_holder = Holder(_store)


class _Functions(NamedTuple):
    """The compiled functions, whose arguments are not checked."""

    receive: Callable
    touch: Callable
    finish: Callable
    depart: Callable


@cache
def _compiled() -> _Functions:
    held, f8 = _holder.kind, types.float64
    wanted: list[tuple[Any, tuple]] = [
        (_receive, (_ROWS, _ROWS, held)),
        (_touch, (SCHEDULE, held)),
        (_finish, (_ROWS, _ROWS, f8, f8, f8, types.boolean, held)),
        (_depart, (_ROWS, _ROWS, f8, held)),
    ]
    for function, signature in wanted:
        function.compile(signature)
    return _Functions(*(function.overloads[signature].entry_point for function, signature in wanted))


class Steps:
    """All tables of one rank, held for compiled code, and the parts of a step.

    Parameters
    ----------
    domain, lists, tally, room, arrays
        The tables, `room` as the result of `plain`; whoever replaces one of them makes new `Steps`.
    offsets : (R, 3) array
        Periods by which LAMMPS has moved each body back into the box [m].
    """

    def __init__(
        self, domain: Domain, lists: PairLists, tally: Tally, room: tuple, arrays: Arrays, offsets: np.ndarray
    ) -> None:
        self._tables = (  # keeps the arrays alive
            tuple(domain.bodies),
            domain.world,
            plain(lists),
            tuple(tally),
            room,
            tuple(arrays),
            offsets,
            domain.works,
        )
        self._buffer, self._mine = _holder.hold(self._tables), (domain.mine, domain.at)
        self._call = _compiled()

    def receive(self, rows: np.ndarray, at: np.ndarray) -> None:
        """Write what LAMMPS sent about bodies to their rows; `at` are their indices there."""
        self._call.receive(rows, at, self._buffer)

    def touch(self, schedule: Schedule) -> int:
        """List of pairs, contacts, and their forces at the end of a step; returns an outcome.

        Unless it is DONE or LAW_FAULT, nothing was evaluated, and the call can be repeated.  The energies of contacts
        are not settled: that needs the velocities of bodies of other ranks after the step.
        """
        return self._call.touch(tuple(schedule), self._buffer)

    def finish(self, h: float, step: float, farthest: float, onward: bool) -> tuple[float, int]:
        """Second half of a step of the length `h`, with the forces that LAMMPS adds; the works are summed.

        If `onward`, the first half of the next step follows for each body, while its data are in the cache, but not
        once a body would move as far as `farthest`.  Returns the longest way of a body in the next step, about, and its
        row.  If not `onward`, velocities after the step are written to the arrays of LAMMPS.
        """
        return self._call.finish(*self._mine, h, step, farthest, onward, self._buffer)

    def depart(self, h: float, rows: np.ndarray | None = None) -> None:
        """First half of the next step; what other ranks need is written to the arrays of LAMMPS.

        Of all bodies of this rank, or of given rows that are not free.
        """
        mine = self._mine if rows is None else (rows, np.full(len(rows), -1))
        self._call.depart(*mine, h, self._buffer)
