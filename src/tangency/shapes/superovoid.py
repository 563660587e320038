"""Superovoid and ovoid of Todd and Smart (Lopes thesis, Eq. 2.18), and Barr's tapered superellipsoid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate
from .parameters import Carried
from .tapered import Tapered

# Fields of the kernel, in order
_FIELDS = Tapered.Kernel._fields
FIELDS = len(_FIELDS)
G1, G2, G3, KAPPA, X1, Y1 = (_FIELDS.index(name) for name in ("g1", "g2", "g3", "kappa", "x1", "y1"))


class Superovoid(Tapered):
    """Superovoid about the origin: |x / (a tx)|^g1 + |y / (b ty)|^g2 + |z/c|^g3 = 1 (Lopes thesis, Eq. 2.19).

    The tapers are polynomials of zeta = z/c: tx = c0 + c1 zeta + c2 zeta^2 + c3 zeta^3, ty likewise.

    Parameters
    ----------
    radii : (..., 3) array_like
        a, b, c [m], > 0; c is the half length along z.
    exponents : (..., 3) array_like
        g1, g2, g3, each > 1, in the order x, y, z.
    taper_x, taper_y : (..., 4) array_like
        Coefficients c0, c1, c2, c3 of tx and ty, which must be positive from zeta = -1 to 1.

    Raises
    ------
    ShapeError
        If the body is not convex; the message names the height and the point where it is concave.

    Notes
    -----
    The body is the part between z = -c and c; the formula has further branches where a taper changes sign.
    The places that are flat (exponents above 2) or of zero radius (below 2) are those of a power ellipsoid,
    except that the flat belt at z = 0 is inclined by the taper.  An exponent g3 > 2 makes the profile straight
    at z = 0; the body is then convex there only if tx'' and ty'' are not positive and ``|tx'/tx - ty'/ty|`` is at most
    ``sqrt(-(g1 - 1) tx''/tx) + sqrt(-(g2 - 1) ty''/ty)``: straight tapers need equal slopes.

    Examples
    --------
    >>> import tangency as tg
    >>> egg = tg.Superovoid([0.02, 0.02, 0.03], [2, 2, 2.0], taper_x=[1, 0.2, 0, 0], taper_y=[1, 0.2, 0, 0])
    >>> egg.point([0, 0, 1]).tolist(), bool(abs(egg.implicit(egg.point([1, 2, 3]))) < 1e-12)
    ([0.0, 0.0, 0.03], True)
    """

    _parameters = {"radii": 1, "exponents": 1, "taper_x": 1, "taper_y": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        return self._carried_by(n, x, np.delete(np.eye(FIELDS), KAPPA, axis=0))

    def __init__(self, radii: ArrayLike, exponents: ArrayLike, taper_x: ArrayLike, taper_y: ArrayLike) -> None:
        exponents = validate.vectors(exponents, "exponents")
        validate.within(exponents, "exponents", 1.0, np.inf, " (both open)")
        self._fill(radii, exponents, np.ones(()), taper_x, taper_y)

    @property
    def exponents(self) -> np.ndarray:
        """Exponents g1, g2, g3 of x, y, z, (..., 3)."""
        return self._join("g1", "g2", "g3")


class Ovoid(Tapered):
    """Ovoid of Todd and Smart: the superovoid with exponents 2 (Lopes thesis, Eq. 2.18).

    Parameters
    ----------
    radii : (..., 3) array_like
        a, b, c [m], > 0.
    taper_x, taper_y : (..., 4) array_like
        Coefficients c0, c1, c2, c3 of the polynomials tx and ty of zeta = z/c.

    Raises
    ------
    ShapeError
        If the body is not convex.

    Examples
    --------
    >>> import tangency as tg
    >>> egg = tg.Ovoid([0.02, 0.02, 0.03], taper_x=[1, 0.2, 0, 0], taper_y=[1, 0.2, 0, 0])
    >>> bool(egg.centroid[2] > 0)  # the thick end is up
    True
    """

    _parameters = {"radii": 1, "taper_x": 1, "taper_y": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        return self._carried_by(n, x, np.delete(np.eye(FIELDS), [G1, G2, G3, KAPPA], axis=0))

    def __init__(self, radii: ArrayLike, taper_x: ArrayLike, taper_y: ArrayLike) -> None:
        self._fill(radii, np.full(3, 2.0), np.ones(()), taper_x, taper_y)


class TaperedSuperellipsoid(Tapered):
    """Superellipsoid with linear taper along z: the superovoid of Gonçalves et al. (2017), after Barr (1984).

    ``(|x / (a tx)|^(2/e2) + |y / (b ty)|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1``, with tx = 1 + Tx z/c and
    ty = 1 + Ty z/c.

    Parameters
    ----------
    radii : (..., 3) array_like
        Semi-axes a, b, c [m], > 0.
    epsilon : (..., 2) array_like
        Barr's exponents (e1, e2) as for :class:`Superellipsoid`: e1 along z, e2 in xy, between 0 and 2.
    taper : (..., 2) array_like
        Tx and Ty, between -1 and 1; (0, 0) is the superellipsoid.

    Raises
    ------
    ShapeError
        If the body is not convex; for e1 < 1 it is convex only if Tx = Ty.

    Examples
    --------
    >>> import tangency as tg
    >>> a = tg.TaperedSuperellipsoid([3, 2, 1], (0.8, 1.2), taper=(0.3, 0.3))
    >>> bool(abs(a.implicit(a.point([1, 2, 3]))) < 1e-12)
    True
    """

    _parameters = {"radii": 1, "epsilon": 1, "taper": 1}

    def _carried(self, n: np.ndarray, x: np.ndarray) -> Carried:
        e1, e2 = self.epsilon[..., 0], self.epsilon[..., 1]
        rates = np.zeros((*e1.shape, 7, FIELDS))
        rates[..., [0, 1, 2], [0, 1, 2]] = 1.0
        rates[..., 3, G3], rates[..., 3, KAPPA] = -2.0 / e1**2, 1.0 / e2
        rates[..., 4, G1] = rates[..., 4, G2] = -2.0 / e2**2
        rates[..., 4, KAPPA] = -e1 / e2**2
        rates[..., 5, X1] = rates[..., 6, Y1] = 1.0
        return self._carried_by(n, x, rates)

    def __init__(self, radii: ArrayLike, epsilon: ArrayLike, taper: ArrayLike = (0.0, 0.0)) -> None:
        epsilon = validate.within(validate.vectors(epsilon, "epsilon", 2), "epsilon", 0.0, 2.0, " (both open)")
        taper = validate.within(validate.vectors(taper, "taper", 2), "taper", -1.0, 1.0, " (both open)")
        e1, e2 = epsilon[..., 0], epsilon[..., 1]
        one, zero = np.ones_like(taper[..., 0]), np.zeros_like(taper[..., 0])
        tx, ty = (np.stack([one, taper[..., k], zero, zero], axis=-1) for k in range(2))
        self._fill(radii, np.stack([2 / e2, 2 / e2, 2 / e1], axis=-1), e1 / e2, tx, ty)

    @property
    def epsilon(self) -> np.ndarray:
        """Barr's exponents (e1, e2)."""
        return 2.0 / self._join("g3", "g1")

    @property
    def taper(self) -> np.ndarray:
        """Tx and Ty, (..., 2)."""
        return self._join("x1", "y1")
