"""Two planar bodies seen as one: everything the solver may ask, in the frame of A.

With r the position of B, q the cosine and sine of its angle and n a unit vector from A to B:

    F(n) = n.r - h_A(n) - h_B(-n)             every n proves distance >= F(n)
    w(n) = r + q x_B(-q'n) - x_A(n)           a point of D, the set of all x_B - x_A
    K(n) = R_A(n) + R_B(-n)                   sum of the radii of curvature

On the circle F' = t.w with t = n turned by a quarter, and F'' = -(K + F).  As in space, the solver sees
the *cores* of the bodies (see ``solvers/certified/pair.py``), whose F differs by a constant.

A `pair` is the tuple (address_a, row_a, size_a, core_a, address_b, row_b, size_b, core_b, q, r).
"""

import math

from ...compiled.jit import call_shape, element, jit
from ..jet import JET
from ..vectors import axpy, dot, norm, turn, turn_back

JETS = 2 * JET


@jit
def make_pair(a, b, k):
    """Pair k of two bodies as `certified` gets them; also the turn and position of A."""
    i, j, p, q = k * a[3], k * b[3], k * a[6], k * b[6]
    rows_a, rows_b = a[1], b[1]
    size_a, size_b = rows_a.shape[1], rows_b.shape[1]
    turn_a, turn_b = (a[4][p, 0], a[4][p, 1]), (b[4][q, 0], b[4][q, 1])
    home = (a[5][p, 0], a[5][p, 1])
    r = turn_back(turn_a, axpy((b[5][q, 0], b[5][q, 1]), -1.0, home))
    pair = (a[0], element(rows_a, i * size_a), size_a, a[2][i, 4],
            b[0], element(rows_b, j * size_b), size_b, b[2][j, 4], turn_back(turn_a, turn_b), r)  # fmt: skip
    return pair, turn_a, home


@jit
def evaluate(pair, n, jets):
    """F, w, x_A and K of the cores at the unit vector n."""
    address_a, row_a, size_a, core_a, address_b, row_b, size_b, core_b, q, r = pair
    m = turn_back(q, n)
    call_shape(address_a, row_a, size_a, n[0], n[1], 0.0, element(jets, 0))
    call_shape(address_b, row_b, size_b, -m[0], -m[1], 0.0, element(jets, JET))
    x_a = axpy((jets[1], jets[2]), -core_a, n)
    x_b = axpy(turn(q, (jets[JET + 1], jets[JET + 2])), core_b, n)
    f = dot(n, r) - (jets[0] - core_a) - (jets[JET] - core_b)
    k = max(jets[3] + jets[JET + 3] - core_a - core_b, 0.0)
    return f, (r[0] + x_b[0] - x_a[0], r[1] + x_b[1] - x_a[1]), x_a, k


@jit
def first_normal(pair, box_a, box_b):
    """Where to start: the common normal if both bodies were ellipses with the same boxes.

    `box` holds the half lengths and the centre of a body's bounding box in its own frame.  For
    concentric boxes the axis along which A is thinner.
    """
    q = pair[8]
    centre = turn(q, (box_b[2], box_b[3]))
    c = (pair[9][0] + centre[0] - box_a[2], pair[9][1] + centre[1] - box_a[3])
    ax, ay, bx, by = box_a[0] * box_a[0], box_a[1] * box_a[1], box_b[0] * box_b[0], box_b[1] * box_b[1]
    top = max(ax, ay, bx, by)
    length = norm(c)
    if not length > 1e-14 * math.sqrt(top):
        return (1.0, 0.0) if ax <= ay else (0.0, 1.0)
    u = (c[0] / length, c[1] / length)
    if not top > 0.0:
        return u
    # M = S_A + q S_B q', scaled; its adjugate times c points along M^-1 c.
    i = 1.0 / top
    xx = (ax + bx * q[0] * q[0] + by * q[1] * q[1]) * i + 1e-12
    yy = (ay + bx * q[1] * q[1] + by * q[0] * q[0]) * i + 1e-12
    xy = (bx - by) * q[0] * q[1] * i
    v = (yy * u[0] - xy * u[1], xx * u[1] - xy * u[0])
    length = norm(v)
    return (v[0] / length, v[1] / length) if length > 1e-30 else u
