"""Jets of superellipsoids for a block of lanes at a time (the formulas of ``shapes/superellipsoid.py``).

A *body* is a range of rows of a block: inputs (semi-axes, exponents q of the support function, direction,
step) and outputs (h, x, W, bent direction).  The work is split into short loops, so that the chains of
logarithms and exponentials of several lanes overlap.
"""

import math

from ..compiled.jit import lane, select
from .block import LANES, get3, larger, put3, put6
from .elementary import exp, log

RADII, Q1, Q2, NORMAL, STEP, BENT, SUPPORT, POINT, HESSIAN = 0, 3, 4, 5, 8, 11, 14, 15, 18
_INNER, _OUTER, _U, _V, _Q, _LEAST, _T, _TQ, _M = 24, 30, 36, 37, 38, 39, 40, 41, 42
_RATIO, _MOVE, _BETA, _FACTOR, _TOP, _AHEAD = 24, 27, 30, 33, 36, 37  # used by a bend, before the jet
BODY = 43  # rows of a body
NORM_XY = _OUTER + 1  # after a jet: (|x/a|^p2 + |y/b|^p2)^(1/p2) of the point

MIN_BASE = 1e-100  # replaces zero where a negative power would be infinite


def _power_norm(out):
    """Compiled loops with a constant offset of their results; otherwise they would not be vectorised."""

    @lane
    def power_norm(s):
        """N = (u^q + v^q)^(1/q) of the rows _U, _V with gradient and Hessian: N, Nu, Nv, Nuu, Nuv, Nvv."""
        for l in range(LANES):
            u, v, least = s[_U * LANES + l], s[_V * LANES + l], s[_LEAST * LANES + l]
            big, small = larger(u, v), select(u > v, v, u)
            t = select(big > least, larger(small / larger(big, 1e-300), MIN_BASE), 1.0)
            s[_T * LANES + l] = t
            s[_TQ * LANES + l] = s[_Q * LANES + l] * log(t)
        for l in range(LANES):
            tq = exp(s[_TQ * LANES + l])
            s[_TQ * LANES + l] = tq
            s[_M * LANES + l] = log(1.0 + tq) / s[_Q * LANES + l]
        for l in range(LANES):
            u, v, least = s[_U * LANES + l], s[_V * LANES + l], s[_LEAST * LANES + l]
            t, tq, m, q = s[_T * LANES + l], s[_TQ * LANES + l], exp(s[_M * LANES + l]), s[_Q * LANES + l]
            n = larger(larger(u, v), least) * m
            sum_q = 1.0 + tq
            i = 1.0 / (t * sum_q * n)
            i_t, r, k = i * sum_q * n, i * t * n, (q - 1.0) * (i * t * sum_q)
            g_big, g_small = r * m, r * tq * m * i_t
            h_bb, h_bs, h_ss = k * (g_big * m) * (r * tq), -k * g_big * g_small, k * (g_small * m * i_t) * r
            first = u >= v
            s[out * LANES + l] = n
            s[(out + 1) * LANES + l] = select(first, g_big, g_small)
            s[(out + 2) * LANES + l] = select(first, g_small, g_big)
            s[(out + 3) * LANES + l] = select(first, h_bb, h_ss)
            s[(out + 4) * LANES + l] = h_bs
            s[(out + 5) * LANES + l] = select(first, h_ss, h_bb)

    return power_norm


_inner_norm, _outer_norm = _power_norm(_INNER), _power_norm(_OUTER)


@lane
def power_jet(s):
    """h, x and W of a body from its semi-axes, exponents and direction."""
    for l in range(LANES):
        a, n = get3(s, RADII, l), get3(s, NORMAL, l)
        s[_U * LANES + l] = abs(a[0] * n[0])
        s[_V * LANES + l] = abs(a[1] * n[1])
        s[_LEAST * LANES + l] = 1e-90 * abs(a[2] * n[2])
        s[_Q * LANES + l] = s[Q2 * LANES + l]
    _inner_norm(s)
    for l in range(LANES):
        s[_U * LANES + l] = s[_INNER * LANES + l]
        s[_V * LANES + l] = abs(s[(RADII + 2) * LANES + l] * s[(NORMAL + 2) * LANES + l])
        s[_LEAST * LANES + l] = MIN_BASE
        s[_Q * LANES + l] = s[Q1 * LANES + l]
    _outer_norm(s)
    for l in range(LANES):
        n, radii = get3(s, NORMAL, l), get3(s, RADII, l)
        a, b, c = math.copysign(radii[0], n[0]), math.copysign(radii[1], n[1]), math.copysign(radii[2], n[2])
        rx, ry, rxx = get3(s, _INNER + 1, l)
        rxy, ryy = s[(_INNER + 4) * LANES + l], s[(_INNER + 5) * LANES + l]
        h, hr, hz = get3(s, _OUTER, l)
        hrr, hrz, hzz = get3(s, _OUTER + 3, l)
        s[SUPPORT * LANES + l] = h
        x = select(abs(n[0]) > MIN_BASE, a * hr * rx, 0.0)
        y = select(abs(n[1]) > MIN_BASE, b * hr * ry, 0.0)
        put3(s, POINT, l, (x, y, select(abs(n[2]) > MIN_BASE, c * hz, 0.0)))
        put6(
            s,
            HESSIAN,
            l,
            (
                a * a * (hrr * rx * rx + hr * rxx),
                a * b * (hrr * rx * ry + hr * rxy),
                a * c * hrz * rx,
                b * b * (hrr * ry * ry + hr * ryy),
                b * c * hrz * ry,
                c * c * hzz,
            ),
        )


@lane
def power_bend(s):
    """Direction reached by a step, as `Superellipsoid.Kernel.bend`: components move as ratios to the largest."""
    for l in range(LANES):
        n, d, radii = get3(s, NORMAL, l), get3(s, STEP, l), get3(s, RADII, l)
        x, y, z = abs(radii[0] * n[0]), abs(radii[1] * n[1]), abs(radii[2] * n[2])
        around_z = (z >= x) & (z >= y)
        pole = select(around_z, n[2], select(x >= y, n[0], n[1]))
        top = pole + select(around_z, d[2], select(x >= y, d[0], d[1]))
        ahead = pole * top > 0.0
        i, j = 1.0 / select(ahead, pole, 1.0), 1.0 / select(ahead, top, 1.0)
        u, v = (n[0] * i, n[1] * i, n[2] * i), ((n[0] + d[0]) * j, (n[1] + d[1]) * j, (n[2] + d[2]) * j)
        b1, b2 = 1.0 / (s[Q1 * LANES + l] - 1.0), 1.0 / (s[Q2 * LANES + l] - 1.0)
        put3(s, _RATIO, l, u)
        put3(s, _MOVE, l, (v[0] - u[0], v[1] - u[1], v[2] - u[2]))
        b = select(around_z, b1, b2)
        put3(s, _BETA, l, (b, b, b1))
        s[_TOP * LANES + l] = top
        s[_AHEAD * LANES + l] = select(ahead, 1.0, 0.0)
    # As `flat.power_step`: u + du, measured in t where u = t^beta.  The three components are adjacent rows.
    for l in range(3 * LANES):
        u, du, beta = s[_RATIO * LANES + l], s[_MOVE * LANES + l], s[_BETA * LANES + l]
        bends = (beta > 1.0) & (abs(u) > 1e-300)
        s[_FACTOR * LANES + l] = 1.0 + du / select(bends, beta * u, 1.0)
    for l in range(3 * LANES):
        u, du, beta, z = s[_RATIO * LANES + l], s[_MOVE * LANES + l], s[_BETA * LANES + l], s[_FACTOR * LANES + l]
        v, most = abs(u) * exp(beta * log(larger(abs(z), 1e-300))), abs(u) + abs(du)
        bends = (beta > 1.0) & (abs(u) > 1e-300)
        s[_RATIO * LANES + l] = select(bends, math.copysign(select(v < most, v, most), u * z), u + du)
    for l in range(LANES):
        n, d, u = get3(s, NORMAL, l), get3(s, STEP, l), get3(s, _RATIO, l)
        top, ahead = s[_TOP * LANES + l], s[_AHEAD * LANES + l] > 0.0
        x, y, z = select(ahead, u[0] * top, n[0] + d[0]), select(ahead, u[1] * top, n[1] + d[1]), n[2] + d[2]
        put3(s, BENT, l, (x, y, select(ahead, u[2] * top, z)))
