"""Foot points, where the normal through a point meets a surface, in compiled code.

The signed distance of a point p is the maximum of F(n) = n.p - h(n) over unit normals n: contact with a
body that is a point.  Outside the body F has one positive maximum; inside, every local maximum is
a foot point, and the global one is the distance to the surface.  Newton's method finds the maximum near
a start; an inner polytope of the body determines where to start, and which other places could hide a
nearer foot point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import element, entry, jit
from ..kernels.vectors import axpy, dot, norm, sub, unit
from ..solvers.certified.ascent import climb
from ..solvers.certified.pair import BodyPair
from ..solvers.certified.separation import CONVERGED, ROUGH, room_to_work, separate
from ..solvers.tolerances import Scales
from .foot_row import write_foot
from .implicit_foot_points import foot_anew

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
CLIMBING, SEPARATING = 60, 400  # most evaluations per point
STARTS = 20  # most starts for a point inside
ASIDE = 0.985  # cosine below which a face counts as a new direction
TILT = 0.05
FAILED, OUTSIDE, INSIDE, FOLLOWED = 0, 1, 2, 3


class Formulas(NamedTuple):
    """The support function of a body, or of the origin as a body."""

    address: int
    rows: np.ndarray


class Body(NamedTuple):
    """A body on which foot points are computed."""

    formulas: Formulas
    origin: Formulas  #: the origin as a body
    bends: bool  #: whether it has flat places, see `moved` in ``solvers/certified/pair.py``
    size: float  #: [m]


class Feet(NamedTuple):
    """Buffers for the foot points of all points."""

    values: np.ndarray  #: (N, FOOT)
    bounds: np.ndarray  #: (N, 2) proved bounds on the signed distances
    codes: np.ndarray  #: (N,) FAILED, OUTSIDE, INSIDE or FOLLOWED


@jit
def _named(body):
    """The :class:`Body` from plain tuples, which Numba identifies faster when they come from Python."""
    formulas, origin, bends, size = body
    return Body(Formulas(*formulas), Formulas(*origin), bends, size)


@jit
def _with_point(body, p):
    """The body and the point p as a pair."""
    shape, point = body.formulas, body.origin
    return BodyPair(
        address_a=shape.address,
        row_a=element(shape.rows, 0),
        size_a=shape.rows.shape[1],
        core_a=0.0,
        address_b=point.address,
        row_b=element(point.rows, 0),
        size_b=point.rows.shape[1],
        core_b=0.0,
        rotation=IDENTITY,
        position=p,
        bends=body.bends,
        longest=(0.0, 0.0),
    )


@entry
def follow(body, points, normals, out, codes):
    """Foot points near given normals, for points in the body's frame."""
    work, body = room_to_work(), _named(body)
    size = body.size
    for k in range(len(points)):
        p = (points[k, 0], points[k, 1], points[k, 2])
        pair = _with_point(body, p)
        n = (normals[k, 0], normals[k, 1], normals[k, 2])
        rounding = 5e-15 * (size + norm(p))
        climbing, apart_to = Scales(size, rounding, 1e-13 * size), Scales(size, rounding, 1e-12 * size)
        found, _f, distance, m, x, _ = climb(pair, n, climbing, CLIMBING, work)
        codes[k] = FOLLOWED if found else FAILED
        if not found:
            # Outside, fall back to a method that cannot fail.
            end, _, _, apart, a, y, _, _ = separate(pair, m, apart_to, 1e300, SEPARATING, work)
            if end in (CONVERGED, ROUGH):
                distance, m, x = apart, a, y
                codes[k] = FOLLOWED
        write_foot(out, k, distance, m, x)


@jit
def _best_face(faces, p, tried, count):
    """Index and height of the face that p is least behind, among those in new directions."""
    best, top = -1, -1e300
    for j in range(faces.shape[0]):
        height = faces[j, 0] * p[0] + faces[j, 1] * p[1] + faces[j, 2] * p[2] - faces[j, 3]
        if height > top:
            new = True
            for i in range(count):
                new = new and faces[j, 0] * tried[i, 0] + faces[j, 1] * tried[i, 1] + faces[j, 2] * tried[i, 2] < ASIDE
            if new:
                best, top = j, height
    return best, top


@jit
def _tilted(n, p):
    """n, tilted a few degrees towards the side of the body on which p lies."""
    side = axpy(p, -dot(n, p), n)
    length = norm(side)
    return unit(axpy(n, TILT / length, side)) if length > 0.0 else n


@entry
def search(body, implicit, faces, points, start, stop, feet):
    """Nearest foot points of the points from `start` to `stop`; `faces` (normal, offset) guide the search.

    They are those of an inner polytope.  A boundary point lies behind a face, so a face that is farther from p than
    the best foot point hides no better one.  `implicit` are the parameters of ``implicit_foot_points.py``, none for
    bodies of another kind.
    """
    work, body, feet = room_to_work(), _named(body), Feet(*feet)
    size, out, bounds, codes = body.size, feet.values, feet.bounds, feet.codes
    tried = np.empty((2 * STARTS + 3, 3))
    for k in range(start, stop):
        p = (points[k, 0], points[k, 1], points[k, 2])
        pair = _with_point(body, p)
        rounding = 5e-15 * (size + norm(p))
        climbing, apart_to = Scales(size, rounding, 1e-13 * size), Scales(size, rounding, 1e-12 * size)
        code, best, best_n, best_x = FAILED, -1e300, p, p
        if implicit.shape[0] > 0:
            code, best, best_n, best_x, _ = foot_anew(implicit, p, size)
            if code != FAILED and best > -rounding:
                bounds[k, 0], bounds[k, 1] = best - rounding, max(best, norm(sub(p, best_x))) + rounding
                codes[k] = OUTSIDE
                write_foot(out, k, best, best_n, best_x)
                continue
        face, highest = _best_face(faces, p, tried, 0)
        top, missed, count = highest, -1e300, 0
        searched = False
        if code == FAILED:
            best = -1e300
        else:
            tried[0, 0], tried[0, 1], tried[0, 2] = best_n
            count = 1
            face, top = _best_face(faces, p, tried, count)
            searched = face < 0 or top <= best
        n = (faces[face, 0], faces[face, 1], faces[face, 2])
        for _ in range(0 if searched else STARTS):
            found, f, distance, m, x, _ = climb(pair, n, climbing, CLIMBING, work)
            if not found and f < rounding:
                # The middle of a flat side has no curvature to use: retry from its rim, towards p.
                n = _tilted(n, p)
                found, f, distance, m, x, _ = climb(pair, n, climbing, CLIMBING, work)
            tried[count, 0], tried[count, 1], tried[count, 2] = n
            tried[count + 1, 0], tried[count + 1, 1], tried[count + 1, 2] = m
            count += 2
            if not found:
                missed = max(missed, top)
            if distance > best:
                best, best_n, best_x, code = distance, m, x, INSIDE if found else FAILED
            if f > rounding:
                searched = True
                break
            face, top = _best_face(faces, p, tried, count)
            if face < 0 or top <= best:
                searched = True
                break
            n = (faces[face, 0], faces[face, 1], faces[face, 2])
        if missed > best or not searched:
            code = FAILED
        bounds[k, 0] = best - rounding
        if code == FAILED or best > -rounding:
            # At the surface or outside: distance of convex bodies, with proof.
            end, lower, upper, apart, a, y, _, _ = separate(pair, best_n, apart_to, 1e300, SEPARATING, work)
            if end in (CONVERGED, ROUGH):
                code, best, best_n, best_x = OUTSIDE, apart, a, y
                bounds[k, 0], bounds[k, 1] = min(lower, apart) - rounding, max(upper, apart) + rounding
        if code == INSIDE:
            # The ball around p inside the inner polytope proves a lower bound on the depth.
            bounds[k, 1] = max(min(highest, 0.0), best) + rounding
        codes[k] = code
        write_foot(out, k, best, best_n, best_x)
