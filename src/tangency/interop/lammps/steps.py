"""A step of one rank in compiled code, for bodies whose numbers also stand in the arrays of LAMMPS.

The only file here that knows how the fast mode is compiled; the parts of a step are those of the fast mode.
"""

from __future__ import annotations

import numpy as np

from ...compiled.jit import borrowed, entry
from ...dynamics.fast.body_lanes import ABSORBED, AFTER, ANGLE, FAR, GIVEN, MOVE, ROWS, V
from ...dynamics.fast.body_steps import Some, bound_some, finish_some, move_some
from ...dynamics.fast.contact_steps import Step, blocks_of, evaluate_block, named_room
from ...dynamics.fast.kernel import join, prepare
from ...dynamics.fast.neighbour_list import check_list, note_places
from ...dynamics.fast.tables import (
    COUNT,
    DONE,
    FARTHEST,
    HOLDS,
    OUTCOME,
    QUICKEST,
    SKIN,
    UNSETTLED,
    FastBodies,
    Schedule,
    Tally,
    named_lists,
)
from ...dynamics.state import INVERSE_MASS, STATE, frame_of, place, place_shape, write_frame
from ...dynamics.tables import named_world
from ...kernels.block import LANES, get3


@entry
def receive(rows, at, sent, bodies, world):
    """Write what LAMMPS sent about bodies to their rows; `at` are their indices there, `sent` as in `depart`."""
    places, velocities, spins, quaternions, moves = sent
    bodies, world = FastBodies(*borrowed(bodies)), named_world(borrowed(world))
    y = bodies.y
    for k in range(rows.shape[0]):
        i, j = rows[k], at[k]
        for c in range(3):
            y[i, c], y[i, 7 + c], y[i, 10 + c] = places[j, c], velocities[j, c], spins[j, c]
            bodies.spins[i, c] = spins[j, c]
            y[i, 3 + c] = quaternions[j, 1 + c]  # LAMMPS has the real part first
        y[i, 6] = quaternions[j, 0]
        for c in range(STATE):
            bodies.ahead[i, c] = y[i, c]
        for c in range(6):
            bodies.forces[i, c] = 0.0
        bodies.moves[i] = moves[j]
        write_frame(y, bodies.turns, i)
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world.local, world.shapes.poses, p, frame_of(bodies.turns, i), place(y, i))


@entry
def touch(schedule, bodies, world, lists, tally, room):
    """List of pairs, contacts, and their forces at the end of a step; returns an outcome.

    Unless it is DONE or LAW_FAULT, nothing was evaluated, and the call can be repeated.  The energies of contacts are
    not settled: that needs the velocities of bodies of other ranks after the step.
    """
    schedule, bodies = Schedule(*schedule), FastBodies(*borrowed(bodies))
    world, lists, room = named_world(borrowed(world)), named_lists(borrowed(lists)), named_room(borrowed(room))
    tally = Tally(*borrowed(tally))
    totals, numbers = tally.totals, tally.numbers
    numbers[OUTCOME], totals[UNSETTLED] = DONE, -1.0
    if lists.first_of[0] < 0:  # a list that came from other ranks, or from a file
        note_places(schedule.spatial, world, lists, numbers[COUNT])
    check_list(schedule, bodies, tally)
    prepare(schedule, bodies, world, lists, tally)
    if numbers[OUTCOME] == DONE:
        now = (schedule.before + 1) * schedule.h
        step = Step(schedule.h, now, totals[SKIN], numbers[COUNT], totals[UNSETTLED], 1)
        for block in range(blocks_of(step.listed)):
            evaluate_block(step, bodies, world, lists, block, room)
        join(step, bodies, world, lists, tally)
    return numbers[OUTCOME]


@entry
def finish(mine, given, h, step, bodies, world, lists, works):
    """Second half of a step, with the forces that LAMMPS adds; the works since the start are summed for each body.

    `mine` are rows, and their indices in the arrays of LAMMPS or -1; `given` are its forces and torques, and its
    velocities and angular velocities, where those after the step are written.  Returns the longest way of a body in the
    next step of the length `step`, about, and its row.
    """
    bodies, world, lists = FastBodies(*borrowed(bodies)), named_world(borrowed(world)), named_lists(borrowed(lists))
    (rows, at), (forces, torques, velocities, spins), s = mine, given, np.ones(ROWS * LANES)
    longest, which = 0.0, 0
    for first in range(0, rows.shape[0], LANES):
        count = min(LANES, rows.shape[0] - first)
        for k in range(first, first + count):
            if at[k] >= 0:
                for c in range(3):
                    bodies.extra[rows[k], c], bodies.extra[rows[k], 3 + c] = forces[at[k], c], torques[at[k], c]
        finish_some(s, Some(rows, first, count), bodies, world, lists, h, step)
        for l in range(count):
            i, j, v, w = rows[first + l], at[first + l], get3(s, V, l), get3(s, AFTER, l)
            works[i, 0] += s[ABSORBED * LANES + l]
            works[i, 1] += s[GIVEN * LANES + l]
            way = 0.0
            for c in range(3):
                if j >= 0:
                    velocities[j, c], spins[j, c] = v[c], w[c]
                way += step * (abs(v[c]) + step * world.inertia[i, INVERSE_MASS] * abs(bodies.forces[i, c]))
            if not way <= longest:
                longest, which = way if way < np.inf else np.inf, i
    return longest, which


@entry
def depart(mine, h, bodies, world, offsets, x, sent, works):
    """First half of the next step; what other ranks need is written to the arrays of LAMMPS.

    `mine` and `works` as in `finish`; `offsets` are the periods by which LAMMPS has moved each body back into the box,
    `sent` are places, velocities and angular velocities at the end of the step, quaternions and bounds on the way.
    Whether the list of pairs still holds is noted in the only flock.
    """
    bodies, world = FastBodies(*borrowed(bodies)), named_world(borrowed(world))
    places, velocities, spins, quaternions, moves = sent
    (rows, at), s = mine, np.ones(ROWS * LANES)
    y, longest, angle, holds = bodies.y, 0.0, 0.0, True
    for first in range(0, rows.shape[0], LANES):
        count = min(LANES, rows.shape[0] - first)
        bound_some(s, Some(rows, first, count), bodies, world.inertia, h)
        for l in range(count):
            i, move = rows[first + l], s[MOVE * LANES + l]
            angle = max(angle, s[ANGLE * LANES + l])
            if not move <= longest:
                longest = move if move < np.inf else np.inf
            holds = holds and s[FAR * LANES + l] + move <= bodies.pads[i]
        move_some(s, Some(rows, first, count), bodies, world, h)
        for k in range(first, first + count):
            i, j, l = rows[k], at[k], k - first
            works[i, 0] += s[ABSORBED * LANES + l]
            works[i, 1] += s[GIVEN * LANES + l]
            if j < 0:
                continue
            for c in range(3):
                places[j, c], x[j, c] = y[i, c], y[i, c] - offsets[k, c]
                velocities[j, c], spins[j, c] = bodies.ahead[i, 7 + c], bodies.spins[i, c]
                quaternions[j, 1 + c] = y[i, 3 + c]
            quaternions[j, 0] = y[i, 6]
            moves[j] = bodies.moves[i]
    own = bodies.flocks[0]
    own[FARTHEST], own[QUICKEST], own[HOLDS] = longest, angle, 1.0 if holds else 0.0
