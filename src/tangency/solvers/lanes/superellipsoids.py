"""Superellipsoids (and ellipsoids against them), many pairs at a time: damped Newton steps, bent along flat places.

The steps are the NEWTON steps of ``certified/separation.py``: (K + F)^-1 g in a tangent frame aligned with the largest
radius of curvature, bent along flat places (``kernels/flat_places.py``).  Overlap is proved by inner balls, as in
``certified/shallow_overlap.py``.  Pairs at corners and edges, where the steps do not contract, and overlaps deeper
than these balls are left to the robust solver.
"""

import math

from ...compiled.jit import entry, jit, lane, lane_part, select
from ...kernels import power_jet as body
from ...kernels.block import (
    LANES,
    add,
    axpy,
    cross,
    dot,
    get3,
    get6,
    get9,
    larger,
    mat_mul,
    mat_t_mul,
    put3,
    scale,
    sub,
    sym_mul,
    update,
    update3,
)
from ...kernels.inner_ball import barr_inner_ball
from ...kernels.power_jet import power_bend, power_jet
from ..tables import Buffers, Parameters, Part, named_question
from .loop import driver
from .rows import (
    COUNT,
    DONE,
    EXPONENTS,
    FAR,
    G2,
    GIVEN_UP,
    INVERSE,
    LIMIT,
    PART,
    PROVED,
    RHO,
    RUNNING,
    SLOPE,
    TOL,
    TURN,
    UNPROVED,
    WORK,
    ZERO,
    A,
    B,
    D,
    F,
    N,
    R,
    X,
)

PATIENCE = 60.0  # steps before a pair is left to the robust solver
SOME = 4  # new blocks are iterated until 1 / SOME of their lanes still run
# Squares of the step and the residual below which a proof is tried; it may end with a step that is not evaluated.
SHORT_STEP, SMALL_RESIDUAL = 1e-10, 1e-12
# Near a plane of symmetry, where a component of the normal is below the first number, the square of such a step across
# the plane may be this fraction of the component, or a rounding error.
NEAR_PLANE, BENT_STEP, EXACT = 1e-2, 1e-11, 1e-26
LEAST_PART = 1e-4  # part of a step; if a shorter one does not raise F, the pair is left to the robust solver
STIFF = 1e14  # radius of curvature whose rounding error hides the others, in units of length
# Rows: both bodies with their jets, then the new direction, F, w, the tangent frame, the Newton step with the change
# of x_A and the slope, the radius of the inner balls, the squared residual, and whether the proof needs the balls.
_A, _B = WORK, WORK + body.BODY
_N = WORK + 2 * body.BODY
_F, _W, _T, _S, _STEP, _SHIFT, _SLOPE, _RHO, _G2, _NEEDED = (_N + k for k in (3, 4, 7, 10, 13, 16, 19, 20, 21, 22))


@lane
def _fill(s):
    """Copy both bodies, the last direction and the step to try, each in its own frame."""
    for l in range(LANES):
        n, d, turn = get3(s, N, l), scale(get3(s, D, l), s[PART * LANES + l]), get9(s, TURN, l)
        put3(s, _A + body.RADII, l, get3(s, A, l))
        put3(s, _B + body.RADII, l, get3(s, B, l))
        s[(_A + body.Q1) * LANES + l] = s[EXPONENTS * LANES + l]
        s[(_A + body.Q2) * LANES + l] = s[(EXPONENTS + 1) * LANES + l]
        s[(_B + body.Q1) * LANES + l] = s[(EXPONENTS + 2) * LANES + l]
        s[(_B + body.Q2) * LANES + l] = s[(EXPONENTS + 3) * LANES + l]
        put3(s, _A + body.NORMAL, l, n)
        put3(s, _A + body.STEP, l, d)
        put3(s, _A + body.BENT, l, n)
        local = scale(mat_t_mul(turn, n), -1.0)
        put3(s, _B + body.NORMAL, l, local)
        put3(s, _B + body.STEP, l, scale(mat_t_mul(turn, d), -1.0))
        put3(s, _B + body.BENT, l, local)


@lane
def _move(s):
    """The next direction, bent along flat places of both bodies (`pair.moved`).

    The larger of the two corrections, plus the part of the other one across it.
    """
    for l in range(LANES):
        turn, flat = get9(s, TURN, l), axpy(get3(s, N, l), s[PART * LANES + l], get3(s, D, l))
        a, b = sub(get3(s, _A + body.BENT, l), flat), mat_mul(turn, get3(s, _B + body.BENT, l))
        b = (-b[0] - flat[0], -b[1] - flat[1], -b[2] - flat[2])
        aa, bb, ab = dot(a, a), dot(b, b), dot(a, b)
        first = aa >= bb
        k = 1.0 - ab / larger(larger(aa, bb), 1e-300)
        t = axpy(axpy(flat, select(first, k, 1.0), a), select(first, 1.0, k), b)
        good = dot(t, t) > 0.01
        t = (select(good, t[0], flat[0]), select(good, t[1], flat[1]), select(good, t[2], flat[2]))
        t = scale(t, 1.0 / math.sqrt(dot(t, t)))
        put3(s, _N, l, t)
        put3(s, _A + body.NORMAL, l, t)
        put3(s, _B + body.NORMAL, l, scale(mat_t_mul(turn, t), -1.0))


@lane
def _frames(s):
    """F, w and the tangent frame, aligned with the largest radius of curvature (`pair._stiff_frame`)."""
    for l in range(LANES):
        n, r, turn = get3(s, _N, l), get3(s, R, l), get9(s, TURN, l)
        x_a, x_b = get3(s, _A + body.POINT, l), mat_mul(turn, get3(s, _B + body.POINT, l))
        s[_F * LANES + l] = dot(n, r) - s[(_A + body.SUPPORT) * LANES + l] - s[(_B + body.SUPPORT) * LANES + l]
        put3(s, _W, l, sub(add(r, x_b), x_a))
        a, b = get6(s, _A + body.HESSIAN, l), get6(s, _B + body.HESSIAN, l)
        top_a, top_b = larger(larger(a[0], a[3]), a[5]), larger(larger(b[0], b[3]), b[5])
        of_a = top_a >= top_b
        x = select(select(of_a, a[0], b[0]) == larger(top_a, top_b), 1.0, 0.0)
        y = select((x == 0.0) & (select(of_a, a[3], b[3]) == larger(top_a, top_b)), 1.0, 0.0)
        z = 1.0 - x - y
        e_b = mat_mul(turn, (x, y, z))
        e = (select(of_a, x, e_b[0]), select(of_a, y, e_b[1]), select(of_a, z, e_b[2]))
        t = axpy(e, -dot(e, n), n)
        tt = dot(t, t)
        # If that axis is parallel to the normal, any tangent vector will do (Duff et al. 2017).
        sign = math.copysign(1.0, n[2])
        k = -1.0 / (sign + n[2])
        other = (1.0 + sign * n[0] * n[0] * k, sign * n[0] * n[1] * k, -sign * n[0])
        long = tt > 1e-12
        t = (select(long, t[0], other[0]), select(long, t[1], other[1]), select(long, t[2], other[2]))
        t = axpy(t, -dot(t, n), n)
        t = scale(t, 1.0 / math.sqrt(dot(t, t)))
        put3(s, _T, l, t)
        put3(s, _S, l, cross(n, t))


@lane
def _newton(s):
    """The step (K + F)^-1 g, with a shift where bodies overlap, the change of x_A, and the slope along the step."""
    for l in range(LANES):
        t, u, w, turn = get3(s, _T, l), get3(s, _S, l), get3(s, _W, l), get9(s, TURN, l)
        a, b = get6(s, _A + body.HESSIAN, l), get6(s, _B + body.HESSIAN, l)
        at, au = sym_mul(a, t), sym_mul(a, u)
        tb, ub = mat_t_mul(turn, t), mat_t_mul(turn, u)
        bt, bu = sym_mul(b, tb), sym_mul(b, ub)
        k11, k22 = larger(dot(at, t) + dot(bt, tb), 0.0), larger(dot(au, u) + dot(bu, ub), 0.0)
        k12, f = dot(at, u) + dot(bt, ub), s[_F * LANES + l]
        # Where K + F is not positive definite, lam is -det / (2 trace), less than the smallest eigenvalue of K.
        trace, top = k11 + k22, larger(larger(k11, k22), 1e-300)
        det = top * larger(select(k11 >= k22, k22, k11) - k12 * (k12 / top), 0.0)
        positive = (det + f * (trace + f) > 0.01 * det) & (trace + 2.0 * f > 0.0)
        lam = select(positive, f, -0.5 * det / larger(trace, 1e-300))
        k11, k22 = k11 + lam, k22 + lam
        g1, g2 = dot(w, t), dot(w, u)
        first = k11 >= k22
        big, small = larger(select(first, k11, k22), 1e-300), select(first, k22, k11)
        g_big, g_small = select(first, g1, g2), select(first, g2, g1)
        i = 1.0 / big
        d_small = (g_small - k12 * i * g_big) / larger(small - k12 * i * k12, 1e-15 * big)
        d_big = (g_big - k12 * d_small) * i
        d1, d2 = select(first, d_big, d_small), select(first, d_small, d_big)
        put3(s, _STEP, l, axpy(scale(t, d1), d2, u))
        put3(s, _SHIFT, l, axpy(scale(at, d1), d2, au))
        s[_SLOPE * LANES + l] = g1 * d1 + g2 * d2


@lane
def _balls_needed(s):
    """Number of lanes that have reached a common normal and need inner balls to prove it.

    Each lane decides for itself.  A lane that used balls because another one needs them would stop at another step
    beside other pairs.
    """
    count = 0
    for l in range(LANES):
        f, w, n, tol = s[_F * LANES + l], get3(s, _W, l), get3(s, _N, l), s[TOL * LANES + l]
        d = get3(s, _STEP, l)
        g = axpy(w, -dot(n, w), n)
        g2 = dot(g, g)
        reached = (s[DONE * LANES + l] == RUNNING) & (dot(d, d) <= SHORT_STEP) & (g2 <= SMALL_RESIDUAL)
        needed = reached & ((f < 0.0) | (g2 > tol * (2.0 * f + tol)))
        s[_G2 * LANES + l] = g2
        s[_NEEDED * LANES + l] = select(needed, 1.0, 0.0)
        count += needed
    return count


def _ball(part, first):
    """The compiled loop that adds the radius of the inner ball of one body; the first one begins the sum."""

    @lane
    def ball(s):
        for l in range(LANES):
            q1, q2 = s[(part + body.Q1) * LANES + l], s[(part + body.Q2) * LANES + l]
            radii, n, x = get3(s, part + body.RADII, l), get3(s, part + body.NORMAL, l), get3(s, part + body.POINT, l)
            h, norm_xy = s[(part + body.SUPPORT) * LANES + l], s[(part + body.NORM_XY) * LANES + l]
            radius = barr_inner_ball(radii, q1 / (q1 - 1.0), q2 / (q2 - 1.0), n, x, h, norm_xy)
            s[_RHO * LANES + l] = radius if first else s[_RHO * LANES + l] + radius

    return ball


_ball_a, _ball_b = _ball(_A, True), _ball(_B, False)


@lane_part
def _is_straight(s, part, d, l):
    """Whether the step d is short for its distance from the planes of symmetry of a body, where curvatures change fast.

    This holds for every step on an ellipsoid.
    """
    n, q1, q2 = get3(s, part + body.NORMAL, l), s[(part + body.Q1) * LANES + l], s[(part + body.Q2) * LANES + l]
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    short_x = (x >= NEAR_PLANE) | (d[0] * d[0] <= larger(BENT_STEP * x, EXACT))
    short_y = (y >= NEAR_PLANE) | (d[1] * d[1] <= larger(BENT_STEP * y, EXACT))
    short_z = (z >= NEAR_PLANE) | (d[2] * d[2] <= larger(BENT_STEP * z, EXACT))
    return (short_x & short_y & short_z) | ((q1 == 2.0) & (q2 == 2.0))


@lane
def _judge(s):
    """Accept or reject the new direction, and check whether the bounds meet."""
    for l in range(LANES):
        f, old, n = s[_F * LANES + l], s[F * LANES + l], get3(s, _N, l)
        part, done, tol, g2_old = s[PART * LANES + l], s[DONE * LANES + l], s[TOL * LANES + l], s[G2 * LANES + l]
        zero, count, d = s[ZERO * LANES + l], s[COUNT * LANES + l], get3(s, _STEP, l)
        g2, dd = s[_G2 * LANES + l], dot(d, d)
        running = done == RUNNING
        better = (f > old) | ((f > old - 1e-15) & (g2 < 0.25 * g2_old))
        go = running & better
        # On the plane itself, a step may be wrong in all directions.
        w, v = get6(s, _A + body.HESSIAN, l), get6(s, _B + body.HESSIAN, l)
        stiff = larger(w[0] + w[3] + w[5], v[0] + v[3] + v[5]) > STIFF
        straight = _is_straight(s, _A, d, l) & _is_straight(s, _B, mat_t_mul(get9(s, TURN, l), d), l)
        short = go & (dd <= SHORT_STEP) & (g2 <= SMALL_RESIDUAL)
        near, lost = short & straight & (stiff == 0), short & stiff
        rho = select(s[_NEEDED * LANES + l] > 0.0, s[_RHO * LANES + l], 0.0)
        inner = 2.0 * (f + rho) + tol
        proved = near & (g2 <= tol * inner) & (inner > 0.0)
        far = running & (f > s[LIMIT * LANES + l])
        stuck = running & (part < LEAST_PART) & (better == 0)
        now = select(near & (inner <= 0.0), UNPROVED, select(lost | stuck, GIVEN_UP, done + zero))
        s[DONE * LANES + l] = select(proved, PROVED, select(far, FAR, now))
        s[COUNT * LANES + l] = count + select(running, 1.0, 0.0)
        s[PART * LANES + l] = select(better, 1.0, 0.3 * part)
        k = 1.0 / math.sqrt(select(dd > 1.0, dd, 1.0))  # limits the step to one radian
        update3(s, N, l, go, n, zero)
        update3(s, D, l, go, scale(d, k), zero)
        update(s, F, l, go, f, zero)
        update(s, SLOPE, l, go, s[_SLOPE * LANES + l], zero)
        update(s, G2, l, go, g2, zero)
        x = get3(s, _A + body.POINT, l)
        update3(s, X, l, go, axpy(x, select(far, 0.0, 1.0), get3(s, _SHIFT, l)), zero)
        update(s, RHO, l, go, rho, zero)
        s[INVERSE * LANES + l] = 0.0


@jit
def _try(s, first):
    """Evaluate the next direction in every lane, and judge it; the first one needs no bending."""
    a, b = s[_A * LANES : _B * LANES], s[_B * LANES : _N * LANES]
    _fill(s)
    if not first:
        power_bend(a)
        power_bend(b)
    _move(s)
    power_jet(a)
    power_jet(b)
    _frames(s)
    _newton(s)
    if _balls_needed(s) > 0:
        _ball_a(s)
        _ball_b(s)
    _judge(s)


@jit
def _begin(s):
    """Evaluation of the initial directions."""
    _try(s, True)


@jit
def _step(s):
    """One trial step in every lane that is still running."""
    _try(s, False)


@jit
def _complete(s):
    """All rows of the answer are written by `_judge`."""


@jit
def _deepen(s, l):
    """Overlaps deeper than the inner balls are left to the robust solver."""
    return False


#: Contacts of some pairs of superellipsoids, spheres and ellipsoids, for compiled loops.
superellipsoid_pairs = driver(_begin, _step, _complete, _deepen, PATIENCE, SOME)


@entry
def superellipsoid_lanes(a, b, question, part, out):
    """Contacts of superellipsoids, spheres and ellipsoids; all tables are plain tuples."""
    superellipsoid_pairs(Parameters(*a), Parameters(*b), named_question(question), Part(*part), Buffers(*out))
