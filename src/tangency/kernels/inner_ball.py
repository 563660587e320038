"""Balls that touch a body from within: a lower bound on the radius of the largest one at a boundary point.

The body is {f <= 1}, x a boundary point with f(x) = 1, f continuously differentiable at x.

Theorem.  If f(y) <= Q(y) = 1 + g.(y - x) + (L / 2) |y - x|^2 for all y *of the body*, with g the gradient of f at x,
then the ball {Q <= 1}, which touches at x and has the radius |g| / L, lies inside the body.

Proof.  Let y be inside the ball, but not in the body.  On the open segment from x to y Q < 1, and f < 1 near x, as
g.(y - x) < 0.  The segment leaves the body at a point z with f(z) = 1; there f(z) <= Q(z) < 1, a contradiction.

For a sum of functions of one coordinate each the bounds Q add up.  In units of the semi-axes, at t >= 0:

    |y|^p, p <= 2    is a concave function of y^2: its tangent in y^2 is Q, with the coefficient p t^(p-2) / 2 of y^2
    |y|^p, p >= 2    has a second derivative that grows with |y|: for |y| <= 1 the quadratic through (1, 1) is Q,
                     with the coefficient `growth` = (1 - t^p - p t^(p-1) (1 - t)) / (1 - t)^2 <= p (p - 1) / 2

A superellipsoid is N^p1 + |Z|^p1 <= 1 with the norm N = (|X|^p2 + |Y|^p2)^(1/p2).  N^2 <= Q with the coefficients

    p2 <= 2          N N_X / X and N N_Y / Y: N^2 is a concave function of X^2 and Y^2
    p2 >= 2          p2 - 1: half the second derivative of N^2 is at most (p2 - 1) N^(2-p2) sum |X|^(p2-2) dX^2, and
                     that at most (p2 - 1) (dX^2 + dY^2), by Hölder's inequality

For p1 <= 2, N^p1 is a concave function of N^2.  For p1 >= 2 it is at most A - B N + G N^2 with G the growth and
B >= 0, and -N is at most its tangent.  Where that is too coarse the same body is N^2 + psi(Z) <= 1,
psi = 1 - (1 - |Z|^p1)^(2/p1), whose second derivative grows with |Z| as well.

The functions have no branches, because the lanes use them as well.
"""

from __future__ import annotations

import math
from typing import Any

from numba.extending import overload

from ..compiled.jit import LEAN, jit, lane, lane_part, select
from .block import larger

SHORT = 1e-3  # distance 1 - t below which a difference quotient is too inaccurate
ROOM = 1.0 - 1e-6  # factor on radii that allows for rounding errors
VANISHING = 1e-90  # smaller numbers count as zero in a quotient x / n
INFINITE = 1e300


def inner_ball(kernel: Any, n: Any, h: Any, x: Any) -> Any:
    """Radius of a ball inside the body that touches it where the unit normal is n; 0 if the kernel has no formula.

    A kernel may have a method ``inner_ball(self, n, h, x)``, with the support value and the point of n.
    """
    return kernel.inner_ball(n, h, x) if hasattr(kernel, "inner_ball") else 0.0


@overload(inner_ball, jit_options=LEAN, strict=False)
def _inner_ball(kernel, n, h, x):
    if not hasattr(kernel.instance_class, "inner_ball"):
        return lambda kernel, n, h, x: 0.0
    return kernel.instance_class.inner_ball


@lane
def growth(p, t, tp, slope):
    """Coefficient of y^2 in the bound of |y|^p for p >= 2, touching at t; tp = t^p, slope = t^(p-1)."""
    u = 1.0 - t
    short = u < SHORT
    v = select(short, 1.0, u)
    most = 0.5 * p * (p - 1.0)
    g = (1.0 - tp - p * slope * u) / (v * v)
    return select(short | (g > most), most, g)


@lane
def _quotient(n, x):
    """n / x if both are large enough, else infinity."""
    known = (x > VANISHING) & (n > VANISHING)
    return select(known, n / select(known, x, 1.0), INFINITE)


@lane_part
def barr_inner_ball(radii, p1, p2, n, x, h, rho):
    """Radius for a superellipsoid with surface exponents p1 (z) and p2 (xy).

    n : unit vector, x : its point, h : support value, rho : N at that point.
    """
    a, b, c = radii
    nx, ny, nz = abs(n[0]), abs(n[1]), abs(n[2])
    x, y, z = abs(x[0]), abs(x[1]), abs(x[2])
    i, height = 1.0 / h, z / c
    # By Euler's theorem the gradient of f is n p1 / h; so the powers of N and Z need no pow.
    in_xy, in_z, slope_z = (nx * x + ny * y) * i, nz * z * i, c * nz * i
    i_rho = 1.0 / larger(rho, VANISHING)
    # The larger coefficient of N^2, in lengths; at the pole N^2 <= 2^(2/p2-1) (X^2 + Y^2) or X^2 + Y^2.
    at_pole, pointed_xy = rho < VANISHING, p2 < 2.0
    lean = rho * rho * i / larger(in_xy, VANISHING)  # N^(2-p1) / h
    side = select(in_xy > VANISHING, larger(_quotient(nx, x), _quotient(ny, y)) * lean, INFINITE)
    least = select(a < b, a, b)
    flat = select(at_pole, select(pointed_xy, 2.0, 1.0), p2 - 1.0) / (least * least)
    wide = select(pointed_xy & (rho >= VANISHING), side, flat)
    # N^p1 + Z^p1
    pointed = p1 < 2.0
    grow_xy = select(pointed, 0.5 * p1 * in_xy * i_rho * i_rho, growth(p1, rho, in_xy, in_xy * i_rho))
    grow_z = select(pointed, 0.5 * p1 * i * _quotient(nz, z), growth(p1, height, in_z, slope_z) / (c * c))
    first = 0.5 * p1 * i / larger(grow_xy * wide, grow_z)
    first = select(pointed & at_pole, 0.0, first)
    # N^2 + psi(Z)
    u = 1.0 - height
    short = u < SHORT
    v = select(short, 1.0, u) * c
    second = lean / larger(wide, (rho * rho - 2.0 * lean * h * slope_z * u) / (v * v))
    second = select(pointed | short, 0.0, second)
    return ROOM * larger(first, second)


@jit
def power_quadratic(p, t):
    """Slope of |t|^p at t >= 0 and the coefficient of the quadratic that bounds it; negative if there is none."""
    if p < 2.0 and t < VANISHING:
        return 0.0, -1.0
    power = t ** (p - 1.0)
    return p * power, (0.5 * p * power / t if p < 2.0 else growth(p, t, t * power, power))


@jit
def power_inner_ball(radii, exponents, x):
    """Radius for a power ellipsoid |x/a|^g1 + |y/b|^g2 + |z/c|^g3 = 1 at its point x."""
    square, most = 0.0, 0.0
    for k in range(3):
        a = radii[k]
        slope, grow = power_quadratic(exponents[k], min(abs(x[k]) / a, 1.0))
        if grow < 0.0:
            return 0.0
        square += (slope / a) ** 2
        most = max(most, grow / (a * a))
    return ROOM * 0.5 * math.sqrt(square) / most
