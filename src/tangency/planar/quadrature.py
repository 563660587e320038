"""Adaptive quadrature over an angle, for integrands with kinks and narrow peaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
DEPTH = 52  # most bisections: a panel of one radian is then as narrow as the spacing of floats
PANELS = 40_000  # most open panels; more would only resolve the noise of an integrand


class Integrals(NamedTuple):
    """Integrals between neighbouring edges."""

    values: np.ndarray  #: (M, K)
    error: np.ndarray  #: (K,) estimated, of the sum over all panels


def integrals(function: Callable[[np.ndarray], np.ndarray], edges: np.ndarray, scale: np.ndarray) -> Integrals:
    """Integrals of a bounded function between ascending edges by Gaussian quadrature, with error control.

    Parameters
    ----------
    function : callable
        ``function(phi)`` for phi of shape (N,) returns (N, K).
    edges : (M + 1,) array
        Ascending limits of the panels.
    scale : (K,) array
        Magnitudes of the integrands, whose rounding errors are the tolerances.

    Returns
    -------
    Integrals

    Notes
    -----
    A panel is halved until the integral and the sum of its halves agree.  A narrow peak of g'' is a kink of g on
    a larger scale, which affects every panel that contains it, so integrands in g and g' miss no peak.
    """
    count = len(edges) - 1
    total, error = np.zeros((count, len(scale))), np.zeros(len(scale))
    low, high, owner = edges[:-1], edges[1:], np.arange(count)
    coarse = _panels(function, low, high)
    for _ in range(DEPTH):
        middle = 0.5 * (low + high)
        left, right = _panels(function, low, middle), _panels(function, middle, high)
        change = np.abs(left + right - coarse)
        # The part that grows with the width accounts for noise of the integrand.
        done = (change <= scale * (2e-16 + 4e-15 * (high - low)[:, None])).all(axis=1)
        np.add.at(total, owner[done], (left + right)[done])
        error += change[done].sum(axis=0)
        if done.all():
            return Integrals(total, error)
        rest = ~done
        low, high = np.concatenate([low[rest], middle[rest]]), np.concatenate([middle[rest], high[rest]])
        coarse, owner = np.concatenate([left[rest], right[rest]]), np.tile(owner[rest], 2)
        if len(low) > PANELS:
            break
    np.add.at(total, owner, coarse)
    return Integrals(total, error + change[rest].sum(axis=0))


def _panels(function: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    half = 0.5 * (high - low)
    at = 0.5 * (low + high)[:, None] + half[:, None] * NODES
    values = function(at.ravel())
    values = values.reshape(*at.shape, values.shape[-1])
    return half[:, None] * np.einsum("mnk,n->mk", values, WEIGHTS)
