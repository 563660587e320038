"""The list of pairs that may touch soon: when it is renewed, and how wide its skin is."""

import numpy as np

from ...compiled.jit import jit, uncounted, uncounted_inside
from ..contact.columns import ABSORBED, LOST, TOUCHING
from ..extremes_kernel import note_parted
from ..impacts import write_row
from .candidates import find, outlines_of
from .flock_turns import note_flocks
from .image_boxes import with_images
from .spatial_order import disordered, ranks, sort_by_rank
from .tables import (
    AGE,
    BLOCK,
    COUNT,
    DONE,
    FARTHEST,
    FULL,
    HOLDS,
    LOGGED,
    LONGEST,
    MARK,
    NEEDED,
    NOT_FINITE,
    NOW,
    OUTCOME,
    QUICKEST,
    RENEWALS,
    SKIN,
    STALE,
    TURNED,
    UNORDERED,
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
    pairs, first, i, j = lists.pairs, lists.first_pair, owner[a], owner[b]
    if first[j + 1] - first[j] < first[i + 1] - first[i]:
        i = j
    for m in range(first[i], first[i + 1]):
        k = lists.pairs_of[m]
        if pairs[k, 0] == a and pairs[k, 1] == b:
            return k
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
def _log_parted(labels, lists, count, stays, tally):
    """Log the contacts that touched in the last step and are not in the new list, as at walls that turn fast."""
    pairs, memory = lists.contacts.pairs, lists.contacts.memory
    for k in range(count):
        c = lists.contact_of[k]
        if c >= 0 and not stays[c] and memory[c, TOUCHING] != 0.0:
            memory[c, TOUCHING], memory[c, LOST] = 0.0, memory[c, ABSORBED]
            named = labels[pairs[c, 0]], labels[pairs[c, 1]]
            write_row(named, memory[c], tally.totals[NOW], tally.log[tally.numbers[LOGGED]])
            tally.numbers[LOGGED] += 1


@jit
def _renew(schedule, world, bodies, lists, tally):
    """Make a new list of pairs and keep the memory of those that stay.

    Returns DONE, FULL if there is no room, or UNORDERED if the bodies should have other numbers before.
    """
    numbers, kind = tally.numbers, world.shapes.kind
    count = max(numbers[COUNT], 0)
    contacts, spare = lists.contacts, lists.spare_pairs
    own = outlines_of(world, bodies.moves, bodies.pads)
    outlines, rank = with_images(world.periods, kind, own), np.arange(kind.shape[0])
    if schedule.spatial:
        placed = ranks(kind, outlines, own.of.shape[0])
        if not schedule.renumbers:
            rank = placed
        elif disordered(placed, bodies.first_shape, bodies.order):
            numbers[NEEDED] = 1
            return UNORDERED
    found = find(world, outlines, own.of.shape[0], spare)
    if found > spare.shape[0]:
        numbers[NEEDED] = found
        return FULL
    if schedule.spatial:
        sort_by_rank(spare, found, kind, rank, np.empty((found, 2), np.int64))
    slack, guesses, contact_of = np.zeros(found), np.zeros((found, 3), np.float32), np.full(found, -1, np.int32)
    order, stays = np.empty(lists.used[0], np.int64), np.zeros(lists.used[0], np.bool_)
    used = _recognise(world.owner, lists, count, (slack, guesses, contact_of), (order, stays))
    note_parted(world.extremes, world.labels, contacts.pairs, contacts.memory, stays)
    if schedule.spatial:
        _log_parted(world.labels, lists, count, stays, tally)
    _keep(contacts.pairs, order[:used])
    _keep(contacts.rows, order[:used])
    _keep(contacts.memory, order[:used])
    _keep(contacts.records, order[:used])
    lists.used[0] = used
    lists.pairs[:found], lists.slack[:found], lists.guesses[:found] = spare[:found], slack, guesses
    lists.contact_of[:found] = contact_of
    numbers[COUNT] = found
    note_places(schedule.spatial, world, lists, found)
    return DONE


@jit
def note_places(shared, world, lists, count):
    """Write where the forces of each pair on its bodies are added up, which places each body has, and which pairs.

    If `shared`, a body has one place for all its pairs in a block; otherwise every pair has places of its own, and the
    sum does not depend on blocks.
    """
    pairs, owner, places = lists.pairs, world.owner, lists.places
    first, first_pair = lists.first_of, lists.first_pair
    block_of = np.full(first.shape[0], -1, np.int64)
    first[:], first_pair[:] = 0, 0
    for k in range(count):
        for side in range(2):
            i = owner[pairs[k, side]]
            first_pair[i] += 1
            if not shared or block_of[i] != k // BLOCK:
                first[i], block_of[i] = first[i] + 1, k // BLOCK
    total, known = 0, 0
    for i in range(first.shape[0]):
        total, known = total + first[i], known + first_pair[i]
        first[i], first_pair[i] = total, known
    block_of[:] = -1
    for k in range(count - 1, -1, -1):  # from the last to the first one, so that they are in ascending order
        for side in range(2):
            i = owner[pairs[k, side]]
            first_pair[i] -= 1
            lists.pairs_of[first_pair[i]] = k
            if not shared or block_of[i] != k // BLOCK:
                first[i], block_of[i] = first[i] - 1, k // BLOCK
            places[k, side] = first[i]
    lists.pushes[:total] = 0.0
    if shared:
        note_flocks(world, lists, count)


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
    """Make a new list of pairs, or note in `tally` what it needs before.  The step can then be tried again."""
    totals, numbers = tally.totals, tally.numbers
    if not schedule.restless and numbers[NEEDED] == 0:
        _choose_skin(schedule, totals, numbers)
    _pad(bodies, totals[SKIN], schedule, world.periods)
    numbers[OUTCOME] = _renew(schedule, world, bodies, lists, tally)
    if numbers[OUTCOME] != DONE:
        return
    numbers[AGE], numbers[NEEDED] = 0, 0
    numbers[RENEWALS] += 1


def skin_limits(reach: np.ndarray) -> tuple[float, float]:
    """Narrowest and widest skin for free bodies with these radii [m]."""
    return LEAST_SKIN * float(reach.min()), MOST_SKIN * float(reach.mean())
