"""Hertz's contact ellipse in compiled code: complete elliptic integrals without cancellation.

With semi-axes a >= b, k = b/a, m = 1 - k^2 and the complete integrals K(m), E(m), Johnson (Contact
Mechanics, section 4.2) needs K - E and E/k^2 - K, both of which vanish with m.  The arithmetic-geometric
mean from (1, k) gives ``K - E = K m (1/2 + t)`` and ``E/k^2 - K = K m (1/2 - t) / k^2`` with a sum t of
positive terms, so the circle (k = 1, t = 0) is no special case and nothing cancels for slender ellipses.
"""

import math

from ..compiled.jit import jit


@jit
def integrals(k):
    """Complete elliptic integral K of the modulus sqrt(1 - k^2), and the sum t above."""
    a, b, c = 0.5 * (1.0 + k), math.sqrt(k), 0.5 * (1.0 - k)
    term = 0.25 * (1.0 - k) / (1.0 + k)  # c_1^2 / m
    t, weight = term, 1.0
    for _ in range(60):
        if c < 1e-17 * a:
            break
        a, b = 0.5 * (a + b), math.sqrt(a * b)
        shrink = c / (4.0 * a)  # c_(n+1) / c_n
        term *= shrink * shrink
        c *= shrink
        weight *= 2.0
        t += weight * term
    return 0.5 * math.pi / a, t


@jit
def axis_ratio(q):
    """b/a of the contact ellipse from q, the ratio of the smaller to the larger relative curvature.

    Johnson, Eq. (4.28), in logarithms: the slope then lies between 3/2 (circle) and 2 (line), so
    secant steps from q^(2/3) converge for every 0 < q <= 1.
    """
    if q >= 1.0:
        return 1.0
    goal = math.log(q)
    low, high = 2.0 / 3.0 * goal, 0.5 * goal
    x, slope, x_old, f_old = low, 1.5, 0.0, 0.0
    for step in range(40):
        _, t = integrals(math.exp(x))
        f = 2.0 * x + math.log((0.5 + t) / (0.5 - t)) - goal
        if step > 0 and x != x_old:
            slope = min(max((f - f_old) / (x - x_old), 1.0), 2.5)
        x_old, f_old = x, f
        x = min(max(x - f / slope, low), high)
        if abs(x - x_old) <= 1e-15 * (1.0 + abs(x)):
            break
    return math.exp(x)


@jit
def shape_factors(k):
    """F1 and F2 of Johnson, Eqs. (4.31) and (4.32): both 1 for a circle."""
    first, t = integrals(k)
    root = math.sqrt(k)
    f1 = (4.0 / math.pi * root * first * math.sqrt((0.5 - t) * (0.5 + t))) ** (1.0 / 3.0)
    return f1, 2.0 / math.pi * root * first / f1


@jit
def elliptic_factor(q):
    """Stiffness of the true ellipse over that of the geometric-mean form, from the curvature ratio q."""
    if q > 1.0 - 1e-15:
        return 1.0
    _, f2 = shape_factors(axis_ratio(q))
    return 1.0 / (f2 * math.sqrt(f2))
