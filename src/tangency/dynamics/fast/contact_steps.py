"""The contacts of a step: pairs that may touch are solved block by block.

Blocks are independent of each other, and nothing depends on which thread evaluates them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.atomic import fetch_add
from ...compiled.jit import element, inlined, jit, uncounted_inside
from ...kernels.jet import JET
from ...kernels.poses import place_of
from ...kernels.rotations import set_place
from ...kernels.support_set import PROBES
from ...kernels.vectors import add, dot, norm, scale, sub
from ..contact.columns import (
    ABSORBED,
    DISTANCE,
    ELASTIC,
    LOST,
    ROW,
    TOUCHING,
    force_on_b,
    force_point,
    normal,
    write_guess,
)
from ..contact.law_faults import FAULT, KIND, SHAPES
from ..contact.solve import solve_placed
from ..extremes_kernel import EXTREMES
from ..images_kernel import image_shift, other_images, shift_between
from ..impacts import write_row
from ..loads_kernel import NO_TORQUE, Notes, begin
from ..tables import ALONE, ELLIPSOIDS, HOLLOW, POWER_PLANES, ROUND
from ..wrenches import write_wrench
from .block_forces import Desk, force_contacts, new_desk
from .body_steps import centre_before, change_at
from .fetch_soon import fetch_bodies, fetch_contact, fetch_pushes, upcoming_pairs
from .lane_batch import Batch, batch_of, new_batch, put_pair, solve_batch, take_contact
from .tables import BLOCK, CONTACTS, ENDED, FAILED, FAILURES, LOGGED, TOUCHED, TOUCHING_NOW, motion_ahead

TOL = 1e-10  # of the contact solver
UNKNOWN, GOOD, BAD = range(3)  # a pair that is not solved yet, that is solved, that the solver could not solve
SAFE_SHARE = 1.0 - 1e-6  # factor on a proved distance, for rounding


@jit
def blocks_of(count):
    """Number of blocks of a list of pairs."""
    return (count + BLOCK - 1) // BLOCK


class Step(NamedTuple):
    """One step, for the contacts at its end."""

    h: float  #: its length [s]
    now: float  #: time at its end [s]
    skin: float  #: distance up to which contacts are solved [m]
    listed: int  #: pairs in the list
    unsettled: float  #: length of the step before if the energies of its contacts are not settled yet, else -1


class Room(NamedTuple):
    """Space for the evaluation of one block."""

    due: np.ndarray  #: (BLOCK,) pairs that may touch
    kind: np.ndarray  #: (BLOCK,) their kinds of batches
    found: np.ndarray  #: (BLOCK,) UNKNOWN, GOOD or BAD
    rows: np.ndarray  #: (BLOCK, ROW) their contacts
    member: np.ndarray  #: (BLOCK,) which of them are in the batch
    pose: np.ndarray  #: (1, 12) of an image
    batch: Batch
    desk: Desk


def new_room() -> Room:
    """Space for one block."""
    due, kind, found, member = (np.empty(BLOCK, np.int64) for _ in range(4))
    rows, pose = np.zeros((BLOCK, ROW)), np.empty((1, 12))
    return Room(due, kind, found, rows, member, pose, new_batch(BLOCK), new_desk(PROBES * JET))


@jit
def named_room(room):
    """The :class:`Room` from the result of `plain`."""
    return Room(*room[:-2], Batch(*room[-2]), Desk(*room[-1]))  # type: ignore[call-arg]


@uncounted_inside
def _find_due(step, bodies, world, lists, block, room):
    """Write the pairs of a block that may touch to `room`; return their number, and a bit for each kind of batch.

    Pairs that are a proved distance apart are skipped until both bodies together may have travelled that far.
    """
    pairs, slack, moves, owner, sort = lists.pairs, lists.slack, bodies.moves, world.owner, world.shapes.sort
    due, kinds = 0, 0
    for k in range(block * BLOCK, min((block + 1) * BLOCK, step.listed)):
        left = slack[k] - (moves[owner[pairs[k, 0]]] + moves[owner[pairs[k, 1]]])
        slack[k], room.due[due] = left, k
        due += 0 if left > 0.0 else 1  # without a branch, which could not be predicted
    for m in range(due):
        k = room.due[m]
        kind = batch_of(sort[pairs[k, 0]], sort[pairs[k, 1]])
        if kind != ALONE and world.shapes.lanes[kind - 1] == 0:
            kind = ALONE
        if lists.contact_of[k] < 0:  # others were asked for with the block before
            fetch_bodies(bodies, world, lists, k)
            fetch_contact(lists, k)
        room.kind[m], room.found[m] = kind, UNKNOWN
        kinds |= 1 << kind
    return due, kinds


@inlined
def _recall(lists, k, row):
    """Write the last contact of pair k to `row`, or the normal found then if it did not touch."""
    c = lists.contact_of[k]
    if c >= 0 and lists.contacts.memory[c, TOUCHING] != 0.0:
        for e in range(ROW):
            row[e] = lists.contacts.rows[c, e]
    else:
        n = np.float64(lists.guesses[k, 0]), np.float64(lists.guesses[k, 1]), np.float64(lists.guesses[k, 2])
        size = norm(n)
        write_guess(row, scale(n, 1.0 / size) if size > 0.0 else n)  # solvers take it for a unit vector


@uncounted_inside
def _solve_kind(step, bodies, world, lists, kind, due, room):
    """Solve the pairs in `room` of one kind of batch."""
    pairs, rows, shapes, owner, count = lists.pairs, room.rows, world.shapes, world.owner, 0
    for m in range(due):
        if room.kind[m] == kind:
            k = room.due[m]
            a, b = pairs[k, 0], pairs[k, 1]
            shift = image_shift(world.periods, shapes.kind[a], bodies.ahead, owner[a], owner[b])
            put_pair(room.batch, count, shapes, a, b, shift, rows[m])
            fetch_pushes(lists, k)
            room.member[count] = m
            count += 1
    solve_batch(shapes, kind, room.batch, count, step.skin, TOL)
    for q in range(count):
        m = room.member[q]
        if take_contact(room.batch, count, q, rows[m]):
            room.found[m] = GOOD


@uncounted_inside
def _solve_alone(step, bodies, world, lists, m, room):
    """Solve one pair in `room` with the robust solver; False if it did not converge."""
    pairs, shapes, owner, k = lists.pairs, world.shapes, world.owner, room.due[m]
    a, b = pairs[k, 0], pairs[k, 1]
    shift = image_shift(world.periods, shapes.kind[a], bodies.ahead, owner[a], owner[b])
    placed_b = element(shapes.poses, b * 12)
    if shift[0] != 0.0 or shift[1] != 0.0 or shift[2] != 0.0:
        for c in range(12):
            room.pose[0, c] = shapes.poses[b, c]
        set_place(room.pose, 0, add(place_of(shapes.poses, b), shift))
        placed_b = element(room.pose, 0)
    placed = element(shapes.poses, a * 12), placed_b
    return solve_placed(shapes, a, b, placed, step.skin, TOL, element(room.rows, m * ROW), False)


@uncounted_inside
def _solve_due(step, bodies, world, lists, due, kinds, room):
    """Solve the pairs in `room`; return how many did not converge."""
    for kind in range(ELLIPSOIDS, POWER_PLANES + 1):
        if kinds & (1 << kind):
            _solve_kind(step, bodies, world, lists, kind, due, room)
    failed = 0
    for m in range(due):
        if room.found[m] == UNKNOWN:
            room.found[m] = GOOD if _solve_alone(step, bodies, world, lists, m, room) else BAD
            failed += room.found[m] == BAD
    return failed


@inlined
def _part(step, bodies, world, lists, k, row, good):
    """Note that pair k, whose contact `row` was solved if `good`, does not touch; returns whether it did before.

    Bodies that are proved apart need not be solved until they have travelled as far.
    """
    pairs, kind, owner, distance = lists.pairs, world.shapes.kind, world.owner, row[DISTANCE]
    a, b, c, n = pairs[k, 0], pairs[k, 1], lists.contact_of[k], normal(row)
    for e in range(3):
        lists.guesses[k, e] = n[e]
    proved = distance > step.skin or not (kind[a] == HOLLOW or kind[a] == ROUND)
    if good and proved and not (bodies.moved[owner[a]] or bodies.moved[owner[b]]):
        limit = other_images(world.periods, bodies.reach[owner[a]] + bodies.reach[owner[b]])
        lists.slack[k] = SAFE_SHARE * min(distance, limit)
    ended = c >= 0 and lists.contacts.memory[c, TOUCHING] != 0.0
    if ended:
        own = lists.contacts.memory[c]
        own[TOUCHING], own[LOST] = 0.0, own[ABSORBED]
    return ended


@inlined
def _touch(step, motion, world, lists, k, row):
    """Note that pair k touches, with the contact `row`."""
    contacts = lists.contacts
    c = lists.contact_of[k]
    if c < 0:
        c = fetch_add(lists.used, 0, 1)
        lists.contact_of[k] = c
        contacts.pairs[c, 0], contacts.pairs[c, 1] = lists.pairs[k, 0], lists.pairs[k, 1]
        contacts.memory[c, :], contacts.records[c, :] = 0.0, 0.0
    for e in range(ROW):
        contacts.rows[c, e] = row[e]
    if contacts.memory[c, TOUCHING] == 0.0:
        begin(motion, world, contacts.pairs[c], row, contacts.memory[c], step.now)


@uncounted_inside
def evaluate_block(step, bodies, world, lists, block, room):
    """Solve the contacts of a block, write their forces to their records, and add them up."""
    motion = motion_ahead(bodies)
    notes = Notes(lists.extremes[block], lists.faults[block])
    notes.extremes[:], notes.fault[KIND] = 0.0, 0.0
    first, touching, ended = block * BLOCK, 0, 0
    due, kinds = _find_due(step, bodies, world, lists, block, room)
    if step.unsettled >= 0.0:
        settle_block(step.unsettled, bodies, world, lists, block)
    for m in range(due):
        _recall(lists, room.due[m], room.rows[m])
    lists.counts[block, FAILED] = _solve_due(step, bodies, world, lists, due, kinds, room)
    for m in range(due):
        k = room.due[m]
        for side in range(2):  # pairs that are not due have not pushed either
            write_wrench(lists.pushes, lists.places[k, side], NO_TORQUE, NO_TORQUE)
        if room.rows[m, DISTANCE] < 0.0:
            _touch(step, motion, world, lists, k, room.rows[m])
            lists.touching[first + touching] = k
            touching += 1
        elif _part(step, bodies, world, lists, k, room.rows[m], room.found[m] == GOOD):
            lists.ended[first + ended] = k
            ended += 1
    lists.counts[block, TOUCHING_NOW], lists.counts[block, ENDED] = touching, ended
    now = lists.touching[first : first + touching]
    soon = upcoming_pairs(lists, block + 1, step.listed)  # the same thread probably evaluates that block next
    lists.energies[block] = force_contacts(now, soon, step.h, bodies, world, lists, notes, room.desk)


@uncounted_inside
def join_blocks(step, world, lists, tally):
    """Add the energies of all contacts, log those that ended, and join the notes of all blocks."""
    pairs, memory, numbers, energy = lists.contacts.pairs, lists.contacts.memory, tally.numbers, 0.0
    labels = world.labels
    numbers[TOUCHED] = 0
    for block in range(blocks_of(step.listed)):
        first = block * BLOCK
        energy += lists.energies[block]
        for m in range(first, first + lists.counts[block, ENDED]):
            k = lists.contact_of[lists.ended[m]]
            named = labels[pairs[k, 0]], labels[pairs[k, 1]]
            write_row(named, memory[k], step.now, tally.log[numbers[LOGGED]])
            numbers[LOGGED] += 1
        numbers[FAILURES] += lists.counts[block, FAILED]
        numbers[TOUCHED] += lists.counts[block, TOUCHING_NOW]
        _join(lists.extremes[block], lists.faults[block], labels, world.extremes, world.fault)
    tally.totals[CONTACTS] = energy


@uncounted_inside
def _join(extremes, own_fault, labels, joined, fault):
    """Join the notes of a block with those of the world: larger values, the last fault."""
    for k in range(0, EXTREMES, 3):
        if extremes[k] > joined[k]:
            joined[k] = extremes[k]
            for c in range(k + 1, k + 3):
                joined[c] = labels[int(extremes[c])]
    if own_fault[KIND] != 0.0:
        for c in range(FAULT):
            fault[c] = own_fault[c]
        for c in range(SHAPES, SHAPES + 2):
            fault[c] = labels[int(own_fault[c])]


@uncounted_inside
def settle_block(h, bodies, world, lists, block):
    """Correct the energy absorbed by the contacts of a block: velocities after the step replace the predicted ones.

    A force acts in the kicks before and after its instant, so its work involves the velocity between them.  This is
    done along with the next step, while the data of the block are in the cache anyway.
    """
    pairs, _, memory, records = lists.contacts
    ahead = bodies.ahead
    for m in range(block * BLOCK, block * BLOCK + lists.counts[block, TOUCHING_NOW]):
        k = lists.contact_of[lists.touching[m]]
        own, record = memory[k], records[k]
        i, j = world.owner[pairs[k, 0]], world.owner[pairs[k, 1]]
        x = force_point(record)
        change = change_at(ahead, i, x)
        x_a, x_b = centre_before(ahead, i), centre_before(ahead, j)
        x = sub(x, shift_between(world.periods, world.shapes.kind[pairs[k, 0]], x_a, x_b))
        change = sub(change, change_at(ahead, j, x))
        own[ABSORBED] += h * dot(force_on_b(record), change)
        own[LOST] = own[ABSORBED] - record[ELASTIC]
