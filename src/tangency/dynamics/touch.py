"""Contact of any two shapes of a world, compiled once and called by its address.

The solver takes long to compile; reached through an address it is compiled once for all loops that need it.
"""

from __future__ import annotations

from functools import cache

import numba
import numpy as np

from ..compiled.jit import address_of, call_contact, contact_signature, element, entry, jit
from ..contacts.status import CODES, TRACE, VALUES, Status
from ..kernels.jet import JET
from ..kernels.rounding import ROUNDING
from ..kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, unit
from ..shapes.bounds import BOUNDS, bounds_at
from ..shapes.cavity import wall_at
from ..solvers.certified.ascent import climb
from ..solvers.certified.circle import PlacedBody, value_at
from ..solvers.certified.hollow import COLUMNS
from ..solvers.certified.inside import Hollow, inside
from ..solvers.certified.pair import JETS, core_of, place, relative
from ..solvers.certified.separation import room_to_work
from ..solvers.certified.solver import certified
from ..solvers.explicit.plane import half_space
from ..solvers.explicit.round_wall import nearest_side
from ..solvers.scales import scales
from ..solvers.tables import Body, Buffers, Parameters, Part, Question, Rows

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
def _follow(a, b, tol, row, values):
    """Common normal next to that of an overlap a moment ago, by Newton steps alone; False if they fail.

    What `certified` does with a guess, without its proof that the bodies overlap: both say how deep they are along
    the normal that is followed.  Bodies deeper in each other than one of them is wide may have passed through and be
    apart: that is left to `certified`.
    """
    placed = place(a, b, 0)
    pair, turn, half_a, half_b = placed.pair, placed.turn, placed.bounds_a.half, placed.bounds_b.half
    lengths = scales(placed.bounds_a, placed.bounds_b, pair.position, tol)
    n = mat_t_mul(turn, (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]))
    found, _, distance, n, foot, _ = climb(pair, n, lengths, FEW, room_to_work())
    if not found:
        return False
    values[0] = distance - core_of(pair)
    if -values[0] > min(min(half_a), min(half_b)):
        return False
    x = add(mat_mul(turn, axpy(foot, pair.core_a, n)), placed.home)
    n = unit(mat_mul(turn, n))
    values[3], values[4], values[5] = n
    values[6], values[7], values[8] = x
    return True


@jit
def _in_hollow(a, b, point, row, tol, limit, values):
    """Contact with a cavity; False if the search failed."""
    start = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    triangles, jets = np.empty((TRIANGLES, COLUMNS)), np.empty(JETS)
    found = inside(Hollow(a, point, tol, HOLLOW_GAP * tol), b, 0, start, triangles, jets)
    _put(values, found.distance, found.lower - found.rounding, limit, found.normal, found.point)
    return found.status <= _WORST


@jit
def _in_round_wall(a, b, row, tol, limit, values):
    """Contact with the side of a cylinder or cone; False for numbers that are not finite."""
    rotation, r, turn, home = relative(a.poses, 0, b.poses, 0)
    bounds, wall, jet = bounds_at(b.bounds, 0), wall_at(a.rows, 0), np.empty(JET)
    placed = PlacedBody(b.address, element(b.rows, 0), b.rows.shape[1], bounds.core, rotation, r)
    size = wall.offset + norm(bounds.half)
    rounding = ROUNDING * (wall.offset + norm(r)) + bounds.rounding
    guess = scale(mat_t_mul(turn, (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])), -1.0)
    tolerance = max(ROUND_GAP * tol * size, rounding)
    distance, lower, n, _ = nearest_side(wall, placed, guess, tolerance, ARCS, jet)
    _, x = value_at(placed, n, jet)
    x = add(mat_mul(turn, axpy(x, placed.core, n)), home)
    _put(values, distance, lower - rounding, limit, scale(unit(mat_mul(turn, n)), -1.0), x)
    return abs(distance) < 1e300


@jit
def _put(values, distance, lower, limit, n, x):
    """Numbers of a contact whose point on B is x; beyond the limit the distance is the proved one."""
    values[3], values[4], values[5] = n
    values[6], values[7], values[8] = axpy(x, -distance, n)
    values[0] = lower if lower > limit else distance


@jit
def _body(address, row, bounds, pose, width, one, bends):
    """A body of the world as solvers take it, from pointers."""
    rows, poses = numba.carray(row, (1, width)), numba.carray(pose, (1, 12))
    return Body(address, rows, numba.carray(bounds, (1, BOUNDS)), one, poses, one, bends)


@entry
def _touch(
    kind_a, address_a, kind_b, address_b, point, bends, width, row_a, row_b, bounds_a, bounds_b, pose_a, pose_b, out,
    limit, tol,
):  # fmt: skip
    """Contact into `out`, which holds the normal of an earlier answer, or zeros; 1 if the solver is content."""
    row = numba.carray(out, (ROW,))
    one, part = np.zeros(1, np.int64), Part(np.zeros(0, np.int64), 0, 1)
    found = Buffers(np.empty(VALUES), np.empty(CODES, np.int32), np.empty((0, 0, TRACE)))
    values = found.values
    a = _body(address_a, row_a, bounds_a, pose_a, width, one, bends != 0)
    b = _body(address_b, row_b, bounds_b, pose_b, width, one, bends != 0)
    good = True
    if kind_a == PLANE:
        half_space(Parameters(a.rows, one, a.poses, one), b, False, part, found)
        good = found.codes[0] <= _WORST
    elif kind_a == HOLLOW:
        good = _in_hollow(a, b, point, row, tol, limit, values)
    elif kind_a == ROUND:
        good = _in_round_wall(a, b, row, tol, limit, values)
    elif row[DISTANCE] < 0.0 and _follow(a, b, tol, row, values):
        good = True
    else:
        guess, limits = np.empty((1, 3)), np.empty((1, 1))
        guess[0, 0], guess[0, 1], guess[0, 2] = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
        limits[0, 0] = limit
        certified(a, b, Question(Rows(guess, one), Rows(limits, one), tol), part, found)
        good = found.codes[0] <= _WORST
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
