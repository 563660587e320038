"""Minkowski sum: the support functions add."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernels.flat_places import merge
from ..kernels.inner_ball import inner_ball
from ..kernels.jet import bend, jet
from ..kernels.vectors import add, sym_add
from .algebra import SumOfTwo
from .parameters import Carried, carried_together, joined
from .shape import Shape, bounded


class MinkowskiSum(SumOfTwo, Shape):
    """Set of all sums of a point of A and a point of B: one body swept along the other.

    Parameters
    ----------
    a, b : Shape
        Bounded shapes.

    Examples
    --------
    >>> import tangency as tg
    >>> total = tg.Sphere(1.0) + tg.Ellipsoid([3, 2, 1])
    >>> total.point([1, 0, 0]).tolist()
    [4.0, 0.0, 0.0]
    """

    class Kernel(NamedTuple):
        a: Any
        b: Any

        def jet(self, n):
            h_a, x_a, w_a = jet(self.a, n)
            h_b, x_b, w_b = jet(self.b, n)
            return h_a + h_b, add(x_a, x_b), sym_add(w_a, w_b)

        def inner_ball(self, n, h, x):
            h_a, x_a, _ = jet(self.a, n)
            h_b, x_b, _ = jet(self.b, n)
            return inner_ball(self.a, n, h_a, x_a) + inner_ball(self.b, n, h_b, x_b)

        def bend(self, n, d):
            return merge(add(n, d), bend(self.a, n, d), bend(self.b, n, d))

    _parameters = {"a": None, "b": None}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return joined(self.a.parameter_jet(n), self.b.parameter_jet(n))

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        # The normal of the sum tilts with that of the flatter body; on the other one, this moves the point by W u.
        jets = self.a.jet(n), self.b.jet(n)
        flatness = [np.trace(jet.hessian, axis1=-2, axis2=-1) for jet in jets]
        by_a = (flatness[0] >= flatness[1])[..., None, None]
        parts = []
        for body, other, leads in ((self.a, jets[1], by_a), (self.b, jets[0], ~by_a)):
            own, still = body._carried(n, x - other.point), body.parameter_jet(n).point
            parts.append(
                Carried(
                    np.where(leads, own.point + own.tilt @ other.hessian, still),
                    np.where(leads, own.tilt, 0.0),
                )
            )
        return carried_together(*parts)

    def __init__(self, a: Shape, b: Shape) -> None:
        self._set(a=bounded(a, "a"), b=bounded(b, "b"))

    def _vertices(self) -> np.ndarray | None:
        a, b = self.a._vertices(), self.b._vertices()
        if a is None or b is None:
            return None
        pairs = a[..., :, None, :] + b[..., None, :, :]
        return pairs.reshape(*pairs.shape[:-3], -1, 3)
