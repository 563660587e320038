"""What a simulation answers: the motion of all bodies, their contacts and energies."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation

ENERGIES = ("kinetic", "gravitational", "elastic", "springs", "dissipated", "work")


@dataclass(frozen=True, eq=False)
class Contacts:
    """Contacts of all frames, one after the other.

    Attributes
    ----------
    first : (F + 1,) array of int
        Contacts of frame f have the numbers first[f] to first[f + 1].
    body_a, body_b : (C,) array of int
        Numbers of the bodies; `shape_a`, `shape_b` which of their shapes touches.
    point, normal, force : (C, 3) array
        Where the force acts [m], from A to B, force on B [N]; world frame.
    depth : (C,) array
        Penetration [m].
    normal_force : (C,) array
        Part of the force along the normal [N].
    """

    first: np.ndarray
    body_a: np.ndarray
    body_b: np.ndarray
    shape_a: np.ndarray
    shape_b: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    depth: np.ndarray
    normal_force: np.ndarray

    def at(self, frame: int) -> Contacts:
        """Contacts of one frame."""
        count = len(self.first) - 1
        frame = range(count)[frame]
        part = slice(int(self.first[frame]), int(self.first[frame + 1]))
        rest = {f.name: getattr(self, f.name)[part] for f in fields(self) if f.name != "first"}
        return Contacts(first=np.array([0, part.stop - part.start]), **rest)

    def __len__(self) -> int:
        return len(self.depth)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Motion of a world; frames first, then bodies.

    Attributes
    ----------
    time : (F,) array
        [s]
    position : (F, N, 3) array
        Origins of the body frames in the world [m].
    quaternion : (F, N, 4) array
        Orientations of the body frames, (x, y, z, w) as SciPy orders them.
    centre_of_mass, velocity, angular_velocity : (F, N, 3) array
        Centres of mass, their velocities, and angular velocities, in the world [m, m/s, rad/s].
    contacts : Contacts
    energy : dict of (F,) arrays
        ``kinetic``, ``gravitational``, ``elastic`` (of contacts), ``springs``, ``dissipated`` (by contacts and
        dampers so far) and ``work`` (from outside so far) [J].
    names : tuple of str
    info : dict
        Mode, options and counts of the run.

    Examples
    --------
    >>> import tangency as tg
    >>> ball = tg.dynamics.Body("ball", tg.Sphere(0.1), (None, [0, 0, 5]))
    >>> fall = tg.dynamics.simulate(tg.dynamics.World([ball]), 1.0, output_interval=0.5)
    >>> fall.position[:, 0, 2].round(6).tolist()
    [5.0, 3.77375, 0.095]
    """

    time: np.ndarray
    position: np.ndarray
    quaternion: np.ndarray
    centre_of_mass: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    contacts: Contacts
    energy: dict[str, np.ndarray]
    names: tuple[str, ...]
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def mechanical_energy(self) -> np.ndarray:
        """Kinetic, gravitational and elastic energy together [J]: what cannot rise without work from outside."""
        return sum(self.energy[name] for name in ("kinetic", "gravitational", "elastic", "springs"))  # type: ignore[return-value]

    def number(self, name: str) -> int:
        """Number of the body with this name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(f"no body {name!r}; there are {', '.join(self.names)}") from None

    def pose(self, frame: int) -> RigidTransform:
        """Poses of all body frames in one frame of the trajectory."""
        return RigidTransform.from_components(self.position[frame], Rotation.from_quat(self.quaternion[frame]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all; see :func:`load_trajectory` and docs/dynamics.md for the format."""
        from .files import save_trajectory

        save_trajectory(self, path)

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        if not len(self.time):
            return "Trajectory(empty)"
        return (
            f"Trajectory({len(self.names)} bodies, {len(self.time)} frames from {self.time[0]:g} to "
            f"{self.time[-1]:g} s, {len(self.contacts)} contacts)"
        )
