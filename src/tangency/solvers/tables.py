"""What compiled loops read and write: both bodies of all pairs, the question, the answers.

Entry points take them as plain tuples (`plain`) and name them at once.

A stack belongs to many pairs: beside each stack stands a *pick*, which tells the row that belongs to pair k (`at`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import inlined, jit
from ..contacts.status import VALUES

Pick = np.ndarray  #: which row belongs to pair k: without entries row k, with one entry always that, else entry k


class Body(NamedTuple):
    """Body A, or B, of all pairs."""

    address: int  #: of its compiled formulas
    rows: np.ndarray  #: `Shape.rows`
    bounds: np.ndarray  #: `Shape.bounds`
    pick: Pick
    poses: np.ndarray  #: (poses, 12), see `Poses`
    pick_pose: Pick
    bends: bool  #: whether it has flat places, see `moved` in ``certified/pair.py``


class Parameters(NamedTuple):
    """The same for a loop that knows the formulas: semi-axes, planes, walls."""

    rows: np.ndarray
    pick: Pick
    poses: np.ndarray
    pick_pose: Pick


class Rows(NamedTuple):
    """A part of the question that may differ from pair to pair."""

    rows: np.ndarray
    pick: Pick


class Question(NamedTuple):
    """What is asked about all pairs."""

    guess: Rows  #: normals (n, 3); the zero vector stands for none
    limits: Rows  #: largest distances of interest (n, 1)
    tol: float


class Part(NamedTuple):
    """The pairs order[start..stop] of all pairs."""

    order: Pick
    start: int
    stop: int


class Buffers(NamedTuple):
    """Room for the contacts of all pairs: the two buffers of `Contact`, and rows for a trace if one is asked for."""

    values: np.ndarray
    codes: np.ndarray
    trace: np.ndarray  #: (pairs, steps, TRACE), steps 0 without a trace


def plain(table: tuple) -> tuple:
    """A named tuple as a plain one, also those inside: Python hands these over to compiled code in less time."""
    return tuple([plain(part) if isinstance(part, tuple) else part for part in table])


def plain_question(question: Question) -> tuple:
    """The same for a question, in less time."""
    guess, limits, tol = question
    return (*guess,), (*limits,), tol


@inlined
def named_question(table):
    """The `Question` of which `plain` was made."""
    guess, limits, tol = table
    return Question(Rows(*guess), Rows(*limits), tol)


class Answer(NamedTuple):
    """What a solver says about one pair, in the world."""

    distance: float
    lower: float
    upper: float
    normal: Any
    point: Any  #: on A
    status: int
    evaluations: int


class Columns(NamedTuple):
    """All n contacts of :class:`Buffers`, as views."""

    distance: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    normal: np.ndarray  #: (n, 3)
    point_a: np.ndarray  #: (n, 3)
    status: np.ndarray
    evaluations: np.ndarray
    iterations: np.ndarray  #: empty where they are the evaluations


def columns(out: Buffers) -> Columns:
    """The contacts in `out`, number by number."""
    n = len(out.values) // VALUES
    distance, lower, upper = out.values[: 3 * n].reshape(3, n)
    normal, point = out.values[3 * n : VALUES * n].reshape(2, n, 3)
    return Columns(distance, lower, upper, normal, point, out.codes[:n], out.codes[n : 2 * n], out.codes[2 * n :])


@jit
def at(pick, k):
    """Row that belongs to pair k."""
    if pick.size == 0:
        return k
    return pick[k] if pick.size > 1 else pick[0]


@inlined
def vector_at(rows, k):
    """The three numbers that belong to pair k."""
    i = at(rows.pick, k)
    return (rows.rows[i, 0], rows.rows[i, 1], rows.rows[i, 2])


@inlined
def number_at(rows, k):
    """The number that belongs to pair k."""
    return rows.rows[at(rows.pick, k), 0]


@jit
def write(values, codes, k, answer):
    """Contact k, into the buffers of `Contact`."""
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
    """Contact k, as `write` left it."""
    values, codes = out.values, out.codes
    count = values.size // VALUES
    i, j = 3 * count + 3 * k, 6 * count + 3 * k
    n, x = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
    return Answer(values[k], values[count + k], values[2 * count + k], n, x, codes[k], codes[count + k])


@jit
def write_iterations(out, k, iterations):
    """The third integer of contact k, for methods that count iterations apart from evaluations."""
    out.codes[2 * (out.values.size // VALUES) + k] = iterations
