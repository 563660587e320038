"""Answers of the papers' methods: each claims a common normal, all claims are judged alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..compiled.threads import share
from ..shapes.bounds import half_diagonals
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..solvers.method import Method
from ..solvers.question import ONE, Side, chosen, room
from ..solvers.tables import Buffers, Part, Pick, Question, Rows
from ..solvers.verdict import ROOM, judge
from . import dispatch
from .options import as_limits
from .status import DOUBTED, VALUES, Status

ANOTHER = 1e-6  # a claimed distance farther than this from the proved one, in sizes, belongs to another normal


class Proved(NamedTuple):
    """What the default solver says about some pairs."""

    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    status: np.ndarray


def answer(
    method: Method, a: Side, b: Side, question: Question, order: Pick, count: int, threads: int | None, out: Buffers
) -> None:
    """Write the contacts of `count` pairs (those in `order`), found by `method`, into the buffers `out`."""
    total = len(out.values) // VALUES
    if issubclass(a.kind, Cavity) or issubclass(b.kind, Cavity):
        raise ValueError(f"solver must be the default one for a Cavity, got {method!r}, which is for two convex bodies")
    if issubclass(a.kind, HalfSpace) or issubclass(b.kind, HalfSpace):  # the closed form, whatever the method
        dispatch.answer(a, b, question, order, count, threads, out)
        pairs = order if order.size else np.arange(count)
        out.codes[2 * total :][pairs] = 1
        if out.trace.shape[1]:
            _one_step(pairs, out)
        return

    def default(pairs: np.ndarray) -> Proved:
        plain = Question(Rows(np.zeros((1, 3)), ONE), Rows(as_limits(None).reshape(1, 1), ONE), question.tol)
        proved = room(total)
        dispatch.answer(a, b, plain, pairs, len(pairs), threads, proved)
        distance, lower, upper = (proved.values[k * total :][pairs] for k in range(3))
        return Proved(distance, lower, upper, proved.codes[pairs])

    judged(method, a, b, question, order, count, threads, out, default)


def judged(
    method: Method, a: Side, b: Side, question: Question, order: Pick, count: int, threads: int | None, out: Buffers,
    default: Callable[[np.ndarray], Proved],
) -> None:  # fmt: skip
    """As `answer`, for bounded bodies; `default` is asked about pairs whose bounds do not decide."""
    share(method.loop(a, b, question, order, out), count, method.least, threads if method.parallel else 1)
    bodies, pairs = (a.body(), b.body()), order if order.size else np.arange(count)
    share(lambda start, stop: judge(*bodies, question.tol, Part(order, start, stop), out), count, 256, threads)
    doubted = pairs[out.codes[pairs] == DOUBTED]
    if len(doubted):
        sizes = _sizes(a, doubted) + _sizes(b, doubted)
        _compare(default(doubted), question.tol, sizes, doubted, out)
    limit, lower = question.limits.rows[chosen(question.limits.pick, pairs), 0], out.values[len(out.values) // VALUES :]
    out.codes[pairs[lower[pairs] > limit]] = Status.BEYOND


def _compare(proved: Proved, tol: float, sizes: np.ndarray, pairs: np.ndarray, out: Buffers) -> None:
    """Claims that do not prove themselves, against the default solver: its bounds and status, or another normal."""
    total = len(out.values) // VALUES
    claimed, true = out.values[pairs], proved.distance
    same = np.abs(claimed - true) <= ROOM * tol * sizes + 1e-14 * (sizes + np.abs(true))
    out.values[total:][pairs], out.values[2 * total :][pairs] = proved.lower, proved.upper
    out.values[pairs] = np.where(same, np.clip(claimed, proved.lower, proved.upper), claimed)
    near = np.abs(claimed - true) <= ANOTHER * sizes  # the right normal, inaccurately
    out.codes[pairs] = np.where(same, proved.status, np.where(near, Status.NOT_CONVERGED, Status.OTHER_NORMAL))


def _one_step(pairs: np.ndarray, out: Buffers) -> None:
    """The trace of a closed form: its answer."""
    total = len(out.values) // VALUES
    distance = out.values[:total, None]
    normal, point_a = out.values[3 * total : VALUES * total].reshape(2, total, 3)
    step = np.hstack([normal, point_a, point_a + distance * normal, distance, np.zeros_like(distance)])
    out.trace[pairs, 0] = step[pairs]


def _sizes(side: Side, pairs: np.ndarray) -> np.ndarray:
    return half_diagonals(side.shape.bounds[chosen(side.pick, pairs)])
