"""Proof that a common normal of two overlapping bodies is that of the shortest separating translation, by rings.

D is the set of all w = x_B - x_A, and n a local maximum of F, at the depth d = -F(n).  Every evaluated w(m) is a point
of D.  A ring consists of points w(m) for directions m at equal angles around n; each ring is several times wider than
the next one and turned by half a step.  Strips of triangles between neighbouring rings, a fan from the innermost one to
w(n) and a fan from the outermost one to w(-n) form a closed surface.

Theorem.  If for every triangle there is a unit vector e, on the side given by its winding, with e.v >= r > 0 for its
three corners v, then F <= -r in all directions.

Proof.  All triangles are wound outward as seen from the origin, so their directions cover the sphere.  Thus for every
unit vector u a point p = -t u, t > 0, lies on one of them, hence in D.  As t = |p| >= e.p >= r, F(u) <= u.p = -t <= -r.

Only convexity is used, no bound on the curvature, so this holds for every body.  The radii of curvature at n, the
eigenvalues of K, suggest the widths: for small angles, w(n + c) proves F <= -d in the directions n + v with
d |v|^2 - 2 v.Kc + c.Kc <= 0.  Along c, the largest such |v| is about 4 K / d times the smallest; that is how much wider
the next ring may be, if it has enough corners.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...compiled.small_arrays import on_stack
from ...kernels.vectors import axpy, cross, dot, frame, norm, scale, sym_mul, unit
from .growing_polytope import area, corner
from .pair import curvature, evaluate

MOST = 8  # corners of a ring in the second attempt
FEW, SOME = 0.12, 0.3  # ratios of depth to radius of curvature up to which rings have three or four corners, else six
WIDEST = 2.0  # tangent of the angle between n and the outermost ring
CAUTION = 0.6  # part of the theoretical growth from ring to ring that is tried first
LEAST_GROWTH, MOST_GROWTH = 1.3, 1e4
FEWER = 0.6  # exponent of the growth after a failure
STEEP = 0.7  # ratio of depth to the smaller radius of curvature above which too many rings would be needed
TINY = 1e-9  # width of the last ring that is tried


class Rings(NamedTuple):
    """Result of the proof."""

    proved: bool
    upper: float  #: proved bound on F, if `proved`
    better: bool  #: whether a direction with a larger F has been found
    normal: Any  #: that direction
    evaluations: int


class Around(NamedTuple):
    """The maximum to be proved: its normal, F and w, and how rings are placed around it."""

    normal: Any
    value: float
    w: Any
    back: Any  #: w(-n)
    first: Any  #: principal direction of the larger radius of curvature
    second: Any
    narrow: float  #: width of a ring along `first`, and one over its width along `second`
    ratio: float  #: of the depth to the smaller radius of curvature


_ring = on_stack(MOST, 3)


@jit
def _height(a, b, c):
    """Smallest height of three corners above the origin along the normal of their triangle, which is wound outward."""
    e = area(a, b, c)
    length = norm(e)
    if not length > 0.0:
        return -math.inf
    return min(dot(e, a), dot(e, b), dot(e, c)) / length


@jit
def _fan(top, ring, outward):
    """Smallest height of the triangles between a ring and a corner."""
    count = len(ring)
    least = math.inf
    for i in range(count):
        a, b = corner(ring, i), corner(ring, (i + 1) % count)
        least = min(least, _height(top, a, b) if outward else _height(top, b, a))
    return least


@jit
def _strip(outer, inner):
    """Smallest height of the triangles between two rings; the inner one is turned forward by half a step."""
    count = len(outer)
    least = math.inf
    for i in range(count):
        j = (i + 1) % count
        a, b, p, q = corner(outer, i), corner(outer, j), corner(inner, i), corner(inner, j)
        least = min(least, _height(b, a, p), _height(b, p, q))
    return least


@jit
def _principal(k, n):
    """Larger and smaller eigenvalue of K on the tangent plane of n, and the directions."""
    t, s = frame(n)
    kt, ks = sym_mul(k, t), sym_mul(k, s)
    half, mixed, mean = 0.5 * (dot(kt, t) - dot(ks, s)), dot(kt, s), 0.5 * (dot(kt, t) + dot(ks, s))
    root = math.hypot(half, mixed)
    angle = 0.5 * math.atan2(mixed, half)
    first = axpy(scale(t, math.cos(angle)), math.sin(angle), s)
    return mean + root, mean - root, first, cross(n, first)


@jit
def _put_ring(pair, at, width, phase, ring, jets):
    """Evaluate a ring, behind the bodies if the width is negative: the largest F, and its direction."""
    highest, best, count = -math.inf, at.normal, len(ring)
    along = math.copysign(1.0, width)
    across_first, across_second = min(abs(width) * at.narrow, WIDEST), min(abs(width) / at.narrow, WIDEST)
    for i in range(count):
        angle = 2.0 * math.pi * (i + phase) / count
        c = axpy(scale(at.first, across_first * math.cos(angle)), across_second * math.sin(angle), at.second)
        m = unit(axpy(c, along, at.normal))
        f, w, _ = evaluate(pair, m, jets)
        ring[i, 0], ring[i, 1], ring[i, 2] = w
        if f > highest:
            highest, best = f, m
    return highest, best


@jit
def _attempt(pair, at, rear, tolerance, outer, inner, jets):
    """The proof with rings of a given number of corners, one of them behind the bodies if `rear`."""
    count, f = len(outer), at.value
    wanted, limit = -f - tolerance, f + tolerance
    growth = min(max(CAUTION * 4.0 * math.cos(math.pi / count) / at.ratio, LEAST_GROWTH), MOST_GROWTH)
    width, phase, evaluations = WIDEST / at.narrow, 0.0, count
    highest, best = _put_ring(pair, at, width, phase, outer, jets)
    if rear:
        least = -math.inf
        if highest <= limit:
            highest, best = _put_ring(pair, at, -width, -0.5, inner, jets)
            evaluations += count
            least = min(_fan(at.back, inner, True), _strip(inner, outer))
    else:
        least = _fan(at.back, outer, True)
    width = WIDEST * at.narrow
    while highest <= limit and least >= wanted:
        closing = _fan(at.w, outer, False)
        if closing >= wanted:
            return Rings(True, -min(least, closing), False, at.normal, evaluations)
        if not (width > TINY and growth >= LEAST_GROWTH):
            break
        highest, best = _put_ring(pair, at, width / growth, phase + 0.5, inner, jets)
        evaluations += count
        between = _strip(outer, inner)
        if between >= wanted:
            outer, inner = inner, outer
            width, phase, least = width / growth, phase + 0.5, min(least, between)
        else:
            growth = growth**FEWER
    return Rings(False, 0.0, highest > limit, best, evaluations)


@jit
def rings(pair, n, f, w, lengths, jets):
    """Try to prove that F has its largest value f at n, to the tolerance; the jets are those at n."""
    larger, smaller, first, second = _principal(curvature(pair, n, jets), n)
    ratio = -f / smaller if smaller > 0.0 else math.inf
    # The depth must exceed the tolerance, or triangles might be wound either way.
    if not (-f > 4.0 * max(lengths.tolerance, lengths.rounding) and ratio < STEEP):
        return Rings(False, 0.0, False, n, 0)
    f_back, back, _ = evaluate(pair, scale(n, -1.0), jets)
    evaluations = 1
    if f_back > f + lengths.tolerance:
        return Rings(False, 0.0, True, scale(n, -1.0), evaluations)
    # Rings are wider along the direction of the smaller radius: all corners are then equally far below the plane of n.
    at = Around(n, f, w, back, first, second, (smaller / larger) ** 0.25, ratio)
    outer, inner = _ring(), _ring()
    for k in range(2):
        count = MOST if k > 0 else (3 if ratio < FEW else (4 if ratio < SOME else 6))
        found = _attempt(pair, at, k > 0, lengths.tolerance, outer[:count], inner[:count], jets)
        evaluations += found.evaluations
        if found.proved or found.better:
            return Rings(found.proved, found.upper, found.better, found.normal, evaluations)
    return Rings(False, 0.0, False, n, evaluations)
