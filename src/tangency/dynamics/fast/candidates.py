"""Pairs of shapes that may touch soon, and the transfer of their memory when the list is renewed."""

import numpy as np

from ...broadphase.cells import box_pairs, sort_pairs
from ...compiled.jit import jit
from ...kernels.poses import place_of, turn_of
from ...kernels.vectors import dot, mat_mul
from ...shapes.bounds import bounds_at
from ...shapes.half_space import plane_at
from ..law_table import law_between
from ..tables import PLANE, SOLID

UNBOUNDED = 1e300  # half size of the box of an unbounded shape


@jit
def boxes(shapes, skin, low, high):
    """World-frame boxes around all shapes, enlarged by half the skin on every side."""
    for p in range(shapes.kind.shape[0]):
        if shapes.kind[p] != SOLID:
            for c in range(3):
                low[p, c], high[p, c] = -UNBOUNDED, UNBOUNDED
            continue
        m, x, bounds = turn_of(shapes.poses, p), place_of(shapes.poses, p), bounds_at(shapes.bounds, p)
        centre = mat_mul(m, bounds.centre)
        for c in range(3):
            half = 0.5 * skin
            for k in range(3):
                half += abs(m[3 * c + k]) * bounds.half[k]
            low[p, c], high[p, c] = x[c] + centre[c] - half, x[c] + centre[c] + half


@jit
def _near(shapes, a, b, low, high):
    """Whether the box of b reaches the half-space a."""
    n, offset = plane_at(shapes.rows, a)
    n = mat_mul(turn_of(shapes.poses, a), n)
    deepest = -offset - dot(n, place_of(shapes.poses, a))
    for c in range(3):
        deepest += n[c] * (low[b, c] if n[c] > 0.0 else high[b, c])
    return deepest <= 0.0


@jit
def may_touch(world, a, b):
    """Whether contact of the two shapes is possible at all."""
    kind, i, j = world.shapes.kind, world.owner[a], world.owner[b]
    if i == j or (kind[a] != SOLID and kind[b] != SOLID):
        return False
    return law_between(world.class_of, world.law_of, i, j) >= 0


@jit
def find(world, skin, found):
    """Write the pairs (A, B) of shapes whose boxes overlap, sorted; return their number, or minus the capacity needed.

    A hollow or half-space is always A; `found` is filled in ascending order of (A, B).
    """
    shapes, kind = world.shapes, world.shapes.kind
    low, high = np.empty((kind.shape[0], 3)), np.empty((kind.shape[0], 3))
    boxes(shapes, skin, low, high)
    count = box_pairs(low, high, found)
    if count > found.shape[0]:
        return -count
    kept = 0
    for k in range(count):
        a, b = found[k, 0], found[k, 1]
        if kind[b] != SOLID:
            a, b = b, a
        if may_touch(world, a, b) and (kind[a] != PLANE or _near(shapes, a, b, low, high)):
            found[kept, 0], found[kept, 1] = a, b
            kept += 1
    sort_pairs(found, kept, kind.shape[0])
    return kept


@jit
def remember(old, old_count, new, new_count, old_rows, new_rows):
    """Copy the rows of pairs that occur in both lists (each sorted); set the other rows to zero."""
    k = 0
    for m in range(new_count):
        while k < old_count and (old[k, 0] < new[m, 0] or (old[k, 0] == new[m, 0] and old[k, 1] < new[m, 1])):
            k += 1
        same = k < old_count and old[k, 0] == new[m, 0] and old[k, 1] == new[m, 1]
        for c in range(new_rows.shape[1]):
            new_rows[m, c] = old_rows[k, c] if same else 0.0
