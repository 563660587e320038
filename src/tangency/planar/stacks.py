"""The default solver for stacks of planar bodies: rows for compiled code in, a `Contact` out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..compiled.jit import plain_rows
from .result import Contact
from .shape import Shape
from .solver import certified

Pose = tuple[np.ndarray, np.ndarray]  # cosine and sine of the angles, positions


def solved(
    a: Shape, b: Shape, pa: Pose, pb: Pose, batch: tuple[int, ...], normals: np.ndarray, tol: float,
    farthest: np.ndarray,
) -> Contact:  # fmt: skip
    """Certified contacts of all pairs of a query of shape `batch`."""
    count = math.prod(batch)
    out = (
        np.empty(count), np.empty(count), np.empty(count), np.empty((count, 2)), np.empty((count, 2)),
        np.empty((count, 2)), np.empty(count, np.int64), np.empty(count, np.int64),
    )  # fmt: skip
    guess = _rows(normals, normals.shape[:-1], batch)
    limit = _rows(farthest, farthest.shape, batch)
    certified(_body(a, pa, batch), _body(b, pb, batch), guess, tol, limit, count, out)
    distance, lower, upper, normal, point_a, point_b, status, evaluations = (
        array.reshape((*batch, *array.shape[1:])) for array in out
    )
    bodies: Any = ((a, pa[0]), (b, pb[0]))
    return Contact(distance, normal, point_a, point_b, lower, upper, status, evaluations, bodies)


def _rows(array: np.ndarray, own: tuple[int, ...], batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """`array` (own..., tail...) as rows for the solver: one row and step 0, or one row per pair and step 1."""
    tail = array.shape[len(own) :]
    if math.prod(own) == 1:
        return plain_rows(array, (1, *tail)), 0
    return plain_rows(np.broadcast_to(array, (*batch, *tail)), (math.prod(batch), *tail)), 1


def _body(shape: Shape, pose: Pose, batch: tuple[int, ...]) -> tuple:
    """A body as the solver takes it: address, rows, bounds, step; turns, positions, step."""
    own, posed = shape.batch_shape, pose[1].shape[:-1]
    rows, step = _rows(shape.rows.reshape(*own, shape.rows.shape[1]), own, batch)
    bounds, _ = _rows(shape.bounds.reshape(*own, 6), own, batch)
    turns, step_pose = _rows(pose[0], posed, batch)
    position, _ = _rows(pose[1], posed, batch)
    return shape.address, rows, bounds, step, turns, position, step_pose
