"""Power ellipsoid: the superquadric with three exponents (Lopes thesis, Eq. 5.37)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import jit
from ..geometry.moments import Moments, symmetric
from ..io import validate
from ..kernels.flat_places import bend_ratios
from ..kernels.implicit import power_term
from ..kernels.inner_ball import power_inner_ball
from . import exponent_derivatives
from .parameters import Carried, carried_together, stretched
from .shape import Shape

MIN_RATIO = 1e-100  # replaces zero in |n_i| / max |n|, where a radius of curvature would be infinite
MIN_POSITIVE = 1e-300
MAX_STEPS = 60


@jit
def multiplier(l, q):
    """Root tau of log sum exp(q_i (l_i + tau)) = 0, where the largest l_i is 0, and the logarithm of the sum there.

    The function is convex and increasing; from tau = 0, right of the root, Newton's method decreases
    monotonically, so it stops when the iterate no longer decreases.
    """
    tau, rest = 0.0, 0.0
    for _ in range(MAX_STEPS):
        w = (math.exp(q[0] * (l[0] + tau)), math.exp(q[1] * (l[1] + tau)), math.exp(q[2] * (l[2] + tau)))
        total = w[0] + w[1] + w[2]
        rest = math.log(total)
        step = rest * total / (q[0] * w[0] + q[1] * w[1] + q[2] * w[2])
        after = tau - step
        if not after < tau:
            break
        tau = after
    return tau, rest


class PowerEllipsoid(Shape):
    """Power ellipsoid about the origin: |x/a|^g1 + |y/b|^g2 + |z/c|^g3 = 1.

    Parameters
    ----------
    radii : (..., 3) array_like
        Semi-axes a, b, c [m], > 0.
    exponents : (..., 3) array_like
        g1, g2, g3, each > 1; (2, 2, 2) is the ellipsoid.

    Notes
    -----
    An exponent above 2 makes the surface flat at the ends of its axis (W unbounded: the kernel returns
    numbers up to 1e100 where n_i = 0); an exponent below 2 makes a radius of curvature zero.

    Examples
    --------
    >>> import tangency as tg
    >>> shape = tg.PowerEllipsoid([3, 2, 1], exponents=[2, 4, 3])
    >>> bool(abs(shape.implicit(shape.point([1, 2, 3]))) < 1e-12)
    True
    """

    smooth = False

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float
        g1: float
        g2: float
        g3: float

        def jet(self, n):
            top = max(abs(n[0]), abs(n[1]), abs(n[2]), MIN_POSITIVE)
            u = (max(abs(n[0]) / top, MIN_RATIO), max(abs(n[1]) / top, MIN_RATIO), max(abs(n[2]) / top, MIN_RATIO))
            # Stationary: m_i = a_i u_i / g_i = lam |x_i/a_i|^(g_i - 1); with tau = -log(lam / big)
            k = (self.g1 - 1.0, self.g2 - 1.0, self.g3 - 1.0)
            m = (self.a * u[0] / self.g1, self.b * u[1] / self.g2, self.c * u[2] / self.g3)
            big = max(m[0], m[1], m[2])
            l = (
                math.log(max(m[0] / big, MIN_POSITIVE)),
                math.log(max(m[1] / big, MIN_POSITIVE)),
                math.log(max(m[2] / big, MIN_POSITIVE)),
            )
            tau, rest = multiplier(l, (self.g1 / k[0], self.g2 / k[1], self.g3 / k[2]))
            # |x_i / a_i|^g_i is the share of a term in the sum: the point is on the surface whatever the error of tau.
            x = self.a * math.exp((l[0] + tau) / k[0] - rest / self.g1)
            y = self.b * math.exp((l[1] + tau) / k[1] - rest / self.g2)
            z = self.c * math.exp((l[2] + tau) / k[2] - rest / self.g3)
            # W = D - (D u)(D u)' / (u'D u) with the diagonal D_i = x_i / ((g_i - 1) u_i).  For a
            # normal in a coordinate plane x_i = 0 exactly, and D_i is taken from a nearby normal.
            dx, dy, dz = x / k[0] / u[0], y / k[1] / u[1], z / k[2] / u[2]
            x = x if u[0] > MIN_RATIO else 0.0
            y = y if u[1] > MIN_RATIO else 0.0
            z = z if u[2] > MIN_RATIO else 0.0
            tx, ty, tz = x / k[0], y / k[1], z / k[2]  # D u
            sx, sy, sz = tx * u[0], ty * u[1], tz * u[2]
            i = 1.0 / max(sx + sy + sz, MIN_POSITIVE)
            j = i / top
            ex, ey, ez = math.copysign(1.0, n[0]), math.copysign(1.0, n[1]), math.copysign(1.0, n[2])
            return (
                top * (u[0] * x + u[1] * y + u[2] * z),
                (ex * x, ey * y, ez * z),
                (
                    dx * (sy + sz) * j,
                    -ex * ey * tx * ty * j,
                    -ex * ez * tx * tz * j,
                    dy * (sx + sz) * j,
                    -ey * ez * ty * tz * j,
                    dz * (sx + sy) * j,
                ),
            )

        def bend(self, n, d):
            # Near n_i = 0 the point moves like n_i^(1 / (g_i - 1)).
            return bend_ratios(n, d, (self.a, self.b, self.c), self.g1 - 1.0, self.g2 - 1.0, self.g3 - 1.0)

        def inner_ball(self, n, h, x):
            return power_inner_ball((self.a, self.b, self.c), (self.g1, self.g2, self.g3), x)

        def implicit(self, x):
            # Sum of |x_i / a_i|^g_i, minus 1 (Lopes 2010, Eqs. 37-39)
            f, fx, fxx = power_term(x[0], self.a, self.g1)
            g, gy, gyy = power_term(x[1], self.b, self.g2)
            h, hz, hzz = power_term(x[2], self.c, self.g3)
            return f + g + h - 1.0, (fx, gy, hz), (fxx, 0.0, 0.0, gyy, 0.0, hzz)

    _parameters = {"radii": 1, "exponents": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        exponents = exponent_derivatives.power_ellipsoid(n, x, self.radii, self.exponents)
        return carried_together(stretched(n, x, self.radii), exponents)

    def __init__(self, radii: ArrayLike, exponents: ArrayLike) -> None:
        radii = validate.positive(validate.vectors(radii, "radii"), "radii")
        exponents = validate.vectors(exponents, "exponents")
        validate.within(exponents, "exponents", 1.0, np.inf, " (both open)")
        self._set(
            a=radii[..., 0].copy(),
            b=radii[..., 1].copy(),
            c=radii[..., 2].copy(),
            g1=exponents[..., 0].copy(),
            g2=exponents[..., 1].copy(),
            g3=exponents[..., 2].copy(),
        )

    @property
    def radii(self) -> np.ndarray:
        """Semi-axes, (..., 3) [m]."""
        return np.stack([self._fields[name] for name in ("a", "b", "c")], axis=-1)

    @property
    def exponents(self) -> np.ndarray:
        """Exponents g1, g2, g3 of the surface, (..., 3)."""
        return np.stack([self._fields[name] for name in ("g1", "g2", "g3")], axis=-1)

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        radii = self.radii
        return radii, np.zeros_like(radii)

    @property
    def bounding_radius(self) -> np.ndarray:
        """Longest semi-axis if no exponent exceeds 2, else half the diagonal of the enclosing box [m]."""
        round_or_pointed = (self.exponents <= 2.0).all(axis=-1)
        return np.where(round_or_pointed, self.radii.max(axis=-1), np.linalg.norm(self.radii, axis=-1))

    def moments(self) -> Moments:
        from scipy.special import gammaln

        # Dirichlet's integrals of x^(p1-1) y^(p2-1) z^(p3-1) over the positive octant.
        a, g = np.broadcast_arrays(self.radii, self.exponents)

        def integral(p: Any) -> np.ndarray:
            p = np.asarray(p, dtype=float)
            parts = (p * np.log(a) - np.log(g) + gammaln(p / g)).sum(axis=-1)
            return 8.0 * np.exp(parts - gammaln(1.0 + (p / g).sum(axis=-1)))

        squares = np.stack([integral(1 + 2 * row) for row in np.eye(3)], axis=-1)
        return symmetric(integral([1, 1, 1]), squares)
