"""What the planar solver knows about a body besides its support function; the analogue of ``shapes/bounds.py``.

Only this file depends on the order of the numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import jit, plain_rows
from ..shapes import bounds as in_space

BOUNDS = 6


class Bounds(NamedTuple):
    """The numbers of one body, inside compiled code."""

    half: tuple[float, float]  #: half lengths of the bounding box in the body's frame
    centre: tuple[float, float]  #: of that box
    core: float  #: radius of a circle that rolls inside the whole outline
    rounding: float  #: bound on the error of a computed support value


@jit
def bounds_at(table, i):
    """Row i of a table of bounds."""
    row = table[i]
    return Bounds((row[0], row[1]), (row[2], row[3]), row[4], row[5])


def bounds_table(half: np.ndarray, centre: np.ndarray, core: np.ndarray, rounding: np.ndarray) -> np.ndarray:
    """The table (bodies, BOUNDS), one row per body."""
    return plain_rows(np.column_stack([half, centre, core, rounding]), (-1, BOUNDS))


def bounds_in_space(table: np.ndarray) -> np.ndarray:
    """Bounds of the same bodies in the plane z = 0 of space."""
    half, centre = (np.pad(part, ((0, 0), (0, 1))) for part in (table[:, 0:2], table[:, 2:4]))
    none = np.zeros(len(table))
    return in_space.bounds_table(half, centre, table[:, 4], table[:, 5], none, none, none.shape)
