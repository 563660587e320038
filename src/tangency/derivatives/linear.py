"""A contact to first order: how normal and contact points follow the motions of both bodies.

With V = V_B - V_A the velocity of B's material point at the contact against A's, q = omega x n the velocity of the
normal as if it were fixed to a body, and all vectors on the tangent plane, the stationarity of F gives

    (K + d) n' = V + W_A q_A + W_B q_B,     K = W_A + W_B

and each contact point moves on its body with W_A (n' - q_A) and -W_B (n' - q_B): Montana's equations, without charts.
The products M = (K + d)^-1, G = W M and H = W_A M W_B are formed from the principal radii so that nothing cancels
or overflows where some are infinite: on faces, along edges, at flat places.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..compiled.jit import call_shape, element, inlined, jit
from ..kernels.jet import hessian_of, point_of
from ..kernels.principal_radii import EDGED, INFINITE, PLANE, SMOOTH, Radii, eigen
from ..kernels.surface_radii import LOOSE, SINGLE, STRICT, radii_at
from ..kernels.vectors import add, axpy, cross, dot, frame, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit
from .side import body_at

ROUNDING = 4e-16  # of the terms of a determinant: below it, the determinant is zero
MILD = 1e-4  # least determinant of K + d, relative to its terms, from which nothing is lost
STEEP, UNREFINED = 20.0, 1e-11  # condition number, and error [rad, sizes], above which a solver's normal is refined
REFINEMENTS = 4  # most of these steps
FINE = 1e-13  # change of the normal, or of a point in sizes, after which there is another one
NEAR = 1e-11  # largest change of the normal by the last one, if it is right
FAR, TURN = 1e-4, 0.03  # of the size, and [rad]: longer such steps are not taken
SURE = 1e-12  # of the size: a point that far beyond the end of an edge or face still belongs to it
BESIDE_END = 1e-9  # the same before the last step
CLOSE = 1e-9  # of the size: the largest correction of a distance
WORST = 1e10  # condition number above which a contact counts as singular
BESIDE = 1e-13  # angle to a normal that an exact one cannot be told from [rad]
STEADY = 1e-6  # relative change of radii between these two normals that needs no further look
DOUBT = 1e-4  # change of the derivatives between them, relative to the condition number, from which they are not known
DOUBT_OF_NORMALS = 1e-6  # the same of bodies whose radii are those of the rounded normal; its error is 1e-16


class Linear(NamedTuple):
    """One contact to first order, world frame; 2x2 matrices in the tangent frame (t, s)."""

    n: Any
    t: Any
    s: Any
    arm_a: Any  #: from the reference point of A to its contact point
    arm_b: Any
    d: float
    m: Any  #: (K + d)^-1, symmetric: tt, ts, ss
    g_a: Any  #: W_A M: tt, ts, st, ss
    g_b: Any  #: W_B M
    h: Any  #: W_A M W_B
    condition: float
    regular: bool
    doubt: float  #: how far a contact point may be from its place, in sizes; infinite if that is not known


class Motion(NamedTuple):
    """Velocities of one contact."""

    gap: float
    normal: Any  #: along t and s
    on_a: Any  #: velocity of the contact point on the surface of A, along t and s
    on_b: Any


@jit
def _radii(body, n, arm, length, work, look):
    """Radii of a body, world frame."""
    found = radii_at(body, length, mat_t_mul(body.turn, n), mat_t_mul(body.turn, arm), work, look)
    axis, point, tilt = mat_mul(body.turn, found.axis), mat_mul(body.turn, found.point), mat_mul(body.turn, found.tilt)
    return Radii(found.large, found.small, axis, found.known, found.beyond, point, tilt, found.within)


@jit
def solved(first, second, cos, sin, d):
    """M, the products with W of the first and the second body, and W_1 M W_2; the determinant of K + d.

    `first` are two radii along t and s, `second` two along (cos, sin) and across.
    """
    l1, l2 = first
    k1, k2 = second
    p, q, r = k1 * cos * cos + k2 * sin * sin, (k1 - k2) * cos * sin, k1 * sin * sin + k2 * cos * cos
    o1, o2, kk = l1 + d, l2 + d, k1 * k2
    det = o1 * o2 + o1 * r + o2 * p + kk
    if not abs(det) > ROUNDING * (abs(o1 * o2) + abs(o1 * r) + abs(o2 * p) + abs(kk)):
        zero = (0.0, 0.0, 0.0, 0.0)
        return (0.0, 0.0, 0.0), zero, zero, zero, 0.0
    i = 1.0 / det
    a, b = l1 * i, l2 * i
    tt, ss = p * o2 + kk, r * o1 + kk
    return (
        ((o2 + r) * i, -q * i, (o1 + p) * i),
        (a * (o2 + r), -a * q, -b * q, b * (o1 + p)),
        (tt * i, q * o1 * i, q * o2 * i, ss * i),
        (a * tt, a * q * o2, b * q * o1, b * ss),
        det,
    )


@jit
def _largest(g):
    return max(abs(g[0]), abs(g[1]), abs(g[2]), abs(g[3]))


@inlined
def linear_at(a, b, values, count, k, work):
    """Contact k of `values`, the buffer of a `Contact` with `count` contacts, to first order."""
    i, j = 3 * count + 3 * k, 6 * count + 3 * k
    n, point = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
    return linear(body_at(a, k), body_at(b, k), n, point, values[k], work)


@jit
def _seen(body, n, t, s, work):
    """W of a smooth body in the tangent frame, tt, ts, ss; and its point, from the reference point."""
    m = mat_t_mul(body.turn, n)
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(work, 0))
    w, u, v = hessian_of(work, 0), mat_t_mul(body.turn, t), mat_t_mul(body.turn, s)
    wu, wv = sym_mul(w, u), sym_mul(w, v)
    return (dot(u, wu), dot(u, wv), dot(v, wv)), mat_mul(body.turn, point_of(work, 0))


@jit
def product(w, m):
    """Of two symmetric 2x2 matrices: tt, ts, st, ss."""
    return (
        w[0] * m[0] + w[1] * m[1],
        w[0] * m[1] + w[1] * m[2],
        w[1] * m[0] + w[2] * m[1],
        w[1] * m[1] + w[2] * m[2],
    )


@jit
def linear(a, b, n, point, d, work):
    """Contact with the normal n, the point of A and the distance d."""
    arm_a, arm_b, length = sub(point, a.place), sub(axpy(point, d, n), b.place), a.radius + b.radius
    if a.kind == SMOOTH and b.kind == SMOOTH and not (a.hollow or b.hollow):
        t, s = frame(n)
        (w, x), (v, y) = _seen(a, n, t, s, work), _seen(b, scale(n, -1.0), t, s, work)
        k1, k2, k3 = w[0] + v[0] + d, w[1] + v[1], w[2] + v[2] + d
        det, trace, most = k1 * k3 - k2 * k2, k1 + k3, max(abs(w[0]) + abs(w[2]), abs(v[0]) + abs(v[2]), abs(d))
        if det > MILD * most * most:
            i = 1.0 / det
            m = (k3 * i, -k2 * i, k1 * i)
            g_a, g_b = product(w, m), product(v, m)
            h = (
                g_a[0] * v[0] + g_a[1] * v[1],
                g_a[0] * v[1] + g_a[1] * v[2],
                g_a[2] * v[0] + g_a[3] * v[1],
                g_a[2] * v[1] + g_a[3] * v[2],
            )
            condition = _condition(m, g_a, g_b, h, length)
            # What a Newton step would change
            aside = sub(add(b.place, y), add(a.place, x))
            p, q = dot(t, aside), dot(s, aside)
            off = max(abs(m[0] * p + m[1] * q), abs(m[1] * p + m[2] * q), (abs(p) + abs(q)) / length)
            if condition < STEEP and off <= UNREFINED:
                return Linear(n, t, s, arm_a, arm_b, d, m, g_a, g_b, h, condition, trace > 0.0, 0.0)
    c = _settled(a, b, n, (arm_a, arm_b), d, work, LOOSE)
    if not c.doubt <= SURE and (a.kind == EDGED or b.kind == EDGED):
        # Right beside the normals of an edge or face, n was taken for one of them, and belongs to a single point.
        other = _settled(a, b, n, (arm_a, arm_b), d, work, SINGLE)
        if other.doubt <= SURE:
            return other
    return c


@jit
def _settled(a, b, n, arms, d, work, look):
    """The contact after steps to the exact normal; `look` is that of the first one."""
    c = _careful(a, b, n, arms, d, work, look)
    length, edged = a.radius + b.radius, a.kind == EDGED or b.kind == EDGED
    step = _step(c, n, arms, length)
    for _ in range(REFINEMENTS):
        if not (c.doubt <= BESIDE_END and (edged or step > FINE)):
            break
        edged, n, arms = False, c.n, (c.arm_a, c.arm_b)
        c = _careful(a, b, n, arms, c.d, work, STRICT)  # the radii are those of the better normal
        step = _step(c, n, arms, length)
    return c if norm(sub(c.n, n)) <= NEAR else _doubtful(c, c.regular)


@jit
def _step(c, n, arms, length):
    """The last step to a contact: angle of the normal, or of a point in sizes."""
    return max(norm(sub(c.n, n)), norm(sub(c.arm_a, arms[0])) / length, norm(sub(c.arm_b, arms[1])) / length)


@jit
def _condition(m, g_a, g_b, h, length):
    steep = length * max(abs(m[0]), abs(m[1]), abs(m[2]))
    return max(steep, _largest(g_a), _largest(g_b), _largest(h) / length)


@jit
def _careful(a, b, n, arms, d, work, look):
    """As `linear`, by principal radii: also where these are very different, infinite, or not known."""
    arm_a, arm_b = arms
    length = a.radius + b.radius
    of_a, of_b = _radii(a, n, arm_a, length, work, look), _radii(b, scale(n, -1.0), arm_b, length, work, look)
    t, s, m, g_a, g_b, h, det = _products(n, of_a, of_b, d)
    trace = of_a.large + of_a.small + of_b.large + of_b.small + 2.0 * d
    definite = det > 0.0 and (trace < 0.0 if a.hollow or b.hollow else trace > 0.0)
    condition = _condition(m, g_a, g_b, h, length)
    if not condition < 1e300 or det == 0.0:
        zero = (0.0, 0.0, 0.0, 0.0)
        m, g_a, g_b, h, condition = (0.0, 0.0, 0.0), zero, zero, zero, math.inf
    doubt = max(of_a.beyond, of_b.beyond) / length if definite and condition <= WORST else math.inf
    regular = doubt <= BESIDE_END and of_a.known and of_b.known
    c = Linear(n, t, s, arm_a, arm_b, d, m, g_a, g_b, h, condition, regular, doubt)
    if regular and not _is_steady(c, a, b, of_a, of_b, length, work):
        c = Linear(n, t, s, arm_a, arm_b, d, m, g_a, g_b, h, condition, False, doubt)
    return _refined(c, a, b, of_a, of_b) if doubt <= BESIDE_END else c


@jit
def _products(n, of_a, of_b, d):
    """Tangent frame, M, G_A, G_B, H and the determinant of K + d, in the axes of the body with the larger radius."""
    if abs(of_a.large) >= abs(of_b.large):
        t = of_a.axis
        s = cross(n, t)
        cos, sin = dot(of_b.axis, t), dot(of_b.axis, s)
        m, g_a, g_b, h, det = solved((of_a.large, of_a.small), (of_b.large, of_b.small), cos, sin, d)
    else:
        t = of_b.axis
        s = cross(n, t)
        cos, sin = dot(of_a.axis, t), dot(of_a.axis, s)
        m, g_b, g_a, h, det = solved((of_b.large, of_b.small), (of_a.large, of_a.small), cos, sin, d)
        h = (h[0], h[2], h[1], h[3])
    return t, s, m, g_a, g_b, h, det


@jit
def _beside(body, n, found, work):
    """Radii of a body next to its normal n, as its kernel gives them; on faces and along edges they do not change."""
    if body.kind == SMOOTH or body.kind == PLANE or (body.kind == EDGED and abs(found.large) >= INFINITE):
        return found
    sign = -1.0 if body.hollow else 1.0
    m = scale(mat_t_mul(body.turn, n), sign)
    t, s = frame(m)
    m = unit(axpy(axpy(m, BESIDE, t), BESIDE, s))
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(work, 0))
    large, small, axis = eigen(m, hessian_of(work, 0))
    axis = mat_mul(body.turn, axis)
    large, small = sign * min(large, INFINITE), sign * small
    return Radii(large, small, axis, found.known, found.beyond, found.point, found.tilt, found.within)


@jit
def _is_same(one, other):
    """Whether two radii are the same but for rounding errors."""
    return abs(one - other) <= STEADY * abs(one)


@jit
def _is_steady(c, a, b, of_a, of_b, length, work):
    """Whether the derivatives are those of normals nearby: not where a radius of curvature changes within their error.

    So does that of a superellipsoid in its planes of symmetry.  It is zero or infinite there, and matters unless it is
    infinite and the other body is curved.
    """
    near_a, near_b = _beside(a, c.n, of_a, work), _beside(b, scale(c.n, -1.0), of_b, work)
    if (
        _is_same(of_a.large, near_a.large) and _is_same(of_a.small, near_a.small)
        and _is_same(of_b.large, near_b.large) and _is_same(of_b.small, near_b.small)
    ):  # fmt: skip
        return True
    t, s, m, g_a, g_b, h, _ = _products(c.n, near_a, near_b, c.d)
    near = Linear(c.n, t, s, c.arm_a, c.arm_b, c.d, m, g_a, g_b, h, c.condition, True, 0.0)
    most = 0.0
    for v in (c.t, c.s):
        for x, y, unit_of in (
            ((c.m[0], c.m[1], c.m[1], c.m[2]), (m[0], m[1], m[1], m[2]), length),
            (c.g_a, g_a, 1.0),
            (c.g_b, g_b, 1.0),
            (c.h, h, 1.0 / length),
        ):
            most = max(most, unit_of * norm(sub(_image(c, x, v), _image(near, y, v))))
    by_normals = a.kind == EDGED or b.kind == EDGED
    return most <= (DOUBT_OF_NORMALS if by_normals else DOUBT) * c.condition


@jit
def _image(c, g, v):
    """The matrix g in the tangent frame of c, times the vector v."""
    return tangent(c, _times(g, (dot(c.t, v), dot(c.s, v))))


@jit
def _refined(c, a, b, of_a, of_b):
    """The contact after one more Newton step: a solver proves the distance, and knows the rest to half of its digits.

    The equations are those of a motion in which the normal at `point` turns by `tilt`.
    """
    between = sub(add(b.place, of_b.point), add(a.place, of_a.point))
    tilt_a, tilt_b = of_a.tilt, scale(of_b.tilt, -1.0)
    motion = moving(c, between, (dot(c.t, tilt_a), dot(c.s, tilt_a)), (dot(c.t, tilt_b), dot(c.s, tilt_b)))
    n = unit(add(c.n, tangent(c, motion.normal)))
    arm_a, arm_b = add(of_a.point, tangent(c, motion.on_a)), add(of_b.point, tangent(c, motion.on_b))
    length = a.radius + b.radius
    if not (norm(sub(arm_a, c.arm_a)) + norm(sub(arm_b, c.arm_b)) < FAR * length and norm(sub(n, c.n)) < TURN):
        return _doubtful(c, False)
    t, d = unit(axpy(c.t, -dot(n, c.t), n)), dot(n, add(sub(b.place, a.place), sub(arm_b, arm_a)))
    d = d if abs(d - c.d) < CLOSE * length else c.d
    return Linear(n, t, cross(n, t), arm_a, arm_b, d, c.m, c.g_a, c.g_b, c.h, c.condition, c.regular, c.doubt)


@jit
def _doubtful(c, regular):
    """The same contact, not known to be right."""
    return Linear(c.n, c.t, c.s, c.arm_a, c.arm_b, c.d, c.m, c.g_a, c.g_b, c.h, c.condition, regular, math.inf)


@jit
def _times(g, v):
    return (g[0] * v[0] + g[1] * v[1], g[2] * v[0] + g[3] * v[1])


@jit
def _t_times(g, v):
    return (g[0] * v[0] + g[2] * v[1], g[1] * v[0] + g[3] * v[1])


@jit
def moving(c, v, q_a, q_b):
    """Velocities of a contact from V (a vector) and both q (along t and s)."""
    y = (dot(c.t, v), dot(c.s, v))
    m, between = c.m, (q_b[0] - q_a[0], q_b[1] - q_a[1])
    by_a, by_b = _t_times(c.g_a, q_a), _t_times(c.g_b, q_b)
    u_a, u_b = (y[0] - c.d * q_a[0], y[1] - c.d * q_a[1]), (y[0] - c.d * q_b[0], y[1] - c.d * q_b[1])
    at_a, at_b = _times(c.g_a, u_a), _times(c.g_b, u_b)
    h_a, h_b = _times(c.h, between), _t_times(c.h, between)
    return Motion(
        dot(c.n, v),
        (m[0] * y[0] + m[1] * y[1] + by_a[0] + by_b[0], m[1] * y[0] + m[2] * y[1] + by_a[1] + by_b[1]),
        (at_a[0] + h_a[0], at_a[1] + h_a[1]),
        (h_b[0] - at_b[0], h_b[1] - at_b[1]),
    )


@jit
def spin(c, omega):
    """q = omega x n along t and s, where t x s = n."""
    return (dot(omega, c.s), -dot(omega, c.t))


@jit
def tangent(c, v):
    """The vector with these components along t and s."""
    return add(scale(c.t, v[0]), scale(c.s, v[1]))
