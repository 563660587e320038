"""Velocities of a contact under given motions of its bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Rates:
    """How a contact moves: Montana's equations, without charts; world frame.

    Attributes
    ----------
    gap : (...) array
        Rate of the distance [m/s]; negative while the bodies approach.
    normal : (..., 3) array
        Velocity of the unit normal [1/s].
    point_a, point_b : (..., 3) array
        Velocities of both contact points in space [m/s].
    surface_a, surface_b : (..., 3) array
        Velocities of the contact points on the surfaces of their bodies, as seen by the material there [m/s].
    sliding : (..., 3) array
        Velocity of B against A midway between the contact points, in the tangent plane [m/s].
    rolling : (..., 3) array
        Angular velocity of B against A, in the tangent plane [rad/s].
    spinning : (...) array
        Angular velocity of B against A about the normal [rad/s].
    """

    gap: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    surface_a: np.ndarray
    surface_b: np.ndarray
    sliding: np.ndarray
    rolling: np.ndarray
    spinning: np.ndarray


def rates_from(rows: np.ndarray) -> Rates:
    """Rates from the numbers (..., RATES) of the compiled loop."""
    rows = rows + 0.0  # without -0.0, whose sign depends on the processor
    n, a, b, on_a, on_b, sliding, rolling = (rows[..., 1 + 3 * k : 4 + 3 * k] for k in range(7))
    return Rates(rows[..., 0], n, a, b, on_a, on_b, sliding, rolling, rows[..., 22])
