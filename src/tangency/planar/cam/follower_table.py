"""Motion and contact of a follower as polynomials of the angle in pieces, for compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...compiled.jit import jit
from ..pitch.periodic import FULL

if TYPE_CHECKING:
    from .motion import CamMotion

SHARPEST = 1e-12  # [m] relative radius of curvature: an interpolant may fall below zero at a corner


class FollowerTable(NamedTuple):
    """Coordinate and contact of a follower as polynomials of the angle in pieces, for compiled code."""

    knots: np.ndarray  # (M,) ascending angles within one turn
    coordinate: np.ndarray  # (M, 6) coefficients of G
    contact: np.ndarray  # (M, 4, 6) coefficients of lever, slide, roll and relative radius of curvature


def follower_table(motion: CamMotion) -> FollowerTable:
    """Table of a motion; the contact is interpolated at six Chebyshev points of each piece of the coordinate."""
    knots, coefficients = motion.table
    width = np.diff(np.append(knots, knots[0] + FULL))
    nodes = 0.5 - 0.5 * np.cos((np.arange(6) + 0.5) * np.pi / 6)
    at = motion.contact((knots[:, None] + width[:, None] * nodes) % FULL)
    # The radius is smooth where the curvature is not, at sharp noses.
    radius = 1.0 / at.relative_curvature
    values = np.stack([at.lever, at.slide, at.roll, radius], axis=1)  # (M, 4, 6)
    powers = np.linalg.solve(np.vander(nodes, 6, increasing=True), values[..., None])[..., 0]
    powers = powers / width[:, None, None] ** np.arange(6)
    return FollowerTable(*(np.ascontiguousarray(v) for v in (knots, coefficients, powers)))


@jit
def table_at(table, alpha):
    """G, dG/dalpha, lever, slide, roll and relative curvature at an angle."""
    alpha = table.knots[0] + (alpha - table.knots[0]) % FULL
    low, high = 0, len(table.knots)
    while high - low > 1:
        middle = (low + high) // 2
        if table.knots[middle] <= alpha:
            low = middle
        else:
            high = middle
    t = alpha - table.knots[low]
    g, g1 = 0.0, 0.0
    lever, slide, roll, radius = 0.0, 0.0, 0.0, 0.0
    for k in range(5, -1, -1):
        g1 = g1 * t + g
        g = g * t + table.coordinate[low, k]
        lever = lever * t + table.contact[low, 0, k]
        slide = slide * t + table.contact[low, 1, k]
        roll = roll * t + table.contact[low, 2, k]
        radius = radius * t + table.contact[low, 3, k]
    return g, g1, lever, slide, roll, 1.0 / max(radius, SHARPEST)
