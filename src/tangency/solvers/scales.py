"""The lengths against which a solver measures: size, rounding errors, tolerance.  All proofs rest on these lines.

A `box` is a row of `Shape.bounds`.
"""

from ..compiled.jit import jit
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import norm

COARSE = 1e-6


@jit
def half_diagonal(box):
    """Half the diagonal of a body's own bounding box."""
    return norm((box[0], box[1], box[2]))


@jit
def allowance(box_a, box_b, r):
    """Bound on the error of a computed F(n), and of |w|: what both bodies say of themselves, and the position r."""
    return box_a[7] + box_b[7] + ROUNDING * norm(r)


@jit
def is_coarse(box):
    """Whether the formulas of a body contradict each other by more than a millionth of its size and place."""
    return box[7] > COARSE * (half_diagonal(box) + norm((box[3], box[4], box[5])))


@jit
def scales(box_a, box_b, r, tol):
    """Size of both bodies, bound on the rounding errors, and how close bounds must come to each other."""
    size, rounding = half_diagonal(box_a) + half_diagonal(box_b), allowance(box_a, box_b, r)
    return size, rounding, max(tol * size, 0.25 * rounding)
