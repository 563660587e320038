"""Poses of frames, and frames in frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation


class Place(NamedTuple):
    """The pose of a frame in another one, such as the world."""

    rotation: Rotation
    position: np.ndarray

    def then(self, other: Place) -> Place:
        """The pose of something that stands at `other` in this frame."""
        return Place(self.rotation * other.rotation, self.position + self.rotation.apply(other.position))

    def inverse(self) -> Place:
        """The pose of the other frame in this one."""
        back = self.rotation.inv()
        return Place(back, -back.apply(self.position))


HOME = Place(Rotation.identity(), np.zeros(3))
