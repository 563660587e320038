"""A convex body against one patch of a mesh wall: the nearest of its faces, convex edges and convex corners.

For a unit vector u let f(u) = min u.x over the body.  With a *face* of the normal n at n.x = c, the signed distance is
f(n) - c, if the point p(n) of the body that is lowest along n lies above or below the face.  With an *edge* through e
it is the maximum of f(u) - u.e over the normals u between those of its two faces.  The derivative along this arc is
(p(u) - e).u', and at its ends it says on which side of the edge p lies: either p lies beyond both faces, and there is a
maximum in between, or one of the faces has the contact.  So a body that moves over an edge always has one contact,
which changes continuously, and where the faces are coplanar nothing changes at all.  With a *corner* it is the same
maximum over all u that hide its edges.

Where the wall is concave, both faces may be touched.  Beyond such an edge a face ends at the plane that halves the
angle, so that a sharp body finds no gap between them.

Both sides of every triangle are faces.  A body is pushed to the side on which most of it is.
"""

import math
from typing import Any, NamedTuple

from numba import types

from ...compiled.jit import element, jit
from ...compiled.small_arrays import on_stack
from ...kernels.vectors import add, axpy, cross, dot, norm, scale, sub, unit
from ...shapes.wall_features import (
    ALL,
    ALONG,
    ANGLE,
    COUNT,
    DEEPEST,
    EARLIER,
    EDGE,
    FACE,
    FIRST,
    FIRST_HALF,
    HALF,
    KIND,
    LATER,
    LEAF,
    LENGTH,
    OWN,
    PLACE,
    PLANE,
    RIM,
    RIM_COLUMNS,
    SECOND_HALF,
    SEEN,
    SIDE_1,
    SIDE_2,
    START,
    STEEPEST,
    vector_of,
)
from ..certified.ascent import ascend, climb
from ..certified.circle_search import value_at
from ..certified.pair import BodyPair
from ..certified.separation import room_to_work
from ..tolerances import scales_of

TIE = 1e-9  # a face ends that far outside its edges, in sizes of the body, where the same patch goes on
SHARE = 0.5  # largest depth, in widths of the body along the normal
CORNER_TIE = 1e-8  # a corner is hidden by an edge up to this angle [rad]
SECANTS, EVALUATIONS = 20, 80  # on an arc: by secants, then by bisection
NEWTON_STEPS = 6  # at a corner
SHORTEST_ARC, SLIGHTEST = 1e-15, 1e-14  # [rad], and relative to the size of the body
_stack, _zero = on_stack(DEEPEST, dtype=types.int64), on_stack(1)


class Nearest(NamedTuple):
    """The nearest feature so far."""

    distance: float
    normal: Any  #: from the wall to the body, in the frame of the wall
    point: Any  #: of the body
    apart: float  #: how far the body can move, at least, before a feature counts that is now left to another patch
    doubt: float  #: lower bound on the distance from corners where the contact was not found


class WallQuestion(NamedTuple):
    """What is needed besides the placed body."""

    point: int  #: address of the formulas of a ball, which with the radius 0 is a point
    bends: bool  #: whether the body has flat places
    size: float  #: of the body, to which tolerances are relative
    rounding: float  #: bound on the error of its support values
    tol: float
    whole: bool  #: whether edges and corners between patches belong to the patch with all their normals


@jit
def _lowest(body, u, jet):
    """Smallest u.x over the body, and the point there."""
    value, x = value_at(body, scale(u, -1.0), jet)
    return -(value + body.core), axpy(x, -body.core, u)


@jit
def _excess(body, u, low, distance, jet):
    """How much too deep the body lies below a feature to be pushed along u; 0 or less if most of it lies above."""
    if distance >= 0.0:
        return 0.0
    high, _ = _lowest(body, scale(u, -1.0), jet)
    return -distance - SHARE * (-high - low)


@jit
def _left(best, apart):
    """The same, but for a feature that may count after a motion by `apart`."""
    return Nearest(best.distance, best.normal, best.point, min(best.apart, max(apart, 0.0)), best.doubt)


@jit
def _found(best, distance, normal, point):
    return Nearest(distance, normal, point, best.apart, best.doubt)


@jit
def _beyond(features, i, column, p):
    """How far p lies beyond an edge, given by its inward vector and the value on it from this column on."""
    return features[i, column + 3] - dot(vector_of(features, i, column), p)


@jit
def _is_past(features, i, column, p, allowed):
    """Whether p lies past an end of an edge of face i by more than `allowed`."""
    n, m = vector_of(features, i, PLANE), vector_of(features, i, column)
    along = dot(cross(n, m), p)
    return not features[i, column + 6] - allowed <= along <= features[i, column + 7] + allowed


@jit
def _beside(features, i, column, body, jet):
    """Signed distance from the plane of the face beyond an edge of face i, and whether the body is before it."""
    n, m, t = vector_of(features, i, PLANE), vector_of(features, i, column), features[i, column + 4]
    c, s = (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)
    u = axpy(scale(n, c), s, m)
    low, _ = _lowest(body, u, jet)
    distance = low - (c * features[i, PLANE + 3] + s * features[i, column + 3])
    return distance, _excess(body, u, low, distance, jet) <= 0.0


ABOVE, BESIDE, ELSEWHERE = 0, 1, 2


@jit
def _place(features, i, body, p, distance, size, jet):
    """Whether p lies above or below face i, or in its continuation below a face that rises beyond an edge.

    If not, BESIDE where the same patch goes on, ELSEWHERE where another begins.
    """
    for k in range(3):
        column = RIM + RIM_COLUMNS * k
        beyond, rise = _beyond(features, i, column, p), features[i, column + 4]
        if beyond <= TIE * size * features[i, column + 5]:
            # Deeper than it is far from a face that rises, and behind that one: it is the other face that it touches.
            wrong = rise > 0.0 and beyond > distance and not _beside(features, i, column, body, jet)[1]
        else:
            allowed = rise * -distance
            wrong = (
                not beyond <= allowed
                or _is_past(features, i, column, p, allowed)
                or not _beside(features, i, column, body, jet)[1]
            )
        if wrong:
            return BESIDE if features[i, column + 5] != 0.0 else ELSEWHERE
    return ABOVE


@jit
def _is_nearest(features, i, body, distance, size, jet):
    """Whether no face beyond a convex edge of face i, which the body overlaps, is nearer.

    Otherwise only a body with flat faces can lie below face i: it lies on the other one.
    """
    for k in range(3):
        column = RIM + RIM_COLUMNS * k
        falls = -STEEPEST < features[i, column + 4] < 0.0
        if falls and _beside(features, i, column, body, jet)[0] > distance + TIE * size:
            return False
    return True


@jit
def _on_face(features, i, body, size, best, jet):
    n = vector_of(features, i, PLANE)
    low, p = _lowest(body, n, jet)
    distance = low - features[i, PLANE + 3]
    if not distance < best.distance:
        return best
    place = _place(features, i, body, p, distance, size, jet)
    if place != ABOVE:
        return best if place == BESIDE else _left(best, distance)
    if distance < 0.0 and not _is_nearest(features, i, body, distance, size, jet):
        return _left(best, 0.0)
    excess = _excess(body, n, low, distance, jet)
    # A motion changes distance and width, and so the excess, at most twice as much.
    return _found(best, distance, n, p) if excess <= 0.0 else _left(best, 0.5 * excess)


@jit
def _on_edge(features, i, body, asked, best, jet):
    size, part = asked.size, ALL if asked.whole else features[i, HALF]
    start, n_1, n_2 = (
        vector_of(features, i, START), vector_of(features, i, SIDE_1), vector_of(features, i, SIDE_2)
    )  # fmt: skip
    low_1, p_1 = _lowest(body, n_1, jet)
    low_2, p_2 = _lowest(body, n_2, jet)
    slope_1, slope_2 = _beyond(features, i, SIDE_1 + 3, p_1), -_beyond(features, i, SIDE_2 + 3, p_2)
    m, first, last = vector_of(features, i, SIDE_1 + 3), 0.0, features[i, ANGLE]
    height_1, height_2 = low_1 - dot(n_1, start), low_2 - dot(n_2, start)
    if (slope_1 > 0.0) == (slope_2 >= 0.0):
        # Only a body with a flat face across the edge has a maximum here as well.
        angle = 0.5 * last
        u = unit(axpy(scale(n_1, math.cos(angle)), -math.sin(angle), m))
        low, p = _lowest(body, u, jet)
        slope = -dot(sub(p, start), axpy(scale(n_1, math.sin(angle)), math.cos(angle), m))
        if slope > 0.0:
            first, p_1, slope_1 = angle, p, slope
        else:
            last, p_2, slope_2 = angle, p, slope
    least = max(height_1, height_2)
    if not least < best.distance:
        return best
    if not slope_1 > 0.0 or not slope_2 < 0.0:
        return best if part == ALL else _left(best, least)
    left, right, side = slope_1, slope_2, 0  # the slopes, or fractions of them (the Illinois method)
    u, low, angle = n_1, low_1, 0.0
    for k in range(EVALUATIONS):
        angle = 0.5 * (first + last) if k >= SECANTS else first + (last - first) * left / (left - right)
        c, s = math.cos(angle), math.sin(angle)
        u = unit(axpy(scale(n_1, c), -s, m))
        low, p = _lowest(body, u, jet)
        slope = -dot(sub(p, start), axpy(scale(n_1, s), c, m))
        if slope > 0.0:
            first, p_1, slope_1, left = angle, p, slope, slope
            right, side = (0.5 * right if side == 1 else slope_2), 1
        else:
            last, p_2, slope_2, right = angle, p, slope, slope
            left, side = (0.5 * left if side == -1 else slope_1), -1
        if abs(slope) <= SLIGHTEST * size or last - first <= SHORTEST_ARC:
            break
    if (part == FIRST_HALF and angle > 0.5 * features[i, ANGLE]) or (
        part == SECOND_HALF and not angle > 0.5 * features[i, ANGLE]
    ):
        return _left(best, low - dot(u, start))
    # Where the body has a face or an edge, p jumps from one side to the other: the contact lies in between.
    p = axpy(p_1, slope_1 / max(slope_1 - slope_2, 1e-300), sub(p_2, p_1))
    distance, along = low - dot(u, start), dot(sub(p, start), vector_of(features, i, ALONG))
    inside = -CORNER_TIE * size <= along <= features[i, LENGTH] + CORNER_TIE * size
    if not inside or not least - TIE * size <= distance < best.distance:
        return best
    excess = _excess(body, u, low, distance, jet)
    return _found(best, distance, u, p) if excess <= 0.0 else _left(best, 0.5 * excess)


@jit
def _largest(wall, i, column, u):
    """Largest product of u and the unit vectors of corner i that are counted in this column; -2 for none."""
    first, most = int(wall.features[i, FIRST]), -2.0
    for c in range(COUNT, column):
        first += int(wall.features[i, c])
    for k in range(first, first + int(wall.features[i, column])):
        most = max(most, dot(vector_of(wall.directions, k, 0), u))
    return most


@jit
def _is_own(wall, i, u):
    """Whether no face of another patch at corner i has a normal closer to u."""
    own = _largest(wall, i, OWN, u)
    return own > _largest(wall, i, EARLIER, u) and own >= _largest(wall, i, LATER, u)


@jit
def _on_corner(wall, i, body, asked, best, jet):
    v, start = vector_of(wall.features, i, PLACE), vector_of(wall.features, i, SEEN)
    lower = _lowest(body, start, jet)[0] - dot(start, v)
    if not lower < best.distance:
        return best
    if dot(best.normal, best.normal) > 0.0 and not _lowest(body, best.normal, jet)[0] - dot(best.normal, v) < (
        best.distance
    ):
        return best  # in the plane of a face that is touched, for instance
    r, none = sub(body.position, v), _zero()
    none[0] = 0.0
    if norm(r) > 0.0:
        away = unit(r)
        height = _lowest(body, away, jet)[0] - dot(away, v)
        if not height < best.distance:
            return best
        if height > max(lower, 0.0):
            start, lower = away, height
    pair = BodyPair(
        asked.point, element(none, 0), 1, 0.0, body.address, body.row, body.size, body.core,
        body.rotation, r, asked.bends, (0.0, 0.0),
    )  # fmt: skip
    lengths, work = scales_of(asked.size, asked.rounding, norm(r), asked.tol), room_to_work()
    found = ascend(pair, start, lengths, work)
    if found.found and not asked.bends:
        # Its distance is accurate to the tolerance, its normal only to the square root of that.
        finer = climb(pair, found.normal, lengths, NEWTON_STEPS, work)
        found = finer if finer.found else found
    distance, u = found.distance - body.core, found.normal
    if not found.found:
        lower = max(lower, found.value - body.core)
        return Nearest(best.distance, best.normal, best.point, best.apart, min(best.doubt, lower))
    # It must hide its edges.  A face parallel to that of the wall, and larger, touches nothing but corners.
    tie = CORNER_TIE if asked.bends else -CORNER_TIE
    if not distance < best.distance or not _largest(wall, i, COUNT, u) < tie:
        return best
    if not asked.whole and not _is_own(wall, i, u):
        return _left(best, distance)
    return _found(best, distance, u, axpy(v, distance, u))


@jit
def _apart(nodes, k, low, high):
    """Whether box k of a tree and another do not overlap."""
    x = nodes[k, 0] <= high[0] and nodes[k, 3] >= low[0]
    y = nodes[k, 1] <= high[1] and nodes[k, 4] >= low[1]
    return not (x and y and nodes[k, 2] <= high[2] and nodes[k, 5] >= low[2])


@jit
def nearest_feature(wall, body, asked, box, limit, jet):
    """The nearest feature of a patch of a wall, in its frame; its distance is `limit` if none is nearer.

    `box` is the lower and the upper corner of a box around the body, `asked` a :class:`WallQuestion`.
    """
    reach = (limit, limit, limit)
    low, high = sub(box[0], reach), add(box[1], reach)
    nodes, features, none = wall.nodes, wall.features, (0.0, 0.0, 0.0)
    best, stack, depth, inner = Nearest(limit, none, none, limit, limit), _stack(), 1, nodes.shape[0] // 2
    stack[0] = 0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if _apart(nodes, node, low, high):
            continue
        if node < inner:
            stack[depth], stack[depth + 1] = 2 * node + 2, 2 * node + 1
            depth += 2
            continue
        first = LEAF * (node - inner)
        for i in range(first, min(first + LEAF, features.shape[0])):
            if features[i, KIND] == FACE:
                best = _on_face(features, i, body, asked.size, best, jet)
            elif features[i, KIND] == EDGE:
                best = _on_edge(features, i, body, asked, best, jet)
            else:
                best = _on_corner(wall, i, body, asked, best, jet)
    return best
