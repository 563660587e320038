"""Data that the loop of the fast mode keeps between calls: bodies, list of pairs, schedule, totals."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.cache_lines import LINE, aligned
from ...compiled.jit import jit
from ..contact.columns import MEMORY, RECORD, ROW, TOUCHING, normals, write_normals
from ..contact.law_faults import FAULT
from ..extremes_kernel import EXTREMES
from ..state import Kinematics
from ..tables import ContactTables

# Totals over all steps: work absorbed by contacts and springs and external work [J], elastic energies of contacts and
# springs, largest displacement and largest rotation of a body in one step, skin of the next list of pairs [m], length
# of the last step if the energies of its contacts are not settled yet, else -1; length of this step, time at its end.
WORK, OUTER, CONTACTS, SPRINGS, LONGEST, TURNED, SKIN, UNSETTLED, LENGTH, NOW = range(10)
WORKS = slice(WORK, OUTER + 1)
TOTALS = 10
# Numbers: pairs in the list (-1: no list yet), contacts that did not converge, rows of the impact log, steps since the
# list was made, lists made so far, contacts that touch, space needed for a new list; outcome so far, and whether a new
# list is due; whether the bodies have moved in the next step already, and whether they shall.
COUNT, FAILURES, LOGGED, AGE, RENEWALS, TOUCHED, NEEDED, OUTCOME, STALE, MOVED, ONWARD = range(11)
NUMBERS = 11
# Outcome of a call: all steps done, list of pairs full, a number not finite, impact log nearly full, a law that
# returned a number that is not finite, bodies that should have other numbers before a new list is made.
DONE, FULL, NOT_FINITE, LOG_FULL, LAW_FAULT, UNORDERED = range(6)
# Columns of a flock of bodies: largest displacement and rotation in the next step, and whether the list of pairs holds
# in it; works, absorbed and external, in the first half of the step, and in all of it.
FARTHEST, QUICKEST, HOLDS, ABSORBED_BEFORE, OUTER_BEFORE, ABSORBED_IN_STEP, OUTER_IN_STEP = range(7)
FLOCK = 7
# Columns of the counts of a block: touching contacts, contacts that ended, contacts that did not converge.
TOUCHING_NOW, ENDED, FAILED = range(3)

# Columns of what contacts need of a body, in three cache lines.  Those of the state come first, with the velocities
# predicted for the end of the step; then the angular velocity instead of the momentum; centre, and velocity and angular
# velocity after the step minus predicted ones, of the step before; inverse mass and largest inverse moment.
SPIN_AHEAD, CHANGE, LIGHT_AHEAD, SWING_AHEAD = 10, 13, 22, 23
AHEAD = 24

MARK = 7  # first columns of the state: place and quaternion
BLOCK = 512  # pairs that are evaluated together
BODIES = 256  # bodies of a flock, which are moved together
FINISHED = -1  # instead of the number of blocks that are to be evaluated


class Schedule(NamedTuple):
    """Number and length of the steps, and the limits of the skin."""

    steps: int
    h: float  #: [s]
    before: int  #: steps done before
    least_skin: float  #: [m]
    most_skin: float  #: the same if the skin is fixed
    restless: bool  #: whether the list is renewed in every step: distant points of a plane that turns move far
    spatial: bool = True  #: whether neighbours in space are near each other in the list, else shapes by number: ranks
    renumbers: bool = False  #: whether neighbours in space have numbers near each other


class FastBodies(NamedTuple):
    """Bodies, the forces on them, and what follows from both."""

    y: np.ndarray  #: (N, STATE)
    forces: np.ndarray  #: (N, WRENCH) of the last step
    extra: np.ndarray  #: (N, WRENCH) user-defined loads, (0, WRENCH) if there are none
    reach: np.ndarray  #: (N,) radii about the centres of mass
    moved: np.ndarray  #: (N,) whether there is no bound on the displacement of a body in a step
    first_shape: np.ndarray  #: (N + 1,) shapes of body i are first_shape[i] to first_shape[i + 1] - 1
    order: np.ndarray  #: (N,) the bodies in spatial order, if they should have other numbers
    ahead: np.ndarray  #: (N, AHEAD) what contacts need of a body, see `SPIN_AHEAD`
    moves: np.ndarray  #: (N,) upper bound on the displacement of any point in the step
    marks: np.ndarray  #: (N, MARK) places and quaternions when the list of pairs was made
    pads: np.ndarray  #: (N,) the list is complete as long as no point of a body has moved farther since then
    flocks: np.ndarray  #: (F, FLOCK)


@jit
def motion_ahead(bodies):
    """The motion for which contacts are evaluated: places, and the velocities predicted for the end of the step."""
    return Kinematics(bodies.ahead, bodies.ahead[:, SPIN_AHEAD:CHANGE])


class PairLists(NamedTuple):
    """Pairs of shapes that may touch soon, and the contacts of those that touch or have touched since they came close.

    Most pairs do not touch: they have a few numbers only.  A pair that touches for the first time gets the next row of
    the tables of contacts, so the contacts of a step are close together in memory.  Which row that is affects nothing
    else.  Blocks of pairs have one row each.
    """

    contacts: ContactTables  #: (M, ...) of which the first ``used[0]`` rows are in use
    used: np.ndarray  #: (1,)
    pairs: np.ndarray  #: (M, 2) numbers of the shapes A and B
    slack: np.ndarray  #: (M,) distance that both bodies together can still travel before they may touch
    guesses: np.ndarray  #: (M, 3) normal when the pair was solved last, for pairs that do not touch; zeros at first
    contact_of: np.ndarray  #: (M,) row of the pair in `contacts`, or -1
    spare_pairs: np.ndarray  #: space for the next list
    touching: np.ndarray  #: (M,) pairs that touch; those of block b from index b BLOCK on
    ended: np.ndarray  #: (M,) pairs that no longer touch, likewise
    first_pair: np.ndarray  #: (N + 1,) body i has the pairs pairs_of[first_pair[i] : first_pair[i + 1]]
    pairs_of: np.ndarray  #: (2 M,)
    first_of: np.ndarray  #: (N + 1,) body i has the places first_of[i] to first_of[i + 1] - 1; -1: not known yet
    places: np.ndarray  #: (M, 2) the places of each pair, of A and of B
    pushes: np.ndarray  #: (2 M, LINE) sum of the forces and torques on the body at each place, as in `wrenches`
    pushed_first: np.ndarray  #: (B + 1,) block b pushes the flocks in pushed[pushed_first[b]:pushed_first[b + 1]]
    pushed: np.ndarray  #: (2 M,)
    pushers: np.ndarray  #: (F,) number of blocks that push a flock
    pending: np.ndarray  #: (F,) those of them that are still to be evaluated in this step, or FINISHED
    counts: np.ndarray  #: (B, 3)
    energies: np.ndarray  #: (B,) elastic energies of the contacts
    extremes: np.ndarray  #: (B, EXTREMES)
    faults: np.ndarray  #: (B, FAULT)


class Tally(NamedTuple):
    """Sums and counts of the run."""

    totals: np.ndarray  #: (TOTALS,)
    numbers: np.ndarray  #: (NUMBERS,) whole numbers
    log: np.ndarray  #: (L, LOG) rows of the impact log


def _of_bodies(bodies: int) -> dict[str, Any]:
    """The lists whose size depends on the number of bodies."""
    flocks = (bodies + BODIES - 1) // BODIES
    sizes = {"first_pair": bodies + 1, "first_of": bodies + 1, "pushers": flocks, "pending": flocks}
    return {name: np.full(size, -1, np.int64) for name, size in sizes.items()}


def pair_lists(room: int, bodies: int) -> PairLists:
    """Empty lists with space for `room` pairs of so many bodies."""
    blocks = room // BLOCK + 1
    # Memory of zeros is not taken from the system before it is used.
    contacts = np.zeros((room, 2), np.int64), aligned((room, ROW)), aligned((room, MEMORY)), aligned((room, RECORD))
    return PairLists(
        ContactTables(*contacts),
        used=np.zeros(1, np.int64),
        pairs=np.zeros((room, 2), np.int64),
        slack=np.zeros(room),
        guesses=np.zeros((room, 3), np.float32),
        contact_of=np.full(room, -1, np.int32),
        spare_pairs=np.zeros((room, 2), np.int64),
        touching=np.zeros(room, np.int32),
        ended=np.zeros(room, np.int32),
        pairs_of=np.zeros(2 * room, np.int32),
        places=np.zeros((room, 2), np.int32),
        pushes=aligned((2 * room, LINE)),
        pushed_first=np.zeros(blocks + 1, np.int64),
        pushed=np.zeros(2 * room, np.int32),
        counts=np.zeros((blocks, 3), np.int64),
        energies=np.zeros(blocks),
        extremes=np.zeros((blocks, EXTREMES)),
        faults=np.zeros((blocks, FAULT)),
        **_of_bodies(bodies),
    )


def grown(lists: PairLists, room: int, count: int) -> PairLists:
    """The same lists, with `count` pairs, and space for `room`."""
    new, used = pair_lists(max(room, math.ceil(1.5 * len(lists.pairs))), len(lists.first_of) - 1), int(lists.used[0])
    new.used[0] = used
    for before, after in zip(lists.contacts, new.contacts):
        after[:used] = before[:used]
    for name in ("pairs", "slack", "guesses", "contact_of"):
        getattr(new, name)[:count] = getattr(lists, name)[:count]
    return new


def known_pairs(lists: PairLists, which: np.ndarray) -> ContactTables:
    """Everything about the pairs with these numbers in the list, but for their slack: one row each.

    Of pairs that do not touch, a row holds the guess for the normal only.
    """
    contacts, at = lists.contacts, lists.contact_of[which]
    rows, memory, records = (np.zeros((len(which), width)) for width in (ROW, MEMORY, RECORD))
    met = at >= 0
    memory[met], records[met] = contacts.memory[at[met]], contacts.records[at[met]]
    touching = memory[:, TOUCHING] != 0.0
    rows[touching] = contacts.rows[at[touching]]
    write_normals(rows, ~touching, lists.guesses[which][~touching])
    return ContactTables(lists.pairs[which], rows, memory, records)


def write_pairs(lists: PairLists, known: ContactTables, slack: np.ndarray) -> None:
    """Fill empty lists with pairs of which there is one row each."""
    met: np.ndarray = known.memory.any(axis=1)  # type: ignore[assignment]
    contacts = known.rows[met], known.memory[met], known.records[met]
    write_list(lists, known.pairs, slack, normals(known.rows), met, contacts)


def write_list(
    lists: PairLists,
    pairs: np.ndarray,
    slack: np.ndarray,
    guesses: np.ndarray,
    met: np.ndarray,
    contacts: tuple[np.ndarray, ...],
) -> None:
    """Fill empty lists with pairs and the rows, memories and records of those that `met`."""
    count, used = len(pairs), np.count_nonzero(met)
    lists.pairs[:count], lists.slack[:count], lists.guesses[:count] = pairs, slack, guesses
    lists.contact_of[:count], lists.used[0] = np.where(met, np.cumsum(met) - 1, -1), used
    for table, values in zip(lists.contacts, (pairs[met], *contacts)):
        table[:used] = values


def emptied(lists: PairLists, bodies: int) -> PairLists:
    """The memory of these lists, for so many other bodies."""
    lists.counts[:], lists.used[0] = 0, 0  # pairs of the bodies before
    return lists._replace(**_of_bodies(bodies))


@jit
def named_lists(lists):
    """The :class:`PairLists` from the result of `plain`."""
    return PairLists(ContactTables(*lists[0]), *lists[1:])
