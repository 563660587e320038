"""Which shapes of a world may touch soon, and what is remembered of each pair when the list is renewed."""

import numpy as np

from ..broadphase.sweep import sweep
from ..compiled.jit import jit
from ..kernels.vectors import dot, mat_mul
from ..solvers.certified.pair import place_of, turn_of
from .touch import PLANE, SOLID

BIG = 1e300  # half size of the box of an unbounded shape


@jit
def boxes(pieces, skin, low, high):
    """Boxes in the world around all shapes, wider by half the skin on every side."""
    kind, bounds, poses = pieces[1], pieces[4], pieces[6]
    for p in range(kind.shape[0]):
        if kind[p] != SOLID:
            for c in range(3):
                low[p, c], high[p, c] = -BIG, BIG
            continue
        m, x = turn_of(poses, p), place_of(poses, p)
        centre = mat_mul(m, (bounds[p, 3], bounds[p, 4], bounds[p, 5]))
        for c in range(3):
            half = 0.5 * skin
            for k in range(3):
                half += abs(m[3 * c + k]) * bounds[p, k]
            low[p, c], high[p, c] = x[c] + centre[c] - half, x[c] + centre[c] + half


@jit
def _near(pieces, a, b, low, high):
    """Whether the box of b reaches the half-space a."""
    rows, poses = pieces[3], pieces[6]
    n = mat_mul(turn_of(poses, a), (rows[a, 0], rows[a, 1], rows[a, 2]))
    deepest = -rows[a, 3] - dot(n, place_of(poses, a))
    for c in range(3):
        deepest += n[c] * (low[b, c] if n[c] > 0.0 else high[b, c])
    return deepest <= 0.0


@jit
def may_touch(kind, owner, law_of, a, b):
    """Whether the two shapes are asked about at all."""
    if kind[a] != SOLID and kind[b] != SOLID:
        return False
    return law_of[owner[a], owner[b]] >= 0


@jit
def find(pieces, owner, law_of, skin, low, high, order, found):
    """Pairs (A, B) of shapes whose boxes overlap, sorted; how many, or minus the room needed.

    A hollow or half-space is always A; `found` is filled in ascending order of (A, B).
    """
    kind = pieces[1]
    boxes(pieces, skin, low, high)
    count = sweep(low, high, order, found)
    if count > found.shape[0]:
        return -count
    kept = 0
    for k in range(count):
        a, b = found[k, 0], found[k, 1]
        if kind[b] != SOLID:
            a, b = b, a
        if may_touch(kind, owner, law_of, a, b) and (kind[a] != PLANE or _near(pieces, a, b, low, high)):
            found[kept, 0], found[kept, 1] = a, b
            kept += 1
    keys = np.empty(kept, np.int64)
    for k in range(kept):
        keys[k] = found[k, 0] * kind.shape[0] + found[k, 1]
    keys.sort()
    for k in range(kept):
        found[k, 0], found[k, 1] = keys[k] // kind.shape[0], keys[k] % kind.shape[0]
    return kept


@jit
def remember(old, old_count, new, new_count, old_table, new_table):
    """Copy the rows of pairs that stand in both lists (each sorted); other rows become zero."""
    k = 0
    for m in range(new_count):
        while k < old_count and (old[k, 0] < new[m, 0] or (old[k, 0] == new[m, 0] and old[k, 1] < new[m, 1])):
            k += 1
        same = k < old_count and old[k, 0] == new[m, 0] and old[k, 1] == new[m, 1]
        for c in range(new_table.shape[1]):
            new_table[m, c] = old_table[k, c] if same else 0.0
