"""The default solver of the plane: certified distance, certified depth, any two bounded shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import entry, jit
from ...contacts.status import Status
from ...kernels.poses import at
from ...solvers.tables import named_question, number_at
from ...solvers.tolerances import scales_of
from ..vectors import axpy, norm, turn, turn_back, unit
from .ascent import follow
from .pair import JETS, Body, first_normal, place
from .penetration import penetrate, scratch
from .separation import BEYOND, BROKEN, CONVERGED, INSIDE, separate

# Three slow steps, then a bisection: less than four evaluations for each of the 53 bits of a direction.
APART_BUDGET, OVERLAP_BUDGET, FOLLOW_BUDGET = 220, 500, 120

_APART, _PROVED, _OVERLAP, _FOLLOWED = (
    int(Status.APART),
    int(Status.OVERLAP_PROVED),
    int(Status.OVERLAP),
    int(Status.OVERLAP_FOLLOWED),
)
_BEYOND, _FAILED, _NAN = int(Status.BEYOND), int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


VALUES, CODES = 9, 2  # numbers and integers per contact


class Answers(NamedTuple):
    """The contacts of all pairs."""

    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    normal: np.ndarray  #: (pairs, 2)
    point_a: np.ndarray
    point_b: np.ndarray
    status: np.ndarray
    evaluations: np.ndarray


@jit
def answers(values, codes, count):
    """The contacts of `count` pairs as views of two buffers, of VALUES numbers and CODES integers each."""
    return Answers(
        values[:count],
        values[count : 2 * count],
        values[2 * count : 3 * count],
        values[3 * count : 5 * count].reshape((count, 2)),
        values[5 * count : 7 * count].reshape((count, 2)),
        values[7 * count :].reshape((count, 2)),
        codes[:count],
        codes[count:],
    )


@entry
def certified(a, b, question, count, values, codes):
    """Write the contacts of `count` pairs, in the world frame.

    The question is that of ``solvers/tables.py``, with normals of two components; bodies and question are `plain`.
    """
    a, b, question, out = Body(*a), Body(*b), named_question(question), answers(values, codes, count)
    jets, nodes = np.empty(JETS), scratch()
    for k in range(count):
        placed = place(a, b, k)
        pair, bounds_a, bounds_b = placed.pair, placed.bounds_a, placed.bounds_b
        core = pair.core_a + pair.core_b
        _, rounding, tolerance = scales_of(
            norm(bounds_a.half) + norm(bounds_b.half),
            bounds_a.rounding + bounds_b.rounding,
            norm(pair.position),
            question.tol,
        )
        row = at(question.guess.pick, k)
        n = turn_back(placed.turn, (question.guess.rows[row, 0], question.guess.rows[row, 1]))
        followed = norm(n) > 0.5
        if not followed:
            n = first_normal(placed)
        begin = n
        limit = number_at(question.limits, k) + core
        end, lower, upper, distance, n, foot, evaluations = separate(
            pair, n, tolerance, rounding, limit, APART_BUDGET, jets
        )
        status = _APART
        if end == INSIDE:
            if followed:
                found, lower, n, foot, used = follow(pair, begin, tolerance, rounding, FOLLOW_BUDGET, jets)
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
        # From the cores to the bodies, and from the frame of A to the world.
        distance, lower, upper = distance - core, lower - core, upper - core
        if status <= _PROVED:
            status = _APART if upper + rounding >= 0.0 else _PROVED
        foot = axpy(placed.home, 1.0, turn(placed.turn, axpy(foot, pair.core_a, n)))
        n = unit(turn(placed.turn, n))
        out.distance[k] = distance
        out.lower[k] = min(lower, distance) - rounding
        out.upper[k] = max(upper, distance) + rounding
        for c in range(2):
            out.normal[k, c] = n[c]
            out.point_a[k, c] = foot[c]
            out.point_b[k, c] = foot[c] + distance * n[c]
        out.status[k] = status
        out.evaluations[k] = evaluations
