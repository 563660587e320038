"""Depth of two overlapping planar bodies: bounds by a growing polygon, refinement by Newton's method.

The set D of all w = x_B - x_A contains the origin; the depth is the distance from the origin to the
boundary of D, and every n proves depth <= -F(n).  Between two evaluated normals the boundary of D lies
outside the segment of their points w, so the nearest segment of the polygon of all evaluated w proves
depth >= its distance.  Always refining the nearest segment is a global search: a segment
farther away than the best depth cannot hide a better one.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import jit
from ..vectors import axpy, cross, dot, mix, norm, quarter, unit
from .pair import evaluate
from .separation import (
    BROKEN,
    CHORD,
    CONVERGED,
    EXHAUSTED,
    MIDDLE,
    NEWTON,
    chord,
    foot_between,
    inside,
    nearest,
    newton,
)

NODES = 520
# Columns of a node: normal, w, x, F, t.w, K; the next node counter-clockwise; distance of the segment to
# it; whether that segment can no longer be split.
_N, _W, _X, _F, _G, _K, _NEXT, _D, _CLOSED, COLUMNS = 0, 2, 4, 6, 7, 8, 9, 10, 11, 12
START = 8  # initial directions
POLISH_BUDGET = 120  # evaluations after the depth is known, for its normal and points


class End(NamedTuple):
    """One end of an arc of normals, and what was evaluated there."""

    n: Any
    f: float
    w: Any
    x: Any
    k: float


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
    before = 0
    for i in range(count):
        if int(v[i, _NEXT]) == best:
            before = i
    after = int(v[best, _NEXT])
    here = _end(v, best)
    g = v[best, _G]
    if abs(g) <= 2.0 * rounding:
        return here.n, axpy(here.x, 0.5 * g, quarter(here.n)), here.f, 0
    left, right = (here, _end(v, after)) if g > 0.0 else (_end(v, before), here)
    return narrow(pair, left, right, tolerance, rounding, POLISH_BUDGET, jets)


@jit
def _end(v, i):
    return End(_pair_of(v, i, _N), v[i, _F], _pair_of(v, i, _W), _pair_of(v, i, _X), v[i, _K])


@jit
def narrow(pair, left, right, tolerance, rounding, budget, jets):
    """Contact at the maximum of F between two normals: t.w > 0 at the left one, or < 0 at the right one.

    Returns (normal, foot, F, evaluations); the foot lies on A, and its counterpart on B, to the tolerance.
    """
    used, kind, residual = 0, NEWTON, 1e300
    while True:
        best = left if left.f >= right.f else right
        foot, error = foot_between(best.n, best.f, left.w, left.x, right.w, right.x)
        if error <= tolerance or used >= budget:
            break
        m = best.n
        if kind == NEWTON:
            m = newton(best.n, best.f, best.w, best.k)
        elif kind == CHORD:
            m = chord(left.w, right.w, best.n)
        if not inside(left.n, m, right.n):
            m = unit((left.n[0] + right.n[0], left.n[1] + right.n[1]))
            if not inside(left.n, m, right.n):
                break
        f, w, x, k = evaluate(pair, m, jets)
        used += 1
        g = dot(quarter(m), w)
        if not (kind == NEWTON and abs(g) <= 0.5 * residual):
            kind = CHORD if kind == NEWTON else (MIDDLE if kind == CHORD else NEWTON)
        residual = abs(g)
        # The higher end stays, whatever F does in between.
        if (g >= 0.0) == (f >= (left.f if g >= 0.0 else right.f) - rounding):
            left = End(m, f, w, x, k)
        else:
            right = End(m, f, w, x, k)
    return best.n, foot, best.f, used


@jit
def follow(pair, n, tolerance, rounding, budget, jets):
    """The local maximum of F near n: (found, F, normal, foot, evaluations)."""
    f, w, x, k = evaluate(pair, n, jets)
    g, step, evaluations = dot(quarter(n), w), 0.1, 1
    left = right = End(n, f, w, x, k)
    while evaluations < budget:
        if abs(g) <= 2.0 * rounding:
            return True, f, n, axpy(x, 0.5 * g, quarter(n)), evaluations
        if g > 0.0:
            left = End(n, f, w, x, k)
        else:
            right = End(n, f, w, x, k)
        if dot(quarter(left.n), left.w) > 0.0 > dot(quarter(right.n), right.w):
            n, foot, f, used = narrow(pair, left, right, tolerance, rounding, budget - evaluations, jets)
            return True, f, n, foot, evaluations + used
        m = newton(n, f, w, k)
        ahead = cross(n, m)
        if not (ahead * g > 0.0 and abs(ahead) < step):
            m = unit(axpy(n, math.copysign(step, g), quarter(n)))
        n = m
        f, w, x, k = evaluate(pair, n, jets)
        g = dot(quarter(n), w)
        evaluations += 1
        step = min(1.5 * step, 0.5)
    return False, f, n, axpy(x, 0.5 * g, quarter(n)), evaluations


@jit
def scratch():
    return np.empty((NODES + 1, COLUMNS))
