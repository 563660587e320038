"""Contact point for a normal, also where faces, edges or flat places make it ambiguous; at edges a better normal too.

Moved along the normal by their distance, the bodies just touch; the contact point is a point where they do.
"""

from __future__ import annotations

from ...compiled.jit import uncounted
from ...kernels.simplex import blend
from ...kernels.vectors import add, axpy, dot, norm
from ..tolerances import Scales
from .edge_steps import Place, settle
from .flat_steps import STIFF, is_settled, settle_beside
from .pair import at_position, evaluate, newton_step
from .places import is_flat, is_level
from .separation import INSIDE, separate
from .simplex_rows import POINT

CLOSE = 1e-9  # tangential distance of x_A and x_B, in sizes, below which a Newton step gives the contact point
CURVED = 1e-3  # maximum angle of such a step [rad]; otherwise the surfaces are nearly flat
BUDGET = 200


@uncounted
def contact_point(pair, n, f, lengths, work):
    """Contact point on the core of A for the normal n with F(n) = f.

    This is x_A(n) if x_B(-n) lies opposite; a small tangential offset between them is shared according to the
    curvatures of both bodies.  At edges a better normal is found as well.
    """
    size, rounding, _ = lengths
    best, w, x = evaluate(pair, n, work.jets)
    aside = axpy(w, -dot(n, w), n)
    if norm(aside) <= rounding:
        return Place(best, n, axpy(x, 0.5, aside), 1, False)
    turn, _, shift_a, _, _ = newton_step(pair, work.jets, n, 0.0, w)
    level, used = is_level(pair, work.jets, size), 1
    close = (norm(aside) <= CLOSE * size and norm(turn) <= CURVED) or (level and is_settled(turn, f, size))
    if close and norm(shift_a) <= 2.0 * norm(aside) and not (level and is_flat(work.jets, STIFF * size)):
        return Place(best, n, add(x, shift_a), 1, False)
    if level and is_flat(work.jets, size):
        known, place = settle_beside(pair, n, lengths, work)
        used += place.evaluations
        if known and place.value >= best - rounding:
            return Place(place.value, place.normal, place.foot, used, False)
        evaluate(pair, n, work.jets)
        used += 1
    known, place = settle(pair, n, (best, w, x), lengths, work)
    value, n, x, more, exact = place
    used += more
    if known:
        return Place(value, n, x, used, exact)
    touching = at_position(pair, axpy(pair.position, -f, n))
    found = separate(touching, n, Scales(size, rounding, 2.0 * rounding), 1e300, BUDGET, work)
    m = work.simplex
    v, x = blend(m, found.corners, 0), found.foot
    if found.end == INSIDE or norm(v) <= 2.0 * found.upper + rounding:
        x = axpy(blend(m, found.corners, POINT), 0.5, axpy(v, -dot(n, v), n))
    return Place(value, n, x, found.evaluations + used, False)
