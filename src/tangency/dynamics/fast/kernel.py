"""Fixed steps for many bodies in compiled code: kick, drift, kick, including contact detection.

Velocities take half a step with the old forces, bodies drift (orientations by the symplectic splitting of
`kernels/quaternions`), forces are evaluated at the new positions, and velocities take the other half.  Forces
that depend on velocities use those predicted for the end of the step, which preserves second order.

A step consists of phases.  In some of them each flock of bodies, or each block of pairs, is treated on its own: these
are shared by the threads of a team.  In the others the first thread joins everything in a fixed order.  The result
therefore does not depend on the number of threads.
"""

from __future__ import annotations

from ...compiled.jit import borrowed, entry, inlined, jit
from ...compiled.team import Team, meet, next_item
from ..contact.law_faults import KIND
from ..spring import pull
from ..state import Kinematics
from ..tables import named_world
from .body_steps import finish_bodies, flocks_of, move_bodies, start_bodies
from .contact_steps import Step, blocks_of, evaluate_block, join_blocks, named_room, settle_block
from .neighbour_list import check_list, note_sides, renew_list
from .tables import (
    ABSORBED_AFTER,
    ABSORBED_BEFORE,
    AGE,
    CONTACTS,
    COUNT,
    DONE,
    LAW_FAULT,
    LOG_FULL,
    LOGGED,
    OUTCOME,
    OUTER,
    OUTER_AFTER,
    OUTER_BEFORE,
    SKIN,
    SPRINGS,
    STALE,
    TOUCHED,
    UNSETTLED,
    WORK,
    FastBodies,
    Schedule,
    Tally,
    named_lists,
)


@jit
def join(step, bodies, world, lists, tally):
    """Add the forces of springs, and join what was noted about the contacts."""
    motion = Kinematics(bodies.ahead, bodies.spins, bodies.turns)
    tally.totals[SPRINGS], _ = pull(motion, world.ends, world.springs, bodies.forces)
    join_blocks(step, world, lists, tally)
    tally.totals[UNSETTLED] = -1.0
    if world.fault[KIND] != 0.0:
        tally.numbers[OUTCOME] = LAW_FAULT


@jit
def _sum(flocks, totals):
    """Add the works of all bodies in a step to the totals."""
    absorbed, outer = 0.0, 0.0
    for k in range(flocks.shape[0]):
        absorbed += flocks[k, ABSORBED_BEFORE] + flocks[k, ABSORBED_AFTER]
        outer += flocks[k, OUTER_BEFORE] + flocks[k, OUTER_AFTER]
    totals[WORK] += absorbed
    totals[OUTER] += outer


@inlined
def _settle(team, bodies, world, lists, tally):
    """Settle the energies of the contacts of the last step; the threads meet before and after."""
    if tally.totals[UNSETTLED] >= 0.0:
        block = next_item(team)
        while block < blocks_of(tally.numbers[COUNT]):
            settle_block(tally.totals[UNSETTLED], bodies, world, lists, block)
            block = next_item(team)
        meet(team)
        if team.number == 0:
            tally.totals[UNSETTLED] = -1.0
        meet(team)


@inlined
def prepare(team, schedule, bodies, world, lists, tally):
    """Renew the list of pairs if bodies may leave it within the next step; the outcome is noted in `tally`."""
    numbers = tally.numbers
    if team.number == 0:
        check_list(schedule, bodies, tally)
    meet(team)
    if numbers[STALE] != 0 and numbers[OUTCOME] == DONE:
        meet(team)  # a thread that looked later would see what the first one changes below, and not come along
        _settle(team, bodies, world, lists, tally)
        if team.number == 0:
            renew_list(schedule, bodies, world, lists, tally)
        meet(team)
    if team.number == 0 and numbers[OUTCOME] == DONE:
        if numbers[LOGGED] + numbers[TOUCHED] > tally.log.shape[0]:
            numbers[OUTCOME] = LOG_FULL
        else:
            numbers[AGE] += 1
    meet(team)


@entry
def advance(team, schedule, bodies, world, lists, tally, room):
    """Take steps, from plain tuples; returns the number of steps done and an outcome.

    All threads of a team call this at the same time, each with a room of its own.  Rows of bodies that are not free do
    not change: a caller that moves them takes one step at a time.  Contacts of the bodies `moved` are evaluated in
    every step.  If there is no list of pairs yet, it is made before the steps, along with the initial forces.  Contacts
    that end are written to the log.
    """
    team, schedule, bodies = Team(*borrowed(team)), Schedule(*schedule), FastBodies(*borrowed(bodies))
    world, lists, room = named_world(borrowed(world)), named_lists(borrowed(lists)), named_room(borrowed(room))
    tally = Tally(*borrowed(tally))
    totals, numbers, first_thread = tally.totals, tally.numbers, team.number == 0
    flocks, done = flocks_of(bodies.y.shape[0]), 0
    first = -1 if numbers[COUNT] < 0 else 0
    if first_thread:
        numbers[OUTCOME], totals[UNSETTLED] = DONE, -1.0
        if first == 0 and lists.first_of[0] < 0:  # a list that was read from a file
            note_sides(world.owner, lists, numbers[COUNT])
    flock = next_item(team)
    while flock < flocks:
        start_bodies(bodies, world, 0.0 if first < 0 else schedule.h, flock)
        flock = next_item(team)
    meet(team)
    for step_number in range(first, schedule.steps):
        h, done = 0.0 if step_number < 0 else schedule.h, max(step_number, 0)
        prepare(team, schedule, bodies, world, lists, tally)
        if numbers[OUTCOME] != DONE:
            break
        flock = next_item(team)
        while flock < flocks:
            move_bodies(bodies, world, h, flock)
            flock = next_item(team)
        meet(team)
        now = (schedule.before + step_number + 1) * schedule.h
        step = Step(h, now, totals[SKIN], numbers[COUNT], totals[UNSETTLED])
        block = next_item(team)
        while block < blocks_of(step.listed):
            evaluate_block(step, bodies, world, lists, block, room)
            block = next_item(team)
        meet(team)
        if first_thread:
            join(step, bodies, world, lists, tally)
        meet(team)
        if numbers[OUTCOME] != DONE:
            break
        flock = next_item(team)
        while flock < flocks:
            finish_bodies(bodies, world, lists, h, schedule.h, flock)
            flock = next_item(team)
        meet(team)
        if first_thread:
            totals[UNSETTLED] = h
            _sum(bodies.flocks, totals)
            if step_number < 0:
                totals[WORK] = totals[CONTACTS] + totals[SPRINGS]
        done = step_number + 1
    meet(team)
    _settle(team, bodies, world, lists, tally)
    return max(done, 0), numbers[OUTCOME]
