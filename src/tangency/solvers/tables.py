"""Input and output of compiled loops: both bodies of all pairs, the question, the answers.

Entry points take plain tuples (`plain`) and convert them to named ones at once.

One stack may serve many pairs: next to each stack there is a *pick*, which says which row belongs to pair k (`at`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import inlined, jit
from ..contacts.status import VALUES
from ..kernels.poses import at

FOLLOWED = 0.5  # a guess longer than this is followed in overlap
HINT = 0.25  # length of a guess that is only the start of the search, as long as it is for the robust solver

Pick = np.ndarray  #: the row of pair k: if empty, row k; if it has one entry, always that row; else entry k


class Body(NamedTuple):
    """Body A (or B) of all pairs."""

    address: int  #: of the compiled formulas
    rows: np.ndarray  #: `Shape.rows`
    bounds: np.ndarray  #: `Shape.bounds`
    pick: Pick
    poses: np.ndarray  #: (poses, 12), see `Poses`
    pick_pose: Pick
    bends: bool  #: whether the shape has flat places, see `moved` in ``certified/pair.py``


class Parameters(NamedTuple):
    """The same for a loop that contains the formulas: semi-axes, planes, walls."""

    rows: np.ndarray
    pick: Pick
    poses: np.ndarray
    pick_pose: Pick


class Rows(NamedTuple):
    """A part of the question that may vary from pair to pair."""

    rows: np.ndarray
    pick: Pick


class Question(NamedTuple):
    """What is asked about all pairs."""

    guess: Rows  #: normals (n, 3); a zero vector means no guess; see also `HINT`
    limits: Rows  #: `max_distance`, (n, 1)
    tol: float


class Part(NamedTuple):
    """The pairs order[start..stop] of all pairs."""

    order: Pick
    start: int
    stop: int


class Buffers(NamedTuple):
    """Buffers for the contacts of all pairs: the two of `Contact`, and one for the trace if requested."""

    values: np.ndarray
    codes: np.ndarray
    trace: np.ndarray  #: (pairs, steps, TRACE), steps 0 without a trace


def plain(table: tuple) -> tuple:
    """Convert a named tuple, and those inside it, to plain tuples, which are faster to pass to compiled code."""
    return tuple([plain(part) if isinstance(part, tuple) else part for part in table])


def plain_question(question: Question) -> tuple:
    """The same for a question, in less time."""
    guess, limits, tol = question
    return (*guess,), (*limits,), tol


@inlined
def named_question(table):
    """Convert the output of `plain` back to a `Question`."""
    guess, limits, tol = table
    return Question(Rows(*guess), Rows(*limits), tol)


class Answer(NamedTuple):
    """Result for one pair, in the world frame."""

    distance: float
    lower: float
    upper: float
    normal: Any
    point: Any  #: on A
    status: int
    evaluations: int  #: negative if normal and point should be refined, see ``derivatives/refinement.py``


class Columns(NamedTuple):
    """The n contacts in :class:`Buffers`, as views."""

    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    normal: np.ndarray  #: (n, 3)
    point_a: np.ndarray  #: (n, 3)
    status: np.ndarray
    evaluations: np.ndarray
    iterations: np.ndarray  #: empty if they equal the evaluations


def columns(out: Buffers) -> Columns:
    """Views of the contacts in `out`."""
    n = len(out.values) // VALUES
    distance, lower, upper = out.values[: 3 * n].reshape(3, n)
    normal, point = out.values[3 * n : VALUES * n].reshape(2, n, 3)
    return Columns(distance, lower, upper, normal, point, out.codes[:n], out.codes[n : 2 * n], out.codes[2 * n :])


@inlined
def vector_at(rows, k):
    """The row of pair k, as a 3-tuple."""
    i = at(rows.pick, k)
    return (rows.rows[i, 0], rows.rows[i, 1], rows.rows[i, 2])


@inlined
def number_at(rows, k):
    """The number for pair k."""
    return rows.rows[at(rows.pick, k), 0]


@jit
def write(values, codes, k, answer):
    """Write contact k into the buffers of `Contact`."""
    count = values.size // VALUES
    values[k] = answer.distance
    values[count + k] = answer.lower
    values[2 * count + k] = answer.upper
    i, j = 3 * count + 3 * k, 6 * count + 3 * k
    for c in range(3):
        values[i + c] = answer.normal[c]
        values[j + c] = answer.point[c]
    codes[k] = answer.status
    codes[count + k] = answer.evaluations


@jit
def answer_at(out, k):
    """Read contact k, as written by `write`."""
    values, codes = out.values, out.codes
    count = values.size // VALUES
    i, j = 3 * count + 3 * k, 6 * count + 3 * k
    n, x = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
    return Answer(values[k], values[count + k], values[2 * count + k], n, x, codes[k], codes[count + k])


@jit
def write_iterations(out, k, iterations):
    """Write the iterations of contact k, for methods that count them separately from evaluations."""
    out.codes[2 * (out.values.size // VALUES) + k] = iterations
