"""Spheres and ellipsoids, many pairs at a time: damped Newton iteration on the unit sphere.

With S = L L' the matrix of an ellipsoid (L = R diag(a)), h = |L'n|, x = S n / h and W = (S - x x') / h.

Overlap is proved by *inner balls*: the ball of radius rho = s / h(n), with s the square of the smallest semi-axis,
that touches the ellipsoid at x(n) from within, lies inside it.  (Its centre is x - rho n; x is the nearest point of
the surface if and only if the multiplier rho h of the constraint is at most the smallest eigenvalue of S.)  The
balls of A and B add up to a ball inside the Minkowski difference of the bodies, so for every unit vector n

    distance <= |w + rho n| - rho,    rho = s_A / h_A(n) + s_B / h_B(n),

and K >= rho.  So where F + rho > 0, the Newton matrix is positive definite, the bounds meet at a common normal,
and this normal is proved to be that of the shortest separating translation.
"""

import math

from ...compiled.jit import entry, jit, lane, select
from ...kernels.block import (
    LANES,
    axpy,
    dot,
    get3,
    get6,
    get9,
    mat_mul,
    mat_t_mul,
    put3,
    scale,
    sub,
    sym_mul,
    update,
    update3,
)
from ..tables import Buffers, Parameters, Part, named_question
from .deep_ellipsoids import Ellipsoids, deepest
from .loop import driver
from .rows import (
    COUNT,
    DONE,
    FAR,
    G2,
    GUESS,
    INNER,
    INVERSE,
    LIMIT,
    PART,
    PROVED,
    RHO,
    RUNNING,
    S_B,
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

PATIENCE = 24.0  # steps before a pair is left to the robust solver
SOME = 6  # new blocks are iterated until 1 / SOME of their lanes still run

_M, _V, _ROOTS = (WORK + k for k in (0, 3, 6))


@lane
def _step(s):
    """One trial step in every lane that is still running.

    Two loops instead of one, so that square roots and divisions of several lanes overlap in time.
    """
    for l in range(LANES):
        m = axpy(get3(s, N, l), s[PART * LANES + l], get3(s, D, l))
        a, b = get3(s, A, l), get3(s, B, l)
        p = mat_t_mul(get9(s, TURN, l), m)
        u, v = (a[0] * m[0], a[1] * m[1], a[2] * m[2]), (b[0] * p[0], b[1] * p[1], b[2] * p[2])
        h_a, h_b, length = math.sqrt(dot(u, u)), math.sqrt(dot(v, v)), math.sqrt(dot(m, m))
        put3(s, _M, l, m)
        put3(s, _V, l, v)
        put3(s, _ROOTS, l, (h_a, h_b, length))
        s[(_ROOTS + 3) * LANES + l] = 1.0 / (h_a * h_b * length)
    for l in range(LANES):
        a, b, m, v, r = get3(s, A, l), get3(s, B, l), get3(s, _M, l), get3(s, _V, l), get3(s, R, l)
        h_a, h_b, length = get3(s, _ROOTS, l)
        i = s[(_ROOTS + 3) * LANES + l]
        i_a, i_b, i_m = i * h_b * length, i * h_a * length, i * h_a * h_b
        n = scale(m, i_m)
        x_a = scale((a[0] * a[0] * m[0], a[1] * a[1] * m[1], a[2] * a[2] * m[2]), i_a)
        x_b = scale(mat_mul(get9(s, TURN, l), (b[0] * v[0], b[1] * v[1], b[2] * v[2])), i_b)
        f = dot(n, r) - h_a * i_m - h_b * i_m
        i_a, i_b = i_a * length, i_b * length  # 1 / h of unit vectors
        q = get6(s, S_B, l)
        g = axpy(sub(sub(r, x_a), x_b), -f, n)
        xx = (a[0] * a[0] - x_a[0] * x_a[0]) * i_a + (q[0] - x_b[0] * x_b[0]) * i_b
        xy = (q[1] - x_b[0] * x_b[1]) * i_b - x_a[0] * x_a[1] * i_a
        xz = (q[2] - x_b[0] * x_b[2]) * i_b - x_a[0] * x_a[2] * i_a
        yy = (a[1] * a[1] - x_a[1] * x_a[1]) * i_a + (q[3] - x_b[1] * x_b[1]) * i_b
        yz = (q[4] - x_b[1] * x_b[2]) * i_b - x_a[1] * x_a[2] * i_a
        zz = (a[2] * a[2] - x_a[2] * x_a[2]) * i_a + (q[5] - x_b[2] * x_b[2]) * i_b
        # K maps the tangent plane to itself; by Cayley and Hamilton (K + lam)^-1 g = ((trace + lam) g - K g) / det with
        # det = minors + lam (trace + lam), all times trace^2 here.  Where K + F is not positive definite, lam is minus
        # half of minors / trace, which is less than the smallest eigenvalue of K.
        trace = xx + yy + zz
        minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz
        positive = (minors + f * (trace + f) > 0.01 * minors) & (trace + 2.0 * f > 0.0)
        lam, square = select(positive, f * trace, -0.5 * minors), trace * trace
        kg = sym_mul((xx, xy, xz, yy, yz, zz), g)
        e = scale(axpy(scale(g, square + lam), -trace, kg), trace)
        det = square * (minors + lam) + lam * lam
        ee, dd = dot(e, e), det * det
        d = scale(e, 1.0 / math.sqrt(dd + ee))
        old, rho = s[F * LANES + l], s[INNER * LANES + l] * i_a + s[(INNER + 1) * LANES + l] * i_b
        part, slope, done, tol = s[PART * LANES + l], s[SLOPE * LANES + l], s[DONE * LANES + l], s[TOL * LANES + l]
        g2, inner = dot(g, g), f + rho
        zero, count = s[ZERO * LANES + l], s[COUNT * LANES + l]
        running = done == RUNNING
        ascent = f >= old + 1e-3 * part * slope - 1e-14
        far = running & (f > s[LIMIT * LANES + l])
        go = running & (ascent | far)
        near = go & (ee <= 1e-10 * dd) & (g2 <= 1e-12)
        proved = near & (g2 <= tol * (2.0 * inner + tol)) & (inner > 0.0)
        now = select(near & (inner <= 0.0) & (g2 <= 1e-20), UNPROVED, done + zero)
        s[DONE * LANES + l] = select(proved, PROVED, select(far, FAR, now))
        s[COUNT * LANES + l] = count + select(running, 1.0, 0.0)
        s[PART * LANES + l] = select(ascent, 1.0, 0.5 * part)
        update3(s, N, l, go, n, zero)
        update3(s, D, l, go, d, zero)
        update(s, F, l, go, f, zero)
        update(s, SLOPE, l, go, dot(g, d), zero)
        update(s, G2, l, go, g2, zero)


@lane
def _complete(s):
    """Rows of the answer that follow from the direction: point of A, 1 / h_A and the radius of the inner balls."""
    for l in range(LANES):
        n, a, b = get3(s, N, l), get3(s, A, l), get3(s, B, l)
        p = mat_t_mul(get9(s, TURN, l), n)
        u, v = (a[0] * n[0], a[1] * n[1], a[2] * n[2]), (b[0] * p[0], b[1] * p[1], b[2] * p[2])
        i_a, i_b = 1.0 / math.sqrt(dot(u, u)), 1.0 / math.sqrt(dot(v, v))
        put3(s, X, l, scale((a[0] * u[0], a[1] * u[1], a[2] * u[2]), i_a))
        s[INVERSE * LANES + l] = i_a
        s[RHO * LANES + l] = s[INNER * LANES + l] * i_a + s[(INNER + 1) * LANES + l] * i_b


@jit
def _deepen(s, l):
    """Try to prove a deep overlap, perhaps with another normal (``deep_ellipsoids.py``)."""
    if not s[F * LANES + l] < 0.0:
        return False
    pair = Ellipsoids(get3(s, A, l), get3(s, B, l), get9(s, TURN, l), get3(s, R, l), get6(s, S_B, l))
    guess = get3(s, GUESS, l)
    proved, place, rho, evaluations = deepest(pair, get3(s, N, l), dot(guess, guess) > 0.25, s[TOL * LANES + l])
    if proved:
        put3(s, N, l, place.normal)
        put3(s, D, l, (0.0, 0.0, 0.0))
        put3(s, X, l, place.point)
        s[F * LANES + l], s[G2 * LANES + l], s[SLOPE * LANES + l] = (
            place.value,
            dot(place.gradient, place.gradient),
            0.0,
        )
        s[RHO * LANES + l] = rho
        s[COUNT * LANES + l] += evaluations
    return proved


#: Contacts of some pairs of spheres and ellipsoids, for compiled loops.
ellipsoid_pairs = driver(_step, _step, _complete, _deepen, PATIENCE, SOME)


@entry
def ellipsoid_lanes(a, b, question, part, out):
    """Contacts of spheres and ellipsoids; all tables are plain tuples."""
    ellipsoid_pairs(Parameters(*a), Parameters(*b), named_question(question), Part(*part), Buffers(*out))
