"""The ground on which a body rolls: a line, a circle from outside, or a circle from inside (Römer 2-D, Fig. 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...io.numbers import number


@dataclass(frozen=True)
class Ground:
    """A line or a circle through the origin, whose tangent there is the x axis; bodies lie above it.

    Parameters
    ----------
    radius : float
        Radius of the circle [m]: inf for the line y = 0, positive for a circle below the origin on which bodies
        roll from outside, negative for one above the origin in which they roll, like a bowl.
    """

    radius: float = math.inf

    def __post_init__(self) -> None:
        value: Any = self.radius
        # Infinity is allowed here, and only here.
        infinite = isinstance(value, float) and value == math.inf
        radius = value if infinite else number(value, "radius")
        if radius == 0.0:
            raise ValueError("radius must not be 0: inf is a line, a negative radius a bowl")
        object.__setattr__(self, "radius", radius)

    @property
    def curvature(self) -> float:
        """1 / radius: 0 for a line, negative for a bowl [1/m]."""
        return 1.0 / self.radius

    def frame(self, arc: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unit tangent and normal, (..., 2) each, at the arc length `arc` from the origin [m]."""
        turn = self.curvature * np.asarray(arc)
        c, s = np.cos(turn), np.sin(turn)
        return np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)

    def point(self, arc: np.ndarray) -> np.ndarray:
        """Point (..., 2) of the ground at the arc length `arc` from the origin [m]."""
        arc = np.asarray(arc, dtype=float)
        k = self.curvature
        if k == 0.0:
            return np.stack([arc, np.zeros_like(arc)], axis=-1)
        return np.stack([np.sin(k * arc) / k, -2.0 * np.sin(0.5 * k * arc) ** 2 / k], axis=-1)

    def require_fit(self, largest: float, name: str) -> None:
        """Refuse a body that touches a bowl at two places: its radius of curvature is not below that of the bowl."""
        if self.radius < 0.0 and not largest < -self.radius:
            raise ValueError(
                f"{name} must be larger, in magnitude, than the largest radius of curvature of the body, "
                f"{largest:.6g} m, for a single contact point (Römer 2-D, Eq. 72), got {self.radius:.6g}"
            )
