"""Contact point of two bodies that overlap, where their common normal does not tell it.

Moved apart by the depth along the normal the bodies just touch, and where they touch is what is looked for: one point
that belongs to both, whatever faces, edges or flat places meet there.
"""

from ...compiled.jit import jit
from ...kernels.simplex import blend
from ...kernels.vectors import add, axpy, dot, norm
from ..tolerances import Scales
from .pair import at_position, evaluate, newton_step
from .separation import POINT, separate

CLOSE = 1e-9  # between the points of both bodies with the common normal, of their size, where they tell the contact
CURVED = 1e-3  # angle within which an offset is moved along a curved surface
BUDGET = 200


@jit
def contact_point(pair, n, f, lengths, work):
    """Contact point on the core of A for the normal n with F(n) = f: (point, evaluations).

    It is x_A(n) if x_B(-n) lies opposite; a small offset between them is shared by both as their curvatures ask.
    """
    size, rounding, _ = lengths
    _, w, x = evaluate(pair, n, work.jets)
    aside = axpy(w, -dot(n, w), n)
    if norm(aside) <= rounding:
        return axpy(x, 0.5, aside), 1
    if norm(aside) <= CLOSE * size:
        turn, _, shift_a, _, _ = newton_step(pair, work.jets, n, 0.0, w)
        if norm(turn) <= CURVED:
            return add(x, shift_a), 1
    touching = at_position(pair, axpy(pair.position, -f, n))
    found = separate(touching, n, Scales(size, rounding, 2.0 * rounding), 1e300, BUDGET, work)
    v, x = blend(work.simplex, found.corners, 0), found.foot
    if norm(v) <= 2.0 * found.upper + rounding:
        x = axpy(blend(work.simplex, found.corners, POINT), 0.5, axpy(v, -dot(n, v), n))
    return x, found.evaluations + 1
