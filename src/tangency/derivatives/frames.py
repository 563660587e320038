"""Twists (v, omega), and derivatives by them, in three frames.

"hybrid": velocity of the body's reference point and angular velocity, both along the axes of the world.
"body": the same along the axes of the body.  "spatial": velocity of the point of the body that is at the origin of
the world, and angular velocity, along the axes of the world.
"""

from __future__ import annotations

import numpy as np

from ..geometry.pose import Poses
from ..io import validate

FRAMES = ("hybrid", "body", "spatial")


def check_frame(frame: object) -> str:
    """The name of a frame, or an error."""
    if frame not in FRAMES:
        raise ValueError(f"frame must be one of {', '.join(FRAMES)}, got {frame!r}")
    return str(frame)


def as_twists(twist: object, name: str, poses: Poses, frame: str) -> np.ndarray:
    """Twists (..., 6) in the hybrid frame; None stands for a body at rest."""
    if twist is None:
        return np.zeros(6)
    given = validate.vectors(twist, name, 6)
    if frame == "hybrid":
        return given
    v, omega = given[..., :3], given[..., 3:]
    if frame == "body":
        v, omega = (np.einsum("...ij,...j->...i", poses.rotation, u) for u in (v, omega))
    else:
        v = v + np.cross(omega, poses.translation)
    shape = np.broadcast_shapes(v.shape, omega.shape)
    return np.concatenate([np.broadcast_to(v, shape), np.broadcast_to(omega, shape)], axis=-1)


def convert(jacobian: np.ndarray, poses: Poses, frame: str, rows: bool = True) -> np.ndarray:
    """Derivatives by hybrid twists, (..., m, 6) or without rows (..., 6), as those by twists in another frame."""
    if frame == "hybrid":
        return jacobian
    between = (1,) if rows else ()
    by_v, by_omega = jacobian[..., :3], jacobian[..., 3:]
    if frame == "body":
        rotation = poses.rotation.reshape(*poses.shape, *between, 3, 3)
        return np.concatenate([(u[..., None, :] @ rotation)[..., 0, :] for u in (by_v, by_omega)], axis=-1)
    place = poses.translation.reshape(*poses.shape, *between, 3)
    return np.concatenate([by_v, by_omega + np.cross(place, by_v)], axis=-1)


def convert_hessian(hessian: np.ndarray, gradient: np.ndarray, poses: tuple, frame: str, same: bool) -> np.ndarray:
    """Second derivatives (..., 6, 6) along hybrid twists as those along twists of another frame.

    A constant twist of the body or in space moves the reference point on a screw, with the acceleration omega x v;
    `gradient` (..., 3) is the derivative by its position.
    """
    if frame == "hybrid":
        return hessian
    whole = hessian.copy()
    if same:
        # n.(omega x v) = v.(n x omega) = omega.(v x n), as a symmetric matrix
        turned = 0.5 * np.cross(gradient[..., None, :], np.eye(3))  # row j: (g x e_j) / 2
        whole[..., :3, 3:] += np.swapaxes(turned, -1, -2)
        whole[..., 3:, :3] += turned
    columns = convert(whole, poses[1], frame)
    return np.swapaxes(convert(np.swapaxes(columns, -1, -2), poses[0], frame), -1, -2)
