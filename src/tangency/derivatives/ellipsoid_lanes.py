"""First derivatives of contacts between spheres and ellipsoids, many at a time (``kernels/block.py``).

The formulas are those of `linear`.  For an ellipsoid with the semi-axes a, b, c and the support value h, W has no terms
that cancel in the tangent frame (t, s): with p = R't, q = R's in the axes of the body and C = diag(bc, ca, ab)^2 / h^3,

    W_tt = q.Cq,    W_ts = -p.Cq,    W_ss = p.Cp,

by Lagrange's identity.  Contacts that need more care than this are left to the loop over single contacts.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import entry, inlined, jit, lane, lane_part, peek, select
from ..kernels.block import LANES, axpy, cross, get3, get9, mat_t_mul, put3, sub
from ..kernels.jet import JET
from ..kernels.load_lanes import load_pose, load_radii
from ..kernels.poses import at
from ..kernels.support_set import PROBES
from .linear import MILD
from .loops import NORMAL, POINT_A, number, one_jacobian
from .side import Side

# Rows of a block: semi-axes, poses, normal, point of A, distance; the results, and whether they hold.
A, B, TURN_A, TURN_B, HOME_A, HOME_B, N, POINT, DISTANCE = 0, 3, 6, 15, 24, 27, 30, 33, 36
T, S, ARM_A, ARM_B, M, G_A, G_B, H, GOOD = 37, 40, 43, 46, 49, 52, 56, 60, 64
OUT, ROWS = 65, 83
ENTRIES = 18  # of a Jacobian, 3 x 6


@inlined
def _load(s, a, b, values, count, contacts):
    for l in range(LANES):
        k = contacts[l]
        load_radii(s, A, l, a.rows, at(a.pick, k))
        load_radii(s, B, l, b.rows, at(b.pick, k))
        load_pose(s, TURN_A, HOME_A, l, a.poses, at(a.pick_pose, k))
        load_pose(s, TURN_B, HOME_B, l, b.poses, at(b.pick_pose, k))
        s[DISTANCE * LANES + l] = peek(values, k)
        for c in range(3):
            s[(N + c) * LANES + l] = peek(values, 3 * count + 3 * k + c)
            s[(POINT + c) * LANES + l] = peek(values, 6 * count + 3 * k + c)


@lane_part
def _radii(semi, turn, n, t, s):
    """W of an ellipsoid in the tangent frame: tt, ts, ss."""
    u, p, q = mat_t_mul(turn, n), mat_t_mul(turn, t), mat_t_mul(turn, s)
    a, b, c = semi[0] * semi[0], semi[1] * semi[1], semi[2] * semi[2]
    hh = a * u[0] * u[0] + b * u[1] * u[1] + c * u[2] * u[2]
    i = 1.0 / (hh * math.sqrt(hh))
    x, y, z = b * c * i, c * a * i, a * b * i
    return (
        x * q[0] * q[0] + y * q[1] * q[1] + z * q[2] * q[2],
        -(x * p[0] * q[0] + y * p[1] * q[1] + z * p[2] * q[2]),
        x * p[0] * p[0] + y * p[1] * p[1] + z * p[2] * p[2],
    )


@lane_part
def _product(w, m):
    """Of two symmetric matrices."""
    return (
        w[0] * m[0] + w[1] * m[1],
        w[0] * m[1] + w[1] * m[2],
        w[1] * m[0] + w[2] * m[1],
        w[1] * m[1] + w[2] * m[2],
    )


@lane
def _solve(s):
    """Tangent frame, arms and the products of `Linear`."""
    for l in range(LANES):
        n, d = get3(s, N, l), s[DISTANCE * LANES + l]
        # Tangent vectors without a branch (Duff et al. 2017).
        sign = select(n[2] < 0.0, -1.0, 1.0)
        i = -1.0 / (sign + n[2])
        j = n[0] * n[1] * i
        t, v = (1.0 + sign * n[0] * n[0] * i, sign * j, -sign * n[0]), (j, sign + n[1] * n[1] * i, -n[1])
        x = get3(s, POINT, l)
        put3(s, T, l, t)
        put3(s, S, l, v)
        put3(s, ARM_A, l, sub(x, get3(s, HOME_A, l)))
        put3(s, ARM_B, l, sub(axpy(x, d, n), get3(s, HOME_B, l)))
        w_a = _radii(get3(s, A, l), get9(s, TURN_A, l), n, t, v)
        w_b = _radii(get3(s, B, l), get9(s, TURN_B, l), n, t, v)
        k1, k2, k3 = w_a[0] + w_b[0] + d, w_a[1] + w_b[1], w_a[2] + w_b[2] + d
        det = k1 * k3 - k2 * k2
        most = max(w_a[0] + w_a[2], max(w_b[0] + w_b[2], abs(d)))
        good = det > MILD * most * most
        i = 1.0 / select(good, det, 1.0)
        m = (k3 * i, -k2 * i, k1 * i)
        g_a, g_b = _product(w_a, m), _product(w_b, m)
        put3(s, M, l, m)
        for c in range(4):
            s[(G_A + c) * LANES + l], s[(G_B + c) * LANES + l] = g_a[c], g_b[c]
        s[H * LANES + l] = g_a[0] * w_b[0] + g_a[1] * w_b[1]
        s[(H + 1) * LANES + l] = g_a[0] * w_b[1] + g_a[1] * w_b[2]
        s[(H + 2) * LANES + l] = g_a[2] * w_b[0] + g_a[3] * w_b[1]
        s[(H + 3) * LANES + l] = g_a[2] * w_b[1] + g_a[3] * w_b[2]
        s[GOOD * LANES + l] = select(good, 1.0, 0.0)


@lane
def _normals(s, sign, arm_row, g_row):
    """Derivative of the normal: M V + G'q."""
    for l in range(LANES):
        t, v, arm, m = get3(s, T, l), get3(s, S, l), get3(s, arm_row, l), get3(s, M, l)
        g0, g1, g2 = s[g_row * LANES + l], s[(g_row + 1) * LANES + l], s[(g_row + 2) * LANES + l]
        g3 = s[(g_row + 3) * LANES + l]
        across_t, across_s = cross(arm, t), cross(arm, v)
        for j in range(3):
            x, y = sign * t[j], sign * v[j]
            f, g = m[0] * x + m[1] * y, m[1] * x + m[2] * y
            x, y = sign * across_t[j], sign * across_s[j]
            p, q = m[0] * x + m[1] * y + g0 * v[j] - g2 * t[j], m[1] * x + m[2] * y + g1 * v[j] - g3 * t[j]
            for i in range(3):
                s[(OUT + 6 * i + j) * LANES + l] = t[i] * f + v[i] * g + 0.0
                s[(OUT + 6 * i + 3 + j) * LANES + l] = t[i] * p + v[i] * q + 0.0


@lane
def _points(s, sign, arm_row, g_row, own, swap):
    """Derivative of a contact point.

    It moves with its body, if that is the one that moves (`own` = 1), and on it with G (V - d q) + H (q_B - q_A), all
    times -1 for B; for B, H is transposed (`swap` = 1).
    """
    for l in range(LANES):
        t, v, arm, d = get3(s, T, l), get3(s, S, l), get3(s, arm_row, l), s[DISTANCE * LANES + l]
        g0, g1, g2 = s[g_row * LANES + l], s[(g_row + 1) * LANES + l], s[(g_row + 2) * LANES + l]
        g3, h0, h3 = s[(g_row + 3) * LANES + l], s[H * LANES + l], s[(H + 3) * LANES + l]
        x, y = s[(H + 1) * LANES + l], s[(H + 2) * LANES + l]
        h1, h2 = select(swap > 0.0, y, x), select(swap > 0.0, x, y)
        turn = 1.0 - 2.0 * swap  # -1 for B
        across_t, across_s = cross(arm, t), cross(arm, v)
        for j in range(3):
            x, y = turn * sign * t[j], turn * sign * v[j]
            f, g = g0 * x + g1 * y, g2 * x + g3 * y
            # q = (s, -t) of row j
            x, y = turn * (sign * across_t[j] - own * d * v[j]), turn * (sign * across_s[j] + own * d * t[j])
            p = g0 * x + g1 * y + sign * (h0 * v[j] - h1 * t[j])
            q = g2 * x + g3 * y + sign * (h2 * v[j] - h3 * t[j])
            for i in range(3):
                s[(OUT + 6 * i + j) * LANES + l] = t[i] * f + v[i] * g + 0.0
                s[(OUT + 6 * i + 3 + j) * LANES + l] = t[i] * p + v[i] * q + 0.0
        for i in range(3):
            s[(OUT + 7 * i) * LANES + l] += own
        # omega x arm
        s[(OUT + 4) * LANES + l] += own * arm[2]
        s[(OUT + 5) * LANES + l] -= own * arm[1]
        s[(OUT + 9) * LANES + l] -= own * arm[2]
        s[(OUT + 11) * LANES + l] += own * arm[0]
        s[(OUT + 15) * LANES + l] += own * arm[1]
        s[(OUT + 16) * LANES + l] -= own * arm[0]


@jit
def _store(s, contacts, used, out):
    """Write the rows of the block; whether all lanes hold."""
    good = True
    for l in range(used):
        row = out[contacts[l]]
        for i in range(ENTRIES):
            row[i] = s[(OUT + i) * LANES + l]
        good = good and s[GOOD * LANES + l] > 0.0
    return good


@entry
def ellipsoid_jacobians(a, b, values, what, part, out):
    """As `loops.jacobians`; `out` has the shape (contacts, 18)."""
    a, b = Side(*a), Side(*b)
    of, by = what
    order, start, stop = part
    count, work = out.shape[0], np.empty(PROBES * JET)
    s, contacts = np.ones(ROWS * LANES), np.empty(LANES, np.int64)
    sign, arm = (1.0, ARM_B) if by else (-1.0, ARM_A)
    for first in range(start, stop, LANES):
        used = min(LANES, stop - first)
        for l in range(LANES):
            contacts[l] = number(order, min(first + l, stop - 1))
        _load(s, a, b, values, count, contacts)
        _solve(s)
        if of == NORMAL:
            _normals(s, sign, arm, G_B if by else G_A)
        elif of == POINT_A:
            _points(s, sign, arm, G_A, 0.0 if by else 1.0, 0.0)
        else:
            _points(s, sign, arm, G_B, 1.0 if by else 0.0, 1.0)
        if not _store(s, contacts, used, out):
            for l in range(used):
                if not s[GOOD * LANES + l] > 0.0:
                    k = contacts[l]
                    one_jacobian(a, b, values, what, k, work, out[k].reshape(3, 6))
