"""Single poses in the common forms, as directly called compiled code takes them (``compiled/direct.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

IDENTITY = np.eye(4)
_EYE = np.eye(3)

#: Rotation (matrix, or quaternion of shape (1, 4), scalar last) and translation, or the same 4x4 matrix twice.
DirectPose = tuple[np.ndarray, np.ndarray]


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
    turn: np.ndarray | None
    if rotation is None:
        turn = _EYE
    elif type(rotation) is np.ndarray:
        turn = rotation if rotation.shape == (3, 3) else None
    else:
        turn = _turn(rotation)
    if type(translation) is list:
        translation = np.array(translation)
    if turn is None or type(translation) is not np.ndarray:
        return None
    if not translation.flags.c_contiguous or translation.dtype.kind == "i":
        translation = np.array(translation, np.float64 if translation.dtype.kind in "fi" else None, order="C")
    return turn, translation


_from_scipy: dict[type, bool] = {}  # whether a class is one of SciPy's rotations and transforms
_with_quaternion: dict[type, bool] = {}  # whether its objects are known to hold a quaternion


def _matrix(pose: Any) -> np.ndarray | None:
    """The matrix of one of SciPy's rotations and transforms; None for a stack of them, and for everything else."""
    kind = type(pose)
    if kind not in _from_scipy:
        _from_scipy[kind] = str(kind.__module__).startswith("scipy.spatial.transform")
    return pose.as_matrix() if _from_scipy[kind] and pose.single else None


def _turn(rotation: Any) -> np.ndarray | None:
    """The quaternion that one of SciPy's rotations holds, or its matrix, which takes a microsecond longer."""
    kind = type(rotation)
    if kind not in _with_quaternion:
        _with_quaternion[kind] = _holds_quaternion(kind)
    if _with_quaternion[kind] and rotation.single:
        stored = rotation._quat
        if type(stored) is np.ndarray:  # not one of another library
            return stored
    matrix = _matrix(rotation)
    return matrix if matrix is not None and matrix.shape == (3, 3) else None


def _holds_quaternion(kind: Any) -> bool:
    """Whether single rotations of a class hold a unit quaternion, scalar last, where those of SciPy 1.17 do."""
    if not (kind.__module__.startswith("scipy.spatial.transform") and kind.__name__ == "Rotation"):
        return False
    probe = kind.from_quat([0.1, -0.3, 0.5, 0.7])
    stored = getattr(probe, "_quat", None)
    return type(stored) is np.ndarray and stored.shape == (1, 4) and bool((stored[0] == probe.as_quat()).all())
