"""Random potentials whose regularity and least radius of curvature are known, from formulas that are not the library's.

g = 1 + t sum of c_j sin(phi)^a cos(phi)^p cos(b theta + d).  The unit ball adds 1 to every radius of curvature, so if
the least one of the sum is m the least one of g is 1 + t m: t can be chosen to hit any value.  m comes from Eq. (21) of
Römer 3-D by hand-written derivatives of the single terms: with the powers of sin(phi) divided out, so that the limits
at the poles are exact, and in 40 digits where it matters.
"""

from typing import NamedTuple

import mpmath
import numpy as np
from scipy.optimize import minimize


class Term(NamedTuple):
    """c sin(phi)^a cos(phi)^p cos(b theta + d)"""

    a: int
    p: int
    b: int


def text_of(terms):
    """The potential with parameters t, c0, c1, ..., d0, d1, ..."""
    return (
        "1 + t*("
        + " + ".join(f"c{k}*sin(phi)**{a}*cos(phi)**{p}*cos({b}*theta + d{k})" for k, (a, p, b) in enumerate(terms))
        + ")"
    )


def operator(terms, c, d, s, z, theta, m=np):
    """e, f / s and g / s^2 of Eq. (21) for the sum without the ball, at sin(phi) = s and cos(phi) = z."""
    e = f = q = 0 * theta
    for (a, p, b), ck, dk in zip(terms, c, d):
        cb, sb = m.cos(b * theta + dk), -b * m.sin(b * theta + dk)
        u = s**a * z**p

        # derivatives of s^a z^p by phi
        def power(x, k):
            return x**k if k >= 0 else 0 * x

        upp = a * (a - 1) * power(s, a - 2) * z ** (p + 2) - (a * (p + 1) + p * (a + 1)) * s**a * z**p
        upp = upp + p * (p - 1) * s ** (a + 2) * power(z, p - 2)
        e = e + ck * (u + upp) * cb
        # (u' - z u / s) / s = (a - 1) s^(a-2) z^(p+1) - p s^a z^(p-1)
        mixed = (a - 1) * (s ** (a - 2) if a != 1 else 0) * z ** (p + 1) - p * s**a * power(z, p - 1)
        f = f + ck * mixed * sb
        # u + z u' / s - b^2 u / s^2, with (a z^2 - b^2) s^(a-2) = (a - b^2) s^(a-2) - a s^a
        across = u - p * s**a * z**p + z**p * ((a - b * b) * (s ** (a - 2) if a != b * b else 0) - a * s**a)
        q = q + ck * across * cb
    return e, f, q


def least(e, f, q, m=np):
    return (e + q) / 2 - m.sqrt((e - q) ** 2 / 4 + f**2)


def pole_waves(terms, c, d, power, up):
    """Amplitudes of the waves cos(b theta), sin(b theta) in the coefficient of sin(phi)^power at a pole."""
    waves = {}
    for (a, p, b), ck, dk in zip(terms, c, d):
        if a == power:
            waves[b] = waves.get(b, 0) + ck * up**p * np.exp(1j * dk) * (1.0 if b else np.cos(dk) / np.exp(1j * dk))
    return waves


def pole_violation(terms, c, d):
    """Largest wave that violates Eq. (15) or Eq. (17)."""
    worst = 0.0
    for up in (1, -1):
        worst = max([worst, *(abs(v) for b, v in pole_waves(terms, c, d, 0, up).items() if b)])
        worst = max([worst, *(abs(v) for b, v in pole_waves(terms, c, d, 1, up).items() if b != 1)])
    return worst


def least_radius(terms, c, d):
    """The least radius of the sum (without the ball), for potentials that satisfy Eqs. (15) and (17)."""
    phi = np.concatenate([10.0 ** np.linspace(-4, -1.5, 12), np.linspace(0.04, np.pi / 2, 120)])
    phi = np.concatenate([phi, np.pi - phi])[:, None]
    theta = np.linspace(0, 2 * np.pi, 361)[None, :-1]

    def value(x):
        # The search may step across a pole: at -phi the radii are taken at phi.
        s = abs(np.sin(x[0]))
        return least(*operator(terms, c, d, s, np.cos(x[0]), np.asarray(x[1], dtype=float)))

    grid = least(*operator(terms, c, d, np.sin(phi), np.cos(phi), theta))
    best = float(grid.min())
    for k in np.argsort(grid, axis=None)[::200][:12]:
        i, j = np.unravel_index(k, grid.shape)
        options = {"xatol": 1e-10, "fatol": 1e-13}
        found = minimize(value, [phi[i, 0], theta[0, j]], method="Nelder-Mead", options=options)
        best = min(best, float(found.fun))
    # The limits at the poles, in 40 digits
    with mpmath.workdps(40):
        for up in (1, -1):
            for x in np.linspace(0, 2 * np.pi, 61)[:-1]:
                s = mpmath.mpf(10) ** -12
                e, f, q = operator(terms, c, d, s, up * mpmath.sqrt(1 - s * s), mpmath.mpf(float(x)), mpmath)
                best = min(best, float(least(e, f, q, mpmath)))
    return best


def random_terms(rng, regular):
    """Up to three terms; `regular` ones are polynomials in nx, ny, nz or at least satisfy Eqs. (15) and (17)."""
    terms = []
    for _ in range(int(rng.integers(1, 4))):
        b = int(rng.integers(0, 7))
        a = int(rng.integers(0, 6))
        if regular and (a == 0 or a == 1):
            b = a
        terms.append(Term(a, int(rng.integers(0, 3)), b))
    return terms
