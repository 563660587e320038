"""Restitution of a free impact from the damping, and the damping for a given restitution.

For F = K depth^n (1 + d rate / v), v the impact speed, the equation of motion m x'' = -F can be integrated
over depth; with G(u) = u - log(1 + u), the rebound speed e v satisfies G(d) = G(-e d), independent of m, K
and n (Gonthier et al. 2004; Carvalho and Martins 2019).
"""

from __future__ import annotations

import math

import scipy


def rebound(d: float) -> float:
    """Exact restitution e for the damping factor d >= 0."""
    if d < 1e-3:  # near the branch point of Lambert's function
        return 1.0 - 2.0 / 3.0 * d + 4.0 / 9.0 * d * d
    # y = 1 - e d solves y - log(y) = 1 + G(d).
    y = -scipy.special.lambertw(-math.exp(-(1.0 + d - math.log1p(d)))).real
    return float((1.0 - y) / d)


def factor_for(e: float) -> float:
    """Damping factor d whose restitution is exactly e, for 0 < e <= 1."""
    # First terms of both logarithms; exact to (1 - e)^2 near e = 1.
    near = 1.5 * (1.0 - e * e) / (1.0 + e**3)
    if e > 1.0 - 1e-4:
        return near

    # Written as d = (1 - s)/e: d may agree with 1/e to rounding, and s then keeps its digits.
    def in_s(log_s: float) -> float:
        s = math.exp(log_s)
        d = (1.0 - s) / e
        return d - math.log1p(d) + 1.0 - s + log_s

    start = math.log1p(-min(0.5 * near, 0.5 / e) * e)
    # in_s > 0 at small d, and tends to -inf with log s.
    end = -(2.0 + 1.0 / e + 1.0)
    log_s = scipy.optimize.brentq(in_s, end, start, xtol=1e-15, rtol=1e-14)
    return (1.0 - math.exp(log_s)) / e


def voigt_rebound(zeta: float) -> float:
    """Restitution of spring and damper in parallel that never pull; zeta is the damping ratio.

    Contact ends when the force vanishes, before the depth does (Schwager and Pöschel 2007).  Their three
    cases are a single formula: e = exp(-2 zeta arccos(zeta) / sqrt(1 - zeta^2)).
    """
    if abs(zeta - 1.0) < 1e-8:
        return math.exp(-2.0)
    if zeta < 1.0:
        return math.exp(-2.0 * zeta * math.acos(zeta) / math.sqrt((1.0 - zeta) * (1.0 + zeta)))
    return math.exp(-2.0 * zeta * math.acosh(zeta) / math.sqrt((zeta - 1.0) * (zeta + 1.0)))


def voigt_ratio(e: float) -> float:
    """Damping ratio whose restitution is e, for 0 < e <= 1."""
    if e == 1.0:
        return 0.0
    top = 1.0
    while voigt_rebound(top) > e:
        top *= 2.0
    return float(scipy.optimize.brentq(lambda zeta: voigt_rebound(zeta) - e, 0.0, top, xtol=1e-15, rtol=1e-14))
