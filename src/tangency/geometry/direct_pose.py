"""Single poses in the common forms, as directly called compiled code takes them (``compiled/direct.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

IDENTITY = np.eye(4)
_EYE = np.eye(3)

DirectPose = tuple[np.ndarray, np.ndarray]  # rotation and translation, or the same 4x4 matrix twice


def direct_pose(pose: Any) -> DirectPose | None:
    """Arrays that may be a single pose, their types and shapes not yet checked; None for every other input."""
    kind = type(pose)
    if kind is np.ndarray:
        return (pose, pose) if pose.ndim == 2 else None
    if kind is tuple:
        return _joined(*pose) if len(pose) == 2 else None
    matrix = _matrix(pose)
    return None if matrix is None else (matrix, matrix)


def _joined(rotation: Any, translation: Any) -> DirectPose | None:
    """From (rotation, translation); None stands for no rotation."""
    if rotation is None:
        rotation = _EYE
    elif type(rotation) is not np.ndarray:
        rotation = _matrix(rotation)
    if type(translation) is list:
        translation = np.array(translation)
    if rotation is None or type(translation) is not np.ndarray or rotation.shape != (3, 3):
        return None
    if not translation.flags.c_contiguous or translation.dtype.kind == "i":
        translation = np.array(translation, np.float64 if translation.dtype.kind in "fi" else None, order="C")
    return rotation, translation


_from_scipy: dict[type, bool] = {}  # whether a class is one of SciPy's rotations and transforms


def _matrix(pose: Any) -> np.ndarray | None:
    """The matrix of one of SciPy's rotations and transforms; None for a stack of them, and for everything else."""
    kind = type(pose)
    if kind not in _from_scipy:
        _from_scipy[kind] = str(kind.__module__).startswith("scipy.spatial.transform")
    return pose.as_matrix() if _from_scipy[kind] and pose.single else None
