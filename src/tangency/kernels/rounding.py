"""The unit of all allowances for rounding errors.

The error of a support value or boundary point from a closed formula is less than 5 units in the last place of the
lengths in it (``tests/solvers/test_bounds.py``); the rotations and sums of a solver add about ten.
"""

import numpy as np

EPSILON = float(np.finfo(float).eps)
UNITS = 24.0
ROUNDING = UNITS * EPSILON  # error of a computed length, relative to the lengths in it
