"""Sphere: the support function is constant on unit vectors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments, symmetric
from ..io import validate
from .parameters import along
from .shape import Shape


class Sphere(Shape):
    """Ball about the origin.

    Parameters
    ----------
    radius : (...) array_like
        Radius [m], > 0.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Sphere(2.0).point([0, 0, 5]).tolist()
    [0.0, 0.0, 2.0]
    """

    class Kernel(NamedTuple):
        radius: float

        def jet(self, n):
            length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            i = 1.0 / length
            u = (n[0] * i, n[1] * i, n[2] * i)
            r = self.radius
            k = r * i
            return (
                r * length,
                (r * u[0], r * u[1], r * u[2]),
                (
                    k * (u[1] * u[1] + u[2] * u[2]),
                    -k * u[0] * u[1],
                    -k * u[0] * u[2],
                    k * (u[0] * u[0] + u[2] * u[2]),
                    -k * u[1] * u[2],
                    k * (u[0] * u[0] + u[1] * u[1]),
                ),
            )

        def implicit(self, x):
            # |x|^2 / r^2 - 1
            k = 1.0 / (self.radius * self.radius)
            g = (2.0 * k * x[0], 2.0 * k * x[1], 2.0 * k * x[2])
            f = k * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 1.0
            return f, g, (2.0 * k, 0.0, 0.0, 2.0 * k, 0.0, 2.0 * k)

    _parameters = {"radius": 0}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return along([n], n)

    def __init__(self, radius: ArrayLike) -> None:
        self._set(radius=validate.positive(validate.array(radius, "radius"), "radius"))

    @property
    def radius(self) -> np.ndarray:
        return self._fields["radius"]

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        half = np.repeat(self.radius[..., None], 3, axis=-1)
        return half, np.zeros_like(half)

    @property
    def bounding_radius(self) -> np.ndarray:
        return self.radius

    @property
    def longest(self) -> np.ndarray:
        return self.bounding_radius

    @property
    def core_radius(self) -> np.ndarray:
        return self.radius

    def moments(self) -> Moments:
        r = self.radius
        volume = 4.0 / 3.0 * np.pi * r**3
        return symmetric(volume, np.repeat((volume * r * r / 5.0)[..., None], 3, axis=-1))
