"""Rows of tables in compiled code: the row of a pair, and the parts of a pose."""

from ..compiled.jit import jit


@jit
def at(pick, k):
    """Index of the row that belongs to pair k: row k if `pick` is empty, row pick[0] for all if it has one entry."""
    if pick.size == 0:
        return k
    return pick[k] if pick.size > 1 else pick[0]


@jit
def turn_of(p, k):
    """Orientation of pose k, a 9-tuple."""
    return (p[k, 0], p[k, 1], p[k, 2], p[k, 4], p[k, 5], p[k, 6], p[k, 8], p[k, 9], p[k, 10])


@jit
def place_of(p, k):
    """Position of pose k."""
    return (p[k, 3], p[k, 7], p[k, 11])
