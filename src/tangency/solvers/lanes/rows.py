"""Rows of a block of lanes: the names of the quantities that the loops over lanes share (see ``kernels/block.py``)."""

import numpy as np

from ...compiled.jit import jit
from ...kernels.block import LANES

# The bodies: semi-axes, orientation and position of B relative to A, the matrix of B if it is an ellipsoid, the
# squares of the smallest semi-axes, the exponents of superellipsoids.
A, B, TURN, R, S_B, INNER, EXPONENTS = 0, 3, 6, 15, 18, 24, 26
# The iteration: direction, step, fraction of it to try, F, slope, squared residual, number of evaluations.  These rows
# are all that a pair needs to be resumed in another block.
N, D, PART, F, SLOPE, G2, COUNT = 30, 33, 36, 37, 38, 39, 40
STATE, STATE_ROWS = 30, 11
# Its end: inner radius, point of A, 1 / h_A if the answer may move the point of A with the last step.
RHO, X, INVERSE, DONE = 41, 42, 45, 46
# The question (tolerance, maximum distance), data for the answer (unit of length, rounding, pose of A, number of the
# pair), 0.0.
TOL, LIMIT, SCALE, ROUNDING, TURN_A, HOME, PAIR, ZERO = 47, 48, 49, 50, 51, 60, 63, 64
# Input: pose of B, guess and maximum distance as given.  Then work space of each function.
TURN_B, HOME_B, GUESS, MAX_DISTANCE, WORK, ROWS = 65, 74, 77, 80, 81, 192

# Values of DONE: iterating, proved, left to the robust solver, beyond the maximum distance, stationary but unproved.
RUNNING, PROVED, GIVEN_UP, FAR, UNPROVED = 0.0, 1.0, 2.0, 3.0, 4.0

MARGIN = 1.0 - 1e-9  # allows for rounding errors of inner radii

_LINE = 8  # numbers in a cache line


@jit
def new_block(rows):
    """A block of ones that begins at a cache line, so that no vector is spread over two of them."""
    memory = np.ones(rows * LANES + _LINE)
    start = -(memory.ctypes.data // 8) % _LINE
    return memory[start : start + rows * LANES]
