"""Which compiled loop answers which pairs, and in how many threads.

A *side* is what all pairs know about their body A, or B: a stack of bodies, a stack of poses, and for
each of both a pick that tells which one belongs to pair k (see ``solvers/buffers.py``).  Bodies and poses
are prepared once each, however many pairs they belong to.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from .explicit.plane import half_space
from .memory import borrow
from .result import CODES, LEFT, VALUES
from .shape import Shape
from .shapes.ellipsoid import Ellipsoid
from .shapes.half_space import HalfSpace
from .shapes.sphere import Sphere
from .shapes.superellipsoid import Superellipsoid
from .solvers import SOLVERS
from .solvers.ellipsoid_lanes import ellipsoid_lanes
from .solvers.superellipsoid_lanes import superellipsoid_lanes

QUADRICS = (Sphere, Ellipsoid)
POWERS = (*QUADRICS, Superellipsoid)

Pick = tuple[np.ndarray, int]
Array = tuple[np.ndarray, Pick]  # rows, and which of them belongs to pair k

_NONE = np.zeros(0, np.int64)
ONE: Pick = (_NONE, 0)  # the same row for all pairs
EACH: Pick = (_NONE, 1)  # row k for pair k
MANY = 1 << 20  # more bodies than this are not all prepared for the robust solver
FEW = 4  # fewer pairs than this are not worth a block of lanes
PORTION = 8192  # pairs that one thread answers at a time: their numbers stay in its cache


class Side(NamedTuple):
    """Body A, or B, of all pairs."""

    shape: Any  #: a `Shape`, or a `Family` of them
    pick: Pick
    poses: np.ndarray  #: (poses, 12), see `Poses`
    pick_pose: Pick

    @property
    def kind(self) -> type[Shape]:
        return type(self.shape) if isinstance(self.shape, Shape) else self.shape.kind

    def body(self) -> tuple:
        """As `certified` and `half_space` take it."""
        shape = self.shape
        return shape.address, shape.rows, shape.bounds, self.pick, self.poses, self.pick_pose

    def lane(self) -> tuple:
        """As the lanes and a half-space take it."""
        return self.shape.rows, self.pick, self.poses, self.pick_pose

    def take(self, pairs: np.ndarray) -> Side:
        """The same for some of the pairs."""
        bodies = self.shape.take(chosen(self.pick, pairs))
        return Side(bodies, EACH, self.poses[chosen(self.pick_pose, pairs)], EACH)


class Question(NamedTuple):
    """What is asked about all pairs."""

    guess: Array  #: (normals (n, 3), pick); the zero vector stands for none
    limits: Array  #: (largest distances of interest (n, 1), pick)
    tol: float
    solver: str


def pick(own: tuple[int, ...], batch: tuple[int, ...]) -> Pick:
    """Which row of a stack of leading shape `own` belongs to pair k of `batch`."""
    count = math.prod(own)
    if count == 1:
        return ONE
    if count == math.prod(batch):
        return EACH
    return np.ascontiguousarray(np.broadcast_to(np.arange(count).reshape(own), batch)).reshape(-1), -1


def chosen(pick: Pick, pairs: np.ndarray) -> np.ndarray:
    """Rows that belong to some pairs."""
    return pick[0][pairs] if pick[1] < 0 else pairs * pick[1]


def answer(
    a: Side, b: Side, question: Question, order: Pick, count: int, threads: int | None, out: tuple,
    prepare: Callable[[int, int], None] | None = None,
) -> None:  # fmt: skip
    """Write the contacts of `count` pairs (those in `order`) into the buffers `out` = (values, codes).

    `prepare(start, stop)` is called before the pairs start..stop are answered, by the same thread.
    """
    loop = _loop(a, b, question, order, count, out)

    def portion(start: int) -> None:
        stop = min(start + PORTION, count)
        if prepare:
            prepare(start, stop)
        loop(start, stop)

    starts = range(0, count, PORTION)
    workers = min(threads or cores(), len(starts)) if len(starts) > 1 else 1
    if workers == 1:
        for start in starts:
            portion(start)
        return
    # Threads share nothing but the output, so that the answers cannot depend on their number.
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(portion, starts))


def _loop(a: Side, b: Side, question: Question, order: Pick, count: int, out: tuple) -> Callable[[int, int], None]:
    if issubclass(a.kind, HalfSpace):
        plane, body = a.lane(), b.body()
        return lambda start, stop: half_space(plane, body, False, order, start, stop, *out)
    if issubclass(b.kind, HalfSpace):
        plane, body = b.lane(), a.body()
        return lambda start, stop: half_space(plane, body, True, order, start, stop, *out)
    lanes = _lanes(a.kind, b.kind) if question.solver == "certified" and count >= FEW else None
    if lanes is None:
        return _robust(a, b, question, order, out)
    sides = (a.lane(), b.lane())

    def loop(start: int, stop: int) -> None:
        lanes(*sides, question.guess, question.limits, question.tol, order, start, stop, *out)
        pairs = chosen(order, np.arange(start, stop)) if order[1] < 0 else slice(start, stop)
        left = np.flatnonzero(out[1][pairs] == LEFT)
        if len(left):
            _finish(a, b, question, pairs[left] if isinstance(pairs, np.ndarray) else left + start, out)

    return loop


def _lanes(a: type[Shape], b: type[Shape]) -> Any:
    """The loop over lanes for two kinds of bodies, if there is one."""
    if a in QUADRICS and b in QUADRICS:
        return ellipsoid_lanes
    return superellipsoid_lanes if a in POWERS and b in POWERS else None


def _robust(a: Side, b: Side, question: Question, order: Pick, out: tuple) -> Callable[[int, int], None]:
    method = SOLVERS[question.solver]
    bodies = (a.body(), b.body(), a.shape.bends or b.shape.bends)
    asked = (question.guess, question.limits, question.tol, order)
    return lambda start, stop: method(*bodies, *asked, start, stop, *out)


def _finish(a: Side, b: Side, question: Question, pairs: np.ndarray, out: tuple) -> None:
    """The robust solver, for the few pairs that the lanes left."""
    whole = not isinstance(a.shape, Shape) or max(len(a.shape.rows), len(b.shape.rows)) <= MANY
    if whole:
        _robust(a, b, question, (pairs, -1), out)(0, len(pairs))
        return
    guess, limits = question.guess, question.limits
    some = question._replace(
        guess=(guess[0][chosen(guess[1], pairs)], EACH), limits=(limits[0][chosen(limits[1], pairs)], EACH)
    )
    few, count = buffers(len(pairs)), len(out[0]) // VALUES
    _robust(a.take(pairs), b.take(pairs), some, EACH, few)(0, len(pairs))
    (values, codes), m = few, len(pairs)
    out[0][: 3 * count].reshape(3, count)[:, pairs] = values[: 3 * m].reshape(3, m)
    out[0][3 * count :].reshape(2, count, 3)[:, pairs] = values[3 * m :].reshape(2, m, 3)
    out[1].reshape(CODES, count)[:, pairs] = codes.reshape(CODES, m)


def buffers(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Room for the contacts of so many pairs."""
    return borrow(VALUES * count), borrow(CODES * count, np.int32)


def cores() -> int:
    """Processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
