"""Fixed steps for many bodies in compiled code: kick, drift, kick, including contact detection.

Velocities take half a step with the old forces, bodies drift (orientations by the symplectic splitting of
`kernels/quaternions`), forces are evaluated at the new positions, and velocities take the other half.  Forces
that depend on velocities use those predicted for the end of the step, which preserves second order.

A step consists of phases.  In some of them each body, or each block of pairs, is treated on its own: these can be
shared by threads (``threaded_steps.py``).  In the others everything is joined in a fixed order.  The result therefore
does not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

from ...compiled.jit import borrowed, entry, jit
from ..contact.law_faults import KIND
from ..spring import pull
from ..state import Kinematics, place_shapes, write_frame
from ..tables import named_world
from .body_steps import bound_moves, finish_bodies, move_bodies
from .contact_steps import Step, add_contacts, evaluate_block, named_room, settle_block
from .neighbour_list import prepare_list
from .tables import (
    ABSORBED_AFTER,
    ABSORBED_BEFORE,
    BLOCK,
    CONTACTS,
    COUNT,
    DONE,
    LAW_FAULT,
    OUTER,
    OUTER_AFTER,
    OUTER_BEFORE,
    SKIN,
    SPRINGS,
    WORK,
    FastBodies,
    Schedule,
    Tally,
    named_lists,
)

# Phases of a step, in this order, after `START`; `RUN` stands for all of them, for a number of steps.
RUN, START, BOUND, PREPARE, MOVE, EVALUATE, ADD, FINISH, SETTLE, SUM = range(10)


class Task(NamedTuple):
    """What a call does: a phase, and for which bodies or blocks of pairs."""

    phase: int
    start: int
    stop: int


@jit
def blocks_of(count):
    """Number of blocks of a list of pairs."""
    return (count + BLOCK - 1) // BLOCK


@jit
def _start(bodies, world):
    """Update what follows from the state, which may have been changed or read from a file."""
    for i in range(bodies.y.shape[0]):
        write_frame(bodies.y, bodies.turns, i)
    place_shapes(bodies.y, world)


@jit
def _add(step, bodies, world, lists, tally):
    """Add the forces of springs and contacts; return an outcome."""
    motion = Kinematics(bodies.ahead, bodies.spins, bodies.turns)
    tally.totals[SPRINGS], _ = pull(motion, world.ends, world.springs, bodies.forces)
    add_contacts(step, bodies, world, lists, tally)
    return LAW_FAULT if world.fault[KIND] != 0.0 else DONE


@jit
def _sum(works, totals):
    """Add the works of all bodies in a step to the totals."""
    before, after, outer_before, outer_after = 0.0, 0.0, 0.0, 0.0
    for i in range(works.shape[0]):
        before += works[i, ABSORBED_BEFORE]
        after += works[i, ABSORBED_AFTER]
        outer_before += works[i, OUTER_BEFORE]
        outer_after += works[i, OUTER_AFTER]
    totals[WORK] += before + after
    totals[OUTER] += outer_before + outer_after


@entry
def advance(task, schedule, bodies, world, lists, tally, room):
    """Take steps, or a phase of one, from plain tuples; returns the number of steps done and an outcome.

    Rows of bodies that are not free do not change: a caller that moves them takes one step at a time.  Contacts of the
    bodies `moved` are evaluated in every step.  If there is no list of pairs yet, it is made before the steps, along
    with the initial forces.  Contacts that end are written to the log.  Each thread needs a room of its own.
    """
    task, schedule, bodies, tally = (
        Task(*task),
        Schedule(*schedule),
        FastBodies(*borrowed(bodies)),
        Tally(*borrowed(tally)),
    )
    world, lists, room = named_world(borrowed(world)), named_lists(borrowed(lists)), named_room(borrowed(room))
    totals, numbers = tally.totals, tally.numbers
    everything, outcome = task.phase == RUN, DONE
    first_body, last_body, first_block, last_block = task.start, task.stop, task.start, task.stop
    first, steps = 0, 1
    if everything or task.phase == START:
        _start(bodies, world)
    if everything:
        first_body, last_body, first_block, steps = 0, bodies.y.shape[0], 0, schedule.steps
        if numbers[COUNT] < 0:
            first = -1
    for done in range(first, steps):
        h = 0.0 if done < 0 else schedule.h
        if everything or task.phase == BOUND:
            bound_moves(bodies, world.inertia, h, first_body, last_body)
        if everything or task.phase == PREPARE:
            outcome = prepare_list(schedule, bodies, world, lists, tally)
            if outcome != DONE:
                return max(done, 0), outcome
        if everything or task.phase == MOVE:
            move_bodies(bodies, world, h, first_body, last_body)
        step = Step(h, (schedule.before + done + 1) * schedule.h, totals[SKIN], numbers[COUNT])
        if everything:
            last_block = blocks_of(step.listed)
        if everything or task.phase == EVALUATE:
            for block in range(first_block, last_block):
                evaluate_block(step, bodies, world, lists, block, room)
        if everything or task.phase == ADD:
            outcome = _add(step, bodies, world, lists, tally)
            if outcome != DONE:
                return max(done, 0), outcome
        if everything or task.phase == FINISH:
            finish_bodies(bodies, world, h, first_body, last_body)
        if everything or task.phase == SETTLE:
            for block in range(first_block, last_block):
                settle_block(step, bodies, world, lists, block)
        if everything or task.phase == SUM:
            _sum(bodies.works, totals)
            if done < 0:
                totals[WORK] = totals[CONTACTS] + totals[SPRINGS]
    return steps, outcome
