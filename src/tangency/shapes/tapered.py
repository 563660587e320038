"""Common part of ovoids, superovoids and tapered superellipsoids: kernel, moments and the test for convexity."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments
from ..io import validate
from ..kernels.flat_places import bend_nested, bend_ratios
from ..kernels.tapered import tapered_jet
from ..kernels.tapered_inner_ball import tapered_inner_ball
from . import exponent_derivatives
from .parameters import Carried, carried_together, stretched
from .shape import Shape
from .taper_convexity import require_convex_taper


class Tapered(Shape):
    """Body with the sections |x / A(z)|^g1 + |y / B(z)|^g2 = (1 - |z/c|^g3)^kappa; see ``kernels/tapered.py``."""

    class Kernel(NamedTuple):
        a: float
        b: float
        c: float
        g1: float
        g2: float
        g3: float
        kappa: float
        x0: float  # A / a = x0 + x1 (z/c) + x2 (z/c)^2 + x3 (z/c)^3
        x1: float
        x2: float
        x3: float
        y0: float
        y1: float
        y2: float
        y3: float

        def jet(self, n):
            return tapered_jet(self, n)

        def inner_ball(self, n, h, x):
            return tapered_inner_ball(self, x)

        def bend(self, n, d):
            # Near n_x = 0 the point moves like n_x^(1 / (g1 - 1)); near the ends like the profile along z.
            b1, b2, b3 = self.g1 - 1.0, self.g2 - 1.0, self.g3 - 1.0
            around_z = abs(self.c * n[2]) >= max(abs(self.a * n[0]), abs(self.b * n[1]))
            if around_z and self.kappa != 1.0:
                return bend_nested(n, d, (self.a, self.b, self.c), b3, b1)
            if self.x1 != 0.0 or self.y1 != 0.0:
                b3 = 1.0  # the flat belt is not at n_z = 0
            return bend_ratios(n, d, (self.a, self.b, self.c), b1, b2, b3)

    def _fill(self, radii: Any, exponents: np.ndarray, kappa: np.ndarray, taper_x: Any, taper_y: Any) -> None:
        """Validate and store; exponents in the order x, y, z."""
        radii = validate.positive(validate.vectors(radii, "radii"), "radii")
        taper_x, taper_y = validate.vectors(taper_x, "taper_x", 4), validate.vectors(taper_y, "taper_y", 4)
        fields = {
            "a": radii[..., 0],
            "b": radii[..., 1],
            "c": radii[..., 2],
            "g1": exponents[..., 0],
            "g2": exponents[..., 1],
            "g3": exponents[..., 2],
            "kappa": kappa,
            **{f"x{k}": taper_x[..., k] for k in range(4)},
            **{f"y{k}": taper_y[..., k] for k in range(4)},
        }
        validate.broadcast(
            {
                "radii": radii.shape[:-1],
                "exponents": exponents.shape[:-1],
                "taper_x": taper_x.shape[:-1],
                "taper_y": taper_y.shape[:-1],
            }
        )
        require_convex_taper(radii, exponents, kappa, taper_x, taper_y)
        self._set(**{name: np.array(value) for name, value in fields.items()})

    def _carried_by(self, n: np.ndarray, x: np.ndarray, rates: np.ndarray) -> Carried:
        """By parameters on which the fields of the kernel depend with the given `rates` (..., parameters, fields)."""
        found = exponent_derivatives.tapered(n, x, self._fields)
        others = [found[name] for name in list(self._fields)[3:]]
        point, tilt = (np.stack(np.broadcast_arrays(*part), axis=-2) for part in zip(*others))
        whole = carried_together(stretched(n, x, self.radii), Carried(point, tilt))
        return Carried(rates @ whole.point, rates @ whole.tilt)

    def _join(self, *names: str) -> np.ndarray:
        return np.stack(np.broadcast_arrays(*(self._fields[name] for name in names)), axis=-1)

    @property
    def radii(self) -> np.ndarray:
        """Semi-axes a, b, c, (..., 3) [m]."""
        return self._join("a", "b", "c")

    @property
    def taper_x(self) -> np.ndarray:
        """Coefficients of the taper along x, (..., 4)."""
        return self._join("x0", "x1", "x2", "x3")

    @property
    def taper_y(self) -> np.ndarray:
        """Coefficients of the taper along y, (..., 4)."""
        return self._join("y0", "y1", "y2", "y3")

    @property
    def smooth(self) -> bool:
        """True if all exponents are 2, which makes W finite and continuous."""
        return bool((self._join("g1", "g2", "g3") == 2.0).all() and (self._fields["kappa"] == 1.0).all())

    def implicit(self, x: ArrayLike) -> np.ndarray:
        """Inside-outside function minus 1 (Lopes thesis, Eq. 2.18): negative inside, zero on the surface.

        It describes the body between z = -c and c; beyond, where the tapers are meaningless, it grows with |z/c|.
        """
        p, f = validate.vectors(x, "x"), self._fields
        zeta = p[..., 2] / f["c"]
        inner = np.clip(zeta, -1.0, 1.0)
        tx = f["x0"] + inner * (f["x1"] + inner * (f["x2"] + inner * f["x3"]))
        ty = f["y0"] + inner * (f["y1"] + inner * (f["y2"] + inner * f["y3"]))
        # Raised to 1/kappa, as in Barr's form; kappa = 1 for that of the thesis.
        flat = np.abs(p[..., 0] / (f["a"] * tx)) ** f["g1"] + np.abs(p[..., 1] / (f["b"] * ty)) ** f["g2"]
        return flat ** (1.0 / f["kappa"]) + np.abs(zeta) ** f["g3"] - 1.0

    def moments(self) -> Moments:
        """Closed forms: Dirichlet's integral over each section and Euler's beta function along z."""
        from scipy.special import beta, gammaln

        a, b, c, g1, g2, g3, kappa = (self._fields[k] for k in ("a", "b", "c", "g1", "g2", "g3", "kappa"))
        tx, ty = self.taper_x, self.taper_y

        def integral(i: int, j: int, k: int) -> np.ndarray:
            """Integral of x^i y^j z^k over the body, i and j even."""
            p1, p2 = (i + 1) / g1, (j + 1) / g2
            plane = 4.0 / (g1 * g2) * np.exp(gammaln(p1) + gammaln(p2) - gammaln(1.0 + p1 + p2))
            profile = _product([tx] * (i + 1) + [ty] * (j + 1))
            total = np.zeros(self.batch_shape)
            for power in range(k % 2, profile.shape[-1], 2):
                total = total + profile[..., power] * 2.0 / g3 * beta((power + k + 1) / g3, kappa * (p1 + p2) + 1.0)
            return plane * total * a ** (i + 1) * b ** (j + 1) * c ** (k + 1)

        volume = integral(0, 0, 0)
        zero = np.zeros_like(volume)
        centroid = np.stack([zero, zero, integral(0, 0, 1) / volume], axis=-1)
        squares = np.stack([integral(2, 0, 0), integral(0, 2, 0), integral(0, 0, 2)], axis=-1)
        return Moments(volume, centroid, squares[..., :, None] * np.eye(3), zero)


def _product(factors: list[np.ndarray]) -> np.ndarray:
    """Coefficients of a product of polynomials, low orders first."""
    result = factors[0]
    for factor in factors[1:]:
        shape = np.broadcast_shapes(result.shape[:-1], factor.shape[:-1])
        longer = np.zeros((*shape, result.shape[-1] + factor.shape[-1] - 1))
        for k in range(factor.shape[-1]):
            longer[..., k : k + result.shape[-1]] += factor[..., k, None] * result
        result = longer
    return result
