"""Choice of the compiled loop for each group of pairs, and of the number of threads."""

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
from ..solvers.certified.cavity import Hollow, hollow_contacts
from ..solvers.certified.cone_tip import tip_hollows
from ..solvers.certified.solver import certified
from ..solvers.explicit.plane import half_space
from ..solvers.explicit.round_wall import round_wall
from ..solvers.judgement import Proved, judged
from ..solvers.lanes.ellipsoids import ellipsoid_lanes
from ..solvers.lanes.planes import plane_lanes
from ..solvers.lanes.superellipsoids import superellipsoid_lanes
from ..solvers.method import Method
from ..solvers.question import EACH, ONE, Query, chosen, room
from ..solvers.tables import HINT, Body, Buffers, Parameters, Pick, Question, Rows, columns, plain, plain_question
from .options import as_limits
from .status import LEFT

QUADRICS = (Sphere, Ellipsoid)
POWERS = (*QUADRICS, Superellipsoid)

MANY_BODIES = 1 << 17  # a larger stack is not prepared as a whole for the robust solver if few bodies need it
MIN_PAIRS_FOR_LANES = 4  # fewer pairs than this are not worth a block of lanes
PAIRS_OF_A_THREAD, LANE_PAIRS_OF_A_THREAD, LEFT_PAIRS_OF_A_THREAD = 256, 8192, 8  # minimum per thread

Prepare = Callable[[int, int], None]


def answer(query: Query, prepare: Prepare | None = None) -> None:
    """Write the contacts of all pairs of a query, by the default solver.

    `prepare(start, stop)` is called before the pairs start..stop are answered, by the same thread.
    """
    a, b, question, order, count, threads, out = query
    kind_a, kind_b = a.kind, b.kind
    if issubclass(kind_a, Cavity) or issubclass(kind_b, Cavity):
        _in_cavity(query, prepare)
        return
    lanes = _lanes(kind_a, kind_b) if count >= MIN_PAIRS_FOR_LANES else None
    if lanes is None:
        share(_loop(query), count, PAIRS_OF_A_THREAD, threads, prepare)
        return
    sides, asked, room_for = (tuple(a.parameters()), tuple(b.parameters())), plain_question(question), tuple(out)

    def loop(start: int, stop: int) -> None:
        lanes(*sides, asked, (order, start, stop), room_for)

    share(loop, count, LANE_PAIRS_OF_A_THREAD, threads, prepare)
    left = _left(query)
    if len(left):
        _finish(query, left)


def answer_by(method: Method, query: Query) -> None:
    """Write the contacts of all pairs of a query, by the given method."""
    kinds = query.a.kind, query.b.kind
    if any(issubclass(kind, Cavity) for kind in kinds):
        raise ValueError(f"solver must be the default one for a Cavity, got {method!r}, which is for two convex bodies")
    if any(issubclass(kind, HalfSpace) for kind in kinds):  # always the closed form
        answer(query)
        columns(query.out).iterations[query.pairs] = 1
        if query.out.trace.shape[1]:
            _one_step(query.pairs, query.out)
        return

    def default(pairs: np.ndarray) -> Proved:
        question = Question(Rows(np.zeros((1, 3)), ONE), Rows(as_limits(None).reshape(1, 1), ONE), query.question.tol)
        out = room(query.total)
        answer(query._replace(question=question, order=pairs, number=len(pairs), out=out))
        found = columns(out)
        return Proved(found.distance[pairs], found.lower[pairs], found.upper[pairs], found.status[pairs])

    judged(method, query, default)


def _loop(query: Query) -> Callable[[int, int], Any]:
    """The closed form or the robust solver."""
    a, b, question, order, count = query[:5]
    room_for = tuple(query.out)
    flipped = issubclass(b.kind, HalfSpace)
    if flipped or issubclass(a.kind, HalfSpace):
        plane, other = (b, a) if flipped else (a, b)
        known = other.kind in POWERS and count >= MIN_PAIRS_FOR_LANES
        loop, half = plane_lanes if known else half_space, tuple(plane.parameters())
        body = tuple(other.parameters() if known else other.body())
        return lambda start, stop: loop(half, body, flipped, (order, start, stop), room_for)
    bodies, asked = (tuple(a.body()), tuple(b.body())), plain_question(question)
    return lambda start, stop: certified(*bodies, asked, (order, start, stop), room_for)


def _in_cavity(query: Query, prepare: Prepare | None) -> None:
    """Bodies in cavities: a nearly closed form for round cavities, a search for all others, at rims and at tips."""
    a, b, question, order, count, threads, out = query
    flipped = issubclass(b.kind, Cavity)
    wall, body = (b, a) if flipped else (a, b)
    around, inside = wall._replace(shape=wall.shape.hollow).body(), body.body()
    bodies, asked, room_for = tuple(inside), plain_question(question), tuple(out)

    def search(around: Body, pairs: Pick) -> Callable[[int, int], Any]:
        hollow = plain(Hollow(around, Sphere(1.0).address, question.tol, question.tol))
        return lambda start, stop: hollow_contacts(
            hollow, tuple(inside), flipped, asked, (pairs, start, stop), room_for
        )

    if not wall.shape.is_round:
        share(search(around, order), count, PAIRS_OF_A_THREAD, threads, prepare)
        return
    walls = Parameters(wall.shape.walls, around.pick, around.poses, around.pick_pose)

    def answer_round(start: int, stop: int) -> None:
        round_wall(tuple(walls), bodies, flipped, asked, (order, start, stop), room_for)

    share(answer_round, count, PAIRS_OF_A_THREAD, threads, prepare)
    left = _left(query)
    if len(left):
        if not wall.shape.ends:
            around = tip_hollows(walls, inside, left, query.total)
        share(search(around, left), len(left), LEFT_PAIRS_OF_A_THREAD, threads)


def _left(query: Query) -> np.ndarray:
    """Indices of the pairs that a fast loop could not finish."""
    order, status = query.order, query.out.codes[: query.total]
    (left,) = ((status[order] if order.size else status) == LEFT).nonzero()
    return order[left] if order.size else left


def _lanes(a: type[Shape], b: type[Shape]) -> Any:
    """The loop over lanes for two kinds of bodies, if there is one."""
    if a in QUADRICS and b in QUADRICS:
        return ellipsoid_lanes
    return superellipsoid_lanes if a in POWERS and b in POWERS else None


def _finish(query: Query, pairs: np.ndarray) -> None:
    """Solve the few pairs left by the lanes with the robust solver."""
    m, threads = len(pairs), query.threads
    question = query.question
    if not question.guess.rows.any():  # start where the lanes ended
        normals = columns(query.out).normal
        normals[pairs] *= HINT
        question = question._replace(guess=Rows(normals, EACH))
        query = query._replace(question=question)
    if all(_worth_preparing(side.shape, m) for side in (query.a, query.b)):
        share(_loop(query._replace(order=pairs, number=m)), m, LEFT_PAIRS_OF_A_THREAD, threads)
        return
    guess, limits = (Rows(asked.rows[chosen(asked.pick, pairs)], EACH) for asked in (question.guess, question.limits))
    question, few = Question(guess, limits, question.tol), room(m)
    some = Query(query.a.take(pairs), query.b.take(pairs), question, EACH, m, threads, few)
    share(_loop(some), m, LEFT_PAIRS_OF_A_THREAD, threads)
    _copy(few, query.out, pairs)


def _copy(few: Buffers, out: Buffers, places: np.ndarray) -> None:
    """Copy all contacts of one buffer to the given places of another."""
    for new, old in zip(columns(out), columns(few)):
        if old.size:
            new[places] = old


def _worth_preparing(shape: Any, pairs: int) -> bool:
    """Whether the robust solver prepares the whole stack, rather than only the bodies of these pairs."""
    return not isinstance(shape, Shape) or len(shape.rows) <= max(MANY_BODIES, pairs) or "bounds" in shape._prepared


def _one_step(pairs: np.ndarray, out: Buffers) -> None:
    """Write the trace of a closed form: its result as the only step."""
    found = columns(out)
    distance, normal, point_a = found.distance[:, None], found.normal, found.point_a
    step = np.hstack([normal, point_a, point_a + distance * normal, distance, np.zeros_like(distance)])
    out.trace[pairs, 0] = step[pairs]
