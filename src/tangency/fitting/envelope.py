"""Derivatives of the signed distance by the parameters of a shape, without differentiating any iteration.

By the envelope theorem the distance d(p) = max over n of n.p - h(n) changes with a parameter as -h does at
fixed n, and h as the implicit function f at the foot point x: dd/dlam = (df/dlam) / |grad f|.  With
h = n.x the length of the gradient is (x . grad f) / h, which needs no power that could vanish.
"""

from __future__ import annotations

import numpy as np

LEAST = 1e-290


def _entropy(share: np.ndarray) -> np.ndarray:
    """x log x, zero at zero."""
    return share * np.log(np.maximum(share, LEAST))


def tapered(form: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 12) of the distance by the form of a superovoid (``models.py``), at its foot points."""
    radii, g = np.exp(form[:3]), 2.0 / form[3:6]
    zeta = foot[:, 2] / radii[2]
    powers = np.stack([zeta, zeta * zeta, zeta**3], axis=1)
    slopes = np.stack([np.ones_like(zeta), 2.0 * zeta, 3.0 * zeta * zeta], axis=1)
    tx, ty = 1.0 + powers @ form[6:9], 1.0 + powers @ form[9:12]
    # The three terms of Eq. (2.19) of Lopes' thesis
    u = np.abs(foot[:, 0] / (radii[0] * tx)) ** g[0]
    v = np.abs(foot[:, 1] / (radii[1] * ty)) ** g[1]
    w = np.abs(zeta) ** g[2]
    gu, gv, gw = g[0] * u, g[1] * v, g[2] * w
    z_fz = gw - zeta * (gu * (slopes @ form[6:9]) / tx + gv * (slopes @ form[9:12]) / ty)  # z df/dz
    out = np.empty((len(foot), 12))
    out[:, 0], out[:, 1], out[:, 2] = -gu, -gv, -z_fz
    for k, term in enumerate((u, v, w)):
        # df/dg = term log(term) / g and dg/de = -g^2 / 2
        out[:, 3 + k] = -0.5 * g[k] * _entropy(term)
    out[:, 6:9] = -(gu / tx)[:, None] * powers
    out[:, 9:12] = -(gv / ty)[:, None] * powers
    return out * _per_length(gu + gv + z_fz, foot, normal)


def barr(form: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 5) of the distance by the form of a superellipsoid, at its foot points."""
    radii, p1, p2 = np.exp(form[:3]), 2.0 / form[3], 2.0 / form[4]
    x, y, z = np.abs(foot / radii).T
    top = np.maximum(np.maximum(x, y), LEAST)
    a, b = (x / top) ** p2, (y / top) ** p2
    total = a + b
    a, b = a / total, b / total  # shares of x and y in the section
    p = (top * total ** (1.0 / p2)) ** p1
    q = z**p1
    out = np.empty((len(foot), 5))
    out[:, 0], out[:, 1], out[:, 2] = -p1 * p * a, -p1 * p * b, -p1 * q
    out[:, 3] = -0.5 * p1 * (_entropy(p) + _entropy(q))
    out[:, 4] = -0.5 * p1 * p * (_entropy(a) + _entropy(b))
    return out * _per_length(p1 * (p + q), foot, normal)


def _per_length(x_grad: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    h = np.einsum("ij,ij->i", foot, normal)
    return (h / np.where(np.abs(x_grad) > 1e-12, x_grad, 1e-12))[:, None]


def pose(rotation: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 6) by the position, and by a small turn about the body's own axes (design 2.4)."""
    return np.hstack([-normal @ rotation.T, np.cross(normal, foot)])
