"""Depth of overlapping bodies: a growing polytope gives the proof, Newton's method the accuracy.

The set D of all w = x_B - x_A contains the origin; the depth is the distance from the origin to the
boundary of D, and F(n) = min n.w over D.  The convex hull of evaluated w(n) lies inside D, so the distance d
of its nearest face proves depth >= d (`upper` = -d), while every n proves depth <= -F(n).
Expanding the polytope at its nearest face each time (EPA) is a global search: behind a face that is farther
away than the best depth found, there is no smaller depth.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import uncounted
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
from .pair import core_of, evaluate, newton_step
from .places import has_no_curvature
from .simplex_rows import COLUMNS, CORNERS, put

FALLS = 4  # failed climbs after which no more are tried
CLIMBS = 20  # maximum number of climbs
SHARE = 0.9  # within the cap of a maximum, -F is at most this fraction of the smallest K
POLISH = 4  # maximum number of evaluations to make a maximum accurate enough for its cap
ELSEWHERE = 3  # climbs from other vertices before the search ends without proof


class Cap(NamedTuple):
    """Directions around a local maximum of F in which F is proved not to exceed `top`."""

    angle: float  #: 0 if nothing is proved
    top: float
    normal: Any  #: the centre
    value: float  #: F there
    evaluations: int


@uncounted
def _cap(pair, n, tolerance, jets):
    """The cap around a local maximum of F at or near n; Newton steps are made until `top` is close to F.

    On a great circle through n in the plane with the normal u, the radius of curvature of an ellipsoid is
    C / h^3 with constant C (Hess h along the circle is det S u'S^-1 u / h^3), and h grows by at most the largest
    semi-axis a per radian: K decreases at most like (1 + a t / h)^-3.  With G(t) = F(t) - n(t).w the identity
    G'' + G = -K gives F(t) <= F + s sin t - (K_min + F) (1 - cos t), where s is the slope at n.  So F rises by at
    most s^2 / (2 (K_min + F)) as long as K_min > -F.  Here F is that of the bodies, not of their cores.
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


@uncounted
def _reach(pair, value, slope, jets):
    """Angle of a cap, and a bound on the rise of F in it; the jets are those at its centre."""
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
    """Start of the search."""

    normal: Any  #: the best so far; if `followed`, the user's guess
    followed: bool  #: whether a local maximum near the guess is enough
    upper: float  #: upper bound on the distance of the origin from the simplex
    corners: int  #: rows of the simplex left by `separate`


class Deepest(NamedTuple):
    """Result of the search, without the contact point.

    The contact point is computed from the final normal (`contact_point`).  A point stored during the search could
    belong to another normal where several are equally good.
    """

    proved: bool  #: the global maximum of F, to the tolerance
    found: bool  #: a local maximum
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
    exact: bool  #: whether normal and foot are as accurate as the distance


@uncounted
def _deepest(pair, known, lengths, budget, work, polytope):
    """As `penetrate`, without the contact point."""
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
            # D is flat, and its plane contains the origin.
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
            # All other faces are farther away; near the closed ones the polytope may have changed.
            reopened += 1
            for t in range(count):
                if faces[CLOSED, t] == FULL:
                    faces[CLOSED, t] = OPEN
            continue
        # Alternately the face normal and the mean of the normals at its corners.
        m = scale(face_normal(faces, nearest), -1.0)
        behind = not behind
        if not behind and has_no_curvature(jets, size):
            behind = True
        if not behind:
            m = face_secant(v, faces, nearest)
        if refused > 1:
            # Neither gave a new vertex: try between the face normal and the best normal.
            m, behind = unit(add(m, n)), False
        f, w, x = evaluate(pair, m, jets)
        evaluations += 1
        if not abs(f) < 1e300:
            return Deepest(False, False, lower, upper, distance, n, evaluations)
        put(v, vertices, w, m, x)
        if f > lower + tolerance and falls < FALLS and climbs < CLIMBS:
            # A better normal: climb from there.
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
            # A face without area would arise between coplanar neighbours: remove these too.
            grown, margin = expand(v, vertices, faces, count, edges, margin), 10.0 * margin
        if grown > 0:
            count, refused = grown, 0
            vertices += 1
        else:
            refused += 1
            if behind and -f - min(nearby, closed) <= 2.0 * rounding:
                # The nearest face lies on the boundary of D: this is the depth.
                if flat:
                    lower, distance, n = f, f, m
                return Deepest(True, True, lower, max(upper, lower), distance, n, evaluations)
            if refused > 3:
                faces[CLOSED, nearest], refused = FULL, 0
    # Not proved.  Last attempts: climb from the best normal if it is not yet a maximum, from the opposite one, from the
    # best vertices in other directions, and again from the best normal if it has changed.
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


@uncounted
def penetrate(pair, known, lengths, budget, work, polytope):
    """Global depth; `work.simplex` is as left by `separate`."""
    for i in range(CORNERS):
        for j in range(COLUMNS):
            polytope.vertices[i, j] = work.simplex[i, j]
    proved, found, lower, upper, distance, n, evaluations = _deepest(pair, known, lengths, budget, work, polytope)
    value, n, foot, used, exact = contact_point(pair, n, distance, lengths, work)
    lower = max(lower, value)
    distance = min(max(distance, value), max(upper, lower))
    return Penetration(proved, found, lower, upper, distance, n, foot, evaluations + used, exact)
