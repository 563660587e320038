"""What a planar contact query answers: the conventions of ``tangency.Contact``, one dimension lower."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np

from .. import result
from .pose import turned_back


class Contact(result.Contact):
    """Answer of :func:`tangency.planar.contact`; every array has the broadcast shape of the query in front.

    The attributes are those of :class:`tangency.Contact` with vectors of two components: distance,
    normal, point_a, point_b, lower, upper, status, iterations, evaluations.

    Examples
    --------
    >>> from tangency import planar
    >>> c = planar.contact(planar.Circle(1.0), planar.Ellipse([2, 1]), pose_b=(0.0, [5, 0]))
    >>> float(c.distance), float(c.relative_curvature)
    (2.0, 3.0)
    """

    @cached_property
    def curvature_a(self) -> np.ndarray:  # type: ignore[override]
        """(...) curvature of A at `point_a` [1/m]; inf at a corner, 0 for a line."""
        return self._curvature(0, self.normal)

    @cached_property
    def curvature_b(self) -> np.ndarray:  # type: ignore[override]
        """(...) curvature of B at `point_b` [1/m]."""
        return self._curvature(1, -self.normal)

    @cached_property
    def relative_curvature(self) -> np.ndarray:  # type: ignore[override]
        """(...) sum of both curvatures, the one in Hertz's theory (Römer 2-D, Eq. 104) [1/m]."""
        return self.curvature_a + self.curvature_b

    def _curvature(self, side: int, normal: np.ndarray) -> np.ndarray:  # type: ignore[override]
        shape, turn = self._bodies[side]
        return shape.curvature(turned_back(turn, normal))  # type: ignore[return-value]

    def __getitem__(self, index: Any) -> Contact:
        """Part of a stack of contacts."""
        if not self.shape:
            raise TypeError("a single Contact cannot be indexed")
        # Resolved on the leading axes alone: an ellipsis must not reach the components of vectors.
        picked = np.arange(self.distance.size).reshape(self.shape)[index]
        at = np.unravel_index(picked, self.shape)
        bodies: Any = tuple(
            (body.broadcast_to(self.shape)[at], np.broadcast_to(turn, (*self.shape, 2))[at])
            for body, turn in self._bodies
        )
        arrays = {f.name: getattr(self, f.name)[at] for f in fields(self) if f.name != "_bodies"}
        return Contact(**arrays, _bodies=bodies)
