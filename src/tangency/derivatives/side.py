"""What compiled loops know of the bodies of a contact: formulas, poses, and how their radii of curvature are found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import element, inlined, plain_rows
from ..geometry.pose import Poses
from ..kernels.poses import at, place_of, turn_of
from ..kernels.principal_radii import PLANE, POWER
from ..kernels.surface_radii import kind_of
from ..shapes.affine import Affine
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from ..shapes.shape import Shape
from ..shapes.walls import WALLS

EACH, ONE = np.zeros(0, np.int64), np.zeros(1, np.int64)
_NO_ROWS = np.zeros((1, 1))


class Side(NamedTuple):
    """Body A, or B, of some contacts."""

    address: int  #: of the compiled jet; 0 for a plane
    implicit: int  #: of the compiled implicit function, for the kind POWER
    rows: np.ndarray  #: `Shape.rows`
    sizes: np.ndarray  #: bounding radius of each row
    pick: np.ndarray  #: which row belongs to contact k, see ``kernels/poses.py``
    poses: np.ndarray  #: (poses, 12)
    pick_pose: np.ndarray
    kind: int
    hollow: int  #: 0 for a body, 1 for a cavity, 2 for one without ends
    core: int  #: see `Surface` in ``kernels/principal_radii.py``


class Body(NamedTuple):
    """One body, for functions that should not be given arrays."""

    address: int
    implicit: int
    row: Any  #: pointer to its parameters
    size: int  #: how many these are
    kind: int
    hollow: int
    turn: Any  #: orientation
    place: Any  #: position
    radius: float  #: bounding radius
    core: int


class Group(NamedTuple):
    """Contacts whose bodies A, and whose bodies B, have the same formulas."""

    order: np.ndarray  #: numbers of the contacts; empty for all
    number: int  #: how many these are
    a: Side
    b: Side
    shapes: tuple[Shape, Shape]


@inlined
def body_at(side, k):
    """The body of contact k."""
    i, j, size = at(side.pick, k), at(side.pick_pose, k), side.rows.shape[1]
    return Body(
        side.address,
        side.implicit,
        element(side.rows, i * size),
        size,
        side.kind,
        side.hollow,
        turn_of(side.poses, j),
        place_of(side.poses, j),
        side.sizes[i],
        side.core,
    )


def pick_of(own: tuple[int, ...], batch: tuple[int, ...]) -> np.ndarray:
    """Which row of a stack of leading shape `own` belongs to contact k of `batch`."""
    count = math.prod(own)
    if count == 1:
        return ONE
    if own == batch:
        return EACH
    return np.ascontiguousarray(np.broadcast_to(np.arange(count).reshape(own), batch)).reshape(-1)


def groups(contact: Any) -> Iterator[Group]:
    """The contacts of a stack, grouped by the formulas of their bodies."""
    batch, total = contact.shape, math.prod(contact.shape)
    parts = [_parts(bodies, batch) for bodies, _, _ in contact._bodies]
    poses = [(plain_rows(rows, rows.shape), pick_of(leading, batch)) for _, rows, leading in contact._bodies]
    if len(parts[0]) == len(parts[1]) == 1:
        sides = [_side(part[0][0], part[0][1], *pose) for part, pose in zip(parts, poses)]
        yield Group(EACH, total, sides[0], sides[1], (parts[0][0][0], parts[1][0][0]))
        return
    for shape_a, pick_a, own_a in parts[0]:
        for shape_b, pick_b, own_b in parts[1]:
            order = np.flatnonzero(own_a & own_b)
            if len(order):
                a, b = _side(shape_a, pick_a, *poses[0]), _side(shape_b, pick_b, *poses[1])
                yield Group(order, len(order), a, b, (shape_a, shape_b))


def _parts(bodies: Any, batch: tuple[int, ...]) -> list[tuple[Shape, np.ndarray, Any]]:
    """Stacks among the bodies of one side: the stack, the row of each contact, and which contacts belong to it."""
    if isinstance(bodies, Shape):
        return [(bodies, pick_of(bodies.batch_shape, batch), True)]
    return bodies.stacks()


def _side(shape: Shape, pick: np.ndarray, poses: np.ndarray, pick_pose: np.ndarray) -> Side:
    if isinstance(shape, HalfSpace):
        return Side(0, 0, _NO_ROWS, np.zeros(1), ONE, poses, pick_pose, PLANE, 0, 0)
    hollow, body = 0, shape
    if isinstance(shape, Cavity):
        hollow, body = 1 if shape.ends else 2, shape.hollow
    kind = kind_of(body)
    implicit = core = 0
    if kind == POWER:
        inner = body.body if isinstance(body, Affine) else body
        implicit, core = inner.implicit_address, inner.address if inner is not body else 0
    return Side(body.address, implicit, body.rows, _sizes(body), pick, poses, pick_pose, kind, hollow, core)


def _sizes(body: Shape) -> np.ndarray:
    """Bounding radius of each row."""
    kept = body._prepared
    if "sizes" not in kept:
        radius = np.broadcast_to(body.bounding_radius, body.batch_shape)
        kept["sizes"] = np.array(radius, dtype=np.float64).reshape(-1)
    return kept["sizes"]


def core_radii(group: Group) -> tuple[np.ndarray, ...]:
    """Lower bounds on the radii of curvature of all rows of A and of B; 0 for unbounded bodies."""
    return tuple(
        np.zeros(len(side.sizes))
        if isinstance(shape, WALLS)
        else np.array(np.broadcast_to(shape.core_radius, shape.batch_shape), dtype=np.float64).reshape(-1)
        for shape, side in zip(group.shapes, (group.a, group.b))
    )


def poses_of(contact: Any, side: int) -> Poses:
    """Poses of body A or B of all contacts."""
    _, rows, leading = contact._bodies[side]
    return Poses(rows, leading)
