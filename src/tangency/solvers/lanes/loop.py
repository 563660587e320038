"""The loop over many pairs: loads pairs into a block of lanes, iterates, and writes their contacts.

Every pair is solved in the frame of A, with the power of two just below its size as the unit of length.  `_load`
gathers the numbers of a pair, `_prepare` transforms them to that frame, a `step` (see ``ellipsoids.py``) is repeated
until the bounds meet, `_finish` writes the contact.  Slow pairs are collected in a second block, so that vectors
stay filled.  A finished lane is frozen and no lane decides anything for another one, so a result does not depend on
the number or order of the pairs, nor on the other pairs in the block (``tests/solvers/test_lane_neighbours.py``).
Pairs that the lanes cannot finish get the status `LEFT` and are left to the robust solver.
"""

import math

import numpy as np

from ...compiled.jit import bits, from_bits, jit, lane, peek, select
from ...contacts.status import LEFT, Status
from ...kernels.block import (
    LANES,
    axpy,
    dot,
    get3,
    get9,
    mat_mul,
    mat_t_mul,
    put3,
    put6,
    scale,
    sub,
    sym_mul,
    update3,
)
from ...kernels.rounding import ROUNDING as RELATIVE
from ..tables import Answer, at, write

# Rows.  The bodies: semi-axes, orientation and position of B relative to A, the matrix of B if it is an ellipsoid, the
# squares of the smallest semi-axes, the exponents of superellipsoids.
A, B, TURN, R, S_B, INNER, EXPONENTS = 0, 3, 6, 15, 18, 24, 26
# The iteration: direction, step, fraction of it to try, F, slope, squared residual, inner radius, point of A.
N, D, PART, F, SLOPE, G2, RHO, X = 30, 33, 36, 37, 38, 39, 40, 41
DONE, COUNT = 44, 45
# The question (tolerance, maximum distance), data for the answer (unit of length, rounding, pose of A, number of the
# pair), 0.0, and 1 / h_A if the answer may move the point of A with the last step.
TOL, LIMIT, SCALE, ROUNDING, TURN_A, HOME, PAIR, ZERO, INVERSE = 46, 47, 48, 49, 50, 59, 62, 63, 64
# The remaining rows stay behind when a pair moves to another block: pose of B, then work space of each function.
MOVES, _TURN_B, _HOME_B, WORK, ROWS = 65, 65, 74, 77, 192
_GUESS = WORK
_DISTANCE, _LOWER, _UPPER, _NORMAL, _POINT = WORK, WORK + 1, WORK + 2, WORK + 3, WORK + 6

MARGIN = 1.0 - 1e-9  # allows for rounding errors of inner radii

# Values of DONE: iterating, proved, left to the robust solver, beyond the maximum distance, stationary but unproved.
RUNNING, PROVED, GIVEN_UP, FAR, UNPROVED = 0.0, 1.0, 2.0, 3.0, 4.0

_EXPONENT = 0x7FF << 52
_INVERSE = 0x7FE << 52  # this minus the exponent bits of 2^k gives those of 2^-k
_APART, _OVERLAP, _BEYOND = int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.BEYOND)


@jit
def _block():
    """A block of ones that begins at a cache line, so that no vector is spread over two of them."""
    line = 8
    memory = np.ones(ROWS * LANES + line)
    start = -(memory.ctypes.data // 8) % line
    return memory[start : start + ROWS * LANES]


@jit
def _gather3(s, row, l, array, i):
    """Copy three numbers from position i of an array to lane l."""
    put3(s, row, l, (peek(array, i), peek(array, i + 1), peek(array, i + 2)))


@jit
def choose(index, pick, pairs):
    """Indices of the rows of a stack that belong to the pairs."""
    if pick.size > 1:
        for l in range(LANES):
            index[l] = pick[pairs[l]]
    else:
        for l in range(LANES):
            index[l] = pairs[l] if pick.size == 0 else pick[0]


@jit
def load_shape(s, axes, rows, index):
    """Gather the semi-axes of one body; a row of a sphere holds its radius only."""
    width = rows.shape[1]
    if width == 1:
        for l in range(LANES):
            r = peek(rows, index[l])
            put3(s, axes, l, (r, r, r))
    else:
        for l in range(LANES):
            _gather3(s, axes, l, rows, width * index[l])


@jit
def load_exponents(s, row, rows, index):
    """Gather the exponents of the support function; they are 2 for an ellipsoid."""
    width = rows.shape[1]
    for l in range(LANES):
        s[row * LANES + l] = peek(rows, width * index[l] + 3) if width == 5 else 2.0
        s[(row + 1) * LANES + l] = peek(rows, width * index[l] + 4) if width == 5 else 2.0


@jit
def load_pose(s, turn, home, poses, index):
    for l in range(LANES):
        i = 12 * index[l]
        _gather3(s, turn, l, poses, i)
        _gather3(s, turn + 3, l, poses, i + 4)
        _gather3(s, turn + 6, l, poses, i + 8)
        put3(s, home, l, (peek(poses, i + 3), peek(poses, i + 7), peek(poses, i + 11)))


@jit
def _load(s, a, b, question, pairs, index, first):
    """Gather pairs into a block; data common to all pairs only the first time."""
    powers = a.rows.shape[1] == 5 or b.rows.shape[1] == 5
    choose(index, a.pick, pairs)
    load_shape(s, A, a.rows, index)
    if powers:
        load_exponents(s, EXPONENTS, a.rows, index)
    choose(index, b.pick, pairs)
    load_shape(s, B, b.rows, index)
    if powers:
        load_exponents(s, EXPONENTS + 2, b.rows, index)
    if first or a.pick_pose.size != 1:
        choose(index, a.pick_pose, pairs)
        load_pose(s, TURN_A, HOME, a.poses, index)
    if first or b.pick_pose.size != 1:
        choose(index, b.pick_pose, pairs)
        load_pose(s, _TURN_B, _HOME_B, b.poses, index)
    choose(index, question.guess.pick, pairs)
    for l in range(LANES):
        _gather3(s, _GUESS, l, question.guess.rows, 3 * index[l])
        s[PAIR * LANES + l] = pairs[l]
    choose(index, question.limits.pick, pairs)
    for l in range(LANES):
        s[LIMIT * LANES + l] = peek(question.limits.rows, index[l])


@lane
def _prepare(s, tol):
    """Transform pairs from the world to their own frames and units of length."""
    for l in range(LANES):
        a, b = get3(s, A, l), get3(s, B, l)
        size = math.sqrt(dot(a, a)) + math.sqrt(dot(b, b))
        power = bits(size) & _EXPONENT
        down = from_bits(_INVERSE - power)
        r = sub(get3(s, _HOME_B, l), get3(s, HOME, l))
        rounding = RELATIVE * (max(a[0], max(a[1], a[2])) + max(b[0], max(b[1], b[2])) + math.sqrt(dot(r, r)))
        s[SCALE * LANES + l] = from_bits(power)
        s[ROUNDING * LANES + l] = rounding
        s[TOL * LANES + l] = max(tol * size, 0.25 * rounding) * down
        s[LIMIT * LANES + l] = (s[LIMIT * LANES + l] + rounding) * down
        put3(s, A, l, scale(a, down))
        put3(s, B, l, scale(b, down))
        turn = get9(s, TURN_A, l)
        put3(s, R, l, mat_t_mul(turn, scale(r, down)))
        put3(s, N, l, mat_t_mul(turn, get3(s, _GUESS, l)))
        put3(s, D, l, (0.0, 0.0, 0.0))
        s[PART * LANES + l] = 1.0
        s[F * LANES + l] = -1e300
        s[SLOPE * LANES + l] = 0.0
        s[DONE * LANES + l] = 0.0
        s[COUNT * LANES + l] = 0.0
        s[ZERO * LANES + l] = 0.0
    for l in range(LANES):
        # The axes of B in the frame of A.
        turn, m = get9(s, TURN_A, l), get9(s, _TURN_B, l)
        x = mat_t_mul(turn, (m[0], m[3], m[6]))
        y = mat_t_mul(turn, (m[1], m[4], m[7]))
        z = mat_t_mul(turn, (m[2], m[5], m[8]))
        put3(s, TURN, l, (x[0], y[0], z[0]))
        put3(s, TURN + 3, l, (x[1], y[1], z[1]))
        put3(s, TURN + 6, l, (x[2], y[2], z[2]))


@lane
def _begin(s):
    """Initial direction: the guess, or one step towards the common normal from the line of centres."""
    for l in range(LANES):
        a, b, m, r = get3(s, A, l), get3(s, B, l), get9(s, TURN, l), get3(s, R, l)
        s1, s2, s3 = a[0] * a[0], a[1] * a[1], a[2] * a[2]
        t1, t2, t3 = b[0] * b[0], b[1] * b[1], b[2] * b[2]
        xx = t1 * m[0] * m[0] + t2 * m[1] * m[1] + t3 * m[2] * m[2]
        xy = t1 * m[0] * m[3] + t2 * m[1] * m[4] + t3 * m[2] * m[5]
        xz = t1 * m[0] * m[6] + t2 * m[1] * m[7] + t3 * m[2] * m[8]
        yy = t1 * m[3] * m[3] + t2 * m[4] * m[4] + t3 * m[5] * m[5]
        yz = t1 * m[3] * m[6] + t2 * m[4] * m[7] + t3 * m[5] * m[8]
        zz = t1 * m[6] * m[6] + t2 * m[7] * m[7] + t3 * m[8] * m[8]
        put6(s, S_B, l, (xx, xy, xz, yy, yz, zz))
        s[INNER * LANES + l] = MARGIN * min(s1, min(s2, s3))
        s[(INNER + 1) * LANES + l] = MARGIN * min(t1, min(t2, t3))
        # At n = r / |r|: (S_A / h_A + S_B / h_B + F) n' = r, all times h_A h_B.
        rr = dot(r, r)
        h_a = math.sqrt(s1 * r[0] * r[0] + s2 * r[1] * r[1] + s3 * r[2] * r[2])
        mixed = xy * r[0] * r[1] + xz * r[0] * r[2] + yz * r[1] * r[2]
        h_b = math.sqrt(xx * r[0] * r[0] + yy * r[1] * r[1] + zz * r[2] * r[2] + 2.0 * mixed)
        f = max(rr - h_a - h_b, 0.0) * h_a * h_b / rr
        xx, yy, zz = s1 * h_b + xx * h_a + f, s2 * h_b + yy * h_a + f, s3 * h_b + zz * h_a + f
        xy, xz, yz = xy * h_a, xz * h_a, yz * h_a
        ax, axy, axz = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        ay, ayz, az = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
        adjugate = (ax, axy, axz, ay, ayz, az)
        n = sym_mul(adjugate, r)
        guess = get3(s, N, l)
        given = dot(guess, guess) > 0.25
        update3(s, N, l, not given, scale(n, 1.0 / math.sqrt(dot(n, n))), s[ZERO * LANES + l])


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
def _move(s, filled, t, m):
    """Copy the lanes still running to block t from lane m on (t may be s); returns the number of lanes in use there."""
    for l in range(filled):
        if s[DONE * LANES + l] == RUNNING:
            for row in range(MOVES):
                t[row * LANES + m] = s[row * LANES + l]
            m += 1
    return m


FRESH, SLOW = 6, 2  # a new block is iterated until 1/6 of its lanes still run, the block of slow pairs until 1/2


def driver(step, complete, deepen, patience):
    """The compiled loop for one kind of bodies.

    `step` makes one step in every lane; `complete` writes what the answer needs besides; `deepen` is a last attempt to prove the result of one stationary lane;
    after `patience` steps a pair is left to the robust solver.
    """

    @jit
    def turn(s, filled, rest, values, codes):
        """Iterate until at most `rest` lanes are still running and write the finished ones; returns how many run on."""
        step(s)
        while filled - _finished(s, filled, patience) > rest:
            step(s)
        complete(s)
        for l in range(filled):
            if s[DONE * LANES + l] == UNPROVED:
                s[DONE * LANES + l] = PROVED if deepen(s, l) else GIVEN_UP
        _finish(s, filled, values, codes)
        return filled - _finished(s, filled, patience)

    @jit
    def drive(a, b, question, part, out):
        """Contacts of some pairs; a and b are `Parameters`."""
        fresh, slow = _block(), _block()
        pairs, index = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
        waiting, stop = 0, part.stop
        values, codes = out.values, out.codes  # passing a tuple of arrays costs reference counting in every call
        for k in range(part.start, stop, LANES):
            for l in range(LANES):
                pairs[l] = at(part.order, min(k + l, stop - 1))  # copies of the last pair fill the block
            _load(fresh, a, b, question, pairs, index, k == part.start)
            _prepare(fresh, question.tol)
            _begin(fresh)
            filled = min(LANES, stop - k)
            rest = turn(fresh, filled, filled // FRESH, values, codes)
            while waiting + rest > LANES:
                turn(slow, waiting, waiting // SLOW, values, codes)
                waiting = _move(slow, waiting, slow, 0)
            waiting = _move(fresh, filled, slow, waiting)
        while waiting > 0:
            turn(slow, waiting, waiting // SLOW, values, codes)
            waiting = _move(slow, waiting, slow, 0)

    return drive
