"""The default solver: certified distance, certified depth, any two bounded shapes."""

from __future__ import annotations

import numpy as np

from .._jit import entry
from ..kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, unit
from ..status import Status
from .buffers import at, write
from .growing import EDGES, FACE_COLUMNS, FACES, SPARE, VERTICES
from .pair import JETS, first_normal, make_pair
from .penetration import penetrate
from .scales import is_coarse, scales
from .separation import BEYOND, BROKEN, COLUMNS, CONVERGED, INSIDE, separate

APART_BUDGET, OVERLAP_BUDGET = 400, 500

_APART, _PROVED, _OVERLAP, _FOLLOWED = (
    int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.OVERLAP), int(Status.OVERLAP_FOLLOWED)
)  # fmt: skip
_BEYOND, _FAILED, _NAN = int(Status.BEYOND), int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


@entry
def certified(a, b, bends, guess, limits, tol, order, start, stop, values, codes):
    """Contacts of the pairs order[start..stop], from the world to the world.

    A body a or b is (address, rows, bounds, pick of these, poses, pick of these), with `Shape.rows` and
    `Shape.bounds`; `guess` is (normals, pick), `limits` (distances, pick), `order` a
    pick; see `buffers`.
    """
    jets, scratch = np.empty(JETS), np.empty(JETS)
    simplex = np.empty((SPARE, COLUMNS))
    v, faces, edges = np.empty((0, COLUMNS)), np.empty((FACE_COLUMNS, 0)), np.empty((0, 2))
    for position in range(start, stop):
        k = at(order, position)
        pair, turn, home = make_pair(a, b, k)
        box_a, box_b = a[2][at(a[3], k)], b[2][at(b[3], k)]
        core_a, core_b = pair[3], pair[7]
        core = core_a + core_b
        size, rounding, tolerance = scales(box_a, box_b, pair[9], tol)
        row = guess[0][at(guess[1], k)]
        n = mat_t_mul(turn, (row[0], row[1], row[2]))
        followed = norm(n) > 0.5
        if not followed:
            n = first_normal(pair, box_a, box_b)
        begin = n
        limit = limits[0][at(limits[1], k), 0] + rounding + core
        end, lower, upper, distance, n, foot, evaluations, corners = separate(
            pair, n, bends, size, tolerance, rounding, limit, APART_BUDGET, jets, scratch, simplex
        )
        status = _APART
        if end == INSIDE:
            if v.shape[0] == 0:  # large: once, and only where bodies overlap
                v, faces = np.empty((VERTICES + SPARE, COLUMNS)), np.empty((FACE_COLUMNS, FACES))
                edges = np.empty((EDGES, 2))
            v[:SPARE] = simplex
            proved, found, lower, upper, distance, n, foot, used = penetrate(
                pair, begin if followed else n, upper, corners, followed, bends, size, tolerance, rounding,
                OVERLAP_BUDGET, (box_a[8], box_b[8]), jets, scratch, v, faces, edges,
            )  # fmt: skip
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
            distance, lower, upper, foot = core, -np.inf, np.inf, (0.0, 0.0, 0.0)
        elif end != CONVERGED:
            status = _FAILED
        # From the cores back to the bodies, and from A to the world.
        distance, lower, upper = distance - core, lower - core, upper - core
        if status <= _PROVED:
            status = _APART if upper + rounding >= 0.0 else _PROVED
        if status < _BEYOND and (is_coarse(box_a) or is_coarse(box_b)):
            status = _FAILED
        foot = add(mat_mul(turn, axpy(foot, core_a, n)), home)
        n = unit(mat_mul(turn, n))
        write(
            values, codes, k, distance, min(lower, distance) - rounding, max(upper, distance) + rounding, n, foot,
            status, evaluations,
        )  # fmt: skip
