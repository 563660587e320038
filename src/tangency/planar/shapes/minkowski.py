"""Minkowski sum: the support functions add."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...kernels.jet import jet
from ...shapes.algebra import SumOfTwo
from ..moments import Moments
from ..shape import Shape, bounded


class MinkowskiSum(SumOfTwo, Shape):
    """Set of all sums of a point of A and a point of B: one body swept along the other.

    Parameters
    ----------
    a, b : Shape
        Bounded planar shapes.

    Examples
    --------
    >>> from tangency import planar
    >>> (planar.Circle(1.0) + planar.Ellipse([3, 2])).point([1, 0]).tolist()
    [4.0, 0.0]
    """

    class Kernel(NamedTuple):
        a: Any
        b: Any

        def jet(self, n):
            h_a, x_a, radius_a = jet(self.a, n)
            h_b, x_b, radius_b = jet(self.b, n)
            return h_a + h_b, (x_a[0] + x_b[0], x_a[1] + x_b[1]), radius_a + radius_b

    def __init__(self, a: Shape, b: Shape) -> None:
        self._set(a=bounded(a, "a"), b=bounded(b, "b"))

    def moments(self) -> Moments:
        """Arc length as the sum of both (Cauchy's formula), the rest by quadrature."""
        total = super().moments()
        return total.with_sizes(self.a.moments().arc_length + self.b.moments().arc_length, total.area)
