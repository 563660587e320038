"""Local maxima of F at kinks, by steps to the maximum of all parts of F that have been met.

The same steps as in `separation`, for bodies that overlap: each evaluation renews what is known of one part.
"""

from __future__ import annotations

from ...compiled.jit import uncounted
from ...kernels.simplex import WEIGHT, nearest
from ...kernels.vectors import add, axpy, dot, norm, scale, unit
from .edge_steps import to_maximum
from .kink import DOUBT, PART, Climb, along, row
from .kink_steps import REACH, extrapolate
from .pair import curvature, evaluate
from .simplex_rows import CORNERS, INDEX, put, put_curvature

BUDGET = 24  # maximum number of evaluations
PATIENCE = 3  # evaluations in a row that neither raise F nor halve the gain that the parts promise
FAR = 0.3  # longest step where F bends upwards [rad]
CLOSE = 1e-4  # largest angle to the parts that a maximum rests on [rad]


@uncounted
def _keep(rows, m, parts):
    """Keep the rows that the parts were taken from, at most four, in the same order: their number."""
    for i in range(parts):
        k = int(m[i, INDEX])
        for j in range(rows.shape[1]):
            rows[i, j] = rows[k, j]
    if parts < CORNERS:
        return parts
    far = 0
    for i in range(parts):
        far = i if m[i, WEIGHT] > m[far, WEIGHT] else far
    for j in range(rows.shape[1]):
        rows[far, j], m[far, j] = rows[parts - 1, j], m[parts - 1, j]
    return parts - 1


@uncounted
def climb_parts(pair, n, lengths, work):
    """Local maximum of F near n; not found if the parts of F do not lead to it."""
    size, rounding, tolerance = lengths
    jets, rows, m = work.jets, work.simplex, work.parts
    best, value, foot = n, -1e300, n
    count, promised, idle, reach = 0, 1e300, 0, FAR
    for k in range(BUDGET):
        f, w, x = evaluate(pair, n, jets)
        if not abs(f) < 1e300:
            return Climb(False, value, value, best, foot, k + 1)
        idle, reach = idle + 1, 0.25 * reach
        if f > value:
            best, value, foot = n, f, axpy(x, 0.5, axpy(w, -dot(n, w), n))
            idle, reach = 0, min(8.0 * reach, FAR)
        put(rows, count, w, n, x)
        put_curvature(rows, count, curvature(pair, n, jets))
        parts, far = extrapolate(rows, count + 1, best, m)
        count = _keep(rows, m, parts)
        active, p = nearest(m, count)
        active = min(active, 3)
        known, d = to_maximum(m, active, p, best, value, REACH)
        gain = 0.5 * dot(p, d) - value
        for i in range(active):
            gain += m[i, WEIGHT] * dot(best, row(m, i, PART))
        if known and gain <= tolerance and far <= CLOSE and along(m, active, best, value)[1] > DOUBT * far * size:
            return Climb(True, value, value, best, foot, k + 1)
        if gain <= 0.5 * promised:
            promised, idle = gain, 0
        length = norm(p)
        if not known and length > rounding:
            # F bends upwards there: straight ahead.
            known, d = True, scale(p, reach / length)
        if not known or idle > PATIENCE:
            return Climb(False, value, value, best, foot, k + 1)
        n = unit(add(best, d))
    return Climb(False, value, value, best, foot, BUDGET)
