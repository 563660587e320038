"""How compiled loops find the numbers of a pair, and where they write its contact."""

from .._jit import jit
from ..result import VALUES


@jit
def at(pick, k):
    """Row that belongs to pair k.  A pick is (index array, step): with a step of 0 or 1 the row is k * step."""
    return pick[0][k] if pick[1] < 0 else k * pick[1]


@jit
def write(values, codes, k, distance, lower, upper, n, point, status, evaluations):
    """Contact k, into the buffers of `Contact`."""
    count = values.size // VALUES
    values[k] = distance
    values[count + k] = lower
    values[2 * count + k] = upper
    i, j = 3 * count + 3 * k, 6 * count + 3 * k
    for c in range(3):
        values[i + c] = n[c]
        values[j + c] = point[c]
    codes[k] = status
    codes[count + k] = evaluations
