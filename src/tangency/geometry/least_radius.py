"""Proved lower bound on all radii of curvature of a sum of spherical harmonics up to degree L.

The radius of curvature R at the normal n along the tangent t is a function of the rotation that maps the axes z and x
to n and t.  If a rotation about any fixed axis is added, h and therefore R = h'' + h are trigonometric polynomials of
degree L in its angle.  By Bernstein's inequality the second derivative is at most L^2 A, with A half the difference
between the largest and the smallest R.  At the smallest one, m, the first derivative vanishes: a sample at the angle d
from there has a radius of at most m + L^2 A d^2 / 2.  So if every normal has a sample within d,

    m >= smallest sample - k A,   A <= A of the samples / (1 - k),   k = L^2 d^2 / 2.

A coarser bound needs no samples.  Along a great circle, the kernel of the harmonics of degree l is the function
(2 l + 1) / (4 pi) P_l(cos(s - s')).  By the Cauchy-Schwarz inequality, harmonics of degree l with coefficients c_l
change R by at most C_l |c_l|, where C_l^2 is (1 + d^2/ds^2)(1 + d^2/ds'^2) of the kernel at s = s':

    C_l^2 = (2 l + 1) / (4 pi) (1 - l (l + 1) + l (l + 1) (3 l (l + 1) - 2) / 8).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .directions import GOLDEN, ring
from .extreme_radii import rough_radius

if TYPE_CHECKING:
    from ..shapes.shape import Shape

FIRST_SPACING = 0.25  # distance of the first samples times the degree L [rad]
MAX_LOSS = 0.2  # fraction of the smallest radius that the bound may be too low
MAX_EVALUATIONS = 60_000  # if more would be needed, nothing is proved
BLOCK = 4000  # evaluations at a time


def covering(d: float) -> np.ndarray:
    """Unit vectors such that every direction is within 2 asin(d / 2) of one of them.

    They lie on rings d sqrt(2) apart, and on each ring d sqrt(2) apart.  By the law of haversines
    sin^2(angle / 2) <= (d sqrt(2) / 4)^2 + (d sqrt(2) / 4)^2.
    """
    step = np.sqrt(2.0) * d
    rings = int(np.ceil(np.pi / step))
    width = np.pi / rings
    parts = []
    for k in range(rings):
        edges = k * width, (k + 1) * width
        widest = 1.0 if edges[0] <= 0.5 * np.pi <= edges[1] else max(np.sin(edges[0]), np.sin(edges[1]))
        parts.append(ring((k + 0.5) * width, int(np.ceil(2.0 * np.pi * widest / step)), k * GOLDEN))
    return np.concatenate(parts)


def from_coefficients(coefficients: np.ndarray) -> np.ndarray:
    """Lower bound from the coefficients (..., (L + 1)^2) of the harmonics alone; 0 if they prove nothing."""
    bound = np.array(coefficients[..., 0] / np.sqrt(4.0 * np.pi))
    size = np.abs(bound)
    for l in range(2, math.isqrt(coefficients.shape[-1])):
        k = l * (l + 1)
        most = math.sqrt((2 * l + 1) / (4.0 * np.pi) * (1.0 - k + k * (3.0 * k - 2.0) / 8.0))
        change = most * np.linalg.norm(coefficients[..., l * l : (l + 1) ** 2], axis=-1)
        bound, size = bound - change, size + change
    return np.maximum(bound - 1e-12 * size, 0.0)


def least_radius(shape: Shape, degree: int) -> np.ndarray:
    """Lower bound for every body of a flat stack; 0 if nothing is proved."""
    degree, bodies = max(degree, 1), len(shape.rows)
    d = FIRST_SPACING / degree
    if 2.0 * np.pi / d**2 * bodies > MAX_EVALUATIONS:
        return np.zeros(bodies)
    low, half = _samples(shape, d)
    bound = _proved(low, half, degree, d)
    # Samples dense enough for the body with the smallest radius
    ratio = (low / np.maximum(half, 1e-300)).min()
    finer = max(np.sqrt(2.0 * MAX_LOSS * max(ratio, 0.0)) / degree, np.sqrt(2.0 * np.pi * bodies / MAX_EVALUATIONS))
    if finer < 0.9 * d:
        bound = np.maximum(bound, _proved(*_samples(shape, finer), degree, finer))
    return np.maximum(bound, 0.0)


def _samples(shape: Shape, d: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest radius over the samples, and half the difference to the largest, with an allowance for rounding."""
    normals = covering(d)
    low, high = np.full(len(shape.rows), np.inf), np.full(len(shape.rows), -np.inf)
    for part in np.array_split(normals, 1 + len(normals) * len(shape.rows) // BLOCK):
        w = shape.hessian(part[:, None])
        low = np.minimum(low, rough_radius(w, 0).min(axis=0))
        high = np.maximum(high, rough_radius(w, 1).max(axis=0))
    return low - 1e-10 * high, 0.5 * (high - low) * (1.0 + 1e-9)


def _proved(low: np.ndarray, half: np.ndarray, degree: int, d: float) -> np.ndarray:
    k = 0.5 * (2.0 * degree * np.arcsin(0.5 * d)) ** 2
    return low - k * half / (1.0 - k)
