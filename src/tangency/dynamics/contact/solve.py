"""Contact of any two shapes of a world, compiled once and called by its address.

The solver takes long to compile; called by its address, it is compiled once for all loops that need it.
"""

from __future__ import annotations

import math
from functools import cache

import numba
import numpy as np
from numba import types

from ...compiled.jit import address_of, call_contact, contact_signature, element, entry, inlined, jit
from ...compiled.small_arrays import on_stack
from ...contacts.status import CODES, VALUES, Status
from ...kernels.jet import JET
from ...kernels.rotations import set_place
from ...kernels.rounding import ROUNDING
from ...kernels.trace import TRACE
from ...kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, sub, unit
from ...shapes.bounds import BOUNDS, bounds_at, put_bounds
from ...shapes.cavity import wall_at
from ...shapes.cone import CONE, write_cone
from ...shapes.wall_features import wall_tables
from ...solvers.certified.ascent import climb
from ...solvers.certified.cavity import Hollow, inside
from ...solvers.certified.cavity_search import COLUMNS
from ...solvers.certified.circle_search import PlacedBody, value_at
from ...solvers.certified.cone_tip import past_the_tip, tip_cone
from ...solvers.certified.pair import JETS, core_of, place, relative
from ...solvers.certified.separation import room_to_work
from ...solvers.certified.solver import certified_pairs
from ...solvers.explicit.mesh_wall import WallQuestion, nearest_feature
from ...solvers.explicit.plane import half_space_pairs
from ...solvers.explicit.round_wall import nearest_side
from ...solvers.tables import Body, Buffers, Parameters, Part, Question, Rows, answer_at
from ...solvers.tolerances import scales
from ..tables import HOLLOW, MESH, PLANE, ROUND, SOLID
from .columns import DISTANCE, ROW, normal, write_contact

_INTEGERS, _POINTERS = 6, 7  # arguments of the compiled contact, before two floats
_WORST = int(Status.BEYOND)
BENDS, WHOLE = 1, 2  # bits of the argument `bends`: a body has flat places; see `solve_placed`
TRIANGLES, ARCS = 1024, 256  # most triangles searched in a hollow, and arcs at a round wall
HOLLOW_GAP, ROUND_GAP = 1e4, 1e3  # largest amount by which a nearer place may be missed, in units of `tol`
DOUBT = 1e-9  # in sizes: a corner of a mesh wall that is not nearer than this may remain unsolved
BARELY_APART = 1e-300  # distance of a patch that another one has the contact for [m]
FOLLOWING_EVALUATIONS = 12  # that follow a normal before the solver searches for it

# Room for one pair on the stack.
_one, _none, _guess, _limit = (
    on_stack(1, dtype=types.int64), on_stack(0, dtype=types.int64), on_stack(1, 3), on_stack(1, 1)
)  # fmt: skip
_values, _codes, _no_trace = on_stack(VALUES), on_stack(CODES, dtype=types.int32), on_stack(0, 0, TRACE)


@jit
def _follow(a, b, tol, guess):
    """Common normal near that of an overlap in the step before, by Newton steps only.

    Returns whether they succeeded, distance, normal and point on A.  The same as `certified` with a guess, but without
    its proof that the bodies overlap: both give the depth along the normal that is followed.  Bodies that overlap by
    more than their width may have passed through each other and be apart; this case is left to `certified`.
    """
    placed = place(a, b, 0)
    pair, turn, half_a, half_b = placed.pair, placed.turn, placed.bounds_a.half, placed.bounds_b.half
    lengths = scales(placed.bounds_a, placed.bounds_b, pair.position, tol)
    found, _, distance, n, foot, _ = climb(pair, mat_t_mul(turn, guess), lengths, FOLLOWING_EVALUATIONS, room_to_work())
    distance -= core_of(pair)
    found = found and not -distance > min(min(half_a), min(half_b))
    x = add(mat_mul(turn, axpy(foot, pair.core_a, n)), placed.home)
    return found, distance, unit(mat_mul(turn, n)), x


@jit
def _in_hollow(a, b, point, guess, tol, limit):
    """Contact with a cavity: whether the search succeeded, distance, normal and point on A."""
    triangles, jets = np.empty((TRIANGLES, COLUMNS)), np.empty(JETS)
    found = inside(Hollow(a, point, tol, HOLLOW_GAP * tol), b, 0, guess, triangles, jets)
    distance, x = _within(found.distance, found.lower - found.rounding, limit, found.normal, found.point)
    return found.status <= _WORST, distance, found.normal, x


@jit
def _in_round_wall(a, b, point, guess, tol, limit):
    """Contact with the side of a cylinder or cone: whether it succeeded, distance, normal and point on A."""
    rotation, r, turn, home = relative(a.poses, 0, b.poses, 0)
    bounds, wall, jet = bounds_at(b.bounds, 0), wall_at(a.rows, 0), np.empty(JET)
    placed = PlacedBody(b.address, element(b.rows, 0), b.rows.shape[1], bounds.core, rotation, r)
    size = wall.offset + norm(bounds.half)
    rounding = ROUNDING * (wall.offset + norm(r)) + bounds.rounding
    tolerance = max(ROUND_GAP * tol * size, rounding)
    distance, lower, n, _ = nearest_side(wall, placed, scale(mat_t_mul(turn, guess), -1.0), tolerance, ARCS, jet)
    if past_the_tip(wall, placed, -distance, rounding, jet):
        centre = add(r, mat_mul(rotation, bounds.centre))
        reach = norm(sub(centre, (0.0, 0.0, wall.offset / wall.cosine))) + norm(bounds.half)
        return _in_hollow(_cut_off(a, wall, reach, turn, home), b, point, guess, tol, limit)
    _, x = value_at(placed, n, jet)
    x = add(mat_mul(turn, axpy(x, placed.core, n)), home)
    n = scale(unit(mat_mul(turn, n)), -1.0)
    good = abs(distance) < 1e300
    distance, x = _within(distance, lower - rounding, limit, n, x)
    return good, distance, n, x


@jit
def _at_wall(a, b, point, guess, tol, limit, whole):
    """Contact with a patch of a mesh wall: whether it succeeded, distance, normal and point on A; `whole` as there."""
    rotation, r, turn, home = relative(a.poses, 0, b.poses, 0)
    bounds, jet = bounds_at(b.bounds, 0), np.empty(JET)
    body = PlacedBody(b.address, element(b.rows, 0), b.rows.shape[1], bounds.core, rotation, r)
    asked = WallQuestion(point, b.bends, norm(bounds.half), bounds.rounding, tol, whole)
    half = (
        abs(rotation[0]) * bounds.half[0] + abs(rotation[1]) * bounds.half[1] + abs(rotation[2]) * bounds.half[2],
        abs(rotation[3]) * bounds.half[0] + abs(rotation[4]) * bounds.half[1] + abs(rotation[5]) * bounds.half[2],
        abs(rotation[6]) * bounds.half[0] + abs(rotation[7]) * bounds.half[1] + abs(rotation[8]) * bounds.half[2],
    )
    centre = add(r, mat_mul(rotation, bounds.centre))
    box = sub(centre, half), add(centre, half)
    found = nearest_feature(wall_tables(a.address, a.rows[0]), body, asked, box, limit, jet)
    good = not found.doubt < found.distance - DOUBT * asked.size
    if not found.distance < limit:
        return good, max(found.apart, BARELY_APART), guess, guess
    x = axpy(found.point, -found.distance, found.normal)
    distance = min(found.distance, max(found.apart, BARELY_APART)) if found.distance > 0.0 else found.distance
    return good, distance, unit(mat_mul(turn, found.normal)), add(mat_mul(turn, x), home)


@jit
def _cut_off(a, wall, reach, turn, home):
    """The endless cone a, as one with a base (``solvers/certified/cone_tip.py``)."""
    radius, half, middle = tip_cone(wall, reach)
    row, bounds, pose = np.zeros((1, CONE)), np.zeros((1, BOUNDS)), a.poses.copy()
    if wall.cosine > 0.0:
        write_cone(row[0], radius, half, 0.0)
    else:
        write_cone(row[0], 0.0, half, radius)
    put_bounds(bounds[0], (radius, radius, half), ROUNDING * (math.hypot(radius, half) + abs(middle)))
    set_place(pose, 0, add(home, mat_mul(turn, (0.0, 0.0, middle))))
    return Body(a.address, row, bounds, a.pick, pose, a.pick_pose, False)


@jit
def _within(distance, lower, limit, n, x):
    """Distance and point on A of a contact whose point on B is x; beyond the limit, the distance is the lower bound."""
    return (lower if lower > limit else distance), axpy(x, -distance, n)


@jit
def _body(address, row, bounds, pose, width, one, bends):
    """A body of the world in the form that solvers use, from pointers."""
    rows, poses = numba.carray(row, (1, width)), numba.carray(pose, (1, 12))
    return Body(address, rows, numba.carray(bounds, (1, BOUNDS)), one, poses, one, bends)


@entry
def _solve_contact(
    kind_a,
    address_a,
    address_b,
    point,
    bends,
    width,
    row_a,
    row_b,
    bounds_a,
    bounds_b,
    pose_a,
    pose_b,
    out,
    limit,
    tol,
):
    """Write a contact to `out`, which holds the normal of an earlier result, or zeros; return 1 if it converged."""
    row = numba.carray(out, (ROW,))
    one, guess = _one(), normal(row)
    one[0] = 0
    a = _body(address_a, row_a, bounds_a, pose_a, width, one, bends & BENDS != 0)
    b = _body(address_b, row_b, bounds_b, pose_b, width, one, bends & BENDS != 0)
    if kind_a == HOLLOW:
        good, distance, n, x = _in_hollow(a, b, point, guess, tol, limit)
    elif kind_a == ROUND:
        good, distance, n, x = _in_round_wall(a, b, point, guess, tol, limit)
    elif kind_a == MESH:
        good, distance, n, x = _at_wall(a, b, point, guess, tol, limit, bends & WHOLE != 0)
    else:
        good, distance, n, x = False, 0.0, guess, guess
        if kind_a == SOLID and row[DISTANCE] < 0.0:
            good, distance, n, x = _follow(a, b, tol, guess)
        if not good:
            part, found = Part(_none(), 0, 1), Buffers(_values(), _codes(), _no_trace())
            if kind_a == PLANE:
                half_space_pairs(Parameters(a.rows, one, a.poses, one), b, False, part, found)
            else:
                guesses, limits = _guess(), _limit()
                guesses[0, 0], guesses[0, 1], guesses[0, 2] = guess
                limits[0, 0] = limit
                certified_pairs(a, b, Question(Rows(guesses, one), Rows(limits, one), tol), part, found)
            there = answer_at(found, 0)
            good, distance, n, x = there.status <= _WORST, there.distance, there.normal, there.point
    write_contact(row, distance, n, x)
    return 1 if good else 0


@cache
def solver_address() -> int:
    """Address of the compiled contact."""
    return address_of(_solve_contact, contact_signature(_INTEGERS, _POINTERS))


@inlined
def solve_contact(shapes, a, b, limit, tol, rows, k):
    """Write the contact of the shapes a and b to row k of `rows`, starting from its normal; return False if it failed.

    A half-space, hollow, round or mesh wall must be a.  Beyond the distance `limit` only the distance is
    meaningful, and it is a lower bound.
    """
    placed = element(shapes.poses, a * 12), element(shapes.poses, b * 12)
    return solve_placed(shapes, a, b, placed, limit, tol, element(rows, k * ROW), False)


@inlined
def solve_placed(shapes, a, b, placed, limit, tol, row, whole):
    """The same for other poses, `placed`; they and the row are given by pointers.

    If `whole`, edges between two patches of a mesh wall belong to either with all their normals.
    """
    kind, address, bounds = shapes.kind, shapes.address, shapes.bounds
    width = shapes.rows.shape[1]
    point = address[address.shape[0] - 1]
    bends = (shapes.bends[a] | shapes.bends[b]) * BENDS + (WHOLE if whole else 0)
    whole = (kind[a], address[a], address[b], point, bends, width)
    parameters = element(shapes.rows, a * width), element(shapes.rows, b * width)
    boxes = element(bounds, a * BOUNDS), element(bounds, b * BOUNDS)
    pointers = parameters + boxes + placed + (row,)
    return call_contact(shapes.solver, whole, pointers, limit, tol) != 0
