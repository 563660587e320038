"""Loads bodies and poses into a block of lanes.

The functions are inlined: passing a table, a tuple of arrays, to a compiled function costs as much as loading several
pairs.
"""

from ..compiled.jit import inlined, peek
from .block import LANES


@inlined
def load_radii(s, row, l, rows, i):
    """Semi-axes of body i; a row of a sphere holds its radius only."""
    width = rows.shape[1]
    k, second, third = width * i, 0 if width == 1 else 1, 0 if width == 1 else 2
    s[row * LANES + l] = peek(rows, k)
    s[(row + 1) * LANES + l] = peek(rows, k + second)
    s[(row + 2) * LANES + l] = peek(rows, k + third)


@inlined
def load_pose(s, turn, home, l, poses, i):
    """Pose i: nine rows for the orientation, three for the position."""
    for c in range(3):
        for d in range(3):
            s[(turn + 3 * c + d) * LANES + l] = peek(poses, 12 * i + 4 * c + d)
        s[(home + c) * LANES + l] = peek(poses, 12 * i + 4 * c + 3)
