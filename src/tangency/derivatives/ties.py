"""Whether another normal has the same depth: a body in the middle of another, or of a cavity.

There the global depth has a kink, although each of its normals is regular.  F is sampled, and the best samples climb.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import call_shape, element, entry, jit
from ..kernels.jet import JET
from ..kernels.vectors import add, axpy, cross, dot, frame, mat_t_mul, scale, sub, unit
from .side import PLANE, Side, body_at, row_of

SAMPLES = 96
STARTS = 6  # samples that climb
SLACK = 0.3  # of the size: a sample this much below the depth is not near a tie
APART = 0.3  # angle between starts, and between them and the normal
OTHER = 1e-3  # angle between normals that are different
EQUAL = 1e-8  # of the size: depths that are the same
LONGEST, SHORTEST, SHRINK = 0.2, 1e-9, 0.6  # steps of a climb
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
_TURNS = 8


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
def _climb(a, b, n, jet):
    """The maximum near n: steps in eight directions, whose length shrinks; works on edges as well."""
    f, step, turn, axis = _height(a, b, n, jet), LONGEST, 0.0, _axis(a, b)
    endless = dot(axis, axis) > 0.5
    while step > SHORTEST:
        t, s = frame(n)
        better, turn = False, turn + 1.0
        for j in range(2 if endless else _TURNS):
            angle = turn + j * 2.0 * math.pi / _TURNS
            m = unit(axpy(axpy(n, step * math.cos(angle), t), step * math.sin(angle), s))
            if endless:
                m = _around(axis, n, step if j else -step)
            g = _height(a, b, m, jet)
            if g > f:
                f, n, better = g, m, True
                break
        if not better:
            step *= SHRINK
    return f, n


@jit
def _is_tie(a, b, n, d, work):
    """Whether another normal than n has the depth d."""
    convex = not (a.hollow or b.hollow)
    best, size, axis = d if convex else -d, a.radius + b.radius, _axis(a, b)
    jet, heights = work[:JET], work[JET:]
    for j in range(SAMPLES):
        heights[j] = _height(a, b, _sample(j, n, axis), jet)
    for _ in range(STARTS):
        top, height = -1, best - SLACK * size
        for j in range(SAMPLES):
            if heights[j] > height and dot(n, _sample(j, n, axis)) < math.cos(APART):
                top, height = j, heights[j]
        if top < 0:
            return False
        begin = _sample(top, n, axis)
        for j in range(SAMPLES):
            if dot(begin, _sample(j, n, axis)) > math.cos(APART):
                heights[j] = -math.inf
        f, m = _climb(a, b, begin, jet)
        if f >= best - EQUAL * size and dot(n, m) < math.cos(OTHER):
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
    count, work = regular.size, np.empty(JET + SAMPLES)
    convex = not (a.hollow or b.hollow)
    if a.kind == PLANE or b.kind == PLANE:
        return
    for position in range(start, stop):
        k = order[position] if order.size else position
        d, i = values[k], 3 * count + 3 * k
        if not regular[k] or (convex and d > -(core_a[row_of(a.pick, k)] + core_b[row_of(b.pick, k)])):
            continue
        n = (values[i], values[i + 1], values[i + 2])
        if _is_tie(body_at(a, k), body_at(b, k), n, d, work):
            regular[k] = False
