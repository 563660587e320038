"""Poses in, poses out: None, a SciPy RigidTransform, a 4x4 array or (rotation, translation)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from . import validate
from .kernels.rotations import largest, last_rows, settle
from .memory import borrow

_EXPECTED = (
    "None, a Rotation, a RigidTransform, a (..., 4, 4) array or a pair (rotation, translation), say (None, [x, y, z])"
)

_IDENTITY = (np.eye(3), np.zeros(3))
for _part in _IDENTITY:
    _part.flags.writeable = False


def as_pose(pose: Any, name: str = "pose") -> tuple[np.ndarray, np.ndarray]:
    """Rotation matrices (..., 3, 3) and translations (..., 3) of a pose or a stack of poses.

    Raises
    ------
    ValueError
        For shear, scale, reflection, non-finite numbers or wrong shapes.
    """
    if pose is None:
        return _IDENTITY
    if isinstance(pose, RigidTransform):
        return pose.rotation.as_matrix(), _translations(pose.translation, name)
    if isinstance(pose, Rotation):
        matrix = pose.as_matrix()
        return matrix, np.zeros((*matrix.shape[:-2], 3))
    if isinstance(pose, tuple | list) and len(pose) == 2 and np.shape(pose[0])[-2:] != (4, 4):
        rotation = pose[0]
        if isinstance(rotation, Rotation):
            matrix = rotation.as_matrix()
        else:
            matrix = np.eye(3) if rotation is None else _rotations(rotation, f"{name}[0]")
        translation = _translations(pose[1], f"{name}[1]")
        if matrix.shape[:-2] == translation.shape[:-1]:
            return matrix, translation
        shape = validate.broadcast({f"{name}[0]": matrix.shape[:-2], f"{name}[1]": translation.shape[:-1]})
        return np.broadcast_to(matrix, (*shape, 3, 3)), np.broadcast_to(translation, (*shape, 3))
    try:
        matrix = validate.numbers(pose, name)
    except TypeError:
        raise TypeError(f"{name} must be {_EXPECTED}, got {type(pose).__name__}") from None
    if matrix.shape[-2:] != (4, 4):
        raise ValueError(f"{name} must be {_EXPECTED}, got an array of shape {matrix.shape}")
    if not last_rows(matrix.reshape(-1, 16)) <= 1e-12:
        raise ValueError(f"{name} must have the last row [0, 0, 0, 1], got {matrix[..., 3, :].tolist()}")
    return _rotations(matrix[..., :3, :3], name), _translations(matrix[..., :3, 3], name)


def _translations(value: Any, name: str) -> np.ndarray:
    vector = validate.numbers(value, name)
    if vector.ndim == 0 or vector.shape[-1] != 3:
        raise ValueError(f"{name} must have shape (..., 3), got shape {vector.shape}")
    farthest = largest(vector.reshape(-1))
    if not farthest < math.inf:
        raise ValueError(f"{name} must be finite, got {validate.short(vector)}")
    if farthest > 1e60:
        raise ValueError(
            f"{name} must lie within 1e60 of the origin (choose other units), got {validate.short(vector)}"
        )
    return vector


def _rotations(value: Any, name: str) -> np.ndarray:
    # A copy: the answer must not change when the caller's array does.
    given = validate.numbers(value, name)
    if given.ndim < 2 or given.shape[-2:] != (3, 3):
        raise ValueError(f"{name} must be a Rotation or have shape (..., 3, 3), got shape {given.shape}")
    matrix = borrow(given.shape)
    defect, determinant = settle(given.reshape(-1, 9), matrix.reshape(-1, 9))
    if not defect < math.inf:
        raise ValueError(f"{name} must be finite, got {validate.short(matrix)}")
    if defect > 1e-6:
        raise ValueError(f"{name} must be a rotation, but R R' is {defect:.3g} away from the identity (shear or scale)")
    if determinant < 0:
        raise ValueError(f"{name} must be a rotation, but its determinant is -1 (a reflection)")
    return matrix
