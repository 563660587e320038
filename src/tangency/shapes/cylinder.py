"""Cylinder: two discs and the side between them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..geometry.moments import Moments, symmetric
from ..io import validate
from .parameters import along
from .shape import Shape

POLE = 1e-90  # a normal this close to the axis is that of a flat end


@jit
def disc(radius, z, n):
    """Jet of the disc of the given radius about the z axis at height z.

    For n along the axis every point of the disc has this normal; the result is its centre.
    """
    rho = math.sqrt(n[0] * n[0] + n[1] * n[1])
    if rho <= POLE * abs(n[2]):
        big = radius / POLE
        return z * n[2], (0.0, 0.0, z), (big, 0.0, 0.0, big, 0.0, 0.0)
    u, v, k = n[0] / rho, n[1] / rho, radius / rho
    return radius * rho + z * n[2], (radius * u, radius * v, z), (k * v * v, -k * u * v, 0.0, k * u * u, 0.0, 0.0)


def outward(n: np.ndarray) -> np.ndarray:
    """Unit vector from the z axis along n; zero at the poles."""
    flat = n * np.array([1.0, 1.0, 0.0])
    rho = np.linalg.norm(flat, axis=-1, keepdims=True)
    return np.where(rho > POLE, flat / np.maximum(rho, POLE), 0.0)


class Cylinder(Shape):
    """Circular cylinder along z about the origin, with flat ends.

    Parameters
    ----------
    radius : (...) array_like
        Radius [m], > 0.
    half_length : (...) array_like
        Half the length [m], > 0; as for a :func:`capsule`, without the caps.

    Notes
    -----
    Where n is normal to an end, every point of the disc has this normal; on the side, every point of a
    straight line.  The kernel then returns the centre of the disc or line.  At the rims one radius of curvature
    is zero.

    Examples
    --------
    >>> import tangency as tg
    >>> can = tg.Cylinder(0.03, half_length=0.06)
    >>> can.point([[1, 0, 1], [0, 0, 1], [0, 1, 0]]).tolist()
    [[0.03, 0.0, 0.06], [0.0, 0.0, 0.06], [0.0, 0.03, 0.0]]
    """

    smooth = False

    class Kernel(NamedTuple):
        radius: float
        half_length: float

        def jet(self, n):
            z = math.copysign(self.half_length, n[2]) if n[2] != 0.0 else 0.0
            return disc(self.radius, z, n)

    _parameters = {"radius": 0, "half_length": 0}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return along([outward(n), np.sign(n[..., 2:]) * np.array([0.0, 0.0, 1.0])], n)

    def __init__(self, radius: ArrayLike, half_length: ArrayLike) -> None:
        radius = validate.positive(validate.array(radius, "radius"), "radius")
        half_length = validate.positive(validate.array(half_length, "half_length"), "half_length")
        self._set(radius=radius, half_length=half_length)

    @property
    def radius(self) -> np.ndarray:
        """Radius of both ends [m]."""
        return self._fields["radius"]

    @property
    def half_length(self) -> np.ndarray:
        """Half the length [m]."""
        return self._fields["half_length"]

    @property
    def bounding_radius(self) -> np.ndarray:
        """Distance from the origin to a rim [m]."""
        return np.hypot(self.radius, self.half_length)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """Larger of rho / radius and |z| / half_length, minus 1: negative inside, zero on the surface."""
        return np.maximum(self.beyond_side(x), np.abs(validate.vectors(x, "x")[..., 2]) / self.half_length - 1.0)

    def beyond_side(self, x: ArrayLike) -> np.ndarray:
        """Implicit function of the side alone, which goes on beyond both ends: rho / radius - 1."""
        x = validate.vectors(x, "x")
        return np.hypot(x[..., 0], x[..., 1]) / self.radius - 1.0

    def moments(self) -> Moments:
        r, l = np.broadcast_arrays(self.radius, self.half_length)
        volume = 2.0 * np.pi * r * r * l
        return symmetric(volume, volume[..., None] * np.stack([r * r / 4.0, r * r / 4.0, l * l / 3.0], axis=-1))
