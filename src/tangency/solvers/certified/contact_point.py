"""Contact point of two overlapping bodies, also where faces, edges or flat places make it ambiguous.

Moved apart by the depth along the normal, the bodies just touch; the contact point is a point where they do.
"""

import math

from ...compiled.jit import jit
from ...kernels.jet import hessian_of
from ...kernels.simplex import blend
from ...kernels.vectors import add, axpy, dot, norm, scale, sub, sym_mul, unit
from ..tolerances import Scales
from .kink import PART, curvature_row, gather, row
from .pair import at_position, evaluate, newton_step
from .separation import POINT, separate

CLOSE = 1e-9  # tangential distance of x_A and x_B, in sizes, below which a Newton step gives the contact point
CURVED = 1e-3  # maximum angle of such a step [rad]; otherwise the surfaces are nearly flat
NEAR = 1e-6  # the same next to a known edge [rad]
SAME = 1e-5  # difference of curvatures next to an edge, in sizes, that is due to the angle between the probes
TURN = 1e-5  # longest step along an edge [rad]
FLAT = 1e3  # radius of curvature, in sizes, above which points move too far between normals to be extrapolated
BESIDE = 1e-6  # angle within which edges and corners are searched [rad]
BUDGET = 200


@jit
def _are_level(m, count, n, top):
    """Whether all parts of F in the rows of m are at most `top` at n."""
    highest = -math.inf
    for i in range(count):
        highest = max(highest, dot(row(m, i, PART), n))
    return highest <= top


@jit
def _along_edge(m, p, own, core_a, size):
    """How the contact point moves if the offset p between two parts of F vanishes by a step along their kink.

    Returns also whether that is known: both parts must have the same curvature.  `own` is that of A.
    """
    t = unit(p)
    k0, k1 = sym_mul(curvature_row(m, 0), t), sym_mul(curvature_row(m, 1), t)
    bowl = dot(k0, t)
    if not (norm(sub(k1, k0)) <= SAME * size and bowl * TURN > norm(p)):
        return False, p
    d = scale(p, 1.0 / bowl)
    jump = sub(row(m, 1, PART), row(m, 0, PART))
    lacks = axpy(p, -norm(d), k0)
    weight = -dot(lacks, jump) / dot(jump, jump)
    shift = axpy(sym_mul(own, d), -core_a, d)
    return True, axpy(shift, weight, sub(row(m, 1, POINT), row(m, 0, POINT)))


@jit
def contact_point(pair, n, f, lengths, work):
    """Contact point on the core of A for the normal n with F(n) = f: (point, evaluations).

    This is x_A(n) if x_B(-n) lies opposite; a small tangential offset between them is shared according to the
    curvatures of both bodies.
    """
    size, rounding, tolerance = lengths
    _, w, x = evaluate(pair, n, work.jets)
    aside = axpy(w, -dot(n, w), n)
    if norm(aside) <= rounding:
        return axpy(x, 0.5, aside), 1
    if norm(aside) <= CLOSE * size:
        turn, _, shift_a, _, _ = newton_step(pair, work.jets, n, 0.0, w)
        if norm(turn) <= CURVED and norm(shift_a) <= 2.0 * norm(aside):
            return add(x, shift_a), 1
    own = hessian_of(work.jets, 0)
    count, p, used = gather(pair, n, w, x, BESIDE, rounding, work.jets, work.simplex)
    is_flat = not own[0] + own[3] + own[5] <= FLAT * size
    if norm(p) <= NEAR * size and not is_flat and _are_level(work.simplex, count, n, f + tolerance):
        # Edges or corners: the parts of F around n, weighted so that their offsets vanish.
        near, shift = norm(p) <= CLOSE * size, scale(p, 0.5)
        if not near and count == 2:
            near, shift = _along_edge(work.simplex, p, own, pair.core_a, size)
        if near:
            across = sub(add(blend(work.simplex, count, POINT), shift), x)
            return add(x, axpy(across, -dot(across, n), n)), used + 1
    touching = at_position(pair, axpy(pair.position, -f, n))
    found = separate(touching, n, Scales(size, rounding, 2.0 * rounding), 1e300, BUDGET, work)
    v, x = blend(work.simplex, found.corners, 0), found.foot
    if norm(v) <= 2.0 * found.upper + rounding:
        x = axpy(blend(work.simplex, found.corners, POINT), 0.5, axpy(v, -dot(n, v), n))
    return x, found.evaluations + used + 1
