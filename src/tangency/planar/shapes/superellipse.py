"""Superellipse (Römer 3-D, Eq. 13)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...io import validate
from ..moments import Moments, arc_length_by_quadrature, symmetric
from ..shape import Shape

MIN_RATIO = 1e-100  # replaces zero in the ratio of the two components, where a radius would be infinite


class Superellipse(Shape):
    """Superellipse about the origin: |x/a|^p + |y/b|^p = 1.

    Parameters
    ----------
    radii : (..., 2) array_like
        Semi-axes a, b [m], > 0.
    exponent : (...) array_like
        p > 1 (the paper's epsilon); 2 gives an ellipse, 1 would give a rhombus, large values nearly a box.

    Notes
    -----
    For exponents above 2 the boundary is flat at the ends of the axes, and the radius of curvature there is
    a large number (up to 1e100) that represents infinity; below 2 it is zero there.

    Examples
    --------
    >>> from tangency import planar
    >>> shape = planar.Superellipse([3, 2], exponent=4)
    >>> shape.point([1, 0]).tolist()
    [3.0, 0.0]
    """

    class Kernel(NamedTuple):
        a: float
        b: float
        p: float

        def jet(self, n):
            u, v = abs(self.a * n[0]), abs(self.b * n[1])
            k = 1.0 / (self.p - 1.0)
            q = self.p * k  # Eq. (13): h = (u^q + v^q)^(1/q), with q = p / (p - 1)
            top, low = max(u, v), min(u, v)
            s = max(low / top, MIN_RATIO)
            z = s**q
            t = (1.0 + z) ** (1.0 / q)  # h / top
            big = t / (1.0 + z)  # derivative of h in the larger of u and v
            small = big * s**k  # and in the smaller
            # d2h = (q - 1) s^(q-2) (1 + z)^(1/q - 2) top * d(low/top)^2; with d along the tangent at n:
            # the ratio changes by a b |n|^2 / top^2 per radian
            length = math.sqrt(n[0] * n[0] + n[1] * n[1])
            ratio = length / top
            bend = k * s ** (k - 1.0) * t / ((1.0 + z) * (1.0 + z))
            radius = bend * (self.a * ratio) * (self.b * ratio) * self.a * self.b * ratio
            if low <= MIN_RATIO * top:
                small = 0.0
            dx, dy = (big, small) if u >= v else (small, big)
            x, y = math.copysign(self.a * dx, n[0]), math.copysign(self.b * dy, n[1])
            return top * t, (x, y), min(radius, 1e100 * (self.a + self.b))

    def __init__(self, radii: ArrayLike, exponent: ArrayLike) -> None:
        radii = validate.positive(validate.vectors(radii, "radii", 2), "radii")
        exponent = validate.within(validate.array(exponent, "exponent"), "exponent", 1.0, np.inf, " (both open)")
        self._set(a=radii[..., 0].copy(), b=radii[..., 1].copy(), p=exponent)

    @property
    def radii(self) -> np.ndarray:
        """Semi-axes, (..., 2) [m]."""
        return np.stack([self._fields["a"], self._fields["b"]], axis=-1)

    @property
    def exponent(self) -> np.ndarray:
        """Exponent p of |x/a|^p + |y/b|^p = 1."""
        return self._fields["p"]

    @property
    def bounding_radius(self) -> np.ndarray:
        """Half the diagonal of the bounding box [m]."""
        return np.linalg.norm(self.radii, axis=-1)

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """|x/a|^p + |y/b|^p - 1: negative inside, zero on the boundary."""
        parts = np.abs(validate.vectors(x, "x", 2)) / self.radii
        return (parts ** self.exponent[..., None]).sum(axis=-1) - 1.0

    def _breaks(self) -> np.ndarray:
        # The axes, and the middle of each side, where exponents near 1 give sharp bends.
        corner = float(np.arctan2(self.radii[0], self.radii[1]))
        middles = [corner, np.pi - corner, -corner, corner - np.pi]
        return np.unique(np.concatenate([np.arange(-2, 2) * (np.pi / 2), middles]))

    def moments(self) -> Moments:
        """Area and inertia in closed form (Dirichlet's integral); the arc length by quadrature."""
        a, b = self.radii[..., 0], self.radii[..., 1]
        i = 1.0 / self.exponent
        gammaln = scipy.special.gammaln
        area = 4.0 * a * b * np.exp(2.0 * gammaln(1.0 + i) - gammaln(1.0 + 2.0 * i))
        square = 4.0 / 3.0 * a * b * np.exp(gammaln(1.0 + i) + gammaln(1.0 + 3.0 * i) - gammaln(1.0 + 4.0 * i))
        squares = np.stack(np.broadcast_arrays(square * a * a, square * b * b), axis=-1)
        return symmetric(area, area, squares).with_arc_length(*arc_length_by_quadrature(self))
