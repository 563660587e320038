"""Quadrics: ellipsoid, hyperboloids and paraboloids (Lopes 2010, section 4.1, Table 3)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from .surface import Surface


class RayPoints(NamedTuple):
    """First points at which rays from the centre meet a surface."""

    point: np.ndarray  #: (..., 3); the origin if the ray does not meet the surface
    exists: np.ndarray  #: (...) bool


def ray(phi: ArrayLike, theta: ArrayLike) -> np.ndarray:
    """Unit vectors with azimuth `phi` and zenith angle `theta`.

    The third component printed in Lopes 2010, Eq. (29), is cos(phi); it should be cos(theta), as in Eq. (35).
    """
    phi, theta = np.broadcast_arrays(validate.array(phi, "phi"), validate.array(theta, "theta"))
    return np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1)


class Quadric(Surface):
    """Quadric f = side (sum of squares_i x_i^2 + linear_i x_i - 1) (Lopes 2010, Eqs. 25-26).

    Parameters
    ----------
    squares, linear : (..., 3) array_like
        Coefficients [1/m^2] and [1/m]; squares_i linear_i = 0 for every i.
    side : (...) array_like
        +1, or -1 for a body on the other side.

    Examples
    --------
    >>> import tangency as tg
    >>> q = tg.implicit.hyperboloid_one_sheet([1, 1, 2])
    >>> q.squares.tolist(), float(tg.implicit.evaluate(q, [1, 0, 0]).value)
    ([1.0, 1.0, -0.25], 0.0)
    """

    class Kernel(NamedTuple):
        a11: float
        a22: float
        a33: float
        a1: float
        a2: float
        a3: float
        side: float

        def implicit(self, x):
            # Eqs. (25), (31), (32)
            s = self.side
            u, v, w = self.a11 * x[0], self.a22 * x[1], self.a33 * x[2]
            f = (u + self.a1) * x[0] + (v + self.a2) * x[1] + (w + self.a3) * x[2] - 1.0
            g = (s * (2.0 * u + self.a1), s * (2.0 * v + self.a2), s * (2.0 * w + self.a3))
            k = 2.0 * s
            return s * f, g, (k * self.a11, 0.0, 0.0, k * self.a22, 0.0, k * self.a33)

    def __init__(self, squares: ArrayLike, linear: ArrayLike = (0.0, 0.0, 0.0), side: ArrayLike = 1.0) -> None:
        squares, linear = validate.vectors(squares, "squares"), validate.vectors(linear, "linear")
        side = validate.array(side, "side")
        if not (np.abs(side) == 1.0).all():
            raise ValueError(f"side must be 1 or -1, got {validate.short(side)}")
        both = np.broadcast_arrays(squares, linear)
        if (both[0] * both[1] != 0.0).any():
            raise ValueError(
                f"squares[i] * linear[i] must be 0 (shift the origin), got {validate.short(squares)} and "
                f"{validate.short(linear)}"
            )
        fields = {f"a{i + 1}{i + 1}": squares[..., i].copy() for i in range(3)}
        fields |= {f"a{i + 1}": linear[..., i].copy() for i in range(3)}
        self._set(**fields, side=side)

    @property
    def squares(self) -> np.ndarray:
        """Coefficients of the squares, (..., 3) [1/m^2]."""
        return np.stack([self._fields[name] for name in ("a11", "a22", "a33")], axis=-1)

    @property
    def linear(self) -> np.ndarray:
        """Coefficients of the coordinates, (..., 3) [1/m]."""
        return np.stack([self._fields[name] for name in ("a1", "a2", "a3")], axis=-1)

    @property
    def side(self) -> np.ndarray:
        """Sign of f, +1 or -1."""
        return self._fields["side"]

    @property
    def convex(self) -> np.ndarray:
        signs = np.sign(self.squares) * self.side[..., None]
        positive, negative = (signs > 0).sum(axis=-1), (signs < 0).sum(axis=-1)
        bounded = (negative == 0) & ((self.side > 0) | (positive < 3))
        sheets = (negative == 1) & (positive == 2) & (self.side < 0)  # each of two sheets
        return np.broadcast_to(bounded | sheets, self.batch_shape)

    def angle_centre(self, phi: ArrayLike, theta: ArrayLike) -> RayPoints:
        """Angle-centre parameterization: the first point at which the ray with these angles meets the surface.

        Lopes 2010, Eqs. (29)-(30); r_1 holds the linear coefficients, as the thesis prints it (Eq. A.2).

        Examples
        --------
        >>> import tangency as tg
        >>> tg.implicit.hyperboloid_one_sheet([1, 1, 2]).angle_centre([0, 0], [1.5707963267948966, 0]).exists.tolist()
        [True, False]
        """
        u = ray(phi, theta)
        r1, r2 = (self.linear * u).sum(axis=-1), (self.squares * u * u).sum(axis=-1)
        inside = r1 * r1 + 4.0 * r2
        root = np.sqrt(np.maximum(inside, 0.0))
        # Smallest positive root of r2 r^2 + r1 r - 1, in a form without cancellation
        low = r1 + root
        exists = (inside >= 0.0) & ((low > 0.0) | ((r1 < 0.0) & (r2 > 0.0)))
        other = (r1 < 0.0) & (r2 > 0.0)
        r = np.where(other, (root - r1) / np.where(other, 2.0 * r2, 1.0), 2.0 / np.where(low > 0.0, low, 1.0))
        r = np.where(exists, r, 0.0)
        return RayPoints(r[..., None] * u, exists)

    def sheets(self, reach: float, count: int = 48) -> list[np.ndarray]:
        validate.single({"Quadric": self.batch_shape})
        squares, linear = self.squares, self.linear
        phi = np.linspace(0.0, 2.0 * np.pi, count)
        if (linear != 0.0).any():  # a graph over the two other axes
            k = int(np.flatnonzero(linear)[0])
            i, j = (k + 1) % 3, (k + 2) % 3
            flat, rho = np.zeros((count, count, 3)), np.linspace(0.0, reach, count)[:, None]
            # Ellipses of equal height if both squares have the same sign
            flat[..., i] = rho * np.cos(phi) * _stretch(squares[i], squares[j])
            flat[..., j] = rho * np.sin(phi) * _stretch(squares[j], squares[i])
            flat[..., k] = (1.0 - squares[i] * flat[..., i] ** 2 - squares[j] * flat[..., j] ** 2) / linear[k]
            return [flat]
        positive = squares > 0
        k = int(np.flatnonzero(positive)[0]) if positive.sum() == 1 else int(np.argmin(squares))
        i, j = (k + 1) % 3, (k + 2) % 3
        pole = 1.0 / np.sqrt(abs(squares[k])) if squares[k] else reach
        if positive.all():
            heights = [pole * np.cos(np.linspace(0.0, np.pi, count))]
        elif positive.sum() == 2:
            heights = [np.linspace(-reach, reach, count)]
        elif positive.sum() == 1:
            out = pole * np.cosh(np.linspace(0.0, np.arccosh(max(reach / pole, 1.0)), count))
            heights = [out, -out]
        else:
            return []
        grids = []
        for height in heights:
            grid = np.zeros((count, count, 3))
            # At height t: (a_i cos^2 + a_j sin^2) rho^2 = 1 - a_k t^2
            around = squares[i] * np.cos(phi) ** 2 + squares[j] * np.sin(phi) ** 2
            rho = np.sqrt(np.maximum((1.0 - squares[k] * height[:, None] ** 2) / around, 0.0))
            grid[..., i], grid[..., j], grid[..., k] = rho * np.cos(phi), rho * np.sin(phi), height[:, None]
            grids.append(grid)
        return grids


def _stretch(own: float, other: float) -> float:
    return float(np.sqrt(abs(other / own))) if own * other > 0 and abs(other) < abs(own) else 1.0


def _squares(radii: Any, size: int) -> np.ndarray:
    return 1.0 / validate.positive(validate.vectors(radii, "radii", size), "radii") ** 2


def hyperboloid_one_sheet(radii: ArrayLike) -> Quadric:
    """(x/a)^2 + (y/b)^2 - (z/c)^2 = 1; the body is the side with the z axis.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.implicit.hyperboloid_one_sheet([2, 1, 1]).convex.tolist()
    False
    """
    return Quadric(_squares(radii, 3) * [1.0, 1.0, -1.0])


def hyperboloid_two_sheets(radii: ArrayLike) -> Quadric:
    """(z/c)^2 - (x/a)^2 - (y/b)^2 = 1; the body is the region enclosed by the two sheets, two convex parts.

    Examples
    --------
    >>> import tangency as tg
    >>> h = tg.implicit.hyperboloid_two_sheets([1, 1, 2])
    >>> tg.implicit.evaluate(h, [[0, 0, 3], [0, 0, 0]]).value.tolist()
    [-1.25, 1.0]
    """
    return Quadric(_squares(radii, 3) * [-1.0, -1.0, 1.0], side=-1.0)


def elliptic_paraboloid(radii: ArrayLike, slope: ArrayLike = 1.0) -> Quadric:
    """(x/a)^2 + (y/b)^2 - slope z = 1 with radii (a, b) [m] and slope > 0 [1/m]; the body is above it, towards large z.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.implicit.elliptic_paraboloid([1, 2]).linear.tolist()
    [0.0, 0.0, -1.0]
    """
    return _paraboloid(radii, slope, 1.0)


def hyperbolic_paraboloid(radii: ArrayLike, slope: ArrayLike = 1.0) -> Quadric:
    """(x/a)^2 - (y/b)^2 - slope z = 1, a saddle; the body is above it.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.implicit.hyperbolic_paraboloid([1, 2]).squares.tolist()
    [1.0, -0.25, 0.0]
    """
    return _paraboloid(radii, slope, -1.0)


def _paraboloid(radii: Any, slope: Any, sign: float) -> Quadric:
    squares = _squares(radii, 2) * [1.0, sign]
    slope = validate.positive(validate.array(slope, "slope"), "slope")
    squares = np.concatenate([squares, np.zeros_like(squares[..., :1])], axis=-1)
    return Quadric(squares, np.stack([0.0 * slope, 0.0 * slope, -slope], axis=-1))
