"""Support functions of implicit surfaces, by Newton's method inside the compiled formulas.

For an implicit surface F(x) = 0 the point with the outward normal n is found on the surface itself: the normal there is
turned towards n by steps dx = W dn, with W = |grad F| (P Hess F P)^+, and every step ends on the surface again.

Where a surface is flat, W is unbounded.  Newton's method is then slow but still converges, and a curvature that is zero
up to rounding counts as a tiny positive one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from numba.extending import register_jitable

from ...compiled.jit import LEAN, jit
from ...kernels.vectors import axpy, cross, dot, norm, scale, sub

STEPS, WHOLE = 200, 40  # the first of them are whole steps of Newton's method
TURN = 0.35  # [rad] by which the normal turns in one step at most
REACH = 0.4  # longest step, relative to the distance from the centre
NEARLY = 1e-13  # [rad] below which the length of the steps decides, because at flat places the angle says little
SHORTEST = 4e-15  # last step, relative to the distance from the centre
ON_SURFACE = 1e-9  # distance from the surface after which one more step of Newton's method suffices, relative
NOISE = 1e-15  # rounding of second derivatives, relative to the sum of their terms
BESIDE = 1e-13  # distance to a coordinate plane below which a point counts as on it, in sizes


@jit
def in_space(tt, ts, ss, t, s):
    """The symmetric matrix tt t t' + ts (t s' + s t') + ss s s', as (xx, xy, xz, yy, yz, zz)."""
    return (
        tt * t[0] * t[0] + 2.0 * ts * t[0] * s[0] + ss * s[0] * s[0],
        tt * t[0] * t[1] + ts * (t[0] * s[1] + t[1] * s[0]) + ss * s[0] * s[1],
        tt * t[0] * t[2] + ts * (t[0] * s[2] + t[2] * s[0]) + ss * s[0] * s[2],
        tt * t[1] * t[1] + 2.0 * ts * t[1] * s[1] + ss * s[1] * s[1],
        tt * t[1] * t[2] + ts * (t[1] * s[2] + t[2] * s[1]) + ss * s[1] * s[2],
        tt * t[2] * t[2] + 2.0 * ts * t[2] * s[2] + ss * s[2] * s[2],
    )


@jit
def flattest(m):
    """Number of the axis that is most nearly tangential where the normal is m."""
    x, y, z = abs(m[0]), abs(m[1]), abs(m[2])
    return 0 if x <= y and x <= z else 1 if y <= z else 2


@jit
def tangents(m, axis):
    """Two unit vectors normal to the unit vector m, the first next to a coordinate axis.

    Where a surface is flat along this axis, the second derivatives along it keep their relative accuracy.
    """
    e = (1.0, 0.0, 0.0) if axis == 0 else (0.0, 1.0, 0.0) if axis == 1 else (0.0, 0.0, 1.0)
    t = sub(e, scale(m, m[axis]))
    t = scale(t, 1.0 / norm(t))
    return t, cross(m, t)


@jit
def inverse(a, b, d, ea, eb, ed):
    """Inverse (tt, ts, ss) of the matrix a, b; b, d, whose entries have errors up to ea, eb, ed.

    A matrix that is singular within the errors is replaced by a positive definite one, so that the sign of a large
    radius of curvature does not depend on rounding.
    """
    if a > -ea and d > -ed:
        a, d = max(a, ea, 1e-300), max(d, ed, 1e-300)
        root = math.sqrt(a) * math.sqrt(d)
        c = b / root
        rest, error = 1.0 - c * c, (ea / a + ed / d + 2.0 * abs(b) / a * (eb / d))
        if rest > -error:
            if rest < error:
                rest = min(error, 1.0)
                c = math.copysign(math.sqrt(1.0 - rest), c)
            return 1.0 / (a * rest), -c / (root * rest), 1.0 / (d * rest)
    det = a * d - b * b
    det = det if abs(det) > 1e-300 else 1e-300
    return d / det, -b / det, a / det


def implicit_jet(values: Callable) -> Callable:
    """The jet from a compiled function (f, gradient, Hessian) of (self, x); `self` has a centre cx, cy, cz."""

    @register_jitable(**LEAN)
    def near(self, x):
        """The values at x, slightly beside a coordinate plane, where powers of zero may be infinite."""
        e = BESIDE * self.reach
        p = x[0] if abs(x[0]) > e else e
        q = x[1] if abs(x[1]) > e else e
        r = x[2] if abs(x[2]) > e else e
        return values(self, (p, q, r))

    @register_jitable(**LEAN)
    def on_ray(self, c, d):
        """The point of the surface on the ray from c along the unit vector d; NaN if there is none."""
        low, high = 0.0, self.reach
        for _ in range(80):
            if near(self, axpy(c, high, d))[0] > 0.0:
                break
            low, high = high, 2.0 * high
        else:
            return (math.nan, math.nan, math.nan)
        for _ in range(14):
            middle = 0.5 * (low + high)
            if near(self, axpy(c, middle, d))[0] > 0.0:
                high = middle
            else:
                low = middle
        return axpy(c, 0.5 * (low + high), d)

    @register_jitable(**LEAN)
    def onto(self, c, x):
        """The point of the surface next to x: along the gradient, or along the ray from c if x is far from it."""
        for k in range(12):
            f, g, _ = near(self, x)
            size, away = norm(g), norm(sub(x, c))
            off = abs(f) / size
            if off <= ON_SURFACE * away:
                return axpy(x, -f / (size * size), g)
            if k == 4 or not off < 0.5 * away:
                x = on_ray(self, c, scale(sub(x, c), 1.0 / away))
            else:
                x = axpy(x, -f / (size * size), g)
        return x

    @register_jitable(**LEAN)
    def tangential(h, t, s):
        """The Hessian in the tangent plane spanned by t and s."""
        ht = (
            h[0] * t[0] + h[1] * t[1] + h[2] * t[2],
            h[1] * t[0] + h[3] * t[1] + h[4] * t[2],
            h[2] * t[0] + h[4] * t[1] + h[5] * t[2],
        )
        hs = (
            h[0] * s[0] + h[1] * s[1] + h[2] * s[2],
            h[1] * s[0] + h[3] * s[1] + h[4] * s[2],
            h[2] * s[0] + h[4] * s[1] + h[5] * s[2],
        )
        return dot(t, ht), dot(t, hs), dot(s, hs)

    @register_jitable(**LEAN)
    def bent(h, size, t, s):
        """W in the tangent plane spanned by t and s: tt, ts, ss."""
        a, b, d = tangential(h, t, s)
        e = NOISE * (abs(h[0]) + abs(h[1]) + abs(h[2]) + abs(h[3]) + abs(h[4]) + abs(h[5]))
        tt, ts, ss = inverse(a, b, d, e, e, e)
        return size * tt, size * ts, size * ss

    def jet(self, n):
        length = norm(n)
        u = scale(n, 1.0 / length)
        c = (self.cx, self.cy, self.cz)
        x = on_ray(self, c, u)
        best, last, worse = math.inf, x, 0
        share, last_move = 1.0, (0.0, 0.0, 0.0)
        for k in range(STEPS):
            x = onto(self, c, x)
            _, g, h = near(self, x)
            size = norm(g)
            m = scale(g, 1.0 / size)
            turn = sub(u, scale(m, dot(u, m)))
            sine = norm(turn)
            angle = math.atan2(sine, dot(u, m))
            if not angle < math.inf:
                break
            t, s = tangents(m, flattest(m))
            tt, ts, ss = bent(h, size, t, s)
            # The wanted change of the normal, along the great circle to u
            part = min(angle, TURN) / max(sine, 1e-300)
            p, q = part * dot(turn, t), part * dot(turn, s)
            move = axpy(scale(t, tt * p + ts * q), ts * p + ss * q, s)
            far, away = norm(move), norm(sub(x, c))
            off = angle if angle > NEARLY else NEARLY * min(1.0, far / away)
            move = scale(move, min(1.0, REACH * away / max(far, 1e-300)))
            if off < best:
                best, last, last_move, worse, share = off, x, move, 0, min(1.0, 2.0 * share)
            else:
                worse += 1
            if off <= NEARLY * SHORTEST or (worse > 4 and best < 1e-9):
                break
            # Across flat places whole steps may go round in circles; parts of them turn the normal towards n.
            if k >= WHOLE and worse > 0:
                share *= 0.5
                x = axpy(last, share, last_move)
            else:
                x = axpy(x, share, move)
        _, g, h = near(self, last)
        size = norm(g)
        axis = flattest(u)
        t, s = tangents(scale(g, 1.0 / size), axis)  # the tangent plane of the surface itself, next to that of u
        tt, ts, ss = bent(h, size / length, t, s)
        t, s = tangents(u, axis)
        w = in_space(tt, ts, ss, t, s)
        return dot(n, last), last, w

    return jet
