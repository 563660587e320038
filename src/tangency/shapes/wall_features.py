"""The features of a mesh wall that bodies touch, as rows of numbers, and a tree of boxes around them.

A body touches a *face*, a convex *edge* or a convex *corner*.  Edges where the wall is flat or concave, and corners
that no plane touches alone, are no features.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import types

from ..compiled.jit import doubles_at, jit
from ..compiled.small_arrays import on_stack
from .bounds import bounds_table

# Columns of a feature, after its kind.
# Face: normal n and offset of its plane; for each of its three edges the inward vector m in the plane, m.x on the edge,
# the tangent of half the angle by which the wall rises (> 0) or falls beyond it, 1 if the same patch goes on there,
# and (n x m).x at its lower and its upper end.
# Edge: first end, unit vector, length; for each of the two sides the normal, the inward vector m and m.x on the edge;
# the angle between the normals; which part of this angle belongs to the patch: all, the first or the second half.
# Corner: place, a direction from which it is seen, the first of its unit vectors among the directions; how many of them
# are along its edges, and how many are normals of the faces there that belong to this patch, to earlier and later ones.
KIND, FACE, EDGE, CORNER = 0, 0.0, 1.0, 2.0
PLANE, RIM, RIM_COLUMNS = 1, 5, 8
START, ALONG, LENGTH, SIDE_1, SIDE_2, ANGLE, HALF = 1, 4, 7, 8, 15, 22, 23
ALL, FIRST_HALF, SECOND_HALF = 0.0, 1.0, 2.0
PLACE, SEEN, FIRST, COUNT, OWN, EARLIER, LATER = 1, 4, 7, 8, 9, 10, 11
FEATURE = 29
STEEPEST = 1e3  # largest of these tangents
NODE = 6  # lower and upper corner of a box
LEAF = 4  # features in a box without further ones
DEEPEST = 64  # levels of a tree
_BITS = 16  # of each coordinate of the curve along which features are sorted

_stack = on_stack(DEEPEST, dtype=types.int64)


class WallTables(NamedTuple):
    """One patch of a wall, in compiled code."""

    nodes: np.ndarray  #: (N, NODE) boxes; those inside box k are 2 k + 1 and 2 k + 2, the last (N + 1) / 2 are leaves
    features: np.ndarray  #: (M, FEATURE) those of leaf l are LEAF l to LEAF l + LEAF - 1
    directions: np.ndarray  #: (D, 3) unit vectors of corners: along edges, away from the corner, and normals of faces


@jit
def wall_tables(address, row):
    """The tables at an address, from their sizes."""
    nodes, features, directions = int(row[0]), int(row[1]), int(row[2])
    second = address + 8 * NODE * nodes
    return WallTables(
        numba.carray(doubles_at(address), (nodes, NODE)),
        numba.carray(doubles_at(second), (features, FEATURE)),
        numba.carray(doubles_at(second + 8 * FEATURE * features), (directions, 3)),
    )


@jit
def vector_of(features, i, c):
    """Three columns of a feature."""
    return (features[i, c], features[i, c + 1], features[i, c + 2])


@jit
def is_near(wall, centre, radius):
    """Whether a ball reaches the box of a leaf, in the frame of the wall."""
    nodes, inner, stack, depth = wall.nodes, wall.nodes.shape[0] // 2, _stack(), 1
    stack[0] = 0
    while depth > 0:
        depth -= 1
        node, square = stack[depth], 0.0
        for c in range(3):
            away = max(max(nodes[node, c] - centre[c], centre[c] - nodes[node, 3 + c]), 0.0)
            square += away * away
        if square > radius * radius:
            continue
        if node >= inner:
            return True
        stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
        depth += 2
    return False


class WallPatch:
    """Part of a wall with which a body makes one contact, in the form that tables of shapes take.

    Parameters
    ----------
    features : (M, FEATURE) array
    low, high : (M, 3) arrays
        Corners of a box around each feature.
    directions : (D, 3) array
    plane : bool
        Whether all its faces lie in one plane.
    """

    def __init__(
        self, features: np.ndarray, low: np.ndarray, high: np.ndarray, directions: np.ndarray, plane: bool
    ) -> None:
        self.plane = plane
        self.low, self.high = low.min(axis=0), high.max(axis=0)
        order = _along_curve(0.5 * (low + high), self.low, self.high)
        nodes = _tree(low[order], high[order])
        self.block = np.concatenate([nodes.ravel(), features[order].ravel(), directions.ravel()])
        self.rows = np.array([[len(nodes), len(features), len(directions)]], np.float64)
        half, zero = 0.5 * (self.high - self.low), np.zeros(())
        self.bounds = bounds_table(half, 0.5 * (self.high + self.low), zero, zero, zero, zero, ())
        self.bounding_radius = float(np.linalg.norm(np.maximum(np.abs(self.low), np.abs(self.high))))

    @property
    def address(self) -> int:
        """Address of its tables, see `wall_tables`."""
        return self.block.ctypes.data


def _along_curve(centre: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Order of points in which neighbours are near each other (Morton 1966)."""
    width = max(float((high - low).max()), 1e-300)
    cell = np.minimum((centre - low) / width * (1 << _BITS), (1 << _BITS) - 1).astype(np.int64)
    code = np.zeros(len(cell), np.int64)
    for bit in range(_BITS):
        for c in range(3):
            code |= ((cell[:, c] >> bit) & 1) << (3 * bit + c)
    return np.argsort(code, kind="stable")


def _tree(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Boxes (N, NODE) of a complete binary tree; leaves without features are empty."""
    leaves = 1
    while leaves * LEAF < len(low):
        leaves *= 2
    nodes = np.empty((2 * leaves - 1, NODE))
    room = leaves * LEAF - len(low)
    level_low = np.concatenate([low, np.full((room, 3), np.inf)]).reshape(leaves, LEAF, 3).min(axis=1)
    level_high = np.concatenate([high, np.full((room, 3), -np.inf)]).reshape(leaves, LEAF, 3).max(axis=1)
    while True:
        count = len(level_low)
        nodes[count - 1 : 2 * count - 1] = np.concatenate([level_low, level_high], axis=1)
        if count == 1:
            return nodes
        level_low = level_low.reshape(-1, 2, 3).min(axis=1)
        level_high = level_high.reshape(-1, 2, 3).max(axis=1)
