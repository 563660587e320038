"""Support functions of implicit surfaces, by Newton's method inside the compiled formulas.

For an implicit surface F(x) = 0 the point with the outward normal n is found on the surface itself: the normal there is
turned towards n by steps dx = W dn, with W = |grad F| (P Hess F P)^+, and every step ends on the surface again.

Along a step n.x is concave, so its slope says where to stop.  This is needed at flat places, where W is unbounded, and
at sharp ones, where the curvature is: beside x = 0 the normal of |x|^p changes like |x|^(p - 1), and Newton's method
steps from x to x - x / (p - 1), past the plane and away from it if p < 3/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from numba.extending import register_jitable

from ...compiled.jit import LEAN
from ...kernels.rounding import EPSILON
from ...kernels.vectors import axpy, dot, norm, scale, sub
from .tangential import NOISE, chosen_axis, in_space, inverse, product, tangents

STEPS = 200
TURN = 0.35  # [rad] by which the normal turns in one step at most
REACH = 0.4  # longest step, relative to the distance from the centre
RELIABLE = 1e-15  # slope of n.x along a unit vector below which it is rounding
NEARLY = 1e-13  # [rad] below which the length of the steps decides, because at flat places the angle says little
ROUNDINGS = 4.0  # of the coordinates, whose effect on the normal does not count
SHORTEST = 4e-15  # last step, relative to the distance from the centre
RELATIVE = 1e-12  # last step of a coordinate, relative to itself
MORE, MOST = 4, 12  # further steps for it, at most, with the normal and without it
ON_SURFACE = 1e-9  # distance from the surface after which one more step of Newton's method suffices, relative
SHARES = 60  # of a step that are tried
MOST_LOST = 3  # shares with less gain than expected, though the slope is positive, after which the best one is taken
GAIN = 0.1  # least gain of n.x by a step, relative to its slope at the start
UNRESOLVED = 1e-9  # [rad] angle between the normals of the point found and the given one
VALUE_NOISE = 1e-15  # rounding of n.x, in sizes
LEFT, SAME = 0.5, 0.99  # shares of the slope of n.x after a step that is long enough, and after one without effect
FOUND, WELL = 1e7, 1e4  # multiples of NEARLY and SHORTEST above which a search has failed, and below which it may end
SLOW = 1e-3  # distance to a coordinate plane, in sizes, below which steps to the surface leave it as it is
#: Distances to coordinate planes below which derivatives are taken from there, in sizes
BESIDE = (1e-60, 1e-13)
ROUNDED = 1e-15  # the same of points that are not finite elsewhere


def implicit_jet(values: Callable) -> Callable:
    """The jet from a compiled function (f, gradient, Hessian) of (self, x); `self` has a centre cx, cy, cz."""

    @register_jitable(**LEAN)
    def is_finite(g, h):
        size = norm(g)
        total = abs(h[0]) + abs(h[1]) + abs(h[2]) + abs(h[3]) + abs(h[4]) + abs(h[5])
        return 0.0 < size < math.inf and total < math.inf

    @register_jitable(**LEAN)
    def beside(x, e):
        return x if abs(x) > e else e

    @register_jitable(**LEAN)
    def near(self, x):
        """The values at x, or slightly beside a coordinate plane or x, where powers of zero are infinite."""
        for e in BESIDE:
            p, q, r = beside(x[0], e * self.reach), beside(x[1], e * self.reach), beside(x[2], e * self.reach)
            f, g, h = values(self, (p, q, r))
            if is_finite(g, h):
                return f, g, h
        e = ROUNDED * self.reach
        return values(self, (x[0] + e, x[1] + 0.7 * e, x[2] + 0.4 * e))

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
    def stepped(self, x, f, g):
        """A step of Newton's method to the surface, which keeps the digits of small coordinates."""
        e = 1.0 / (SLOW * self.reach)
        p = (g[0] * min(1.0, abs(x[0]) * e), g[1] * min(1.0, abs(x[1]) * e), g[2] * min(1.0, abs(x[2]) * e))
        size, along = dot(g, g), dot(g, p)
        return axpy(x, -f / along, p) if along > 0.1 * size else axpy(x, -f / size, g)

    @register_jitable(**LEAN)
    def onto(self, c, x):
        """The point of the surface next to x: along the gradient, or along the ray from c if x is far from it."""
        for k in range(12):
            f, g, _ = near(self, x)
            away = norm(sub(x, c))
            off = abs(f) / norm(g)
            if off <= ON_SURFACE * away:
                return stepped(self, x, f, g)
            if k == 4 or not off < 0.5 * away:
                x = on_ray(self, c, scale(sub(x, c), 1.0 / away))
            else:
                x = stepped(self, x, f, g)
        return x

    @register_jitable(**LEAN)
    def bent(self, h, size, t, s):
        """W in the tangent plane spanned by t and s: tt, ts, ss."""
        (a, ea), (b, eb), (d, ed) = product(h, t, t), product(h, t, s), product(h, s, s)
        e = size / self.reach
        tt, ts, ss = inverse(a, b, d, NOISE * (ea + e), NOISE * eb, NOISE * (ed + e))
        return size * tt, size * ts, size * ss

    @register_jitable(**LEAN)
    def searched(self, c, u, x, move, rise):
        """The point after a share of the step `move`, where the slope of n.x is small, and whether it is in the step.

        The slope is `rise` at the start.  Steps without effect, beside sharp places, are lengthened.
        """
        share, low, high, within, y = 1.0, 0.0, math.inf, True, x
        best, top, lost = -math.inf, x, 0
        for k in range(SHARES):
            y = onto(self, c, axpy(x, share, move))
            g = near(self, y)[1]
            m = scale(g, 1.0 / norm(g))
            slope = dot(move, u) - dot(u, m) * dot(move, m)
            if k == 0:
                within = not slope > LEFT * rise
            gain = dot(u, sub(y, x))
            if gain > best:
                best, top = gain, y
            if slope >= -LEFT * rise and gain < GAIN * share * rise - VALUE_NOISE * self.reach:
                lost += 1
                if lost > MOST_LOST:  # the step leads to distant parts of the surface: no share of it has a small slope
                    return top, within
            if not (slope >= -LEFT * rise and gain >= GAIN * share * rise - VALUE_NOISE * self.reach):
                high = share
            elif slope > (SAME if high == math.inf else LEFT) * rise:
                low = share
            else:
                break
            share = 0.5 * (low + high) if high < math.inf else 4.0 * share
        return y, within

    @register_jitable(**LEAN)
    def precise(x, move):
        """Whether no coordinate changes by more than a small part of itself."""
        e = RELATIVE
        return abs(move[0]) <= e * abs(x[0]) and abs(move[1]) <= e * abs(x[1]) and abs(move[2]) <= e * abs(x[2])

    @register_jitable(**LEAN)
    def noise_of(x, h, size):
        """By how much the normal at x may turn by rounding of its coordinates [rad]."""
        a, b, d = abs(x[0]), abs(x[1]), abs(x[2])
        turn = (
            abs(h[0]) * a + abs(h[1]) * b + abs(h[2]) * d,
            abs(h[1]) * a + abs(h[3]) * b + abs(h[4]) * d,
            abs(h[2]) * a + abs(h[4]) * b + abs(h[5]) * d,
        )
        return EPSILON * norm(turn) / size

    def jet(self, n):
        length = norm(n)
        u = scale(n, 1.0 / length)
        c = (self.cx, self.cy, self.cz)
        x = onto(self, c, on_ray(self, c, u))
        best, last, worse, fine, close = math.inf, x, 0, 0, 0
        for _ in range(STEPS):
            _, g, h = near(self, x)
            size = norm(g)
            m = scale(g, 1.0 / size)
            turn = sub(u, scale(m, dot(u, m)))
            sine = norm(turn)
            angle = math.atan2(sine, dot(u, m))
            if not angle < math.inf:
                break
            nearly = max(NEARLY, ROUNDINGS * noise_of(x, h, size))
            t, s = tangents(m, chosen_axis(h, m))
            tt, ts, ss = bent(self, h, size, t, s)
            # The wanted change of the normal, along the great circle to u
            part = min(angle, TURN) / max(sine, 1e-300)
            p, q = part * dot(turn, t), part * dot(turn, s)
            move = axpy(scale(t, tt * p + ts * q), ts * p + ss * q, s)
            away = norm(sub(x, c))
            far = norm(move) / away
            move = scale(move, min(1.0, REACH / max(far, 1e-300)))
            y, resolved = axpy(x, 1.0, move), True
            rise = dot(move, turn)
            if rise > RELIABLE * norm(move) and angle > nearly:
                y, resolved = searched(self, c, u, x, move, rise)
            else:
                y = onto(self, c, y)
            # Either is enough: at flat places the point may move with a fixed normal, at sharp ones the reverse.
            found = angle / nearly, far / SHORTEST if resolved else math.inf
            off = min(found[0], found[1])
            off = off if off > 1.0 else max(angle, far)
            if off <= best or max(found[0], found[1]) <= 1.0:
                best, last, worse = off, x, 0
            else:
                worse += 1
            fine += max(found[0], found[1]) <= 1.0
            close += found[1] <= 1.0
            if (
                fine > MORE
                or close > MOST
                or (fine > 0 and precise(x, move))
                or (worse > 4 and best < 10.0)
                or (worse > 20 and best < WELL)
            ):
                break
            x = y
        if not best < FOUND:
            none = math.nan
            return none, (none, none, none), (none, none, none, none, none, none)
        _, g, h = near(self, last)
        size = norm(g)
        m = scale(g, 1.0 / size)
        axis = chosen_axis(h, m)
        if norm(sub(u, m)) > UNRESOLVED:  # across a sharp place rounded points have other normals
            size, m = (dot(g, u) - g[axis] * u[axis]) / (1.0 - u[axis] * u[axis]), u
        t, s = tangents(m, axis)  # the tangent plane of the surface itself, next to that of u
        tt, ts, ss = bent(self, h, size / length, t, s)
        t, s = tangents(u, axis)
        w = in_space(tt, ts, ss, t, s)
        return dot(n, last), last, w

    return jet
