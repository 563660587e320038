"""The frame of a cloud: centre, size and principal axes, in which it is fitted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Frame(NamedTuple):
    """Frame of a cloud, in which fits are made so that they rotate with the cloud."""

    centre: np.ndarray
    scale: float  #: root mean square distance from the centre
    axes: np.ndarray  #: (3, 3), columns; right-handed

    def local(self, points: np.ndarray) -> np.ndarray:
        return (points - self.centre) @ self.axes / self.scale


def principal_frame(cloud: np.ndarray, shares: np.ndarray) -> Frame:
    """Principal axes from the second moments, the longest first, with signs from the third."""
    centre = shares @ cloud / len(cloud)
    away = cloud - centre
    scale = float(np.sqrt(shares @ (away**2).sum(axis=1) / len(cloud)))
    _, axes = np.linalg.eigh((away / scale).T @ (shares[:, None] * away / scale))
    axes = axes[:, ::-1]
    skew = shares @ ((away / scale) @ axes) ** 3
    axes = axes * np.where(skew < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, np.argmin(np.abs(skew))] *= -1.0
    return Frame(centre, scale, axes)
