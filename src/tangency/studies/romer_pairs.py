"""The random ellipsoids of Römer 3-D, section 5.2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..shapes import Ellipsoid


class EllipsoidPairs(NamedTuple):
    """A (the paper's master) at the origin and axis-aligned, B (slave) at (rotation, position)."""

    radii_a: np.ndarray  #: (N, 3)
    radii_b: np.ndarray
    rotation: np.ndarray  #: (N, 3, 3)
    position: np.ndarray  #: (N, 3)

    def bodies(self) -> tuple[Ellipsoid, Ellipsoid]:
        return Ellipsoid(self.radii_a), Ellipsoid(self.radii_b)

    @property
    def pose_b(self) -> tuple[np.ndarray, np.ndarray]:
        return self.rotation, self.position

    @property
    def aspect(self) -> np.ndarray:
        """(N,) longest over shortest semi-axis, the larger of both bodies."""
        return np.max([radii.max(axis=-1) / radii.min(axis=-1) for radii in (self.radii_a, self.radii_b)], axis=0)


def random_ellipsoids(rng: np.random.Generator, count: int) -> EllipsoidPairs:
    """Random pairs: semi-axes and components of the offset uniform in (0, 1), B rotated at random; about 2.2 % overlap.

    The semi-axes of A are added to the offset, so that B is next to A; the bodies include needles and
    plates.
    """
    radii_a, radii_b, offset = rng.random((3, count, 3))
    return EllipsoidPairs(radii_a, radii_b, Rotation.random(count, rng=rng).as_matrix(), radii_a + offset)


def random_normals(rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, 3) starting normals of study B, uniform on the sphere."""
    n = rng.normal(size=(count, 3))
    return n / np.linalg.norm(n, axis=-1, keepdims=True)
