"""Contacts of many pairs of spheres and ellipsoids at a time, in vector instructions.

The solver, ``solvers/lanes/ellipsoids.py``, is compiled once and called by its address.  The contact of a pair does not
depend on the other pairs of the batch.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numba
import numpy as np

from ...compiled.jit import address_of, call_contact, contact_signature, element, entry, inlined, jit
from ...contacts.status import CODES, LEFT, VALUES, Status
from ...kernels.poses import place_of
from ...kernels.rotations import set_place
from ...kernels.trace import TRACE
from ...kernels.vectors import add
from ...solvers.lanes.ellipsoids import ellipsoid_pairs
from ...solvers.tables import Buffers, Parameters, Part, Question, Rows, answer_at
from ..contact.columns import normal, write_contact

_BEYOND = int(Status.BEYOND)
_POSE = 12
_COLUMNS = VALUES + 1  # distance, bounds, normal, point, status


class Batch(NamedTuple):
    """Pairs of ellipsoids, and their contacts."""

    radii_a: np.ndarray  #: (n, 3) semi-axes
    radii_b: np.ndarray
    poses_a: np.ndarray  #: (n, 12)
    poses_b: np.ndarray
    guesses: np.ndarray  #: (n, 3) normals of earlier contacts, or zeros
    found: np.ndarray  #: (n, _COLUMNS)


def new_batch(room: int) -> Batch:
    """Space for `room` pairs."""
    return Batch(*(np.empty((room, columns)) for columns in (3, 3, _POSE, _POSE, 3, _COLUMNS)))


@inlined
def put_pair(batch, m, shapes, a, b, shift, row):
    """Write the shapes a and b, moved by `shift`, whose last contact is `row`, to place m."""
    radii, poses, n = shapes.radii, shapes.poses, normal(row)
    for c in range(3):
        batch.radii_a[m, c], batch.radii_b[m, c], batch.guesses[m, c] = radii[a, c], radii[b, c], n[c]
    for c in range(_POSE):
        batch.poses_a[m, c], batch.poses_b[m, c] = poses[a, c], poses[b, c]
    set_place(batch.poses_b, m, add(place_of(poses, b), shift))


@jit
def solve_batch(lanes, batch, count, limit, tol):
    """Find the contacts of the first `count` pairs; `lanes` is the address of the solver."""
    radii, poses = (element(batch.radii_a, 0), element(batch.radii_b, 0)), (
        element(batch.poses_a, 0), element(batch.poses_b, 0),
    )  # fmt: skip
    call_contact(lanes, (count,), radii + poses + (element(batch.guesses, 0), element(batch.found, 0)), limit, tol)


@inlined
def take_contact(batch, m, row):
    """Write contact m to `row`; False if it was not found, and the row is unchanged.

    Beyond the limit of the distance, the distance is a lower bound.
    """
    found = batch.found[m]
    if found[9] == LEFT:
        return False
    n, x = (found[3], found[4], found[5]), (found[6], found[7], found[8])
    write_contact(row, found[1] if found[9] == _BEYOND else found[0], n, x)
    return True


@entry
def _solve_ellipsoids(count, radii_a, radii_b, poses_a, poses_b, guesses, found, limit, tol):
    none, one, limits = np.empty(0, np.int64), np.zeros(1, np.int64), np.full((1, 1), limit)
    a = Parameters(numba.carray(radii_a, (count, 3)), none, numba.carray(poses_a, (count, _POSE)), none)
    b = Parameters(numba.carray(radii_b, (count, 3)), none, numba.carray(poses_b, (count, _POSE)), none)
    question = Question(Rows(numba.carray(guesses, (count, 3)), none), Rows(limits, one), tol)
    out = Buffers(np.empty(VALUES * count), np.empty(CODES * count, np.int32), np.empty((0, 0, TRACE)))
    ellipsoid_pairs(a, b, question, Part(none, 0, count), out)
    table = numba.carray(found, (count, _COLUMNS))
    for m in range(count):
        contact = answer_at(out, m)
        table[m, 0], table[m, 1], table[m, 2], table[m, 9] = (
            contact.distance, contact.lower, contact.upper, contact.status
        )  # fmt: skip
        for c in range(3):
            table[m, 3 + c], table[m, 6 + c] = contact.normal[c], contact.point[c]
    return 0


@cache
def lanes_address() -> int:
    """Address of the compiled solver."""
    return address_of(_solve_ellipsoids, contact_signature(1, 6))
