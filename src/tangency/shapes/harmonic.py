"""Smooth convex bodies whose potential is a sum of spherical harmonics."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.least_radius import from_coefficients, least_radius
from ..geometry.moments import sphere_rule
from ..io import validate
from ..kernels.ambient_spline import unit_and_length
from ..kernels.harmonics import HIGHEST, harmonic_rows, harmonic_sum
from ..kernels.homogeneous import homogeneous_jet
from .coefficients import Potential
from .shape import Shape

NORMALS_AT_ONCE = 500  # normals treated at once


class HarmonicShape(Potential):
    """Body whose support function on unit vectors is a sum of real spherical harmonics (Römer 3-D, Remark 22).

    Parameters
    ----------
    coefficients : (..., (L + 1)^2) array_like
        Coefficients of the orthonormal harmonics Y_lm [m], in the order l = 0, 1, ..., L and, for each l,
        m = -l, ..., l; negative m belong to sin(|m| theta), without the Condon-Shortley phase.  L up to 50.

    Raises
    ------
    ShapeError
        If a radius of curvature is not positive; the message names the normal.

    Notes
    -----
    The three harmonics of degree 1 translate the body; that of degree 0 is the mean width times sqrt(pi).
    Analytic bodies converge spectrally: the error falls like a power q^L with q < 1, which depends on the
    aspect ratio.  The surface is infinitely smooth.  See :meth:`from_shape` and :meth:`from_points`.

    Examples
    --------
    >>> import tangency as tg
    >>> egg = tg.HarmonicShape.from_shape(tg.Ellipsoid([1.2, 1.0, 0.9]), degree=16)
    >>> egg.fitted.largest < 1e-9
    True
    """

    class Kernel(NamedTuple):
        degree: float
        scaled: np.ndarray

        def jet(self, n):
            u, length = unit_and_length(n)
            p, g, s = harmonic_sum(self.scaled, int(self.degree), u)
            return homogeneous_jet(u, length, p, g, s)

    def __init__(self, coefficients: ArrayLike) -> None:
        coefficients = validate.array(coefficients, "coefficients")
        degree = math.isqrt(coefficients.shape[-1]) - 1 if coefficients.ndim and coefficients.shape[-1] else -1
        if not 0 <= degree <= HIGHEST or (degree + 1) ** 2 != coefficients.shape[-1]:
            raise ValueError(
                f"coefficients must have shape (..., (L + 1)^2), L from 0 to {HIGHEST}, got {coefficients.shape}"
            )
        self._fill(coefficients)
        self._require_convex("coefficients")

    _parameters = {"coefficients": 1}

    def _by_parameters(self, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = self._design(self.degree, n.reshape(-1, 3)).reshape(*n.shape[:-1], 10, -1)
        return rows[..., 0, :], np.swapaxes(rows[..., 1:4, :], -1, -2)

    def _fill(self, coefficients: np.ndarray) -> None:
        degree = math.isqrt(coefficients.shape[-1]) - 1
        place, factor = _scaling(degree)
        scaled = np.zeros((*coefficients.shape[:-1], (degree + 1) * (degree + 2)))
        scaled[..., place] = coefficients * factor
        self._set(degree=np.full((), float(degree)), scaled=scaled)

    @property
    def degree(self) -> int:
        """Highest degree L."""
        return int(self._fields["degree"].ravel()[0])

    @property
    def coefficients(self) -> np.ndarray:
        """Coefficients of the harmonics, (..., (L + 1)^2) [m]."""
        place, factor = _scaling(self.degree)
        return self._fields["scaled"][..., place] / factor

    @property
    def magnitude(self) -> np.ndarray:
        """Sum of the magnitudes of all terms [m]."""
        degree = np.repeat(np.arange(self.degree + 1), 2 * np.arange(self.degree + 1) + 1)
        # |Y_lm| <= sqrt((2 l + 1) / (4 pi)); the error of Horner-like sums is relative to their largest terms
        size = np.abs(self.coefficients) * np.sqrt((2 * degree + 1) / (4 * np.pi))
        return np.maximum(size.sum(axis=-1), self.bounding_radius)

    @property
    def core_radius(self) -> np.ndarray:
        """Lower bound on all radii of curvature [m]; see ``geometry/least_radius.py``."""
        if "core_radius" not in self._prepared:
            flat = self.take(np.arange(len(self.rows)))
            sampled = least_radius(flat, self.degree).reshape(self.batch_shape)
            self._prepared["core_radius"] = np.maximum(sampled, from_coefficients(self.coefficients))
        return self._prepared["core_radius"]

    def _samples(self) -> int:
        return 40 * (self.degree + 2) ** 2

    @classmethod
    def _design(cls, resolution: int, n: np.ndarray) -> np.ndarray:
        place, factor = _scaling(resolution)
        rows = np.empty((len(n), 10, (resolution + 1) * (resolution + 2)))
        harmonic_rows(resolution, np.array(n), rows)
        return (rows[..., place] * factor).reshape(10 * len(n), -1)

    @classmethod
    def _normal_equations(cls, shape: Shape, resolution: int) -> tuple[np.ndarray, np.ndarray]:
        # The quadrature is exact for products of harmonics: the Gram matrix is the identity.
        n, weight = sphere_rule(max(resolution + 8, 24))
        gram, right = np.zeros(((resolution + 1) ** 2,) * 2), np.zeros((resolution + 1) ** 2)
        for start in range(0, len(n), NORMALS_AT_ONCE):
            part = slice(start, start + NORMALS_AT_ONCE)
            value = cls._design(resolution, n[part])[::10]
            gram += (value.T * weight[part]) @ value
            right += (value.T * weight[part]) @ shape.support(n[part])
        return gram, right

    @classmethod
    def _convex_neighbours(cls, shape: Shape, resolution: int) -> list[np.ndarray]:
        return [smoothed(cls._plain(shape, resolution))]

    @classmethod
    def from_shape(cls, shape: Shape, degree: int, *, least_radius: float | None = None) -> Self:
        """Least-squares approximation of the support function of `shape` by harmonics up to `degree`.

        Parameters
        ----------
        shape : Shape
            A single bounded body of any kind.
        degree : int
            Highest degree L; (L + 1)^2 coefficients.
        least_radius : float, optional
            Lower limit of the radii of curvature [m]; default 1e-3 of the body's size.

        Returns
        -------
        HarmonicShape
            Its attribute ``fitted`` states the error; see :class:`PotentialFit`.

        Examples
        --------
        >>> import tangency as tg
        >>> stone = tg.HarmonicShape.from_shape(tg.Box([3, 2, 1]), degree=8)
        >>> stone.fitted.constraints > 0, stone.fitted.least_radius > 0
        (True, True)
        """
        return cls._from_shape(shape, _degree(degree), least_radius)

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        degree: int,
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
        degree : int
            Highest degree L.
        normals : (N, 3) array_like, optional
            Outward normals to start from; default the directions from the mean of the points.
        hull : bool
            Fit the convex hull of the points instead: for clouds that are not convex, which otherwise take minutes.
        least_radius : float, optional
            Lower limit of the radii of curvature [m]; default 1e-3 of the cloud's size.

        Returns
        -------
        HarmonicShape
            Its attribute ``fitted`` states the error; see :class:`PotentialFit`.

        Examples
        --------
        >>> import tangency as tg
        >>> from tangency.geometry.moments import spread
        >>> cloud = tg.Ellipsoid([1.2, 1.0, 0.9]).point(spread(800))
        >>> tg.HarmonicShape.from_points(cloud, degree=10).fitted.largest < 1e-5
        True
        """
        return cls._from_points(points, _degree(degree), normals, hull, least_radius)


def smoothed(coefficients: np.ndarray) -> np.ndarray:
    """Mean of a convex body over small rotations, weighted so that harmonics beyond L vanish: convex again.

    A weight K(theta) >= 0 in the angle of rotation multiplies degree l by the mean of chi_l / (2 l + 1), chi_l the
    characters of the rotation group.  K is the square of a sum of a_j chi_j, j <= L/2, with the a_j that change degree
    2 least: an eigenvector.  Degree 1, a translation, is not changed.
    """
    degree = math.isqrt(len(coefficients)) - 1
    j = np.arange(degree // 2 + 1)
    low, high = abs(j[:, None] - j), j[:, None] + j

    def kept(l: int, a: np.ndarray) -> float:
        # chi_i chi_j is the sum of chi_l, |i - j| <= l <= i + j
        return float(a @ ((low <= l) & (l <= high)) @ a) / (2 * l + 1)

    a = np.abs(np.linalg.eigh(((low <= 2) & (high >= 2)).astype(float))[1][:, -1])
    factor = [1.0 if l == 1 else kept(l, a) / kept(0, a) for l in range(degree + 1)]
    return coefficients * np.repeat(factor, 2 * np.arange(degree + 1) + 1)


def _degree(value: Any) -> int:
    if not isinstance(value, int | np.integer) or not 1 <= value <= HIGHEST:
        raise ValueError(f"degree must be a whole number from 1 to {HIGHEST}, got {value!r}")
    return int(value)


@cache
def _scaling(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Index of each coefficient in the kernel's order, and the factor from Y_lm to the Gegenbauer polynomial."""
    place, factor = [], []
    start = np.concatenate([[0], np.cumsum(degree + 1 - np.arange(degree + 1))])
    for l in range(degree + 1):
        for m in range(-l, l + 1):
            k = abs(m)
            place.append(2 * (start[k] + l - k) + (m < 0))
            # sqrt((2 l + 1) / 4 pi (l - k)! / (l + k)!) (2 k - 1)!!, times sqrt 2 for k > 0; (2k-1)!! = (2k)! / 2^k k!
            log = 0.5 * (math.lgamma(l - k + 1) - math.lgamma(l + k + 1)) + math.lgamma(2 * k + 1)
            log -= k * math.log(2) + math.lgamma(k + 1)
            factor.append(math.sqrt((2 * l + 1) / (4 * math.pi) * (2 if k else 1)) * math.exp(log))
    return np.array(place), np.array(factor)
