"""Periodic boundaries in compiled code: the image of a body that is nearest to another one.

Positions are never wrapped: a body that leaves a periodic box on one side goes on, and its images fill the box.  A
period of 0 stands for an axis without periodic boundaries.
"""

import math

from ..compiled.jit import inlined, jit
from .tables import SOLID

NO_SHIFT = (0.0, 0.0, 0.0)


@jit
def _whole_periods(period, away):
    """Minus the whole number of periods that is closest to `away`."""
    return -period * math.floor(away / period + 0.5) if period > 0.0 else 0.0


@inlined
def shift_between(periods, kind_a, x_a, x_b):
    """Vector that takes a body with its centre of mass at x_b to its image nearest to x_a; zero for walls."""
    shift = NO_SHIFT
    if kind_a == SOLID and (periods[0] > 0.0 or periods[1] > 0.0 or periods[2] > 0.0):
        shift = (
            _whole_periods(periods[0], x_b[0] - x_a[0]),
            _whole_periods(periods[1], x_b[1] - x_a[1]),
            _whole_periods(periods[2], x_b[2] - x_a[2]),
        )
    return shift


@inlined
def image_shift(periods, kind_a, y, i, j):
    """The same for the bodies i and j, with the states `y`."""
    return shift_between(periods, kind_a, (y[i, 0], y[i, 1], y[i, 2]), (y[j, 0], y[j, 1], y[j, 2]))


@jit
def other_images(periods, reach):
    """Lower bound on the distance of two bodies, with radii whose sum is `reach`, to other images of each other."""
    least = math.inf
    for c in range(3):
        if periods[c] > 0.0:
            least = min(least, 0.5 * periods[c] - reach)
    return least
