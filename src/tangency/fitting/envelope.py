"""Derivatives of the signed distance in the parameters of a shape, without differentiating any iteration.

By the envelope theorem the distance d(p) = max over n of n.p - h(n) changes with a parameter as -h does at
fixed n, and h as the implicit function f at the foot point x: dd/dlam = (df/dlam) / |grad f|.  With
h = n.x the length of the gradient is (x . grad f) / h, which contains no power that could vanish.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import entry, jit
from .parameter_layout import CX, CY, EXPONENTS, RADII, E

MIN_SHARE = 1e-290


def _entropy(share: np.ndarray) -> np.ndarray:
    """x log x, zero at zero."""
    return share * np.log(np.maximum(share, MIN_SHARE))


def tapered(form: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 12) of the distance in the form of a superovoid (``models.py``), at its foot points."""
    out = np.empty((len(foot), 12))
    _tapered(form, np.exp(form[RADII]), np.ascontiguousarray(foot), np.ascontiguousarray(normal), out)
    return out


@jit
def _entropy_of(share):
    return share * math.log(share) if share > MIN_SHARE else 0.0


@entry
def _tapered(form, radii, foot, normal, out):
    g1, g2, g3 = 2.0 / form[E], 2.0 / form[E + 1], 2.0 / form[E + 2]
    x1, x2, x3 = form[CX], form[CX + 1], form[CX + 2]
    y1, y2, y3 = form[CY], form[CY + 1], form[CY + 2]
    for k in range(foot.shape[0]):
        x, y, z = foot[k, 0], foot[k, 1], foot[k, 2] / radii[2]
        tx = 1.0 + z * (x1 + z * (x2 + z * x3))
        ty = 1.0 + z * (y1 + z * (y2 + z * y3))
        # The three terms of Eq. (2.19) of Lopes' thesis
        u, v, w = abs(x / (radii[0] * tx)) ** g1, abs(y / (radii[1] * ty)) ** g2, abs(z) ** g3
        gu, gv, gw = g1 * u, g2 * v, g3 * w
        lean_x, lean_y = gu / tx, gv / ty
        # z df/dz
        rise = gw - z * (lean_x * (x1 + z * (2.0 * x2 + 3.0 * z * x3)) + lean_y * (y1 + z * (2.0 * y2 + 3.0 * z * y3)))
        x_grad = gu + gv + rise
        h = x * normal[k, 0] + y * normal[k, 1] + foot[k, 2] * normal[k, 2]
        per = h / (x_grad if abs(x_grad) > 1e-12 else 1e-12)
        out[k, 0], out[k, 1], out[k, 2] = -gu * per, -gv * per, -rise * per
        # df/dg = term log(term) / g and dg/de = -g^2 / 2
        out[k, E] = -0.5 * g1 * _entropy_of(u) * per
        out[k, E + 1] = -0.5 * g2 * _entropy_of(v) * per
        out[k, E + 2] = -0.5 * g3 * _entropy_of(w) * per
        power = per
        for i in range(3):
            power *= z
            out[k, CX + i], out[k, CY + i] = -lean_x * power, -lean_y * power


def barr(form: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 5) of the distance in the form of a superellipsoid, at its foot points."""
    return barr_tapered(form, np.zeros(2), foot, normal)[:, :5]


def barr_tapered(form: np.ndarray, taper: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 7) in the form of a superellipsoid and in its linear tapers.

    Where a side is nearly straight, points of equal normals move differently with the tapers: only the foot point
    tells, not the normal.
    """
    radii, (p1, p2) = np.exp(form[RADII]), 2.0 / form[EXPONENTS]
    zeta = foot[:, 2] / radii[2]
    widths = 1.0 + zeta[:, None] * taper
    x, y = np.abs(foot[:, :2] / (radii[:2] * widths)).T
    top = np.maximum(np.maximum(x, y), MIN_SHARE)
    a, b = (x / top) ** p2, (y / top) ** p2
    total = a + b
    a, b = a / total, b / total  # shares of x and y in the section
    p = (top * total ** (1.0 / p2)) ** p1
    q = np.abs(zeta) ** p1
    by_tapers = -p1 * (p * zeta)[:, None] * np.column_stack([a, b]) / widths
    rise = p1 * q + by_tapers @ taper  # z df/dz
    out = np.empty((len(foot), 7))
    out[:, RADII] = np.column_stack([-p1 * p * a, -p1 * p * b, -rise])
    by_e1, by_e2 = -0.5 * p1 * (_entropy(p) + _entropy(q)), -0.5 * p1 * p * (_entropy(a) + _entropy(b))
    out[:, 3], out[:, 4], out[:, 5:] = by_e1, by_e2, by_tapers
    return out * _per_length(p1 * p + rise, foot, normal)


def _per_length(x_grad: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    h = np.einsum("ij,ij->i", foot, normal)
    return (h / np.where(np.abs(x_grad) > 1e-12, x_grad, 1e-12))[:, None]


def pose(rotation: np.ndarray, foot: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Derivatives (N, 6) in the position, and in a small rotation about the body's own axes."""
    (x, y, z), (u, v, w) = foot.T, normal.T
    return np.column_stack([-normal @ rotation.T, v * z - w * y, w * x - u * z, u * y - v * x])
