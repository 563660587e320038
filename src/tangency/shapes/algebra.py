"""Properties of Minkowski sums and offsets that are the same in space and in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..io import validate
from ..kernels.rounding import ROUNDING


class SumOfTwo:
    """The part of a Minkowski sum that does not depend on the dimension."""

    _fields: dict[str, Any]

    @property
    def a(self) -> Any:
        """The first summand."""
        return self._fields["a"]

    @property
    def b(self) -> Any:
        """The second summand."""
        return self._fields["b"]

    @property
    def bounding_radius(self) -> np.ndarray:
        """Sum of the bounding radii of both summands [m]."""
        return self.a.bounding_radius + self.b.bounding_radius

    @property
    def magnitude(self) -> np.ndarray:
        return self.a.magnitude + self.b.magnitude

    @property
    def rounding(self) -> np.ndarray:
        return self.a.rounding + self.b.rounding

    @property
    def core_radius(self) -> np.ndarray:
        """Sum of the core radii of both summands [m]."""
        return self.a.core_radius + self.b.core_radius


class Parallel:
    """The part of an offset that does not depend on the dimension."""

    _fields: dict[str, Any]

    @property
    def body(self) -> Any:
        """The shape that is offset."""
        return self._fields["body"]

    @property
    def distance(self) -> np.ndarray:
        """Distance between the two boundaries [m]."""
        return self._fields["distance"]

    @property
    def bounding_radius(self) -> np.ndarray:
        """Bounding radius of the body plus the distance [m]."""
        return self.body.bounding_radius + self.distance

    @property
    def magnitude(self) -> np.ndarray:
        return self.body.magnitude + abs(self.distance)

    @property
    def rounding(self) -> np.ndarray:
        return self.body.rounding + ROUNDING * abs(self.distance)

    @property
    def core_radius(self) -> np.ndarray:
        """Core radius of the body plus the distance [m]."""
        return np.maximum(self.body.core_radius + self.distance, 0.0)


def parallel_fields(body: Any, distance: Any, limit_of: Any, source: str) -> dict[str, Any]:
    """Fields of an offset, with nested offsets merged into one; refuses distances that leave no convex body.

    `limit_of(body)` is the smallest admissible distance, `source` the reference for it.
    """
    distance = validate.array(distance, "distance")
    if isinstance(body, Parallel):
        distance, body = np.array(distance + body.distance), body.body
    if (distance < 0).any():
        limit = limit_of(body)
        if ((distance < 0) & (distance <= limit)).any():
            raise ValueError(
                f"distance must be > {np.array2string(limit, precision=6)}, minus the smallest radius of curvature of "
                f"the body ({source}), got {np.array2string(distance, precision=6)}"
            )
    return {"body": body, "distance": distance}
