"""The lengths against which a solver measures: size, rounding errors, tolerance.  All proofs rest on these lines."""

from __future__ import annotations

from typing import NamedTuple

from ..compiled.jit import jit
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import norm

COARSE = 1e-6
PART_OF_ROUNDING = 0.25  # bounds need not come closer to each other than this part of their rounding errors


class Scales(NamedTuple):
    """Lengths of one pair."""

    size: float  #: half diagonals of both boxes
    rounding: float  #: bound on the error of a computed F(n), and of |w|
    tolerance: float  #: how close bounds must come to each other


@jit
def is_coarse(bounds):
    """Whether the formulas of a body contradict each other by more than a millionth of its size and place."""
    return bounds.rounding > COARSE * (norm(bounds.half) + norm(bounds.centre))


@jit
def scales(a, b, r, tol):
    """Lengths of two bodies with these bounds, B at r seen from A."""
    return scales_of(norm(a.half) + norm(b.half), a.rounding + b.rounding, norm(r), tol)


@jit
def scales_of(size, rounding, distance, tol):
    """Lengths of two bodies of this size and with these rounding errors, at this distance; in space or in the plane."""
    rounding = rounding + ROUNDING * distance
    return Scales(size, rounding, max(tol * size, PART_OF_ROUNDING * rounding))
