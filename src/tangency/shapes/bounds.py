"""What solvers know about a body besides its support function: bounding box, core radius, accuracy.

Each body has a row of `BOUNDS` numbers; only this file depends on their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import jit

BOUNDS = 10


class Bounds(NamedTuple):
    """The numbers of one body, inside compiled code."""

    half: tuple[float, float, float]  #: half lengths of the bounding box in the body's frame
    centre: tuple[float, float, float]  #: of that box
    core: float  #: lower bound on all radii of curvature, see `Shape.core_radius`
    rounding: float  #: bound on the error of a computed support value
    longest: float  #: largest semi-axis of an ellipsoid; 0 for other bodies
    box: float  #: 1 if the core is a box or segment, see `Shape.box_core`; 0 for other bodies


@jit
def bounds_at(table, i):
    """Row i of a table of bounds."""
    row = table[i]
    return Bounds((row[0], row[1], row[2]), (row[3], row[4], row[5]), row[6], row[7], row[8], row[9])


@jit
def put_bounds(row, half, rounding):
    """Write the bounds of a body with edges, centred at its origin, to a row of zeros."""
    row[0], row[1], row[2] = half
    row[7] = rounding


def bounds_table(
    half: np.ndarray,
    centre: np.ndarray,
    core: np.ndarray,
    rounding: np.ndarray,
    longest: np.ndarray,
    box: np.ndarray,
    batch: tuple[int, ...],
) -> np.ndarray:
    """The table (bodies, BOUNDS) of a stack of leading shape `batch`."""
    parts = [half, centre, *(np.asarray(value)[..., None] for value in (core, rounding, longest, box))]
    parts = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts]
    return np.ascontiguousarray(np.concatenate(parts, axis=-1)).reshape(-1, BOUNDS)


def box_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half lengths and centre (..., 3) of the box of every body of a table."""
    return table[..., :3], table[..., 3:6]


def half_lengths(table: np.ndarray) -> np.ndarray:
    """Half lengths (..., 3) of the box of every body of a table."""
    return table[..., :3]


def half_diagonals(table: np.ndarray) -> np.ndarray:
    """Half the diagonal of each body's box: the size to which tolerances are relative."""
    return np.linalg.norm(half_lengths(table), axis=-1)
