"""Depth of two overlapping planar bodies: bounds by a growing polygon, refinement by Newton's method.

The set D of all w = x_B - x_A contains the origin; the depth is the distance from the origin to the
boundary of D, and every n proves depth <= -F(n).  Between two evaluated normals the boundary of D lies
outside the segment of their points w, so the nearest segment of the polygon of all evaluated w proves
depth >= its distance.  Always refining the nearest segment is a global search: a segment
farther away than the best depth cannot hide a better one.
"""

import math

import numpy as np

from ...compiled.jit import jit
from ..vectors import axpy, cross, dot, mix, norm, quarter, unit
from .ascent import End, narrow
from .pair import evaluate
from .separation import BROKEN, CONVERGED, EXHAUSTED, inside, nearest, newton

NODES = 520
# Columns of a node: normal, w, x, F, t.w, K; the next node counter-clockwise; distance of the segment to
# it; whether that segment can no longer be split.
_N, _W, _X, _F, _G, _K, _NEXT, _D, _CLOSED, COLUMNS = 0, 2, 4, 6, 7, 8, 9, 10, 11, 12
START = 8  # initial directions
POLISH_BUDGET = 120  # evaluations after the depth is known, for its normal and points


@jit
def _pair_of(v, i, column):
    return (v[i, column], v[i, column + 1])


@jit
def _put(pair, v, i, n, jets):
    f, w, x, k = evaluate(pair, n, jets)
    v[i, 0], v[i, 1], v[i, 2], v[i, 3], v[i, 4], v[i, 5] = n[0], n[1], w[0], w[1], x[0], x[1]
    v[i, _F], v[i, _G], v[i, _K], v[i, _CLOSED] = f, dot(quarter(n), w), k, 0.0
    return f


@jit
def _measure(v, i):
    """Write the distance proved by the segment from node i to the next one; negative if the origin lies outside."""
    p, q = _pair_of(v, i, _W), _pair_of(v, int(v[i, _NEXT]), _W)
    e = (q[0] - p[0], q[1] - p[1])
    side = cross(p, e)  # positive if the origin lies to the left
    length = norm(e)
    reach = norm(mix(p, q, nearest(p, q)))
    if side <= 0.0 and length > 0.0:
        reach = side / length
    # The boundary turns by less than 45 degrees in between, so it is shorter than 1.1 chords: useful if
    # the chord is no longer than rounding errors and its direction is meaningless.
    v[i, _D] = max(reach, norm(p) - 1.1 * length)


@jit
def _split(v, i, best, tolerance, chord_only):
    """Direction inside the arc from node i to the next, or the zero vector if there is none."""
    j = int(v[i, _NEXT])
    left, right = _pair_of(v, i, _N), _pair_of(v, j, _N)
    e = (v[j, _W] - v[i, _W], v[j, _W + 1] - v[i, _W + 1])
    middle = (left[0] + right[0], left[1] + right[1])
    chord = unit((-e[1], e[0])) if norm(e) > 0.0 else unit(middle)
    if not inside(left, chord, right):
        chord = unit(middle)
        if not inside(left, chord, right):
            return (0.0, 0.0)
    if chord_only or v[i, _D] <= 0.0:
        return chord
    # From the end with the larger F: does F rise into the arc, or fall?
    near = i if v[i, _F] >= v[j, _F] else j
    sign = 1.0 if near == i else -1.0
    n, f, g = _pair_of(v, near, _N), v[near, _F], v[near, _G]
    if v[near, _K] + f <= 0.0:
        return chord  # at a corner of D, where F has no maximum
    if sign * g > 0.0 and f * f * 1e-14 < g * g:
        m = newton(n, f, _pair_of(v, near, _W), v[near, _K])
        return m if inside(left, m, right) else chord
    # F falls: the longest step whose segment is still proved to lie beyond the best depth.
    step = max(1.8 * abs(g) / -f, math.sqrt(6.0 * tolerance / -f))
    m = unit(axpy(n, sign * math.tan(min(step, 1.0)), quarter(n)))
    if inside(left, m, chord if near == i else right) and inside(left if near == i else chord, m, right):
        return m
    return chord


@jit
def penetrate(pair, start, tolerance, rounding, budget, jets, v):
    """Depth of a pair whose cores overlap, by a search of all directions.

    Returns (end, lower, upper, normal, foot, evaluations); lower = F(normal), and -upper is the smallest
    distance of the polygon.  `end` is CONVERGED if that proves the depth, EXHAUSTED if not, or BROKEN.
    """
    count, best, sound = START, 0, True
    for i in range(START):
        angle = 2.0 * math.pi * i / START
        c, s = math.cos(angle), math.sin(angle)
        f = _put(pair, v, i, (c * start[0] - s * start[1], s * start[0] + c * start[1]), jets)
        v[i, _NEXT] = (i + 1) % START
        sound = sound and abs(f) < 1e300
        best = i if f > v[best, _F] else best
    for i in range(START):
        _measure(v, i)
    proved, turn = False, 0
    while True:
        near, reach, low = -1, 1e300, 1e300
        for i in range(count):
            low = min(low, v[i, _D])
            if v[i, _D] < reach and v[i, _CLOSED] == 0.0:
                near, reach = i, v[i, _D]
        proved = -v[best, _F] - low <= tolerance
        if proved or not sound or near < 0 or count >= min(budget, NODES):
            break
        turn += 1
        n = _split(v, near, best, tolerance, turn % 8 == 7)
        if n[0] == 0.0 and n[1] == 0.0:
            v[near, _CLOSED] = 1.0
            continue
        f = _put(pair, v, count, n, jets)
        sound = abs(f) < 1e300
        v[count, _NEXT] = v[near, _NEXT]
        v[near, _NEXT] = count
        best = count if f > v[best, _F] else best
        _measure(v, near)
        _measure(v, count)
        count += 1
    if not sound:
        return BROKEN, -1e300, 1e300, start, start, count
    n, foot, lower, used = _polish(pair, v, best, count, tolerance, rounding, jets)
    return CONVERGED if proved else EXHAUSTED, lower, -low, n, foot, count + used


@jit
def _polish(pair, v, best, count, tolerance, rounding, jets):
    """Normal and contact point on A as accurate as the depth, between the best normal and one of its neighbours."""
    g = v[best, _G]
    if abs(g) <= 2.0 * rounding:
        here = _end(v, best)
        return here.n, axpy(here.x, 0.5 * g, quarter(here.n)), here.f, 0
    # Next to the maximum F is flat to rounding errors: t.w may change its sign farther on than at the neighbour.
    here = best
    for _ in range(count):
        there = int(v[here, _NEXT]) if g > 0.0 else _before(v, count, here)
        if v[there, _G] * g <= 0.0 or v[there, _F] < v[best, _F] - 2.0 * rounding:
            break
        here = there
    left, right = (_end(v, here), _end(v, there)) if g > 0.0 else (_end(v, there), _end(v, here))
    return narrow(pair, left, right, tolerance, rounding, POLISH_BUDGET, jets)


@jit
def _before(v, count, node):
    """The node before another one, clockwise."""
    for i in range(count):
        if int(v[i, _NEXT]) == node:
            return i
    return node


@jit
def _end(v, i):
    return End(_pair_of(v, i, _N), v[i, _F], _pair_of(v, i, _W), _pair_of(v, i, _X), v[i, _G], v[i, _K])


@jit
def scratch():
    return np.empty((NODES + 1, COLUMNS))
