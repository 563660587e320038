"""Contact of two shapes as a row of numbers: distance, normal, point on A, principal curvatures of the gap."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import jit
from ..kernels.vectors import axpy

DISTANCE, _NORMAL, _POINT, _CURVATURES = 0, 1, 4, 7
ROW = 9


@jit
def normal(row):
    """Unit vector from A to B."""
    return (row[_NORMAL], row[_NORMAL + 1], row[_NORMAL + 2])


@jit
def points(row):
    """Contact points on A and on B."""
    x = (row[_POINT], row[_POINT + 1], row[_POINT + 2])
    return x, axpy(x, row[DISTANCE], normal(row))


@jit
def curvatures(row):
    """Principal curvatures of the gap, the larger first."""
    return row[_CURVATURES], row[_CURVATURES + 1]


@jit
def write_contact(row, distance, n, x):
    """Write distance, normal and point on A."""
    row[DISTANCE] = distance
    for c in range(3):
        row[_NORMAL + c], row[_POINT + c] = n[c], x[c]


@jit
def write_curvatures(row, k1, k2):
    """Write the principal curvatures of the gap."""
    row[_CURVATURES], row[_CURVATURES + 1] = k1, k2


def normals(rows: np.ndarray) -> np.ndarray:
    """Normals of a table of rows, (M, 3)."""
    return rows[:, _NORMAL : _NORMAL + 3].copy()


def depths(rows: np.ndarray) -> np.ndarray:
    """Penetration of each row of a table [m]."""
    return -rows[:, DISTANCE]
