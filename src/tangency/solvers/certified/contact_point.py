"""Contact point of two bodies that overlap, where their common normal does not tell it.

Moved apart by the depth along the normal the bodies just touch, and where they touch is what is looked for: one point
that belongs to both, whatever faces, edges or flat places meet there.
"""

from ...compiled.jit import jit
from ...kernels.simplex import blend
from ...kernels.vectors import axpy, dot, norm
from ..tolerances import Scales
from .pair import at_position, evaluate
from .separation import POINT, separate

CLOSE = 1e-9  # between the points of both bodies with the common normal, of their size, where they tell the contact
BUDGET = 200


@jit
def settle(pair, n, f, foot, lengths, work):
    """Contact point on the core of A for the normal n with F(n) = f: (point, evaluations).

    It is `foot` if x_A(n) and x_B(-n) lie opposite each other.
    """
    size, rounding, _ = lengths
    _, w, _ = evaluate(pair, n, work.jets)
    if norm(axpy(w, -dot(n, w), n)) <= max(CLOSE * size, rounding):
        return foot, 1
    touching = at_position(pair, axpy(pair.position, -f, n))
    found = separate(touching, n, Scales(size, rounding, 2.0 * rounding), 1e300, BUDGET, work)
    v, x = blend(work.simplex, found.corners, 0), found.foot
    if norm(v) <= 2.0 * found.upper + rounding:
        x = axpy(blend(work.simplex, found.corners, POINT), 0.5, axpy(v, -dot(n, v), n))
    return x, found.evaluations + 1
