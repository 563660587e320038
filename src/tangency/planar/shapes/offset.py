"""Parallel curve: all boundary points are moved along their normals (Römer 3-D, Eq. 11)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...kernels.jet import jet
from ...shapes.algebra import Parallel, parallel_fields
from ..moments import Moments
from ..radii import offset_limit
from ..shape import Shape, bounded


class Offset(Parallel, Shape):
    """Body whose boundary lies at a constant distance outside (or inside) that of another.

    Parameters
    ----------
    body : Shape
        Any bounded planar shape.  An offset of an offset is stored as one.
    distance : (...) array_like
        Offset [m].  Negative values shrink the body and must not be smaller than ``planar.offset_limit(body)``,
        minus its smallest radius of curvature (Römer 3-D, Remark 8).  At the limit itself the body has a corner
        (Example 4).

    Examples
    --------
    >>> from tangency import planar
    >>> float(planar.Ellipse([3, 2]).offset(0.5).support([1, 0]))
    3.5
    """

    class Kernel(NamedTuple):
        body: Any
        distance: float

        def jet(self, n):
            h, x, radius = jet(self.body, n)
            length = math.sqrt(n[0] * n[0] + n[1] * n[1])
            k = self.distance / length
            # Eq. (11); the radius of curvature as in Remark 8
            return h + self.distance * length, (x[0] + k * n[0], x[1] + k * n[1]), radius + self.distance

    def __init__(self, body: Shape, distance: ArrayLike) -> None:
        self._set(**parallel_fields(bounded(body, "body"), distance, _below_limit, "Römer 3-D, Remark 8"))

    def moments(self) -> Moments:
        """Arc length and area from those of the body (Steiner's formula), the rest by quadrature."""
        body, d = self.body.moments(), self.distance
        length = body.arc_length + 2.0 * np.pi * d
        return super().moments().with_sizes(length, body.area + d * (body.arc_length + np.pi * d))


def _below_limit(body: Shape) -> np.ndarray:
    """The limit less its rounding error: at the limit the body is still convex."""
    return offset_limit(body) * (1.0 + 1e-12)
