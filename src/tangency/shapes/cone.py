"""Cone or frustum: the convex hull of a disc and a second disc or a tip above it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..geometry.moments import Moments
from ..io import validate
from .cylinder import disc, outward
from .parameters import along
from .shape import Shape


class Cone(Shape):
    """Circular cone or frustum along z; the origin lies halfway between base and top.

    Parameters
    ----------
    radius : (...) array_like
        Radius of the base at z = -half_length [m], > 0.
    half_length : (...) array_like
        Half the height [m], > 0; the tip is at z = +half_length, as in most collision libraries.
    top_radius : (...) array_like
        Radius of the disc at z = +half_length [m], >= 0; 0 gives a full cone.

    Notes
    -----
    The origin is not the centroid: that of a full cone lies at z = -half_length / 2.  Where n is normal to
    an end, the kernel returns the centre of the disc; where n is normal to the side, the point on the base.
    At the rims one radius of curvature is zero, at the tip both are.

    Examples
    --------
    >>> import tangency as tg
    >>> cone = tg.Cone(0.3, half_length=0.2)
    >>> cone.point([[0, 0, 1], [1, 0, -1], [0, 0, -1]]).tolist()
    [[0.0, 0.0, 0.2], [0.3, 0.0, -0.2], [0.0, 0.0, -0.2]]
    >>> cone.centroid.tolist()
    [0.0, 0.0, -0.1]
    """

    smooth = False

    class Kernel(NamedTuple):
        radius: float
        half_length: float
        top_radius: float

        def jet(self, n):
            rho = math.sqrt(n[0] * n[0] + n[1] * n[1])
            if (self.radius - self.top_radius) * rho >= 2.0 * self.half_length * n[2]:
                return disc(self.radius, -self.half_length, n)
            return disc(self.top_radius, self.half_length, n)

    _parameters = {"radius": 0, "half_length": 0, "top_radius": 0}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rho = np.hypot(n[..., 0], n[..., 1])
        base = ((self.radius - self.top_radius) * rho >= 2.0 * self.half_length * n[..., 2])[..., None]
        u, up = outward(n), np.array([0.0, 0.0, 1.0])
        return along([np.where(base, u, 0.0), np.where(base, -up, up), np.where(base, 0.0, u)], n)

    def __init__(self, radius: ArrayLike, half_length: ArrayLike, top_radius: ArrayLike = 0.0) -> None:
        radius = validate.positive(validate.array(radius, "radius"), "radius")
        half_length = validate.positive(validate.array(half_length, "half_length"), "half_length")
        top_radius = validate.array(top_radius, "top_radius")
        if (top_radius < 0.0).any():
            raise ValueError(f"top_radius must be >= 0, got {top_radius}")
        self._set(radius=radius, half_length=half_length, top_radius=top_radius)

    @property
    def radius(self) -> np.ndarray:
        """Radius of the base [m]."""
        return self._fields["radius"]

    @property
    def half_length(self) -> np.ndarray:
        """Half the height [m]."""
        return self._fields["half_length"]

    @property
    def top_radius(self) -> np.ndarray:
        """Radius of the top [m]."""
        return self._fields["top_radius"]

    @property
    def half_angle(self) -> np.ndarray:
        """Angle between axis and side [rad]; negative if the top is the larger disc."""
        return np.arctan2(self.radius - self.top_radius, 2.0 * self.half_length)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Distance from the origin to the farther rim [m]."""
        return np.hypot(np.maximum(self.radius, self.top_radius), self.half_length)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """Larger of |z| / half_length - 1 and the height above the side in units of the larger radius."""
        return np.maximum(np.abs(validate.vectors(x, "x")[..., 2]) / self.half_length - 1.0, self.beyond_side(x))

    def beyond_side(self, x: ArrayLike) -> np.ndarray:
        """Implicit function of the side alone, which goes on from the tip to infinity: the second of both."""
        x = validate.vectors(x, "x")
        t = 0.5 * (x[..., 2] / self.half_length + 1.0)
        beyond = np.hypot(x[..., 0], x[..., 1]) - (self.radius + t * (self.top_radius - self.radius))
        return beyond / np.maximum(self.radius, self.top_radius)

    def moments(self) -> Moments:
        # With t from 0 (base) to 1: rho = a + (b - a) t, z = l (2 t - 1); closed-form integrals of rho^2, rho^2 z, ...
        a, l, b = np.broadcast_arrays(self.radius, self.half_length, self.top_radius)
        volume = 2.0 * np.pi * l * (a * a + a * b + b * b) / 3.0
        height = 2.0 * np.pi * l * l * (b * b - a * a) / 6.0
        across = np.pi * l * (a**4 + a**3 * b + a * a * b * b + a * b**3 + b**4) / 10.0
        along = 2.0 * np.pi * l**3 * (2.0 * a * a + a * b + 2.0 * b * b) / 15.0
        centroid = np.stack([0.0 * l, 0.0 * l, height / volume], axis=-1)
        second = np.stack([across, across, along], axis=-1)[..., :, None] * np.eye(3)
        return Moments(volume, centroid, second, np.zeros_like(volume))


CONE = len(Cone.Kernel._fields)


@jit
def write_cone(row, radius, half_length, top_radius):
    """Write the parameters of a cone, in the order of its Kernel."""
    row[0], row[1], row[2] = radius, half_length, top_radius
