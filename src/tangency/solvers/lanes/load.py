"""Loads pairs into a block of lanes and transforms them to their own frames and units of length.

The functions that gather numbers from tables are inlined: passing a table, a tuple of arrays, to a compiled function
costs as much as loading several pairs.
"""

import math

from ...compiled.jit import bits, from_bits, inlined, lane, peek, select
from ...kernels.block import (
    LANES,
    dot,
    get3,
    get9,
    mat_t_mul,
    put3,
    put6,
    scale,
    sub,
    sym_mul,
    update3,
)
from ...kernels.load_lanes import load_pose, load_radii
from ...kernels.poses import at
from ...kernels.rounding import ROUNDING as RELATIVE
from .rows import (
    COUNT,
    DONE,
    EXPONENTS,
    GUESS,
    HOME,
    HOME_B,
    INNER,
    LIMIT,
    MARGIN,
    MAX_DISTANCE,
    PAIR,
    PART,
    ROUNDING,
    S_B,
    SCALE,
    SLOPE,
    TOL,
    TURN,
    TURN_A,
    TURN_B,
    ZERO,
    A,
    B,
    D,
    F,
    N,
    R,
)

_EXPONENT = 0x7FF << 52
_NEGATED = 0x7FE << 52  # this minus the exponent bits of 2^k gives those of 2^-k


@inlined
def load_exponents(s, row, l, rows, i):
    """Exponents of the support function of body i; they are 2 for an ellipsoid."""
    width = rows.shape[1]
    s[row * LANES + l] = peek(rows, width * i + 3) if width == 5 else 2.0
    s[(row + 1) * LANES + l] = peek(rows, width * i + 4) if width == 5 else 2.0


@inlined
def load(s, a, b, question, pairs, first):
    """Gather pairs into a block; data common to all pairs only the first time."""
    for l in range(LANES):
        load_radii(s, A, l, a.rows, at(a.pick, pairs[l]))
        load_radii(s, B, l, b.rows, at(b.pick, pairs[l]))
        s[PAIR * LANES + l] = pairs[l]
    if a.rows.shape[1] == 5 or b.rows.shape[1] == 5:
        for l in range(LANES):
            load_exponents(s, EXPONENTS, l, a.rows, at(a.pick, pairs[l]))
            load_exponents(s, EXPONENTS + 2, l, b.rows, at(b.pick, pairs[l]))
    if first or a.pick_pose.size != 1:
        for l in range(LANES):
            load_pose(s, TURN_A, HOME, l, a.poses, at(a.pick_pose, pairs[l]))
    if first or b.pick_pose.size != 1:
        for l in range(LANES):
            load_pose(s, TURN_B, HOME_B, l, b.poses, at(b.pick_pose, pairs[l]))
    if first or question.guess.pick.size != 1:
        for l in range(LANES):
            i = 3 * at(question.guess.pick, pairs[l])
            guess = question.guess.rows
            put3(s, GUESS, l, (peek(guess, i), peek(guess, i + 1), peek(guess, i + 2)))
    if first or question.limits.pick.size != 1:
        for l in range(LANES):
            s[MAX_DISTANCE * LANES + l] = peek(question.limits.rows, at(question.limits.pick, pairs[l]))


@lane
def prepare(s, tol):
    """Transform pairs from the world to their own frames and units of length."""
    for l in range(LANES):
        a, b = get3(s, A, l), get3(s, B, l)
        size = math.sqrt(dot(a, a)) + math.sqrt(dot(b, b))
        power = bits(size) & _EXPONENT
        down = from_bits(_NEGATED - power)
        r = sub(get3(s, HOME_B, l), get3(s, HOME, l))
        rounding = RELATIVE * (max(a[0], max(a[1], a[2])) + max(b[0], max(b[1], b[2])) + math.sqrt(dot(r, r)))
        s[SCALE * LANES + l] = from_bits(power)
        s[ROUNDING * LANES + l] = rounding
        s[TOL * LANES + l] = max(tol * size, 0.25 * rounding) * down
        s[LIMIT * LANES + l] = (s[MAX_DISTANCE * LANES + l] + rounding) * down
        put3(s, A, l, scale(a, down))
        put3(s, B, l, scale(b, down))
        turn = get9(s, TURN_A, l)
        put3(s, R, l, mat_t_mul(turn, scale(r, down)))
        put3(s, N, l, mat_t_mul(turn, get3(s, GUESS, l)))
        put3(s, D, l, (0.0, 0.0, 0.0))
        s[PART * LANES + l] = 1.0
        s[F * LANES + l] = -1e300
        s[SLOPE * LANES + l] = 0.0
        s[DONE * LANES + l] = 0.0
        s[COUNT * LANES + l] = 0.0
        s[ZERO * LANES + l] = 0.0
    for l in range(LANES):
        # The axes of B in the frame of A.
        turn, m = get9(s, TURN_A, l), get9(s, TURN_B, l)
        x = mat_t_mul(turn, (m[0], m[3], m[6]))
        y = mat_t_mul(turn, (m[1], m[4], m[7]))
        z = mat_t_mul(turn, (m[2], m[5], m[8]))
        put3(s, TURN, l, (x[0], y[0], z[0]))
        put3(s, TURN + 3, l, (x[1], y[1], z[1]))
        put3(s, TURN + 6, l, (x[2], y[2], z[2]))


@lane
def begin(s):
    """Initial direction: the guess, or one step towards the common normal from the line of centres."""
    for l in range(LANES):
        a, b, m, r = get3(s, A, l), get3(s, B, l), get9(s, TURN, l), get3(s, R, l)
        s1, s2, s3 = a[0] * a[0], a[1] * a[1], a[2] * a[2]
        t1, t2, t3 = b[0] * b[0], b[1] * b[1], b[2] * b[2]
        xx = t1 * m[0] * m[0] + t2 * m[1] * m[1] + t3 * m[2] * m[2]
        xy = t1 * m[0] * m[3] + t2 * m[1] * m[4] + t3 * m[2] * m[5]
        xz = t1 * m[0] * m[6] + t2 * m[1] * m[7] + t3 * m[2] * m[8]
        yy = t1 * m[3] * m[3] + t2 * m[4] * m[4] + t3 * m[5] * m[5]
        yz = t1 * m[3] * m[6] + t2 * m[4] * m[7] + t3 * m[5] * m[8]
        zz = t1 * m[6] * m[6] + t2 * m[7] * m[7] + t3 * m[8] * m[8]
        put6(s, S_B, l, (xx, xy, xz, yy, yz, zz))
        s[INNER * LANES + l] = MARGIN * min(s1, min(s2, s3))
        s[(INNER + 1) * LANES + l] = MARGIN * min(t1, min(t2, t3))
        # At n = r / |r|: (S_A / h_A + S_B / h_B + F) n' = r, all times h_A h_B.
        rr = dot(r, r)
        h_a = math.sqrt(s1 * r[0] * r[0] + s2 * r[1] * r[1] + s3 * r[2] * r[2])
        mixed = xy * r[0] * r[1] + xz * r[0] * r[2] + yz * r[1] * r[2]
        h_b = math.sqrt(xx * r[0] * r[0] + yy * r[1] * r[1] + zz * r[2] * r[2] + 2.0 * mixed)
        f = max(rr - h_a - h_b, 0.0) * h_a * h_b / rr
        xx, yy, zz = s1 * h_b + xx * h_a + f, s2 * h_b + yy * h_a + f, s3 * h_b + zz * h_a + f
        xy, xz, yz = xy * h_a, xz * h_a, yz * h_a
        ax, axy, axz = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        ay, ayz, az = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
        adjugate = (ax, axy, axz, ay, ayz, az)
        n = sym_mul(adjugate, r)
        nn = dot(n, n)
        known = nn > 1e-300  # concentric bodies have no line of centres: any direction
        i = 1.0 / math.sqrt(select(known, nn, 1.0))
        n = (select(known, n[0] * i, 1.0), select(known, n[1] * i, 0.0), select(known, n[2] * i, 0.0))
        guess = get3(s, N, l)
        given = dot(guess, guess) > 0.25
        update3(s, N, l, not given, n, s[ZERO * LANES + l])
