"""A good direction from the features of the last step: for corners against corners, or against a curved body.

The features, where the bodies are now, span a corner, an edge or a face of their difference.  The next direction is
that of the point nearest to the origin if the bodies have corners (GJK).  A curved body moves its point with the
direction, by -K dn, so that the direction n solves (K + d) n = w, across an edge in the plane normal to it; over a
face it is that of the face.  The distance d is the one for which n is a unit vector, which holds for a corner, K = 0
and d = |w|, as for a smooth body.  One evaluation shows whether other points are farther out; they replace the old
ones.

Of a curved body the points of earlier directions are no longer the right ones.  If it has only one, that of the present
direction takes their place: it is then compared with the face or edge that the corners of the other body span.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...compiled.jit import jit
from ...kernels.simplex import blend, nearest
from ...kernels.vectors import axpy, dot, mat_mul, norm, scale, sub, sym_mul, sym_solve, unit
from ..certified.pair import core_of, curvature, moved, newton_step
from ..certified.places import corners_of
from .features import MOST, Features, farthest_points, feature, kept_features, placed, put_points, put_view
from .moving_pair import View, size_of, view_of

PAIRS, CORNERS_OF_A, CORNERS_OF_B = 0, 1, 2  # what the features are used for: as they are, or only their corners
SAME = 1e-6  # of the size: points nearer to each other count as one
LEAST = 1e-6  # of the length of the nearest point: least distance that is assumed
ROUND = 1e-13  # of the radii of curvature: the same
ROOT, NEARLY = 6, 0.01  # steps in search of the distance, and how far the length of n may be from 1
PATIENCE = 2  # evaluations along points of a curved body before one that does not help ends the search


class Followed(NamedTuple):
    """A view along the direction that the features give."""

    found: bool  #: whether its bounds are close enough
    seen: View
    upper: float  #: bound on the distance
    features: Features
    evaluations: int


@jit
def _spanned(features, seen, use, size, work):
    """Write features and the points of a view to a simplex: the number of its rows."""
    if use == PAIRS:
        placed(features, seen.pair, work.simplex)
        put_view(work.simplex, features.number, seen, work.jets)
        return features.number + 1
    here_a, here_b = farthest_points(seen, work.jets)
    count = 0
    for i in range(features.number):
        a, b = feature(features, i)
        if use == CORNERS_OF_B:
            a, other = here_a, norm(sub(b, here_b))
        else:
            b, other = here_b, norm(sub(a, here_a))
        if other > SAME * size:
            put_points(work.simplex, count, seen.pair, a, b)
            count += 1
    put_points(work.simplex, count, seen.pair, here_a, here_b)
    return count + 1


@jit
def _raised(k, d):
    """K + d."""
    return (k[0] + d, k[1], k[2], k[3] + d, k[4], k[5] + d)


@jit
def _turned(k, v, d):
    """The solution u of (K + d) u = v with d such that u is about a unit vector, by Newton's method for 1 / |u|."""
    least = LEAST * norm(v) + ROUND * (k[0] + k[3] + k[5])
    d = max(d, least)
    u = sym_solve(_raised(k, d), v)
    for _ in range(ROOT):
        length = norm(u)
        slope = dot(u, sym_solve(_raised(k, d), u))
        if abs(length - 1.0) <= NEARLY or not length < 1e150 or not slope > 0.0:
            break
        d = max(d + length * length * (length - 1.0) / slope, least)
        u = sym_solve(_raised(k, d), v)
    return u


@jit
def bent(pair, local, value, m, count, jets):
    """The direction n with (K + d) n = w, in the plane normal to the edge between two rows of m.

    K is that of the jets, along `local`; `value` is about the distance d of the cores.
    """
    k, v = curvature(pair, local, jets), blend(m, count, 0)
    if count == 2:
        e = unit(sub((m[1, 0], m[1, 1], m[1, 2]), (m[0, 0], m[0, 1], m[0, 2])))
        ke = sym_mul(k, e)
        h = axpy(ke, -0.5 * dot(e, ke), e)  # K less its parts along e: K - e h' - h e'
        k = (
            k[0] - 2.0 * e[0] * h[0], k[1] - e[0] * h[1] - e[1] * h[0], k[2] - e[0] * h[2] - e[2] * h[0],
            k[3] - 2.0 * e[1] * h[1], k[4] - e[1] * h[2] - e[2] * h[1], k[5] - 2.0 * e[2] * h[2],
        )  # fmt: skip
        v = axpy(v, -dot(v, e), e)
    u = _turned(k, v, value)
    length = norm(u)
    return scale(u, 1.0 / length) if 0.0 < length < 1e300 else local


@jit
def _next(seen, m, count, plane, work):
    """The direction to look along next, in the frame of A."""
    if count == MOST:
        return unit(plane)
    if count == 1 and seen.pair.bends:
        value = max(seen.value + core_of(seen.pair), 0.0)
        step = newton_step(seen.pair, work.jets, seen.local, value, (m[0, 0], m[0, 1], m[0, 2]))
        return moved(seen.pair, seen.local, step.turn, work.scratch)
    return bent(seen.pair, seen.local, seen.value + core_of(seen.pair), m, count, work.jets)


@jit
def followed(moving, seen, features, use, width, limit, work):
    """Improve the direction of a view, whose jets stand in `work`, from the features of the last step.

    The bounds on the distance come as close as `width`, a length and a part of it, in at most `limit` evaluations.
    """
    aim, part = width
    pair, core, size, simplex = seen.pair, core_of(seen.pair), size_of(moving), work.simplex
    used, best, upper, done = 0, seen, math.inf, False
    while True:
        count, plane = nearest(simplex, _spanned(features, seen, use, size, work))
        length = norm(blend(simplex, count, 0))
        upper = min(upper, length - core)
        if seen.value > best.value:
            best = seen
        features = kept_features(features.points, simplex, count)
        done = upper - best.value <= max(aim, part * best.value)
        if done or count > MOST or used >= limit or not length > 0.0 or not length < 1e300:
            break
        # Where the point of a curved body jumps, as on the end of a cylinder, its curvature misleads: then GJK.
        worse = seen.value < best.value
        if use != PAIRS and worse and used >= PATIENCE:
            break
        local = unit(plane) if use == PAIRS and worse else _next(seen, simplex, count, plane, work)
        n = mat_mul(seen.stances[0].turn, local)
        seen = view_of(moving, seen.stances, pair, n, seen.time, work.jets)
        used += 1
        corner_a, corner_b = corners_of(pair, work.jets, size)
        if use != PAIRS and (corner_a == corner_b or corner_b != (use == CORNERS_OF_B)):
            break
    if seen.value != best.value:
        best = view_of(moving, best.stances, pair, best.normal, best.time, work.jets)
        used += 1
    return Followed(done, best, upper, features, used)
