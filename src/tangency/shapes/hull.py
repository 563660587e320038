"""Convex hull of points: a polytope, possibly flat."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.polytope import outline
from ..io import validate
from .shape import Shape


class Hull(Shape):
    """Convex hull of points.

    Parameters
    ----------
    points : (..., V, 3) array_like
        Points [m], in any order.  Points inside the hull are dropped for a single body.

    Notes
    -----
    Fewer than four points, or points in a plane or on a line, make a polygon, a segment or a point.
    Contact works as usual; volume and inertia are zero, and the centroid is the mean of the points.
    Moments of a hull are exact.  If several corners are equally far along n, the kernel returns the
    first in the order of `points`.

    Examples
    --------
    >>> import tangency as tg
    >>> tetrahedron = tg.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
    >>> len(tetrahedron.points), round(float(tetrahedron.volume), 12)
    (4, 0.166666666667)
    """

    smooth = False
    flat = True

    class Kernel(NamedTuple):
        coordinates: np.ndarray  # x0, y0, z0, x1, ...

        def jet(self, n):
            p = self.coordinates
            best = 0
            h = p[0] * n[0] + p[1] * n[1] + p[2] * n[2]
            for i in range(3, len(p), 3):
                height = p[i] * n[0] + p[i + 1] * n[1] + p[i + 2] * n[2]
                if height > h:
                    h, best = height, i
            return h, (p[best], p[best + 1], p[best + 2]), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    _parameters = {"points": 2}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first = (self.points @ n[..., :, None])[..., 0].argmax(axis=-1)
        chosen = np.eye(self.points.shape[-2])[first]
        dx = (chosen[..., :, None, None] * np.eye(3)).reshape(*chosen.shape[:-1], -1, 3)
        return (dx * n[..., None, :]).sum(axis=-1), dx

    def __init__(self, points: ArrayLike) -> None:
        corners = validate.array(points, "points")
        if corners.ndim < 2 or corners.shape[-1] != 3 or corners.shape[-2] < 1:
            raise ValueError(f"points must have shape (..., V, 3) with V >= 1, got shape {corners.shape}")
        if corners.ndim == 2:
            hull = outline(corners)
            if hull is not None:
                corners = corners[np.sort(hull.vertices)]
        self._set(coordinates=np.array(corners.reshape(*corners.shape[:-2], -1)))

    @property
    def points(self) -> np.ndarray:
        """Corners, (..., V, 3) [m]."""
        flat = self._fields["coordinates"]
        return flat.reshape(*flat.shape[:-1], -1, 3)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Distance of the farthest corner from the origin [m]."""
        return np.linalg.norm(self.points, axis=-1).max(axis=-1)

    def _vertices(self) -> np.ndarray:
        return self.points
