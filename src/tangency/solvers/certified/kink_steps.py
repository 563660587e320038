"""Newton step to a maximum of F at a kink, from directions that have been evaluated on its sides.

The rows of a simplex are w, n and K of a few directions.  Near a kink they belong to different parts of F, and each
part is known around its n to third order: F_i(m) = m.w_i - (m - n_i).K_i (m - n_i) / 2.  The maximum of the smallest of
them is the next direction; no evaluation is needed to find it.
"""

from __future__ import annotations

import math

from ...compiled.jit import uncounted
from ...kernels.simplex import WEIGHT, nearest
from ...kernels.vectors import add, axpy, dot, norm, sub, sym_mul, unit
from .edge_steps import to_maximum
from .kink import PART, curvature_row, row
from .simplex_rows import INDEX, NORMAL, POINT, put_curvature

REACH = 0.5  # longest step [rad]
STEPS = 2  # steps to the maximum of the model
SHORT = 1e-2  # a step after which no other is needed [rad]
BEHIND = 0.25  # share of the second-order terms that is left out
SAME = 0.25  # rows belong to the same part if this fraction of their distance remains after extrapolation


@uncounted
def extrapolate(simplex, count, n, m):
    """Write the parts of F around n to the rows of m, as `kink.gather` does without x: (number, angle to the farthest).

    Of several rows on one part, the one nearest to n counts.  A share of the second-order terms is left out:
    parts evaluated far away then seem larger than they are, and the next direction is one where they are the smallest:
    those are evaluated again first.
    """
    parts = 0
    for i in range(count):
        k = curvature_row(simplex, i)
        d = sub(row(simplex, i, NORMAL), n)
        bent, far = sym_mul(k, d), dot(d, d)
        w = axpy(add(row(simplex, i, 0), bent), 0.5 * (1.0 + BEHIND) * dot(d, bent), n)
        place = parts
        for j in range(parts):
            jump, shift = sub(w, row(m, j, PART)), sub(bent, row(m, j, POINT))
            if dot(jump, jump) <= SAME * SAME * dot(shift, shift):
                place = j if far < m[j, WEIGHT] else -1
        if place < 0:
            continue
        m[place, 0], m[place, 1], m[place, 2] = axpy(w, -dot(w, n), n)
        m[place, WEIGHT] = far
        m[place, PART], m[place, PART + 1], m[place, PART + 2] = w
        m[place, POINT], m[place, POINT + 1], m[place, POINT + 2] = bent
        put_curvature(m, place, k)
        m[place, INDEX] = i
        parts = max(parts, place + 1)
    far = 0.0
    for i in range(parts):
        far = max(far, m[i, WEIGHT])
    return parts, math.sqrt(far)


@uncounted
def kink_step(simplex, count, n, f, m):
    """Direction of the maximum near n, where F is f: (whether there is a kink, direction, angle to the farthest row).

    The rows of m are changed.
    """
    far = 0.0
    for _ in range(STEPS):
        parts, far = extrapolate(simplex, count, n, m)
        if parts < 2 or parts > 3:
            return False, n, far
        parts, p = nearest(m, parts)
        known, d = to_maximum(m, parts, p, n, f, REACH)
        if not known:
            return False, n, far
        n, turn = unit(add(n, d)), norm(d)
        far += turn
        if turn <= SHORT:
            break
    return True, n, far
