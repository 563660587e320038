"""The inside of a cylinder or cone against any body: one angle is left to be found (see `solvers/circle.py`)."""

import math

import numpy as np

from .._jit import element, entry, jit
from ..kernels.jet import JET
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, unit
from ..solvers.buffers import at, write
from ..solvers.circle import ROOM, highest, value_at
from ..solvers.pair import relative
from ..status import LEFT, Status
from .plane import APART, NOT_A_NUMBER, OVERLAP

SEARCHED = int(Status.SEARCHED)


@jit
def nearest_side(wall, placed, guess, tolerance, room, jet):
    """Clearance of a body from the side of a round wall: (distance, lower bound, n, evaluations), in its frame.

    `wall` is a row of `Cavity.walls`, `guess` a normal or the zero vector, `n` points into the wall.
    """
    s, c, offset = wall[0], wall[1], wall[2]
    r = placed[5]
    angle = math.atan2(r[1], r[0]) if guess[0] == 0.0 and guess[1] == 0.0 else math.atan2(guess[1], guess[0])
    value, upper, angle, used = highest(placed, s, c, angle, tolerance, room, jet)
    n = (s * math.cos(angle), s * math.sin(angle), c)
    return offset - value - placed[3], offset - upper - placed[3], n, used


@jit
def _ends(wall, placed, jet):
    """Clearance from the flat end that is nearer, and the normal into it."""
    up, _ = value_at(placed, (0.0, 0.0, 1.0), jet)
    down, _ = value_at(placed, (0.0, 0.0, -1.0), jet)
    return wall[3] - max(up, down) - placed[3], (0.0, 0.0, 1.0 if up >= down else -1.0)


@jit
def _beyond_a_rim(wall, side, end):
    """Whether a body with these clearances, of which one is negative, may be farther from the hollow than from a face.

    A point beyond one face comes back along its normal, and is then in the hollow if that does not use up the
    clearance from the other face: c of the way, the cosine of the angle between both.
    """
    c = abs(wall[1])
    return end < -c * side if side < 0.0 else side < -c * end


@entry
def round_wall(wall, body, flipped, guess, tol, order, start, stop, values, codes):
    """Contacts of the pairs order[start..stop] of a round wall and a body, in the world.

    The wall is (rows of `Cavity.walls`, pick, poses, pick), the body as in `certified`.  A is the wall, or the body if
    `flipped`.  Pairs that are nearest at a rim get the status LEFT.
    """
    walls, pick, poses, pick_pose = wall
    size_b, jet = body[1].shape[1], np.empty(JET)
    for position in range(start, stop):
        k = at(order, position)
        i, j = at(pick, k), at(body[3], k)
        rotation, r, turn, home = relative(poses, at(pick_pose, k), body[4], at(body[5], k))
        box, own = body[2][j], walls[i]
        placed = (body[0], element(body[1], j * size_b), size_b, box[6], rotation, r)
        size = own[2] + norm((box[0], box[1], box[2]))
        rounding = ROUNDING * (own[2] + own[3] * own[4] + norm(r)) + box[7]
        tolerance = max(tol * size, 0.25 * rounding)
        row = guess[0][at(guess[1], k)]
        towards = scale(mat_t_mul(turn, (row[0], row[1], row[2])), 1.0 if flipped else -1.0)
        distance, lower, n, used = nearest_side(own, placed, towards, tolerance, ROOM, jet)
        proved = distance - lower <= tolerance + rounding
        left = False
        if own[4] != 0.0:
            end, m = _ends(own, placed, jet)
            used += 2
            left = min(lower, end) < -rounding and _beyond_a_rim(own, lower, end)
            if end < distance:
                distance, n, proved = end, m, proved or lower >= end
            lower = min(lower, end)
        _, x = value_at(placed, n, jet)
        if own[4] == 0.0 and distance < -rounding:
            # Beyond the tip of a cone there is no side; there the tip is nearest, as for the closed one.
            left = own[1] * (x[2] + (placed[3] + distance) * n[2]) > own[2] + rounding
        x = add(mat_mul(turn, axpy(x, placed[3], n)), home)
        n = unit(mat_mul(turn, n))
        status = SEARCHED
        if proved:
            status = APART if distance >= -rounding else OVERLAP
        if not math.isfinite(distance + x[0] + x[1] + x[2]):
            distance, lower, x, status, rounding = 0.0, 0.0, home, NOT_A_NUMBER, math.inf
        elif left:
            status = LEFT
        if not flipped:
            x = axpy(x, distance, n)
            n = scale(n, -1.0)
        write(values, codes, k, distance, lower - rounding, distance + rounding, n, x, status, used)
