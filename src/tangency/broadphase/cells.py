"""Pairs of axis-aligned boxes that overlap, in time proportional to the number of boxes and pairs.

Every box is filed under the cubic cell that contains its centre.  The cells of a *level* are twice as wide as those of
the next finer one; a box belongs to the finest level whose cells are at least as wide as the box.  So the boxes of a
level that overlap a given box have their centres within half a cell of it, and only a few cells have to be searched.
A box searches its own level and the coarser ones that are not empty: boxes of very different sizes cost little more.
Unbounded boxes are tested against all others.

The cells are kept in a hash table, so empty space costs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import entry, jit, uncounted
from ..kernels.rounding import EPSILON

UNBOUNDED = 1e150  # coordinates beyond this belong to unbounded boxes
LEVELS = 64
RELATIVE_CELL = 1e-12  # smallest width of a cell, relative to the coordinates of its boxes
MEMBER, ENDS = 5, 6
_LARGEST_INDEX = 2.0**52
_SLACK = 1e-9  # of a cell, for rounding


class Cells(NamedTuple):
    """Boxes sorted into the cells of a hash table."""

    width: np.ndarray  #: (LEVELS,) of the cells of each level
    used: np.ndarray  #: (LEVELS,) number of boxes
    level: np.ndarray  #: (N,) of each box, -1 for unbounded boxes
    first: np.ndarray  #: (buckets + 1,) first member of each bucket
    members: np.ndarray  #: (N, MEMBER) bucket by bucket: number of the box, indices of its cell, its level
    ends: np.ndarray  #: (N, ENDS) of these boxes: lower and upper ends


@jit
def _index(x, width):
    """Index of the cell at the coordinate x; a monotone function of x."""
    return int(min(max(np.floor(x / width), -_LARGEST_INDEX), _LARGEST_INDEX))


@jit
def _bucket(level, i, j, k, count):
    """Bucket of a cell; `count` is a power of two."""
    mixed = (i * 73856093) ^ (j * 19349663) ^ (k * 83492791) ^ (level * 67867979)
    mixed ^= mixed >> 15
    return (mixed * 2654435761 >> 8) & (count - 1)


@jit
def _levels(low, high, level, width, used):
    """Write the level of each box, the widths of the cells and the numbers of boxes."""
    top, needed = 0.0, np.empty(low.shape[0])
    for i in range(low.shape[0]):
        extent, far = 0.0, 0.0
        for c in range(3):
            extent = max(extent, high[i, c] - low[i, c])
            far = max(far, max(abs(low[i, c]), abs(high[i, c])))
        level[i] = 0 if far < UNBOUNDED else -1
        needed[i] = max(extent, RELATIVE_CELL * far)
        if level[i] == 0:
            top = max(top, needed[i])
    width[0] = top if top > 0.0 else 1.0
    for k in range(1, LEVELS):
        width[k] = 0.5 * width[k - 1]
    used[:] = 0
    for i in range(low.shape[0]):
        if level[i] < 0:
            continue
        while level[i] < LEVELS - 1 and width[level[i] + 1] >= needed[i]:
            level[i] += 1
        used[level[i]] += 1


@jit
def _sorted_into_cells(low, high):
    n, count = low.shape[0], 64
    while count < 2 * n:
        count *= 2
    width, used, level = np.empty(LEVELS), np.empty(LEVELS, np.int64), np.empty(n, np.int64)
    _levels(low, high, level, width, used)
    cell, bucket = np.zeros((n, 3), np.int64), np.zeros(n, np.int64)
    first, members, ends = np.zeros(count + 1, np.int64), np.empty((n, MEMBER), np.int64), np.empty((n, ENDS))
    for i in range(n):
        if level[i] >= 0:
            for c in range(3):
                cell[i, c] = _index(0.5 * low[i, c] + 0.5 * high[i, c], width[level[i]])
            bucket[i] = _bucket(level[i], cell[i, 0], cell[i, 1], cell[i, 2], count)
            first[bucket[i] + 1] += 1
    for k in range(count):
        first[k + 1] += first[k]
    place = first[:-1].copy()
    for i in range(n):
        if level[i] >= 0:
            k = place[bucket[i]]
            place[bucket[i]] += 1
            members[k, 0], members[k, 4] = i, level[i]
            for c in range(3):
                members[k, 1 + c], ends[k, c], ends[k, 3 + c] = cell[i, c], low[i, c], high[i, c]
    return Cells(width, used, level, first, members, ends)


@jit
def _overlap(low, high, i, j):
    x = low[i, 0] <= high[j, 0] and low[j, 0] <= high[i, 0]
    y = low[i, 1] <= high[j, 1] and low[j, 1] <= high[i, 1]
    return x and y and low[i, 2] <= high[j, 2] and low[j, 2] <= high[i, 2]


@jit
def _meet(low, high, i, ends, k):
    """Whether box i overlaps the box of member k."""
    x = (low[i, 0] <= ends[k, 3]) & (ends[k, 0] <= high[i, 0])
    y = (low[i, 1] <= ends[k, 4]) & (ends[k, 1] <= high[i, 1])
    return x & y & (low[i, 2] <= ends[k, 5]) & (ends[k, 2] <= high[i, 2])


@jit
def _is_in(members, k, x, y, z, level):
    """Whether member k of a bucket is in this cell, not in another one of the same bucket."""
    return (members[k, 1] == x) & (members[k, 2] == y) & (members[k, 3] == z) & (members[k, 4] == level)


@jit
def _note(pairs, count, i, j, hit):
    """Write a pair if there is room; return the new number of pairs.  Without `hit`, the next one replaces it."""
    if count < pairs.shape[0]:
        pairs[count, 0], pairs[count, 1] = min(i, j), max(i, j)
    return count + (1 if hit else 0)


@jit
def _reach(low, high, width):
    """First and last index of the cells that hold the centres of boxes, no wider than a cell, that may overlap this."""
    pad = (0.5 + _SLACK) * width + 8.0 * EPSILON * max(abs(low), abs(high))
    return _index(low - pad, width), _index(high + pad, width)


@jit
def _search(low, high, cells, i, m, pairs, count):
    """Note the boxes of level m that overlap box i, whose level is the same or finer."""
    first, members, ends, width = cells.first, cells.members, cells.ends, cells.width[m]
    above, buckets = i if cells.level[i] == m else -1, first.shape[0] - 1  # a pair of one level is found from one side
    x_first, x_last = _reach(low[i, 0], high[i, 0], width)
    y_first, y_last = _reach(low[i, 1], high[i, 1], width)
    z_first, z_last = _reach(low[i, 2], high[i, 2], width)
    for x in range(x_first, x_last + 1):
        for y in range(y_first, y_last + 1):
            for z in range(z_first, z_last + 1):
                bucket = _bucket(m, x, y, z, buckets)
                for k in range(first[bucket], first[bucket + 1]):
                    hit = (members[k, 0] > above) & _meet(low, high, i, ends, k) & _is_in(members, k, x, y, z, m)
                    count = _note(pairs, count, i, members[k, 0], hit)
    return count


@jit
def box_pairs(low, high, pairs):
    """Write the overlapping boxes, each pair (i, j) with i < j once, in no useful order; return their number.

    If `pairs` is too short, the remaining pairs are only counted.
    """
    return _search_all(low, high, _sorted_into_cells(low, high), pairs)


@uncounted
def _search_all(low, high, cells, pairs):
    n, count = low.shape[0], 0
    for i in range(n):
        if cells.level[i] >= 0:
            for m in range(cells.level[i] + 1):
                if cells.used[m] > 0:
                    count = _search(low, high, cells, i, m, pairs, count)
            continue
        for j in range(n):  # unbounded: the pair of two such boxes is noted once
            if (cells.level[j] >= 0 or j > i) and _overlap(low, high, i, j):
                count = _note(pairs, count, i, j, True)
    return count


@jit
def _sort_by(column, size, given, count, out):
    """Copy pairs in the order of a column of numbers below `size`; equal ones keep their order."""
    first = np.zeros(size + 1, np.int64)
    for k in range(count):
        first[given[k, column] + 1] += 1
    for k in range(size):
        first[k + 1] += first[k]
    for k in range(count):
        place = first[given[k, column]]
        out[place, 0], out[place, 1] = given[k, 0], given[k, 1]
        first[given[k, column]] += 1


@jit
def sort_pairs(pairs, count, size):
    """Sort the first `count` pairs of numbers below `size`, in linear time."""
    spare = np.empty((count, 2), np.int64)
    _sort_by(1, size, pairs, count, spare)
    _sort_by(0, size, spare, count, pairs)


@entry
def _sorted_box_pairs(low, high, pairs):
    count = box_pairs(low, high, pairs)
    if count <= pairs.shape[0]:
        sort_pairs(pairs, count, low.shape[0])
    return count


def with_room(find: Any, bodies: int) -> np.ndarray:
    """The pairs that ``find(pairs)`` writes, which returns their number; called again if there was no room for them."""
    pairs = np.empty((16 + 12 * bodies, 2), np.int64)
    count = find(pairs)
    if count > len(pairs):
        pairs = np.empty((count, 2), np.int64)
        count = find(pairs)
    return pairs[:count].copy()


def sorted_box_pairs(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Pairs (M, 2) of boxes (N, 3) that overlap or touch, in ascending order."""
    return with_room(lambda pairs: _sorted_box_pairs(low, high, pairs), len(low))
