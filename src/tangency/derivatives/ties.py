"""Whether another normal has the same depth: a body in the middle of another, or of a cavity.

There the global depth has a kink, although each of its normals is regular.  F is sampled, and the best samples climb.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import call_shape, element, entry, jit
from ..kernels.jet import JET, point_of
from ..kernels.poses import at
from ..kernels.principal_radii import EDGED, PLANE
from ..kernels.vectors import add, axpy, cross, dot, frame, mat_mul, mat_t_mul, norm, scale, sub, unit
from .side import Side, body_at

SAMPLES = 96
STARTS = 6  # samples that climb
SLACK = 0.3  # of the size: a sample this much below the depth is not near a tie
COS_APART = math.cos(0.3)  # of the angle between starts, and between them and the normal
COS_OTHER = math.cos(1e-3)  # of the angle between normals that are different
EQUAL = 1e-8  # of the size: depths that are the same
ASCENT, SUMMIT, NEARLY = 40, 1e-5, 0.1  # most steps along the gradient; gradient of a maximum; heights worth a climb
LONGEST, SHORTEST, SHRINK, CLIMB = 0.1, 1e-9, 0.5, 200  # steps of a climb, and most of them
FARTHEST = 4.0  # steps of the present length within which the maximum is taken to be
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
_TURNS = 8
_ORDERS = ((0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1))


@jit
def _axis(a, b):
    """Axis of an endless cavity, the only directions around which are normals of its wall; zero for other bodies."""
    body = a if a.hollow == 2 else b
    if body.hollow != 2:
        return (0.0, 0.0, 0.0)
    return (body.turn[2], body.turn[5], body.turn[8])


@jit
def _around(axis, n, angle):
    """The unit vector n turned about an axis."""
    along, across = dot(axis, n), cross(axis, n)
    flat = axpy(n, -along, axis)
    return add(axpy(scale(flat, math.cos(angle)), math.sin(angle), across), scale(axis, along))


@jit
def _sample(k, n, axis):
    """Sample k of the unit sphere, on a spiral; or of the circle of n about an axis."""
    if dot(axis, axis) > 0.5:
        return _around(axis, n, 2.0 * math.pi * k / SAMPLES)
    z = 1.0 - (2.0 * k + 1.0) / SAMPLES
    rho = math.sqrt(1.0 - z * z)
    return (rho * math.cos(_GOLDEN * k), rho * math.sin(_GOLDEN * k), z)


@jit
def _support(body, n, jet):
    """Support value of a body in the world direction n; of a cavity minus that of the hollow at -n."""
    sign = -1.0 if body.hollow else 1.0
    m = scale(mat_t_mul(body.turn, n), sign)
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(jet, 0))
    return sign * jet[0]


@jit
def _height(a, b, n, jet):
    """F(n), or in a cavity minus the clearance: what the normal of the contact makes largest."""
    f = dot(n, sub(b.place, a.place)) - _support(a, n, jet) - _support(b, scale(n, -1.0), jet)
    return -f if a.hollow or b.hollow else f


@jit
def _slope(a, b, n, jet):
    """The height of n, and its gradient on the sphere."""
    height, place_a = -_support(a, n, jet), mat_mul(a.turn, point_of(jet, 0))
    height, place_b = height - _support(b, scale(n, -1.0), jet), mat_mul(b.turn, point_of(jet, 0))
    w = sub(add(b.place, place_b), add(a.place, place_a))
    height, sign = height + dot(n, sub(b.place, a.place)), -1.0 if a.hollow or b.hollow else 1.0
    return sign * height, scale(axpy(w, -dot(n, w), n), sign)


@jit
def _ascend(a, b, n, goal, jet):
    """A maximum near n by steps along the gradient: height, normal, and whether it may be higher still."""
    size, axis = a.radius + b.radius, _axis(a, b)
    if dot(axis, axis) > 0.5:
        return _height(a, b, n, jet), n, True
    f, g = _slope(a, b, n, jet)
    rate = 1.0 / size
    for _ in range(ASCENT):
        if norm(g) <= SUMMIT * size:
            return f, n, False
        m = unit(axpy(n, rate, g))
        height, gradient = _slope(a, b, m, jet)
        if height > f:
            f, g, n, rate = height, gradient, m, 1.7 * rate
        else:
            rate *= 0.3
    return f, n, f >= goal - NEARLY * size  # an edge, or a slow ascent


@jit
def _climb(a, b, n, goal, jet):
    """The maximum near n: steps in eight directions, shorter where none leads upward; works on edges as well.

    It ends when the `goal` is out of reach: F changes by at most its largest slope times the angle.
    """
    slope = FARTHEST * (a.radius + b.radius + norm(sub(b.place, a.place)))
    f, step, turn, axis, way = _height(a, b, n, jet), LONGEST, 0.0, _axis(a, b), n
    endless = dot(axis, axis) > 0.5
    for _ in range(CLIMB):
        if not (step > SHORTEST and f + slope * step >= goal):
            break
        t, s = frame(n)
        better, turn = False, turn + 1.0
        for j in range(2 if endless else _TURNS + 1):
            angle = turn + j * 2.0 * math.pi / _TURNS
            m = unit(axpy(axpy(n, step * math.cos(angle), t), step * math.sin(angle), s))
            if endless:
                m = _around(axis, n, step if j else -step)
            elif j == 0:  # on a ridge few directions lead upward: the last one that did
                m = unit(axpy(n, step, way))
            g = _height(a, b, m, jet)
            if g > f:
                way = axpy(m, -dot(m, n), n)
                way = scale(way, 1.0 / max(norm(way), SHORTEST))
                f, n, better = g, m, True
                break
        step = min(step / SHRINK, LONGEST) if better else SHRINK * step
    return f, n


@jit
def _fill(directions, n, axis):
    for k in range(SAMPLES):
        directions[k, 0], directions[k, 1], directions[k, 2] = _sample(k, n, axis)


@jit
def _cosine(directions, k, n):
    return directions[k, 0] * n[0] + directions[k, 1] * n[1] + directions[k, 2] * n[2]


@jit
def _is_mirrored(a, b, n, goal, jet):
    """Whether the normal opposite to n, or mirrored at planes of symmetry of a body, reaches the same height.

    Of bodies with edges these may be the planes of a cube.
    """
    for body in (a, b):
        own = mat_t_mul(body.turn, n)
        for k in range(8 * len(_ORDERS) if body.kind == EDGED else 8):
            i, j, l = _ORDERS[k >> 3]
            x = -own[i] if k & 1 else own[i]
            y = -own[j] if k & 2 else own[j]
            z = -own[l] if k & 4 else own[l]
            m = mat_mul(body.turn, (x, y, z))
            if dot(n, m) < COS_OTHER and _height(a, b, m, jet) >= goal:
                return True
    return False


@jit
def _is_tie(a, b, n, d, directions, work):
    """Whether another normal than n has the depth d; `directions` are the samples, `work` holds a jet and heights."""
    convex = not (a.hollow or b.hollow)
    best, size, axis = d if convex else -d, a.radius + b.radius, _axis(a, b)
    jet, heights = work[:JET], work[JET:]
    if dot(axis, axis) > 0.5:
        _fill(directions, n, axis)
    elif _is_mirrored(a, b, n, best - EQUAL * size, jet):
        return True
    for j in range(SAMPLES):
        heights[j] = _height(a, b, (directions[j, 0], directions[j, 1], directions[j, 2]), jet)
    for _ in range(STARTS):
        top, height = -1, best - SLACK * size
        for j in range(SAMPLES):
            if heights[j] > height and _cosine(directions, j, n) < COS_APART:
                top, height = j, heights[j]
        if top < 0:
            return False
        begin = directions[top, 0], directions[top, 1], directions[top, 2]
        for j in range(SAMPLES):
            if _cosine(directions, j, begin) > COS_APART:
                heights[j] = -math.inf
        goal = best - EQUAL * size
        f, m, rough = _ascend(a, b, begin, goal, jet)
        if rough:
            f, m = _climb(a, b, m, goal, jet)
        if f >= goal and dot(n, m) < COS_OTHER:
            return True
    return False


@entry
def ties(a, b, values, cores, part, regular):
    """Set `regular` to False for contacts whose depth another normal has too.

    `cores` are the core radii of all rows of A and of B: overlaps shallower than both together have one normal.
    """
    a, b = Side(*a), Side(*b)
    core_a, core_b = cores
    order, start, stop = part
    count, work, directions = regular.size, np.empty(JET + SAMPLES), np.empty((SAMPLES, 3))
    _fill(directions, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    convex = not (a.hollow or b.hollow)
    if a.kind == PLANE or b.kind == PLANE:
        return
    for position in range(start, stop):
        k = order[position] if order.size else position
        d, i = values[k], 3 * count + 3 * k
        if not regular[k] or (convex and d > -(core_a[at(a.pick, k)] + core_b[at(b.pick, k)])):
            continue
        n = (values[i], values[i + 1], values[i + 2])
        if _is_tie(body_at(a, k), body_at(b, k), n, d, directions, work):
            regular[k] = False
