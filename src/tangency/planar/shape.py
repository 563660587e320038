"""Planar shape: a compiled support function, and everything derived from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..shapes.shape import ShapeError
from ..shapes.stack import refuse_overrides
from .jet import POINT, RADIUS, SUPPORT
from .pose import PlanarPoseLike, as_pose, turned_back
from .solver_data import SolverData
from .straight_sides import on_straight_sides

if TYPE_CHECKING:
    from .moments import Moments
    from .shapes.affine import Affine
    from .shapes.minkowski import MinkowskiSum
    from .shapes.offset import Offset


#: Methods that a user-defined class may override: the override is used everywhere.
HONOURED = (
    "core_radius",
    "bounding_radius",
    "magnitude",
    "rounding",
    "moments",
    "offset",
    "affine",
    "translate",
    "seen_from",
)


class Jet(NamedTuple):
    """Support function, boundary point and radius of curvature at a direction."""

    support: np.ndarray  #: (...) h(n) [m]
    point: np.ndarray  #: (..., 2) x(n), boundary point with outward normal n [m]
    radius: np.ndarray  #: (...) radius of curvature g + g'' at that point [m]


class Shape(SolverData):
    """A planar convex body, or a stack of them, given by its support function.

    Subclass it with a nested ``Kernel`` to define a new shape; the simplest way is by the generating
    potential and its two derivatives (Römer 3-D, Proposition 1)::

        class Egg(planar.Shape):
            class Kernel(typing.NamedTuple):
                radius: float
                skew: float

                def potential(self, phi):  # g, g', g''
                    c, s = math.cos(3 * phi), math.sin(3 * phi)
                    return self.radius + self.skew * c, -3 * self.skew * s, -9 * self.skew * c

        Egg(radius=0.3, skew=0.01)          # one egg; arrays make a stack

    Instead, ``point(self, n)`` may return the boundary point with the normal n (a 2-tuple, not always
    a unit vector), or ``jet(self, n)`` all of (h, x, radius of curvature).  Formulas may use only floats,
    tuples and the math module.  :func:`tangency.planar.check` tests them.

    Examples
    --------
    >>> import math, typing
    >>> from tangency import planar
    >>> class Egg(planar.Shape):
    ...     class Kernel(typing.NamedTuple):
    ...         radius: float
    ...         skew: float
    ...         def potential(self, phi):
    ...             c, s = math.cos(3 * phi), math.sin(3 * phi)
    ...             return self.radius + self.skew * c, -3 * self.skew * s, -9 * self.skew * c
    >>> Egg(radius=[1, 2], skew=0.1).support([1, 0]).tolist()
    [1.1, 2.1]
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_overrides(cls, HONOURED)

    # ---- properties of every shape -------------------------------------------------------------
    def jet(self, n: ArrayLike) -> Jet:
        """Support value, boundary point and radius of curvature at directions `n`, (..., 2)."""
        out, length = self._jets(n)
        bad = np.isnan(out).any(axis=-1)
        if bad.any():
            u = np.broadcast_to(validate.directions(n, "n", 2)[0], (*bad.shape, 2))
            at = u[bad][0].tolist()
            raise ShapeError(
                f"the formulas of {type(self).__name__} give no number at n = ({at[0]:.17g}, {at[1]:.17g}), "
                f"phi = {math.atan2(at[1], at[0]):.17g}"
            )
        return Jet(out[..., SUPPORT] * length, out[..., POINT], out[..., RADIUS])

    def support(self, n: ArrayLike) -> np.ndarray:
        """Support function h(n) = max of n.x over the body; h(t n) = t h(n).

        Examples
        --------
        >>> from tangency import planar
        >>> float(planar.Ellipse([3, 2]).support([0, 2]))
        4.0
        """
        return self.jet(n).support

    def point(self, n: ArrayLike) -> np.ndarray:
        """Boundary point with outward normal n (Römer 3-D, Eq. 2).

        Examples
        --------
        >>> from tangency import planar
        >>> planar.Ellipse([3, 2]).point([[1, 0], [0, -1]]).tolist()
        [[3.0, 0.0], [0.0, -2.0]]
        """
        return self.jet(n).point

    def radius_of_curvature(self, n: ArrayLike) -> np.ndarray:
        """Radius of curvature g + g'' where the outward normal is n (Römer 3-D, Eq. 7).

        At the normal of a straight side, it is that of one of its ends.

        Examples
        --------
        >>> from tangency import planar
        >>> float(planar.Ellipse([3, 2]).radius_of_curvature([0, 1]))
        4.5
        """
        return self.jet(n).radius

    def curvature(self, n: ArrayLike) -> np.ndarray:
        """Curvature where the outward normal is n (Römer 3-D, Eq. 6).

        It is 0 on a straight side, inf at a corner, negative where the body is not convex.
        """
        u, _ = validate.directions(n, "n", 2)
        radius = self.jet(u).radius
        with np.errstate(over="ignore"):  # next to a corner
            found = np.divide(1.0, radius, out=np.full_like(radius, np.inf), where=radius != 0)
        return np.where(on_straight_sides(self, u), 0.0, found)

    def potential(self, phi: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Generating potential g and its derivatives g', g'' at the angles `phi` of the normal.

        Examples
        --------
        >>> from tangency import planar
        >>> [float(v.round(12)) for v in planar.Circle(2.0).translate([1, 0]).potential(0.0)]
        [3.0, 0.0, -1.0]
        """
        phi = validate.array(phi, "phi")
        c, s = np.cos(phi), np.sin(phi)
        h, x, radius = self.jet(np.stack([c, s], axis=-1))
        return h, c * x[..., 1] - s * x[..., 0], radius - h

    def evolute(self, n: ArrayLike) -> np.ndarray:
        """Centre of curvature, (..., 2), of the boundary point with the normal n."""
        u, _ = validate.directions(n, "n", 2)
        _, x, radius = self.jet(u)
        return x - radius[..., None] * u

    def moments(self) -> Moments:
        """Arc length, area, centroid and inertia, with an estimate of their error."""
        from .moments import moments_by_quadrature

        return moments_by_quadrature(self)

    @property
    def arc_length(self) -> np.ndarray:
        """Length of the boundary [m]."""
        return self.moments().trusted(type(self).__name__).arc_length

    @property
    def area(self) -> np.ndarray:
        """[m^2]"""
        return self.moments().trusted(type(self).__name__).area

    @property
    def centroid(self) -> np.ndarray:
        """Centroid of the area in the shape's own frame [m], (..., 2)."""
        return self.moments().trusted(type(self).__name__).centroid

    def inertia(self, density: ArrayLike = 1.0) -> np.ndarray:
        """Polar moment of inertia about the centroid [kg m^2], for a mass per area `density` [kg/m^2].

        Examples
        --------
        >>> from tangency import planar
        >>> round(float(planar.Circle(1.0).inertia(density=2.0)), 12)
        3.14159265359
        """
        density = validate.positive(validate.array(density, "density"), "density")
        return self.moments().trusted(type(self).__name__).inertia * density

    def aabb(self, pose: PlanarPoseLike = None) -> tuple[np.ndarray, np.ndarray]:
        """Smallest axis-aligned box of the body in the world: lower and upper corners, (..., 2)."""
        turn, translation = as_pose(pose)
        corners = []
        for sign in (-1.0, 1.0):
            h = [self.support(turned_back(turn, sign * np.array(axis))) for axis in ((1.0, 0.0), (0.0, 1.0))]
            corners.append(translation + sign * np.stack(h, axis=-1))
        return corners[0], corners[1]

    @property
    def bounding_radius(self) -> np.ndarray:
        """Radius of a circle about the shape's origin that contains the body (not always the smallest)."""
        low, high = self.aabb()
        return np.linalg.norm(np.maximum(abs(low), abs(high)), axis=-1)

    # ---- shapes built from this one ------------------------------------------------------------
    def offset(self, distance: ArrayLike) -> Offset:
        """Parallel curve at `distance` (Römer 3-D, Eq. 11)."""
        from .shapes.offset import Offset

        return Offset(self, distance)

    def affine(self, matrix: ArrayLike, translation: ArrayLike = (0.0, 0.0)) -> Affine:
        """Image under x -> matrix x + translation."""
        from .shapes.affine import Affine

        return Affine(self, matrix, translation)

    def translate(self, vector: ArrayLike) -> Affine:
        """The body moved by `vector`."""
        return self.affine(np.eye(2), vector)

    def seen_from(self, point: ArrayLike) -> Affine:
        """The same body with another reference point (Römer 3-D, Eq. 10; Römer 2-D, Eq. 42).

        Parameters
        ----------
        point : (..., 2) array_like
            The new origin, in the present frame [m].

        Returns
        -------
        Affine
            The same body with the new origin.

        Examples
        --------
        >>> from tangency import planar
        >>> float(planar.Circle(1.0).seen_from([0.25, 0]).support([1, 0]))
        0.75
        """
        return self.translate(-validate.vectors(point, "point", 2))

    def __add__(self, other: Shape) -> MinkowskiSum:
        from .shapes.minkowski import MinkowskiSum

        if not isinstance(other, Shape):
            return NotImplemented
        return MinkowskiSum(self, other)

    def __neg__(self) -> Affine:
        return self.affine(-np.eye(2))


def bounded(value: object, name: str) -> Shape:
    """`value`, if it is a bounded planar shape, from which other shapes can be built."""
    if not isinstance(value, Shape):
        raise TypeError(f"{name} must be a planar Shape, got {value!r}")
    if not hasattr(value, "Kernel"):
        raise TypeError(f"{name} must be a bounded Shape, got the unbounded {value!r}")
    return value
