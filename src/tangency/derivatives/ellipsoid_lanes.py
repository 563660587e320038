"""First derivatives of contacts between spheres and ellipsoids, many at a time (``kernels/block.py``).

The formulas are those of `linear`, with 1 for the body that moves and 2 for the other one.  For an ellipsoid with the
semi-axes a, b, c and the support value h, W has no terms that cancel in the tangent frame (t, s): with p = R't, q = R's
in the axes of the body and C = diag(bc, ca, ab)^2 / h^3,

    W_tt = q.Cq,    W_ts = -p.Cq,    W_ss = p.Cp,

by Lagrange's identity.  Contacts that need more care than this are left to the loop over single contacts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import entry, inlined, jit, lane, lane_part, peek, select
from ..kernels.block import LANES, axpy, cross, get3, get9, mat_t_mul, sub
from ..kernels.jet import JET
from ..kernels.load_lanes import load_pose, load_radii
from ..kernels.poses import at
from ..kernels.support_set import PROBES
from .linear import MILD, STEEP, product
from .loops import NORMAL, POINT_A, number, one_jacobian
from .side import Side

# Rows of a block: semi-axes and poses of bodies 1 and 2, normal, point of A, distance; whether the results hold; these.
RADII_1, RADII_2, TURN_1, TURN_2, HOME_1, HOME_2, N, POINT, DISTANCE = 0, 3, 6, 15, 24, 27, 30, 33, 36
GOOD, OUT = 37, 38
JACOBIAN = 18  # numbers of a Jacobian, 3 x 6

symmetric_product = lane_part(product.py_func)


class Lane(NamedTuple):
    """One contact to first order; vectors, and 2x2 matrices in the tangent frame (t, s)."""

    n: Any
    t: Any
    s: Any
    m: Any  #: (K + d)^-1
    w_1: Any  #: and its determinant
    w_2: Any
    d: float
    inverse: float  #: of the determinant of K + d


@inlined
def load_lanes(s, first, second, values, count, contacts, anew):
    """Fill a block with the contacts of these numbers; `first` and `second` are bodies 1 and 2.

    Without `anew`, a pose that all contacts share is in the block already.
    """
    for l in range(LANES):
        k = contacts[l]
        load_radii(s, RADII_1, l, first.rows, at(first.pick, k))
        load_radii(s, RADII_2, l, second.rows, at(second.pick, k))
        s[DISTANCE * LANES + l] = peek(values, k)
        for c in range(3):
            s[(N + c) * LANES + l] = peek(values, 3 * count + 3 * k + c)
            s[(POINT + c) * LANES + l] = peek(values, 6 * count + 3 * k + c)
    if anew or first.pick_pose.size != 1:
        for l in range(LANES):
            load_pose(s, TURN_1, HOME_1, l, first.poses, at(first.pick_pose, contacts[l]))
    if anew or second.pick_pose.size != 1:
        for l in range(LANES):
            load_pose(s, TURN_2, HOME_2, l, second.poses, at(second.pick_pose, contacts[l]))


@lane_part
def _radii(semi, turn, n, t, s):
    """W of an ellipsoid in the tangent frame, tt, ts, ss, and its determinant."""
    u, p, q = mat_t_mul(turn, n), mat_t_mul(turn, t), mat_t_mul(turn, s)
    a, b, c = semi[0] * semi[0], semi[1] * semi[1], semi[2] * semi[2]
    hh = a * u[0] * u[0] + b * u[1] * u[1] + c * u[2] * u[2]
    i = 1.0 / (hh * math.sqrt(hh))
    x, y, z = b * c * i, c * a * i, a * b * i
    return (
        x * q[0] * q[0] + y * q[1] * q[1] + z * q[2] * q[2],
        -(x * p[0] * q[0] + y * p[1] * q[1] + z * p[2] * q[2]),
        x * p[0] * p[0] + y * p[1] * p[1] + z * p[2] * p[2],
        a * b * c * i * i * hh,
    )


@lane_part
def solved_lane(s, l):
    """Contact l; writes whether it holds."""
    n, d = get3(s, N, l), s[DISTANCE * LANES + l]
    # Tangent vectors without a branch (Duff et al. 2017).
    sign = select(n[2] < 0.0, -1.0, 1.0)
    i = -1.0 / (sign + n[2])
    j = n[0] * n[1] * i
    t, v = (1.0 + sign * n[0] * n[0] * i, sign * j, -sign * n[0]), (j, sign + n[1] * n[1] * i, -n[1])
    w_1 = _radii(get3(s, RADII_1, l), get9(s, TURN_1, l), n, t, v)
    w_2 = _radii(get3(s, RADII_2, l), get9(s, TURN_2, l), n, t, v)
    # det(W_1 + W_2 + d) by terms: those of plates and needles may be smaller by many orders than products of entries
    mixed, trace = w_1[0] * w_2[2] + w_1[2] * w_2[0], w_1[0] + w_1[2] + w_2[0] + w_2[2]
    known = w_1[3] + w_2[3] + d * d
    det = known + (mixed - 2.0 * w_1[1] * w_2[1]) + d * trace
    m0, m1, m2 = w_1[2] + w_2[2] + d, -w_1[1] - w_2[1], w_1[0] + w_2[0] + d
    r, q = get3(s, RADII_1, l), get3(s, RADII_2, l)
    length = max(r[0], max(r[1], r[2])) + max(q[0], max(q[1], q[2]))
    good = det > MILD * (known + mixed + abs(d) * trace) and length * max(m0, m2) < STEEP * det
    i = 1.0 / select(good, det, 1.0)
    s[GOOD * LANES + l] = select(good, 1.0, 0.0)
    return Lane(n, t, v, (m0 * i, m1 * i, m2 * i), w_1, w_2, d, i)


@lane_part
def times_inverse(w, other, c):
    """W M for a body with this W and its determinant: W adj(W + other + d) / det, tt, ts, st, ss."""
    i, d, det = c.inverse, c.d, w[3]
    return (
        (det + w[0] * other[2] - w[1] * other[1] + d * w[0]) * i,
        (w[1] * other[0] - w[0] * other[1] + d * w[1]) * i,
        (w[1] * other[2] - w[2] * other[1] + d * w[1]) * i,
        (det + w[2] * other[0] - w[1] * other[1] + d * w[2]) * i,
    )


@lane_part
def own_product(c):
    """W_1 M."""
    return times_inverse(c.w_1, c.w_2, c)


@lane_part
def other_product(c):
    """W_2 M."""
    return times_inverse(c.w_2, c.w_1, c)


@lane_part
def between(w, other, c):
    """W M W_other = (det W W_other + det W_other W + d W W_other) / det."""
    p, i, d = symmetric_product(w, other), c.inverse, c.d
    tt = w[3] * other[0] + other[3] * w[0]
    ts = w[3] * other[1] + other[3] * w[1]
    ss = w[3] * other[2] + other[3] * w[2]
    return ((tt + d * p[0]) * i, (ts + d * p[1]) * i, (ts + d * p[2]) * i, (ss + d * p[3]) * i)


@lane_part
def arm_lane(s, l, home, share):
    """From a body's reference point to its contact point, `share` of the distance from the point of A."""
    return sub(axpy(get3(s, POINT, l), share * s[DISTANCE * LANES + l], get3(s, N, l)), get3(s, home, l))


@lane_part
def _put(s, l, j, t, v, f, g):
    """Column j of the Jacobian, a tangent vector."""
    for i in range(3):
        s[(OUT + 6 * i + j) * LANES + l] = t[i] * f + v[i] * g + 0.0


@lane
def _normals(s, sign, share):
    """Derivative of the normal, M V + G'q; `sign` is -1 if A moves, `share` is 0."""
    for l in range(LANES):
        c = solved_lane(s, l)
        arm, m, g, t, v = arm_lane(s, l, HOME_1, share), c.m, own_product(c), c.t, c.s
        across_t, across_s = cross(arm, t), cross(arm, v)
        for j in range(3):
            x, y = sign * t[j], sign * v[j]
            _put(s, l, j, t, v, m[0] * x + m[1] * y, m[1] * x + m[2] * y)
            x, y = sign * across_t[j], sign * across_s[j]
            p, q = m[0] * x + m[1] * y + g[0] * v[j] - g[2] * t[j], m[1] * x + m[2] * y + g[1] * v[j] - g[3] * t[j]
            _put(s, l, 3 + j, t, v, p, q)


@lane
def _own_points(s, sign, share):
    """Derivative of the contact point of the body that moves: with it, and on it with -+(G (V - d q) - W_1 M W_2 q)."""
    for l in range(LANES):
        c, d = solved_lane(s, l), s[DISTANCE * LANES + l]
        arm, g, t, v = arm_lane(s, l, HOME_1, share), own_product(c), c.t, c.s
        h, across_t, across_s = between(c.w_1, c.w_2, c), cross(arm, t), cross(arm, v)
        for j in range(3):
            _put(s, l, j, t, v, -(g[0] * t[j] + g[1] * v[j]), -(g[2] * t[j] + g[3] * v[j]))
            # q = (s, -t) of row j
            x, y = sign * d * v[j] - across_t[j], -sign * d * t[j] - across_s[j]
            p = g[0] * x + g[1] * y + sign * (h[0] * v[j] - h[1] * t[j])
            q = g[2] * x + g[3] * y + sign * (h[2] * v[j] - h[3] * t[j])
            _put(s, l, 3 + j, t, v, p, q)
        for i in range(3):
            s[(OUT + 7 * i) * LANES + l] += 1.0
        # omega x arm
        s[(OUT + 4) * LANES + l] += arm[2]
        s[(OUT + 5) * LANES + l] -= arm[1]
        s[(OUT + 9) * LANES + l] -= arm[2]
        s[(OUT + 11) * LANES + l] += arm[0]
        s[(OUT + 15) * LANES + l] += arm[1]
        s[(OUT + 16) * LANES + l] -= arm[0]


@lane
def _other_points(s, sign, share):
    """Derivative of the contact point of the body at rest: +-(G_2 V + W_2 M W_1 q)."""
    for l in range(LANES):
        c = solved_lane(s, l)
        arm, g, t, v = arm_lane(s, l, HOME_1, share), other_product(c), c.t, c.s
        h, across_t, across_s = between(c.w_2, c.w_1, c), cross(arm, t), cross(arm, v)
        for j in range(3):
            _put(s, l, j, t, v, g[0] * t[j] + g[1] * v[j], g[2] * t[j] + g[3] * v[j])
            x, y = across_t[j], across_s[j]
            p = g[0] * x + g[1] * y + sign * (h[0] * v[j] - h[1] * t[j])
            q = g[2] * x + g[3] * y + sign * (h[2] * v[j] - h[3] * t[j])
            _put(s, l, 3 + j, t, v, p, q)


@jit
def store_lanes(s, contacts, used, out):
    """Write the rows of the block; whether all lanes hold."""
    good = True
    for l in range(used):
        k = contacts[l]
        for i in range(out.shape[1]):
            out[k, i] = s[(OUT + i) * LANES + l]
        good = good and s[GOOD * LANES + l] > 0.0
    return good


@jit
def number_lanes(order, first, stop, contacts):
    """Numbers of the contacts of a block from position `first`, the last one repeated; how many there are."""
    for l in range(LANES):
        contacts[l] = number(order, min(first + l, stop - 1))
    return min(LANES, stop - first)


@entry
def ellipsoid_jacobians(a, b, values, what, part, out):
    """As `loops.jacobians`; `out` has the shape (contacts, 18)."""
    a, b = Side(*a), Side(*b)
    of, by = what
    order, start, stop = part
    count, work = out.shape[0], np.empty(PROBES * JET)
    s, contacts = np.ones((OUT + JACOBIAN) * LANES), np.empty(LANES, np.int64)
    sign, share, own = (1.0, 1.0, of != POINT_A) if by else (-1.0, 0.0, of == POINT_A)
    for first in range(start, stop, LANES):
        used = number_lanes(order, first, stop, contacts)
        if by:
            load_lanes(s, b, a, values, count, contacts, first == start)
        else:
            load_lanes(s, a, b, values, count, contacts, first == start)
        if of == NORMAL:
            _normals(s, sign, share)
        elif own:
            _own_points(s, sign, share)
        else:
            _other_points(s, sign, share)
        if not store_lanes(s, contacts, used, out):
            for l in range(used):
                if not s[GOOD * LANES + l] > 0.0:
                    k = contacts[l]
                    one_jacobian(a, b, values, what, k, work, out[k].reshape(3, 6))
