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
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .explicit.plane import half_space
from .explicit.plane_lanes import plane_lanes
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

Pick = np.ndarray  # which row belongs to pair k, see `buffers.at`
Array = tuple[np.ndarray, Pick]  # rows, and which of them belongs to pair k

ONE: Pick = np.zeros(1, np.int64)  # the first row for all pairs
EACH: Pick = np.zeros(0, np.int64)  # row k for pair k
MANY = 1 << 17  # more bodies than this are not all prepared for the robust solver
FEW = 4  # fewer pairs than this are not worth a block of lanes
LEAST_ROBUST, LEAST, LARGEST = 256, 8192, 65536  # pairs that one thread answers at a time


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
        self.shape.check_size()
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
    return np.ascontiguousarray(np.broadcast_to(np.arange(count).reshape(own), batch)).reshape(-1)


def chosen(pick: Pick, pairs: np.ndarray) -> np.ndarray:
    """Rows that belong to some pairs."""
    if pick.size == 0:
        return pairs
    return pick[pairs] if pick.size > 1 else np.broadcast_to(pick, pairs.shape)


def answer(
    a: Side, b: Side, question: Question, order: Pick, count: int, threads: int | None, out: tuple,
    prepare: Callable[[int, int], None] | None = None,
) -> None:  # fmt: skip
    """Write the contacts of `count` pairs (those in `order`) into the buffers `out` = (values, codes).

    `prepare(start, stop)` is called before the pairs start..stop are answered, by the same thread.
    """
    lanes = _lanes(a.kind, b.kind) if question.solver == "certified" and count >= FEW else None
    if lanes is None:
        _share(_loop(a, b, question, order, count, out), count, LEAST_ROBUST, threads, prepare)
        return
    sides, asked = (a.lane(), b.lane()), (question.guess, question.limits, question.tol, order)
    _share(lambda start, stop: lanes(*sides, *asked, start, stop, *out), count, LEAST, threads, prepare)
    status = out[1][: len(out[0]) // VALUES]
    left = np.flatnonzero((status[order] if order.size else status) == LEFT)
    if len(left):
        _finish(a, b, question, order[left] if order.size else left, threads, out)


def _share(
    loop: Callable[[int, int], Any], count: int, least: int, threads: int | None,
    prepare: Callable[[int, int], None] | None = None,
) -> None:  # fmt: skip
    """Run a loop over `count` pairs in several threads, in portions of at least `least` pairs.

    The threads share nothing but the output, so that the answers cannot depend on their number.
    """

    def portion(start: int) -> None:
        stop = min(start + size, count)
        if prepare:
            prepare(start, stop)
        loop(start, stop)

    workers = min(threads or cores(), count // least) if count >= 2 * least else 1
    # A few portions for each thread, as one may be slower than another; large ones fall out of the caches.
    size = min(max(-(-count // (4 * workers)), least), LARGEST) if workers > 1 else LARGEST
    starts = range(0, count, size)
    if workers == 1:
        for start in starts:
            portion(start)
    else:
        list(_pool(workers).map(portion, starts))


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads are kept: to start them takes as long as a thousand contacts."""
    return ThreadPoolExecutor(workers, thread_name_prefix="tangency")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


def _loop(a: Side, b: Side, question: Question, order: Pick, count: int, out: tuple) -> Callable[[int, int], Any]:
    """The closed form or the robust solver."""
    flipped = issubclass(b.kind, HalfSpace)
    if flipped or issubclass(a.kind, HalfSpace):
        plane, other = (b, a) if flipped else (a, b)
        known = other.kind in POWERS and count >= FEW
        loop, half, body = plane_lanes if known else half_space, plane.lane(), other.lane() if known else other.body()
        return lambda start, stop: loop(half, body, flipped, order, start, stop, *out)
    method = SOLVERS[question.solver]
    bodies = (a.body(), b.body(), a.shape.bends or b.shape.bends)
    asked = (question.guess, question.limits, question.tol, order)
    return lambda start, stop: method(*bodies, *asked, start, stop, *out)


def _lanes(a: type[Shape], b: type[Shape]) -> Any:
    """The loop over lanes for two kinds of bodies, if there is one."""
    if a in QUADRICS and b in QUADRICS:
        return ellipsoid_lanes
    return superellipsoid_lanes if a in POWERS and b in POWERS else None


def _finish(a: Side, b: Side, question: Question, pairs: np.ndarray, threads: int | None, out: tuple) -> None:
    """The robust solver, for the few pairs that the lanes left."""
    count, m = len(out[0]) // VALUES, len(pairs)
    if all(_worth_preparing(side.shape) for side in (a, b)):
        _share(_loop(a, b, question, pairs, m, out), m, 8, threads)
        return
    guess, limits = question.guess, question.limits
    some = question._replace(
        guess=(guess[0][chosen(guess[1], pairs)], EACH), limits=(limits[0][chosen(limits[1], pairs)], EACH)
    )
    values, codes = few = buffers(m)
    _share(_loop(a.take(pairs), b.take(pairs), some, EACH, m, few), m, 8, threads)
    out[0][: 3 * count].reshape(3, count)[:, pairs] = values[: 3 * m].reshape(3, m)
    out[0][3 * count :].reshape(2, count, 3)[:, pairs] = values[3 * m :].reshape(2, m, 3)
    out[1].reshape(CODES, count)[:, pairs] = codes.reshape(CODES, m)


def _worth_preparing(shape: Any) -> bool:
    """Whether to prepare a whole stack for the robust solver: not a large one, and not the first time."""
    if not isinstance(shape, Shape) or len(shape.rows) <= 1024:
        return True
    again = shape._prepared.setdefault("left before", False)
    shape._prepared["left before"] = True
    return again and len(shape.rows) <= MANY


def buffers(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Room for the contacts of so many pairs."""
    return borrow(VALUES * count), borrow(CODES * count, np.int32)


def cores() -> int:
    """Processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
