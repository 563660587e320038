"""Circle: the support function is constant on unit vectors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..moments import Moments, symmetric
from ..shape import Shape


class Circle(Shape):
    """Circle about the origin.

    Parameters
    ----------
    radius : (...) array_like
        Radius [m], > 0.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.Circle(2.0).point([0, 3]).tolist()
    [0.0, 2.0]
    """

    class Kernel(NamedTuple):
        radius: float

        def jet(self, n):
            length = math.sqrt(n[0] * n[0] + n[1] * n[1])
            k = self.radius / length
            return self.radius * length, (k * n[0], k * n[1]), self.radius

    def __init__(self, radius: ArrayLike) -> None:
        self._set(radius=validate.positive(validate.array(radius, "radius"), "radius"))

    @property
    def radius(self) -> np.ndarray:
        """[m]"""
        return self._fields["radius"]

    @property
    def bounding_radius(self) -> np.ndarray:
        """The radius [m]."""
        return self.radius

    @property
    def core_radius(self) -> np.ndarray:
        """The radius: the core is a point."""
        return self.radius

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """(|x| / radius)^2 - 1: negative inside, zero on the boundary."""
        return (validate.vectors(x, "x", 2) ** 2).sum(axis=-1) / self.radius**2 - 1.0

    def moments(self) -> Moments:
        r = self.radius
        return symmetric(2.0 * np.pi * r, np.pi * r**2, np.stack([r**4, r**4], axis=-1) * np.pi / 4.0)
