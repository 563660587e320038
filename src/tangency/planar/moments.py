"""Arc length, area, centroid and inertia of a planar body from its support function.

The boundary element with the normal phi has the length R dphi, with R = g + g'' (Römer 3-D, Eq. 5),
and the triangle from the origin over it the height g; so the integral of a homogeneous
function f of degree k is 1/(k + 2) times the integral of f(x) g R over the circle.  R has narrow peaks if
the body is slender, is infinite at flat places and not a function on straight pieces; integration by parts
removes it.  With p = g and q = g' the result is bounded, and valid for straight pieces as well:

    arc length      integral of  p                                                     (Cauchy)
    area            integral of  (p^2 - q^2) / 2
    first moments   integral of  [(p^3 - 3/2 p q^2) n - 1/2 q^3 t] / 3
    second moments  integral of  [(p^4 - 2 p^2 q^2) n n' - 2/3 p q^3 (n t' + t n') - 1/3 q^4 t t'] / 4
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .quadrature import integrals
from .radii import direction

if TYPE_CHECKING:
    from .shape import Shape

START = 0.1234 - np.pi  # [rad] not on an axis, where the point of a slender body moves within a tiny angle
GRADED = 21  # panels on each side of a break, each a quarter of the next
MANY = 100  # breaks; with more, as for polygons, the pieces are short enough
ACCURATE = 1e-9  # relative error above which properties warn


@dataclass(frozen=True)
class Moments:
    """Geometric properties, and mass properties at unit density.

    Attributes
    ----------
    arc_length : (...) array
        Length of the boundary [m].
    area : (...) array
        Area [m^2].
    centroid : (..., 2) array
        Centroid in the shape's frame [m].
    second : (..., 2, 2) array
        Integral of x x' over the body, about the shape's origin [m^4].
    error : (...) array
        Estimated relative error of arc length and area, and of the others relative to a body of this size;
        0 for closed forms, 1 if the area is lost in rounding errors.

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
        """Moments of the body translated by `vector`."""
        c = self.centroid
        mixed = c[..., :, None] * vector[..., None, :]
        square = vector[..., :, None] * vector[..., None, :]
        second = self.second + self.area[..., None, None] * (mixed + np.swapaxes(mixed, -1, -2) + square)
        length, area, error = (
            np.broadcast_to(part, second.shape[:-2]) for part in (self.arc_length, self.area, self.error)
        )
        return Moments(length, area, c + vector, second, error)

    def mapped(self, matrix: np.ndarray) -> Moments:
        """Moments of the body's image under x -> matrix x; the arc length is correct only for rotation and scale."""
        factor = np.abs(np.linalg.det(matrix))
        second = factor[..., None, None] * matrix @ self.second @ np.swapaxes(matrix, -1, -2)
        error = np.broadcast_to(self.error, second.shape[:-2])
        centroid = (matrix @ self.centroid[..., None])[..., 0]
        return Moments(np.sqrt(factor) * self.arc_length, factor * self.area, centroid, second, error)

    def with_arc_length(self, arc_length: np.ndarray, error: np.ndarray) -> Moments:
        """The same moments with another arc length and its relative error."""
        return replace(self, arc_length=arc_length, error=np.maximum(self.error, error))

    def with_sizes(self, arc_length: np.ndarray, area: np.ndarray) -> Moments:
        """The same moments with more accurate arc length and area."""
        length, area = (np.broadcast_to(v, self.area.shape).copy() for v in (arc_length, area))
        return replace(self, arc_length=length, area=area)

    def trusted(self, name: str) -> Moments:
        """The same moments, with a warning if their estimated error is large."""
        worst = float(np.max(self.error, initial=0.0))
        if worst > ACCURATE:
            text = f"the area and the moments of {name} have a relative error of about {worst:.1e}"
            warnings.warn(f"{text}, see shape.moments().error", RuntimeWarning, stacklevel=3)
        return self


def symmetric(arc_length: np.ndarray, area: np.ndarray, squares: np.ndarray) -> Moments:
    """Moments of a body with two symmetry axes: `squares` are the integrals of x^2 and y^2."""
    return Moments(arc_length, area, np.zeros_like(squares), squares[..., :, None] * np.eye(2), np.zeros_like(area))


def moments_by_quadrature(shape: Shape) -> Moments:
    """Moments of any bounded shape, from its support function and boundary points."""
    if not shape.batch_shape:
        return _of_one(shape)
    parts = [_of_one(shape[index]) for index in np.ndindex(shape.batch_shape)]

    def gather(name: str, tail: tuple[int, ...] = ()) -> np.ndarray:
        return np.array([getattr(part, name) for part in parts]).reshape(*shape.batch_shape, *tail)

    return Moments(
        gather("arc_length"), gather("area"), gather("centroid", (2,)), gather("second", (2, 2)), gather("error")
    )


def arc_length_by_quadrature(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Arc length of any bounded shape, and its relative error."""
    if shape.batch_shape:
        parts = [arc_length_by_quadrature(shape[index]) for index in np.ndindex(shape.batch_shape)]
        both = np.array(parts).reshape(*shape.batch_shape, 2)
        return both[..., 0], both[..., 1]
    middle, scale = _frame(shape)
    found = integrals(lambda phi: _integrands(shape, middle, phi)[:, :2], _edges(shape), scale[:2])
    length = found.values[:, 1].sum()
    return np.array(length), np.array(found.error[1] / length if length > 0 else 0.0)


def _frame(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Centre of the box, and the sizes of the integrands; far from the origin the powers of g would lose accuracy."""
    low, high = shape.aabb()
    size = float(np.linalg.norm(high - low))
    return 0.5 * (low + high), np.array([size, size, size**2, *[size**3] * 2, *[size**4] * 3])


def _edges(shape: Shape) -> np.ndarray:
    """Edges of the first panels over one turn."""
    even = START + np.arange(17) * (np.pi / 8)
    breaks = START + (shape._breaks() - START) % (2.0 * np.pi)
    if not 0 < len(breaks) <= MANY:
        return np.union1d(even, breaks)
    # Changes within a tiny angle next to a break are visible only on panels of that size.
    steps = 0.1 * 0.25 ** np.arange(GRADED)
    near = (breaks[:, None] + np.concatenate([-steps, steps])).ravel()
    return np.union1d(even, np.concatenate([breaks, near[(near > even[0]) & (near < even[-1])]]))


def _of_one(shape: Shape) -> Moments:
    middle, scale = _frame(shape)
    found = integrals(lambda phi: _integrands(shape, middle, phi), _edges(shape), scale)
    _, length, area, x, y, xx, xy, yy = found.values.sum(axis=0)
    # The area of a slender body is a difference of squares of its length: below these errors it counts as zero.
    errors = found.error + 4.0 * np.finfo(float).eps * scale
    relative = errors / np.where(scale > 0, scale, 1.0)
    solid = bool(area > errors[2])
    # An area lost in these errors may be zero, as for a segment, or any value below them.
    lost = 1.0 if scale[0] > 0 else 0.0
    error = max(relative[1], relative[3:].max(), errors[2] / area if solid else lost)
    # The centroid of a body without area, a segment or a point, is its centre.
    centroid = np.array([x, y]) / area if solid else np.zeros(2)
    second = np.array([[xx, xy], [xy, yy]])
    size = np.array(area if solid else 0.0)
    return Moments(np.array(length), size, centroid, second, np.array(error)).moved(middle)


def _integrands(shape: Shape, middle: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """Integrands of arc length, area, first and second moments about `middle`, (nodes, 8).

    The first, g' itself, is included for error control: it jumps where g turns sharply, which cannot be missed.
    """
    n = direction(phi)
    t = np.stack([-n[:, 1], n[:, 0]], axis=-1)
    h, x, _ = shape.jet(n)
    p, q = h - n @ middle, ((x - middle) * t).sum(axis=-1)
    first = ((p**3 - 1.5 * p * q * q)[:, None] * n - (0.5 * q**3)[:, None] * t) / 3.0
    nn, tt, nt = (p**4 - 2.0 * (p * q) ** 2) / 4.0, -(q**4) / 12.0, -p * q**3 / 6.0
    second = [
        nn * n[:, i] * n[:, j] + tt * t[:, i] * t[:, j] + nt * (n[:, i] * t[:, j] + t[:, i] * n[:, j])
        for i, j in ((0, 0), (0, 1), (1, 1))
    ]
    return np.stack([q, p, 0.5 * (p * p - q * q), *first.T, *second], axis=-1)
