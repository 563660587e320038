"""Römer's methods in the plane: ``planar.contact(..., solver="romer-3")``.

The methods are those of ``tangency.solvers`` that iterate on the normal, run on `in_space.py`; their results
are checked as in space (``solvers/judgement.py``), by the planar default solver where bounds do not decide.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import solvers
from ..compiled.jit import plain_rows
from ..contacts.status import CODES
from ..contacts.trace import Trace, kept_trace, trace_steps
from ..io.spelling import suggestion
from ..kernels.trace import IN_PLANE
from ..solvers.judgement import Proved, judged
from ..solvers.papers.loop import NormalIteration
from ..solvers.question import EACH, ONE, Query, Side, chosen, pick, room
from ..solvers.tables import Question, Rows, columns
from .in_space import side_in_space
from .result import Contact
from .shape import Shape
from .stacks import Asked, Pairs, Pose, solved

#: Methods of the plane, by their names in ``planar.contact(..., solver=name)``.
SOLVERS = {name: method for name, method in solvers.SOLVERS.items() if isinstance(method, NormalIteration)}


def as_method(solver: object) -> NormalIteration | None:
    """The method given by its name or as a method of ``tangency.solvers``; None for the default."""
    if isinstance(solver, NormalIteration):
        return solver
    if isinstance(solver, str) and solver == solvers.DEFAULT:
        return None
    if isinstance(solver, str) and solver in SOLVERS:
        return SOLVERS[solver]
    names = ", ".join((solvers.DEFAULT, *SOLVERS))
    known = isinstance(solver, solvers.Method) or (isinstance(solver, str) and solver in solvers.SOLVERS)
    hint = ", which is for bodies in space" if known else suggestion(solver, (solvers.DEFAULT, *SOLVERS))
    raise ValueError(f"solver must be one of {names} in the plane, or such a method, got {solver!r}{hint}")


def claimed(method: NormalIteration, pairs: Pairs, asked: Asked, *, trace: bool) -> Contact:
    """Contacts found by a method for all pairs, checked."""
    (a, b), (pa, pb), batch = pairs
    normals, tol, farthest = asked
    count = math.prod(batch)
    sides = side_in_space(a, pa, batch), side_in_space(b, pb, batch)
    guess = np.zeros((*normals.shape[:-1], 3))
    guess[..., :2] = normals
    question = Question(
        Rows(guess.reshape(-1, 3), pick(normals.shape[:-1], batch)),
        Rows(plain_rows(farthest, (-1, 1)), pick(farthest.shape, batch)),
        tol,
    )

    def default(some: np.ndarray) -> Proved:
        bodies, poses = zip(*(_some(*one, some) for one in zip((a, b), (pa, pb), sides)))
        c = solved(Pairs(bodies, poses, some.shape), Asked(np.zeros(2), tol, np.array(1e300)))
        return Proved(c.distance, c.lower, c.upper, c.status)

    out = room(count, CODES + 1, trace_steps(count, method.steps) if trace else 0)
    judged(method, Query(*sides, question, EACH, count, 1, out), default)
    found = columns(out)
    distance, lower, upper = (v.reshape(batch) for v in (found.distance, found.lower, found.upper))
    normal, point_a = (v.reshape(*batch, 3)[..., :2] for v in (found.normal, found.point_a))
    codes = found.status, found.evaluations, found.iterations
    status, evaluations, iterations = (code.reshape(batch).astype(np.int64) for code in codes)
    point_b = point_a + distance[..., None] * normal
    bodies: Any = ((a, *pa), (b, *pb))
    kept = kept_trace(out.trace, batch, iterations) if trace else None
    if kept is not None:
        kept = Trace(kept.steps[..., IN_PLANE], iterations)
    return Contact(distance, normal, point_a, point_b, lower, upper, status, evaluations, bodies, iterations, kept)


def _some(shape: Shape, pose: Pose, side: Side, pairs: np.ndarray) -> tuple[Shape, Pose]:
    """Bodies and poses of the selected pairs."""
    some = shape if side.pick is ONE else shape.take(chosen(side.pick, pairs))
    turn, position = (v.reshape(-1, 2)[chosen(side.pick_pose, pairs)] for v in pose)
    return some, (turn, position)
