"""Planar poses: None, (angle or 2x2 rotation, translation) or a 3x3 matrix; stacks have leading axes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..io import validate

#: A planar pose or a stack of poses; see :func:`tangency.planar.contact`.
PlanarPoseLike: TypeAlias = "ArrayLike | tuple[ArrayLike | None, ArrayLike | None] | None"

_EXPECTED = "None, a pair (angle, translation), for instance (0.0, [x, y]), or a (..., 3, 3) array"


def as_pose(pose: PlanarPoseLike, name: str = "pose") -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of the angles, (..., 2), and translations (..., 2) of a pose or a stack of poses.

    Angles are counter-clockwise, in radians.  Rotation matrices (..., 2, 2) may be given instead; an array
    whose last two axes are (2, 2) is always interpreted as matrices, never as angles.

    Examples
    --------
    >>> from tangency.planar.pose import as_pose
    >>> as_pose((0.0, [3, 4]))
    (array([1., 0.]), array([3., 4.]))
    """
    if pose is None:
        return np.array([1.0, 0.0]), np.zeros(2)
    if isinstance(pose, tuple | list) and len(pose) == 2:
        angle = np.zeros(()) if pose[0] is None else validate.array(pose[0], f"{name}[0]")
        translation = np.zeros(2) if pose[1] is None else validate.array(pose[1], f"{name}[1]")
        if not translation.ndim:
            raise ValueError(f"{name} must be {_EXPECTED}, got the number {translation:.6g} as translation")
        translation = validate.vectors(translation, f"{name}[1]", 2)
        if angle.shape[-2:] == (2, 2):
            turn = _turn(angle, f"{name}[0]")
        else:
            turn = np.empty((*angle.shape, 2))
            turn[..., 0], turn[..., 1] = np.cos(angle), np.sin(angle)
        if turn.shape == translation.shape:
            return turn, translation
        shape = validate.broadcast({f"{name}[0]": turn.shape[:-1], f"{name}[1]": translation.shape[:-1]})
        return np.broadcast_to(turn, (*shape, 2)), np.broadcast_to(translation, (*shape, 2))
    try:
        matrix = validate.array(pose, name)
    except TypeError:
        raise TypeError(f"{name} must be {_EXPECTED}, got {type(pose).__name__}") from None
    if matrix.shape[-2:] != (3, 3):
        raise ValueError(f"{name} must be {_EXPECTED}, got an array of shape {matrix.shape}")
    if (np.abs(matrix[..., 2, :] - [0.0, 0.0, 1.0]) > 1e-12).any():
        raise ValueError(f"{name} must have the last row [0, 0, 1], got {matrix[..., 2, :].tolist()}")
    return _turn(matrix, name), np.ascontiguousarray(matrix[..., :2, 2])


def _turn(matrix: np.ndarray, name: str) -> np.ndarray:
    """Cosine and sine, (..., 2), of the rotation in the first two rows and columns."""
    c, s = matrix[..., 0, 0], matrix[..., 1, 0]
    defect = max(
        np.abs(matrix[..., 0, 1] + s).max(initial=0.0),
        np.abs(matrix[..., 1, 1] - c).max(initial=0.0),
        np.abs(np.hypot(c, s) - 1.0).max(initial=0.0),
    )
    if defect > 1e-6:
        hint = "; for a (2, 2) stack of angles pass cosines and sines as matrices" if matrix.shape[-1] == 2 else ""
        raise ValueError(
            f"{name} must contain a rotation [[cos, -sin], [sin, cos]], but it is {defect:.3g} away from one "
            f"(shear, scale or a reflection){hint}"
        )
    return np.stack([c, s], axis=-1) / np.hypot(c, s)[..., None]


def turned(turn: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors (..., 2) rotated from the body frame to the world frame."""
    c, s = turn[..., 0], turn[..., 1]
    return np.stack([c * vector[..., 0] - s * vector[..., 1], s * vector[..., 0] + c * vector[..., 1]], axis=-1)


def turned_back(turn: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors (..., 2) rotated from the world frame to the body frame."""
    return turned(turn * [1.0, -1.0], vector)
