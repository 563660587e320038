"""Superquadrics after Barr: superellipsoid and superhyperboloids (Lopes 2010, section 4.2, Table 4)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..kernels.implicit import power_term
from .quadric import RayPoints, ray
from .surface import Surface

MIN_SUM = 1e-90  # replaces zero in the sum under the outer power

_FAMILIES = ((1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (1.0, -1.0, -1.0))


class Superquadric(Surface):
    """f = side ((s1 |x/a|^g2 + s2 |y/b|^g2)^(g1/g2) + s3 |z/c|^g1 - 1) (Lopes 2010, Eq. 33).

    Parameters
    ----------
    radii : (..., 3) array_like
        a, b, c [m], > 0.
    exponents : (..., 2) array_like
        g1 = 2/e1 along z, g2 = 2/e2 in xy, each > 1.
    signs : (1, 1, 1), (1, 1, -1) or (1, -1, -1)
        Superellipsoid, superhyperboloid of one sheet about z, of two sheets along x (Table 4).

    Notes
    -----
    The body of a superhyperboloid of two sheets is the region enclosed by its sheets (side = -1).  Outside the wedge
    where the sum under the outer power is positive, f is continued as an odd function; no surface point lies there.
    For a closed superellipsoid, prefer :class:`tangency.Superellipsoid`.

    Examples
    --------
    >>> import tangency as tg
    >>> s = tg.implicit.Superquadric([1, 1, 1], [3, 3], signs=(1, 1, -1))
    >>> float(tg.implicit.evaluate(s, [0, 1, 0]).value)
    0.0
    """

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float
        g1: float
        g2: float
        s2: float
        s3: float
        side: float

        def implicit(self, x):
            u, ux, uxx = power_term(x[0], self.a, self.g2)
            v, vy, vyy = power_term(x[1], self.b, self.g2)
            w, wz, wzz = power_term(x[2], self.c, self.g1)
            v, vy, vyy = self.s2 * v, self.s2 * vy, self.s2 * vyy
            total, k = u + v, self.g1 / self.g2
            size = max(abs(total), MIN_SUM)
            top = size**k
            p, q = k * top / size, math.copysign(k * (k - 1.0) * top / (size * size), total)
            s = self.side
            return (
                s * (math.copysign(top, total) + self.s3 * w - 1.0),
                (s * p * ux, s * p * vy, s * self.s3 * wz),
                (
                    s * (q * ux * ux + p * uxx),
                    s * q * ux * vy,
                    0.0,
                    s * (q * vy * vy + p * vyy),
                    0.0,
                    s * self.s3 * wzz,
                ),
            )

    def __init__(self, radii: ArrayLike, exponents: ArrayLike, signs: tuple[float, float, float] = (1, 1, 1)) -> None:
        radii = validate.positive(validate.vectors(radii, "radii"), "radii")
        exponents = validate.vectors(exponents, "exponents", 2)
        validate.within(exponents, "exponents", 1.0, np.inf, " (both open)")
        if tuple(float(s) for s in signs) not in _FAMILIES:
            raise ValueError(f"signs must be (1, 1, 1), (1, 1, -1) or (1, -1, -1), got {signs!r}")
        self._set(
            a=radii[..., 0].copy(),
            b=radii[..., 1].copy(),
            c=radii[..., 2].copy(),
            g1=exponents[..., 0].copy(),
            g2=exponents[..., 1].copy(),
            s2=np.array(float(signs[1])),
            s3=np.array(float(signs[2])),
            side=np.array(float(signs[1])),
        )

    @property
    def radii(self) -> np.ndarray:
        """Semi-axes a, b, c, (..., 3) [m]."""
        return np.stack(np.broadcast_arrays(*(self._fields[name] for name in "abc")), axis=-1)

    @property
    def exponents(self) -> np.ndarray:
        """Exponents g1, g2, (..., 2)."""
        return np.stack(np.broadcast_arrays(self._fields["g1"], self._fields["g2"]), axis=-1)

    @property
    def signs(self) -> tuple[float, float, float]:
        """Signs of the three terms."""
        return 1.0, float(self._fields["s2"].flat[0]), float(self._fields["s3"].flat[0])

    @property
    def convex(self) -> np.ndarray:
        return np.full(self.batch_shape, self.signs != (1.0, 1.0, -1.0))

    def angle_centre(self, phi: ArrayLike, theta: ArrayLike) -> RayPoints:
        """Angle-centre parameterization: points at which rays meet the surface (Lopes 2010, Eqs. 35-36).

        Eq. (36) lacks the outer power g1/g2 of the bracket, which matters for g1 != g2; Eq. (A.4) of the thesis
        also lacks the minus in the exponent.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.implicit.Superquadric([2, 1, 1], [4, 3]).angle_centre(0.0, 1.5707963267948966).point.round(12).tolist()
        [2.0, 0.0, 0.0]
        """
        u = ray(phi, theta)
        x, y, z = np.moveaxis(np.abs(u) / self.radii, -1, 0)
        (g1, g2), (_, s2, s3) = np.moveaxis(self.exponents, -1, 0), self.signs
        total = x**g2 + s2 * y**g2
        power = np.sign(total) * np.abs(total) ** (g1 / g2) + s3 * z**g1
        exists = power > 0.0
        r = np.where(exists, np.where(exists, power, 1.0) ** (-1.0 / g1), 0.0)
        return RayPoints(r[..., None] * u, exists)

    def sheets(self, reach: float, count: int = 48) -> list[np.ndarray]:
        validate.single({"Superquadric": self.batch_shape})
        (a, b, c), (g1, g2), (_, s2, s3) = self.radii, self.exponents, self.signs
        phi = np.linspace(0.0, 2.0 * np.pi, count)
        grid = np.zeros((count, count, 3))
        ring = np.stack([a * bent(np.cos(phi), 2.0 / g2), b * bent(np.sin(phi), 2.0 / g2)], axis=-1)
        if s2 > 0.0:
            t = np.linspace(-0.5 * np.pi, 0.5 * np.pi, count)
            z = c * bent(np.sin(t), 2.0 / g1) if s3 > 0.0 else np.linspace(-reach, reach, count)
            rho = np.maximum(1.0 - s3 * np.abs(z / c) ** g1, 0.0) ** (1.0 / g1)
            grid[..., :2], grid[..., 2] = rho[:, None, None] * ring, z[:, None]
            return [grid]
        across = np.linspace(0.0, reach, count)[:, None]
        grid[..., 1], grid[..., 2] = across * np.cos(phi), across * np.sin(phi)
        inner = (1.0 + np.abs(grid[..., 2] / c) ** g1) ** (g2 / g1)
        grid[..., 0] = a * (np.abs(grid[..., 1] / b) ** g2 + inner) ** (1.0 / g2)
        return [grid, grid * [-1.0, 1.0, 1.0]]


def bent(value: np.ndarray, power: float) -> np.ndarray:
    """sign(v) |v|^power, as in the trigonometric powers of Barr's parameterization."""
    return np.sign(value) * np.abs(value) ** power
