"""Directions for tests of formulas: evenly spread, and at poles, axes and coordinate planes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .moments import spread

GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # [rad] offset between rings, so that no periodic pattern fits all of them


def ring(angle: float, count: int, turn: float = 0.0) -> np.ndarray:
    """Unit vectors (count, 3) at `angle` from the z axis."""
    theta = turn + np.arange(count) * (2.0 * np.pi / count)
    return np.stack(
        [np.sin(angle) * np.cos(theta), np.sin(angle) * np.sin(theta), np.full(count, np.cos(angle))], axis=-1
    )


@lru_cache(maxsize=8)
def special(per_ring: int = 24) -> np.ndarray:
    """The six axes with rings from 0.3 to 1e-12 rad around them, and great circles on both sides of each plane."""
    rings = [ring(0.3 * 10.0 ** (-0.5 * k), per_ring, k * GOLDEN) for k in range(24)]
    cap = np.concatenate(rings)
    theta = np.arange(2 * per_ring) * (np.pi / per_ring)
    circle = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    circle[np.abs(circle) < 1e-12] = 0.0
    beside = [0.0, *(sign * 10.0**-k for k in (2, 4, 6, 9, 12) for sign in (1.0, -1.0))]
    belt = np.concatenate([np.column_stack([circle, np.full(len(circle), z)]) for z in beside])
    belt /= np.linalg.norm(belt, axis=1, keepdims=True)
    parts = [np.eye(3), -np.eye(3)]
    for axis in range(3):
        parts += [np.roll(part, axis, axis=1) for part in (cap, cap * [1.0, 1.0, -1.0], belt)]
    found = np.concatenate(parts) + 0.0
    found.flags.writeable = False
    return found


@lru_cache(maxsize=8)
def trouble(count: int, per_ring: int = 24) -> np.ndarray:
    """`count` evenly spread directions, followed by the special ones."""
    found = np.concatenate([spread(count), special(per_ring)])
    found.flags.writeable = False
    return found


def angles_text(n: np.ndarray) -> str:
    """Text of a direction: as a vector and in spherical coordinates."""
    phi, theta = np.arctan2(np.hypot(n[0], n[1]), n[2]), np.arctan2(n[1], n[0])
    vector = ", ".join(f"{v + 0.0:.6g}" for v in n)
    return f"n = ({vector}), phi = {phi:.6g}, theta = {theta + 0.0:.6g}"
