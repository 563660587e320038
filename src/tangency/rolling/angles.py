"""Orientation of a rolling body in the coordinates of Römer 3-D, section 4.2: alpha, beta and gamma.

The body is turned by alpha about an axis k_y of the plane, which beta turns within the plane, and then by gamma about
the normal.  Only alpha and beta move the contact point on the body: the outward normal there has the spherical
coordinates phi = pi - alpha and theta = beta (the paper prints phi = -alpha, a misprint).
At alpha = 0 and pi, beta and gamma turn about the same axis.  Simulations use quaternions, which have no such places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..geometry.pose import RotationLike, as_pose
from ..io import validate


def orientation_from(angles: ArrayLike) -> Rotation:
    """Orientation of a body with the angles alpha, beta, gamma (Römer 3-D, Eqs. 63-66).

    Parameters
    ----------
    angles : (..., 3) array_like
        alpha, beta, gamma [rad].

    Returns
    -------
    Rotation
        From the frame of the body to that of the plane, whose normal is z.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.rolling.orientation_from([0.5, 0.0, 0.0]).as_rotvec().round(12).tolist()
    [0.0, 0.5, 0.0]
    """
    alpha, beta, gamma = np.moveaxis(validate.vectors(angles, "angles"), -1, 0)
    turn = np.stack([-alpha * np.sin(beta), alpha * np.cos(beta), np.zeros_like(alpha)], axis=-1)  # Eq. (64)
    drill = np.stack([np.zeros_like(gamma), np.zeros_like(gamma), gamma], axis=-1)  # Eq. (65)
    return Rotation.from_rotvec(drill) * Rotation.from_rotvec(turn)  # Eq. (66)


def angles_of(orientation: RotationLike) -> np.ndarray:
    """Angles alpha in [0, pi], beta and gamma in (-pi, pi] of orientations: the inverse of `orientation_from`.

    Parameters
    ----------
    orientation : Rotation, (..., 3, 3) array_like or None
        From the frame of the body to that of the plane, whose normal is z.

    Returns
    -------
    (..., 3) array
        alpha, beta, gamma [rad]; beta = 0 where alpha is 0, and also where it is pi.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.rolling.angles_of(tg.rolling.orientation_from([0.3, -2.0, 1.5])).round(12).tolist()
    [0.3, -2.0, 1.5]
    """
    matrix = rotations(orientation)
    level = np.hypot(matrix[..., 2, 0], matrix[..., 2, 1])
    alpha = np.arctan2(level, matrix[..., 2, 2])  # last row of Eq. (66)
    beta = np.where(level > 0.0, np.arctan2(-matrix[..., 2, 1], -matrix[..., 2, 0]), 0.0)
    turn = orientation_from(np.stack([alpha, beta, np.zeros_like(alpha)], axis=-1)).as_matrix()
    drill = matrix @ np.swapaxes(turn, -1, -2)
    gamma = np.arctan2(drill[..., 1, 0] - drill[..., 0, 1], drill[..., 0, 0] + drill[..., 1, 1])
    return np.stack([alpha, beta, gamma], axis=-1)


def angular_velocity_from(angles: ArrayLike, rates: ArrayLike) -> np.ndarray:
    """Angular velocity of a body from the rates of its angles (Römer 3-D, Eq. 67).

    Parameters
    ----------
    angles, rates : (..., 3) array_like
        alpha, beta, gamma [rad] and their time derivatives [rad/s].

    Returns
    -------
    (..., 3) array
        In the frame of the plane, whose normal is z [rad/s].

    Examples
    --------
    >>> import tangency as tg
    >>> tg.rolling.angular_velocity_from([0.5, 0.0, 0.0], [2.0, 0.0, 1.0]).tolist()
    [0.0, 2.0, 1.0]
    """
    alpha, beta, gamma = np.moveaxis(validate.vectors(angles, "angles"), -1, 0)
    alpha1, beta1, gamma1 = np.moveaxis(validate.vectors(rates, "rates"), -1, 0)
    along, up = -np.sin(alpha) * beta1, (1.0 - np.cos(alpha)) * beta1 + gamma1
    # k_x and k_y turn with the body about the normal, by gamma.
    c, s = np.cos(beta + gamma), np.sin(beta + gamma)
    return np.stack(np.broadcast_arrays(c * along - s * alpha1, s * along + c * alpha1, up), axis=-1)


def rotations(orientation: RotationLike) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of the argument `orientation`."""
    matrix, translation = as_pose(orientation, "orientation")
    if translation.any():
        raise ValueError(f"orientation must be a rotation without translation, got {validate.short(translation)}")
    return matrix
