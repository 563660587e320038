"""Convex Fourier potentials fitted to points with noise and gaps (Römer 3-D, Remark 11)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...io.numbers import count, not_negative
from ..pitch.measured import boundary_points
from ..pitch.observed import Observations, SupportPoints
from ..pitch.penalised_spline import Bounds, Smoothing, bounded_coefficients, normal_equations
from ..pitch.periodic import FULL, Polynomials, Values, hermite
from ..shapes.fourier import FourierShape

ROUNDS = 60
SETTLED = 1e-10  # change of the coefficients in a round, relative to the size
GRID = 12  # angles per harmonic at which the radius of curvature is bounded


@dataclass(frozen=True, repr=False)
class FourierFit:
    """Outcome of :func:`fit_fourier`; ``str()`` describes it in words.

    Attributes
    ----------
    shape : FourierShape
        The convex body.
    residuals : (M,) array
        Distances of the points from its boundary, in the order given, positive outside [m].
    scatter : float
        Estimated standard deviation of the points normal to the boundary [m].
    standard_errors : (2 K + 1,) array
        Of mean, cosine and sine coefficients [m]; of the free fit, so upper bounds where convexity is active.
    active : int
        Number of angles at which convexity holds the fit.
    """

    shape: FourierShape
    residuals: np.ndarray
    scatter: float
    standard_errors: np.ndarray
    active: int
    _covariance: np.ndarray

    def __repr__(self) -> str:
        return f"FourierFit({self.shape!r}, {len(self.residuals)} points, scatter={self.scatter:.3g})"

    def __str__(self) -> str:
        order = self.shape.cosine.shape[-1]
        text = (
            f"{len(self.residuals)} points lie within {np.abs(self.residuals).max():.3g} m of a convex body with "
            f"{order} harmonics, with a standard deviation of {self.scatter:.3g} m"
        )
        return text + (f"; convexity holds it at {self.active} angles." if self.active else ".")

    def error_at(self, phi: ArrayLike) -> np.ndarray:
        """Standard error of the support function at the angles phi of the normal [m]; large in gaps of the points."""
        basis = FourierBasis(self.shape.cosine.shape[-1])
        angles = np.asarray(phi, dtype=float)
        rows = basis.rows(angles.ravel())
        return np.sqrt(np.einsum("ij,jk,ik->i", rows, self._covariance, rows)).reshape(angles.shape)


class FourierBasis:
    """Mean, cosines and sines up to an order, as a basis of a least-squares fit."""

    def __init__(self, order: int) -> None:
        self.order = order
        self.count = 2 * order + 1

    def rows(self, alpha: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(M, 2 K + 1) values of a derivative of all functions."""
        k = np.arange(1, self.order + 1)
        angle = alpha[:, None] * k + 0.5 * np.pi * derivative
        mean = np.full((len(alpha), 1), float(derivative == 0))
        return np.concatenate([mean, k**derivative * np.cos(angle), k**derivative * np.sin(angle)], axis=1)

    @cached_property
    def roughness(self) -> np.ndarray:
        """Matrix of the integral of the squared third derivative."""
        k = np.arange(1, self.order + 1.0)
        return np.pi * np.diag(np.concatenate([[0.0], k**6, k**6]))

    def table(self, coefficients: np.ndarray) -> Polynomials:
        """The potential with these coefficients, as pieces that are faster than the series; the error is 1e-13."""
        knots = np.arange(48 * (self.order + 1)) * (FULL / (48 * (self.order + 1)))
        values = Values(*(self.rows(knots, d) @ coefficients for d in range(3)))
        return hermite(knots, lambda _: values, np.zeros(0))


def fit_fourier(points: ArrayLike, order: int, *, smallest_radius: float = 0.0) -> FourierFit:
    """Convex body with a Fourier potential, by orthogonal least squares.

    Parameters
    ----------
    points : (M, 2) array_like
        Points of the boundary around the origin, in any order, with errors [m].  Gaps must be less than 90 degrees.
    order : int
        Number of harmonics K >= 2.
    smallest_radius : float
        Smallest radius of curvature allowed [m].

    Returns
    -------
    FourierFit

    Notes
    -----
    The distance of a point from the boundary changes with the coefficients as the support function at its normal does,
    so every round is a linear least-squares problem; convexity, g + g'' > 0, is a linear constraint, and holds between
    the angles at which it is imposed as well.  A body that has such a potential is found with an error that falls like
    the root of the number of points.  For bodies that have none, use :func:`smooth_shape`.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> shape, rng = planar.FourierShape(0.1, [0, 0.01], [0, 0.005]), np.random.default_rng(1)
    >>> t = rng.uniform(0, 2 * np.pi, 500)
    >>> points = shape.point(np.stack([np.cos(t), np.sin(t)], -1)) + 1e-3 * rng.normal(size=(500, 2))
    >>> found = planar.fit_fourier(points, 3)
    >>> bool(abs(found.shape.mean - 0.1) < 4 * found.standard_errors[0])
    True
    """
    points, order = boundary_points(points), count(order, "order", 2)
    smallest = not_negative(smallest_radius, "smallest_radius")
    if len(points) < 2 * order + 1:
        raise ValueError(f"points must be at least {2 * order + 1} for {order} harmonics, got {len(points)}")
    basis, reader = FourierBasis(order), SupportPoints(points)
    size = float(np.abs(points).max())
    coefficients = _circle(points, basis)
    grid = np.arange(GRID * (order + 1)) * (FULL / (GRID * (order + 1)))
    rows = basis.rows(grid) + basis.rows(grid, 2)
    for margin in (1e-4, 1e-2, 3e-2, 1e-1):
        bounds = Bounds(rows, np.full(len(grid), smallest + margin * size))
        coefficients, active, system = _rounds(basis, reader, bounds, coefficients, size)
        try:
            shape = FourierShape(coefficients[0], coefficients[1 : order + 1], coefficients[order + 1 :])
        except ValueError:  # not convex between the angles of the grid
            continue
        break
    else:
        raise ValueError(f"points must be those of a convex body with {order} harmonics; try a smaller order")
    residuals = reader.observe(basis.table(coefficients)).distance
    scatter = float(np.sqrt((residuals**2).sum() / max(len(points) - basis.count, 1)))
    covariance = scatter**2 * (system.modes / system.stiffness(_tiny(system))) @ system.modes.T
    return FourierFit(shape, residuals, scatter, np.sqrt(np.diag(covariance)), active, covariance)


def _circle(points: np.ndarray, basis: FourierBasis) -> np.ndarray:
    """Coefficients of the circle of best algebraic fit, from which the rounds start."""
    x, y = points.T
    (a, b, c), *_ = np.linalg.lstsq(np.stack([x, y, np.ones_like(x)], axis=-1), x * x + y * y)
    start = np.zeros(basis.count)
    start[0], start[1], start[basis.order + 1] = np.sqrt(max(c + 0.25 * (a * a + b * b), 1e-300)), 0.5 * a, 0.5 * b
    return start


def _tiny(system: Smoothing) -> float:
    """A strength of smoothing that only keeps gaps of the points from making the equations singular."""
    return 1e-10 * system.unit


def _rounds(
    basis: FourierBasis, reader: SupportPoints, bounds: Bounds, coefficients: np.ndarray, size: float
) -> tuple[np.ndarray, int, Smoothing]:
    """Repeat the linear fit with the normals of the last one until it settles."""
    for _ in range(ROUNDS):
        seen: Observations = reader.observe(basis.table(coefficients)).observations
        system = normal_equations(basis, seen)
        after, active = bounded_coefficients(system, _tiny(system), bounds)
        moved = float(np.abs(after - coefficients).max())
        coefficients = after
        if moved <= SETTLED * size:
            break
    return coefficients, active, system
