"""Check of claimed common normals, the same for every method.

Every unit vector n proves F(n) <= distance <= |w(n)|, whichever method found it.  If the two bounds
agree, the claim is proved; otherwise it is compared with the result of the default solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..compiled.jit import entry
from ..compiled.threads import share
from ..contacts.status import CLAIMED, DOUBTED, Status
from ..kernels.poses import at
from ..kernels.vectors import axpy, mat_t_mul, norm
from ..shapes.bounds import half_diagonals
from .certified.pair import JETS, core_of, evaluate, place
from .method import Method
from .question import Query, Side, chosen
from .tables import Answer, Columns, Part, answer_at, columns, write
from .tolerances import scales

TOLERANCES_OF_A_CLAIM = 10.0  # a claimed distance may differ from the proved one by this many tolerances
SAME_NORMAL_WITHIN = 1e-6  # difference of claimed and proved distance, in sizes; a larger one means another normal
PAIRS_OF_A_THREAD = 256
_APART, _NAN = int(Status.APART), int(Status.NOT_A_NUMBER)


class Proved(NamedTuple):
    """Results of the default solver for some pairs."""

    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    status: np.ndarray


def judged(method: Method, query: Query, default: Callable[[np.ndarray], Proved]) -> None:
    """Write the contacts of bounded bodies that `method` finds; `default` solves the pairs left undecided by bounds."""
    a, b, question, order, count, threads, out = query
    share(method.loop(a, b, question, order, out), count, method.least, threads if method.parallel else 1)
    bodies, pairs = (a.body(), b.body()), query.pairs

    def bound(start: int, stop: int) -> None:
        _bound(*bodies, question.tol, Part(order, start, stop), out)

    share(bound, count, PAIRS_OF_A_THREAD, threads)
    found = columns(out)
    doubted = pairs[found.status[pairs] == DOUBTED]
    if len(doubted):
        sizes = _sizes(a, doubted) + _sizes(b, doubted)
        _compare(default(doubted), question.tol, sizes, doubted, found)
    limit = question.limits.rows[chosen(question.limits.pick, pairs), 0]
    found.status[pairs[found.lower[pairs] > limit]] = Status.BEYOND


def _compare(proved: Proved, tol: float, sizes: np.ndarray, pairs: np.ndarray, found: Columns) -> None:
    """Compare claims that the bounds do not prove with the default solver; write its bounds and the status."""
    claimed, true = found.distance[pairs], proved.distance
    same = np.abs(claimed - true) <= TOLERANCES_OF_A_CLAIM * tol * sizes + 1e-14 * (sizes + np.abs(true))
    found.lower[pairs], found.upper[pairs] = proved.lower, proved.upper
    found.distance[pairs] = np.where(same, np.clip(claimed, proved.lower, proved.upper), claimed)
    near = np.abs(claimed - true) <= SAME_NORMAL_WITHIN * sizes  # the right normal, but inaccurate
    found.status[pairs] = np.where(same, proved.status, np.where(near, Status.NOT_CONVERGED, Status.OTHER_NORMAL))


def _sizes(side: Side, pairs: np.ndarray) -> np.ndarray:
    return half_diagonals(side.shape.bounds[chosen(side.pick, pairs)])


@entry
def _bound(a, b, tol, part, out):
    """Bounds of some pairs from their claimed normals; the status CLAIMED becomes APART or DOUBTED."""
    jets = np.empty(JETS)
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        placed = place(a, b, k)
        pair, turn = placed.pair, placed.turn
        core = core_of(pair)
        _, rounding, tolerance = scales(placed.bounds_a, placed.bounds_b, pair.position, tol)
        tolerance = max(tolerance, rounding)
        claim = answer_at(out, k)
        distance, normal, point, status = claim.distance, claim.normal, claim.point, claim.status
        n = mat_t_mul(turn, normal)
        f, w, _ = evaluate(pair, n, jets)
        lower, upper = f - core, norm(axpy(w, core, n)) if f < 0.0 else norm(w) - core
        upper = max(upper, lower)
        known = math.isfinite(distance + point[0] + point[1] + point[2]) and abs(norm(n) - 1.0) < 1e-9
        if not (known and math.isfinite(lower + upper)):
            lower, upper = -math.inf, math.inf
            status, distance, normal, point = _NAN, 0.0, (1.0, 0.0, 0.0), placed.home
        elif status == CLAIMED:
            proved = lower + rounding >= 0.0 and upper - lower <= tolerance
            proved = proved and abs(distance - lower) <= TOLERANCES_OF_A_CLAIM * tolerance
            status = _APART if proved else DOUBTED
            if proved:  # a claim may be off by a few tolerances: return a distance within the proved bounds
                distance = min(max(distance, lower - rounding), upper + rounding)
        lower, upper = lower - rounding, upper + rounding
        write(out.values, out.codes, k, Answer(distance, lower, upper, normal, point, status, claim.evaluations))
