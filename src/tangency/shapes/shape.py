"""Shape: a compiled support function, and everything derived from it.

A shape class holds a nested ``Kernel`` (a NamedTuple with formulas, see ``kernels/jet.py``) and is
itself a stack of one or many bodies, as SciPy's ``Rotation`` holds one or many rotations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.curvature import Curvature, principal
from ..geometry.moments import Moments, moments_by_quadrature
from ..geometry.polytope import moments_by_polytopes, moments_of_polytope
from ..geometry.pose import PoseLike
from ..io import validate
from ..kernels.jet import HESSIAN, JET, POINT, SUPPORT
from ..kernels.principal_radii import EDGED
from ..kernels.surface_radii import kind_of
from .face_curvature import on_faces
from .parametric import Parametric
from .stack import refuse_overrides

if TYPE_CHECKING:
    from .affine import Affine
    from .minkowski import MinkowskiSum
    from .offset import Offset

_SYM = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])

#: Methods that a user-defined class may override: the override is used everywhere.
HONOURED = (
    "smooth",
    "flat",
    "core_radius",
    "bounding_radius",
    "magnitude",
    "rounding",
    "moments",
    "offset",
    "affine",
    "translate",
    "parameter_names",
    "parameters",
    "with_parameters",
    "parameter_jet",
)


class ShapeError(ValueError):
    """The formulas of a shape are wrong; the message says how, by how much and in which direction."""


class Jet(NamedTuple):
    """Support function and its first two derivatives at a direction."""

    support: np.ndarray  #: (...) h(n) [m]
    point: np.ndarray  #: (..., 3) x(n) = grad h, boundary point with outward normal n [m]
    hessian: np.ndarray  #: (..., 3, 3) W(n) = Hess h, radii-of-curvature operator [m]


class Shape(Parametric):
    """A strictly convex body, or a stack of them, given by its support function.

    Subclass it with a nested ``Kernel`` to define a new shape::

        class Egg(tg.Shape):
            class Kernel(typing.NamedTuple):
                radius: float
                skew: float

                def support(self, n): ...   # h(n), homogeneous of degree 1
                def point(self, n): ...     # its gradient, a 3-tuple
                def hessian(self, n): ...   # its Hessian (xx, xy, xz, yy, yz, zz)

        Egg(radius=0.3, skew=0.1)           # one egg; arrays make a stack

    Instead of the three methods, one ``jet(self, n)`` may return all of (h, x, W).  If only ``point`` is
    given, the support value follows from it, and the Hessian from differences.  Formulas may use only floats,
    tuples and the math module.  :func:`tangency.check` tests them.

    Examples
    --------
    >>> import math, typing, tangency as tg
    >>> class Ball(tg.Shape):
    ...     class Kernel(typing.NamedTuple):
    ...         radius: float
    ...         def point(self, n):
    ...             k = self.radius / math.sqrt(n[0]**2 + n[1]**2 + n[2]**2)
    ...             return (k * n[0], k * n[1], k * n[2])
    >>> Ball(radius=[1, 2]).support([0, 0, 1]).tolist()
    [1.0, 2.0]
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        refuse_overrides(cls, HONOURED)

    # ---- properties of every shape -----------------------------------------------------------
    def jet(self, n: ArrayLike) -> Jet:
        """Support value, boundary point and radii-of-curvature operator at directions `n`.

        Parameters
        ----------
        n : (..., 3) array_like
            Directions; need not be unit vectors.  Broadcast against the stack of bodies.

        Returns
        -------
        Jet
        """
        u, length = validate.directions(n)
        out = self._evaluate(self.address, u, "n")
        shape = out.shape[:-1]
        if np.isnan(out).any():
            normals = np.broadcast_to(u, (*shape, 3)).reshape(-1, 3)
            raise self._nan_error(normals, np.isnan(out).reshape(-1, JET).any(axis=1).argmax(), shape)
        with np.errstate(over="ignore"):  # infinite if |n| overflows
            h = out[..., SUPPORT] * length
            w = out[..., HESSIAN][..., _SYM] / np.broadcast_to(length, shape)[..., None, None]
        return Jet(h, out[..., POINT].copy(), w)

    def _nan_error(self, normals: np.ndarray, k: Any, shape: tuple[int, ...]) -> ShapeError:
        """The error that the formulas raise in plain Python where compiled code gave NaN."""
        index = np.unravel_index(k, shape)[len(shape) - len(self.batch_shape) :] if shape else ()
        index = tuple(0 if size == 1 else i for i, size in zip(index, self.batch_shape))
        n = tuple(normals[k].tolist())
        try:
            self.kernel_at(index).jet(n)
            reason = "not a number"
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        return ShapeError(
            f"the formulas of {type(self).__name__} give no number at n = {n} ({reason}); "
            "run tangency.check(shape) for a full report"
        )

    def support(self, n: ArrayLike) -> np.ndarray:
        """Support function h(n) = max of n.x over the body; h(t n) = t h(n).

        Examples
        --------
        >>> import tangency as tg
        >>> float(tg.Ellipsoid([3, 2, 1]).support([0, 2, 0]))
        4.0
        """
        return self.jet(n).support

    def point(self, n: ArrayLike) -> np.ndarray:
        """Boundary point with outward normal n: x(n) = grad h(n) (Römer 3-D, Eq. 16).

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Ellipsoid([3, 2, 1]).point([[1, 0, 0], [0, -1, 0]]).tolist()
        [[3.0, 0.0, 0.0], [0.0, -2.0, 0.0]]
        """
        return self.jet(n).point

    def hessian(self, n: ArrayLike) -> np.ndarray:
        """Radii-of-curvature operator W(n) = Hess h(n), (..., 3, 3); W n = 0.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Ellipsoid([2, 2, 1]).hessian([0, 0, 1]).diagonal().tolist()
        [4.0, 4.0, 0.0]
        """
        return self.jet(n).hessian

    @property
    def implicit(self) -> Callable[[ArrayLike], np.ndarray]:
        """Implicit function f(x) at points (..., 3): negative inside, zero on the surface, positive outside.

        Only for shapes that have one; :func:`tangency.implicit.evaluate` gives its derivatives as well.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Ellipsoid([3, 2, 1]).implicit([[3, 0, 0], [0, 0, 0]]).tolist()
        [0.0, -1.0]
        """
        if not self.has_implicit:
            raise AttributeError(f"{type(self).__name__} has no implicit function")
        return lambda x: self._evaluate(self.implicit_address, validate.vectors(x, "x"), "x")[..., 0].copy()

    def curvature(self, n: ArrayLike) -> Curvature:
        """Principal curvatures and directions where the outward normal is n.

        At the normal of a face they are 0.  At that of a straight edge or line, they are those of its middle:
        0 along it, and infinite across an edge.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Ellipsoid([3, 2, 1]).curvature([0, 0, 1]).radii.tolist()
        [4.0, 9.0]
        >>> tg.capsule(0.5, 2.0).curvature([1, 0, 0]).values.tolist()
        [2.0, 0.0]
        """
        u, _ = validate.directions(n)
        found = principal(u, self.jet(u).hessian)
        return on_faces(self, u, found) if kind_of(self) == EDGED else found

    def moments(self) -> Moments:
        """Volume, centroid and inertia at unit density, with an estimate of their error.

        Examples
        --------
        >>> import tangency as tg
        >>> m = (tg.Ellipsoid([3, 2, 1]) + tg.Sphere(1.0)).moments()
        >>> round(float(m.volume), 6), bool(m.error < 1e-9)
        (104.608535, True)
        """
        corners = self._vertices()
        if corners is not None:
            return moments_of_polytope(corners)
        if self.smooth:
            moments = moments_by_quadrature(self)
            if (moments.error < 1e-6).all():  # fails for very slender bodies
                return moments
        return moments_by_polytopes(self)

    @property
    def volume(self) -> np.ndarray:
        """Volume [m^3]."""
        return self.moments().volume

    @property
    def centroid(self) -> np.ndarray:
        """Centroid of the volume in the shape's own frame [m]."""
        return self.moments().centroid

    def inertia(self, density: ArrayLike = 1.0) -> np.ndarray:
        """Inertia tensor about the centroid, in the shape's own axes [kg m^2], (..., 3, 3).

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Box([0.5, 0.5, 0.5]).inertia(density=6.0).diagonal().round(12).tolist()
        [1.0, 1.0, 1.0]
        """
        density = validate.positive(validate.array(density, "density"), "density")
        return self.moments().inertia * density[..., None, None]

    def aabb(self, pose: PoseLike = None) -> tuple[np.ndarray, np.ndarray]:
        """Smallest axis-aligned box of the body in the world: lower and upper corners, (..., 3).

        Examples
        --------
        >>> import tangency as tg
        >>> low, high = tg.Ellipsoid([3, 2, 1]).aabb((None, [1, 0, 0]))
        >>> low.tolist(), high.tolist()
        ([-2.0, -2.0, -1.0], [4.0, 2.0, 1.0])
        """
        from ..geometry.pose import as_pose

        rotation, translation = as_pose(pose, "pose")
        shape = validate.broadcast({"shape": self.batch_shape, "pose": translation.shape[:-1]})
        low, high = np.empty((*shape, 3)), np.empty((*shape, 3))
        for axis in range(3):
            local = rotation[..., axis, :]  # world axis in the body's frame
            high[..., axis] = self.support(local) + translation[..., axis]
            low[..., axis] = translation[..., axis] - self.support(-local)
        return low, high

    @property
    def bounding_radius(self) -> np.ndarray:
        """Radius of a sphere about the shape's origin that contains the body (not always the smallest)."""
        low, high = self.aabb()
        return np.linalg.norm(np.maximum(abs(low), abs(high)), axis=-1)

    # ---- shapes built from this one ----------------------------------------------------------
    def offset(self, distance: ArrayLike) -> Offset:
        """Parallel body at `distance` (Römer 3-D, Eq. 48).

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Segment(2.0).offset(0.5).point([0, 0, 1]).tolist()
        [0.0, 0.0, 2.5]
        """
        from .offset import Offset

        return Offset(self, distance)

    def affine(self, matrix: ArrayLike, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Affine:
        """Image under x -> matrix x + translation.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Sphere(1.0).affine([[0, 2, 0], [1, 0, 0], [0, 0, 1]]).support([1, 0, 0]).tolist()
        2.0
        """
        from .affine import Affine

        return Affine(self, matrix, translation)

    def translate(self, vector: ArrayLike) -> Affine:
        """The body moved by `vector` (Römer 3-D, Eq. 47 with r_BA = -vector).

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Sphere(1.0).translate([5, 0, 0]).point([1, 0, 0]).tolist()
        [6.0, 0.0, 0.0]
        """
        return self.affine(np.eye(3), vector)

    def __add__(self, other: Shape) -> MinkowskiSum:
        from .minkowski import MinkowskiSum

        if not isinstance(other, Shape):
            return NotImplemented
        return MinkowskiSum(self, other)

    def __neg__(self) -> Affine:
        return self.affine(-np.eye(3))


def bounded(value: object, name: str) -> Shape:
    """`value`, if it is a bounded shape, from which other shapes can be built."""
    if not isinstance(value, Shape):
        raise TypeError(f"{name} must be a Shape, got {value!r}")
    if not hasattr(value, "Kernel"):
        raise TypeError(f"{name} must be a bounded Shape, got the unbounded {value!r}")
    return value
