"""Common part of harmonic and spline potentials: the convexity test, fits to shapes and to point clouds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..geometry.directions import angles_text
from ..geometry.extreme_radii import extreme_radius, flat_stack
from ..geometry.moments import spread
from ..io import validate
from .coefficient_fit import PotentialFit, fit_convex, foot_normals, solve
from .hull import Hull
from .shape import Shape, ShapeError, bounded
from .sphere import Sphere

MAX_LINEAR_FITS = 60  # in a fit to points
STEADY = 1e-10  # relative change of the residuals at which a fit to points stops
SMOOTHING = 1e-5  # weight of the regularisation towards a ball where a cloud has no points


class Potential(Shape):
    """A support function that is linear in its coefficients; subclasses define the basis functions."""

    #: Quality of the fit; None if the shape was made from coefficients.
    fitted: PotentialFit | None = None

    # ---- implemented by subclasses -------------------------------------------------------------
    def _fill(self, coefficients: np.ndarray) -> None:
        raise NotImplementedError

    def _samples(self) -> int:
        """Number of normals that resolves the finest wave of the basis functions."""
        raise NotImplementedError

    @classmethod
    def _design(cls, resolution: int, n: np.ndarray) -> Any:
        """Value, gradient (3) and Hessian (6) at unit vectors (J, 3) as rows (10 J, P) in the coefficients."""
        raise NotImplementedError

    @classmethod
    def _normal_equations(cls, shape: Shape, resolution: int) -> tuple[Any, np.ndarray]:
        """Gram matrix and right-hand side of the least-squares fit to another shape."""
        raise NotImplementedError

    # ---- common --------------------------------------------------------------------------------
    @classmethod
    def _unchecked(cls, coefficients: np.ndarray) -> Self:
        shape = object.__new__(cls)
        shape._fill(coefficients)
        return shape

    def _require_convex(self, name: str) -> None:
        """Raise a ShapeError if a fine grid of normals or a local search finds a radius of curvature <= 0."""
        for part in flat_stack(self):
            value, normal = extreme_radius(part, 0, self._samples())
            if (value <= 0).any():
                k = int(value.argmin())
                raise ShapeError(
                    f"{name} must describe a convex body: a radius of curvature falls to {value[k]:.6g} at "
                    f"{angles_text(normal[k])} (Römer 3-D, Remark 22)"
                )

    @classmethod
    def _convex_neighbours(cls, shape: Shape, resolution: int) -> list[np.ndarray]:
        """Coefficients of smoother bodies near a convex one, to mix into a fit that is not convex; best first."""
        raise NotImplementedError

    @classmethod
    def _from_shape(cls, shape: Shape, resolution: int, least_radius: float | None) -> Self:
        bounded(shape, "shape")
        validate.single({"shape": shape.batch_shape})
        half, centre = shape._box()
        floor = _floor(least_radius, float(half.mean()))
        gram, right = cls._normal_equations(shape, resolution)
        free, part = _definite(gram)
        make = cls._maker(len(right), free)

        def rescue() -> list[np.ndarray]:
            ball = Sphere(float(half.mean())).translate(centre)
            return [c[free] for c in (*cls._convex_neighbours(shape, resolution), cls._plain(ball, resolution))]

        result, low, cuts = fit_convex(part, right[free], cls._reader(resolution, free), make, rescue, floor)
        n = spread(3001)
        gap = np.abs(result.support(n) - shape.support(n))
        result.fitted = PotentialFit(len(free), float(np.sqrt((gap**2).mean())), float(gap.max()), low, cuts)
        return result

    @classmethod
    def _plain(cls, shape: Shape, resolution: int) -> np.ndarray:
        """Coefficients of the least-squares fit, convex or not."""
        gram, right = cls._normal_equations(shape, resolution)
        free, part = _definite(gram)
        whole = np.zeros(len(right))
        whole[free] = solve(part, right[free], np.zeros((0, len(free))), 0.0)
        return whole

    @classmethod
    def _maker(cls, count: int, free: np.ndarray) -> Callable[[np.ndarray], Any]:
        def make(c: np.ndarray) -> Potential:
            whole = np.zeros(count)
            whole[free] = c
            return cls._unchecked(whole)

        return make

    @classmethod
    def _reader(cls, resolution: int, free: np.ndarray) -> Callable[[np.ndarray], Any]:
        return lambda n: cls._design(resolution, n)[:, free]

    @classmethod
    def _from_points(cls, points: Any, resolution: int, normals: Any, hull: bool, least_radius: float | None) -> Self:
        points = validate.vectors(getattr(points, "points", points), "points")
        if points.ndim != 2 or len(points) < 4:
            raise ValueError(f"points must have shape (N, 3) with N >= 4, got shape {points.shape}")
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        size = float(np.linalg.norm(points - centre, axis=1).max())
        if np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[-1] <= 1e-9 * size * np.sqrt(len(points)):
            raise ValueError("points must not lie in one plane: they enclose no volume")
        floor = _floor(least_radius, size)
        if hull:
            return cls._from_shape(Hull(points), resolution, floor)
        if normals is None:
            n = points - centre
            n[np.linalg.norm(n, axis=1) == 0] = [0.0, 0.0, 1.0]
        else:
            n = validate.vectors(normals, "normals")
            validate.broadcast({"points": points.shape[:-1], "normals": n.shape[:-1]})
            n = np.broadcast_to(n, points.shape)
        n = validate.directions(n)[0]
        # Euler's equations for a function of degree 1, and a weak regularisation of W towards that of a ball.
        around = spread(20 * resolution**2 + 200)
        fixed, fixed_right = _euler_and_ball(cls._design(resolution, around), around, resolution, size)
        before, result = np.inf, cls._unchecked(np.zeros(fixed.shape[0]))
        settled = False
        for _ in range(MAX_LINEAR_FITS):
            rows = cls._design(resolution, n)[::10] * (1.0 / np.sqrt(len(points)))
            right = fixed_right + rows.T @ ((points * n).sum(axis=1) / np.sqrt(len(points)))
            free, part = _definite(rows.T @ rows + fixed)
            make, read = cls._maker(len(right), free), cls._reader(resolution, free)

            def rescue(free: np.ndarray = free) -> list[np.ndarray]:
                return [cls._plain(Sphere(0.5 * size).translate(centre), resolution)[free]]

            result, low, cuts = fit_convex(part, right[free], read, make, rescue, floor)
            distance, n = foot_normals(result, points, n)
            rms = float(np.sqrt((distance**2).mean()))
            settled = abs(before - rms) <= STEADY * size + 1e-4 * rms
            if settled:
                break
            before = rms
        result.fitted = PotentialFit(len(free), rms, float(np.abs(distance).max()), low, cuts, settled)
        return result


def _euler_and_ball(rows: Any, n: np.ndarray, resolution: int, size: float) -> tuple[Any, np.ndarray]:
    """Normal equations of n.grad h = h and W n = 0 (small weight), and of W = size (I - n n') (very small weight)."""
    blocks = [rows[k::10] for k in range(10)]
    scale = 1.0 / np.sqrt(len(n))

    def combine(weights: list[np.ndarray | float], which: list[int]) -> Any:
        total = 0.0
        for weight, k in zip(weights, which):
            total = total + blocks[k] * (scale * np.broadcast_to(weight, len(n)))[:, None]
        return total

    x, y, z = n.T
    euler = [
        (1.0 / resolution, [-1.0, x, y, z], [0, 1, 2, 3]),
        (0.5 / resolution**2, [x, y, z], [4, 5, 6]),
        (0.5 / resolution**2, [x, y, z], [5, 7, 8]),
        (0.5 / resolution**2, [x, y, z], [6, 8, 9]),
    ]
    gram, right = 0.0, np.zeros(rows.shape[1])
    for weight, factors, which in euler:
        part = combine([weight * f for f in factors], which)
        gram = gram + part.T @ part
    ball = [1 - x * x, -x * y, -x * z, 1 - y * y, -y * z, 1 - z * z]
    for k in range(6):
        part = combine([SMOOTHING], [4 + k])
        gram = gram + part.T @ part
        right = right + part.T @ (SMOOTHING * scale * size * ball[k])
    return gram, right


def _definite(gram: Any) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the coefficients that affect the sphere, and their Gram matrix, slightly regularised."""
    diagonal = gram.diagonal()
    free = np.flatnonzero(diagonal > 1e-14 * diagonal.max())
    part = gram[free][:, free]
    part = part.toarray() if hasattr(part, "toarray") else np.array(part)
    part[np.diag_indices(len(free))] += 1e-13 * diagonal.max()
    return free, part


def _floor(least_radius: float | None, size: float) -> float:
    if least_radius is None:
        return 1e-3 * size
    value = validate.array(least_radius, "least_radius")
    if value.shape or not value > 0:
        raise ValueError(f"least_radius must be a number > 0, got {least_radius!r}")
    return float(value)
