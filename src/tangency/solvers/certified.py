"""The default solver: certified distance, certified depth, any two bounded shapes."""

from __future__ import annotations

import numpy as np

from .._jit import entry
from ..kernels.vectors import axpy, norm
from ..result import Status
from .pair import JETS, first_normal, make_pair
from .penetration import EDGES, FACE_COLUMNS, FACES, VERTICES, penetrate
from .separation import BEYOND, BROKEN, COLUMNS, CONVERGED, INSIDE, separate

EPSILON = float(np.finfo(float).eps)
# Rounding of F and w in units of the last place of all lengths involved: a support value costs about
# ten roundings, a rotation three, with room to spare.
UNITS = 24.0
APART_BUDGET, OVERLAP_BUDGET = 400, 500

_APART, _PROVED, _OVERLAP, _FOLLOWED = (
    int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.OVERLAP), int(Status.OVERLAP_FOLLOWED)
)  # fmt: skip
_BEYOND, _FAILED, _NAN = int(Status.BEYOND), int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


@entry
def certified(
    address_a, rows_a, bounds_a, step_a, address_b, rows_b, bounds_b, step_b, bends, rotation, position, step_pose,
    guess, step_guess, tol, farthest, step_farthest, start, stop, out, counts,
):  # fmt: skip
    """Pairs start..stop: `out` gets distance, lower, upper, normal, middle; `counts` status and evaluations.

    `bounds` are those of `Shape.bounds`.  Pair k uses row k * step of every array (a step of 0 repeats
    the first row).  Frame of A.
    """
    jets, scratch = np.empty(JETS), np.empty(JETS)
    v = np.empty((VERTICES, COLUMNS))
    faces, edges = np.empty((FACES, FACE_COLUMNS)), np.empty((EDGES, 2))
    for k in range(start, stop):
        i, j, p = k * step_a, k * step_b, k * step_pose
        box_a, box_b = bounds_a[i], bounds_b[j]
        core_a, core_b = box_a[6], box_b[6]
        core = core_a + core_b
        pair = make_pair(address_a, rows_a, core_a, i, address_b, rows_b, core_b, j, rotation, position, p)
        half_a, half_b = norm((box_a[0], box_a[1], box_a[2])), norm((box_b[0], box_b[1], box_b[2]))
        size = half_a + half_b
        reach = norm((box_a[3], box_a[4], box_a[5])) + norm((box_b[3], box_b[4], box_b[5]))
        rounding = UNITS * EPSILON * (size + reach + norm(pair[9]))
        tolerance = max(tol * size, 0.25 * rounding)
        q = k * step_guess
        n = (guess[q, 0], guess[q, 1], guess[q, 2])
        followed = norm(n) > 0.5
        if not followed:
            n = first_normal(pair, box_a, box_b)
        begin = n
        limit = farthest[k * step_farthest] + core
        end, lower, upper, distance, n, middle, evaluations, corners = separate(
            pair, n, bends, size, tolerance, rounding, limit, APART_BUDGET, jets, scratch, v
        )
        status = _APART
        if end == INSIDE:
            budget = OVERLAP_BUDGET
            if followed:
                budget, n = 0, begin
            proved, found, lower, upper, distance, n, middle, used = penetrate(
                pair, n, corners, bends, size, tolerance, rounding, budget, jets, scratch, v, faces, edges
            )
            evaluations += used
            if proved:
                status = _PROVED
            elif found:
                status = _FOLLOWED if followed else _OVERLAP
            else:
                status = _FAILED
        elif end == BEYOND:
            status = _BEYOND
        elif end == BROKEN:
            status = _NAN
            distance, lower, upper, middle = 0.0, -np.inf, np.inf, (0.0, 0.0, 0.0)
        elif end != CONVERGED:
            status = _FAILED
        # From the cores back to the bodies.
        distance, lower, upper = distance - core, lower - core, upper - core
        if status <= _PROVED:
            status = _APART if distance >= -tolerance else _PROVED
        middle = axpy(middle, 0.5 * (core_a - core_b), n)
        out[k, 0] = distance
        out[k, 1] = min(lower, distance) - rounding
        out[k, 2] = max(upper, distance) + rounding
        out[k, 3], out[k, 4], out[k, 5] = n
        out[k, 6], out[k, 7], out[k, 8] = middle
        counts[k, 0] = status
        counts[k, 1] = evaluations
