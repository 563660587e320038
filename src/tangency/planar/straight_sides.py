"""Which normals belong to straight sides, where many points share a normal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .shape import Shape

STEP, SHORT = 1e-8, 1e-10  # angles to the normals nearby [rad]
LEAST = 1e-6  # of the size: shorter sides are not seen
SAME = 0.99  # part of its length to which a side may shrink with the step


def on_straight_sides(shape: Shape, u: np.ndarray) -> np.ndarray:
    """Whether each unit normal u is that of a straight side: normals nearby then have points far apart."""
    across = np.stack([-u[..., 1], u[..., 0]], axis=-1)
    long, short = (
        np.linalg.norm(shape.point(u + step * across) - shape.point(u - step * across), axis=-1)
        for step in (STEP, SHORT)
    )
    return (long > LEAST * shape.bounding_radius) & (short >= SAME * long)
