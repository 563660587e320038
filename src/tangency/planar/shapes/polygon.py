"""Convex polygon, with sharp or rounded corners."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..moments import Moments
from ..shape import Shape

NEVER = 9.0  # an angle that no normal reaches: pads the rows of polygons with fewer sides


class Polygon(Shape):
    """Convex hull of points in the plane, with sharp or rounded corners.

    Parameters
    ----------
    points : (..., V, 2) array_like
        Points [m], in any order.  Points inside the hull are dropped for a single body.  One or two
        points make a point or a segment.
    radius : (...) array_like
        Radius of the corners [m], >= 0.  The sides stay in place, so each side must be long enough for
        the arcs at its two ends.

    Notes
    -----
    A corner is found by bisection among the angles of the sides, so a polygon with a thousand sides
    costs little more than a triangle.

    Examples
    --------
    >>> from tangency import planar
    >>> square = planar.Polygon([[1, 1], [-1, 1], [-1, -1], [1, -1]], radius=0.25)
    >>> square.support([1, 0]).tolist(), square.radius_of_curvature([1, 1]).tolist()
    (1.0, 0.25)
    """

    class Kernel(NamedTuple):
        coordinates: np.ndarray  # x0, y0, x1, ... counter-clockwise
        angles: np.ndarray  # of the normal at the side before corner k; ascending
        radius: float

        def jet(self, n):
            p, angles = self.coordinates, self.angles
            count = len(angles)
            phi = math.atan2(n[1], n[0])
            low, high = 0, count
            while low < high:
                middle = (low + high) // 2
                if angles[middle] <= phi:
                    low = middle + 1
                else:
                    high = middle
            # Corner low - 1, and its neighbours in case of rounding errors of the angle.
            best, h = 0, -1e300
            for step in range(-2, 1):
                i = 2 * ((low + step + count) % count)
                height = p[i] * n[0] + p[i + 1] * n[1]
                if height > h:
                    h, best = height, i
            length = math.sqrt(n[0] * n[0] + n[1] * n[1])
            k = self.radius / length
            return h + self.radius * length, (p[best] + k * n[0], p[best + 1] + k * n[1]), self.radius

    def __init__(self, points: ArrayLike, radius: ArrayLike = 0.0) -> None:
        points = validate.array(points, "points")
        if points.ndim < 2 or points.shape[-1] != 2 or points.shape[-2] < 1:
            raise ValueError(f"points must have shape (..., V, 2) with V >= 1, got shape {points.shape}")
        radius = validate.array(radius, "radius")
        if (radius < 0).any():
            raise ValueError(f"radius must be >= 0, got {radius.tolist()}")
        flat = points.reshape(math.prod(points.shape[:-2]), *points.shape[-2:])
        hulls = [_hull(row) for row in flat]
        if (radius > 0).any():
            # Each body of the stack has its own radius; a rounded polygon is the offset of a smaller one.
            leading = validate.broadcast({"points": points.shape[:-2], "radius": radius.shape})
            index = np.broadcast_to(np.arange(len(hulls)).reshape(points.shape[:-2]), leading).ravel()
            radii = np.broadcast_to(radius, leading).ravel()
            hulls = [_shrunk(hulls[k], float(r)) for k, r in zip(index, radii)]
        else:
            leading = points.shape[:-2]
        most = max(map(len, hulls), default=1)  # an empty stack counts as polygons with one corner
        sorted_hulls = [_from_first(hull) for hull in hulls]
        corners = np.array([[*hull, *[hull[-1]] * (most - len(hull))] for hull in sorted_hulls])
        angles = np.array([[*_side_angles(hull), *[NEVER] * (most - len(hull))] for hull in sorted_hulls])
        self._set(coordinates=corners.reshape(*leading, 2 * most), angles=angles.reshape(*leading, most), radius=radius)

    @property
    def radius(self) -> np.ndarray:
        """Radius of the corners [m]."""
        return self._fields["radius"]

    @property
    def points(self) -> np.ndarray:
        """Corners (centres of the arcs, if rounded), counter-clockwise, (..., V, 2) [m]."""
        flat = self._fields["coordinates"]
        return flat.reshape(*flat.shape[:-1], flat.shape[-1] // 2, 2)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Distance of the farthest corner from the origin, plus the radius [m]."""
        return np.linalg.norm(self.points, axis=-1).max(axis=-1) + self.radius

    @property
    def core_radius(self) -> np.ndarray:
        """The radius of the corners."""
        return self.radius

    def moments(self) -> Moments:
        """Moments in closed form; with rounded corners only arc length and area, the rest by quadrature."""
        length, area, centroid, second, origin = _plain_moments(self.points)
        r = self.radius
        if (r > 0).any():
            # Steiner's formula
            return super().moments().with_sizes(length + 2.0 * np.pi * r, area + r * (length + np.pi * r))
        return Moments(length, area, centroid, second, np.zeros_like(area)).moved(origin)

    def _breaks(self) -> np.ndarray:
        angles = self._fields["angles"]
        return np.unique(angles[angles < NEVER])


def _plain_moments(corners: np.ndarray) -> tuple[np.ndarray, ...]:
    """Arc length, area, centroid and second moments (about the origin) of corners (..., V, 2)."""
    origin = corners[..., :1, :]
    a = corners - origin  # triangles between the first corner and each side: none is larger than the body
    b = np.roll(a, -1, axis=-2)
    area = 0.5 * (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    total = area.sum(axis=-1)
    first = (area[..., None] * (a + b)).sum(axis=-2) / 3.0
    second = sum(np.einsum("...k,...ki,...kj->...ij", area, v, v) for v in (a, b, a + b)) / 12.0
    middle = 0.5 * (a.min(axis=-2) + a.max(axis=-2))
    flat = total[..., None] <= 0.0
    centroid = np.where(flat, middle, first / np.where(flat, 1.0, total[..., None]))
    return np.linalg.norm(b - a, axis=-1).sum(axis=-1), total, centroid, second, origin[..., 0, :]


def _hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull, counter-clockwise (Andrew's monotone chain).

    Points that lie on a side to rounding are not corners: the angles of the sides must ascend.
    """
    ordered = np.unique(points, axis=0)
    if len(ordered) <= 2:
        return ordered
    unit = 8.0 * np.finfo(float).eps * float(abs(ordered).max())

    def chain(sequence: list[list[float]]) -> list[list[float]]:
        kept: list[list[float]] = []
        for x, y in sequence:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                area = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                between = (bx - ax) * (x - bx) + (by - ay) * (y - by) >= 0.0
                noise = unit * (abs(bx - ax) + abs(by - ay) + abs(x - ax) + abs(y - ay))
                if area > (noise if between else 0.0):
                    break
                kept.pop()
            kept.append([x, y])
        return kept[:-1]

    rows = ordered.tolist()
    return np.array(chain(rows) + chain(rows[::-1]))


def _side_angles(hull: np.ndarray) -> np.ndarray:
    """Angle of the normal at the side that ends in each corner; -pi for a single point."""
    if len(hull) == 1:
        return np.array([-np.pi])
    side = hull - np.roll(hull, 1, axis=0)
    return np.arctan2(-side[:, 0], side[:, 1])


def _from_first(hull: np.ndarray) -> np.ndarray:
    """The corners, ordered so that the angles of their sides ascend."""
    return np.roll(hull, -int(_side_angles(hull).argmin()), axis=0)


def _shrunk(hull: np.ndarray, radius: float) -> np.ndarray:
    """Corners of the polygon whose sides lie `radius` inside."""
    if radius == 0.0:
        return hull.copy()
    if len(hull) < 3:
        raise ValueError(f"radius must be 0 for a polygon without area, got {radius:.6g} for {len(hull)} corners")
    angles = _side_angles(hull)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    after = np.roll(normals, -1, axis=0)
    # The corner between the sides with normals m and m' moves by -radius (m + m') / (1 + m.m').
    inner = hull - radius * (normals + after) / (1.0 + (normals * after).sum(axis=-1))[:, None]
    side, old = inner - np.roll(inner, 1, axis=0), hull - np.roll(hull, 1, axis=0)
    if not ((side * old).sum(axis=-1) >= -1e-12 * (old * old).sum(axis=-1)).all():
        ratio = (side * old).sum(axis=-1) / (old * old).sum(axis=-1)
        largest = (radius / (1.0 - ratio)).min()
        raise ValueError(f"radius must not exceed {largest:.6g}, so that its arcs fit the sides, got {radius:.6g}")
    return inner
