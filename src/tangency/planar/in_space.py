"""Planar bodies in the plane z = 0 of space, for the methods of ``tangency.solvers``.

Only normals in that plane matter, so the spatial jet is needed on one great circle only: h and x as in the
plane, and W = R (1 - n n'), with the second radius of curvature equal to the first.  The equations of every
method then decouple into one along the circle, which is the planar one, and one across it, which is singular
only where the first is and keeps the normal in the plane.  The compiled loops are the spatial ones, so each
algorithm exists once.  A normal that leaves the plane, in a user-defined method, gets NaN.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numba
import numpy as np
from numba import types

from ..compiled.jit import DOUBLES, address_of, bits, call_shape, element, entry
from ..solvers.question import Side, pick
from .bounds import bounds_in_space
from .shape import Shape

FLAT = 1e-12  # largest third component of a unit vector in the plane


@entry
def _jet_in_space(unused, data, size, nx, ny, nz, out):
    """The compiled function of all planar bodies in space; a row starts with the address of the planar jet."""
    row, result = numba.carray(data, (size,)), numba.carray(out, (10,))
    call_shape(bits(row[0]), element(row, 1), size - 1, nx, ny, 0.0, out)
    radius, square = result[3], nx * nx + ny * ny + nz * nz
    if abs(nz) > FLAT:
        result[0] = math.nan
    result[3] = radius * nz / math.sqrt(square)
    a, b = radius / math.sqrt(square), -radius / (square * math.sqrt(square))
    result[4], result[5], result[6] = a + b * nx * nx, b * nx * ny, b * nx * nz
    result[7], result[8], result[9] = a + b * ny * ny, b * ny * nz, a + b * nz * nz


@cache
def _address() -> int:
    f8 = types.float64
    return address_of(_jet_in_space, (types.voidptr, DOUBLES, types.int64, f8, f8, f8, DOUBLES))


class Section(NamedTuple):
    """What a spatial loop needs from a stack of planar bodies."""

    address: int
    rows: np.ndarray
    bounds: np.ndarray  #: see ``shapes/bounds.py``
    bends: bool = False


def side_in_space(shape: Shape, pose: tuple[np.ndarray, np.ndarray], batch: tuple[int, ...]) -> Side:
    """Body A, or B, of all pairs of a query of shape `batch`; a pose is cosine and sine, and position."""
    rows = np.empty((len(shape.rows), shape.rows.shape[1] + 1))
    rows[:, 0] = np.array(shape.address, dtype=np.int64).view(np.float64)
    rows[:, 1:] = shape.rows
    turn, position = (array.reshape(-1, 2) for array in pose)
    poses = np.zeros((len(turn), 3, 4))
    poses[:, 0, 0] = poses[:, 1, 1] = turn[:, 0]
    poses[:, 1, 0], poses[:, 0, 1], poses[:, 2, 2] = turn[:, 1], -turn[:, 1], 1.0
    poses[:, :2, 3] = position
    section = Section(_address(), rows, bounds_in_space(shape.bounds))
    return Side(section, pick(shape.batch_shape, batch), poses.reshape(-1, 12), pick(pose[1].shape[:-1], batch))
