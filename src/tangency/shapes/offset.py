"""Parallel body: all boundary points are moved along their normals (Römer 3-D, Eq. 48)."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments, symmetric
from ..kernels.inner_ball import inner_ball
from ..kernels.jet import bend, jet
from .algebra import Parallel, parallel_fields
from .box import Box
from .checks.offset_limit import offset_limit
from .cone import Cone
from .cylinder import Cylinder
from .parameters import Carried, carried_together, tangent
from .segment import Segment
from .shape import Shape, bounded
from .sphere import Sphere


class Offset(Parallel, Shape):
    """Body whose surface lies at a constant distance outside (or inside) that of another.

    Parameters
    ----------
    body : Shape
        Any bounded shape.  An offset of an offset is stored as one.
    distance : (...) array_like
        Offset [m].  Negative values shrink the body and must be greater than ``offset_limit(body)``, minus
        its smallest radius of curvature (Römer 3-D, Eq. 50).

    Examples
    --------
    >>> import tangency as tg
    >>> rounded = tg.Offset(tg.Box([3, 2, 1]), 0.5)
    >>> float(rounded.support([0, 0, 1]))
    1.5
    """

    class Kernel(NamedTuple):
        body: Any
        distance: float

        def jet(self, n):
            h, x, w = jet(self.body, n)
            length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            i = 1.0 / length
            u = (n[0] * i, n[1] * i, n[2] * i)
            d = self.distance
            k = d * i
            return (
                h + d * length,  # Eq. (48)
                (x[0] + d * u[0], x[1] + d * u[1], x[2] + d * u[2]),
                (
                    w[0] + k * (u[1] * u[1] + u[2] * u[2]),
                    w[1] - k * u[0] * u[1],
                    w[2] - k * u[0] * u[2],
                    w[3] + k * (u[0] * u[0] + u[2] * u[2]),
                    w[4] - k * u[1] * u[2],
                    w[5] + k * (u[0] * u[0] + u[1] * u[1]),
                ),
            )

        def inner_ball(self, n, h, x):
            h, x, _ = jet(self.body, n)  # not by differences, which leave few digits of a small body
            return max(inner_ball(self.body, n, h, x) + self.distance, 0.0)

        def bend(self, n, d):
            return bend(self.body, n, d)

    _parameters = {"body": None, "distance": 0}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        distance = self.distance[..., None]
        inner = self.body._carried(n, x - distance * n)
        own = Carried(inner.point + distance[..., None] * tangent(inner.tilt, n), inner.tilt)
        return carried_together(own, Carried(n[..., None, :], np.zeros_like(n[..., None, :])))

    def __init__(self, body: Shape, distance: ArrayLike) -> None:
        self._set(**parallel_fields(bounded(body, "body"), distance, offset_limit, "Römer 3-D, Eq. 50"))

    @property
    def box_core(self) -> np.ndarray:
        return self.body.box_core * np.ones(self.batch_shape)

    def moments(self) -> Moments:
        """Exact over Sphere, Box, Segment, Cylinder and Cone; otherwise as for a Minkowski sum with a ball."""
        if isinstance(self.body, Sphere):
            return Sphere(self.body.radius + self.distance).moments()
        if isinstance(self.body, Box):
            return _rounded_box(self.body.half_lengths, self.distance)
        if isinstance(self.body, Segment):
            return _rounded_box(self.body.half_length[..., None] * np.array([0.0, 0.0, 1.0]), self.distance)
        if isinstance(self.body, Cylinder):
            return _rounded_cone(self.body.radius, self.body.half_length, self.body.radius, self.distance)
        if isinstance(self.body, Cone):
            return _rounded_cone(self.body.radius, self.body.half_length, self.body.top_radius, self.distance)
        return super().moments()


def _rounded_cone(bottom: np.ndarray, half: np.ndarray, top: np.ndarray, d: np.ndarray) -> Moments:
    """Moments of a cone offset by d, from discs: an arc about each rim, and the side between them.

    Arcs are integrated over the latitude p of the normal: rho = rim + d cos p, z = +-half + d sin p.  Gaussian
    quadrature is exact to rounding for these smooth integrands.
    """
    a, l, b, d = np.broadcast_arrays(bottom, half, top, d)
    node, weight = np.polynomial.legendre.leggauss(24)
    node, weight = (v.reshape(-1, *(1,) * a.ndim) for v in (0.5 * (node + 1.0), 0.5 * weight))
    side = np.arctan2(a - b, 2.0 * l)
    total = np.zeros((4, *a.shape))
    for rim, height, first, last in ((a, -l, -0.5 * np.pi, side), (b, l, side, 0.5 * np.pi)):
        p = first + (last - first) * node
        discs = (rim + d * np.cos(p), height + d * np.sin(p), (last - first) * d * np.cos(p))
        total = total + _discs(*discs, weight)
    rho, z = a + (b - a) * node + d * np.cos(side), l * (2.0 * node - 1.0) + d * np.sin(side)
    volume, first_moment, across, along = total + _discs(rho, z, 2.0 * l, weight)
    centroid = np.stack([0.0 * l, 0.0 * l, first_moment / volume], axis=-1)
    second = np.stack([across, across, along], axis=-1)[..., :, None] * np.eye(3)
    return Moments(volume, centroid, second, np.zeros_like(volume))


def _discs(rho: np.ndarray, z: np.ndarray, thickness: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Integrals of 1, z, x^2 and z^2 over discs."""
    area = np.pi * weight * thickness * rho**2
    return np.stack([v.sum(axis=0) for v in (area, area * z, 0.25 * area * rho**2, area * z**2)])


def _rounded_box(half: np.ndarray, d: np.ndarray) -> Moments:
    """Steiner's decomposition of an octant: k coordinates beyond the core lie in 1/2^k of a k-ball."""
    half, d = np.broadcast_arrays(half, d[..., None])
    d = d[..., 0]
    # Volume, first and second moment of one coordinate over that part of the k-ball.
    ball = [np.ones_like(d), d, math.pi / 4 * d**2, math.pi / 6 * d**3]
    first = [np.zeros_like(d), d**2 / 2, d**3 / 3, math.pi / 16 * d**4]
    second = [np.zeros_like(d), d**3 / 3, math.pi / 16 * d**4, math.pi / 30 * d**5]
    volume, squares = np.zeros_like(d), np.zeros_like(half)
    for beyond in product((False, True), repeat=3):
        k = sum(beyond)
        core = np.where(beyond, 1.0, half).prod(axis=-1)
        volume = volume + core * ball[k]
        for i in range(3):
            a = half[..., i]
            if beyond[i]:
                squares[..., i] += core * (a * a * ball[k] + 2.0 * a * first[k] + second[k])
            else:
                squares[..., i] += core * ball[k] * a * a / 3.0
    return symmetric(8.0 * volume, 8.0 * squares)
