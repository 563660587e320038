"""The condition that a body given by its support function is convex, in a growing set of directions."""

from __future__ import annotations

import numpy as np

from ..geometry.curvature import principal
from ..shapes.checks.convexity import find_dent
from ..shapes.shape import Shape
from .directions import spread

NORMALS = 482  # directions in which convexity is required from the start; others are added where it fails


class Convexity:
    """No radius of curvature may be smaller than `least`, in sizes of the body (Römer 3-D, Eq. 19)."""

    def __init__(self, least: float = -1e-9) -> None:
        self.normals, self.least = np.array(spread(NORMALS)), least

    def margins(self, p: np.ndarray, shape: Shape) -> np.ndarray:
        """Smaller radius of curvature in many directions, relative to the size, minus the limit."""
        size = float(np.asarray(shape.bounding_radius))
        return principal(self.normals, shape.hessian(self.normals)).radii[:, 0] / size - self.least

    def refine(self, shape: Shape) -> bool:
        """Add the worst direction, if the body is not convex there."""
        dent = find_dent(shape)
        if dent is not None:
            around = dent.normal + 0.02 * np.array(spread(18))
            self.normals = np.vstack([self.normals, dent.normal, around / np.linalg.norm(around, axis=1)[:, None]])
        return dent is not None
