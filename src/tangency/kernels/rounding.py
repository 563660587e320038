"""The unit of all allowances for rounding errors.

A support value of a closed formula, or its boundary point, errs by less than 5 units in the last place of the lengths
that it is made of (``tests/solvers/test_bounds.py``); the rotations and sums of a solver add about ten.
"""

import numpy as np

EPSILON = float(np.finfo(float).eps)
UNITS = 24.0
ROUNDING = UNITS * EPSILON  # error of a computed length, relative to the lengths it is made of
