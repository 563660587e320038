"""Overlap of two bodies whose cores are boxes or segments: boxes, segments, capsules, rounded boxes.

The set D of all w = x_B - x_A of two such cores is a sum of segments, the edges of both.  Every face of D is normal to
two edges that are not parallel, so the depth is the smallest of those along fifteen directions: the three axes of each
core, and the nine products of an axis of A and one of B.  No search is needed, and the result is proved.

Two edges that are almost parallel span a sliver, whose normal is inaccurate: below `PARALLEL` it is thinner than the
rounding errors and omitted, up to `ASKEW` the pair is left to the general search.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...kernels.vectors import cross, dot, mat_t_mul, norm, scale
from .contact_point import contact_point
from .pair import between_centres, evaluate
from .shallow_overlap import Shallow

PARALLEL, ASKEW = 4e-16, 1e-3  # sines of the angle between two edges


class Thinnest(NamedTuple):
    """The direction in which two cores overlap least."""

    known: bool
    value: float  #: the largest F; if it is positive, the cores are apart
    normal: Any


@jit
def _axis(k):
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@jit
def _column(m, k):
    return (m[k], m[3 + k], m[6 + k])


@jit
def _along(u, c, a, b, rotation):
    """F of two boxes with the half lengths a and b and the distance c between their centres, at u or -u."""
    v = mat_t_mul(rotation, u)
    reach_a = a[0] * abs(u[0]) + a[1] * abs(u[1]) + a[2] * abs(u[2])
    reach_b = b[0] * abs(v[0]) + b[1] * abs(v[1]) + b[2] * abs(v[2])
    return abs(dot(u, c)) - reach_a - reach_b


@jit
def _core(bounds):
    """Half lengths of a core."""
    return (
        max(bounds.half[0] - bounds.core, 0.0),
        max(bounds.half[1] - bounds.core, 0.0),
        max(bounds.half[2] - bounds.core, 0.0),
    )


@jit
def thinnest(placed):
    """The direction of the shortest translation that separates two box-shaped cores."""
    rotation, c = placed.pair.rotation, between_centres(placed)
    a, b = _core(placed.bounds_a), _core(placed.bounds_b)
    value, best = -math.inf, _axis(0)
    for k in range(15):
        u = _axis(k) if k < 3 else _column(rotation, k % 3)
        if k >= 6:
            i, j = (k - 6) // 3, k % 3
            u = cross(_axis(i), u)
            sine = norm(u)
            if not sine > PARALLEL or a[i] == 0.0 or b[j] == 0.0:
                continue
            if sine < ASKEW:
                return Thinnest(False, value, best)
            u = scale(u, 1.0 / sine)
        f = _along(u, c, a, b, rotation)
        if f > value:
            value, best = f, u if dot(u, c) >= 0.0 else scale(u, -1.0)
    return Thinnest(True, value, best)


@jit
def between_boxes(placed, lengths, work):
    """Depth of two box-shaped cores; not proved, if they are apart or almost touch, or if edges are almost parallel."""
    pair, found = placed.pair, thinnest(placed)
    n = found.normal
    f, _, x = evaluate(pair, n, work.jets)
    if not (found.known and f < -lengths.tolerance and f >= found.value - lengths.rounding):
        return Shallow(False, f, math.inf, f, n, x, 1)
    _, n, foot, used, _ = contact_point(pair, n, f, lengths, work)
    return Shallow(True, f, max(f, found.value), f, n, foot, used + 1)
