"""The contacts of a step: pairs that may touch are solved block by block, then their forces are added in a fixed order.

Blocks are independent of each other, and nothing depends on which thread evaluates them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import element, jit, uncounted
from ...kernels.jet import JET
from ...kernels.poses import place_of
from ...kernels.rotations import set_place
from ...kernels.support_set import PROBES
from ...kernels.vectors import add, dot, sub
from ..contact.columns import (
    ABSORBED,
    DISTANCE,
    ELASTIC,
    IMPULSE,
    LOST,
    NORMAL_FORCE,
    PEAK,
    POWER,
    ROW,
    TOUCHING,
    force_on_b,
    force_point,
    write_stretch,
)
from ..contact.law_faults import FAULT, KIND
from ..contact.solve import solve_placed
from ..extremes_kernel import EXTREMES
from ..images_kernel import image_shift, other_images
from ..impacts import write_row
from ..loads_kernel import Notes, begin, contact_force, push_both
from ..state import Kinematics, velocity_at
from ..tables import HOLLOW, ROUND
from .ellipsoid_batch import Batch, new_batch, put_pair, solve_batch, take_contact
from .tables import BLOCK, CONTACTS, ENDED, FAILED, FAILURES, LOGGED, TOUCHED, TOUCHING_NOW

TOL = 1e-10  # of the contact solver
SAFE_SHARE = 1.0 - 1e-6  # factor on a proved distance, for rounding


class Step(NamedTuple):
    """One step, for the contacts at its end."""

    h: float  #: its length [s]
    now: float  #: time at its end [s]
    skin: float  #: distance up to which contacts are solved [m]
    listed: int  #: pairs in the list


class Room(NamedTuple):
    """Space for the evaluation of one block."""

    due: np.ndarray  #: (BLOCK,) pairs that may touch
    place: np.ndarray  #: (BLOCK,) their places in the batch, or -1
    jets: np.ndarray
    pose: np.ndarray  #: (1, 12) of an image
    batch: Batch


def new_room() -> Room:
    """Space for one block."""
    due, place = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    return Room(due, place, np.empty(PROBES * JET), np.empty((1, 12)), new_batch(BLOCK))


@jit
def named_room(room):
    """The :class:`Room` from the result of `plain`."""
    due, place, jets, pose, batch = room
    return Room(due, place, jets, pose, Batch(*batch))


@uncounted
def _solve_due(step, bodies, world, lists, block, room):
    """Solve the pairs of a block that may touch; return their number.

    Pairs that are a proved distance apart are skipped until both bodies together may have travelled that far.  Pairs
    of ellipsoids are left for `take_contact`.
    """
    pairs, rows, shapes, owner = lists.contacts.pairs, lists.contacts.rows, world.shapes, world.owner
    slack, moves, radii, periods = lists.slack, bodies.moves, world.shapes.radii, world.periods
    due, batched, failed = 0, 0, 0
    for k in range(block * BLOCK, min((block + 1) * BLOCK, step.listed)):
        a, b = pairs[k, 0], pairs[k, 1]
        slack[k, 0] -= moves[owner[a]] + moves[owner[b]]
        if slack[k, 0] > 0.0:
            continue
        room.due[due], room.place[due] = k, -1
        if shapes.lanes != 0 and radii[a, 0] > 0.0 and radii[b, 0] > 0.0:
            shift = image_shift(periods, shapes.kind[a], bodies.ahead, owner[a], owner[b])
            put_pair(room.batch, batched, shapes, a, b, shift, rows[k])
            room.place[due] = batched
            batched += 1
        due += 1
    if batched > 0:
        solve_batch(shapes.lanes, room.batch, batched, step.skin, TOL)
    for m in range(due):
        k = room.due[m]
        if room.place[m] >= 0 and take_contact(room.batch, room.place[m], rows[k]):
            room.place[m] = 1
            continue
        a, b = pairs[k, 0], pairs[k, 1]
        shift = image_shift(periods, shapes.kind[a], bodies.ahead, owner[a], owner[b])
        placed_b = element(shapes.poses, b * 12)
        if shift[0] != 0.0 or shift[1] != 0.0 or shift[2] != 0.0:
            for c in range(12):
                room.pose[0, c] = shapes.poses[b, c]
            set_place(room.pose, 0, add(place_of(shapes.poses, b), shift))
            placed_b = element(room.pose, 0)
        placed = element(shapes.poses, a * 12), placed_b
        good = solve_placed(shapes, a, b, placed, step.skin, TOL, element(rows, k * ROW))
        room.place[m] = 1 if good else 0
        failed += 0 if good else 1
    lists.counts[block, FAILED] = failed
    return due


@uncounted
def evaluate_block(step, bodies, world, lists, block, room):
    """Solve the contacts of a block and write their forces to their records."""
    contacts, kind, owner = lists.contacts, world.shapes.kind, world.owner
    pairs, rows, memory, records = contacts
    motion = Kinematics(bodies.ahead, bodies.spins, bodies.turns)
    notes = Notes(lists.extremes[block], lists.faults[block])
    notes.extremes[:], notes.fault[KIND] = 0.0, 0.0
    first, h, touching, ended = block * BLOCK, step.h, 0, 0
    due = _solve_due(step, bodies, world, lists, block, room)
    for m in range(due):
        k = room.due[m]
        distance, own = rows[k, DISTANCE], memory[k]
        if not distance < 0.0:
            if own[TOUCHING] != 0.0:
                own[TOUCHING], own[LOST] = 0.0, own[ABSORBED]
                lists.ended[first + ended] = k
                ended += 1
            a, b = pairs[k, 0], pairs[k, 1]
            proved = distance > step.skin or not (kind[a] == HOLLOW or kind[a] == ROUND)
            if room.place[m] == 1 and proved and not (bodies.moved[owner[a]] or bodies.moved[owner[b]]):
                limit = other_images(world.periods, bodies.reach[owner[a]] + bodies.reach[owner[b]])
                lists.slack[k, 0] = SAFE_SHARE * min(distance, limit)
            continue
        if own[TOUCHING] == 0.0:
            begin(motion, world, pairs[k], rows[k], own, step.now)
        stretch = contact_force(motion, world, contacts, k, room.jets, h, notes)
        if h > 0.0:
            write_stretch(own, stretch)
        own[IMPULSE] += h * records[k, NORMAL_FORCE]
        # The initial energy counts as absorbed.
        own[ABSORBED] += h * records[k, POWER] if h > 0.0 else records[k, ELASTIC]
        own[PEAK] = max(own[PEAK], records[k, ELASTIC])
        lists.touching[first + touching] = k
        touching += 1
    lists.counts[block, TOUCHING_NOW], lists.counts[block, ENDED] = touching, ended


@uncounted
def add_contacts(step, bodies, world, lists, tally):
    """Add the forces of all contacts to the bodies, in the order of the list; log those that ended; join the notes."""
    pairs, _, memory, records = lists.contacts
    forces, ahead, owner, numbers, energy = bodies.forces, bodies.ahead, world.owner, tally.numbers, 0.0
    numbers[TOUCHED] = 0
    for block in range((step.listed + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        for m in range(first, first + lists.counts[block, TOUCHING_NOW]):
            k = lists.touching[m]
            a, b = pairs[k, 0], pairs[k, 1]
            shift = image_shift(world.periods, world.shapes.kind[a], ahead, owner[a], owner[b])
            push_both(ahead, owner, pairs[k], records[k], forces, shift)
            energy += records[k, ELASTIC]
        for m in range(first, first + lists.counts[block, ENDED]):
            k = lists.ended[m]
            write_row(pairs[k], memory[k], step.now, tally.log[numbers[LOGGED]])
            numbers[LOGGED] += 1
        numbers[FAILURES] += lists.counts[block, FAILED]
        numbers[TOUCHED] += lists.counts[block, TOUCHING_NOW]
        _join(lists.extremes, lists.faults, block, world.extremes, world.fault)
    tally.totals[CONTACTS] = energy


@uncounted
def _join(extremes, faults, block, joined, fault):
    """Join the notes of a block with those of the world: larger values, the last fault."""
    for k in range(0, EXTREMES, 3):
        if extremes[block, k] > joined[k]:
            for c in range(k, k + 3):
                joined[c] = extremes[block, c]
    if faults[block, KIND] != 0.0:
        for c in range(FAULT):
            fault[c] = faults[block, c]


@uncounted
def settle_block(step, bodies, world, lists, block):
    """Correct the energy absorbed by the contacts of a block: velocities after the step replace the predicted ones.

    A force acts in the kicks before and after its instant, so its work involves the velocity between them.
    """
    pairs, _, memory, records = lists.contacts
    predicted = Kinematics(bodies.ahead, bodies.spins, bodies.turns)
    after = Kinematics(bodies.y, bodies.spins_after, bodies.turns)
    for m in range(block * BLOCK, block * BLOCK + lists.counts[block, TOUCHING_NOW]):
        k = lists.touching[m]
        own, record = memory[k], records[k]
        i, j = world.owner[pairs[k, 0]], world.owner[pairs[k, 1]]
        x = force_point(record)
        change = sub(velocity_at(after, i, x), velocity_at(predicted, i, x))
        x = sub(x, image_shift(world.periods, world.shapes.kind[pairs[k, 0]], bodies.y, i, j))
        change = sub(change, sub(velocity_at(after, j, x), velocity_at(predicted, j, x)))
        own[ABSORBED] += step.h * dot(force_on_b(record), change)
        own[LOST] = own[ABSORBED] - record[ELASTIC]
