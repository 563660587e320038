"""What a claim of a common normal is worth: the same judgement for every method.

Every unit vector n proves F(n) <= distance <= |w(n)| (design 2.3), whoever found it.  Where both meet,
the claim is proved; where they do not, it is compared with the answer of the default solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..compiled.jit import entry
from ..compiled.threads import share
from ..contacts.status import CLAIMED, DOUBTED, Status
from ..kernels.vectors import axpy, mat_t_mul, norm
from ..shapes.bounds import half_diagonals
from .certified.pair import JETS, core_of, evaluate, place
from .method import Method
from .question import Query, Side, chosen
from .tables import Answer, Columns, Part, answer_at, at, columns, write
from .tolerances import scales

TOLERANCES_OF_A_CLAIM = 10.0  # a claimed distance may miss the proved one by so many tolerances
ANOTHER = 1e-6  # a claimed distance farther than this from the proved one, in sizes, belongs to another normal
PAIRS_OF_A_THREAD = 256
_APART, _NAN = int(Status.APART), int(Status.NOT_A_NUMBER)


class Proved(NamedTuple):
    """What the default solver says about some pairs."""

    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    status: np.ndarray


def judged(method: Method, query: Query, default: Callable[[np.ndarray], Proved]) -> None:
    """Write the contacts that `method` claims for bounded bodies; `default` is asked where bounds do not decide."""
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
    """Claims that do not prove themselves, against the default solver: its bounds and status, or another normal."""
    claimed, true = found.distance[pairs], proved.distance
    same = np.abs(claimed - true) <= TOLERANCES_OF_A_CLAIM * tol * sizes + 1e-14 * (sizes + np.abs(true))
    found.lower[pairs], found.upper[pairs] = proved.lower, proved.upper
    found.distance[pairs] = np.where(same, np.clip(claimed, proved.lower, proved.upper), claimed)
    near = np.abs(claimed - true) <= ANOTHER * sizes  # the right normal, inaccurately
    found.status[pairs] = np.where(same, proved.status, np.where(near, Status.NOT_CONVERGED, Status.OTHER_NORMAL))


def _sizes(side: Side, pairs: np.ndarray) -> np.ndarray:
    return half_diagonals(side.shape.bounds[chosen(side.pick, pairs)])


@entry
def _bound(a, b, tol, part, out):
    """Bounds for some pairs, from their normals; claims become APART or DOUBTED."""
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
            if proved:  # a claim may be off by some tolerances: what is proved comes back
                distance = min(max(distance, lower - rounding), upper + rounding)
        lower, upper = lower - rounding, upper + rounding
        write(out.values, out.codes, k, Answer(distance, lower, upper, normal, point, status, claim.evaluations))
