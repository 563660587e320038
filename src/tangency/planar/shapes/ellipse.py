"""Ellipse (Römer 3-D, Eq. 12)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...io import validate
from ..moments import Moments, symmetric
from ..shape import Shape


class Ellipse(Shape):
    """Ellipse about the origin with axes along x and y.

    Parameters
    ----------
    radii : (..., 2) array_like
        Semi-axes [m], > 0.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.Ellipse([3, 2]).curvature([1, 0]).tolist()
    0.75
    """

    class Kernel(NamedTuple):
        a: float
        b: float

        def jet(self, n):
            aa, bb = self.a * self.a, self.b * self.b
            x, y = aa * n[0], bb * n[1]
            h = math.sqrt(x * n[0] + y * n[1])  # Eq. (12)
            length = math.sqrt(n[0] * n[0] + n[1] * n[1])
            q = length / h
            return h, (x / h, y / h), (aa * q) * (bb * q) * q

    def __init__(self, radii: ArrayLike) -> None:
        radii = validate.positive(validate.vectors(radii, "radii", 2), "radii")
        self._set(a=radii[..., 0].copy(), b=radii[..., 1].copy())

    @property
    def radii(self) -> np.ndarray:
        """Semi-axes, (..., 2) [m]."""
        return np.stack([self._fields["a"], self._fields["b"]], axis=-1)

    @property
    def bounding_radius(self) -> np.ndarray:
        """The longer semi-axis [m]."""
        return self.radii.max(axis=-1)

    @property
    def core_radius(self) -> np.ndarray:
        """Smallest radius of curvature: the shorter semi-axis squared over the longer, minus a margin for rounding."""
        return 0.99 * self.radii.min(axis=-1) ** 2 / self.radii.max(axis=-1)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """(x/a)^2 + (y/b)^2 - 1: negative inside, zero on the boundary."""
        return ((validate.vectors(x, "x", 2) / self.radii) ** 2).sum(axis=-1) - 1.0

    def moments(self) -> Moments:
        long, short = self.radii.max(axis=-1), self.radii.min(axis=-1)
        length = 4.0 * long * scipy.special.ellipe(1.0 - (short / long) ** 2)
        area = np.pi * long * short
        return symmetric(length, area, area[..., None] * self.radii**2 / 4.0)
