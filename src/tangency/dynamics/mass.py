"""Mass, centre of mass and principal axes of a body made of several shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..geometry.moments import Moments
from ..io import validate


class Mass(NamedTuple):
    """Mass properties of a rigid body, in its own frame."""

    mass: float  #: [kg]
    centre: np.ndarray  #: (3,) centre of mass [m]
    inertia: np.ndarray  #: (3, 3) about the centre of mass [kg m^2]

    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments, ascending, and the axes as columns of a rotation matrix."""
        off = self.inertia - np.diag(np.diag(self.inertia))
        if np.abs(off).max() <= 1e-14 * np.trace(self.inertia):
            return np.diag(self.inertia).copy(), np.eye(3)  # the body's axes are principal: keep them
        moments, axes = np.linalg.eigh(self.inertia)
        if np.linalg.det(axes) < 0.0:
            axes[:, 0] = -axes[:, 0]
        return moments, axes


def of_shapes(parts: list[tuple[Moments, np.ndarray, np.ndarray]], density: float) -> Mass:
    """Mass properties of several shapes of equal density; material in overlaps counts twice.

    `parts` holds the moments of each shape, its rotation and its position in the body.
    """
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for moments, rotation, position in parts:
        placed = moments.mapped(rotation).moved(position)
        volume += float(placed.volume)
        first += float(placed.volume) * placed.centroid
        second += placed.second
    centre = first / volume
    central = second - volume * np.outer(centre, centre)
    return Mass(density * volume, centre, density * (np.trace(central) * np.eye(3) - central))


class Masses(NamedTuple):
    """Mass properties of many bodies, each in its own frame."""

    mass: np.ndarray  #: (N,) [kg]
    centre: np.ndarray  #: (N, 3) centres of mass [m]
    moments: np.ndarray  #: (N, 3) principal moments [kg m^2]
    axes: np.ndarray  #: (N, 3, 3) principal axes, the columns of rotation matrices


def of_stack(moments: Moments, density: float) -> Masses:
    """Mass properties of one shape, or of each shape of a stack (N,): those of single bodies."""
    volume = np.atleast_1d(moments.volume)
    first = volume[:, None] * np.broadcast_to(moments.centroid, (len(volume), 3))
    second = np.broadcast_to(moments.second, (len(volume), 3, 3))
    centre = first / volume[:, None]
    central = second - volume[:, None, None] * centre[:, :, None] * centre[:, None, :]
    trace = np.trace(central, axis1=1, axis2=2)
    inertia = density * (trace[:, None, None] * np.eye(3) - central)
    diagonal = np.einsum("kii->ki", inertia)
    off = np.abs(inertia - diagonal[:, :, None] * np.eye(3)).max(axis=(1, 2))
    turned = off > 1e-14 * diagonal.sum(axis=1)
    values, axes = diagonal.copy(), np.tile(np.eye(3), (len(volume), 1, 1))
    if turned.any():
        values[turned], found = np.linalg.eigh(inertia[turned])
        found[np.linalg.det(found) < 0.0, :, 0] *= -1.0
        axes[turned] = found
    return Masses(density * volume, centre, values, axes)


def check_inertia(value: ArrayLike) -> np.ndarray:
    """A (3, 3) inertia tensor, or three principal moments along the axes of the body."""
    inertia = validate.array(value, "inertia")
    if inertia.shape == (3,):
        inertia = np.diag(inertia)
    if inertia.shape != (3, 3):
        raise ValueError(f"inertia must have shape (3, 3) or (3,), got shape {inertia.shape}")
    scale = np.abs(inertia).max()
    if np.abs(inertia - inertia.T).max() > 1e-12 * scale:
        raise ValueError(f"inertia must be symmetric, got {validate.short(inertia)}")
    moments = np.linalg.eigvalsh(inertia)
    if not moments[0] > 0.0:
        raise ValueError(f"inertia must be positive definite, got principal moments {validate.short(moments)}")
    if moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        raise ValueError(
            "inertia must be physical: no principal moment may exceed the sum of the others, got "
            f"{validate.short(moments)}"
        )
    return inertia
