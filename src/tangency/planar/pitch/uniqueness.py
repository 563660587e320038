"""Test whether a circle touches a body at only one point (Römer 2-D, Eqs. 72 and 73)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..minima import local_minima, piece_samples
from .periodic import FULL, PeriodicFunction

SAMPLES = 7200


@dataclass(frozen=True)
class Uniqueness:
    """Outcome of :meth:`Pitch.uniqueness`; ``str()`` describes it in words.

    Attributes
    ----------
    ok : bool
        Whether the contact point is unique for all angles.
    curvature_margin : float
        Smallest 1 - R kappa_pitch (almost concave: 1 + R kappa_pitch); positive if Eq. (72) holds.
    position_margin : float
        Smallest d phi / d alpha; positive if Eq. (73) holds.
    first_failure : float or None
        Smallest alpha in [0, 2 pi) at which one of them is violated.
    equation : str
        "72" or "73", the equation that fails there; empty if none does.
    """

    ok: bool
    curvature_margin: float
    position_margin: float
    first_failure: float | None
    equation: str

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            return (
                f"The contact point is unique for all angles: margins {self.curvature_margin:.4g} (Eq. 72) and "
                f"{self.position_margin:.4g} (Eq. 73)."
            )
        reason = {
            "72": "the circle is less curved than the concave section it should touch (Eq. 72)",
            "73": "the contact point stops moving forward on the boundary (Eq. 73)",
        }[self.equation]
        return f"The contact point is not unique: from alpha = {self.first_failure:.9g} on, {reason}."


def margins(function: PeriodicFunction, radius: float, concave: bool, alpha: np.ndarray) -> np.ndarray:
    """Both margins, (2, ...): positive where Eqs. (72) and (73) hold."""
    g, g1, g2 = function(alpha)
    d = np.hypot(g, g1)
    sign = -1.0 if concave else 1.0
    bend = (g * g + 2.0 * g1 * g1 - g * g2) / d**3
    # Eq. (72): R kappa > -1 with kappa = sign bend / (1 - sign R bend), so 1 / (1 - sign R bend) > 0
    curvature = 1.0 - sign * radius * bend
    # Eq. (73), with the sign of the fraction corrected: d phi / d alpha = (r x dr/dalpha) / r^2, with
    # r = r_PC in the frame (k_x, k_z) and dr/dalpha = (ds/dalpha) t = sign D (1 - sign R bend) t
    x, z = sign * radius * g1 / d, sign * radius * g / d - g
    along = (x * -g1 - z * g) / d  # r x t times sign, with t = sign (g, -g1) / D
    return np.stack([curvature, along * d * curvature / (x * x + z * z)])


def uniqueness(function: PeriodicFunction, radius: float, concave: bool) -> Uniqueness:
    """Uniqueness by samples every twentieth of a degree and within each piece, refined minima, and bisection."""

    def both_at(alpha: np.ndarray) -> np.ndarray:
        return margins(function, radius, concave, alpha)

    angles = np.arange(SAMPLES) * (FULL / SAMPLES)
    alpha = np.unique(np.concatenate([angles, function.breaks, piece_samples(function.breaks, 1e-9) % FULL]))
    refined = [local_minima(lambda at: both_at(at)[0], alpha), local_minima(lambda at: both_at(at)[1], alpha)]
    alpha = np.unique(np.concatenate([alpha, *refined]) % FULL)
    both = both_at(alpha)
    bad = ~(both > 0).all(axis=0)  # also where a margin is not a number
    if not bad.any():
        return Uniqueness(True, float(both[0].min()), float(both[1].min()), None, "")
    k = int(bad.argmax())
    low, high = (alpha[k - 1] if k else alpha[k]), alpha[k]
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if not (both_at(np.array(middle)) > 0).all():
            high = middle
        else:
            low = middle
    which = int(both_at(np.array(high))[0] > 0)
    return Uniqueness(False, float(both[0].min()), float(both[1].min()), float(high), ("72", "73")[which])
