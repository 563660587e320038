"""Inner balls of tapered bodies, from those of the bodies without taper (see `inner_ball`).

With X = x / (a tx), Y = y / (b ty), Z = z / c the body is the set of all points with f(X, Y, Z) <= 1, where f is the
function of a power ellipsoid or superellipsoid.  On the body f <= Q, a sum of quadratics q(X) = s X + g X^2 + ..., as
shown there.  With tau = tx'/tx, the second derivative of q(X) in d = dx / (a tx) and dZ is

    2 g d^2 - (4 g X + 2 q') tau d dZ + (2 g X^2 tau^2 + q' X (2 tau^2 - tx''/tx)) dZ^2,

and |X| <= 1 on the body: with bounds on the polynomials tx, tx' and tx'' it is at most that of a quadratic.

If both tapers are the same linear function t and g1 = g2, the body is also N(x/a, y/b)^2 <= t^2 R^2, with
R^2 = (1 - |Z|^g3)^(2 kappa / g1): no mixed derivatives.  For g3 >= 2 and 2 kappa <= g1 the second derivative of -R^2
grows with |Z|, so that R^2 >= r0 + r1 s - grow s^2 in s = z/c - Z0.  Times t^2 that is a polynomial of degree 4; its
difference quotient with the tangent is a polynomial of degree 2, whose largest value for -1 <= Z <= 1 is known.
"""

import math

from ..compiled.jit import jit
from .inner_ball import ROOM, SHORT, VANISHING, power_quadratic
from .tapered import polynomial


@jit
def _ranges(c):
    """Bounds for -1 <= z <= 1 on c0 + c1 z + c2 z^2 + c3 z^3 (from below) and on both derivatives (in magnitude).

    A polynomial lies between the smallest and the largest of its Bernstein coefficients.
    """
    odd, third, rest = c[1] + c[3], c[1] / 3.0 - c[3], c[0] - c[2] / 3.0
    low = min(c[0] + c[2] - abs(odd), rest - abs(third))
    slope = max(abs(c[1] + 3.0 * c[3]) + 2.0 * abs(c[2]), abs(c[1] - 3.0 * c[3]))
    return low, slope, 2.0 * abs(c[2]) + 6.0 * abs(c[3])


@jit
def _nested_quadratic(p1, p2, x, y):
    """The same for (x^p2 + y^p2)^(p1/p2): slopes for x and y, coefficients for x and y."""
    top = max(x, y)
    if top < VANISHING:
        most = -1.0 if p1 < 2.0 else (2.0 if p2 < 2.0 else 1.0)
        return 0.0, 0.0, most, most
    if p2 < 2.0 and min(x, y) < VANISHING:
        return 0.0, 0.0, -1.0, -1.0
    norm = top * ((x / top) ** p2 + (y / top) ** p2) ** (1.0 / p2)
    u, v = x / norm, y / norm
    slope, grow = power_quadratic(p1, min(norm, 1.0))
    slope_x, slope_y = u ** (p2 - 1.0), v ** (p2 - 1.0)
    if p2 < 2.0:
        return slope * slope_x, slope * slope_y, grow * slope_x / u, grow * slope_y / v
    return slope * slope_x, slope * slope_y, grow * (p2 - 1.0), grow * (p2 - 1.0)


@jit
def _leaning(a, c, low, rise, bow, t, slope, grow):
    """Upper bounds on the second derivatives of one term, in lengths: along x, mixed, along z."""
    tau, bow = rise / low, bow / low
    steepest = max(abs(slope + 2.0 * grow * (1.0 - t)), abs(slope - 2.0 * grow * (1.0 + t)))
    return (
        2.0 * grow / (a * low) ** 2,
        (4.0 * grow + 2.0 * steepest) * tau / (2.0 * a * low * c),
        (2.0 * grow * tau * tau + steepest * (2.0 * tau * tau + bow)) / (c * c),
    )


@jit
def _conical_inner_ball(kernel, point):
    """Radius from N^2 <= t^2 R^2; 0 if that does not apply."""
    a, b, c, p, t1 = kernel.a, kernel.b, kernel.c, kernel.g1, kernel.x1
    zeta = max(-1.0, min(point[2] / c, 1.0))
    u, e = abs(zeta), 2.0 * kernel.kappa / p
    same = kernel.x0 == kernel.y0 and t1 == kernel.y1 and p == kernel.g2
    linear = kernel.x2 == 0.0 and kernel.x3 == 0.0 and kernel.y2 == 0.0 and kernel.y3 == 0.0
    if not (same and linear and kernel.g3 >= 2.0 and e <= 1.0 and u <= 1.0 - SHORT):
        return 0.0
    # t^2 R^2 >= v0 + v1 s - (b0 + b1 s + b2 s^2) s^2
    t0, rest = kernel.x0 + t1 * zeta, 1.0 - u**kernel.g3
    r0 = rest**e
    steep = e * kernel.g3 * u ** (kernel.g3 - 1.0) * r0 / rest
    grow, r1 = max((r0 - steep * (1.0 - u)) / (1.0 - u) ** 2, 0.0), -math.copysign(steep, zeta)
    v1 = 2.0 * t0 * t1 * r0 + t0 * t0 * r1
    b0, b1, b2 = grow * t0 * t0 - 2.0 * t0 * t1 * r1 - t1 * t1 * r0, 2.0 * t0 * t1 * grow - t1 * t1 * r1, grow * t1 * t1
    low, high = -1.0 - zeta, 1.0 - zeta  # b2 >= 0: the largest value is at an end
    most = max(b0 + low * (b1 + low * b2), b0 + high * (b1 + high * b2), 0.0)
    wide = kernel.x0 + abs(t1)  # N <= wide
    slope_x, slope_y, grow_x, grow_y = _nested_quadratic(2.0, p, abs(point[0]) / (wide * a), abs(point[1]) / (wide * b))
    if not min(grow_x, grow_y) > 0.0:
        return 0.0
    gradient = math.sqrt((wide * slope_x / a) ** 2 + (wide * slope_y / b) ** 2 + (v1 / c) ** 2)
    return ROOM * 0.5 * gradient / max(grow_x / (a * a), grow_y / (b * b), most / (c * c))


@jit
def tapered_inner_ball(kernel, point):
    """Radius of a ball inside a tapered body that touches at a boundary point."""
    a, b, c = kernel.a, kernel.b, kernel.c
    taper_x = (kernel.x0, kernel.x1, kernel.x2, kernel.x3)
    taper_y = (kernel.y0, kernel.y1, kernel.y2, kernel.y3)
    low_x, rise_x, bow_x = _ranges(taper_x)
    low_y, rise_y, bow_y = _ranges(taper_y)
    if not (low_x > 0.0 and low_y > 0.0):
        return 0.0
    zeta = max(-1.0, min(point[2] / c, 1.0))
    tx, tx1, _ = polynomial(taper_x, zeta)
    ty, ty1, _ = polynomial(taper_y, zeta)
    x, y = min(abs(point[0]) / (a * tx), 1.0), min(abs(point[1]) / (b * ty), 1.0)
    if kernel.kappa == 1.0:
        slope_x, grow_x = power_quadratic(kernel.g1, x)
        slope_y, grow_y = power_quadratic(kernel.g2, y)
    else:
        slope_x, slope_y, grow_x, grow_y = _nested_quadratic(kernel.g3, kernel.g1, x, y)
    slope_z, grow_z = power_quadratic(kernel.g3, abs(zeta))
    if not min(grow_x, grow_y, grow_z) > 0.0:
        return _conical_inner_ball(kernel, point)
    along_z = math.copysign(slope_z, zeta) - slope_x * x * tx1 / tx - slope_y * y * ty1 / ty
    gradient = math.sqrt((slope_x / (a * tx)) ** 2 + (slope_y / (b * ty)) ** 2 + (along_z / c) ** 2)
    xx, xz, zz = _leaning(a, c, low_x, rise_x, bow_x, x, slope_x, grow_x)
    yy, yz, more = _leaning(b, c, low_y, rise_y, bow_y, y, slope_y, grow_y)
    # The largest eigenvalue, with the larger of xx and yy in place of both
    across, along = max(xx, yy), zz + more + 2.0 * grow_z / (c * c)
    most = 0.5 * (across + along) + math.sqrt((0.5 * (across - along)) ** 2 + xz * xz + yz * yz)
    return max(ROOM * gradient / most, _conical_inner_ball(kernel, point))
