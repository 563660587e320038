"""When a flock of bodies can finish a step: as soon as all blocks with pairs of its bodies have been evaluated.

The forces on its bodies, and what contacts know of them, are then still in the cache.
"""

import numpy as np

from ...compiled.atomic import fetch_add
from ...compiled.jit import inlined, jit
from .tables import BLOCK, BODIES, FINISHED

AT_ONCE = 3  # flocks that one block lets finish at most: the threads share what is left


@jit
def note_flocks(world, lists, count):
    """Write which flocks are pushed by the pairs of each block."""
    pairs, owner, pushers, total = lists.pairs, world.owner, lists.pushers, 0
    seen = np.full(pushers.shape[0], -1, np.int64)
    pushers[:] = 0
    for first in range(0, count, BLOCK):
        lists.pushed_first[first // BLOCK] = total
        for k in range(first, min(first + BLOCK, count)):
            for side in range(2):
                flock = owner[pairs[k, side]] // BODIES
                if seen[flock] != first:
                    seen[flock] = first
                    lists.pushed[total] = flock
                    pushers[flock] += 1
                    total += 1
    lists.pushed_first[(count + BLOCK - 1) // BLOCK] = total


@inlined
def expect_pushes(lists):
    """Begin a step: no block has been evaluated."""
    lists.pending[:] = lists.pushers


@jit
def ready(lists, block, found):
    """Write flocks that block was the last one to push to `found`; return their number."""
    count = 0
    for m in range(lists.pushed_first[block], lists.pushed_first[block + 1]):
        flock = lists.pushed[m]
        if fetch_add(lists.pending, flock, -1) == 1 and count < AT_ONCE:
            lists.pending[flock] = FINISHED
            found[count] = flock
            count += 1
    return count


@inlined
def is_left(lists, flock):
    """Whether a flock has not finished yet when all blocks have been evaluated."""
    return lists.pending[flock] != FINISHED
