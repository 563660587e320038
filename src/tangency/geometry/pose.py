"""Conversion of poses: None, SciPy's RigidTransform or Rotation, 4x4 or 3x3 arrays, or (rotation, translation)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..compiled.memory import borrow
from ..io import validate
from ..kernels.rotations import ROW, from_frames, from_parts, from_quaternions

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform, Rotation

#: A rotation: None, a SciPy Rotation, or matrices (..., 3, 3).
RotationLike: TypeAlias = "Rotation | ArrayLike | None"
#: A pose or a stack of poses; see :func:`tangency.contact`.
PoseLike: TypeAlias = "RigidTransform | RotationLike | tuple[RotationLike, ArrayLike | None]"

_EXPECTED = (
    "None, a Rotation, a RigidTransform, a (..., 4, 4) array, an array (..., 3, 3) of rotations or a pair "
    "(rotation, translation), for instance (None, [x, y, z])"
)

_IDENTITY = np.eye(3, 4).reshape(1, ROW)
_ORIGIN = np.zeros(3)


class Poses(NamedTuple):
    """A stack of rigid motions."""

    rows: np.ndarray  #: (poses, 12), each [R | t] row by row; always a copy
    shape: tuple[int, ...]  #: leading shape of the stack

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrices, (..., 3, 3)."""
        return self.rows.reshape(*self.shape, 3, 4)[..., :3]

    @property
    def translation(self) -> np.ndarray:
        """Translations, (..., 3)."""
        return self.rows.reshape(*self.shape, 3, 4)[..., 3]

    def at(self, shape: tuple[int, ...], at: tuple[np.ndarray, ...]) -> Poses:
        """Selected poses of the stack, broadcast to `shape`."""
        rows = np.broadcast_to(self.rows.reshape(*self.shape, ROW), (*shape, ROW))[at]
        return Poses(np.ascontiguousarray(rows).reshape(-1, ROW), rows.shape[:-1])


class Draft(NamedTuple):
    """Poses as given by the user, and the buffer of the checked copy, which is filled part by part.

    Large stacks are copied in portions when they are needed: by all threads, and with the numbers still
    in the processor's cache.
    """

    poses: Poses
    parts: tuple[np.ndarray, ...]  #: 4x4 matrices, or rotations (3x3 or quaternions) and translations; () if copied
    names: tuple[str, ...]

    def fill(self, start: int, stop: int) -> None:
        """Check and copy the poses start..stop."""
        if not self.parts:
            return
        rows, report = self.poses.rows, np.empty(4)
        if len(self.parts) == 1:
            from_frames(self.parts[0].reshape(-1, 16), start, stop, rows, report)
        else:
            copy, width = (from_parts, 9) if self.parts[0].shape[-1] == 3 else (from_quaternions, 4)
            rotations, positions = self.parts[0].reshape(-1, width), self.parts[1].reshape(-1, 3)
            steps = int(len(rotations) > 1), int(len(positions) > 1)
            copy(rotations, steps[0], positions, steps[1], start, stop, rows, report)
        self._check(report)

    def filled(self) -> Poses:
        """All poses, checked."""
        self.fill(0, len(self.poses.rows))
        return self.poses

    def _check(self, report: np.ndarray) -> None:
        defect, determinant, farthest, last = report.tolist()
        if defect <= 1e-6 and determinant >= 0.0 and farthest <= 1e60 and last <= 1e-12:
            return
        matrix, vector = self.parts[0], self.parts[-1]
        if matrix.shape[-1] == 4 and len(self.parts) == 2:
            matrix = _matrices(matrix)
        name, name_t = self.names[0], self.names[-1]
        if last > 1e-12:
            rows = matrix[..., 3, :]
            got = validate.bad_entry(rows, np.abs(rows - [0.0, 0.0, 0.0, 1.0]) <= 1e-12, name)
            raise ValueError(f"{name} must have the last row [0, 0, 0, 1], got {got}")
        if defect == math.inf:
            turn = matrix[..., :3, :3]
            fine = np.isfinite(turn) & (np.abs(turn) < 1e150)
            raise ValueError(f"{name} must be finite, got {validate.bad_entry(turn, fine, name)}")
        if len(self.parts) == 1:
            vector = vector[..., :3, 3]
        if farthest == math.inf:
            raise ValueError(f"{name_t} must be finite, got {validate.bad_entry(vector, np.isfinite(vector), name_t)}")
        if farthest > 1e60:
            got = validate.bad_entry(vector, np.abs(vector) <= 1e60, name_t)
            raise ValueError(f"{name_t} must lie within 1e60 of the origin (choose other units), got {got}")
        if defect > 1e-6:
            raise ValueError(
                f"{name} must be a rotation, but R R' is {defect:.3g} away from the identity (shear or scale)"
                f"{_where(matrix, name, shear=True)}"
            )
        where = _where(matrix, name, shear=False)
        raise ValueError(f"{name} must be a rotation, but its determinant is -1 (a reflection){where}")


def _matrices(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices of quaternions (..., 4), which may have entries that are not finite."""
    rows, count = np.empty((quaternion.size // 4, ROW)), quaternion.size // 4
    from_quaternions(quaternion.reshape(-1, 4), int(count > 1), _ORIGIN.reshape(1, 3), 0, 0, count, rows, np.empty(4))
    return Poses(rows, quaternion.shape[:-1]).rotation


def _where(matrix: np.ndarray, name: str, shear: bool) -> str:
    """Index in the stack of the rotation that is farthest from one, or of the first reflection; '' for a single one."""
    if matrix.ndim == 2:
        return ""
    turn = matrix[..., :3, :3]
    defect = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-1, -2))
    place = np.argmax(defect if shear else np.linalg.det(turn) < 0.0)
    return f", at {name}[{', '.join(map(str, np.unravel_index(int(place), turn.shape[:-2])))}]"


_NOWHERE = Draft(Poses(_IDENTITY, ()), (), ())


def as_pose(pose: PoseLike, name: str = "pose") -> tuple[np.ndarray, np.ndarray]:
    """Rotation matrices (..., 3, 3) and translations (..., 3) of a pose or a stack of poses."""
    poses = draft(pose, name).filled()
    return poses.rotation, poses.translation


def draft(pose: PoseLike, name: str = "pose") -> Draft:
    """A pose in any accepted form; its numbers are checked when they are copied.

    Raises
    ------
    ValueError
        For wrong shapes; on filling, for shear, scale, reflection or non-finite numbers.
    """
    if pose is None:
        return _NOWHERE
    if isinstance(pose, np.ndarray):
        return _from_array(pose, name)
    if isinstance(pose, tuple | list):
        if len(pose) == 2 and np.shape(pose[0])[-2:] != (4, 4):
            return _from_pair(pose[0], pose[1], name, isinstance(pose, list))
        return _from_array(pose, name)
    transform = scipy.spatial.transform  # SciPy loads it on first use: half of the import time of tangency
    if isinstance(pose, transform.RigidTransform):
        return _from_array(pose.as_matrix(), name)  # `rotation` is rounded once more, as a quaternion
    if isinstance(pose, transform.Rotation):
        return _from_parts(pose.as_quat(), _ORIGIN, name, f"{name}, no translation", (4,))
    return _from_array(pose, name)


def _from_pair(rotation: Any, translation: Any, name: str, listed: bool) -> Draft:
    """From (rotation, translation); None stands for the identity or zero."""
    tail: tuple[int, ...] = (3, 3)
    if rotation is None:
        rotation = np.eye(3)
    elif not isinstance(rotation, np.ndarray) and isinstance(rotation, scipy.spatial.transform.Rotation):
        rotation, tail = rotation.as_quat(), (4,)  # matrices take SciPy ten times as long
    elif listed and np.shape(rotation) == np.shape(translation) == (3, 3):
        # Ambiguous: three translations or a second rotation.
        raise ValueError(f"{name} must not be a list of two 3x3 arrays: use np.stack for rotations, or a tuple")
    return _from_parts(rotation, _ORIGIN if translation is None else translation, f"{name}[0]", f"{name}[1]", tail)


def _from_array(pose: Any, name: str) -> Draft:
    try:
        matrix = validate.numbers(pose, name)
    except TypeError:
        raise TypeError(f"{name} must be {_EXPECTED}, got {type(pose).__name__}") from None
    if matrix.shape[-2:] == (3, 3):
        return _from_parts(matrix, _ORIGIN, name, f"{name}, no translation")
    if matrix.shape[-2:] != (4, 4):
        raise ValueError(f"{name} must be {_EXPECTED}, got an array of shape {matrix.shape}")
    shape = matrix.shape[:-2]
    return Draft(Poses(borrow((math.prod(shape), ROW)), shape), (matrix,), (name,))


def _from_parts(rotation: Any, translation: Any, name: str, name_t: str, tail: tuple[int, ...] = (3, 3)) -> Draft:
    """From rotations, each of shape `tail`: a matrix or a quaternion."""
    turn, vector = validate.numbers(rotation, name), validate.numbers(translation, name_t)
    if turn.shape[-len(tail) :] != tail:
        raise ValueError(f"{name} must be a Rotation or have shape (..., 3, 3), got shape {turn.shape}")
    if vector.ndim == 0 or vector.shape[-1] != 3:
        raise ValueError(f"{name_t} must have shape (..., 3), got shape {vector.shape}")
    turned, moved = turn.shape[: -len(tail)], vector.shape[:-1]
    shape = turned if turned == moved else validate.broadcast({name: turned, name_t: moved})
    if turned != shape and math.prod(turned) != 1:
        turn = np.ascontiguousarray(np.broadcast_to(turn, (*shape, *tail)))
    if moved != shape and math.prod(moved) != 1:
        vector = np.ascontiguousarray(np.broadcast_to(vector, (*shape, 3)))
    return Draft(Poses(borrow((math.prod(shape), ROW)), shape), (turn, vector), (name, name_t))
