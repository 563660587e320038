"""Depth of two bodies that overlap: a growing polytope proves, Newton polishes.

The set D of all w = x_B - x_A contains the origin; the depth is the distance from the origin to the
boundary of D, and F(n) = min n.w over D.  The convex hull of evaluated w(n) lies inside D, so its
nearest face proves depth >= its distance (`upper` = minus that), while every n proves depth <= -F(n).
Looking always behind the nearest face (EPA) is a global search: a face that is farther away than the
best depth cannot hide a better one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...kernels.jet import JET, hessian_of
from ...kernels.vectors import add, axpy, congruence, dot, norm, scale, sym_add, unit
from .ascent import ascend
from .contact_point import contact_point
from .growing_polytope import (
    CLOSED,
    COVERED,
    DISTANCE,
    FULL,
    OPEN,
    VERTICES,
    best_elsewhere,
    complete,
    enclose,
    expand,
    face_normal,
    face_secant,
    is_covered,
    tetrahedron,
)
from .pair import core_of, evaluate, has_no_curvature, newton_step
from .separation import CORNERS, put

FALLS = 4  # climbs in vain: then there is no curvature to climb by
CLIMBS = 20  # at most
SHARE = 0.9  # of the curvature at a maximum may be lost within its cap before F could rise again
POLISH = 4  # evaluations until a maximum is good enough for the cap around it
ELSEWHERE = 3  # climbs from other vertices before a search ends without proof


class Cap(NamedTuple):
    """The directions around a local maximum among which F is known to stay below `top`."""

    angle: float  #: 0 if nothing is known
    top: float
    normal: Any  #: the centre
    value: float  #: F there
    evaluations: int


@jit
def _cap(pair, n, tolerance, jets):
    """The cap around a local maximum of F, n or next to n: Newton's method goes on until `top` is close to F.

    On a great circle through n with the normal u the curvature of an ellipsoid is C / h^3, C constant
    (Hess h along the circle is det S u'S^-1 u / h^3), and h grows by at most the largest semi-axis
    per radian: K decreases at most like (1 + a t / h)^-3.  With G(t) = F(t) - n(t).w the identity
    G'' + G = -K gives F(t) <= F + s sin t - (K_least + F) (1 - cos t), s the slope at n: as long as
    K_least > -F at most s^2 / (2 (K_least + F)) more than F.  Here F is that of the whole bodies.
    """
    value, w, _ = evaluate(pair, n, jets)
    angle, rise = _reach(pair, value, norm(axpy(w, -dot(n, w), n)), jets)
    evaluations = 1
    while angle > 0.0 and rise > 0.25 * tolerance and evaluations < POLISH:
        n = unit(add(n, newton_step(pair, jets, n, value, w).turn))
        value, w, _ = evaluate(pair, n, jets)
        angle, rise = _reach(pair, value, norm(axpy(w, -dot(n, w), n)), jets)
        evaluations += 1
    return Cap(angle, value + rise, n, value, evaluations)


@jit
def _reach(pair, value, slope, jets):
    """Angle of a cap, and how much F may rise in it; the jets are those at its centre."""
    f, reach = value - core_of(pair), pair.longest
    if not (reach[0] > 0.0 and reach[1] > 0.0 and f < 0.0):
        return 0.0, 0.0
    a, b = hessian_of(jets, 0), congruence(pair.rotation, hessian_of(jets, JET))
    k = sym_add(a, b)
    trace = k[0] + k[3] + k[5]
    minors = k[0] * k[3] - k[1] * k[1] + k[0] * k[5] - k[2] * k[2] + k[3] * k[5] - k[4] * k[4]
    least = 0.5 * trace - math.sqrt(max(0.25 * trace * trace - minors, 0.0)) - 1e-14 * trace
    ratio = SHARE * least / -f
    if not ratio > 1.0:
        return 0.0, 0.0
    angle = (ratio ** (1.0 / 3.0) - 1.0) * min(jets[0] / reach[0], jets[JET] / reach[1])
    return angle, 0.5 * slope * slope / (-f * (1.0 / SHARE - 1.0))


class Overlap(NamedTuple):
    """What is known when the search begins."""

    normal: Any  #: the best so far or, if `followed`, a guess next to which an answer is enough
    followed: bool
    upper: float  #: how far outside the simplex the origin may lie
    corners: int  #: rows of the simplex that `separate` found


class Deepest(NamedTuple):
    """What is known when it ends.

    The normal alone tells the contact point, see `contact_point`: a point that is carried along with the best normal
    would be that of another where several normals are equally good.
    """

    proved: bool  #: the answer is the global maximum of F to the tolerance
    found: bool  #: it is a local one
    lower: float
    upper: float
    distance: float
    normal: Any
    evaluations: int


class Penetration(NamedTuple):
    """The same with the contact point."""

    proved: bool
    found: bool
    lower: float
    upper: float
    distance: float
    normal: Any
    foot: Any  #: contact point on the core of A
    evaluations: int


@jit
def _deepest(pair, known, lengths, budget, work, polytope):
    """As `penetrate`, but for the contact point."""
    size, rounding, tolerance = lengths
    v, faces, edges = polytope
    jets, upper, corners = work.jets, known.upper, known.corners
    found, lower, distance, n, _, evaluations = ascend(pair, known.normal, lengths, work)
    cap, covered = Cap(0.0, lower, n, lower, 0), False
    if found:
        cap = _cap(pair, n, tolerance, jets)
        evaluations += cap.evaluations
        if cap.value > lower:
            lower, distance, n = cap.value, max(distance, cap.value), cap.normal
    if upper - lower <= tolerance:
        return Deepest(True, True, lower, upper, distance, n, evaluations)
    if known.followed and found:
        return Deepest(False, True, lower, upper, distance, n, evaluations)
    count = tetrahedron(v, faces, rounding) if corners == 4 else 0
    if count == 0:
        used, f, m = complete(pair, v, corners, jets, rounding)
        evaluations += used
        if upper - f <= tolerance:
            # D has no volume: its plane touches the origin.
            return Deepest(True, True, f, upper, f, m, evaluations)
        count = tetrahedron(v, faces, rounding)
        if count == 0:
            count, used = enclose(pair, v, faces, jets, rounding)
            evaluations += used
    vertices, behind, refused, reopened, flat, falls, climbs = 4, False, 0, 0, not found, 0, 0
    climbed = evaluations
    while count > 0 and evaluations - climbed < budget and vertices < VERTICES:
        nearest, nearby, closed = -1, 1e300, 1e300
        for t in range(count):
            if faces[CLOSED, t] == FULL:
                closed = min(closed, faces[DISTANCE, t])
            elif faces[CLOSED, t] == OPEN and faces[DISTANCE, t] < nearby:
                nearest, nearby = t, faces[DISTANCE, t]
        if nearby < -lower and is_covered(faces, nearest, cap.normal, -lower, cap.angle):
            faces[CLOSED, nearest], covered = COVERED, True
            continue
        if covered:
            closed = min(closed, -cap.top)
        upper = min(upper, -max(min(nearby, closed), 0.0))
        if upper - lower <= tolerance:
            return Deepest(True, True, lower, upper, distance, n, evaluations)
        if nearest < 0 or nearby >= -lower:
            if closed >= -lower or reopened > 2:
                break
            # All else is farther away; around the closed faces the polytope may have changed.
            reopened += 1
            for t in range(count):
                if faces[CLOSED, t] == FULL:
                    faces[CLOSED, t] = OPEN
            continue
        # Behind the face, and in turn where its corners' normals point to.
        m = scale(face_normal(faces, nearest), -1.0)
        behind = not behind
        if not behind and has_no_curvature(jets, size):
            behind = True
        if not behind:
            m = face_secant(v, faces, nearest)
        if refused > 1:
            # Neither could be added to the polytope: look between the face and the best normal.
            m, behind = unit(add(m, n)), False
        f, w, x = evaluate(pair, m, jets)
        evaluations += 1
        if not abs(f) < 1e300:
            return Deepest(False, False, lower, upper, distance, n, evaluations)
        put(v, vertices, w, m, x)
        if f > lower + tolerance and falls < FALLS and climbs < CLIMBS:
            # Behind this face lies something better: climb there.
            found, lower, distance, n, _, used = ascend(pair, m, lengths, work)
            evaluations, climbed = evaluations + used, climbed + used
            flat, climbs = not found, climbs + 1
            falls += 1 if flat else 0
            cap, covered = Cap(0.0, lower, n, lower, 0), False
            if found:
                cap = _cap(pair, n, tolerance, jets)
                evaluations += cap.evaluations
                if cap.value > lower:
                    lower, distance, n = cap.value, max(distance, cap.value), cap.normal
            for t in range(count):
                if faces[CLOSED, t] == COVERED:
                    faces[CLOSED, t] = OPEN
        elif f > lower + tolerance or (flat and f > lower):
            found, flat, lower, distance, n = False, True, f, f, m
        grown, margin = expand(v, vertices, faces, count, edges, rounding), -10.0 * rounding
        while grown == 0 and margin > -1e-5 * size:
            # A face without area arises where neighbours lie in one plane: take them away together.
            grown, margin = expand(v, vertices, faces, count, edges, margin), 10.0 * margin
        if grown > 0:
            count, refused = grown, 0
            vertices += 1
        else:
            refused += 1
            if behind and -f - min(nearby, closed) <= 2.0 * rounding:
                # The nearest face lies on the boundary of D: nothing is nearer.
                if flat:
                    lower, distance, n = f, f, m
                return Deepest(True, True, lower, max(upper, lower), distance, n, evaluations)
            if refused > 3:
                faces[CLOSED, nearest], refused = FULL, 0
    # Not proved.  A last look around: from the best normal if it is no maximum yet, at the other side, from the best
    # vertices elsewhere, and again from the best normal if it is another one.
    for k in range(-2, ELSEWHERE + 1):
        again = k == -2 or k == ELSEWHERE
        if upper - lower <= tolerance or (again and found):
            continue
        start = n if again else scale(n, -1.0)
        if 0 <= k < ELSEWHERE:
            start = best_elsewhere(v, vertices, n, k)
        sure, f, reached, m, _, used = ascend(pair, start, lengths, work)
        evaluations += used
        if f > lower + tolerance or (sure and not found and f >= lower - tolerance):
            found, lower, distance, n = sure, f, reached, m
    found = found or upper - lower <= 1e-8 * size
    return Deepest(upper - lower <= tolerance, found, lower, upper, distance, n, evaluations)


@jit
def penetrate(pair, known, lengths, budget, work, polytope):
    """Global depth; the simplex of `work` is where `separate` left it."""
    for i in range(CORNERS):
        polytope.vertices[i] = work.simplex[i]
    proved, found, lower, upper, distance, n, evaluations = _deepest(pair, known, lengths, budget, work, polytope)
    foot, used = contact_point(pair, n, distance, lengths, work)
    return Penetration(proved, found, lower, upper, distance, n, foot, evaluations + used)
