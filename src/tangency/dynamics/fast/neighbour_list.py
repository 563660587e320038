"""The list of pairs that may touch soon: when it is renewed, and how wide its skin is."""

import numpy as np

from ...compiled.jit import jit, uncounted
from ..extremes_kernel import note_parted
from .candidates import find, remember
from .tables import (
    AGE,
    COUNT,
    DONE,
    FULL,
    LOG_FULL,
    LOGGED,
    LONGEST,
    NEEDED,
    NOT_FINITE,
    RENEWALS,
    SKIN,
    TOUCHED,
    TURNED,
)

# A list that lasts fewer steps than this gets a wider skin, one that lasts more a narrower one.
SHORT_LIVED, LONG_LIVED = 50, 400
WIDER, NARROWER = 1.5, 0.8
LEAST_SKIN, MOST_SKIN = 0.02, 0.5  # in radii of the smallest and of the mean body
FORESEEN = 100.0  # steps at its speed that a fast body can travel before a new list is due, up to half the widest skin


@jit
def _renew(world, bodies, lists, numbers):
    """Make a new list of pairs and keep the memory of those that stay; return DONE, or FULL if there is no room."""
    count = max(numbers[COUNT], 0)
    pairs, rows, memory, _ = lists.contacts
    spare, spare_rows, spare_memory = lists.spare_pairs, lists.spare_rows, lists.spare_memory
    found = find(world, bodies.moves, bodies.pads, spare)
    if found > spare.shape[0]:
        numbers[NEEDED] = found
        return FULL
    note_parted(world.extremes, pairs, memory, count, spare, found)
    remember(pairs, count, spare, found, rows, spare_rows)
    remember(pairs, count, spare, found, memory, spare_memory)
    remember(pairs, count, spare, found, lists.slack, lists.spare_slack)
    pairs[:found], rows[:found], memory[:found] = spare[:found], spare_rows[:found], spare_memory[:found]
    lists.slack[:found] = lists.spare_slack[:found]
    numbers[COUNT] = found
    return DONE


@jit
def _choose_skin(schedule, totals, numbers):
    """Widen a skin that did not last, narrow one that lasted long: the choice depends on counts only, not on times."""
    if numbers[RENEWALS] > 0 and schedule.least_skin < schedule.most_skin:
        if numbers[AGE] < SHORT_LIVED:
            totals[SKIN] = min(WIDER * totals[SKIN], schedule.most_skin)
        elif numbers[AGE] > LONG_LIVED:
            totals[SKIN] = max(NARROWER * totals[SKIN], schedule.least_skin)


@uncounted
def _largest(bodies):
    """Largest displacement in the next step (infinite for NaN), largest rotation, and whether the list still holds."""
    moves, angles, ways, pads = bodies.moves, bodies.angles, bodies.ways, bodies.pads
    longest, angle, holds = 0.0, 0.0, True
    for i in range(moves.shape[0]):
        if not moves[i] <= longest:
            longest = moves[i] if moves[i] < np.inf else np.inf
        if angles[i] > angle:
            angle = angles[i]
        holds = holds and ways[i] + moves[i] <= pads[i]
    return longest, angle, holds


@uncounted
def _pad(bodies, skin, schedule):
    """Write how far each body can travel before a new list is due: half the skin, farther for fast ones."""
    widest = 0.5 * max(schedule.most_skin, skin)
    foreseen = FORESEEN if schedule.least_skin < schedule.most_skin else 0.0
    for i in range(bodies.pads.shape[0]):
        bodies.pads[i] = min(max(0.5 * skin, foreseen * bodies.moves[i]), widest)
        bodies.ways[i] = 0.0


@uncounted
def _travel(ways, moves):
    for i in range(ways.shape[0]):
        ways[i] += moves[i]


@jit
def prepare_list(schedule, bodies, world, lists, tally):
    """Renew the list of pairs if bodies may leave it within the next step; return an outcome.

    Unless the outcome is DONE, the bodies have not moved, and the step can be tried again.
    """
    totals, numbers = tally.totals, tally.numbers
    longest, angle, holds = _largest(bodies)
    if not longest < 1e300:
        return NOT_FINITE
    if numbers[COUNT] < 0 or numbers[NEEDED] > 0 or schedule.restless or not holds:
        if not schedule.restless and numbers[NEEDED] == 0:
            _choose_skin(schedule, totals, numbers)
        _pad(bodies, totals[SKIN], schedule)
        if _renew(world, bodies, lists, numbers) != DONE:
            return FULL
        numbers[AGE], numbers[NEEDED] = 0, 0
        numbers[RENEWALS] += 1
    if numbers[LOGGED] + numbers[TOUCHED] > tally.log.shape[0]:
        return LOG_FULL
    _travel(bodies.ways, bodies.moves)
    numbers[AGE] += 1
    totals[LONGEST], totals[TURNED] = max(totals[LONGEST], longest), max(totals[TURNED], angle)
    return DONE


def skin_limits(reach: np.ndarray) -> tuple[float, float]:
    """Narrowest and widest skin for free bodies with these radii [m]."""
    return LEAST_SKIN * float(reach.min()), MOST_SKIN * float(reach.mean())
