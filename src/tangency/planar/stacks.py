"""The default solver for stacks of planar bodies: prepares rows for compiled code and returns a `Contact`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.jit import plain_rows
from ..solvers.question import pick
from ..solvers.tables import Question, Rows, plain
from .result import Contact
from .shape import Shape
from .solver.certified import CODES, VALUES, answers, certified
from .solver.pair import Body

Pose = tuple[np.ndarray, np.ndarray]  # cosine and sine of the angles, positions


class Pairs(NamedTuple):
    """The pairs of a query: bodies A and B, their poses, the shape of the stack of all pairs."""

    bodies: tuple[Shape, Shape]
    poses: tuple[Pose, Pose]
    batch: tuple[int, ...]


class Asked(NamedTuple):
    """Options of a query."""

    normals: np.ndarray  #: (..., 2) guesses; the zero vector means no guess
    tol: float
    farthest: np.ndarray  #: (...) `max_distance`


def solved(pairs: Pairs, asked: Asked) -> Contact:
    """Certified contacts of all pairs."""
    (a, b), (pa, pb), batch = pairs
    normals, tol, farthest = asked
    count = math.prod(batch)
    values, codes = np.empty(VALUES * count), np.empty(CODES * count, np.int64)
    question = Question(
        Rows(plain_rows(normals, (-1, 2)), pick(normals.shape[:-1], batch)),
        Rows(plain_rows(farthest, (-1, 1)), pick(farthest.shape, batch)),
        tol,
    )
    certified(plain(_body(a, pa, batch)), plain(_body(b, pb, batch)), plain(question), count, values, codes)
    out = answers.py_func(values, codes, count)
    arrays = {name: array.reshape((*batch, *array.shape[1:])) for name, array in out._asdict().items()}
    return Contact(**arrays, _bodies=((a, *pa), (b, *pb)))


def _body(shape: Shape, pose: Pose, batch: tuple[int, ...]) -> Body:
    """A body in the form that the solver uses."""
    turns, positions = (plain_rows(array, (-1, 2)) for array in pose)
    picks = pick(shape.batch_shape, batch), pick(pose[1].shape[:-1], batch)
    return Body(shape.address, shape.rows, shape.bounds, picks[0], turns, positions, picks[1])
