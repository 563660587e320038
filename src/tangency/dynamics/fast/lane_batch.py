"""Contacts of many pairs at a time, in vector instructions: ellipsoids, superellipsoids, and either with half-spaces.

The solvers, ``solvers/lanes``, are compiled once each and called by their addresses.  The contact of a pair does not
depend on the other pairs of the batch.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from ...compiled.jit import address_of, call_contact, contact_signature, element, entry, inlined, jit
from ...contacts.status import CODES, LEFT, VALUES, Status
from ...kernels.poses import place_of
from ...kernels.rotations import set_place
from ...kernels.trace import TRACE
from ...kernels.vectors import add
from ...solvers.lanes.ellipsoids import ellipsoid_pairs
from ...solvers.lanes.planes import plane_lanes
from ...solvers.lanes.superellipsoids import superellipsoid_pairs
from ...solvers.tables import Buffers, Parameters, Part, Question, Rows
from ..contact.columns import normal, write_contact
from ..tables import ALONE, ELLIPSOIDS, PLANES, POWER_PLANES, POWERS

_BEYOND = int(Status.BEYOND)
_POSE, _RADII, _POWERS = 12, 3, 5
_INTEGERS, _POINTERS = 4, 9  # arguments of a solver, before two floats


class Batch(NamedTuple):
    """Pairs of one kind, and their contacts."""

    a: np.ndarray  #: (n,) shapes
    b: np.ndarray
    poses_b: np.ndarray  #: (n, 12) with their images
    guesses: np.ndarray  #: (n, 3) normals of earlier contacts, or zeros
    values: np.ndarray  #: (VALUES n,) see ``solvers/tables.py``
    codes: np.ndarray  #: (CODES n,)


def new_batch(room: int) -> Batch:
    """Space for `room` pairs."""
    a, b, codes = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(CODES * room, np.int32)
    return Batch(a, b, np.empty((room, _POSE)), np.empty((room, 3)), np.empty(VALUES * room), codes)


@inlined
def batch_of(sort_a, sort_b):
    """Which batch takes a pair of shapes of these sorts; ALONE if none does."""
    batch = ALONE
    if sort_a != ALONE and sort_b in (ELLIPSOIDS, POWERS):
        batch = max(sort_a, sort_b)
        if sort_a == PLANES and sort_b == POWERS:
            batch = POWER_PLANES
    return batch


@inlined
def put_pair(batch, m, shapes, a, b, shift, row):
    """Write the shapes a and b, moved by `shift`, whose last contact is `row`, to place m."""
    poses, n = shapes.poses, normal(row)
    batch.a[m], batch.b[m] = a, b
    for c in range(3):
        batch.guesses[m, c] = n[c]
    for c in range(_POSE):
        batch.poses_b[m, c] = poses[b, c]
    set_place(batch.poses_b, m, add(place_of(poses, b), shift))


@jit
def solve_batch(shapes, kind, batch, count, limit, tol):
    """Find the contacts of the first `count` pairs of this kind."""
    solver, total = shapes.lanes[kind - 1], shapes.kind.shape[0]
    powers = kind in (POWERS, POWER_PLANES)
    table_b, width_b = (element(shapes.powers, 0), _POWERS) if powers else (element(shapes.radii, 0), _RADII)
    table_a, width_a = table_b, width_b
    if kind in (PLANES, POWER_PLANES):
        table_a, width_a = element(shapes.rows, 0), shapes.rows.shape[1]
    tables = table_a, table_b, element(shapes.poses, 0)
    picks = element(batch.a.view(np.float64), 0), element(batch.b.view(np.float64), 0)
    found = element(batch.values, 0), element(batch.codes.view(np.float64), 0)
    pointers = tables + picks + (element(batch.poses_b, 0), element(batch.guesses, 0)) + found
    call_contact(solver, (count, total, width_a, width_b), pointers, limit, tol)


@inlined
def take_contact(batch, count, m, row):
    """Write contact m of `count` to `row`; False if it was not found, and the row is unchanged.

    Beyond the limit of the distance, the distance is a lower bound.
    """
    values, status, i, j = batch.values, batch.codes[m], 3 * count + 3 * m, 6 * count + 3 * m
    if status != LEFT:
        n, x = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
        write_contact(row, values[count + m] if status == _BEYOND else values[m], n, x)
    return status != LEFT


class _Asked(NamedTuple):
    """The arguments of a solver as the tables of ``solvers/tables.py``."""

    a: Parameters
    b: Parameters
    question: Question
    part: Part
    out: Buffers


@inlined
def _asked(whole, tables, picks, rest, limit, tol):
    (count, total, width_a, width_b), none, one = whole, np.empty(0, np.int64), np.zeros(1, np.int64)
    pick_a = numba.carray(picks[0], (count,)).view(np.int64)
    pick_b = numba.carray(picks[1], (count,)).view(np.int64)
    poses, poses_b = numba.carray(tables[2], (total, _POSE)), numba.carray(rest[0], (count, _POSE))
    a = Parameters(numba.carray(tables[0], (total, width_a)), pick_a, poses, pick_a)
    b = Parameters(numba.carray(tables[1], (total, width_b)), pick_b, poses_b, none)
    limits = np.full((1, 1), limit)
    question = Question(Rows(numba.carray(rest[1], (count, 3)), none), Rows(limits, one), tol)
    codes = numba.carray(rest[3], (count,)).view(np.int32)  # two of them take the space of a float
    out = Buffers(numba.carray(rest[2], (VALUES * count,)), codes, np.empty((0, 0, TRACE)))
    return _Asked(a, b, question, Part(none, 0, count), out)


@entry
def _solve_ellipsoids(
    count, total, width_a, width_b, rows_a, rows_b, poses, pick_a, pick_b, poses_b, guesses, values, codes, limit, tol
):
    asked = _asked(
        (count, total, width_a, width_b), (rows_a, rows_b, poses), (pick_a, pick_b),
        (poses_b, guesses, values, codes), limit, tol,
    )  # fmt: skip
    ellipsoid_pairs(asked.a, asked.b, asked.question, asked.part, asked.out)
    return 0


@entry
def _solve_superellipsoids(
    count, total, width_a, width_b, rows_a, rows_b, poses, pick_a, pick_b, poses_b, guesses, values, codes, limit, tol
):
    asked = _asked(
        (count, total, width_a, width_b), (rows_a, rows_b, poses), (pick_a, pick_b),
        (poses_b, guesses, values, codes), limit, tol,
    )  # fmt: skip
    superellipsoid_pairs(asked.a, asked.b, asked.question, asked.part, asked.out)
    return 0


@entry
def _solve_planes(
    count, total, width_a, width_b, rows_a, rows_b, poses, pick_a, pick_b, poses_b, guesses, values, codes, limit, tol
):
    asked = _asked(
        (count, total, width_a, width_b), (rows_a, rows_b, poses), (pick_a, pick_b),
        (poses_b, guesses, values, codes), limit, tol,
    )  # fmt: skip
    plane_lanes(asked.a, asked.b, False, asked.part, asked.out)
    return 0


@cache
def _address(solver: Any) -> int:
    return address_of(solver, contact_signature(_INTEGERS, _POINTERS))


def lane_addresses(sort: np.ndarray) -> tuple[int, int, int, int]:
    """Addresses of the solvers for shapes of these sorts, in the order of the batches; 0 if there are none."""
    bodies, powers = np.isin(sort, (ELLIPSOIDS, POWERS)).any(), (sort == POWERS).any()
    planes = _address(_solve_planes) if bodies and (sort == PLANES).any() else 0
    ellipsoids = _address(_solve_ellipsoids) if (sort == ELLIPSOIDS).sum() > 1 else 0
    return ellipsoids, _address(_solve_superellipsoids) if powers else 0, planes, planes
