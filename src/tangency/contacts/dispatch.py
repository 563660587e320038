"""Which compiled loop answers which pairs, and in how many threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled.threads import share
from ..shapes.cavity import Cavity
from ..shapes.ellipsoid import Ellipsoid
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from ..shapes.sphere import Sphere
from ..shapes.superellipsoid import Superellipsoid
from ..solvers.certified.inside import Hollow, hollow_contacts
from ..solvers.certified.solver import certified
from ..solvers.explicit.plane import half_space
from ..solvers.explicit.round_wall import round_wall
from ..solvers.lanes.ellipsoids import ellipsoid_lanes
from ..solvers.lanes.planes import plane_lanes
from ..solvers.lanes.superellipsoids import superellipsoid_lanes
from ..solvers.question import EACH, Side, chosen, room
from ..solvers.tables import Buffers, Parameters, Part, Pick, Question, Rows
from .status import CODES, LEFT, VALUES

QUADRICS = (Sphere, Ellipsoid)
POWERS = (*QUADRICS, Superellipsoid)

MANY = 1 << 17  # more bodies than this are not all prepared for the robust solver
FEW = 4  # fewer pairs than this are not worth a block of lanes
LEAST_ROBUST, LEAST = 256, 8192  # pairs worth a thread of their own


def answer(
    a: Side, b: Side, question: Question, order: Pick, count: int, threads: int | None, out: Buffers,
    prepare: Callable[[int, int], None] | None = None,
) -> None:  # fmt: skip
    """Write the contacts of `count` pairs (those in `order`) into the buffers `out`.

    `prepare(start, stop)` is called before the pairs start..stop are answered, by the same thread.
    """
    if issubclass(a.kind, Cavity) or issubclass(b.kind, Cavity):
        _in_cavity(a, b, question, order, count, threads, out, prepare)
        return
    lanes = _lanes(a.kind, b.kind) if count >= FEW else None
    if lanes is None:
        share(_loop(a, b, question, order, count, out), count, LEAST_ROBUST, threads, prepare)
        return
    sides = a.parameters(), b.parameters()
    share(lambda start, stop: lanes(*sides, question, Part(order, start, stop), out), count, LEAST, threads, prepare)
    left = _left(order, out)
    if len(left):
        _finish(a, b, question, left, threads, out)


def _loop(a: Side, b: Side, question: Question, order: Pick, count: int, out: Buffers) -> Callable[[int, int], Any]:
    """The closed form or the robust solver."""
    flipped = issubclass(b.kind, HalfSpace)
    if flipped or issubclass(a.kind, HalfSpace):
        plane, other = (b, a) if flipped else (a, b)
        known = other.kind in POWERS and count >= FEW
        loop, half = plane_lanes if known else half_space, plane.parameters()
        body = other.parameters() if known else other.body()
        return lambda start, stop: loop(half, body, flipped, Part(order, start, stop), out)
    bodies = (a.body(), b.body(), a.shape.bends or b.shape.bends)
    return lambda start, stop: certified(*bodies, question, Part(order, start, stop), out)


def _in_cavity(
    a: Side, b: Side, question: Question, order: Pick, count: int, threads: int | None, out: Buffers, prepare: Any
) -> None:
    """Bodies in cavities: the nearly closed form for round ones, the search for the others and at rims."""
    flipped = issubclass(b.kind, Cavity)
    wall, body = (b, a) if flipped else (a, b)
    around, inside = wall._replace(shape=wall.shape.hollow).body(), body.body()
    hollow = Hollow(around, Sphere(1.0).address, question.tol, question.tol)

    def search(pairs: Pick) -> Callable[[int, int], Any]:
        return lambda start, stop: hollow_contacts(hollow, inside, flipped, question, Part(pairs, start, stop), out)

    if not wall.shape.is_round:
        share(search(order), count, LEAST_ROBUST, threads, prepare)
        return
    walls = Parameters(wall.shape.walls, around.pick, around.poses, around.pick_pose)

    def answer_round(start: int, stop: int) -> None:
        round_wall(walls, inside, flipped, question, Part(order, start, stop), out)

    share(answer_round, count, LEAST_ROBUST, threads, prepare)
    left = _left(order, out)
    if len(left):
        share(search(left), len(left), 8, threads)


def _left(order: Pick, out: Buffers) -> np.ndarray:
    """Pairs that a fast loop could not finish."""
    status = out.codes[: len(out.values) // VALUES]
    left = np.flatnonzero((status[order] if order.size else status) == LEFT)
    return order[left] if order.size else left


def _lanes(a: type[Shape], b: type[Shape]) -> Any:
    """The loop over lanes for two kinds of bodies, if there is one."""
    if a in QUADRICS and b in QUADRICS:
        return ellipsoid_lanes
    return superellipsoid_lanes if a in POWERS and b in POWERS else None


def _finish(a: Side, b: Side, question: Question, pairs: np.ndarray, threads: int | None, out: Buffers) -> None:
    """The robust solver, for the few pairs that the lanes left."""
    m = len(pairs)
    if all(_worth_preparing(side.shape) for side in (a, b)):
        share(_loop(a, b, question, pairs, m, out), m, 8, threads)
        return
    guess, limits = (Rows(asked.rows[chosen(asked.pick, pairs)], EACH) for asked in (question.guess, question.limits))
    some = question._replace(guess=guess, limits=limits)
    few = room(m)
    share(_loop(a.take(pairs), b.take(pairs), some, EACH, m, few), m, 8, threads)
    _copy(few, out, pairs)


def _copy(few: Buffers, out: Buffers, places: np.ndarray) -> None:
    """All contacts of one buffer, to some places of another."""
    for new, old in zip(_views(out), _views(few)):
        new[:, places] = old


def _views(out: Buffers) -> tuple[np.ndarray, ...]:
    n = len(out.values) // VALUES
    scalars, vectors = out.values[: 3 * n].reshape(3, n), out.values[3 * n :].reshape(2, n, 3)
    return scalars, vectors, out.codes[: CODES * n].reshape(CODES, n)


def _worth_preparing(shape: Any) -> bool:
    """Whether to prepare a whole stack for the robust solver: not a large one, and not the first time."""
    if not isinstance(shape, Shape) or len(shape.rows) <= 1024:
        return True
    again = shape._prepared.setdefault("left before", False)
    shape._prepared["left before"] = True
    return again and len(shape.rows) <= MANY
