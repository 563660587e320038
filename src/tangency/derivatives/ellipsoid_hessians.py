"""Second derivatives of the distance of spheres and ellipsoids, many at a time.

With Y the velocity V along t and s of each unit twist and Q that of the normal, q, the formulas of `loops.hessians` are

    H = Y'MY + Y'G'Q + Q'GY - Q'(d G + W_1 M W_2)Q + (half of the arm and n, as below)     by one pose twice,
    H = Y_2'M Y_1 + Y_2'G_1'Q_1 + Q_2'G_2 Y_1 + Q_2'W_2 M W_1 Q_1                          rows of body 2, columns of 1.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import entry, lane
from ..kernels.block import LANES, cross, dot
from ..kernels.jet import JET
from ..kernels.support_set import PROBES
from .ellipsoid_lanes import (
    DISTANCE,
    GOOD,
    HOME_1,
    HOME_2,
    OUT,
    arm_lane,
    between,
    load_lanes,
    number_lanes,
    other_product,
    own_product,
    solved_lane,
    store_lanes,
)
from .loops import one_hessian
from .side import Side

HESSIAN = 36  # numbers of a Hessian, 6 x 6


@lane
def _same_pose(s, sign, share):
    """By one pose twice; `sign` is -1 and `share` is 0 if it is that of A."""
    for l in range(LANES):
        c, d = solved_lane(s, l), s[DISTANCE * LANES + l]
        arm, g, m, t, v, n = arm_lane(s, l, HOME_1, share), own_product(c), c.m, c.t, c.s, c.n
        h = between(c.w_1, c.w_2, c)
        x0, x1, x2, x3 = d * g[0] + h[0], d * g[1] + h[1], d * g[2] + h[2], d * g[3] + h[3]
        across_t, across_s, height = cross(arm, t), cross(arm, v), dot(n, arm)
        for j in range(3):
            f, e = m[0] * t[j] + m[1] * v[j], m[1] * t[j] + m[2] * v[j]
            for i in range(3):
                s[(OUT + 6 * i + j) * LANES + l] = t[i] * f + v[i] * e + 0.0
            # q = (s, -t) of row j
            y, z = sign * across_t[j], sign * across_s[j]
            f = m[0] * y + m[1] * z + g[0] * v[j] - g[2] * t[j]
            e = m[1] * y + m[2] * z + g[1] * v[j] - g[3] * t[j]
            p = g[0] * y + g[1] * z - x0 * v[j] + x1 * t[j]
            q = g[2] * y + g[3] * z - x2 * v[j] + x3 * t[j]
            for i in range(3):
                value = sign * (t[i] * f + v[i] * e) + 0.0
                s[(OUT + 6 * i + 3 + j) * LANES + l] = value
                s[(OUT + 18 + 6 * j + i) * LANES + l] = value
            for i in range(3):
                value = sign * (across_t[i] * f + across_s[i] * e) + v[i] * p - t[i] * q
                s[(OUT + 21 + 6 * i + j) * LANES + l] = value + 0.5 * sign * (arm[i] * n[j] + n[i] * arm[j])
        for i in range(3):
            s[(OUT + 21 + 7 * i) * LANES + l] -= sign * height
        # Equal but for rounding; optimisers ask for symmetry
        for block in (OUT, OUT + 21):
            s[(block + 6) * LANES + l] = s[(block + 1) * LANES + l]
            s[(block + 12) * LANES + l] = s[(block + 2) * LANES + l]
            s[(block + 13) * LANES + l] = s[(block + 8) * LANES + l]


@lane
def _both_poses(s, sign, share):
    """Rows by the pose of body 2, columns by that of body 1."""
    for l in range(LANES):
        c = solved_lane(s, l)
        g, g_2, m, t, v = own_product(c), other_product(c), c.m, c.t, c.s
        h, arm, arm_2 = between(c.w_2, c.w_1, c), arm_lane(s, l, HOME_1, share), arm_lane(s, l, HOME_2, 1.0 - share)
        across_t, across_s, rows_t, rows_s = cross(arm, t), cross(arm, v), cross(arm_2, t), cross(arm_2, v)
        for j in range(3):
            y, z = sign * t[j], sign * v[j]
            f, e = m[0] * y + m[1] * z, m[1] * y + m[2] * z
            p, q = g_2[0] * y + g_2[1] * z, g_2[2] * y + g_2[3] * z
            for i in range(3):
                s[(OUT + 6 * i + j) * LANES + l] = -sign * (t[i] * f + v[i] * e) + 0.0
                value = -sign * (rows_t[i] * f + rows_s[i] * e) + v[i] * p - t[i] * q
                s[(OUT + 18 + 6 * i + j) * LANES + l] = value + 0.0
            y, z = sign * across_t[j], sign * across_s[j]
            f = m[0] * y + m[1] * z + g[0] * v[j] - g[2] * t[j]
            e = m[1] * y + m[2] * z + g[1] * v[j] - g[3] * t[j]
            p = g_2[0] * y + g_2[1] * z + h[0] * v[j] - h[1] * t[j]
            q = g_2[2] * y + g_2[3] * z + h[2] * v[j] - h[3] * t[j]
            for i in range(3):
                s[(OUT + 3 + 6 * i + j) * LANES + l] = -sign * (t[i] * f + v[i] * e) + 0.0
                value = -sign * (rows_t[i] * f + rows_s[i] * e) + v[i] * p - t[i] * q
                s[(OUT + 21 + 6 * i + j) * LANES + l] = value + 0.0


@entry
def ellipsoid_hessians(a, b, values, by, part, out):
    """As `loops.hessians`."""
    a, b = Side(*a), Side(*b)
    rows, columns = by
    order, start, stop = part
    count, work = out.shape[0], np.empty(PROBES * JET)
    s, contacts = np.ones((OUT + HESSIAN) * LANES), np.empty(LANES, np.int64)
    sign, share = (1.0, 1.0) if columns else (-1.0, 0.0)
    for first in range(start, stop, LANES):
        used = number_lanes(order, first, stop, contacts)
        if columns:
            load_lanes(s, b, a, values, count, contacts, first == start)
        else:
            load_lanes(s, a, b, values, count, contacts, first == start)
        if rows == columns:
            _same_pose(s, sign, share)
        else:
            _both_poses(s, sign, share)
        if not store_lanes(s, contacts, used, out):
            for l in range(used):
                if not s[GOOD * LANES + l] > 0.0:
                    k = contacts[l]
                    one_hessian(a, b, values, by, k, work, out[k].reshape(6, 6))
