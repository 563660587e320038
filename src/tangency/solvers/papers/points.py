"""Start and end of the methods whose unknowns are one point on each surface."""

from __future__ import annotations

import math

from ...compiled.jit import element, jit
from ...contacts.status import CLAIMED, Status
from ...implicit.newton import CONVERGED, RAN_OUT, Formula, point_on_a, point_on_b, set_points
from ...kernels.jet import JET, point_of
from ...kernels.poses import at
from ...kernels.vectors import add, dot, mat_mul, mat_t_mul, norm, scale, sub
from ..certified.pair import between_centres, evaluate
from ..question import Side
from ..tables import Answer

_FAILED, _BROKEN = int(Status.NOT_CONVERGED), int(Status.BROKE_DOWN)


def implicit_address(side: Side, name: str, method: str) -> int:
    """Address of the compiled implicit function of a side; rejects shapes without one."""
    if not getattr(side.shape, "has_implicit", False):
        raise TypeError(
            f"{name} must have an implicit function for solver={method!r} (its Kernel a method implicit(self, x)), "
            f"got {side.shape!r}"
        )
    return side.shape.implicit_address


@jit
def surfaces(a, b, fa, fb, k):
    """The implicit functions of both bodies of pair k."""
    size_a, size_b = a.rows.shape[1], b.rows.shape[1]
    return (
        Formula(fa, element(a.rows, at(a.pick, k) * size_a), size_a),
        Formula(fb, element(b.rows, at(b.pick, k) * size_b), size_b),
    )


@jit
def first_points(placed, guess, midpoint, jets, q):
    """Write the initial points to q: boundary points with the guessed normal or along the line of centres.

    Without a guess and if `midpoint`, both points are the midpoint between the centres (Lopes 2010, section 7).
    Returns the normal.
    """
    pair = placed.pair
    n = mat_t_mul(placed.turn, guess)
    guessed = norm(n) > 0.5
    line = between_centres(placed)
    if not guessed:
        length = norm(line)
        n = scale(line, 1.0 / length) if length > 0.0 else (1.0, 0.0, 0.0)
    evaluate(pair, n, jets)
    set_points(q, point_of(jets, 0), point_of(jets, JET))
    if midpoint and not guessed:
        middle = add(placed.bounds_a.centre, scale(line, 0.5))
        there = mat_t_mul(pair.rotation, sub(middle, pair.position))
        set_points(q, middle, there)
    return n


@jit
def opposed(pair, jets):
    """Whether the outward normals of the two surfaces have opposite directions."""
    return dot(point_of(jets, 0), mat_mul(pair.rotation, point_of(jets, JET))) < 0.0


@jit
def claim(placed, start, jets, q, end, evaluations):
    """Result of an iteration: the normal of A at its point, and the distance along it.

    At a contact the outward normals are opposite; equal normals also satisfy the equations but are not a contact.
    """
    pair, turn = placed.pair, placed.turn
    p, s = point_on_a(q), add(pair.position, mat_mul(pair.rotation, point_on_b(q)))
    g = point_of(jets, 0)
    slope = norm(g)
    known = slope > 0.0 and math.isfinite(slope + norm(p) + norm(s))
    n = scale(g, 1.0 / slope) if known else start
    distance = dot(n, sub(s, p)) if known else 0.0
    if not known:
        p = (0.0, 0.0, 0.0)
    status = _BROKEN
    if end == RAN_OUT:
        status = _FAILED
    elif end == CONVERGED and known and opposed(pair, jets):
        status = CLAIMED
    n = mat_mul(turn, n)
    n = scale(n, 1.0 / norm(n))
    return Answer(distance, 0.0, 0.0, n, add(placed.home, mat_mul(turn, p)), status, evaluations)
