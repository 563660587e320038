"""How compiled loops find the numbers of a pair, and where they write its contact."""

from ..compiled.jit import jit
from ..contacts.status import VALUES


@jit
def at(pick, k):
    """Row that belongs to pair k: of a pick without entries row k, of one entry always that, else entry k."""
    if pick.size == 0:
        return k
    return pick[k] if pick.size > 1 else pick[0]


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
