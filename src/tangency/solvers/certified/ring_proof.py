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
eigenvalues of K, suggest the widths.  For small angles the boundary of D is a paraboloid.  In units in which K is the
identity it is y^2 / 2 high above the tangent plane at w(n), and the plane of a triangle has the slope y0 and the height
(R^2 - y0^2) / 2, with the centre y0 and the radius R of the circle through its corners.  It proves F <= -d if

    R^2 <= (1 - d) y0^2.

Both kinds of triangles between two rings of k corners give the same limit for the ratio of the widths, `_growth`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import uncounted
from ...compiled.small_arrays import on_stack
from ...kernels.vectors import axpy, cross, dot, frame, norm, scale, sym_mul, unit
from .growing_polytope import area, corner
from .pair import curvature, evaluate

MOST = 8  # corners of a ring in the second attempt
# Ratios of depth to radius of curvature up to which rings have three, four or five corners, else six.
THREE, FOUR, FIVE = 0.12, 0.3, 0.5
WIDEST = 2.0  # tangent of the angle between n and the outermost ring
CAUTION = 0.97  # part of the theoretical growth, and of the theoretical width of the last ring, that is tried first
LEAST_GROWTH, MOST_GROWTH = 1.3, 1e4
FEWER, MORE = 0.6, 1.5  # exponents of the growth after a failure and after a success
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


@uncounted
def _height(a, b, c):
    """Smallest height of three corners above the origin along the normal of their triangle, which is wound outward."""
    e = area(a, b, c)
    length = norm(e)
    if not length > 0.0:
        return -math.inf
    return min(dot(e, a), dot(e, b), dot(e, c)) / length


@uncounted
def _fan(top, ring, outward):
    """Smallest height of the triangles between a ring and a corner."""
    count = len(ring)
    least = math.inf
    for i in range(count):
        a, b = corner(ring, i), corner(ring, (i + 1) % count)
        least = min(least, _height(top, a, b) if outward else _height(top, b, a))
    return least


@uncounted
def _strip(outer, inner):
    """Smallest height of the triangles between two rings; the inner one is turned forward by half a step."""
    count = len(outer)
    least = math.inf
    for i in range(count):
        j = (i + 1) % count
        a, b, p, q = corner(outer, i), corner(outer, j), corner(inner, i), corner(inner, j)
        least = min(least, _height(b, a, p), _height(b, p, q))
    return least


@uncounted
def _principal(k, n):
    """Larger and smaller eigenvalue of K on the tangent plane of n, and the directions."""
    t, s = frame(n)
    kt, ks = sym_mul(k, t), sym_mul(k, s)
    half, mixed, mean = 0.5 * (dot(kt, t) - dot(ks, s)), dot(kt, s), 0.5 * (dot(kt, t) + dot(ks, s))
    root = math.hypot(half, mixed)
    angle = 0.5 * math.atan2(mixed, half)
    first = axpy(scale(t, math.cos(angle)), math.sin(angle), s)
    return mean + root, mean - root, first, cross(n, first)


@uncounted
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


@uncounted
def _corners(ratio):
    """Number of corners of a ring that needs the fewest evaluations in all, for most bodies."""
    if ratio < FOUR:
        return 3 if ratio < THREE else 4
    return 5 if ratio < FIVE else 6


@uncounted
def _growth(count, ratio):
    """How many times as wide as the next ring one with so many corners may be, with some caution."""
    c = math.cos(math.pi / count)
    most = (c + math.sqrt(max(c * c - ratio, 0.0))) / (ratio / (1.0 + math.sqrt(1.0 - ratio)))
    return min(max(1.0 + CAUTION * (most - 1.0), LEAST_GROWTH), MOST_GROWTH)


@uncounted
def _evenly(width, last, growth):
    """The growth that leads to the width of the last ring in whole steps."""
    way = math.log(width / last)
    return math.exp(way / math.ceil(way / math.log(growth))) if way > 0.0 else growth


@uncounted
def _attempt(pair, at, rear, tolerance, outer, inner, jets):
    """The proof with rings of a given number of corners, one of them behind the bodies if `rear`."""
    count, f = len(outer), at.value
    wanted, limit = -f - tolerance, f + tolerance
    largest = growth = _growth(count, at.ratio)
    # Triangles with the corner w(n), between two corners of the last ring, are within the tolerance of w(n).
    last = max(CAUTION * math.sqrt(-8.0 * tolerance / f) * math.cos(math.pi / count) * at.narrow, TINY)
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
    width, failed = WIDEST * at.narrow, -math.inf
    while highest <= limit and least >= wanted:
        closing = _fan(at.w, outer, False)
        if closing >= wanted:
            return Rings(True, -min(least, closing), False, at.normal, evaluations)
        if not (width > TINY and growth >= LEAST_GROWTH):
            break
        step = _evenly(width, last, growth)
        highest, best = _put_ring(pair, at, width / step, phase + 0.5, inner, jets)
        evaluations += count
        between = _strip(outer, inner)
        if between >= wanted:
            outer, inner = inner, outer
            width, phase, least = width / step, phase + 0.5, min(least, between)
            growth, failed = min(growth**MORE, largest), -math.inf
        elif between > failed:
            growth, failed = step**FEWER, between
        else:
            break  # a wider ring does not help: there are too few corners
    return Rings(False, 0.0, highest > limit, best, evaluations)


@uncounted
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
    # Rings are wider along the direction of the smaller radius.  With the power 1/4 all corners would be equally far
    # below the plane of n; but triangles in that direction prove less, and 1/3 needs fewer evaluations.
    at = Around(n, f, w, back, first, second, (smaller / larger) ** (1.0 / 3.0), ratio)
    outer, inner = _ring(), _ring()
    for k in range(2):
        count = MOST if k > 0 else _corners(ratio)
        found = _attempt(pair, at, k > 0, lengths.tolerance, outer[:count], inner[:count], jets)
        evaluations += found.evaluations
        if found.proved or found.better:
            return Rings(found.proved, found.upper, found.better, found.normal, evaluations)
    return Rings(False, 0.0, False, n, evaluations)
