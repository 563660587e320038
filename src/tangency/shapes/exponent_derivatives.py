"""How the exponents and tapers of superellipsoids, power ellipsoids and tapered bodies move a point of the boundary.

A body f(x; p) = 0 has the normal n = lam grad f.  A change of p with any velocity v of the point for which
n.v = -lam df/dp keeps it on the boundary, and tilts the normal by

    u = lam (d(grad f)/dp + Hess f v),

up to what is along n.  If v is along x and f a sum of powers, u_i is a multiple of n_i: nothing is singular where a
coordinate vanishes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .parameters import Carried

LEAST = 1e-280  # replaces zero under a logarithm


def _log(v: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(np.abs(v), LEAST))


def superellipsoid(n: np.ndarray, x: np.ndarray, radii: np.ndarray, epsilon: np.ndarray) -> Carried:
    """By Barr's exponents (e1, e2) of f = N^p1 + |z/c|^p1, N^p2 = |x/a|^p2 + |y/b|^p2, p = 2/e; dp/de = -p^2 / 2.

    f is homogeneous of degree p1: with v = k x, Hess f v is along n.
    """
    p1, p2 = np.moveaxis(2.0 / epsilon, -1, 0)
    log_u, log_v, log_w = np.moveaxis(_log(x / radii), -1, 0)
    log_n = np.logaddexp(p2 * log_u, p2 * log_v) / p2
    section, height = np.exp(p1 * log_n), np.exp(p1 * log_w)  # the two terms of f
    # d log N / d p2
    widening = (np.exp(p2 * (log_u - log_n)) * log_u + np.exp(p2 * (log_v - log_n)) * log_v - log_n) / p2
    k = np.stack([-(section * log_n + height * log_w) / p1, -section * widening], axis=-1)
    # d log(grad f) / dp
    by_p1 = np.stack([log_n, log_n, log_w], axis=-1)
    shift = (p1 - p2) * widening - log_n
    by_p2 = np.stack([shift + log_u, shift + log_v, np.zeros_like(log_w)], axis=-1)
    slopes = -2.0 / epsilon[..., :, None] ** 2
    turned = np.stack([by_p1, by_p2], axis=-2) * n[..., None, :]
    return Carried(slopes * k[..., :, None] * x[..., None, :], slopes * turned)


def power_ellipsoid(n: np.ndarray, x: np.ndarray, radii: np.ndarray, g: np.ndarray) -> Carried:
    """By the exponents g of f = sum |x_i / a_i|^g_i, with v = k x."""
    log_y = _log(x / radii)
    share = np.exp(g * log_y)
    k = -share * log_y / (g * share).sum(axis=-1, keepdims=True)
    turned = np.eye(3) * (1.0 / g + log_y)[..., None, :] + k[..., :, None] * (g - 1.0)[..., None, :]
    return Carried(k[..., :, None] * x[..., None, :], turned * n[..., None, :])


def tapered(n: np.ndarray, x: np.ndarray, fields: dict[str, np.ndarray]) -> dict[str, Carried]:
    """By g1, g2, g3, kappa, x0..x3 and y0..y3 of ``kernels/tapered.py``; v is along n."""
    f = fields
    c, g3, kappa = f["c"], f["g3"], f["kappa"]
    zeta = x[..., 2] / c
    log_u = _log(zeta)
    p = np.exp(g3 * log_u)
    rest = np.maximum(1.0 - p, LEAST)
    sections = [
        _Section(x[..., k], f["ab"[k]], f[f"g{k + 1}"], [f[f"{axis}{i}"] for i in range(4)], zeta, c)
        for k, axis in enumerate("xy")
    ]
    # m = (1 - u^g3)^kappa with two derivatives in z
    sign = np.where(zeta < 0, -1.0, 1.0)
    pz = g3 * np.exp((g3 - 1.0) * log_u) * sign / c
    pzz = g3 * (g3 - 1.0) * np.exp((g3 - 2.0) * log_u) / (c * c)
    q = kappa * rest ** (kappa - 1.0)
    mzz = kappa * (kappa - 1.0) * rest ** (kappa - 2.0) * pz * pz - q * pzz
    sx, sy = sections
    gradient = np.stack(np.broadcast_arrays(sx.slope, sy.slope, sx.term_z + sy.term_z + q * pz), axis=-1)
    lam = 1.0 / np.linalg.norm(gradient, axis=-1)
    bent = np.stack(
        np.broadcast_arrays(
            sx.bend * n[..., 0] + sx.slope_z * n[..., 2],
            sy.bend * n[..., 1] + sy.slope_z * n[..., 2],
            sx.slope_z * n[..., 0] + sy.slope_z * n[..., 1] + (sx.term_zz + sy.term_zz - mzz) * n[..., 2],
        ),
        axis=-1,
    )

    def result(df: np.ndarray, dg: list) -> Carried:
        dh = (-lam * df)[..., None]
        return Carried(dh * n, lam[..., None] * (np.stack(np.broadcast_arrays(*dg), axis=-1) + dh * bent))

    found = {}
    for k, s in enumerate(sections):
        for name, df, dslope, dz in s.changes("xy"[k], k + 1):
            found[name] = result(df, [dslope, 0.0, dz] if k == 0 else [0.0, dslope, dz])
    less = kappa * (kappa - 1.0) * rest ** (kappa - 2.0) * p * log_u
    dpz = pz * (1.0 / g3 + log_u)
    found["g3"] = result(q * p * log_u, [0.0, 0.0, q * dpz - less * pz])
    found["kappa"] = result(-(rest**kappa) * np.log(rest), [0.0, 0.0, (q / kappa) * (1.0 + kappa * np.log(rest)) * pz])
    return found


class _Section:
    """The term X = |x / (a tx)|^g of a tapered body with its derivatives in x and z."""

    def __init__(self, x: Any, a: Any, g: Any, taper: list, zeta: Any, c: Any) -> None:
        t, t1, t2 = (
            sum(np.prod([k - j for j in range(order)]) * v * zeta ** max(k - order, 0) for k, v in enumerate(taper))
            for order in range(3)
        )
        self.g, self.zeta, self.c, self.t, self.t1 = g, zeta, c, t, t1
        self.log = _log(x / (a * t))
        self.term = np.exp(g * self.log)
        self.per_x = np.exp((g - 1.0) * self.log) * np.copysign(1.0, x) / (a * t)  # X / x
        self.alpha = t1 / (t * c)
        alpha_z = t2 / (t * c * c) - self.alpha**2
        self.slope = g * self.per_x
        self.bend = g * (g - 1.0) * np.exp((g - 2.0) * self.log) / (a * t) ** 2
        self.term_z = -g * self.term * self.alpha
        self.slope_z = -g * g * self.per_x * self.alpha
        self.term_zz = g * self.term * (g * self.alpha**2 - alpha_z)

    def changes(self, axis: str, number: int) -> Any:
        """(name, df, d slope, d of the slope in z) for the exponent and the four coefficients of the taper."""
        grown = 1.0 + self.g * self.log
        yield f"g{number}", self.term * self.log, self.per_x * grown, -self.alpha * self.term * grown
        for k in range(4):
            beta = -self.g * self.zeta**k / self.t
            less = k * self.zeta ** max(k - 1, 0) / (self.c * self.t) - self.zeta**k * self.alpha / self.t
            change = self.term_z * beta - self.g * self.term * less
            yield f"{axis}{k}", self.term * beta, self.slope * beta, change
