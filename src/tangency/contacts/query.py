"""contact(): validate and broadcast the arguments, solve, and return a Contact."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from ..compiled.jit import plain_rows
from ..derivatives.refinement import refined
from ..geometry.pose import PoseLike, Poses, draft
from ..io import validate
from ..shapes.cavity import Cavity
from ..shapes.shape import Shape
from ..solvers import DEFAULT
from ..solvers.method import Method
from ..solvers.question import EACH, ONE, Query, Side, pick, room
from ..solvers.tables import Question, Rows, columns
from . import dispatch
from .options import NO_GUESS, NO_LIMIT, as_limits, as_method, as_normals, check_options, check_pair
from .pair import prepared, recalled
from .result import Contact, Guess
from .status import CODES
from .trace import kept_trace, trace_steps

_NO_GUESS, _NO_LIMIT = Rows(NO_GUESS.reshape(1, 3), ONE), Rows(NO_LIMIT.reshape(1, 1), ONE)


def contact(
    a: Shape,
    b: Shape,
    pose_a: PoseLike = None,
    pose_b: PoseLike = None,
    *,
    solver: str | Method = "certified",
    guess: Guess = None,
    tol: float = 1e-12,
    max_distance: ArrayLike | None = None,
    threads: int | None = None,
    trace: bool = False,
) -> Contact:
    """Signed distance, common normal and contact points of two convex bodies, with proved bounds.

    Parameters
    ----------
    a, b : Shape
        Each a single body or a stack of bodies.
    pose_a, pose_b : optional
        Poses of the bodies in the world: None (identity), a SciPy ``RigidTransform``, a (..., 4, 4)
        array or ``(rotation, translation)``.  Stacks broadcast against each other and the shapes.
    solver : str or Method
        Name of a method, see :mod:`tangency.solvers`, or a ``Method`` object with options.
    guess : Contact or (..., 3) array_like, optional
        An earlier result, or normals from A to B, to start from: saves work when bodies move little.
        In overlap, the common normal closest to the guess is followed without a global search.
    tol : float
        Largest gap between the bounds, relative to the size of the two bodies.
    max_distance : (...) array_like, optional
        Return as soon as the bodies are proved to be farther apart than this.  Such a pair has the status
        ``BEYOND``; its `distance` is then a lower bound.
    threads : int, optional
        Number of threads for large stacks; default all cores.  Results do not depend on it.
    trace : bool
        Keep every step of the solver in ``Contact.trace``; not for the default solver.

    Returns
    -------
    Contact

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0)
    >>> c = tg.contact(a, b, pose_b=(None, [5, 0, 0]))
    >>> float(c.distance), c.normal.tolist()
    (1.0, [1.0, 0.0, 0.0])
    """
    pair = None
    if solver is DEFAULT and max_distance is None and threads is None and not trace:
        pair = recalled(a, b, tol)  # bodies and tolerance were checked when it was prepared
        answer = None if pair is None else pair(pose_a, pose_b, guess)
        if answer is not None:
            return answer
    check_pair(a, b)
    method = as_method(solver)
    walls = isinstance(a, Cavity) or isinstance(b, Cavity)
    tolerance, workers = check_options(tol, threads)
    if trace and method is None:
        raise ValueError("trace must be False for the default solver, which keeps no steps; name another solver")
    normals = as_normals(guess)
    plain = max_distance is None and method is None and normals.ndim == 1
    if plain and pair is None and not (walls or a.batch_shape or b.batch_shape):
        answer = prepared(a, b, tolerance)(pose_a, pose_b, guess)
        if answer is not None:
            return answer
    drafts = draft(pose_a, "pose_a"), draft(pose_b, "pose_b")
    pa, pb = drafts[0].poses, drafts[1].poses
    farthest = as_limits(max_distance)
    batch = validate.broadcast(
        {
            "a": a.batch_shape,
            "b": b.batch_shape,
            "pose_a": pa.shape,
            "pose_b": pb.shape,
            "guess": normals.shape[:-1],
            "max_distance": farthest.shape,
        }
    )
    question = Question(
        _NO_GUESS if guess is None else Rows(plain_rows(normals, (-1, 3)), pick(normals.shape[:-1], batch)),
        _NO_LIMIT if max_distance is None else Rows(plain_rows(farthest, (-1, 1)), pick(farthest.shape, batch)),
        tolerance,
    )
    count = math.prod(batch)
    sides = _side(a, pa, batch), _side(b, pb, batch)
    bodies = ((a, *pa), (b, *pb))
    if method is not None:
        for given in drafts:
            given.filled()
        out = room(count, CODES + 1, trace_steps(count, method.steps) if trace else 0)
        dispatch.answer_by(method, Query(*sides, question, EACH, count, workers, out))
        kept = kept_trace(out.trace, batch, columns(out).iterations) if trace else None
        return Contact(out.values, out.codes, batch, bodies, kept)
    out = room(count)
    later = []
    for given, side in zip(drafts, sides):
        if side.pick_pose is EACH:
            later.append(given)
        else:
            given.filled()

    def prepare(start: int, stop: int) -> None:
        for given in later:
            given.fill(start, stop)

    dispatch.answer(Query(*sides, question, EACH, count, workers, out), prepare)
    return refined(Contact(out.values, out.codes, batch, bodies))


def _side(shape: Shape, poses: Poses, batch: tuple[int, ...]) -> Side:
    return Side(shape, pick(shape.batch_shape, batch), poses.rows, pick(poses.shape, batch))
