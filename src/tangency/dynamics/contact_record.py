"""Forces, powers and energy of a contact at its last evaluation, as a row of numbers."""

from __future__ import annotations

import numpy as np

from ..compiled.jit import jit

# Normal force of the law [N], force on B [N], its point of application [m], power absorbed by the contact [W], its
# elastic energy [J], and the stored part of the power [W].
NORMAL_FORCE, _FORCE, _POINT, POWER, ELASTIC, STORED = 0, 1, 4, 7, 8, 9
RECORD = 10


@jit
def force_of(record):
    """Force on B."""
    return (record[_FORCE], record[_FORCE + 1], record[_FORCE + 2])


@jit
def point_of(record):
    """Point of application of the force."""
    return (record[_POINT], record[_POINT + 1], record[_POINT + 2])


@jit
def write_force(record, f, x):
    """Write the force on B and its point of application."""
    for c in range(3):
        record[_FORCE + c], record[_POINT + c] = f[c], x[c]


def forces_of(records: np.ndarray) -> np.ndarray:
    """Forces on B of a table of records, (M, 3)."""
    return records[:, _FORCE : _FORCE + 3].copy()


def points_of(records: np.ndarray) -> np.ndarray:
    """Points of application of the forces, (M, 3)."""
    return records[:, _POINT : _POINT + 3].copy()
