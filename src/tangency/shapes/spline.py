"""Convex bodies of continuous curvature whose potential is a spline on the sphere of normals."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import spread
from ..io import validate
from ..kernels.ambient_spline import spline_rows, spline_sum, unit_and_length
from ..kernels.homogeneous import homogeneous_jet
from .coefficient_fit import SECOND
from .coefficients import Potential
from .harmonic import HIGHEST, HarmonicShape, smoothed
from .shape import Shape

MAX_CELLS = 40


class SplineShape(Potential):
    """Body whose support function on unit vectors is a cubic spline (Römer 3-D, Remark 22).

    The spline is the tensor product of uniform cubic B-splines in space, on a grid of cells in the cube from
    -1 to 1, restricted to the unit sphere.  It has two continuous derivatives everywhere, without poles or
    seams, so the surface is G2: its curvature is continuous.

    Parameters
    ----------
    coefficients : (..., M, M, M) array_like
        Coefficients of the B-splines along x, y, z [m]; M = cells + 3, for 2 to 40 cells.

    Raises
    ------
    ShapeError
        If a radius of curvature is not positive; the message names the normal.

    Notes
    -----
    For a smooth body and cells of width w the error of h falls like w^4, of points like w^3, of radii of
    curvature like w^2.  See :meth:`from_shape` and :meth:`from_points`.

    Examples
    --------
    >>> import tangency as tg
    >>> egg = tg.SplineShape.from_shape(tg.Ellipsoid([1.2, 1.0, 0.9]), cells=6)
    >>> egg.fitted.largest < 1e-3
    True
    """

    class Kernel(NamedTuple):
        cells: float
        flat: np.ndarray

        def jet(self, n):
            u, length = unit_and_length(n)
            p, g, s = spline_sum(self.flat, int(self.cells), u)
            return homogeneous_jet(u, length, p, g, s)

    def __init__(self, coefficients: ArrayLike) -> None:
        coefficients = validate.array(coefficients, "coefficients")
        shape = coefficients.shape
        if len(shape) < 3 or len(set(shape[-3:])) != 1 or not 5 <= shape[-1] <= MAX_CELLS + 3:
            raise ValueError(
                f"coefficients must have shape (..., M, M, M) with M from 5 to {MAX_CELLS + 3}, got {shape}"
            )
        self._fill(coefficients.reshape(*shape[:-3], -1))
        self._require_convex("coefficients")

    _parameters = {"coefficients": 3}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        flat = n.reshape(-1, 3)
        rows = self._design(self.cells, flat)
        value, gradient = rows[::10].toarray(), np.stack([rows[k::10].toarray() for k in (1, 2, 3)], axis=-1)
        # x = p n + (I - n n') grad p, as in ``kernels/homogeneous.py``
        radial = (gradient * flat[:, None, :]).sum(axis=-1)
        point = gradient + (value - radial)[..., None] * flat[:, None, :]
        return value.reshape(*n.shape[:-1], -1), point.reshape(*n.shape[:-1], -1, 3)

    def _fill(self, coefficients: np.ndarray) -> None:
        cells = round(coefficients.shape[-1] ** (1 / 3)) - 3
        self._set(cells=np.full((), float(cells)), flat=np.array(coefficients))

    @property
    def cells(self) -> int:
        """Number of cells along each edge of the cube."""
        return int(self._fields["cells"].ravel()[0])

    @property
    def coefficients(self) -> np.ndarray:
        """Coefficients of the B-splines, (..., M, M, M) [m]."""
        flat = self._fields["flat"]
        return flat.reshape(*flat.shape[:-1], *(self.cells + 3,) * 3)

    def _samples(self) -> int:
        return 80 * (self.cells + 2) ** 2

    @classmethod
    def _design(cls, resolution: int, n: np.ndarray) -> Any:
        from scipy.sparse import csr_array

        columns, values = np.empty((len(n), 64), dtype=np.int64), np.empty((len(n), 64, 10))
        spline_rows(resolution, np.array(n), columns, values)
        place = np.repeat(columns[:, None], 10, axis=1).ravel()
        start = 64 * np.arange(10 * len(n) + 1)
        return csr_array((np.swapaxes(values, 1, 2).ravel(), place, start), shape=(10 * len(n), (resolution + 3) ** 3))

    @classmethod
    def _normal_equations(cls, shape: Shape, resolution: int) -> tuple[Any, np.ndarray]:
        # Value, gradient and Hessian of h itself at points of the sphere, each in units of half a cell: they
        # also determine the spline normal to the sphere.
        n = spread(20 * resolution**2 + 200)
        h, x, w = shape.jet(n)
        weight = np.repeat([1.0, 1.0 / resolution, 0.5 / resolution**2], [1, 3, 6])
        data = np.concatenate([h[:, None], x, np.stack([w[:, i, j] for i, j in SECOND], axis=1)], axis=1)
        # An unbounded W carries no information for a spline.
        most = 10.0 * float(shape.bounding_radius)
        known = np.broadcast_to(weight, data.shape) * (np.abs(data) <= most)
        rows = cls._design(resolution, n) * known.reshape(-1, 1)
        return rows.T @ rows, rows.T @ (known * data).ravel()

    @classmethod
    def _convex_neighbours(cls, shape: Shape, resolution: int) -> list[np.ndarray]:
        # Smooth bodies that the cells resolve
        degrees = [d for d in (2 * resolution, resolution) if d <= HIGHEST]
        smooth = [HarmonicShape._unchecked(smoothed(HarmonicShape._plain(shape, d))) for d in degrees]
        return [cls._plain(body, resolution) for body in smooth]

    @classmethod
    def from_shape(cls, shape: Shape, cells: int, *, least_radius: float | None = None) -> Self:
        """The spline closest to the support function of `shape` and its derivatives.

        Parameters
        ----------
        shape : Shape
            A single bounded body of any kind.
        cells : int
            Number of cells along each edge of the cube; about 20 cells^2 coefficients affect the shape.
        least_radius : float, optional
            Lower limit of the radii of curvature [m]; default 1e-3 of the body's size.

        Returns
        -------
        SplineShape
            Its attribute ``fitted`` states the error; see :class:`PotentialFit`.

        Examples
        --------
        >>> import tangency as tg
        >>> stone = tg.SplineShape.from_shape(tg.Superellipsoid([3, 2, 2], (0.7, 1.2)), cells=6)
        >>> stone.fitted.largest < 0.1, stone.fitted.least_radius > 0
        (True, True)
        """
        return cls._from_shape(shape, _cells(cells), least_radius)

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        cells: int,
        *,
        normals: ArrayLike | None = None,
        hull: bool = False,
        least_radius: float | None = None,
    ) -> Self:
        """The convex body whose surface is closest to the points, by orthogonal least squares.

        Parameters
        ----------
        points : (N, 3) array_like
            Points on the surface [m], for instance the vertices of a mesh.
        cells : int
            Number of cells along each edge of the cube.
        normals : (N, 3) array_like, optional
            Outward normals to start from; default the directions from the mean of the points.
        hull : bool
            Fit the convex hull of the points instead: for clouds that are not convex, which otherwise take minutes.
        least_radius : float, optional
            Lower limit of the radii of curvature [m]; default 1e-3 of the cloud's size.

        Returns
        -------
        SplineShape
            Its attribute ``fitted`` states the error; see :class:`PotentialFit`.

        Examples
        --------
        >>> import tangency as tg
        >>> from tangency.geometry.moments import spread
        >>> cloud = tg.Ellipsoid([1.2, 1.0, 0.9]).point(spread(800))
        >>> tg.SplineShape.from_points(cloud, cells=5).fitted.largest < 1e-2
        True
        """
        return cls._from_points(points, _cells(cells), normals, hull, least_radius)


def _cells(value: Any) -> int:
    if not isinstance(value, int | np.integer) or not 2 <= value <= MAX_CELLS:
        raise ValueError(f"cells must be a whole number from 2 to {MAX_CELLS}, got {value!r}")
    return int(value)
