"""One pair of bodies, from 4x4 poses to the contact, with few arguments.

Python needs some 0.15 us to hand over an array, so that all numbers of a body go in one, and all that comes
out is in one.
"""

import numpy as np

from ..compiled.jit import entry, jit
from ..kernels.rotations import ROW, from_frame
from ..shapes.bounds import BOUNDS
from ..solvers.certified.solver import certified
from ..solvers.explicit.plane import half_space
from ..solvers.tables import Body, Buffers, Parameters, Part, Question, Rows
from .status import CODES, TRACE, VALUES

CODES_AT = VALUES + 2 * ROW  # where status and evaluations stand in the output, after both poses
SINGLE = CODES_AT + 2


@jit
def _placed(pose_a, pose_b, trusted, out):
    """Rows of both poses, copied into `out`, and which of them is no rigid motion to all digits (0: none)."""
    a, b = out[VALUES : VALUES + ROW].reshape(1, ROW), out[VALUES + ROW : CODES_AT].reshape(1, ROW)
    wrong = 0
    if not from_frame(pose_b, b):
        wrong = 2
    if not from_frame(pose_a, a):
        wrong = 1
    return a, b, 0 if trusted else wrong


@jit
def _body(address, data, poses, one, bends):
    """A body as `certified` takes it, from `Shape.packed`."""
    size = data.size - BOUNDS
    return Body(address, data[:size].reshape(1, size), data[size:].reshape(1, BOUNDS), one, poses, one, bends)


@jit
def _room(out):
    """Buffers for one contact, whose values stand in `out`."""
    return Buffers(out[:VALUES], np.empty(CODES, np.int32), np.empty((0, 0, TRACE)))


@jit
def _put_codes(here, out):
    out[CODES_AT], out[CODES_AT + 1] = here.codes[0], here.codes[1]


@entry
def single(address_a, data_a, address_b, data_b, bends, tol, limit, guess, pose_a, pose_b, trusted, out):
    """Contact of two bounded bodies by the default solver; which pose needs a closer look (0: none).

    `data` is `Shape.packed`; with `trusted` the poses are taken as they are.
    """
    rows_a, rows_b, wrong = _placed(pose_a, pose_b, trusted, out)
    if wrong:
        return wrong
    one, limits = np.zeros(1, np.int64), np.empty((1, 1))
    a, b = _body(address_a, data_a, rows_a, one, bends), _body(address_b, data_b, rows_b, one, bends)
    limits[0, 0] = limit
    question, here = Question(Rows(guess, one), Rows(limits, one), tol), _room(out)
    certified(a, b, question, Part(np.zeros(0, np.int64), 0, 1), here)
    _put_codes(here, out)
    return 0


@entry
def single_plane(plane, address, data, flipped, guess, pose_a, pose_b, trusted, out):
    """Contact of a half-space (row of normal and offset) and a body; A is the half-space, or the body if `flipped`."""
    rows_a, rows_b, wrong = _placed(pose_a, pose_b, trusted, out)
    if wrong:
        return wrong
    one, here = np.zeros(1, np.int64), _room(out)
    body = _body(address, data, rows_a if flipped else rows_b, one, False)
    half = Parameters(plane, one, rows_b if flipped else rows_a, one)
    half_space(half, body, flipped, Part(np.zeros(0, np.int64), 0, 1), here)
    _put_codes(here, out)
    return 0
