"""Support functions of parametric surfaces x(u, v), by Newton's method inside the compiled formulas.

The point with the unit normal n is where n.x(u, v) is largest.  The curvature there is that of the surface at its own
normal m, next to n: powers of sines and cosines have unbounded second derivatives at poles and planes of symmetry, and
their products with n would be wrong where u and v, which are rounded, are not exactly those of n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from numba.extending import register_jitable

from ...compiled.jit import LEAN, jit
from ...kernels.vectors import axpy, cross, dot, frame, norm, scale, sub
from .anchors import Chart, Parameter, anchored, around, moved, within
from .tangential import NOISE, in_space, inverse

STEPS = 200
SHORTEST = 4e-15  # last step of the point, relative to the largest distance from the origin
NEARLY, WORSE = 1e-9, 60  # without a shorter step in so many trials the search ends, if one was as short as this
SHARES, LEFT = 60, 0.5  # of a step that are tried; the share of the slope of n.x after which a step is long enough
UNDAMPED = 1e-4  # damping below which a step is nearly that of Newton's method
# Steps after the point is found: next to a singular value the curvature needs the distance to it, to its last digits
MORE, MOST = 3, 60
RELATIVE = 1e-14  # last step of a parameter, relative to this distance
VALUE_NOISE = 1e-15  # rounding of n.x, relative to the same
BESIDE = 1e-60  # distance to a singular value of a parameter, in ranges, if it is an anchor
ROUNDED = 2.3e-16  # the same relative to the parameter, if it is not
SINGULAR = (
    1e-6  # ratio of |x_u| and |x_v|, in ranges, or sine of their angle, below which the parameters may be singular
)
UNSURE = 1e-10  # relative error of the second fundamental form above which W comes from differences of points
FOUND = 0.9  # cosine of the angle between n and the normal of the point found, or its opposite, at the least
OTHER = 1e-4  # [rad] angle between n and a tangent plane above which n is not the normal of this plane
APART = 1e-5  # [rad] half the difference between the normals of these points


@jit
def weighted(q, x):
    """The sum of |q_i x_i|."""
    return abs(q[0] * x[0]) + abs(q[1] * x[1]) + abs(q[2] * x[2])


@jit
def products(a, b):
    """The sums of the magnitudes of both terms in each component of the cross product."""
    return (
        abs(a[1] * b[2]) + abs(a[2] * b[1]),
        abs(a[2] * b[0]) + abs(a[0] * b[2]),
        abs(a[0] * b[1]) + abs(a[1] * b[0]),
    )


def parametric_jet(
    place: Callable, values: Callable, grid: int, singular: Sequence[tuple[float, tuple[float, ...]]]
) -> Callable:
    """The jet from compiled functions x and (x, x_u, x_v, x_uu, x_uv, x_vv) of (self, u, v).

    `self` has the ranges u0, u1, v0, v1.  The largest of grid x grid values of n.x is the start.  `singular`
    are a quarter of the period and the zeros of the formulas, for u and for v.
    """

    (quarter_u, zeros_u), (quarter_v, zeros_v) = singular

    @register_jitable(**LEAN)
    def along_u(self):
        return Chart(self.u0, self.u1, quarter_u, zeros_u)

    @register_jitable(**LEAN)
    def along_v(self):
        return Chart(self.v0, self.v1, quarter_v, zeros_v)

    @register_jitable(**LEAN)
    def beside(self, u, v, share):
        """The parameters, moved by a share of themselves, and a little more, towards the middle of their ranges."""
        return moved(u, share, BESIDE, along_u(self)), moved(v, share, BESIDE, along_v(self))

    @register_jitable(**LEAN)
    def near(self, u, v):
        """The values at u and v, or slightly beside them where powers of zero are infinite."""
        found = values(self, u, v)
        _, xu, xv, xuu, xuv, xvv = found
        if norm(xu) + norm(xv) + norm(xuu) + norm(xuv) + norm(xvv) < math.inf and norm(cross(xu, xv)) > 0.0:
            return found
        # The singular value is an anchor, or a value that cannot be told from u or v by their digits.
        p, q = beside(self, u, v, 0.0)
        found = values(self, p, q)
        _, xu, xv, xuu, xuv, xvv = found
        if norm(xu) + norm(xv) + norm(xuu) + norm(xuv) + norm(xvv) < math.inf and norm(cross(xu, xv)) > 0.0:
            return found
        p, q = beside(self, u, v, ROUNDED)
        return values(self, p, q)

    @register_jitable(**LEAN)
    def start(self, n):
        """The parameters on the grid with the largest n.x, this value, and the largest distance from the origin."""
        top, reach = -math.inf, 0.0
        u, v = Parameter(0.0, 0.0, self.u0), Parameter(0.0, 0.0, self.v0)
        for i in range(grid):
            for j in range(grid):
                p = Parameter(0.0, 0.0, self.u0 + (self.u1 - self.u0) * (i + 0.5) / grid)
                q = Parameter(0.0, 0.0, self.v0 + (self.v1 - self.v0) * (j + 0.5) / grid)
                x = place(self, p, q)
                value, reach = dot(n, x), max(reach, norm(x))
                if value > top:
                    top, u, v = value, p, q
        return top, anchored(u, along_u(self)), anchored(v, along_v(self)), reach

    @register_jitable(**LEAN)
    def shifted(self, u, v, du, dv):
        """The parameters after a step, within their ranges."""
        p = within(u, du, along_u(self))
        return p, around(v, dv, along_v(self)) if self.round > 0.0 else within(v, dv, along_v(self))

    @register_jitable(**LEAN)
    def searched(self, n, u, v, du, dv, rise):
        """The share of a step after which the slope of n.x along it is small; it is `rise` at the start.

        Beside a value at which the curvature is infinite, Newton's method steps past this value and away from it.
        """
        share, low, high = 1.0, 0.0, 1.0
        for k in range(SHARES):
            p, q = shifted(self, u, v, share * du, share * dv)
            _, xu, xv, _, _, _ = near(self, p, q)
            slope = dot(n, xu) * du + dot(n, xv) * dv
            if slope < -LEFT * rise:
                high = share
            elif k > 0 and slope > LEFT * rise:
                low = share
            else:
                break
            share = 0.5 * (low + high)
        return share

    @register_jitable(**LEAN)
    def solved(self, n):
        """Parameters of the point with the unit normal n, and the sign of x_u cross x_v at the start of the search."""
        top, u, v, reach = start(self, n)
        wide_u, wide_v = (self.u1 - self.u0) / grid, (self.v1 - self.v0) / grid
        damp, best, best_u, best_v, side = 0.0, math.inf, u, v, 0.0
        close, worse = 0, 0
        for _ in range(STEPS):
            _, xu, xv, xuu, xuv, xvv = near(self, u, v)
            long_u, long_v = norm(xu), norm(xv)
            m = cross(scale(xu, 1.0 / long_u), scale(xv, 1.0 / long_v))
            if side == 0.0:
                side = math.copysign(1.0, dot(m, n))
            m = scale(m, side / norm(m))
            gu, gv = dot(n, xu), dot(n, xv)
            # The Hessian of -n.x; that of -m.x, which no convex surface makes indefinite, if it is indefinite
            a, b, d = -dot(n, xuu), -dot(n, xuv), -dot(n, xvv)
            if not (a > 0.0 and d > 0.0 and b * b < (1.0 - 1e-12) * a * d):
                a, b, d = -dot(m, xuu), -dot(m, xuv), -dot(m, xvv)
            # In units in which both parameters move the point alike
            su, sv = math.sqrt(abs(a)) + 1e-300, math.sqrt(abs(d)) + 1e-300
            aa, bb, dd = a / (su * su) + damp, b / su / sv, d / (sv * sv) + damp
            det = aa * dd - bb * bb
            if not det > 1e-12 or aa <= 0.0:
                aa, bb, dd, det = 1.0 + damp, 0.0, 1.0 + damp, (1.0 + damp) ** 2
            du = (dd * gu / su - bb * gv / sv) / det / su
            dv = (aa * gv / sv - bb * gu / su) / det / sv
            du, dv = min(max(du, -wide_u), wide_u), min(max(dv, -wide_v), wide_v)
            far = norm(axpy(scale(xu, du), dv, xv)) / reach if damp < UNDAMPED else math.inf
            if far < best or far <= SHORTEST:
                best, best_u, best_v, worse = far, u, v, 0
            else:
                worse += 1
            close += far <= SHORTEST
            fine = abs(du) <= RELATIVE * abs(u.offset) and abs(dv) <= RELATIVE * abs(v.offset)
            if (close > MORE and fine) or close > MOST or (worse > WORSE and best < NEARLY):
                break
            p, q = shifted(self, u, v, du, dv)
            new = dot(n, place(self, p, q))
            if new >= top - VALUE_NOISE * reach:
                rise = gu * du + gv * dv
                share = searched(self, n, u, v, du, dv, rise) if rise > 0.0 and far > SHORTEST else 1.0
                if share < 1.0:
                    p, q = shifted(self, u, v, share * du, share * dv)
                    new = dot(n, place(self, p, q))
                if p == u and q == v:
                    break
                if new > top + VALUE_NOISE * reach:
                    # Steps were short because the point moves little beside a tip, not because it was found.
                    best, close, worse = math.inf, 0, 0
                top, u, v, damp = max(new, top), p, q, 0.1 * damp
            elif damp > 1e8:
                break
            else:
                damp = max(10.0 * damp, 1e-3)
        return (u, v, side) if best > NEARLY else (best_u, best_v, side)

    @register_jitable(**LEAN)
    def bent(self, n, t, s):
        """The point with the unit normal n, W in the tangents t and s, and whether W is accurate."""
        u, v, side = solved(self, n)
        x, xu, xv, xuu, xuv, xvv = near(self, u, v)
        wide_u, wide_v = self.u1 - self.u0, self.v1 - self.v0
        long_u, long_v = norm(xu), norm(xv)
        e, f = scale(xu, 1.0 / long_u), scale(xv, 1.0 / long_v)
        m = cross(e, f)
        sine = norm(m)
        cosine = dot(m, n) / sine  # beside 1 or -1, but for tips and edges
        k = math.copysign(1.0, cosine if abs(cosine) > FOUND else side) / sine
        a, b, d = -k * dot(m, xuu), -k * dot(m, xuv), -k * dot(m, xvv)
        # Rounding, also of second derivatives that vanish at a flat place
        q = scale(products(e, f), NOISE / sine)
        ea, ed = weighted(q, xuu) + weighted(q, xu) / wide_u, weighted(q, xvv) + weighted(q, xv) / wide_v
        eb = weighted(q, xuv) + weighted(q, xu) / wide_v + weighted(q, xv) / wide_u
        uu, uv, vv = inverse(a, b, d, ea, eb, ed)
        ratio = long_u * wide_u / (long_v * wide_v)
        singular = not (ratio > SINGULAR and ratio * SINGULAR < 1.0 and sine > SINGULAR)
        error = ea / abs(a) + ed / abs(d) + eb / math.sqrt(abs(a)) / math.sqrt(abs(d))
        # Where n.x grows along a parameter, at an edge, a tip or a rounded one, this one does not change with n.
        fixed_u, fixed_v = abs(dot(n, e)) > OTHER, abs(dot(n, f)) > OTHER
        if fixed_u or fixed_v:
            uu, uv, vv = 0.0 if fixed_u else 1.0 / max(a, ea), 0.0, 0.0 if fixed_v else 1.0 / max(d, ed)
            error = 0.0
        ut, vt, us, vs = dot(xu, t), dot(xv, t), dot(xu, s), dot(xv, s)
        tt = uu * ut * ut + 2.0 * uv * ut * vt + vv * vt * vt
        ts = uu * ut * us + uv * (ut * vs + vt * us) + vv * vt * vs
        ss = uu * us * us + 2.0 * uv * us * vs + vv * vs * vs
        sure = tt < math.inf and ss < math.inf and (error < UNSURE or not singular)
        return x, tt, ts, ss, sure

    @register_jitable(**LEAN)
    def apart(self, m, t, s):
        """Difference quotient of the points along the tangent t: its components along t and s."""
        ahead, behind = axpy(m, APART, t), axpy(m, -APART, t)
        x = sub(
            bent(self, scale(ahead, 1.0 / norm(ahead)), t, s)[0], bent(self, scale(behind, 1.0 / norm(behind)), t, s)[0]
        )
        return dot(x, t) / (2.0 * APART), dot(x, s) / (2.0 * APART)

    def jet(self, n):
        length = norm(n)
        m = scale(n, 1.0 / length)
        t, _ = frame(m)
        s = cross(m, t)
        x, tt, ts, ss, sure = bent(self, m, t, s)
        if not sure:
            (tt, ts), (ss, st) = apart(self, m, t, s), apart(self, m, s, t)
            # Differences across a kink of a convex body need not be positive definite.
            most = math.sqrt(max(tt, 0.0) * max(ss, 0.0))
            ts = min(max(0.5 * (ts + st), -most), most)
        k = 1.0 / length
        return dot(n, x), x, in_space(k * tt, k * ts, k * ss, t, s)

    return jet
