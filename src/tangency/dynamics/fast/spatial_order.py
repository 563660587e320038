"""Shapes in an order in which neighbours in space are near each other: along a curve through the cells of a grid.

Pairs are treated in this order, so that the data of neighbours are in the cache together, in whatever order the bodies
have been created.  Where many bodies may be numbered anew (`numbering`), they are, and then pairs in the order of their
numbers: their data are then next to each other in memory as well.
"""

import numpy as np

from ...compiled.jit import jit
from ..tables import SOLID

_BITS = 10  # of each coordinate
_CELLS = float(1 << _BITS)
# Bodies with successive numbers that are farther from each other in the spatial order, and the fraction of the bodies
# that may be.
_FAR, _MOST_FAR = 32, 0.0625


@jit
def _spread(number):
    """The ten bits of a number, with two zeros between each of them and the next."""
    number = (number | (number << 16)) & 0x030000FF
    number = (number | (number << 8)) & 0x0300F00F
    number = (number | (number << 4)) & 0x030C30C3
    return (number | (number << 2)) & 0x09249249


@jit
def _cell(x, low, width):
    return min(max(int((x - low) / width), 0), (1 << _BITS) - 1)


@jit
def ranks(kind, outlines, count):
    """Rank of every shape on the curve (Morton 1966) by its centre; 0 for unbounded ones and those without an outline.

    The first `count` outlines are those of shapes, the others of images.
    """
    low, high, balls = np.full(3, np.inf), np.full(3, -np.inf), outlines.balls
    for k in range(count):
        if kind[outlines.of[k]] == SOLID:
            for c in range(3):
                low[c], high[c] = min(low[c], balls[k, c]), max(high[c], balls[k, c])
    width = max(max(high[0] - low[0], high[1] - low[1]), max(high[2] - low[2], 1e-300)) / _CELLS
    codes, rank = np.zeros(count, np.int64), np.zeros(kind.shape[0], np.int64)
    for k in range(count):
        if kind[outlines.of[k]] == SOLID:
            for c in range(3):
                codes[k] |= _spread(_cell(balls[k, c], low[c], width)) << c
    order = np.argsort(codes, kind="mergesort")
    for r in range(count):
        if kind[outlines.of[order[r]]] == SOLID:
            rank[outlines.of[order[r]]] = r
    return rank


@jit
def disordered(rank, first_shape, order):
    """Write the bodies in spatial order, by the rank of their first shapes, to `order`.

    Returns whether many of those with successive numbers are far from each other in this order.
    """
    bodies = order.shape[0]
    own, place, far = np.zeros(bodies, np.int64), np.empty(bodies, np.int64), 0
    for i in range(bodies):
        if first_shape[i] < first_shape[i + 1]:
            own[i] = rank[first_shape[i]]
    order[:] = np.argsort(own, kind="mergesort")
    for k in range(bodies):
        place[order[k]] = k
    for i in range(1, bodies):
        far += abs(place[i] - place[i - 1]) > _FAR
    return far > _MOST_FAR * bodies


@jit
def own_side(kind, pairs, k):
    """Side of pair k by which it is sorted: that of the smaller number, but not that of a wall."""
    a, b = pairs[k, 0], pairs[k, 1]
    return 1 if kind[a] != SOLID or b < a else 0


@jit
def sort_by_rank(pairs, count, kind, rank, spare):
    """Sort pairs by the rank of the shape on their own side; equal ones keep their order.  `spare` has equal size."""
    first = np.zeros(kind.shape[0] + 1, np.int64)
    for k in range(count):
        first[rank[pairs[k, own_side(kind, pairs, k)]] + 1] += 1
        spare[k, 0], spare[k, 1] = pairs[k, 0], pairs[k, 1]
    for r in range(kind.shape[0]):
        first[r + 1] += first[r]
    for k in range(count):
        own = rank[spare[k, own_side(kind, spare, k)]]
        pairs[first[own], 0], pairs[first[own], 1] = spare[k, 0], spare[k, 1]
        first[own] += 1
