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
from ..certified.inner_ellipsoid import inner_radius
from ..tables import Buffers, Parameters, Part, named_question
from .loop import (
    COUNT,
    DONE,
    FAR,
    G2,
    INNER,
    INVERSE,
    LIMIT,
    MARGIN,
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
    driver,
)

PATIENCE = 24.0  # steps before a pair is left to the robust solver

_M, _V, _ROOTS, _N, _X, _G, _E, _K = (WORK + k for k in (0, 3, 6, 10, 13, 16, 19, 22))
_F, _RHO, _INVERSE, _LENGTH, _SMALL = (WORK + k for k in (28, 29, 30, 31, 32))


@lane
def _step(s):
    """One trial step in every lane that is still running.

    Four loops instead of one, so that square roots and divisions of several lanes overlap in time.
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
        put3(s, _N, l, n)
        put3(s, _X, l, x_a)
        s[_F * LANES + l] = f
        put3(s, _G, l, axpy(sub(sub(r, x_a), x_b), -f, n))
        i_a, i_b = i_a * length, i_b * length  # 1 / h of unit vectors
        s[_INVERSE * LANES + l] = i_a
        s[_RHO * LANES + l] = s[INNER * LANES + l] * i_a + s[(INNER + 1) * LANES + l] * i_b
        q = get6(s, S_B, l)
        s[_K * LANES + l] = (a[0] * a[0] - x_a[0] * x_a[0]) * i_a + (q[0] - x_b[0] * x_b[0]) * i_b
        s[(_K + 1) * LANES + l] = -x_a[0] * x_a[1] * i_a + (q[1] - x_b[0] * x_b[1]) * i_b
        s[(_K + 2) * LANES + l] = -x_a[0] * x_a[2] * i_a + (q[2] - x_b[0] * x_b[2]) * i_b
        s[(_K + 3) * LANES + l] = (a[1] * a[1] - x_a[1] * x_a[1]) * i_a + (q[3] - x_b[1] * x_b[1]) * i_b
        s[(_K + 4) * LANES + l] = -x_a[1] * x_a[2] * i_a + (q[4] - x_b[1] * x_b[2]) * i_b
        s[(_K + 5) * LANES + l] = (a[2] * a[2] - x_a[2] * x_a[2]) * i_a + (q[5] - x_b[2] * x_b[2]) * i_b
    for l in range(LANES):
        # The matrix is K + lam on the tangent plane and the trace of K along n, all times the trace.  Where K + F is
        # not positive definite, lam is minus half of minors / trace, which is less than the smallest eigenvalue of K.
        n, g, f = get3(s, _N, l), get3(s, _G, l), s[_F * LANES + l]
        xx, xy, xz, yy, yz, zz = get6(s, _K, l)
        trace = xx + yy + zz
        minors = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz
        positive = (minors + f * (trace + f) > 0.01 * minors) & (trace + 2.0 * f > 0.0)
        lam = select(positive, f * trace, -0.5 * minors)
        c = scale(n, trace * trace - lam)
        xx, xy, xz = trace * xx + lam + c[0] * n[0], trace * xy + c[0] * n[1], trace * xz + c[0] * n[2]
        yy, yz, zz = trace * yy + lam + c[1] * n[1], trace * yz + c[1] * n[2], trace * zz + lam + c[2] * n[2]
        c01, c02, c12 = xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz
        c00, c11, c22 = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
        e = scale(sym_mul((c00, c01, c02, c11, c12, c22), g), trace)
        det = xx * c00 + xy * c01 + xz * c02
        ee, dd = dot(e, e), det * det
        put3(s, _E, l, e)
        s[_LENGTH * LANES + l] = 1.0 / math.sqrt(dd + ee)
        s[_SMALL * LANES + l] = 1e-10 * dd - ee
    for l in range(LANES):
        f, old, rho = s[_F * LANES + l], s[F * LANES + l], s[_RHO * LANES + l]
        part, slope, done, tol = s[PART * LANES + l], s[SLOPE * LANES + l], s[DONE * LANES + l], s[TOL * LANES + l]
        g = get3(s, _G, l)
        d = scale(get3(s, _E, l), s[_LENGTH * LANES + l])
        g2, inner = dot(g, g), f + rho
        zero, count = s[ZERO * LANES + l], s[COUNT * LANES + l]
        running = done == RUNNING
        ascent = f >= old + 1e-3 * part * slope - 1e-14
        go = running & ascent
        near = go & (s[_SMALL * LANES + l] >= 0.0) & (g2 <= 1e-12)
        proved = near & (g2 <= tol * (2.0 * inner + tol)) & (inner > 0.0)
        far = running & (f > s[LIMIT * LANES + l])
        now = select(near & (inner <= 0.0) & (g2 <= 1e-20), UNPROVED, done + zero)
        s[DONE * LANES + l] = select(proved, PROVED, select(far, FAR, now))
        s[COUNT * LANES + l] = count + select(running, 1.0, 0.0)
        s[PART * LANES + l] = select(ascent, 1.0, 0.5 * part)
        update3(s, N, l, go, get3(s, _N, l), zero)
        update3(s, D, l, go, d, zero)
        update(s, F, l, go, f, zero)
        update(s, SLOPE, l, go, dot(g, d), zero)
        update(s, G2, l, go, g2, zero)
        update(s, RHO, l, go, rho, zero)
        update3(s, X, l, go, get3(s, _X, l), zero)
        update(s, INVERSE, l, go, s[_INVERSE * LANES + l], zero)


@jit
def _deepen(s, l):
    """Try to prove a deep overlap by an inner ellipsoid of the sum of both bodies."""
    f, tol = s[F * LANES + l], s[TOL * LANES + l]
    rho = MARGIN * inner_radius(get3(s, A, l), get3(s, B, l), get9(s, TURN, l), get3(s, N, l), -1.01 * f)
    s[RHO * LANES + l] = rho
    c = f + rho
    return c > 0.0 and s[G2 * LANES + l] <= tol * (2.0 * c + tol)


_drive = driver(_step, _deepen, PATIENCE)


@entry
def ellipsoid_lanes(a, b, question, part, out):
    """Contacts of spheres and ellipsoids; all tables are plain tuples."""
    _drive(Parameters(*a), Parameters(*b), named_question(question), Part(*part), Buffers(*out))
