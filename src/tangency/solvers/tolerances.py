"""Size, rounding error and stopping tolerance of a pair.  All proofs rest on these few lines."""

from __future__ import annotations

from typing import NamedTuple

from ..compiled.jit import jit
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import norm

COARSE = 1e-6
PART_OF_ROUNDING = 0.25  # the tolerance is never smaller than this fraction of the rounding error


class Scales(NamedTuple):
    """Lengths of one pair."""

    size: float  #: sum of the half diagonals of both bounding boxes
    rounding: float  #: bound on the rounding error of F(n) and of |w|
    tolerance: float  #: the solver stops when upper - lower is at most this


@jit
def is_coarse(bounds):
    """Whether the formulas of a body are inconsistent by more than 1e-6 of its size and its offset from the origin."""
    return bounds.rounding > COARSE * (norm(bounds.half) + norm(bounds.centre))


@jit
def scales(a, b, r, tol):
    """`Scales` of two bodies with these bounds; r is the position of B relative to A."""
    return scales_of(norm(a.half) + norm(b.half), a.rounding + b.rounding, norm(r), tol)


@jit
def scales_of(size, rounding, distance, tol):
    """`Scales` of two bodies of this size, with these rounding errors, at this distance; in space or in the plane."""
    rounding = rounding + ROUNDING * distance
    return Scales(size, rounding, max(tol * size, PART_OF_ROUNDING * rounding))
