"""Fourier series of the generating potential (the kind of Römer 2-D, Eq. 85)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate
from ..shape import Shape


class FourierShape(Shape):
    """Body whose potential is g(phi) = mean + sum over k = 1, 2, ... of c_k cos(k phi) + s_k sin(k phi).

    Parameters
    ----------
    mean : (...) array_like
        Mean of g, the arc length over 2 pi [m].
    cosine, sine : (..., K) array_like
        Coefficients c_1 ... c_K and s_1 ... s_K [m].

    Notes
    -----
    The body is convex if the radius of curvature, mean + sum of (1 - k^2) (c_k cos(k phi) + s_k sin(k phi)),
    is positive for all phi, which the constructor checks.  The first harmonics translate the body.

    Examples
    --------
    >>> from tangency import planar
    >>> egg = planar.FourierShape(1.0, cosine=[0, 0, 0.1], sine=[0, 0, 0])
    >>> round(float(egg.radius_of_curvature([1, 0])), 12)
    0.2
    """

    class Kernel(NamedTuple):
        mean: float
        cosine: np.ndarray
        sine: np.ndarray

        def potential(self, phi):
            c, s = math.cos(phi), math.sin(phi)
            ck, sk = 1.0, 0.0
            g, g1, g2 = self.mean, 0.0, 0.0
            for k in range(1, len(self.cosine) + 1):
                ck, sk = ck * c - sk * s, sk * c + ck * s
                a, b = self.cosine[k - 1], self.sine[k - 1]
                value = a * ck + b * sk
                g += value
                g1 += k * (b * ck - a * sk)
                g2 -= k * k * value
            return g, g1, g2

    def __init__(self, mean: ArrayLike, cosine: ArrayLike, sine: ArrayLike) -> None:
        mean = validate.positive(validate.array(mean, "mean"), "mean")
        cosine, sine = (validate.array(v, name) for v, name in ((cosine, "cosine"), (sine, "sine")))
        if cosine.ndim == 0 or sine.ndim == 0 or cosine.shape[-1] != sine.shape[-1]:
            raise ValueError(
                f"cosine and sine must have shapes (..., K) with the same K, got {cosine.shape} and {sine.shape}"
            )
        self._set(mean=mean, cosine=cosine, sine=sine)
        lowest, phi = self._lowest_radius()
        if (lowest <= 0).any():
            raise ValueError(
                f"mean, cosine and sine must describe a convex body: its radius of curvature g + g'' falls to "
                f"{lowest.min():.6g} at phi = {phi.ravel()[lowest.argmin()]:.6g} (Römer 3-D, Eq. 3)"
            )

    def _lowest_radius(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest radius of curvature of every body and its angle, by sampling and Newton's method."""
        order = self.cosine.shape[-1]
        mean = np.broadcast_to(self.mean, self.batch_shape).reshape(-1)
        k, samples = np.arange(1, order + 1), 64 * (order + 1)
        a, b = (
            np.broadcast_to(v * (1.0 - k**2), (*self.batch_shape, order)).reshape(len(mean), order)
            for v in (self.cosine, self.sine)
        )
        step = 2.0 * np.pi / samples
        phi = np.arange(samples) * step
        radius = mean[:, None] + a @ np.cos(np.outer(k, phi)) + b @ np.sin(np.outer(k, phi))
        body, near = np.nonzero((radius <= np.roll(radius, 1, axis=-1)) & (radius <= np.roll(radius, -1, axis=-1)))
        a, b, start = a[body], b[body], phi[near]
        at = start
        for _ in range(5):
            c, s = np.cos(at[:, None] * k), np.sin(at[:, None] * k)
            slope, bend = (k * (b * c - a * s)).sum(axis=-1), -(k * k * (a * c + b * s)).sum(axis=-1)
            move = np.divide(slope, bend, out=np.zeros_like(slope), where=bend > 0)
            at = np.clip(at - move, start - step, start + step)
        value = mean[body] + (a * np.cos(at[:, None] * k) + b * np.sin(at[:, None] * k)).sum(axis=-1)
        value = np.minimum(value, radius[body, near])
        # The deepest minimum of each body is the last one written.
        deepest = np.argsort(-value, kind="stable")
        lowest, where = radius.min(axis=-1), np.zeros(len(mean))
        lowest[body[deepest]], where[body[deepest]] = value[deepest], at[deepest]
        return lowest.reshape(self.batch_shape), where.reshape(self.batch_shape)

    @property
    def mean(self) -> np.ndarray:
        """[m]"""
        return self._fields["mean"]

    @property
    def cosine(self) -> np.ndarray:
        """Coefficients c_1 ... c_K [m]."""
        return self._fields["cosine"]

    @property
    def sine(self) -> np.ndarray:
        """Coefficients s_1 ... s_K [m]."""
        return self._fields["sine"]

    @property
    def core_radius(self) -> np.ndarray:
        """Lower bound on the radius of curvature [m]: from the worst case of the harmonics, or from samples."""
        order = self.cosine.shape[-1]
        amplitude = np.hypot(self.cosine, self.sine)
        lowest, _ = self._lowest_radius()
        # Between samples at a distance d, a series of order K falls by less than (K d / 2)^2 / 2 of its amplitude.
        slack = 0.5 * (np.pi / 64) ** 2 * (amplitude * np.arange(order) * np.arange(2, order + 2)).sum(axis=-1)
        return np.maximum(lowest - slack, 0.0)

    @property
    def magnitude(self) -> np.ndarray:
        """Sum of the magnitudes of all coefficients [m]."""
        return self.mean + (abs(self.cosine) + abs(self.sine)).sum(axis=-1)


def foot_shape(radius: ArrayLike = 1.0) -> FourierShape:
    """The foot of Römer 2-D, Eq. (85), with its point P as origin.

    Parameters
    ----------
    radius : (...) array_like
        The length R of the equation [m].

    Returns
    -------
    FourierShape

    Notes
    -----
    The paper's angle alpha is that of the normal plus a quarter turn: g(phi) = f_P(phi + pi/2).

    Examples
    --------
    >>> import math
    >>> from tangency import planar
    >>> foot = planar.foot_shape(1.0)
    >>> round(float(foot.potential(0.2 * math.pi - math.pi / 2)[0]), 12)  # f_P(pi/5)
    1.9
    """
    radius = validate.positive(validate.array(radius, "radius"), "radius")
    # cos(k (alpha - pi/5)) = cos(k phi + k turn), with turn = pi/2 - pi/5
    turn = np.pi / 2 - np.pi / 5
    one, two, three = turn * np.array([1, 2, 3])
    cosine = np.array([0.9 * np.cos(one), np.sin(two) / 6, np.sin(three) / 15])
    sine = np.array([-0.9 * np.sin(one), np.cos(two) / 6, np.cos(three) / 15])
    return FourierShape(radius, radius[..., None] * cosine, radius[..., None] * sine)
