"""Volume, centroid and inertia of a body from its support function.

With J(n) the product of the principal radii, the surface element with normal n is J dn and the cone
from the origin over it has height h(n); so the integral of a homogeneous function f of
degree k is 1/(k + 3) times the integral of f(x(n)) h(n) J(n) over the unit sphere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..shapes.shape import Shape


@dataclass(frozen=True)
class Moments:
    """Mass properties at unit density.

    Attributes
    ----------
    volume : (...) array
        Volume [m^3].
    centroid : (..., 3) array
        Centroid in the shape's frame [m].
    second : (..., 3, 3) array
        Integral of x x' over the body, about the shape's origin [m^5].
    error : (...) array
        Estimated relative error of the volume and of the inertia; 0 for closed forms.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.Box([0.5, 0.5, 0.5]).translate([1, 0, 0]).moments().second.diagonal().round(9).tolist()
    [1.083333333, 0.083333333, 0.083333333]
    """

    volume: np.ndarray
    centroid: np.ndarray
    second: np.ndarray
    error: np.ndarray

    @property
    def inertia(self) -> np.ndarray:
        """Inertia tensor about the centroid [m^5]."""
        c = self.centroid
        central = self.second - self.volume[..., None, None] * c[..., :, None] * c[..., None, :]
        return np.trace(central, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - central

    def moved(self, vector: np.ndarray) -> Moments:
        """Moments of the body translated by `vector`."""
        volume, c = self.volume[..., None, None], self.centroid
        mixed = c[..., :, None] * vector[..., None, :]
        square = vector[..., :, None] * vector[..., None, :]
        second = self.second + volume * (mixed + np.swapaxes(mixed, -1, -2) + square)
        volume, error = (np.broadcast_to(part, second.shape[:-2]) for part in (self.volume, self.error))
        return Moments(volume, c + vector, second, error)

    def mapped(self, matrix: np.ndarray) -> Moments:
        """Moments of the body's image under x -> matrix x."""
        factor = np.abs(np.linalg.det(matrix))
        second = factor[..., None, None] * matrix @ self.second @ np.swapaxes(matrix, -1, -2)
        volume, error = factor * self.volume, np.broadcast_to(self.error, second.shape[:-2])
        return Moments(volume, (matrix @ self.centroid[..., None])[..., 0], second, error)


def symmetric(volume: np.ndarray, squares: np.ndarray) -> Moments:
    """Moments of a body with three symmetry planes: `squares` are the integrals of x^2, y^2, z^2."""
    second = squares[..., :, None] * np.eye(3)
    return Moments(volume, np.zeros_like(squares), second, np.zeros_like(volume))


@cache
def sphere_rule(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions and weights of a product rule on the unit sphere, exact to degree 2 order - 1."""
    z, weight = np.polynomial.legendre.leggauss(order)
    angle = (np.arange(2 * order) + 0.5) * np.pi / order
    rho = np.sqrt(1.0 - z * z)
    n = np.stack(
        [
            (rho[:, None] * np.cos(angle)).ravel(),
            (rho[:, None] * np.sin(angle)).ravel(),
            np.repeat(z, 2 * order),
        ],
        axis=-1,
    )
    return n, np.repeat(weight * np.pi / order, 2 * order)


def _integrate(shape: Shape, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, weight = sphere_rule(order)
    n = n.reshape(-1, *(1,) * len(shape.batch_shape), 3)
    weight = weight.reshape(-1, *(1,) * len(shape.batch_shape))
    h, x, w = shape.jet(n)
    # The product of the two tangential eigenvalues is the sum of the principal minors (W n = 0).
    minors = 0.5 * (np.trace(w, axis1=-2, axis2=-1) ** 2 - np.einsum("...ij,...ij->...", w, w))
    cone = weight * h * minors
    volume = cone.sum(axis=0) / 3.0
    first = np.einsum("k...,k...i->...i", cone, x) / 4.0
    second = np.einsum("k...,k...i,k...j->...ij", cone, x, x) / 5.0
    return volume, first, second


def moments_by_quadrature(shape: Shape, tolerance: float = 1e-10, largest: int = 128) -> Moments:
    """Moments by quadrature over the sphere of normals; the order is doubled until two results agree."""
    order = 8
    volume, first, second = _integrate(shape, order)
    while True:
        order *= 2
        volume2, first2, second2 = _integrate(shape, order)
        trace = np.trace(second2, axis1=-2, axis2=-1)
        error = np.maximum(abs(volume2 - volume) / volume2, abs(second2 - second).max(axis=(-2, -1)) / trace)
        volume, first, second = volume2, first2, second2
        if order >= largest or (error <= tolerance).all():
            return Moments(volume, first / volume[..., None], second, error)


@cache
def spread(count: int) -> np.ndarray:
    """Nearly evenly spread unit vectors, (count, 3), on the golden-angle spiral."""
    k = np.arange(count) + 0.5
    z = 1.0 - 2.0 * k / count
    angle = np.pi * (1.0 + np.sqrt(5.0)) * k
    rho = np.sqrt(1.0 - z * z)
    return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)
