"""Contact of any two shapes of a world, compiled once and called by its address.

The solver takes long to compile; reached through an address it is compiled once for all loops that need it.
"""

from __future__ import annotations

from functools import cache

import numba
import numpy as np

from .._jit import address_of, call_contact, contact_signature, element, entry, jit
from ..explicit.plane import half_space
from ..explicit.round_wall import nearest_side
from ..kernels.jet import JET
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, unit
from ..shape import BOUNDS
from ..solvers.ascent import climb
from ..solvers.certified import certified
from ..solvers.circle import value_at
from ..solvers.hollow import COLUMNS
from ..solvers.inside import inside
from ..solvers.pair import JETS, make_pair, relative
from ..solvers.scales import scales
from ..status import Status

SOLID, PLANE, HOLLOW, ROUND = 0, 1, 2, 3  # ROUND is the side of a cylinder or cone around others

# Columns of a row of contacts: distance, normal from A to B, point on A, whether the solver was content,
# principal curvatures of the gap (the larger first).
DISTANCE, NORMAL, POINT, GOOD, CURVATURES = 0, 1, 4, 7, 8
ROW = 10

_WHOLE, _POINTERS = 7, 7
_WORST = int(Status.BEYOND)
TRIANGLES, ARCS = 1024, 256  # that are looked at in a hollow, at a round wall, at most
HOLLOW_GAP, ROUND_GAP = 1e4, 1e3  # how far below the nearest place another may remain unseen, in units of `tol`
FEW = 12  # evaluations that follow a normal, before the solver has to look for it


@jit
def _follow(a, b, bends, tol, row, values):
    """Common normal next to that of an overlap a moment ago, by Newton steps alone; False if they fail.

    What `certified` does with a guess, without its proof that the bodies overlap: both say how deep they are along
    the normal that is followed.  Bodies deeper in each other than one of them is wide may have passed through and be
    apart: that is left to `certified`.
    """
    pair, turn, home = make_pair(a, b, 0)
    box_a, box_b, core_a = a[2][0], b[2][0], pair[3]
    size, rounding, tolerance = scales(box_a, box_b, pair[9], tol)
    n = mat_t_mul(turn, (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]))
    found, _, distance, n, foot, _ = climb(
        pair, n, bends, size, tolerance, rounding, FEW, np.empty(JETS), np.empty(JETS)
    )
    if not found:
        return False
    values[0] = distance - core_a - pair[7]
    if -values[0] > min(min(box_a[0], box_a[1], box_a[2]), min(box_b[0], box_b[1], box_b[2])):
        return False
    x = add(mat_mul(turn, axpy(foot, core_a, n)), home)
    n = unit(mat_mul(turn, n))
    values[3], values[4], values[5] = n
    values[6], values[7], values[8] = x
    return True


@jit
def _in_hollow(a, b, point, row, tol, limit, values):
    """Contact with a cavity; False if the search failed."""
    start = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    triangles, jets = np.empty((TRIANGLES, COLUMNS)), np.empty(JETS)
    distance, lower, n, x, status, _, rounding = inside(a, b, 0, point, start, tol, HOLLOW_GAP * tol, triangles, jets)
    _put(values, distance, lower - rounding, limit, n, x)
    return status <= _WORST


@jit
def _in_round_wall(a, b, row, tol, limit, values):
    """Contact with the side of a cylinder or cone; False for numbers that are not finite."""
    rotation, r, turn, home = relative(a[4], 0, b[4], 0)
    box, wall, jet = b[2][0], a[1][0], np.empty(JET)
    placed = (b[0], element(b[1], 0), b[1].shape[1], box[6], rotation, r)
    size = wall[2] + norm((box[0], box[1], box[2]))
    rounding = ROUNDING * (wall[2] + norm(r)) + box[7]
    guess = scale(mat_t_mul(turn, (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])), -1.0)
    tolerance = max(ROUND_GAP * tol * size, rounding)
    distance, lower, n, _ = nearest_side(wall, placed, guess, tolerance, ARCS, jet)
    _, x = value_at(placed, n, jet)
    x = add(mat_mul(turn, axpy(x, placed[3], n)), home)
    _put(values, distance, lower - rounding, limit, scale(unit(mat_mul(turn, n)), -1.0), x)
    return abs(distance) < 1e300


@jit
def _put(values, distance, lower, limit, n, x):
    """Numbers of a contact whose point on B is x; beyond the limit the distance is the proved one."""
    values[3], values[4], values[5] = n
    values[6], values[7], values[8] = axpy(x, -distance, n)
    values[0] = lower if lower > limit else distance


@entry
def _touch(
    kind_a, address_a, kind_b, address_b, point, bends, width, row_a, row_b, bounds_a, bounds_b, pose_a, pose_b, out,
    limit, tol,
):  # fmt: skip
    """Contact into `out`, which holds the normal of an earlier answer, or zeros; 1 if the solver is content."""
    row = numba.carray(out, (ROW,))
    one, each = np.zeros(1, np.int64), np.zeros(0, np.int64)
    values, codes = np.empty(9), np.empty(2, np.int32)
    a = (address_a, numba.carray(row_a, (1, width)), numba.carray(bounds_a, (1, BOUNDS)), one,
         numba.carray(pose_a, (1, 12)), one)  # fmt: skip
    b = (address_b, numba.carray(row_b, (1, width)), numba.carray(bounds_b, (1, BOUNDS)), one,
         numba.carray(pose_b, (1, 12)), one)  # fmt: skip
    good = True
    if kind_a == PLANE:
        half_space((a[1], one, a[4], one), b, False, each, 0, 1, values, codes)
        good = codes[0] <= _WORST
    elif kind_a == HOLLOW:
        good = _in_hollow(a, b, point, row, tol, limit, values)
    elif kind_a == ROUND:
        good = _in_round_wall(a, b, row, tol, limit, values)
    elif row[DISTANCE] < 0.0 and _follow(a, b, bends != 0, tol, row, values):
        good = True
    else:
        guess, limits = np.empty((1, 3)), np.empty((1, 1))
        guess[0, 0], guess[0, 1], guess[0, 2] = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
        limits[0, 0] = limit
        certified(a, b, bends != 0, (guess, one), (limits, one), tol, each, 0, 1, values, codes)
        good = codes[0] <= _WORST
    row[DISTANCE] = values[0]
    for c in range(3):
        row[NORMAL + c], row[POINT + c] = values[3 + c], values[6 + c]
    row[GOOD] = 1.0 if good else 0.0
    return 1 if good else 0


@cache
def touch_address() -> int:
    """Address of the compiled contact."""
    return address_of(_touch, contact_signature(_WHOLE, _POINTERS))


@jit
def touch(pieces, a, b, limit, tol, table, k):
    """Contact of the shapes a and b into row k of `table`, from the normal that stands there; False if it failed.

    A half-space, hollow or round wall must be a.  Beyond the distance `limit` only the distance is meant to be used,
    and it is a lower bound.  `pieces` as in ``narrow.py``.
    """
    address, kind, shape, rows, bounds, bends, poses, _ = pieces
    width = rows.shape[1]
    point = shape[shape.shape[0] - 1]
    whole = (kind[a], shape[a], kind[b], shape[b], point, bends[a] | bends[b], width)
    pointers = (
        element(rows, a * width), element(rows, b * width), element(bounds, a * BOUNDS), element(bounds, b * BOUNDS),
        element(poses, a * 12), element(poses, b * 12), element(table, k * ROW),
    )  # fmt: skip
    return call_contact(address, whole, pointers, limit, tol) != 0
