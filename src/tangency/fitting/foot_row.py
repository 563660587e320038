"""A foot point as a row of numbers; only this file depends on their order."""

from ..compiled.jit import jit

FOOT = 7
DISTANCE, NORMAL, POINT = 0, slice(1, 4), slice(4, 7)


@jit
def write_foot(out, k, distance, n, x):
    """Write signed distance, normal and foot point to row k."""
    out[k, 0] = distance
    out[k, 1], out[k, 2], out[k, 3] = n
    out[k, 4], out[k, 5], out[k, 6] = x
