"""Superellipsoid after Barr (Römer 3-D, Eq. 52 with delta = 2/e2, epsilon = 2/e1)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..geometry.moments import Moments, symmetric
from ..io import validate
from ..kernels.flat_places import bend_nested
from ..kernels.implicit import MIN_BASE, power_term
from ..kernels.inner_ball import barr_inner_ball
from . import exponent_derivatives
from .parameters import Carried, carried_together, stretched
from .shape import Shape


@jit
def power_norm(u, v, q, least):
    """N = (u^q + v^q)^(1/q) for u, v >= 0 with gradient and Hessian: N, Nu, Nv, Nuu, Nuv, Nvv.

    Two calls of pow; no cancellation; the ratio is floored at MIN_BASE, N at `least`, so nothing overflows.
    """
    big, small = (u, v) if u >= v else (v, u)
    # With u = v = 0 any direction is valid; the diagonal keeps W below 1e100.
    t = max(small / big, MIN_BASE) if big > least else 1.0
    big = max(big, least)
    tq = t**q
    m = math.exp(math.log1p(tq) / q)
    n = big * m
    r = 1.0 / (1.0 + tq)
    ratio_big, ratio_small = 1.0 / m, t / m
    g_big, g_small = r * m, r * tq / ratio_small  # (u/N)^(q-1)
    k = (q - 1.0) / n
    h_bb = k * (g_big / ratio_big) * (r * tq)  # (q-1)/N (u/N)^(q-2) (v/N)^q
    h_ss = k * (g_small / ratio_small) * r
    h_bs = -k * g_big * g_small
    if u >= v:
        return n, g_big, g_small, h_bb, h_bs, h_ss
    return n, g_small, g_big, h_ss, h_bs, h_bb


class Superellipsoid(Shape):
    """Superellipsoid about the origin: ((x/a)^(2/e2) + (y/b)^(2/e2))^(e2/e1) + (z/c)^(2/e1) = 1.

    Parameters
    ----------
    radii : (..., 3) array_like
        Semi-axes [m], > 0.
    epsilon : (..., 2) array_like
        Barr's exponents (e1, e2), each between 0 (box-like) and 2 (octahedron-like): e1 shapes the
        profile along z, e2 the cross-section in xy.  (1, 1) is the ellipsoid.  See also
        :meth:`from_exponents`, which takes 2/e.

    Notes
    -----
    For e < 1 the surface has flat places (W unbounded: the kernel returns numbers beyond 1e20
    there), for e > 1 edges of radius zero; both occur for normals in the coordinate planes.

    Examples
    --------
    >>> import tangency as tg
    >>> shape = tg.Superellipsoid([0.3, 0.1, 0.1], epsilon=(0.8, 1.0))
    >>> shape.point([1, 0, 0]).round(12).tolist()
    [0.3, 0.0, 0.0]
    """

    smooth = False

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float
        q1: float  # exponents of the support function: q = 2 / (2 - e)
        q2: float

        def jet(self, n):
            # Eq. (52): h = N_q1(rho, c|nz|), rho = N_q2(a|nx|, b|ny|)
            height = abs(self.c * n[2])
            rho, rx, ry, rxx, rxy, ryy = power_norm(abs(self.a * n[0]), abs(self.b * n[1]), self.q2, 1e-90 * height)
            h, hr, hz, hrr, hrz, hzz = power_norm(rho, height, self.q1, MIN_BASE)
            a = math.copysign(self.a, n[0])
            b = math.copysign(self.b, n[1])
            c = math.copysign(self.c, n[2])
            # For a normal in a coordinate plane the coordinate is exactly zero; W is taken from a nearby normal.
            x = a * hr * rx if abs(n[0]) > MIN_BASE else 0.0
            y = b * hr * ry if abs(n[1]) > MIN_BASE else 0.0
            z = c * hz if abs(n[2]) > MIN_BASE else 0.0
            return (
                h,
                (x, y, z),
                (
                    a * a * (hrr * rx * rx + hr * rxx),
                    a * b * (hrr * rx * ry + hr * rxy),
                    a * c * hrz * rx,
                    b * b * (hrr * ry * ry + hr * ryy),
                    b * c * hrz * ry,
                    c * c * hzz,
                ),
            )

        def bend(self, n, d):
            # Near n_i = 0 the point moves like n_i^(q-1).
            return bend_nested(n, d, (self.a, self.b, self.c), 1.0 / (self.q1 - 1.0), 1.0 / (self.q2 - 1.0))

        def inner_ball(self, n, h, x):
            p1, p2 = self.q1 / (self.q1 - 1.0), self.q2 / (self.q2 - 1.0)
            rho = ((abs(n[0] * x[0]) + abs(n[1] * x[1])) / h) ** (1.0 / p1)
            return barr_inner_ball((self.a, self.b, self.c), p1, p2, n, x, h, min(rho, 1.0))

        def implicit(self, x):
            # Barr's inside-outside function minus 1: f = N^p1 + |z/c|^p1 - 1, N = N_p2(|x/a|, |y/b|), p = 2/e
            p1, p2 = self.q1 / (self.q1 - 1.0), self.q2 / (self.q2 - 1.0)
            u, v = abs(x[0]) / self.a, abs(x[1]) / self.b
            rho, rx, ry, rxx, rxy, ryy = power_norm(u, v, p2, MIN_BASE)
            if u < MIN_BASE * v:
                rx = (u / rho) ** (p2 - 1.0)
            elif v < MIN_BASE * u:
                ry = (v / rho) ** (p2 - 1.0)
            f, fr, frr = power_term(rho, 1.0, p1)
            g, gz, gzz = power_term(x[2], self.c, p1)
            # On a coordinate plane the slope across it is zero, as are the mixed derivatives.
            i = 0.0 if x[0] == 0.0 else math.copysign(1.0 / self.a, x[0])
            j = 0.0 if x[1] == 0.0 else math.copysign(1.0 / self.b, x[1])
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

    _parameters = {"radii": 1, "epsilon": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        exponents = exponent_derivatives.superellipsoid(n, x, self.radii, self.epsilon)
        return carried_together(stretched(n, x, self.radii), exponents)

    def __init__(self, radii: ArrayLike, epsilon: ArrayLike) -> None:
        radii = validate.positive(validate.vectors(radii, "radii"), "radii")
        epsilon = validate.within(validate.vectors(epsilon, "epsilon", 2), "epsilon", 0.0, 2.0, " (both open)")
        q = 2.0 / (2.0 - epsilon)
        self._set(
            a=radii[..., 0].copy(),
            b=radii[..., 1].copy(),
            c=radii[..., 2].copy(),
            q1=q[..., 0].copy(),
            q2=q[..., 1].copy(),
        )

    @classmethod
    def from_exponents(cls, radii: ArrayLike, exponents: ArrayLike) -> Superellipsoid:
        """Superellipsoid from the exponents of the surface, (2/e1, 2/e2): z first, then xy; each > 1.

        Examples
        --------
        >>> import tangency as tg
        >>> tg.Superellipsoid.from_exponents([1, 1, 1], [4, 2]).epsilon.tolist()
        [0.5, 1.0]
        """
        exponents = validate.vectors(exponents, "exponents", 2)
        validate.within(exponents, "exponents", 1.0, np.inf, " (both open)")
        return cls(radii, 2.0 / exponents)

    @property
    def radii(self) -> np.ndarray:
        f = self._fields
        return np.stack([f["a"], f["b"], f["c"]], axis=-1)

    @property
    def epsilon(self) -> np.ndarray:
        """Barr's exponents (e1, e2)."""
        q = np.stack([self._fields["q1"], self._fields["q2"]], axis=-1)
        return 2.0 - 2.0 / q

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        radii = self.radii
        return radii, np.zeros_like(radii)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Half the diagonal of the enclosing box [m]."""
        return np.linalg.norm(self.radii, axis=-1)

    def moments(self) -> Moments:
        # Jaklič, Leonardis, Solina 2000: closed forms with Euler's beta function.
        beta, (a, b, c) = scipy.special.beta, np.moveaxis(self.radii, -1, 0)
        e1, e2 = self.epsilon[..., 0], self.epsilon[..., 1]
        volume = 2 * a * b * c * e1 * e2 * beta(e1 / 2 + 1, e1) * beta(e2 / 2, e2 / 2)
        common = 0.5 * a * b * c * e1 * e2
        cap = beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2 * e1 + 1)
        squares = [
            common * a * a * cap,
            common * b * b * cap,
            common * c * c * 4 * beta(0.5 * e2, 0.5 * e2 + 1) * beta(1.5 * e1, e1 + 1),
        ]
        return symmetric(volume, np.stack(np.broadcast_arrays(*squares), axis=-1))
