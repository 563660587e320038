"""Compiled contact of one pair, from two 4x4 poses, with few arguments.

Passing an array from Python costs about 0.15 us.  All input about a pair is therefore packed into two arrays, and all
output into one.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import entry, jit
from ..kernels.rotations import ROW, from_frame
from ..kernels.trace import TRACE
from ..shapes.bounds import BOUNDS
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from ..solvers.certified.solver import certified_pairs
from ..solvers.explicit.plane import half_space_pairs
from ..solvers.tables import Body, Buffers, Parameters, Part, Question, Rows
from .status import CODES, VALUES

CODES_AT = VALUES + 2 * ROW  # offset of status and evaluations in the output, after both poses
SINGLE = CODES_AT + 2
_PLANE = 4  # numbers per half-space: normal and offset


def pack_pair(a: Shape, b: Shape, tol: float, limit: float) -> tuple[np.ndarray, np.ndarray]:
    """Integers and floats that describe two bounded bodies and the query, as `single` reads them."""
    whole = [a.address, a.packed.size, b.address, b.packed.size, bool(a.bends or b.bends)]
    return np.array(whole, np.int64), np.concatenate([[tol, limit], a.packed, b.packed])


def pack_plane(plane: HalfSpace, body: Shape, flipped: bool) -> tuple[np.ndarray, np.ndarray]:
    """Integers and floats that describe a half-space and a body, as `single_plane` reads them."""
    whole = [body.address, body.packed.size, flipped]
    return np.array(whole, np.int64), np.concatenate([plane.rows[0], body.packed])


@jit
def _placed(pose_a, pose_b, trusted, out):
    """Rows of both poses, copied into `out`, and which one is not a rigid motion to machine precision (0: none)."""
    a, b = out[VALUES : VALUES + ROW].reshape(1, ROW), out[VALUES + ROW : CODES_AT].reshape(1, ROW)
    wrong = 0
    if not from_frame(pose_b, b):
        wrong = 2
    if not from_frame(pose_a, a):
        wrong = 1
    return a, b, 0 if trusted else wrong


@jit
def _body(address, packed, poses, one, bends):
    """A body in the form that solvers use, from `Shape.packed`."""
    size = packed.size - BOUNDS
    return Body(address, packed[:size].reshape(1, size), packed[size:].reshape(1, BOUNDS), one, poses, one, bends)


@jit
def _room(out):
    """Buffers for one contact, whose values are stored in `out`."""
    return Buffers(out[:VALUES], np.empty(CODES, np.int32), np.empty((0, 0, TRACE)))


@jit
def _put_codes(here, out):
    out[CODES_AT], out[CODES_AT + 1] = here.codes[0], here.codes[1]


@entry
def single(whole, numbers, guess, pose_a, pose_b, trusted, out):
    """Write the contact of two bounded bodies by the default solver; return which pose needs checking (0: none).

    The first two arguments come from `pack_pair`; with `trusted`, the poses are used unchecked.
    """
    rows_a, rows_b, wrong = _placed(pose_a, pose_b, trusted, out)
    if wrong:
        return wrong
    one, limits, middle, bends = np.zeros(1, np.int64), np.empty((1, 1)), 2 + whole[1], whole[4] != 0
    a = _body(whole[0], numbers[2:middle], rows_a, one, bends)
    b = _body(whole[2], numbers[middle : middle + whole[3]], rows_b, one, bends)
    limits[0, 0] = numbers[1]
    question, here = Question(Rows(guess.reshape(1, 3), one), Rows(limits, one), numbers[0]), _room(out)
    certified_pairs(a, b, question, Part(np.zeros(0, np.int64), 0, 1), here)
    _put_codes(here, out)
    return 0


@entry
def single_plane(whole, numbers, guess, pose_a, pose_b, trusted, out):
    """Write the contact of a half-space and a body; A is the half-space, or the body if packed `flipped`."""
    rows_a, rows_b, wrong = _placed(pose_a, pose_b, trusted, out)
    if wrong:
        return wrong
    one, here, flipped = np.zeros(1, np.int64), _room(out), whole[2] != 0
    body = _body(whole[0], numbers[_PLANE : _PLANE + whole[1]], rows_a if flipped else rows_b, one, False)
    half = Parameters(numbers[:_PLANE].reshape(1, _PLANE), one, rows_b if flipped else rows_a, one)
    half_space_pairs(half, body, flipped, Part(np.zeros(0, np.int64), 0, 1), here)
    _put_codes(here, out)
    return 0
