"""The gap between two shapes that touch: points and curvatures, in compiled code.

`pieces` is the tuple (address of the contact solver, kinds, addresses of the shapes and, last, of a point, their rows,
bounds, whether they bend, poses in the world, whether they are flat); rows of different shapes are filled up to one
width.
"""

import math

from ..compiled.jit import call_shape, element, jit
from ..kernels.vectors import axpy, dot, frame, mat_mul, mat_t_mul, scale, sub, sym_mul
from ..solvers.certified.pair import place_of, turn_of
from .touch import CURVATURES, DISTANCE, HOLLOW, NORMAL, PLANE, POINT, ROUND

EDGE = 1e-6  # radius of curvature that stands for an edge or corner, times the size of the body


@jit
def _bending(pieces, p, n, t, s, x, jets):
    """Curvature operator (xx, xy, yy) of shape p at the world normal n, at x, in the tangent vectors t and s."""
    _, kind, address, rows, bounds, _, poses, _ = pieces
    if kind[p] == PLANE:
        return 0.0, 0.0, 0.0
    if kind[p] == ROUND:
        # Round about the axis only, with the distance from it over the cosine of the side as radius.
        y = mat_t_mul(turn_of(poses, p), sub(x, place_of(poses, p)))
        rho = math.hypot(y[0], y[1])
        k = -rows[p, 0] / max(rho, EDGE * rows[p, 2])
        e = mat_mul(turn_of(poses, p), (-y[1] / rho, y[0] / rho, 0.0)) if rho > 0.0 else t
        return k * dot(e, t) ** 2, k * dot(e, t) * dot(e, s), k * dot(e, s) ** 2
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
    x_a, x_b = points(row)
    p = _bending(pieces, a, n, t, s, x_a, jets)
    q = _bending(pieces, b, scale(n, -1.0), t, s, x_b, jets)
    xx, xy, yy = p[0] + q[0], p[1] + q[1], p[2] + q[2]
    mean, spread = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
    row[CURVATURES], row[CURVATURES + 1] = mean + spread, mean - spread


@jit
def points(row):
    """Contact points on A and on B."""
    x = (row[POINT], row[POINT + 1], row[POINT + 2])
    return x, axpy(x, row[DISTANCE], (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]))
