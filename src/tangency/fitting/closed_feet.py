"""Foot points of boxes, cylinders, cones and their offsets in closed form, rows as in ``foot_row.py``.

Edges have no derivative that an iteration could follow, and a fit asks for these distances hundreds of times.
"""

from __future__ import annotations

import numpy as np

from . import foot_row


def box_feet(half: np.ndarray, points: np.ndarray, radius: float = 0.0) -> np.ndarray:
    """Foot points on a box with these half lengths, around which lies an offset of the given radius."""
    sign = np.where(points < 0.0, -1.0, 1.0)
    over = np.abs(points) - half
    inside = (over <= 0.0).all(axis=1)
    away = np.maximum(over, 0.0)
    distance = np.sqrt((away * away).sum(axis=1))
    normal = sign * away / np.where(inside, 1.0, np.maximum(distance, 1e-300))[:, None]
    nearest = over.argmax(axis=1)
    rows = np.flatnonzero(inside)
    axis = nearest[rows]
    normal[rows, axis] = sign[rows, axis]
    distance[rows] = over[rows, axis]
    return _offset(points, distance, normal, radius)


def revolved_feet(profile: np.ndarray, points: np.ndarray, radius: float = 0.0) -> np.ndarray:
    """Foot points on a convex body of revolution about z whose profile (rho, z) is a chain of straight lines.

    The chain runs from the lower to the upper end of the axis; lines of no length do not count.
    """
    rho = np.hypot(points[:, 0], points[:, 1])
    across = points[:, :2] / np.where(rho > 0.0, rho, 1.0)[:, None]
    across[rho == 0.0] = [1.0, 0.0]
    q = np.column_stack([rho, points[:, 2]])
    start, along = profile[:-1], np.diff(profile, axis=0)
    length = np.sqrt((along * along).sum(axis=1))
    start, along = start[length > 0.0], (along / np.where(length > 0.0, length, 1.0)[:, None])[length > 0.0]
    length = length[length > 0.0]
    outward = np.column_stack([along[:, 1], -along[:, 0]])
    relative = q[:, None] - start
    height = (relative * outward).sum(axis=2)  # above each line
    near = start + np.clip((relative * along).sum(axis=2), 0.0, length)[..., None] * along
    gap = np.sqrt(((q[:, None] - near) ** 2).sum(axis=2))
    inside = (height <= 0.0).all(axis=1)
    each = np.arange(len(points))
    k = np.where(inside, height.argmax(axis=1), gap.argmin(axis=1))
    distance = np.where(inside, height[each, k], gap[each, k])
    flat = np.where(
        (inside | (gap[each, k] <= 0.0))[:, None],
        outward[k],
        (q - near[each, k]) / np.where(gap[each, k] > 0.0, gap[each, k], 1.0)[:, None],
    )
    normal = np.column_stack([flat[:, :1] * across, flat[:, 1]])
    return _offset(points, distance, normal, radius)


def segment_feet(half_length: float, points: np.ndarray, radius: float) -> np.ndarray:
    """Foot points on a capsule along z."""
    away = points - np.clip(points[:, 2], -half_length, half_length)[:, None] * [0.0, 0.0, 1.0]
    distance = np.linalg.norm(away, axis=1)
    normal = np.where((distance > 0.0)[:, None], away / np.where(distance > 0.0, distance, 1.0)[:, None], [1.0, 0, 0])
    return _offset(points, distance, normal, radius)


def _offset(points: np.ndarray, distance: np.ndarray, normal: np.ndarray, radius: float) -> np.ndarray:
    out = np.empty((len(points), foot_row.FOOT))
    out[:, foot_row.DISTANCE], out[:, foot_row.NORMAL] = distance - radius, normal
    out[:, foot_row.POINT] = points - out[:, foot_row.DISTANCE, None] * normal
    return out
