"""The default solver of the plane: certified distance, certified depth, any two bounded shapes."""

from __future__ import annotations

import numpy as np

from ...compiled.jit import entry
from ...contacts.status import Status
from ...kernels.rounding import ROUNDING
from ..vectors import axpy, norm, turn, turn_back, unit
from .pair import JETS, first_normal, make_pair
from .penetration import follow, penetrate, scratch
from .separation import BEYOND, BROKEN, CONVERGED, INSIDE, separate

# Three slow steps, then a half: less than four evaluations for each of the 53 bits of a direction.
APART_BUDGET, OVERLAP_BUDGET, FOLLOW_BUDGET = 220, 500, 120

_APART, _PROVED, _OVERLAP, _FOLLOWED = (
    int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.OVERLAP), int(Status.OVERLAP_FOLLOWED)
)  # fmt: skip
_BEYOND, _FAILED, _NAN = int(Status.BEYOND), int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


@entry
def certified(a, b, guess, tol, farthest, count, out):
    """Contacts of `count` pairs, from the world to the world.

    A body a or b is (address, rows, bounds, step of these, turns, positions, step of these); `guess` is
    (normals, step), `farthest` (distances, step).  Pair k uses row k * step; a step of 0 repeats the
    first row.  `out` holds the arrays distance, lower, upper, normal, point_a, point_b, status,
    evaluations.
    """
    distances, lowers, uppers, normals, points_a, points_b, statuses, counts = out
    jets, nodes = np.empty(JETS), scratch()
    for k in range(count):
        pair, turn_a, home = make_pair(a, b, k)
        box_a, box_b = a[2][k * a[3]], b[2][k * b[3]]
        core_a, core_b = pair[3], pair[7]
        core = core_a + core_b
        size = norm((box_a[0], box_a[1])) + norm((box_b[0], box_b[1]))
        rounding = box_a[5] + box_b[5] + ROUNDING * norm(pair[9])
        tolerance = max(tol * size, 0.25 * rounding)
        row = guess[0][k * guess[1]]
        n = turn_back(turn_a, (row[0], row[1]))
        followed = norm(n) > 0.5
        if not followed:
            n = first_normal(pair, box_a, box_b)
        begin = n
        limit = farthest[0][k * farthest[1]] + core
        end, lower, upper, distance, n, foot, evaluations = separate(
            pair, n, tolerance, rounding, limit, APART_BUDGET, jets
        )
        status = _APART
        if end == INSIDE:
            if followed:
                found, lower, n, foot, used = follow(pair, begin, rounding, FOLLOW_BUDGET, jets)
                status, upper = _FOLLOWED if found else _FAILED, 0.0
            else:
                end, lower, upper, n, foot, used = penetrate(pair, n, tolerance, rounding, OVERLAP_BUDGET, jets, nodes)
                status = _PROVED if end == CONVERGED else _OVERLAP
            evaluations += used
            distance = lower
        elif end == BEYOND:
            status = _BEYOND
        elif end != CONVERGED:
            status = _FAILED
        if end == BROKEN:
            status = _NAN
            distance, lower, upper, foot = core, -np.inf, np.inf, (0.0, 0.0)
        # From the cores back to the bodies, and from A to the world.
        distance, lower, upper = distance - core, lower - core, upper - core
        if status <= _PROVED:
            status = _APART if upper + rounding >= 0.0 else _PROVED
        foot = axpy(home, 1.0, turn(turn_a, axpy(foot, core_a, n)))
        n = unit(turn(turn_a, n))
        distances[k] = distance
        lowers[k] = min(lower, distance) - rounding
        uppers[k] = max(upper, distance) + rounding
        for c in range(2):
            normals[k, c] = n[c]
            points_a[k, c] = foot[c]
            points_b[k, c] = foot[c] + distance * n[c]
        statuses[k] = status
        counts[k] = evaluations
