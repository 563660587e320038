"""Kinetic energy of translation and of rotation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..trajectory import Trajectory
from .selection import frame_of, masses_of, selected


class KineticEnergy(NamedTuple):
    """Kinetic energy of bodies [J]."""

    translation: float
    rotation: float
    fluctuation: float  #: the part of the translation that is not that of the common centre of mass


def kinetic_energy(run: Trajectory, *, frame: int = -1, bodies: Any = None) -> KineticEnergy:
    """Kinetic energy of translation and rotation.

    Parameters
    ----------
    run : Trajectory
    frame, bodies : optional
        As in :func:`packing`.

    Returns
    -------
    KineticEnergy

    Examples
    --------
    >>> import tangency as tg
    >>> from tangency.dynamics import Body, World, measures, simulate
    >>> ball = Body("ball", tg.Sphere(0.1), mass=2.0, velocity=[3, 0, 0], angular_velocity=[0, 10, 0])
    >>> run = simulate(World([ball], gravity=[0, 0, 0]), 1.0, "fast", step=0.01)
    >>> found = measures.kinetic_energy(run)
    >>> round(found.translation, 9), round(found.rotation, 9)
    (9.0, 0.4)
    """
    number = frame_of(run, frame)
    mask, masses = selected(run, bodies, number), masses_of(run)
    m, v, w = masses.mass[mask], run.velocity[number, mask], run.angular_velocity[number, mask]
    turn = Rotation.from_quat(run.quaternion[number, mask]).as_matrix() @ masses.axes[mask]
    local = np.einsum("kji,kj->ki", turn, w)  # along the principal axes
    mean = (m @ v) / max(m.sum(), 1e-300)
    return KineticEnergy(
        float(0.5 * (m * (v**2).sum(axis=1)).sum()),
        float(0.5 * (masses.moments[mask] * local**2).sum()),
        float(0.5 * (m * ((v - mean) ** 2).sum(axis=1)).sum()),
    )
