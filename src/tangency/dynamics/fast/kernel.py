"""Fixed steps for many bodies in compiled code: kick, drift, kick, including contact detection.

Velocities take half a step with the old forces, bodies drift (orientations by the symplectic splitting of
`kernels/quaternions`), forces are evaluated at the new positions, and velocities take the other half.  Forces
that depend on velocities use those predicted for the end of the step, which preserves second order.

A step consists of phases.  In some of them each flock of bodies, or each block of pairs, is treated on its own: these
are shared by the threads of a team.  In the others its leader joins everything in a fixed order.  The result therefore
does not depend on the number of threads.

A flock finishes a step as soon as all blocks that push its bodies have been evaluated, and moves in the next one at
once (`flock_turns`).  Whether the list of pairs holds in that step is known by then, but it is renewed after the move.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from numba import types

from ...compiled.held import Holder, opened, store
from ...compiled.jit import borrowed, entry, inlined, jit, uncounted
from ...compiled.team import (
    NOTHING,
    QUIT,
    Team,
    item_done,
    kind_of_phase,
    next_item,
    open_phase,
    wait_a_little,
    wait_for_all,
)
from ..contact.law_faults import KIND
from ..spring import pull
from ..state import MASS
from ..tables import WorldTables, named_world, plain
from ..wrenches import weigh
from .body_steps import finish_bodies, flocks_of, move_bodies, start_bodies
from .contact_steps import Room, Step, blocks_of, evaluate_block, join_blocks, named_room, settle_block
from .flock_turns import expect_pushes, is_left, ready
from .neighbour_list import check_list, note_places, renew_list
from .tables import (
    ABSORBED_IN_STEP,
    AGE,
    CONTACTS,
    COUNT,
    DONE,
    LAW_FAULT,
    LENGTH,
    LOG_FULL,
    LOGGED,
    MOVED,
    NOW,
    ONWARD,
    OUTCOME,
    OUTER,
    OUTER_IN_STEP,
    SKIN,
    SPRINGS,
    STALE,
    TOUCHED,
    UNSETTLED,
    WORK,
    FastBodies,
    PairLists,
    Schedule,
    Tally,
    motion_ahead,
    named_lists,
)

# Phases that threads share.
START, SETTLE, MOVE, EVALUATE, FINISH = range(5)

# Types of a team and of a schedule.
_TEAM = types.Tuple((types.int64, types.int64[::1], types.int64, types.int64))
SCHEDULE = types.Tuple(
    (types.int64, types.float64, types.int64, types.float64, types.float64, types.boolean, types.boolean, types.boolean)
)


class Everything(NamedTuple):
    """All tables."""

    bodies: FastBodies
    world: WorldTables
    lists: PairLists
    tally: Tally
    room: Room


@inlined
def _every(held):
    """All tables, see ``compiled/held.py``."""
    bodies, world, lists, tally, room = opened(held)
    return Everything(FastBodies(*bodies), named_world(world), named_lists(lists), Tally(*tally), named_room(room))


@inlined
def _step_of(tally):
    """The step that is being taken."""
    totals = tally.totals
    return Step(totals[LENGTH], totals[NOW], totals[SKIN], tally.numbers[COUNT], totals[UNSETTLED])


@inlined
def _finish(s, bodies, world, lists, tally, next_h, flock):
    """Finish the step of a flock, and move it in the next one if that follows at once."""
    finish_bodies(s, bodies, world, lists, tally.totals[LENGTH], next_h, flock)
    if tally.numbers[ONWARD] != 0:
        move_bodies(s, bodies, world, next_h, flock)


@uncounted
def _work(team, phase, item, next_h, held):
    """Do one item of a phase."""
    bodies, world, lists, tally, room = _every(held)
    h, s = tally.totals[LENGTH], room.desk.lanes
    if phase == START:
        start_bodies(s, bodies, world, h, item)
    elif phase == SETTLE:
        settle_block(tally.totals[UNSETTLED], bodies, world, lists, item)
    elif phase == MOVE:
        move_bodies(s, bodies, world, h, item)
    elif phase == EVALUATE:
        evaluate_block(_step_of(tally), bodies, world, lists, item, room)
        for m in range(ready(lists, item, room.due)):
            _finish(s, bodies, world, lists, tally, next_h, room.due[m])
    elif phase == FINISH and is_left(lists, item):
        _finish(s, bodies, world, lists, tally, next_h, item)


@uncounted
def _share(team, phase, count, next_h, held):
    """Do all items of a phase, together with the helpers."""
    if team.size == 1:
        for item in range(count):
            _work(team, phase, item, next_h, held)
        return
    open_phase(team, phase, count)
    item = next_item(team)
    while item != NOTHING:
        _work(team, phase, item, next_h, held)
        item_done(team)
        item = next_item(team)
    wait_for_all(team)


@uncounted
def _help(team, next_h, held):
    """Do items of all phases, until the leader quits."""
    looks = 0
    while kind_of_phase(team) != QUIT:
        item = next_item(team)
        if item == NOTHING:
            looks = wait_a_little(team, looks)
        else:
            _work(team, kind_of_phase(team), item, next_h, held)
            item_done(team)
            looks = 0


@inlined
def pull_springs(bodies, world, tally):
    """Write the weights of the bodies and the forces of springs, if there are any."""
    if world.ends.shape[0] > 0:
        for i in range(bodies.y.shape[0]):
            weigh(bodies.forces, world.inertia[i, MASS], world.gravity, i)
        tally.totals[SPRINGS], _ = pull(motion_ahead(bodies), world.ends, world.springs, bodies.forces)


@inlined
def join(step, world, lists, tally):
    """Join what was noted about the contacts."""
    join_blocks(step, world, lists, tally)
    tally.totals[UNSETTLED] = -1.0
    if world.fault[KIND] != 0.0:
        tally.numbers[OUTCOME] = LAW_FAULT


@inlined
def _sum(flocks, totals):
    """Add the works of all bodies in a step to the totals."""
    absorbed, outer = 0.0, 0.0
    for k in range(flocks.shape[0]):
        absorbed += flocks[k, ABSORBED_IN_STEP]
        outer += flocks[k, OUTER_IN_STEP]
    totals[WORK] += absorbed
    totals[OUTER] += outer


@uncounted
def _settle(team, numbers, totals, held):
    """Settle the energies of the contacts of the last step."""
    if totals[UNSETTLED] >= 0.0:
        _share(team, SETTLE, blocks_of(numbers[COUNT]), 0.0, held)
        totals[UNSETTLED] = -1.0


@inlined
def prepare(schedule, bodies, world, lists, tally):
    """Renew the list of pairs if it is stale (see `check_list`); the outcome is noted in the tally.

    All contacts may end in a step: there must be room for them in the log.
    """
    numbers = tally.numbers
    if numbers[OUTCOME] == DONE and numbers[LOGGED] + numbers[TOUCHED] > tally.log.shape[0]:
        numbers[OUTCOME] = LOG_FULL
    if numbers[STALE] != 0 and numbers[OUTCOME] == DONE:
        renew_list(schedule, bodies, world, lists, tally)
    if numbers[OUTCOME] == DONE:
        numbers[AGE] += 1


@jit
def _lead(team, schedule, held):
    """Take the steps; return how many were done."""
    bodies, world, lists, tally, _ = _every(held)
    totals, numbers, flocks = tally.totals, tally.numbers, flocks_of(bodies.y.shape[0])
    first, done = -1 if numbers[COUNT] < 0 else 0, 0
    numbers[OUTCOME], totals[UNSETTLED], totals[LENGTH] = DONE, -1.0, 0.0 if first < 0 else schedule.h
    if first == 0 and lists.first_of[0] < 0:  # a list that was read from a file
        note_places(schedule.spatial, world, lists, numbers[COUNT])
    if numbers[MOVED] == 0:
        _share(team, START, flocks, schedule.h, held)
    for number in range(first, schedule.steps):
        h, done = 0.0 if number < 0 else schedule.h, max(number, 0)
        check_list(schedule, bodies, tally)
        if numbers[OUTCOME] != DONE:
            break
        totals[LENGTH], totals[NOW] = h, (schedule.before + number + 1) * schedule.h
        if numbers[MOVED] == 0:
            _share(team, MOVE, flocks, schedule.h, held)
            numbers[MOVED] = 1
        if numbers[STALE] != 0:
            _settle(team, numbers, totals, held)
        prepare(schedule, bodies, world, lists, tally)
        if numbers[OUTCOME] != DONE:
            break
        pull_springs(bodies, world, tally)
        expect_pushes(lists)
        numbers[ONWARD] = 1 if number + 1 < schedule.steps else 0
        _share(team, EVALUATE, blocks_of(numbers[COUNT]), schedule.h, held)
        _share(team, FINISH, flocks, schedule.h, held)
        numbers[MOVED] = numbers[ONWARD]
        join(_step_of(tally), world, lists, tally)
        if numbers[OUTCOME] != DONE:
            break
        totals[UNSETTLED] = h
        _sum(bodies.flocks, totals)
        if number < 0:
            totals[WORK] = totals[CONTACTS] + totals[SPRINGS]
        done = number + 1
    _settle(team, numbers, totals, held)
    open_phase(team, QUIT, 0)
    return done


@entry
def _store(tables, buffer):
    """Write tables, as plain tuples, to a buffer; returns the space needed."""
    return store(tables, buffer)


@entry
def _advance(team, schedule, held):
    """Take steps, or help with them."""
    team, schedule = Team(*borrowed(team)), Schedule(*schedule)
    if team.number > 0:
        _help(team, schedule.h, held)
        return 0, DONE
    done = _lead(team, schedule, held)
    return done, _every(held).tally.numbers[OUTCOME]


_holder = Holder(_store)


class HeldTables:
    """All tables of a thread, held for compiled code."""

    def __init__(self, bodies: FastBodies, world: tuple, lists: PairLists, tally: Tally, room: Room) -> None:
        """Of these, `world` is the result of `plain`."""
        self._tables = tuple(bodies), world, plain(lists), tuple(tally), plain(room)  # keeps the arrays alive
        self._buffer, self._function = _holder.hold(self._tables), _compiled()

    def advance(self, team: Team, schedule: Schedule) -> tuple[int, int]:
        """Take steps; returns the number of steps done and an outcome.

        All threads of a team call this at the same time.  Rows of bodies that are not free do not change: a caller that
        moves them takes one step at a time.  Contacts of the bodies `moved` are evaluated in every step.  If there is
        no list of pairs yet, it is made before the steps, along with the initial forces.  Contacts that end are
        written to the log.
        """
        return self._function(tuple(team), tuple(schedule), self._buffer)


@cache
def _compiled() -> Callable:
    """The compiled `_advance`, whose arguments are not checked."""
    signature = (_TEAM, SCHEDULE, _holder.kind)
    function: Any = _advance
    function.compile(signature)
    return function.overloads[signature].entry_point
