"""Jets of superellipsoids, a block of lanes at a time (the formulas of ``shapes/superellipsoid.py``).

A *body* is a part of a block with rows of its own: what goes in (semi-axes, exponents q of the support
function and their inverses, direction) and what comes out (h, x, W).  Short loops one after the other:
the chains of logarithms and exponentials of several lanes overlap.
"""

import math

from .._jit import lane, select
from .block import LANES, get3, larger, put3, put6
from .elementary import exp, log

RADII, Q1, Q2, NORMAL, SUPPORT, POINT, HESSIAN = 0, 3, 4, 5, 8, 9, 12
_INNER, _OUTER, _U, _V, _Q, _LEAST, _T, _TQ, _M = 18, 24, 30, 31, 32, 33, 34, 35, 36
BODY = 37  # rows of a body

TINY = 1e-100  # stands for zero where a negative power would be infinite


def _power_norm(out):
    """Compiled loops, with the place of their results as a constant: else they would not be vectorised."""

    @lane
    def power_norm(s):
        """N = (u^q + v^q)^(1/q) of the rows _U, _V with gradient and Hessian: N, Nu, Nv, Nuu, Nuv, Nvv."""
        for l in range(LANES):
            u, v, least = s[_U * LANES + l], s[_V * LANES + l], s[_LEAST * LANES + l]
            big, small = larger(u, v), select(u > v, v, u)
            t = select(big > least, larger(small / larger(big, 1e-300), TINY), 1.0)
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
        s[_LEAST * LANES + l] = TINY
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
        x = select(abs(n[0]) > TINY, a * hr * rx, 0.0)
        y = select(abs(n[1]) > TINY, b * hr * ry, 0.0)
        put3(s, POINT, l, (x, y, select(abs(n[2]) > TINY, c * hz, 0.0)))
        put6(s, HESSIAN, l, (
            a * a * (hrr * rx * rx + hr * rxx), a * b * (hrr * rx * ry + hr * rxy), a * c * hrz * rx,
            b * b * (hrr * ry * ry + hr * ryy), b * c * hrz * ry, c * c * hzz,
        ))  # fmt: skip
