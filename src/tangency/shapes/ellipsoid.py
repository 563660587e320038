"""Ellipsoid (Römer 3-D, Eq. 51)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments, symmetric
from ..io import validate
from ..kernels.inner_ball import ROOM
from .parameters import Carried, stretched
from .shape import Shape


class Ellipsoid(Shape):
    """Ellipsoid about the origin with axes along x, y, z.

    Parameters
    ----------
    radii : (..., 3) array_like
        Semi-axes [m], > 0.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Ellipsoid([3, 2, 1]).curvature([1, 0, 0]).values.tolist()
    [3.0, 0.75]
    """

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float

        def jet(self, n):
            sx, sy, sz = self.a * self.a, self.b * self.b, self.c * self.c
            x, y, z = sx * n[0], sy * n[1], sz * n[2]
            xx, yy, zz = x * n[0], y * n[1], z * n[2]
            h = math.sqrt(xx + yy + zz)  # Eq. (51)
            i = 1.0 / h
            x, y, z = x * i, y * i, z * i
            k = i * i * i
            # Hess h = (S - x x') / h; the diagonal is written so that nothing cancels.
            return (
                h,
                (x, y, z),
                (sx * (yy + zz) * k, -x * y * i, -x * z * i, sy * (xx + zz) * k, -y * z * i, sz * (xx + yy) * k),
            )

        def inner_ball(self, n, h, x):
            # Smallest semi-axis squared over h, see ``solvers/lanes/ellipsoids.py``.
            least = min(self.a, self.b, self.c)
            return ROOM * least * least / h

        def implicit(self, x):
            # Sum of (x_i / a_i)^2, minus 1
            i, j, k = 1.0 / (self.a * self.a), 1.0 / (self.b * self.b), 1.0 / (self.c * self.c)
            u, v, w = i * x[0], j * x[1], k * x[2]
            f = u * x[0] + v * x[1] + w * x[2] - 1.0
            return f, (2.0 * u, 2.0 * v, 2.0 * w), (2.0 * i, 0.0, 0.0, 2.0 * j, 0.0, 2.0 * k)

    _parameters = {"radii": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        return stretched(n, x, self.radii)

    def __init__(self, radii: ArrayLike) -> None:
        radii = validate.positive(validate.vectors(radii, "radii"), "radii")
        self._set(a=radii[..., 0].copy(), b=radii[..., 1].copy(), c=radii[..., 2].copy())

    @property
    def radii(self) -> np.ndarray:
        f = self._fields
        return np.stack([f["a"], f["b"], f["c"]], axis=-1)

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        radii = self.radii
        return radii, np.zeros_like(radii)

    @property
    def bounding_radius(self) -> np.ndarray:
        f = self._fields  # NumPy takes far longer for maxima over a short last axis
        return np.maximum(np.maximum(f["a"], f["b"]), f["c"])

    @property
    def longest(self) -> np.ndarray:
        return self.bounding_radius

    @property
    def core_radius(self) -> np.ndarray:
        """Smallest radius of curvature: shortest semi-axis squared over the longest, minus a margin for rounding."""
        f = self._fields
        return 0.99 * np.minimum(np.minimum(f["a"], f["b"]), f["c"]) ** 2 / self.longest

    def moments(self) -> Moments:
        volume = 4.0 / 3.0 * np.pi * self.radii.prod(axis=-1)
        return symmetric(volume, volume[..., None] * self.radii**2 / 5.0)
