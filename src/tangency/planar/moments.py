"""Arc length, area, centroid and inertia of a planar body from its support function.

The boundary element with the normal phi has the length R dphi, with R = g + g'' (Römer 3-D, Eq. 5),
and the triangle from the origin over it the height g; so a homogeneous integrand f of degree k
integrates to 1/(k + 2) of the integral of f(x) g R over the circle.  Straight pieces, where x jumps,
are triangles of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .radii import direction

if TYPE_CHECKING:
    from .shape import Shape

GAP = 1e-13  # [rad] either side of a break, beyond which x is taken to jump


@dataclass(frozen=True)
class Moments:
    """Geometric properties; the mass properties at unit density.

    Attributes
    ----------
    arc_length : (...) array [m]
    area : (...) array [m^2]
    centroid : (..., 2) array, in the shape's frame [m]
    second : (..., 2, 2) array
        Integral of x x' over the body, about the shape's origin [m^4].
    error : (...) array
        Estimated relative error; 0 for closed forms.

    Examples
    --------
    >>> from tangency import planar
    >>> m = planar.Polygon([[0, 0], [3, 0], [0, 3]]).moments()
    >>> float(m.area.round(12)), m.centroid.round(12).tolist()
    (4.5, [1.0, 1.0])
    """

    arc_length: np.ndarray
    area: np.ndarray
    centroid: np.ndarray
    second: np.ndarray
    error: np.ndarray

    @property
    def inertia(self) -> np.ndarray:
        """Polar moment about the centroid, at unit density [m^4]."""
        about_origin = np.trace(self.second, axis1=-2, axis2=-1)
        return about_origin - self.area * (self.centroid**2).sum(axis=-1)

    def moved(self, vector: np.ndarray) -> Moments:
        """The same body translated by `vector`."""
        c = self.centroid
        mixed = c[..., :, None] * vector[..., None, :]
        square = vector[..., :, None] * vector[..., None, :]
        second = self.second + self.area[..., None, None] * (mixed + np.swapaxes(mixed, -1, -2) + square)
        length, area, error = (
            np.broadcast_to(part, second.shape[:-2]) for part in (self.arc_length, self.area, self.error)
        )
        return Moments(length, area, c + vector, second, error)

    def mapped(self, matrix: np.ndarray) -> Moments:
        """The body's image under x -> matrix x; the arc length is right for rotation and scale only."""
        factor = np.abs(np.linalg.det(matrix))
        second = factor[..., None, None] * matrix @ self.second @ np.swapaxes(matrix, -1, -2)
        error = np.broadcast_to(self.error, second.shape[:-2])
        centroid = (matrix @ self.centroid[..., None])[..., 0]
        return Moments(np.sqrt(factor) * self.arc_length, factor * self.area, centroid, second, error)

    def with_arc_length(self, other: Moments) -> Moments:
        """These, with the arc length of another source."""
        return replace(self, arc_length=other.arc_length, error=np.maximum(self.error, other.error))


def symmetric(arc_length: np.ndarray, area: np.ndarray, squares: np.ndarray) -> Moments:
    """Moments of a body with two symmetry axes: `squares` are the integrals of x^2 and y^2."""
    return Moments(arc_length, area, np.zeros_like(squares), squares[..., :, None] * np.eye(2), np.zeros_like(area))


def moments_by_quadrature(shape: Shape) -> Moments:
    """By the trapezoidal rule where the potential is smooth, else piece by piece between its breaks."""
    if not shape.batch_shape:
        return _of_one(shape)
    parts = [_of_one(shape[index]) for index in np.ndindex(shape.batch_shape)]

    def gather(name: str, tail: tuple[int, ...] = ()) -> np.ndarray:
        return np.array([getattr(part, name) for part in parts]).reshape(*shape.batch_shape, *tail)

    return Moments(gather("arc_length"), gather("area"), gather("centroid", (2,)), gather("second", (2, 2)),
                   gather("error"))  # fmt: skip


def _of_one(shape: Shape) -> Moments:
    breaks = shape._breaks()
    if len(breaks):
        total, error = _pieces(shape, breaks)
    else:
        total, error = _periodic(shape)
    length, area, x, y, xx, xy, yy = total
    low, high = shape.aabb()
    # A body without area, a segment or a point, has its middle as centroid.
    centroid = np.array([x, y]) / area if area > 0 else 0.5 * (low + high)
    return Moments(np.array(length), np.array(area), centroid, np.array([[xx, xy], [xy, yy]]), np.array(error))


def _relative(difference: np.ndarray, total: np.ndarray) -> float:
    length, area = abs(total[0]), abs(total[1])
    scale = np.array([length, area, *[length * area] * 2, *[length * length * area] * 3])
    return float((np.abs(difference) / np.where(scale > 0, scale, np.inf)).max())


def _periodic(shape: Shape) -> tuple[np.ndarray, float]:
    """The trapezoidal rule, its points doubled until nothing changes: spectral for a smooth potential."""
    before, count, error = np.zeros(7), 32, 1.0
    while True:
        phi = np.arange(count) * (2.0 * np.pi / count)
        total = _curved(shape, direction(phi), np.full(count, 2.0 * np.pi / count)).sum(axis=0)
        error = _relative(total - before, total)
        if error < 1e-14 or count >= 1 << 17:
            return total, error
        before, count = total, 2 * count


def _pieces(shape: Shape, breaks: np.ndarray) -> tuple[np.ndarray, float]:
    """Gauss's rule between neighbouring breaks; where it does not suffice, panels graded towards both ends."""
    width = np.diff(np.append(breaks, breaks[0] + 2.0 * np.pi))
    coarse, fine = (_panels(shape, breaks, np.full_like(width, GAP), width - GAP, order) for order in (12, 20))
    bad = np.abs(fine - coarse).max(axis=1) > 1e-14 * np.abs(fine.sum(axis=0)).max()
    total, error = _corners(shape, breaks), fine - coarse
    for k in np.flatnonzero(bad):
        # Each panel four times as long as the last: an algebraic singularity is smooth on all of them.
        count = int(np.ceil(np.log(0.5 * width[k] / GAP) / np.log(4.0)))
        edges = GAP * (0.5 * width[k] / GAP) ** (np.arange(count + 1) / count)
        for start, side in ((breaks[k], 1.0), (breaks[k] + width[k], -1.0)):
            graded = [
                _panels(shape, np.full(count, start), side * edges[:-1], side * edges[1:], order).sum(axis=0)
                for order in (12, 20)
            ]
            fine[k] = side * graded[1] + (fine[k] if side < 0 else 0.0)
            error[k] = side * (graded[1] - graded[0]) + (error[k] if side < 0 else 0.0)
    total = total + fine.sum(axis=0)
    return total, _relative(error.sum(axis=0), total)


def _panels(shape: Shape, start: np.ndarray, low: np.ndarray, high: np.ndarray, order: int) -> np.ndarray:
    """Integrals, (panels, 7), from start + low to start + high by Gauss's rule."""
    node, weight = np.polynomial.legendre.leggauss(order)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    step = middle[:, None] + half[:, None] * node
    # Turned from the direction of the break itself: next to it the small angle keeps its digits.
    e = direction(start)[:, None, :]
    t = np.stack([-e[..., 1], e[..., 0]], axis=-1)
    n = np.cos(step)[..., None] * e + np.sin(step)[..., None] * t
    values = _curved(shape, n.reshape(-1, 2), (half[:, None] * weight).ravel())
    return values.reshape(len(start), order, 7).sum(axis=1)


def _curved(shape: Shape, n: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted integrands of arc length, area, first and second moments, (nodes, 7)."""
    h, x, radius = shape.jet(n)
    ds = weight * radius
    cone = ds * h
    a, b = x[:, 0], x[:, 1]
    parts = [ds, cone / 2.0, cone * a / 3.0, cone * b / 3.0, cone * a * a / 4.0, cone * a * b / 4.0, cone * b * b / 4.0]
    return np.stack(parts, axis=-1)


def _corners(shape: Shape, breaks: np.ndarray) -> np.ndarray:
    """The same of the straight pieces: triangles between the origin and the two ends of a jump of x."""
    e = direction(breaks)
    t = np.stack([-e[:, 1], e[:, 0]], axis=-1)
    a, b = shape.point(e - GAP * t), shape.point(e + GAP * t)
    area = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    first = (area[:, None] * (a + b)).sum(axis=0) / 3.0
    second = sum(np.einsum("k,ki,kj->ij", area, v, v) for v in (a, b, a + b)) / 12.0
    length = np.linalg.norm(b - a, axis=-1).sum()
    return np.array([length, area.sum(), *first, second[0, 0], second[0, 1], second[1, 1]])
