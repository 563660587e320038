"""The loop over many pairs: loads pairs into a block of lanes, iterates, and writes their contacts.

Every pair is solved in the frame of A, with the power of two just below its size as the unit of length (``load.py``).
A `step` (see ``ellipsoids.py``) is repeated until the bounds meet, `_finish` writes the contact.  Pairs that need more
steps than most of their block wait, with the state of their iteration, until there are enough of them to fill a block;
so vectors stay filled.  A finished lane is frozen and no lane decides anything for another one, so a result does not
depend on the number or order of the pairs, nor on the other pairs in the block
(``tests/solvers/test_lane_neighbours.py``).  Pairs that the lanes cannot finish get the status `LEFT` and are left to
the robust solver.
"""

import math

import numpy as np

from ...compiled.jit import jit, lane, select
from ...contacts.status import LEFT, Status
from ...kernels.block import LANES, axpy, dot, get3, get9, mat_mul, put3, scale
from ...kernels.poses import at
from ..tables import Answer, write
from .load import begin, load, prepare
from .rows import (
    COUNT,
    DONE,
    FAR,
    G2,
    GIVEN_UP,
    HOME,
    INVERSE,
    PAIR,
    PROVED,
    RHO,
    ROUNDING,
    ROWS,
    RUNNING,
    SCALE,
    SLOPE,
    STATE,
    STATE_ROWS,
    TURN_A,
    UNPROVED,
    WORK,
    A,
    D,
    F,
    N,
    X,
    new_block,
)

_DISTANCE, _LOWER, _UPPER, _NORMAL, _POINT = WORK, WORK + 1, WORK + 2, WORK + 3, WORK + 6

_APART, _OVERLAP, _BEYOND = int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.BEYOND)

# A new block is iterated until 1/6 of its lanes still run, a block of slow pairs until 1/2.
NEW, SLOW = 6, 2


@lane
def _answer(s):
    """Distance, bounds, normal and contact point of A in the world, after a last Newton step without evaluation."""
    for l in range(LANES):
        f, rho, g2 = s[F * LANES + l], s[RHO * LANES + l], s[G2 * LANES + l]
        unit, rounding, turn = s[SCALE * LANES + l], s[ROUNDING * LANES + l], get9(s, TURN_A, l)
        part = select(s[DONE * LANES + l] == PROVED, 1.0, 0.0)
        c = f + rho
        # |w + rho n| - rho without cancellation
        length = math.sqrt(c * c + g2)
        upper = f + select(c > 0.0, g2 / (length + abs(c) + 1e-300), length - c)
        s[_DISTANCE * LANES + l] = min(f + 0.5 * part * s[SLOPE * LANES + l], upper) * unit
        s[_LOWER * LANES + l] = f * unit - rounding
        s[_UPPER * LANES + l] = upper * unit + rounding
        a, x, d = get3(s, A, l), get3(s, X, l), get3(s, D, l)
        n = mat_mul(turn, axpy(get3(s, N, l), part, d))
        put3(s, _NORMAL, l, scale(n, 1.0 / math.sqrt(dot(n, n))))
        # The step moves the point of an ellipsoid by W_A d.
        shift = axpy((a[0] * a[0] * d[0], a[1] * a[1] * d[1], a[2] * a[2] * d[2]), -dot(x, d), x)
        x = axpy(x, part * s[INVERSE * LANES + l], shift)
        put3(s, _POINT, l, axpy(get3(s, HOME, l), unit, mat_mul(turn, x)))


@jit
def _finish(s, filled, values, codes):
    """Write the contacts of the finished lanes."""
    _answer(s)
    for l in range(filled):
        done, upper = s[DONE * LANES + l], s[_UPPER * LANES + l]
        if done != RUNNING:
            status = _APART if upper >= 0.0 else _OVERLAP
            if done != PROVED:
                status = _BEYOND if done == FAR else LEFT
            distance, lower = s[_DISTANCE * LANES + l], s[_LOWER * LANES + l]
            n, x, evaluations = get3(s, _NORMAL, l), get3(s, _POINT, l), int(s[COUNT * LANES + l])
            write(values, codes, int(s[PAIR * LANES + l]), Answer(distance, lower, upper, n, x, status, evaluations))


@jit
def _finished(s, filled, patience):
    """Number of lanes that need no more steps."""
    count = 0
    for l in range(filled):
        if s[DONE * LANES + l] == RUNNING and s[COUNT * LANES + l] >= patience:
            s[DONE * LANES + l] = GIVEN_UP
        count += s[DONE * LANES + l] != RUNNING
    return count


@jit
def _keep(s, filled, waiting, states, pairs):
    """Add the pairs still running to those that wait; returns how many wait now."""
    for l in range(filled):
        if s[DONE * LANES + l] == RUNNING:
            for row in range(STATE_ROWS):
                states[waiting, row] = s[(STATE + row) * LANES + l]
            pairs[waiting] = int(s[PAIR * LANES + l])
            waiting += 1
    return waiting


@jit
def _resume(s, filled, states, first):
    """Continue the iterations of waiting pairs in the lanes of a block."""
    for l in range(filled):
        for row in range(STATE_ROWS):
            s[(STATE + row) * LANES + l] = states[first + l, row]


def driver(step, complete, deepen, patience):
    """The compiled loop for one kind of bodies.

    `step` makes one step in every lane; `complete` writes what the answer needs besides; `deepen` is a last attempt to
    solve one lane that the steps could not; after `patience` steps a pair is left to it and then to the robust solver.
    """

    @jit
    def turn(s, filled, rest, values, codes):
        """Iterate until at most `rest` lanes are still running, and write the finished ones."""
        step(s)
        while filled - _finished(s, filled, patience) > rest:
            step(s)
        complete(s)
        for l in range(filled):
            if s[DONE * LANES + l] == UNPROVED or s[DONE * LANES + l] == GIVEN_UP:
                s[DONE * LANES + l] = PROVED if deepen(s, l) else GIVEN_UP
        _finish(s, filled, values, codes)

    @jit
    def drive(a, b, question, part, out):
        """Contacts of some pairs; a and b are `Parameters`."""
        s, pairs = new_block(ROWS), np.empty(LANES, np.int64)
        states, slow, waiting = np.empty((2 * LANES, STATE_ROWS)), np.empty(2 * LANES, np.int64), 0
        values, codes = out.values, out.codes  # passing a tuple of arrays costs reference counting in every call
        k, stop = part.start, part.stop
        while k < stop or waiting > 0:
            new = waiting < LANES and k < stop
            filled = min(LANES, stop - k) if new else min(LANES, waiting)
            waiting -= 0 if new else filled
            for l in range(LANES):  # copies of the last pair fill the block
                m = min(l, filled - 1)
                pairs[l] = at(part.order, k + m) if new else slow[waiting + m]
            load(s, a, b, question, pairs, k == part.start)
            prepare(s, question.tol)
            begin(s)
            if new:
                k += filled
            else:
                _resume(s, filled, states, waiting)
            turn(s, filled, filled // (NEW if new else SLOW), values, codes)
            waiting = _keep(s, filled, waiting, states, slow)

    return drive
