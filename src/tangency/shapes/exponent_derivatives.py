"""Derivatives of h and x by the exponents and tapers of superellipsoids, power ellipsoids and tapered bodies.

Where h comes from an inner maximisation, dh/dp follows from the envelope theorem and dx/dp from W.  A body f(x; p) = 0
has n = lam grad f, and a change of p at fixed n moves the point by

    dh/dp = -lam df/dp,   dx/dp = dh/dp n - W (lam d(grad f)/dp + dh/dp lam Hess f n).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

LEAST = 1e-280  # replaces zero under a logarithm


class _Norm(NamedTuple):
    """N = (u^q + v^q)^(1/q), its derivatives by u and v, and those of N, Nu and Nv by q."""

    value: np.ndarray
    u: np.ndarray
    v: np.ndarray
    uu: np.ndarray
    uv: np.ndarray
    q: np.ndarray
    uq: np.ndarray
    vq: np.ndarray


def _norm(u: np.ndarray, v: np.ndarray, q: np.ndarray) -> _Norm:
    u, v = np.maximum(u, LEAST), np.maximum(v, LEAST)
    ratio = q * (np.log(u) - np.log(v))
    # Shares of both terms in the sum, by their logarithms
    log_s, log_t = -np.logaddexp(0.0, -ratio), -np.logaddexp(0.0, ratio)
    s, t = np.exp(log_s), np.exp(log_t)
    value = np.where(ratio > 0, u * np.exp(-log_s / q), v * np.exp(-log_t / q))
    k = (q - 1.0) / q
    nu, nv = np.exp(k * log_s), np.exp(k * log_t)
    mean = s * log_s + t * log_t
    uu = (q - 1.0) / value * np.exp(np.minimum((q - 2.0) / q * log_s, 600.0)) * t
    i = 1.0 / (q * q)
    return _Norm(
        value,
        nu,
        nv,
        uu,
        -(q - 1.0) / value * nu * nv,
        value * i * mean,
        nu * i * (q * log_s - (q - 1.0) * mean),
        nv * i * (q * log_t - (q - 1.0) * mean),
    )


def superellipsoid(n: np.ndarray, fields: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by Barr's exponents (e1, e2); q = 2 / (2 - e), so dq/de = q^2 / 2."""
    a, b, c, q1, q2 = (fields[name] for name in ("a", "b", "c", "q1", "q2"))
    rho = _norm(np.abs(a * n[..., 0]), np.abs(b * n[..., 1]), q2)
    h = _norm(rho.value, np.abs(c * n[..., 2]), q1)
    x, y, z = (np.copysign(r, n[..., k]) for k, r in enumerate((a, b, c)))
    by_q1 = (x * h.uq * rho.u, y * h.uq * rho.v, z * h.vq)
    moved = h.uu * rho.q
    by_q2 = (x * (moved * rho.u + h.u * rho.uq), y * (moved * rho.v + h.u * rho.vq), z * h.uv * rho.q)
    slopes = 0.5 * q1 * q1, 0.5 * q2 * q2
    support = np.stack(np.broadcast_arrays(h.q * slopes[0], h.u * rho.q * slopes[1]), axis=-1)
    first, second = (np.stack(np.broadcast_arrays(*v), axis=-1) for v in (by_q1, by_q2))
    vectors = np.broadcast_arrays(first * slopes[0][..., None], second * slopes[1][..., None])
    return support, np.stack(vectors, axis=-2)


def power_ellipsoid(n: np.ndarray, x: np.ndarray, radii: Any, g: Any) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by the exponents g of sum |x_i / a_i|^g_i = 1, from m_i = a_i |n_i| / g_i = lam y_i^(g_i - 1)."""
    shape = np.broadcast_shapes(x.shape, radii.shape, g.shape)
    n, x, radii, g = (np.broadcast_to(v, shape) for v in (n, x, radii, g))
    log_y = np.log(np.maximum(np.abs(x / radii), LEAST))
    share = np.exp(g * log_y)
    lam = (n * x).sum(axis=-1, keepdims=True) / (g * share).sum(axis=-1, keepdims=True)
    support = -lam * share * log_y
    own = (-1.0 / g - log_y) / (g - 1.0)  # d log y_i / d g_i at fixed lam
    weight = (share * g / (g - 1.0)).sum(axis=-1, keepdims=True)
    log_lam = share * (g * own + log_y) / weight
    change = np.eye(3) * own[..., None, :] - log_lam[..., :, None] / (g - 1.0)[..., None, :]
    return support, x[..., None, :] * change


def tapered(n: np.ndarray, jet: Any, fields: dict[str, np.ndarray]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Derivatives by g1, g2, g3, kappa, x0..x3 and y0..y3 of ``kernels/tapered.py``: for each dh and dx."""
    f = fields
    c, g3, kappa = f["c"], f["g3"], f["kappa"]
    z = jet.point[..., 2]
    zeta = z / c
    log_u = np.log(np.maximum(np.abs(zeta), LEAST))
    p = np.exp(g3 * log_u)
    rest = np.maximum(1.0 - p, LEAST)
    sections = [
        _Section(jet.point[..., k], f["ab"[k]], f[f"g{k + 1}"], [f[f"{axis}{i}"] for i in range(4)], zeta, c)
        for k, axis in enumerate("xy")
    ]
    # m = (1 - u^g3)^kappa with two derivatives in z
    sign = np.where(zeta < 0, -1.0, 1.0)
    pz = g3 * np.exp((g3 - 1.0) * log_u) * sign / c
    pzz = g3 * (g3 - 1.0) * np.exp((g3 - 2.0) * log_u) / (c * c)
    q = kappa * rest ** (kappa - 1.0)
    mzz = kappa * (kappa - 1.0) * rest ** (kappa - 2.0) * pz * pz - q * pzz
    x, y = sections
    gradient = np.stack(np.broadcast_arrays(x.slope, y.slope, x.term_z + y.term_z + q * pz), axis=-1)
    lam = 1.0 / np.linalg.norm(gradient, axis=-1)
    bent = np.stack(
        np.broadcast_arrays(
            x.bend * n[..., 0] + x.slope_z * n[..., 2],
            y.bend * n[..., 1] + y.slope_z * n[..., 2],
            x.slope_z * n[..., 0] + y.slope_z * n[..., 1] + (x.term_zz + y.term_zz - mzz) * n[..., 2],
        ),
        axis=-1,
    )

    def result(df: np.ndarray, dg: list) -> tuple[np.ndarray, np.ndarray]:
        dh = -lam * df
        pull = lam[..., None] * (np.stack(np.broadcast_arrays(*dg), axis=-1) + dh[..., None] * bent)
        return dh, dh[..., None] * n - np.einsum("...ij,...j->...i", jet.hessian, pull)

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
        self.log = np.log(np.maximum(np.abs(x / (a * t)), LEAST))
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
