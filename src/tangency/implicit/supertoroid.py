"""Supertoroid after Barr (1981)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from ..kernels.implicit import MIN_BASE, power_term
from ..shapes.superellipsoid import power_norm
from .superquadric import bent
from .surface import Surface


class Supertoroid(Surface):
    """|N - hole|^g1 + |z/c|^g1 = 1 with N = (|x/a|^g2 + |y/b|^g2)^(1/g2).

    Parameters
    ----------
    radii : (..., 3) array_like
        a, b, c [m], > 0: semi-axes of the tube's cross-section.
    exponents : (..., 2) array_like
        g1 = 2/e1 of the cross-section, g2 = 2/e2 of the ring, each > 1.
    hole : (...) array_like
        Radius of the ring in units of a and b, > 1.

    Examples
    --------
    >>> import tangency as tg
    >>> ring = tg.implicit.Supertoroid([1, 1, 1], [2, 2], hole=3)
    >>> tg.implicit.evaluate(ring, [[4, 0, 0], [0, 2, 0], [3, 0, 1]]).value.round(12).tolist()
    [0.0, 0.0, 0.0]
    """

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float
        g1: float
        g2: float
        hole: float

        def implicit(self, x):
            u, v = abs(x[0]) / self.a, abs(x[1]) / self.b
            rho, rx, ry, rxx, rxy, ryy = power_norm(u, v, self.g2, MIN_BASE)
            f, fr, frr = power_term(rho - self.hole, 1.0, self.g1)
            g, gz, gzz = power_term(x[2], self.c, self.g1)
            i = 0.0 if x[0] == 0.0 else (1.0 / self.a if x[0] > 0.0 else -1.0 / self.a)
            j = 0.0 if x[1] == 0.0 else (1.0 / self.b if x[1] > 0.0 else -1.0 / self.b)
            a, b = 1.0 / (self.a * self.a), 1.0 / (self.b * self.b)
            return (
                f + g - 1.0,
                (i * fr * rx, j * fr * ry, gz),
                (
                    a * (frr * rx * rx + fr * rxx),
                    i * j * (frr * rx * ry + fr * rxy),
                    0.0,
                    b * (frr * ry * ry + fr * ryy),
                    0.0,
                    gzz,
                ),
            )

    def __init__(self, radii: ArrayLike, exponents: ArrayLike, hole: ArrayLike) -> None:
        radii = validate.positive(validate.vectors(radii, "radii"), "radii")
        exponents = validate.vectors(exponents, "exponents", 2)
        validate.within(exponents, "exponents", 1.0, np.inf, " (both open)")
        hole = validate.within(validate.array(hole, "hole"), "hole", 1.0, np.inf, " (both open)")
        self._set(
            a=radii[..., 0].copy(),
            b=radii[..., 1].copy(),
            c=radii[..., 2].copy(),
            g1=exponents[..., 0].copy(),
            g2=exponents[..., 1].copy(),
            hole=hole,
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
    def hole(self) -> np.ndarray:
        """Radius of the ring, in units of a and b."""
        return self._fields["hole"]

    def sheets(self, reach: float = 0.0, count: int = 48) -> list[np.ndarray]:
        validate.single({"Supertoroid": self.batch_shape})
        (a, b, c), (g1, g2) = self.radii, self.exponents
        phi = np.linspace(0.0, 2.0 * np.pi, count)
        rho = float(self.hole) + bent(np.cos(phi), 2.0 / g1)
        grid = np.zeros((count, count, 3))
        grid[..., 0] = a * rho[:, None] * bent(np.cos(phi), 2.0 / g2)
        grid[..., 1] = b * rho[:, None] * bent(np.sin(phi), 2.0 / g2)
        grid[..., 2] = c * bent(np.sin(phi), 2.0 / g1)[:, None]
        return [grid]
