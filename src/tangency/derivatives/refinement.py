"""Exact normals and points where a solver knows them less well than the distance.

At edges, rims, corners and flat places the maximum of F is known to the square root of the width of the bounds only.
`linear` finds the place of each body, from the normals nearby or from its implicit function, and makes Newton steps on
both surfaces: a point on a flat place tells its normal, though the normal does not tell the point.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..compiled.jit import call_shape, element, entry, jit
from ..contacts.status import VALUES, Status
from ..kernels.jet import JET, SUPPORT
from ..kernels.support_set import PROBES
from ..kernels.vectors import add, dot, mat_t_mul, norm, sub
from .linear import SURE, linear
from .loops import number
from .methods import run
from .side import Side, body_at

CLOSE = 1e-12  # of the size: largest difference between the distance of the points found and the proved one
_BEYOND = int(Status.BEYOND)


@jit
def _support(body, n, sign, work):
    m = mat_t_mul(body.turn, n)
    call_shape(body.address, body.row, body.size, sign * m[0], sign * m[1], sign * m[2], element(work, 0))
    return work[SUPPORT]


@entry
def refinements(a, b, values, codes, part):
    """Replace normals and points of contacts whose evaluations are negative, if better ones are found."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    count, work = values.size // VALUES, np.empty(PROBES * JET)
    for position in range(start, stop):
        k = number(order, position)
        if codes[count + k] >= 0:
            continue
        codes[count + k] = -codes[count + k]
        if codes[k] >= _BEYOND:
            continue
        i, j = 3 * count + 3 * k, 6 * count + 3 * k
        n, x = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
        body_a, body_b = body_at(a, k), body_at(b, k)
        c = linear(body_a, body_b, n, x, values[k], work)
        length, between = body_a.radius + body_b.radius, sub(body_b.place, body_a.place)
        apart = add(between, sub(c.arm_b, c.arm_a))
        if not (c.doubt <= SURE and abs(dot(apart, c.n) - values[k]) <= CLOSE * length and norm(c.n) > 0.5):
            continue
        proved = dot(between, c.n) - _support(body_a, c.n, 1.0, work) - _support(body_b, c.n, -1.0, work)
        if not proved >= values[count + k]:
            continue
        point = add(body_a.place, c.arm_a)
        for q in range(3):
            values[i + q], values[j + q] = c.n[q] + 0.0, point[q] + 0.0


def refined(contact: Any) -> Any:
    """The same contact, its normals and points refined where the solver asked for it."""
    count, codes = math.prod(contact.shape), contact._codes
    if (codes[count : 2 * count] < 0).any():
        run(contact, refinements, codes, ())
    return contact
