"""The list of pairs that may touch soon: when it is renewed, and how wide its skin is."""

import numpy as np

from ...compiled.jit import jit, uncounted, uncounted_inside
from ..extremes_kernel import note_parted
from ..tables import SOLID
from .candidates import find
from .spatial_order import sort_by_rank
from .tables import (
    AGE,
    BLOCK,
    COUNT,
    DONE,
    FARTHEST,
    FULL,
    HOLDS,
    LONGEST,
    MARK,
    NEEDED,
    NOT_FINITE,
    OUTCOME,
    QUICKEST,
    RENEWALS,
    SKIN,
    STALE,
    TURNED,
)

# A list that lasts fewer steps than this gets a wider skin, one that lasts more a narrower one.
SHORT_LIVED, LONG_LIVED = 150, 1000
WIDER, NARROWER = 1.5, 0.8
LEAST_SKIN, MOST_SKIN = 0.02, 0.5  # in radii of the smallest and of the mean body
# Steps at its speed that a fast body can travel before a new list is due, up to half the widest skin; a few times as
# far without periodic boundaries, where a body may be close to one image of another only, and without ranks, which know
# bodies near their borders only.
FORESEEN, FARTHER = 200.0, 8.0


@jit
def _known(owner, lists, count, a, b):
    """Number of the pair (a, b) among the first `count` of the list, -1 if it is not there."""
    if count == 0:
        return -1
    pairs, first, places = lists.pairs, lists.first_of, lists.places
    i, j = owner[a], owner[b]
    if first[j + 1] - first[j] < first[i + 1] - first[i]:
        i = j
    for m in range(first[i], first[i + 1]):
        k = lists.firsts[m]
        while k < count and (places[k, 0] == m or places[k, 1] == m):
            if pairs[k, 0] == a and pairs[k, 1] == b:
                return k
            k += 1
    return -1


@uncounted
def _recognise(owner, lists, count, pairs, contacts):
    """Copy what is known about the pairs in `spare_pairs` that are among the first `count` of the list.

    Of `pairs`, these are slack, guess and contact, numbered anew; of `contacts`, the number before, and whether an old
    one stays.  Returns the number of contacts.
    """
    slack, guesses, contact_of = pairs
    order, stays = contacts
    spare, used = lists.spare_pairs, 0
    for m in range(slack.shape[0]):
        k = _known(owner, lists, count, spare[m, 0], spare[m, 1])
        if k >= 0:
            slack[m], c = lists.slack[k], lists.contact_of[k]
            for e in range(3):
                guesses[m, e] = lists.guesses[k, e]
            if c >= 0:
                contact_of[m], order[used], stays[c] = used, c, True
                used += 1
    return used


@jit
def _keep(table, order):
    """Move the rows `order` of a table of contacts to its beginning."""
    kept = np.empty((order.shape[0], table.shape[1]), table.dtype)
    for c in range(order.shape[0]):
        for e in range(table.shape[1]):
            kept[c, e] = table[order[c], e]
    table[: order.shape[0]] = kept


@jit
def _renew(spatial, world, bodies, lists, numbers):
    """Make a new list of pairs and keep the memory of those that stay; return DONE, or FULL if there is no room."""
    count = max(numbers[COUNT], 0)
    contacts, spare = lists.contacts, lists.spare_pairs
    found, rank = find(world, bodies.moves, bodies.pads, spare)
    if found > spare.shape[0]:
        numbers[NEEDED] = found
        return FULL
    if spatial:
        sort_by_rank(spare, found, world.shapes.kind, rank, np.empty((found, 2), np.int64))
    slack, guesses, contact_of = np.zeros(found), np.zeros((found, 3), np.float32), np.full(found, -1, np.int32)
    order, stays = np.empty(lists.used[0], np.int64), np.zeros(lists.used[0], np.bool_)
    used = _recognise(world.owner, lists, count, (slack, guesses, contact_of), (order, stays))
    note_parted(world.extremes, contacts.pairs, contacts.memory, stays)
    _keep(contacts.pairs, order[:used])
    _keep(contacts.rows, order[:used])
    _keep(contacts.memory, order[:used])
    _keep(contacts.records, order[:used])
    lists.used[0] = used
    lists.pairs[:found], lists.slack[:found], lists.guesses[:found] = spare[:found], slack, guesses
    lists.contact_of[:found] = contact_of
    numbers[COUNT] = found
    note_places(spatial, world, lists, found)
    return DONE


@jit
def _ends(world, pairs, k):
    """The body by whose shape pair k is sorted, and the other one; the columns of both."""
    own = 0 if world.shapes.kind[pairs[k, 0]] == SOLID else 1
    return world.owner[pairs[k, own]], world.owner[pairs[k, 1 - own]], own


@jit
def note_places(shared, world, lists, count):
    """Write where the forces of each pair on its bodies are added up, and which places each body has.

    If `shared`, the pairs of a block that are sorted by the same body have one place for it; otherwise every pair has
    places of its own, and the sum does not depend on blocks.
    """
    pairs, first, firsts, places = lists.pairs, lists.first_of, lists.firsts, lists.places
    first[:] = 0
    before = -1
    for k in range(count):
        i, j, _ = _ends(world, pairs, k)
        if not shared or i != before or k % BLOCK == 0:
            first[i] += 1
        first[j] += 1
        before = i
    total = 0
    for i in range(first.shape[0]):
        total += first[i]
        first[i] = total
    before = -1
    for k in range(count - 1, -1, -1):  # from the last to the first one, so that they are in ascending order
        i, j, own = _ends(world, pairs, k)
        if not shared or i != before or (k + 1) % BLOCK == 0:
            first[i] -= 1
        first[j] -= 1
        before = i
        for body, side in ((i, own), (j, 1 - own)):
            firsts[first[body]], places[k, side] = k, first[body]
    lists.pushes[:total] = 0.0


@jit
def _choose_skin(schedule, totals, numbers):
    """Widen a skin that did not last, narrow one that lasted long: the choice depends on counts only, not on times."""
    if numbers[RENEWALS] > 0 and schedule.least_skin < schedule.most_skin:
        if numbers[AGE] < SHORT_LIVED:
            totals[SKIN] = min(WIDER * totals[SKIN], schedule.most_skin)
        elif numbers[AGE] > LONG_LIVED:
            totals[SKIN] = max(NARROWER * totals[SKIN], schedule.least_skin)


@uncounted
def _pad(bodies, skin, schedule, periods):
    """Write how far each body can travel before a new list is due: half the skin, farther for fast ones."""
    near = not schedule.spatial or periods[0] > 0.0 or periods[1] > 0.0 or periods[2] > 0.0
    widest = (0.5 if near else 0.5 * FARTHER) * max(schedule.most_skin, skin)
    foreseen = FORESEEN if schedule.least_skin < schedule.most_skin else 0.0
    if not near:
        # Where all bodies are fast, as in free fall, lists would become long.
        total = 0.0
        for i in range(bodies.moves.shape[0]):
            total += bodies.moves[i]
        if foreseen * total > bodies.moves.shape[0] * schedule.most_skin:
            foreseen = bodies.moves.shape[0] * schedule.most_skin / total
    for i in range(bodies.pads.shape[0]):
        bodies.pads[i] = min(max(0.5 * skin, foreseen * bodies.moves[i]), widest)
        for c in range(MARK):
            bodies.marks[i, c] = bodies.y[i, c]


@uncounted_inside
def check_list(schedule, bodies, tally):
    """Note in `tally` whether the list of pairs must be renewed before the next step, or why it cannot be taken."""
    totals, numbers, flocks = tally.totals, tally.numbers, bodies.flocks
    longest, angle, holds = 0.0, 0.0, True
    for k in range(flocks.shape[0]):
        longest, angle = max(longest, flocks[k, FARTHEST]), max(angle, flocks[k, QUICKEST])
        holds = holds and flocks[k, HOLDS] != 0.0
    numbers[STALE] = numbers[COUNT] < 0 or numbers[NEEDED] > 0 or schedule.restless or not holds
    if not longest < 1e300:
        numbers[OUTCOME] = NOT_FINITE
    else:
        totals[LONGEST], totals[TURNED] = max(totals[LONGEST], longest), max(totals[TURNED], angle)


@jit
def renew_list(schedule, bodies, world, lists, tally):
    """Make a new list of pairs; note in `tally` if there is no room.  The step can then be tried again."""
    totals, numbers = tally.totals, tally.numbers
    if not schedule.restless and numbers[NEEDED] == 0:
        _choose_skin(schedule, totals, numbers)
    _pad(bodies, totals[SKIN], schedule, world.periods)
    if _renew(schedule.spatial, world, bodies, lists, numbers) != DONE:
        numbers[OUTCOME] = FULL
        return
    numbers[AGE], numbers[NEEDED] = 0, 0
    numbers[RENEWALS] += 1


def skin_limits(reach: np.ndarray) -> tuple[float, float]:
    """Narrowest and widest skin for free bodies with these radii [m]."""
    return LEAST_SKIN * float(reach.min()), MOST_SKIN * float(reach.mean())
