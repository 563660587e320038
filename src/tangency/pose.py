"""Poses in, poses out: None, a SciPy RigidTransform, a 4x4 array or (rotation, translation)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

from . import validate
from .kernels.rotations import settle

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
        return validate.array(pose.rotation.as_matrix(), name), validate.array(pose.translation, name)
    if isinstance(pose, Rotation):
        matrix = validate.array(pose.as_matrix(), name)
        return matrix, np.zeros((*matrix.shape[:-2], 3))
    if isinstance(pose, tuple | list) and len(pose) == 2 and np.shape(pose[0])[-2:] != (4, 4):
        rotation = pose[0]
        if isinstance(rotation, Rotation):
            matrix = validate.array(rotation.as_matrix(), f"{name}[0]")
        else:
            matrix = np.eye(3) if rotation is None else _rotations(rotation, f"{name}[0]")
        translation = validate.vectors(pose[1], f"{name}[1]")
        shape = validate.broadcast({f"{name}[0]": matrix.shape[:-2], f"{name}[1]": translation.shape[:-1]})
        return np.broadcast_to(matrix, (*shape, 3, 3)), np.broadcast_to(translation, (*shape, 3))
    try:
        matrix = validate.array(pose, name)
    except TypeError:
        raise TypeError(f"{name} must be {_EXPECTED}, got {type(pose).__name__}") from None
    if matrix.shape[-2:] != (4, 4):
        raise ValueError(f"{name} must be {_EXPECTED}, got an array of shape {matrix.shape}")
    last = np.abs(matrix[..., 3, :] - [0.0, 0.0, 0.0, 1.0])
    if (last > 1e-12).any():
        raise ValueError(f"{name} must have the last row [0, 0, 0, 1], got {matrix[..., 3, :].tolist()}")
    return _rotations(matrix[..., :3, :3], name), np.ascontiguousarray(matrix[..., :3, 3])


def _rotations(value: Any, name: str) -> np.ndarray:
    matrix = validate.array(value, name)
    if matrix.ndim < 2 or matrix.shape[-2:] != (3, 3):
        raise ValueError(f"{name} must be a Rotation or have shape (..., 3, 3), got shape {matrix.shape}")
    flat = np.ascontiguousarray(matrix).reshape(-1, 3, 3)
    defect, determinant = settle(flat)
    if defect > 1e-6:
        raise ValueError(f"{name} must be a rotation, but R R' is {defect:.3g} away from the identity (shear or scale)")
    if determinant < 0:
        raise ValueError(f"{name} must be a rotation, but its determinant is -1 (a reflection)")
    return flat.reshape(matrix.shape)
