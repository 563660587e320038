"""Contact of two shapes of a world, in the compiled loops: any two of bounded shape, half-space and hollow.

`pieces` is the tuple (kind, address, rows, bounds, bends, poses, first, second) of arrays over all shapes;
rows of different shapes are filled up to one width, and `first`, `second` are arrays of one number, in
which the compiled solvers look up which shape is meant.
"""

import math

import numpy as np

from .._jit import call_shape, element, jit
from ..explicit.plane import half_space
from ..kernels.jet import JET
from ..kernels.vectors import axpy, dot, frame, mat_t_mul, scale, sym_mul
from ..result import Status
from ..solvers.certified import certified
from ..solvers.pair import turn_of
from .cavity import inside

SOLID, PLANE, HOLLOW = 0, 1, 2

# Columns of a row of contacts: distance, normal from A to B, point on A, whether the solver was content,
# principal curvatures of the gap (the larger first).
DISTANCE, NORMAL, POINT, GOOD, CURVATURES = 0, 1, 4, 7, 8
ROW = 10

EDGE = 1e-6  # radius of curvature that stands for an edge or corner, times the size of the body
_WORST = int(Status.BEYOND)


@jit
def touch(pieces, a, b, limit, tol, directions, jets, values, codes, guess, limits, row):
    """Contact of the shapes a and b into `row`; `row` holds the normal of an earlier answer, or zeros.

    Beyond the distance `limit` only the distance is meant to be used, and it is a lower bound.
    """
    kind, address, rows, bounds, bends, poses, first, second = pieces
    each = first[:0]
    first[0], second[0] = a, b
    if kind[a] == PLANE or kind[b] == PLANE:
        flipped = kind[b] == PLANE
        p, q = (b, a) if flipped else (a, b)
        first[0], second[0] = p, q
        body = (address[q], rows, bounds, second, poses, second)
        half_space((rows, first, poses, first), body, flipped, each, 0, 1, values, codes)
        good = codes[0] <= _WORST
    elif kind[a] == HOLLOW:
        hollow = (address[a], rows, bounds, first, poses, first)
        body = (address[b], rows, bounds, second, poses, second)
        start = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
        d, n, x, good, _ = inside(hollow, body, start, directions, jets)
        values[0] = d
        values[3], values[4], values[5] = n
        values[6], values[7], values[8] = x
    else:
        side_a = (address[a], rows, bounds, first, poses, first)
        side_b = (address[b], rows, bounds, second, poses, second)
        guess[0, 0], guess[0, 1], guess[0, 2] = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
        limits[0, 0] = limit
        certified(side_a, side_b, bends[a] or bends[b], (guess, each), (limits, each), tol, each, 0, 1, values, codes)
        good = codes[0] <= _WORST
    row[DISTANCE] = values[0]
    for c in range(3):
        row[NORMAL + c], row[POINT + c] = values[3 + c], values[6 + c]
    row[GOOD] = 1.0 if good else 0.0


@jit
def _bending(pieces, p, n, t, s, jets):
    """Curvature operator (xx, xy, yy) of shape p at the world normal n, in the tangent vectors t and s."""
    kind, address, rows, bounds, _, poses, _, _ = pieces
    if kind[p] == PLANE:
        return 0.0, 0.0, 0.0
    sign = -1.0 if kind[p] == HOLLOW else 1.0
    turn = turn_of(poses, p)
    m, u, v = mat_t_mul(turn, scale(n, sign)), mat_t_mul(turn, t), mat_t_mul(turn, s)
    size = rows.shape[1]
    call_shape(address[p], element(rows, p * size), size, m[0], m[1], m[2], element(jets, 0))
    w = (jets[4], jets[5], jets[6], jets[7], jets[8], jets[9])
    wu = sym_mul(w, u)
    edge = EDGE * (bounds[p, 0] + bounds[p, 1] + bounds[p, 2])
    xx, xy, yy = dot(wu, u) + edge, dot(wu, v), dot(sym_mul(w, v), v) + edge
    top = max(xx, yy)
    if not top < 1e290:
        return 0.0, 0.0, 0.0  # flat
    # Inverse of the radii, scaled: flat places have radii that leave the range when squared.
    least = max((xx / top) * yy - (xy / top) * xy, 0.5 * edge)
    return sign * (yy / top) / least, -sign * (xy / top) / least, sign * (xx / top) / least


@jit
def bend(pieces, a, b, jets, row):
    """Principal curvatures of the gap between the shapes a and b, from the normal in `row`, into `row`."""
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    t, s = frame(n)
    p = _bending(pieces, a, n, t, s, jets)
    q = _bending(pieces, b, scale(n, -1.0), t, s, jets)
    xx, xy, yy = p[0] + q[0], p[1] + q[1], p[2] + q[2]
    mean, spread = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
    row[CURVATURES], row[CURVATURES + 1] = mean + spread, mean - spread


@jit
def points(row):
    """Contact points on A and on B."""
    x = (row[POINT], row[POINT + 1], row[POINT + 2])
    return x, axpy(x, row[DISTANCE], (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]))


@jit
def workspace():
    """Room for `touch`: jets, values, codes, guess, limits."""
    return np.empty(2 * JET), np.empty(9), np.empty(2, np.int32), np.empty((1, 3)), np.empty((1, 1))
