"""Contact point for a known normal, also where faces, edges or flat places make it ambiguous.

Moved along the normal by their distance, the bodies just touch; the contact point is a point where they do.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...kernels.jet import hessian_of
from ...kernels.simplex import WEIGHT, blend
from ...kernels.vectors import add, axpy, dot, norm, scale, sub, sym_mul, unit
from ..tolerances import Scales
from .kink import PART, curvature_row, gather, row
from .pair import at_position, evaluate, newton_step
from .separation import POINT, separate

CLOSE = 1e-9  # tangential distance of x_A and x_B, in sizes, below which a Newton step gives the contact point
CURVED = 1e-3  # maximum angle of such a step [rad]; otherwise the surfaces are nearly flat
NEAR = 1e-6  # the same next to a known edge [rad]
EXACT = 1e-12  # largest error of a point, in sizes, after a step along an edge
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


class Slide(NamedTuple):
    """A step along the kink between two parts of F."""

    known: bool
    turn: Any  #: of the normal
    weight: float  #: change of the weight of the second part


@jit
def _along_edge(m, p, size):
    """The step by which the offset p between the points of both bodies vanishes.

    It is known if the parts have the same curvature, unless it is very short, and if the weights stay between 0 and 1.
    """
    share, jump = m[1, WEIGHT], sub(row(m, 1, PART), row(m, 0, PART))
    t = unit(p)
    k0, k1 = sym_mul(curvature_row(m, 0), t), sym_mul(curvature_row(m, 1), t)
    k = axpy(k0, share, sub(k1, k0))
    bowl = dot(k, t)
    if not bowl * TURN > norm(p):
        return Slide(False, p, 0.0)
    d = scale(p, 1.0 / bowl)
    weight = -dot(axpy(p, -norm(d), k), jump) / dot(jump, jump)
    beyond = max(-share - weight, share + weight - 1.0) * norm(jump)
    return Slide(max(norm(d) * norm(sub(k1, k0)), beyond) <= EXACT * size, d, weight)


@jit
def _is_predicted(pair, n, d, size, work):
    """Whether w at n + d is that of one of the two parts of F, as its curvature predicts."""
    here = unit(add(n, d))
    _, w, _ = evaluate(pair, here, work.jets)
    least = math.inf
    for i in range(2):
        error = sub(w, sub(row(work.simplex, i, PART), sym_mul(curvature_row(work.simplex, i), d)))
        least = min(least, norm(axpy(error, -dot(error, here), here)))
    return least <= EXACT * size


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
    own, m = hessian_of(work.jets, 0), work.simplex
    count, p, used = gather(pair, n, w, x, BESIDE, rounding, work.jets, m)
    used += 1
    is_flat = not own[0] + own[3] + own[5] <= FLAT * size
    if norm(p) <= NEAR * size and not is_flat and _are_level(m, count, n, f + tolerance):
        # Edges or corners: the parts of F around n, weighted so that their offsets vanish.
        near, shift = norm(p) <= rounding, scale(p, 0.5)
        if not near and count == 2:
            slide = _along_edge(m, p, size)
            if slide.known:
                near, d = _is_predicted(pair, n, slide.turn, size, work), slide.turn
                used += 1
                shift = axpy(
                    axpy(sym_mul(own, d), -pair.core_a, d), slide.weight, sub(row(m, 1, POINT), row(m, 0, POINT))
                )
        if near:
            across = sub(add(blend(m, count, POINT), shift), x)
            return add(x, axpy(across, -dot(across, n), n)), used
    touching = at_position(pair, axpy(pair.position, -f, n))
    found = separate(touching, n, Scales(size, rounding, 2.0 * rounding), 1e300, BUDGET, work)
    v, x = blend(m, found.corners, 0), found.foot
    if norm(v) <= 2.0 * found.upper + rounding:
        x = axpy(blend(m, found.corners, POINT), 0.5, axpy(v, -dot(n, v), n))
    return x, found.evaluations + used
