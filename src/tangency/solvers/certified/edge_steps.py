"""Exact normal and contact point at an edge, from a normal that is close.

Next to a maximum, F agrees to its rounding error at normals that differ by the square root of it.  The parts of F on
both sides of a kink, and their curvatures, lead from there to the maximum itself (Newton's method).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import uncounted
from ...kernels.simplex import blend
from ...kernels.vectors import add, axpy, cross, dot, frame, norm, scale, sub, sym_mul, unit
from .kink import PART, curvature_row, gather, row
from .pair import evaluate
from .places import is_alone, is_flat
from .simplex_rows import CURVATURE, POINT

NEAR = 1e-4  # offset between the points of both bodies, in sizes, below which steps are made
EXACT = 1e-12  # largest offset after these steps
ENOUGH = 1e-13  # offset after which no more steps are made
TURN = 1e-3  # longest of these steps [rad]
TURNS = 4  # largest number of these steps
LESS = 0.5  # fraction of the offset that a step must leave at most
BESIDE = 1e-6  # angle within which edges and corners are searched [rad]
CLOSER = (1e-7, 1e-8, 1e-8, 1e-8)  # the same after each step


class Place(NamedTuple):
    """Where two bodies touch."""

    value: float  #: F at the normal
    normal: Any
    foot: Any  #: contact point on the core of A
    evaluations: int
    exact: bool  #: whether normal and foot are as accurate as the distance


@uncounted
def _ends(m, count, n):
    """The smallest and the largest of the parts of F in the rows of m at n."""
    low, high = math.inf, -math.inf
    for i in range(count):
        f = dot(row(m, i, PART), n)
        low, high = min(low, f), max(high, f)
    return low, high


@uncounted
def _along_kink(m, p, n, f, reach):
    """Newton step from n to the maximum of F on the kink of its two parts: (whether it is within reach, the step)."""
    jump = sub(row(m, 1, 0), row(m, 0, 0))
    apart = norm(jump)
    e = scale(jump, 1.0 / apart)
    t = cross(n, e)
    a, b = blend(m, 2, CURVATURE), blend(m, 2, CURVATURE + 3)
    kt = sym_mul((a[0], a[1], a[2], b[0], b[1], b[2]), t)
    across = (dot(n, row(m, 0, PART)) - dot(n, row(m, 1, PART))) / apart  # to where both parts are equal
    bowl, rest = dot(kt, t) + f, dot(p, t) - across * dot(kt, e)
    if not (bowl * reach > abs(rest) and abs(across) <= reach):
        return False, p
    ahead = rest / bowl
    # Curvatures make the parts differ again after the step.
    bend = dot(sym_mul(curvature_row(m, 1), t), t) - dot(sym_mul(curvature_row(m, 0), t), t)
    return True, axpy(scale(e, across + 0.5 * ahead * ahead * bend / apart), ahead, t)


@uncounted
def _on_smooth_place(m, p, n, f, reach):
    """The same where F is smooth."""
    k = curvature_row(m, 0)
    t, s = frame(n)
    kt, ks = sym_mul(k, t), sym_mul(k, s)
    tt, ts, ss = dot(kt, t) + f, dot(kt, s), dot(ks, s) + f
    area = tt * ss - ts * ts
    if not (tt > 0.0 and area > 0.0):
        return False, p
    a, b = dot(p, t), dot(p, s)
    d = axpy(scale(t, (ss * a - ts * b) / area), (tt * b - ts * a) / area, s)
    return norm(d) <= reach, d


@uncounted
def to_maximum(m, count, p, n, f, reach):
    """The same for any number of parts."""
    if count == 1:
        return _on_smooth_place(m, p, n, f, reach)
    if count == 2:
        return _along_kink(m, p, n, f, reach)
    first = row(m, 0, PART)
    e = cross(sub(row(m, 1, PART), first), sub(row(m, 2, PART), first))
    if not norm(e) > 0.0:
        return False, p
    e = unit(e)
    d = sub(scale(e, 1.0 if dot(e, n) > 0.0 else -1.0), n)
    return norm(d) <= reach, d


@uncounted
def _foot(pair, m, count, n, w, x):
    """Contact point on the core of A, from the parts of F in the rows of m; `w` and `x` are those of n itself.

    An ellipsoid has one point for each normal, known without extrapolation, which is inaccurate where a curvature
    changes fast: at the end of a slender ellipsoid, on the side of a flat one.
    """
    a, b = pair.longest
    if a > 0.0 and b == 0.0:
        return x
    if b > 0.0 and a == 0.0:
        return add(x, axpy(w, -dot(w, n), n))
    # The parts of F around n, weighted so that their offsets vanish.
    across = sub(axpy(blend(m, count, POINT), 0.5, blend(m, count, 0)), x)
    return add(x, axpy(across, -dot(across, n), n))


@uncounted
def settle(pair, n, evaluated, lengths, work):
    """Maximum of F next to n: (whether it is known, place).  `evaluated` is what `evaluate` returned at n."""
    size, rounding, tolerance = lengths
    best, w, x = evaluated
    top, m, alone = best + tolerance, work.parts, is_alone(work.jets, size)
    least = max(rounding, ENOUGH * size)
    count, p, used = gather(pair, n, w, x, BESIDE, least, work.jets, m)
    known, enough = alone and norm(p) <= NEAR * size, max(rounding, EXACT * size)
    for k in range(TURNS if known else 0):
        low, high = _ends(m, count, n)
        if norm(p) <= least and high - low <= rounding:
            break
        short, d = to_maximum(m, count, p, n, best, TURN)
        if not short:
            break
        here, rest = unit(add(n, d)), norm(p)
        value, w, x_here = evaluate(pair, here, work.jets)
        count, p, more = gather(pair, here, w, x_here, CLOSER[k], least, work.jets, m)
        used += more + 1
        known = value >= best - rounding and norm(p) <= max(LESS * rest, enough)
        if not known:
            break
        best, n, x = value, here, x_here
    low, high = _ends(m, count, n)
    # Of parts that are almost the same the weights may be wrong, although p is right.
    known = known and norm(blend(m, count, 0)) <= enough and high <= top
    exact = known and not (pair.bends or is_flat(work.jets, size)) and max(pair.longest[0], pair.longest[1]) > 0.0
    return known, Place(best, n, _foot(pair, m, count, n, w, x), used, exact)
