"""The jet of a generating potential g(phi, theta), exact even at the poles (Römer 3-D, Eqs. 14-21).

Away from the poles Eqs. (16) and (21) are used as they stand.  They divide by sin(phi) and its square, so near a pole
the derivatives of g in theta are expressed by Taylor's formula along the meridian,

    g_theta      = phi a' + phi^2 T,       T = integral over u from 0 to 1 of (1 - u) g_phiphitheta(u phi)
    g_phitheta   = a' + phi F,             F = integral of g_phiphitheta(u phi)
    g_thetatheta = -phi a + phi^2 Q,       Q = integral of (1 - u) g_phiphithetatheta(u phi)
    g_phi        = a + phi P,              P = integral of g_phiphi(u phi)

with a = g_phi at the pole.  This is an identity if Eqs. (15) and (17) hold, and allows the division by sin(phi)
to be carried out.  The integrands are smooth, so Gaussian quadrature is exact to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from ...compiled.jit import LEAN
from ...kernels.vectors import axpy, sym_scale

NODES = 10  # of the Gaussian quadrature
MERIDIAN = 8  # points on a meridian at which functions without third derivatives are evaluated
FLOOR = 1e-90  # [rad] smallest angle from a pole for Eqs. (16) and (21), where Taylor's formula does not hold


def _rule() -> tuple[tuple[float, ...], tuple[float, ...]]:
    x, w = np.polynomial.legendre.leggauss(NODES)
    return tuple((0.5 * (1.0 + x)).tolist()), tuple((0.5 * w).tolist())


_U, _WEIGHT = _rule()
#: Chebyshev points on the meridian, as fractions of the cap.
_PLACE = tuple((0.5 - 0.5 * np.cos(np.pi * (np.arange(MERIDIAN) + 0.5) / MERIDIAN)).tolist())


def remainders_of(higher: Callable) -> Callable:
    """The integrals T, F, Q, P from ``higher(self, p, theta, up)``: g_pp, g_ppt, g_pptt."""

    @register_jitable(**LEAN)
    def remainders(self, p, theta, up):
        t, f, q, slope = 0.0, 0.0, 0.0, 0.0
        for k in range(NODES):
            pp, ppt, pptt = higher(self, _U[k] * p, theta, up)
            t += _WEIGHT[k] * (1.0 - _U[k]) * ppt
            f += _WEIGHT[k] * ppt
            q += _WEIGHT[k] * (1.0 - _U[k]) * pptt
            slope += _WEIGHT[k] * pp
        return t, f, q, slope

    return remainders


def remainders_from_values(values: Callable) -> Callable:
    """The same for functions with second derivatives only, by polynomials along the meridian through the pole."""

    @register_jitable(**LEAN)
    def remainders(self, p, theta, up):
        cap = self.cap_around_poles
        _, a, _, _, a1, _ = values(self, 0.0, theta, up)
        t, f, q, slope = 0.0, 0.0, 0.0, 0.0
        for k in range(MERIDIAN):
            at, weight = _PLACE[k] * cap, 1.0
            for j in range(MERIDIAN):
                if j != k:
                    weight *= (p / cap - _PLACE[j]) / (_PLACE[k] - _PLACE[j])
            _, gp, gt, _, gpt, gtt = values(self, at, theta, up)
            t += weight * (gt - at * a1) / (at * at)
            f += weight * (gpt - a1) / at
            q += weight * (gtt + at * a) / (at * at)
            slope += weight * (gp - a) / at
        return t, f, q, slope

    return remainders


def potential_jet(values: Callable, remainders: Callable) -> Callable:
    """Jet of |n| g from ``values(self, p, theta, up)``: g, g_p, g_t, g_pp, g_pt, g_tt, and the remainders near a pole.

    p is the angle from the nearer pole, the north pole for up = 1 and the south pole for up = -1: the southern half is
    treated as the northern half of the body mirrored at z = 0.  The kernel's field ``cap_around_poles`` is the angle
    within which the remainders are used: with 0, Eqs. (16) and (21) are used everywhere; if it is negative, n is
    (p, theta, up) and the result contains the six values.
    """

    @register_jitable(**LEAN)
    def regular(self, p, theta, up, c, s):
        """g, the components of the point along e_phi and e_theta, and e, f / s, g / s^2 of Eq. (21)."""
        g, gp, gt, gpp, gpt, gtt = values(self, p, theta, up)
        t = gt / s
        return g, gp, t, g + gpp, (gpt - c * t) / s, g + (c * gp + gtt / s) / s

    @register_jitable(**LEAN)
    def polar(self, p, theta, up, c, s):
        """The same near a pole, with sin(phi) divided out."""
        g, gp, _, gpp, _, _ = values(self, p, theta, up)
        _, a, _, _, a1, _ = values(self, 0.0, theta, up)
        t, f, q, slope = remainders(self, p, theta, up)
        square = p * p
        ratio = p / s if p > 0.0 else 1.0
        # 1 - phi cot(phi), divided by phi
        first = p * (1.0 / 3.0 + square * (1.0 / 45.0 + square * (2.0 / 945.0 + square / 4725.0)))
        mixed = ratio * (first * a1 + f - (1.0 - p * first) * t)
        # 1 - sin(2 phi) / (2 phi), divided by phi; c - phi / s is minus this times phi^2 / s
        fall = p * (2.0 / 3.0 - square * (2.0 / 15.0 - square * (4.0 / 315.0 - square * 2.0 / 2835.0)))
        across = g + ratio * (c * slope + ratio * (q - a * fall))
        return g, gp, ratio * (a1 + p * t), g + gpp, mixed, across

    def jet(self, n):
        if self.cap_around_poles < 0.0:
            g, gp, t, e, f, q = values(self, n[0], n[1], n[2])
            return g, (gp, t, e), (f, q, 0.0, 0.0, 0.0, 0.0)
        rho = math.hypot(n[0], n[1])
        r = math.hypot(rho, n[2])
        up = 1.0 if n[2] >= 0.0 else -1.0
        p, theta = math.atan2(rho, abs(n[2])), math.atan2(n[1], n[0])
        ct, st = (n[0] / rho, n[1] / rho) if rho > 0.0 else (1.0, 0.0)
        c, s = abs(n[2]) / r, rho / r
        if p < self.cap_around_poles:
            g, gp, t, e, f, q = polar(self, p, theta, up, c, s)
        else:
            g, gp, t, e, f, q = regular(self, max(p, FLOOR), theta, up, c, max(s, FLOOR))
        ep, et, en = (c * ct, c * st, -s), (-st, ct, 0.0), (s * ct, s * st, c)  # Eq. (14)
        x = axpy(axpy((gp * ep[0], gp * ep[1], gp * ep[2]), t, et), g, en)  # Eq. (16)
        w = (
            e * ep[0] * ep[0] + 2.0 * f * ep[0] * et[0] + q * et[0] * et[0],
            e * ep[0] * ep[1] + f * (ep[0] * et[1] + ep[1] * et[0]) + q * et[0] * et[1],
            up * (e * ep[0] * ep[2] + f * ep[2] * et[0]),
            e * ep[1] * ep[1] + 2.0 * f * ep[1] * et[1] + q * et[1] * et[1],
            up * (e * ep[1] * ep[2] + f * ep[2] * et[1]),
            e * ep[2] * ep[2],
        )
        return r * g, (x[0], x[1], up * x[2]), sym_scale(w, 1.0 / r)

    return jet
