"""Shapes whose generating potential is a piecewise polynomial, such as a periodic spline (Römer 3-D, Remark 11)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...compiled.jit import jit
from ...io import validate
from ..shape import Shape

FULL = 2.0 * math.pi


@jit
def piecewise_polynomial(breaks, coefficients, phi):
    """Value and two derivatives at phi of periodic pieces; coefficients of (phi - break)^k, low orders first."""
    count = len(breaks)
    order = len(coefficients) // count
    phi = breaks[0] + (phi - breaks[0]) % FULL
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if breaks[middle] <= phi:
            low = middle + 1
        else:
            high = middle
    piece = max(low - 1, 0)
    t = phi - breaks[piece]
    g, g1, g2 = 0.0, 0.0, 0.0
    for k in range(order * piece + order - 1, order * piece - 1, -1):
        g2 = g2 * t + 2.0 * g1
        g1 = g1 * t + g
        g = g * t + coefficients[k]
    return g, g1, g2


class PiecewiseShape(Shape):
    """Body whose potential g(phi) is a polynomial on each of several intervals.

    Parameters
    ----------
    breaks : (..., M) array_like
        Ascending angles at which the pieces start; the last piece ends at ``breaks[0] + 2 pi``.
    coefficients : (..., M, K) array_like
        ``coefficients[j, k]`` belongs to ``(phi - breaks[j])**k`` [m].

    Notes
    -----
    g and g' must be continuous, otherwise the boundary has gaps; where g'' jumps, so does the curvature.
    The constructor checks this, and that g + g'' is not negative.

    Examples
    --------
    >>> from tangency import planar
    >>> circle = planar.PiecewiseShape([0.0], [[2.0]])
    >>> circle.support([0, 1]).tolist()
    2.0
    """

    class Kernel(NamedTuple):
        breaks: np.ndarray
        coefficients: np.ndarray

        def potential(self, phi):
            return piecewise_polynomial(self.breaks, self.coefficients, phi)

    def __init__(self, breaks: ArrayLike, coefficients: ArrayLike) -> None:
        breaks, coefficients = validate.array(breaks, "breaks"), validate.array(coefficients, "coefficients")
        if breaks.ndim < 1 or coefficients.ndim < 2 or coefficients.shape[-2] != breaks.shape[-1]:
            raise ValueError(
                "breaks and coefficients must have shapes (..., M) and (..., M, K), "
                f"got {breaks.shape} and {coefficients.shape}"
            )
        ends = np.concatenate([breaks, breaks[..., :1] + FULL], axis=-1)
        if not (np.diff(ends, axis=-1) > 0).all():
            raise ValueError(f"breaks must be ascending and span less than 2 pi, got {breaks.tolist()}")
        size = np.abs(coefficients[..., 0]).max(axis=-1, initial=0.0)
        for order in (0, 1):
            width = np.diff(ends, axis=-1)
            end, start = _derivative(coefficients, width, order), _derivative(coefficients, 0.0 * width, order)
            gap = np.abs(end - np.roll(start, -1, axis=-1))
            if (gap > 1e-9 * size[..., None]).any():
                at = ends[..., 1:][gap > 1e-9 * size[..., None]].ravel()[0]
                raise ValueError(
                    f"coefficients must give continuous g and g': {('g', 'g prime')[order]} jumps by "
                    f"{gap.max():.3g} at phi = {at:.6g}"
                )
        leading, tail = coefficients.shape[:-2], coefficients.shape[-2:]
        self._set(breaks=breaks, coefficients=coefficients.reshape(*leading, math.prod(tail)))
        _require_convex(self, ends, size)

    @property
    def breaks(self) -> np.ndarray:
        """Angles at which the pieces start, (..., M)."""
        return self._fields["breaks"]

    @property
    def coefficients(self) -> np.ndarray:
        """Coefficients of the pieces, (..., M, K) [m]."""
        flat = self._fields["coefficients"]
        count = self.breaks.shape[-1]
        return flat.reshape(*flat.shape[:-1], count, flat.shape[-1] // count)

    def _breaks(self) -> np.ndarray:
        return np.unique((self.breaks + np.pi) % FULL - np.pi)

    @property
    def magnitude(self) -> np.ndarray:
        return 2.0 * self.bounding_radius


def _derivative(c: np.ndarray, t: np.ndarray, order: int) -> np.ndarray:
    """Derivative of each piece, (..., M), at the distance t from its start."""
    value = np.zeros(np.broadcast_shapes(c.shape[:-1], t.shape))
    for k in range(c.shape[-1] - 1, order - 1, -1):
        value = value * t + math.perm(k, order) * c[..., k]
    return value


def _require_convex(shape: PiecewiseShape, ends: np.ndarray, size: np.ndarray) -> None:
    """Raise a ValueError if the body is not convex, by samples and a refined minimum in each piece."""

    def radius(phi: np.ndarray) -> np.ndarray:
        g, _, g2 = shape.potential(phi)
        return g + g2

    start, width = (np.moveaxis(v, -1, 0) for v in (ends[..., :-1], np.diff(ends, axis=-1)))
    part = np.linspace(0.0, 1.0, 17).reshape(-1, *(1,) * start.ndim)
    # Slightly inside the ends: the next piece may start with another g''.
    values = radius(start + width * np.clip(part, 1e-9, 1.0 - 1e-9))
    lowest, at = values.min(axis=0), np.broadcast_to(part, values.shape)
    at = np.take_along_axis(at, values.argmin(axis=0)[None], axis=0)[0]
    step = 1.0 / 16.0
    for _ in range(20):
        step *= 0.5
        trial = np.clip(np.stack([at - step, at + step]), 1e-9, 1.0 - 1e-9)
        found = radius(start + width * trial)
        better = found.min(axis=0, initial=np.inf) < lowest
        at = np.where(better, np.take_along_axis(trial, found.argmin(axis=0)[None], axis=0)[0], at)
        lowest = np.minimum(lowest, found.min(axis=0, initial=np.inf))
    if (lowest < -1e-9 * size).any():
        phi = np.broadcast_to(start + width * at, lowest.shape)
        raise ValueError(
            f"the potential must describe a convex body: g + g'' falls to {lowest.min():.6g} at "
            f"phi = {phi.ravel()[lowest.argmin()]:.6g} (Römer 3-D, Eq. 3)"
        )


def periodic_spline(angles: ArrayLike, values: ArrayLike, *, degree: int = 5) -> PiecewiseShape:
    """Body whose potential is a periodic spline through given values (Römer 3-D, Remark 11).

    Parameters
    ----------
    angles : (M,) array_like
        Ascending angles of the normal, within one turn [rad].
    values : (M,) array_like
        g at these angles [m].
    degree : int
        3 (continuous g'', hence continuous curvature) or 5 (continuous to the fourth derivative).

    Returns
    -------
    PiecewiseShape

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> phi = np.arange(24) * np.pi / 12
    >>> spline = planar.periodic_spline(phi, 1 + 0.1 * np.cos(2 * phi))
    >>> bool(abs(spline.support([np.cos(1), np.sin(1)]) - 1 - 0.1 * np.cos(2)) < 1e-5)
    True
    """
    if degree not in (3, 5):
        raise ValueError(f"degree must be 3 or 5, got {degree!r}")
    angles, values = validate.array(angles, "angles"), validate.array(values, "values")
    return PiecewiseShape(*spline_pieces(angles, values, degree, "angles"))


def spline_pieces(angles: np.ndarray, values: np.ndarray, degree: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Breaks (M,) and coefficients (M, degree + 1), low orders first, of the periodic spline through values."""
    from scipy.interpolate import PPoly, make_interp_spline

    if angles.ndim != 1 or angles.shape != values.shape or len(angles) < degree + 1:
        raise ValueError(
            f"{name} and values must be two arrays of equal length > {degree}, got {angles.shape} and {values.shape}"
        )
    if not (np.diff(angles) > 0).all() or angles[-1] - angles[0] >= FULL:
        raise ValueError(
            f"{name} must be ascending, in radians, and span less than 2 pi, got {len(angles)} angles from "
            f"{angles[0]:.6g} to {angles[-1]:.6g}"
        )
    knots = np.append(angles, angles[0] + FULL)
    spline = make_interp_spline(knots, np.append(values, values[0]), k=degree, bc_type="periodic")
    poly = PPoly.from_spline(spline)
    inside = (poly.x[:-1] >= knots[0] - 1e-9) & (poly.x[:-1] < knots[-1] - 1e-9) & (np.diff(poly.x) > 0)
    return poly.x[:-1][inside], poly.c[::-1, inside].T
