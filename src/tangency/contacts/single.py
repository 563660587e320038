"""Compiled contact of one pair, from two poses: all that is known about a pair in one record, all output in one array.

Both functions are called directly (``compiled/direct.py``) and allocate nothing, which takes half a microsecond less.
"""

from __future__ import annotations

import numpy as np
from numba import carray, types

from ..compiled.direct import ARRAY, FLOATS, FRAME, MATRIX, QUATERNION, RECORD, VECTOR, direct
from ..compiled.jit import element, inlined, jit
from ..compiled.small_arrays import on_stack
from ..kernels.rotations import ROW, from_frame, from_quaternion, from_turn
from ..kernels.trace import TRACE
from ..shapes.bounds import BOUNDS
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from ..solvers.certified.solver import certified_pairs
from ..solvers.explicit.plane import half_space_pairs
from ..solvers.tables import Body, Buffers, Parameters, Part, Question, Rows
from .status import CODES, VALUES

CODES_AT = VALUES + 2 * ROW  # offset of status and evaluations in the output, after both poses
SINGLE = CODES_AT + CODES
REFUSED, SOLVED, NEARLY = 0, 1, 2  # what both functions return; NEARLY: normal and points should be refined
_PLANE = 4  # numbers per half-space: normal and offset
_INTEGERS = 5  # integers at the start of a record; floats follow

_one, _none = on_stack(1, dtype=types.int64), on_stack(0, dtype=types.int64)
_limit, _codes, _no_trace = on_stack(1, 1), on_stack(CODES, dtype=types.int32), on_stack(0, 0, TRACE)

# Record, guess, rotations (matrices or quaternions) and translations of A and B (twice the same matrix if a 4x4
# one was given), whether these were checked before, output.
_SIGNATURE = (RECORD, *(ARRAY,) * 5, types.boolean, FLOATS)


def pair_record(a: Shape, b: Shape, tol: float, limit: float) -> bytes:
    """What `single` knows about two bounded bodies and the query."""
    whole = [a.address, a.packed.size, b.address, b.packed.size, bool(a.bends or b.bends)]
    return np.array(whole, np.int64).tobytes() + np.concatenate([[tol, limit], a.packed, b.packed]).tobytes()


def plane_record(plane: HalfSpace, body: Shape, flipped: bool) -> bytes:
    """What `single_plane` knows about a half-space and a body."""
    whole = [body.address, body.packed.size, flipped, 0, 0]
    return np.array(whole, np.int64).tobytes() + np.concatenate([plane.rows[0], body.packed]).tobytes()


@jit
def _is_rigid(turn, home, row):
    """Copy a pose into a row; False if it is not a rigid motion to machine precision."""
    if turn.shape == FRAME:
        return from_frame(carray(turn.data, (16,)), row)
    if turn.shape == MATRIX and home.shape == VECTOR:
        return from_turn(carray(turn.data, (9,)), carray(home.data, (3,)), row)
    if turn.shape == QUATERNION and home.shape == VECTOR:
        return from_quaternion(carray(turn.data, (4,)), carray(home.data, (3,)), row)
    return False


@inlined
def _body(address, record, start, size, poses, one, bends):
    """A body in the form that solvers use, from `Shape.packed`, which starts there in the record."""
    rows = carray(element(record, start), (1, size - BOUNDS))
    bounds = carray(element(record, start + size - BOUNDS), (1, BOUNDS))
    return Body(address, rows, bounds, one, poses, one, bends)


@jit
def _finish(codes, values):
    """Codes into the output; no -0.0, whose sign depends on the processor."""
    values[CODES_AT], values[CODES_AT + 1] = codes[0], codes[1]
    for i in range(VALUES):
        values[i] += 0.0


@direct(*_SIGNATURE)
def single(record, guess, turn_a, home_a, turn_b, home_b, trusted, out):
    """Write the contact of two bounded bodies by the default solver; REFUSED if the input needs the full check.

    `record` is a `pair_record`; with `trusted`, the poses are used unchecked.
    """
    values, at = carray(out, (SINGLE,)), carray(record.integers, (_INTEGERS,))
    rows_a, rows_b = carray(element(values, VALUES), (1, ROW)), carray(element(values, VALUES + ROW), (1, ROW))
    rigid = _is_rigid(turn_a, home_a, rows_a) & _is_rigid(turn_b, home_b, rows_b)
    if not (rigid or trusted) or guess.shape != VECTOR:
        return REFUSED
    given, one, limits, codes = carray(record.floats, (_INTEGERS + 2,)), _one(), _limit(), _codes()
    one[0], limits[0, 0] = 0, given[_INTEGERS + 1]
    a = _body(at[0], given, _INTEGERS + 2, at[1], rows_a, one, at[4] != 0)
    b = _body(at[2], given, _INTEGERS + 2 + at[1], at[3], rows_b, one, at[4] != 0)
    question = Question(Rows(carray(guess.data, (1, 3)), one), Rows(limits, one), given[_INTEGERS])
    certified_pairs(a, b, question, Part(_none(), 0, 1), Buffers(values[:VALUES], codes, _no_trace()))
    _finish(codes, values)
    return SOLVED if codes[1] >= 0 else NEARLY


@direct(*_SIGNATURE)
def single_plane(record, guess, turn_a, home_a, turn_b, home_b, trusted, out):
    """The same for a half-space and a body, from a `plane_record`; A is the half-space, or the body if `flipped`."""
    values, at = carray(out, (SINGLE,)), carray(record.integers, (_INTEGERS,))
    rows_a, rows_b = carray(element(values, VALUES), (1, ROW)), carray(element(values, VALUES + ROW), (1, ROW))
    rigid = _is_rigid(turn_a, home_a, rows_a) & _is_rigid(turn_b, home_b, rows_b)
    if not (rigid or trusted) or guess.shape != VECTOR:
        return REFUSED
    given, one, codes, flipped = carray(record.floats, (_INTEGERS,)), _one(), _codes(), at[2] != 0
    one[0] = 0
    body = _body(at[0], given, _INTEGERS + _PLANE, at[1], rows_a if flipped else rows_b, one, False)
    plane = Parameters(carray(element(given, _INTEGERS), (1, _PLANE)), one, rows_b if flipped else rows_a, one)
    half_space_pairs(plane, body, flipped, Part(_none(), 0, 1), Buffers(values[:VALUES], codes, _no_trace()))
    _finish(codes, values)
    return SOLVED if codes[1] >= 0 else NEARLY
