"""Directions spread evenly over the sphere."""

from __future__ import annotations

from functools import cache

import numpy as np

GOLDEN = np.pi * (3.0 - np.sqrt(5.0))


@cache
def spread(count: int) -> np.ndarray:
    """`count` unit vectors in equal zones of a spiral, and the six axes, which matter for boxes."""
    k = np.arange(count - 6)
    z = 1.0 - (2.0 * k + 1.0) / (count - 6)
    r, angle = np.sqrt(1.0 - z * z), GOLDEN * k
    vectors = np.concatenate([np.eye(3), -np.eye(3), np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)])
    vectors.flags.writeable = False
    return vectors
