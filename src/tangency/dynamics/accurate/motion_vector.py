"""The motion of a world as one vector, for SciPy's integrators.

It contains the rows of the free bodies (see `state`); for each touching contact the *sums*: stretch of the bristles,
normal impulse, absorbed energy and dissipated energy since its start; the positions and velocities of the joints of
mechanisms; and the two *works*: work absorbed by contacts and springs, and external work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import jit
from ..contact.columns import NORMAL_FORCE, POWER, STORED
from ..state import STATE

# Columns of the sums, as in `contact.columns.SUMS`.
STRETCH, IMPULSE, ABSORBED, LOST = slice(0, 3), 3, 4, 5
ENERGIES = slice(ABSORBED, LOST + 1)
SUMS = 6
ABSORBED_WORK, WORKS = 0, 2  # index of the work absorbed by contacts and springs; number of works


class Parts(NamedTuple):
    """The parts of a vector, as views."""

    bodies: np.ndarray  #: (free bodies, STATE)
    sums: np.ndarray  #: (contacts that touch, SUMS)
    joints: np.ndarray  #: (J,) positions and velocities of joints, see ``joints/system.py``
    works: np.ndarray  #: (2,) absorbed, external [J]


class VectorBodies(NamedTuple):
    """Bodies, for compiled code that takes a vector."""

    free: np.ndarray  #: numbers of the free bodies, in the order of the vector
    y: np.ndarray  #: (N, STATE) rows of the others, and space for those of the free ones
    extra: np.ndarray  #: (N, WRENCH) user-defined loads
    forces: np.ndarray  #: (N, WRENCH) space for the resultants of all forces at the last evaluation


def parts(vector: np.ndarray, free: int, joints: int) -> Parts:
    """The parts of the vector of a world with `free` free bodies and `joints` numbers of joints."""
    end, last = free * STATE, len(vector) - WORKS
    rows, sums = vector[:end].reshape(-1, STATE), vector[end : last - joints].reshape(-1, SUMS)
    return Parts(rows, sums, vector[last - joints : last], vector[last:])


def joined(bodies: np.ndarray, sums: np.ndarray, joints: np.ndarray, works: np.ndarray | list[float]) -> np.ndarray:
    """The vector made of these parts."""
    return np.concatenate([bodies.ravel(), sums.ravel(), joints, works])


@jit
def unpack(vector, free, y):
    """Copy the rows of the free bodies into the state of all bodies."""
    for m in range(free.shape[0]):
        for c in range(STATE):
            y[free[m], c] = vector[m * STATE + c]


@jit
def body_part(vector, m):
    """Row of free body m."""
    return vector[m * STATE : (m + 1) * STATE]


@jit
def stretch_in(vector, free, m):
    """Stretch of the bristles of contact m."""
    at = free.shape[0] * STATE + SUMS * m
    return (vector[at], vector[at + 1], vector[at + 2])


@jit
def write_sum_rates(out, free, m, stretching, record):
    """Write the rates of the sums of contact m, from the rate of its stretch and its record."""
    at = free.shape[0] * STATE + SUMS * m
    out[at], out[at + 1], out[at + 2] = stretching
    out[at + IMPULSE], out[at + ABSORBED] = record[NORMAL_FORCE], record[POWER]
    out[at + LOST] = record[POWER] - record[STORED]


@jit
def write_powers(out, absorbed, outer):
    """Write the rates of the works."""
    out[-2], out[-1] = absorbed, outer
