"""Derivatives by shape parameters: of distance, normal and points, and mixed second derivatives of the distance.

A parameter that moves the boundary point of A by dx_A at a fixed normal acts like a velocity dx_A of its material; one
that tilts a face or an edge acts like a rotation of it.  So the equations are those of `linear.py`.  On nearly flat
places, dx_A at a fixed normal is large and changes with the rounding of the normal; there the change is described by
the velocity of the contact point and the tilt of the surface, which do not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..geometry.pose import Poses
from ..kernels.principal_radii import POWER
from ..kernels.surface_radii import kind_of
from ..shapes.affine import Affine
from ..shapes.cavity import Cavity
from ..shapes.half_space import HalfSpace
from . import loops
from .frames import convert
from .methods import POSES, SHAPES, run
from .side import Group, groups, poses_of

LENGTH = 1 + 3 * loops.SHARES  # of the numbers of a face; then both radii and the axis of the larger one
LARGE = LENGTH + 1
POINT = LENGTH + 6  # of the surface, where the radii were taken
NEARLY_FLAT = LENGTH + 9


class Table(NamedTuple):
    """The numbers of `Linear` of some contacts, as arrays."""

    n: np.ndarray
    frame: np.ndarray  #: (contacts, 2, 3): t and s
    arms: np.ndarray  #: (contacts, 2, 3)
    d: np.ndarray
    m: np.ndarray  #: (contacts, 2, 2), and so are the others
    g: tuple[np.ndarray, np.ndarray]
    h: np.ndarray
    faces: tuple[np.ndarray, np.ndarray]


class Change(NamedTuple):
    """How the parameters of one body move its boundary at each contact, world frame."""

    point: np.ndarray  #: (contacts, P, 3): velocity of the point at a fixed normal
    tilt: np.ndarray  #: (contacts, P, 3): velocity of the outward normal of an edge, a face or a nearly flat place


def _table(contact: Any) -> Table:
    rows = np.empty((math.prod(contact.shape), loops.TABLE))
    run(contact, loops.tables, (rows,))
    m = rows[:, [16, 17, 17, 18]].reshape(-1, 2, 2)
    g_a, g_b, h = (rows[:, k : k + 4].reshape(-1, 2, 2) for k in (19, 23, 27))
    faces = rows[:, 33 : 33 + loops.FACE], rows[:, 33 + loops.FACE :]
    return Table(
        rows[:, :3],
        rows[:, 3:9].reshape(-1, 2, 3),
        rows[:, 9:15].reshape(-1, 2, 3),
        rows[:, 15],
        m,
        (g_a, g_b),
        h,
        faces,
    )


def _changes(contact: Any, table: Table, side: int) -> Change:
    """Motion of the boundary of A or B by its parameters."""
    rotations = poses_of(contact, side).rotation
    rotations = np.broadcast_to(rotations, (*contact.shape, 3, 3)).reshape(-1, 3, 3)
    found: Change | None = None
    for group in groups(contact):
        order = group.order if group.order.size else np.arange(group.number)
        with np.errstate(over="ignore", invalid="ignore"):  # `_finite` looks at the result
            part = _change(group, side, order, rotations[order], table)
        if found is None:
            count = len(rotations)
            found = Change(*(np.empty((count, *values.shape[1:])) for values in part))
        if part.point.shape[1] != found.point.shape[1]:
            raise ValueError(
                f"by must name shapes of one kind, got bodies with {found.point.shape[1]} and {part.point.shape[1]} "
                "parameters: select contacts of one kind first"
            )
        found.point[order], found.tilt[order] = part
    if found is None:  # no contacts
        raise ValueError("by must name the shapes of at least one contact, got none")
    return _finite(contact, found, side)


def _finite(contact: Any, change: Change, side: int) -> Change:
    """The same, zero where derivatives do not exist; an error if a contact has them and a parameter does not."""
    good = np.isfinite(change.point).all(axis=-1) & np.isfinite(change.tilt).all(axis=-1)
    if good.all():
        return change
    wrong = np.argwhere(~good & contact.differentiable.reshape(-1, 1))
    if len(wrong):
        k, parameter = wrong[0]
        place = f"contact {tuple(map(int, np.unravel_index(k, contact.shape)))}" if contact.shape else "this contact"
        names = next(iter(groups(contact))).shapes[side].parameter_names
        raise ValueError(
            f"by = '{SHAPES[side]}' must name parameters with finite derivatives, but that by {names[parameter]} is "
            f"not finite at {place}: check parameter_jet of the shape, or leave this contact out"
        )
    return Change(*(np.where(good[:, :, None], values, 0.0) for values in change))


def _change(group: Group, side: int, order: np.ndarray, rotations: np.ndarray, table: Table) -> Change:
    shape, pick = group.shapes[side], (group.a, group.b)[side].pick
    outward = table.n[order] if side == 0 else -table.n[order]
    n, x = (np.einsum("kji,kj->ki", rotations, v) for v in (outward, table.arms[order, side]))
    if isinstance(shape, HalfSpace):
        point, tilt = _of_plane(shape, x)
    else:
        if shape.batch_shape:
            shape = shape.take(
                pick[order] if pick.size > 1 else order if pick.size == 0 else np.repeat(pick, len(order))
            )
        faces = table.faces[side][order]
        point, tilt = _of_body(shape, faces, n, rotations)
        flat = np.flatnonzero((faces[:, 0] == 0.0) & (faces[:, NEARLY_FLAT] > 0.0))
        if len(flat):
            point[flat], tilt[flat] = _of_flat_place(
                shape.take(flat) if shape.batch_shape else shape, faces[flat], n[flat]
            )
    return Change(point @ np.swapaxes(rotations, -1, -2), tilt @ np.swapaxes(rotations, -1, -2))


def _of_plane(plane: HalfSpace, arm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By normal and offset, in the frame of the half-space: normal.x = offset."""
    n = np.broadcast_to(plane.normal.reshape(-1, 3), arm.shape)
    turns = np.eye(3) - n[:, :, None] * n[:, None, :]  # row k: change of the unit normal by component k
    by_normal = -(turns @ arm[:, :, None]) * n[:, None, :]
    return np.concatenate([by_normal, n[:, None, :]], axis=1), np.concatenate([turns, 0.0 * n[:, None, :]], axis=1)


def _of_body(shape: Any, faces: np.ndarray, n: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By the parameters of a body, from the points that share the normal: point and tilt, in its own frame."""
    hollow = getattr(shape, "hollow", shape)
    total: Any = 0.0
    tilt: Any = 0.0
    for k in range(3 if (faces[:, 0] > 0).any() else 1):
        at = 1 + loops.SHARES * k
        weight, slope, normal = faces[:, at], faces[:, at + 1 : at + 4], faces[:, at + 4 : at + 7]
        normal = np.where(np.abs(normal).max(axis=-1, keepdims=True) > 0, normal, [0.0, 0.0, 1.0])
        used = (weight != 0.0) | (slope != 0.0).any(axis=-1)
        moved = np.where(used[:, None, None], hollow.parameter_jet(normal).point, 0.0)
        total = total + weight[:, None, None] * moved
        lift = np.einsum("kpi,ki->kp", moved, n)
        tilt = tilt - lift[:, :, None] * np.einsum("kji,kj->ki", rotations, slope)[:, None, :]
    return np.asarray(total), np.asarray(tilt)


def _of_flat_place(shape: Any, faces: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By the parameters of a body, at its points: the tilt only along radii that are large.

    Along small ones, the tilt of the point is less certain than its motion at a fixed normal.
    """
    hollow, sign = getattr(shape, "hollow", shape), -1.0 if isinstance(shape, Cavity) else 1.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        within = isinstance(hollow, Affine) and kind_of(hollow) == POWER
        carried = (hollow._carried_from if within else hollow._carried)(sign * n, faces[:, POINT : POINT + 3])
    point, tilt = (np.broadcast_to(v, (len(n), *v.shape[-2:])) for v in carried)
    along = faces[:, LARGE + 2 : LARGE + 5]
    for axis, radius in ((along, faces[:, LARGE]), (np.cross(n, along), faces[:, LARGE + 1])):
        part = (tilt @ axis[:, :, None]) * axis[:, None, :]
        kept = (radius <= faces[:, LENGTH])[:, None, None]
        point = point - np.where(kept, np.minimum(radius, faces[:, LENGTH])[:, None, None] * part, 0.0)
        tilt = tilt - np.where(kept, part, 0.0)
    return point, sign * tilt


def _follow(table: Table, change: Change, side: int) -> dict[str, np.ndarray]:
    """Changes of all quantities, (contacts, P) or (contacts, P, 3)."""
    v, sign = (change.point, 1.0) if side else (-change.point, -1.0)
    n, frame, d = table.n, table.frame, table.d[:, None, None]
    tangent = np.swapaxes(frame, -1, -2)
    y, q = v @ tangent, -sign * change.tilt @ tangent  # the outward normal of B is -n
    g_a, g_b = table.g
    own = g_b if side else g_a
    normal = y @ table.m + q @ own  # M is symmetric; rows times G are G' times columns
    before = (y - d * q) if side == 0 else y
    after = (y - d * q) if side else y
    on_a = before @ np.swapaxes(g_a, -1, -2) + sign * q @ np.swapaxes(table.h, -1, -2)
    on_b = -after @ np.swapaxes(g_b, -1, -2) + sign * q @ table.h
    points = [on_a @ frame, on_b @ frame]
    points[side] = points[side] + change.point
    return {
        "distance": (v * n[:, None, :]).sum(axis=-1),
        "normal": normal @ frame,
        "point_a": points[0],
        "point_b": points[1],
    }


def shape_jacobian(contact: Any, of: str, side: int) -> np.ndarray:
    """Derivative (..., P) or (..., 3, P) of a quantity by the parameters of A or B."""
    table = _table(contact)
    found = _follow(table, _changes(contact, table, side), side)[of] + 0.0
    if of == "distance":
        return found.reshape(*contact.shape, -1)
    return np.swapaxes(found, -1, -2).reshape(*contact.shape, 3, -1)


def mixed_hessian(contact: Any, first: str, second: str, frame: str) -> np.ndarray:
    """Second derivative (..., 6, P) or (..., P, 6) of the distance by a pose and the parameters of a shape."""
    if first in SHAPES and second in SHAPES:
        raise ValueError(f"by must contain a pose, got {(first, second)}: no second derivatives by shapes alone")
    pose, shape = (POSES.index(first), SHAPES.index(second)) if second in SHAPES else (
        POSES.index(second), SHAPES.index(first)
    )  # fmt: skip
    table = _table(contact)
    found = _follow(table, _changes(contact, table, shape), shape)
    sign, arm = (1.0, table.arms[:, 1]) if pose else (-1.0, table.arms[:, 0])
    dn, dx, n = found["normal"], found[f"point_{'ab'[pose]}"], table.n[:, None, :]
    rows = sign * np.concatenate([dn, np.cross(dx, n) + np.cross(arm[:, None, :], dn)], axis=-1) + 0.0
    placed = poses_of(contact, pose)
    whole = convert(rows.reshape(*contact.shape, -1, 6), Poses(placed.rows, placed.shape), frame)
    return whole if second in POSES else np.swapaxes(whole, -1, -2)
