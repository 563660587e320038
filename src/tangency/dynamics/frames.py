"""Collection of frames into a trajectory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .assembly import Assembly
from .contact.columns import NORMAL_FORCE, depths, force_points, forces_on_b, normals
from .group import AllPieces
from .impacts import LOG, impacts_of, joined_impacts
from .joints.history import joint_history
from .state import PLACE, STATE, VELOCITY, energies
from .trajectory import ENERGIES, Contacts, Trajectory


class Elastic(NamedTuple):
    """Elastic energies of a world [J]."""

    contacts: float
    springs: float


class Frame(NamedTuple):
    """A world at one instant."""

    time: float
    y: np.ndarray  #: (N, STATE)
    works: np.ndarray  #: absorbed by contacts and springs so far, external so far [J]
    elastic: Elastic
    pairs: np.ndarray  #: touching pairs, (C, 2); rows and records as in `tables.ContactTables`
    rows: np.ndarray
    records: np.ndarray
    joints: np.ndarray  #: positions, velocities and torques of all joints, see ``joints/system.py``


class Instant(NamedTuple):
    """What the energies of a world depend on, at one instant."""

    time: float
    y: np.ndarray
    works: np.ndarray
    elastic: Elastic
    joints: np.ndarray  #: as for a frame

    def energies(self, assembly: Assembly) -> list[float]:
        """Energies in the order of `ENERGIES` [J]."""
        kinetic, gravitational = energies(self.y, assembly.inertia, assembly.gravity)
        if assembly.joints.size:
            moving, height = assembly.joints.energies_of(self.joints)
            kinetic, gravitational = kinetic + moving, gravitational + height
        (contacts, springs), (absorbed, outer) = self.elastic, self.works
        return [kinetic, gravitational, contacts, springs, float(absorbed - contacts - springs), float(outer)]


class Record:
    """Collects frames."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        # Number of each shape within its body.
        self._place = np.array(assembly.part, np.int64)
        self._times: list[float] = []
        self._states: list[np.ndarray] = []
        self._joints: list[np.ndarray] = []
        self._energies: list[list[float]] = []
        self._contacts: list[dict[str, np.ndarray]] = []
        self._before: Trajectory | None = None
        self._earlier: list[float] = []  # kinetic energies of the last frames that are not kept

    def resume(self, trajectory: Trajectory) -> None:
        """Start with the frames of an earlier part of the run."""
        self._before = trajectory

    def forget(self, kinetic: list[float]) -> None:
        """Keep nothing of the frames so far but the kinetic energies of the last two."""
        self._earlier = kinetic
        for kept in (self._times, self._states, self._joints, self._energies, self._contacts):
            kept.clear()

    def add(self, frame: Frame) -> None:
        """Append a frame."""
        self._times.append(float(frame.time))
        self._states.append(frame.y.copy())
        self._joints.append(frame.joints.copy())
        self._energies.append(Instant(*frame[:4], frame.joints).energies(self._assembly))
        owner, pairs = self._assembly.owner, frame.pairs
        self._contacts.append(
            {
                "body_a": owner[pairs[:, 0]],
                "body_b": owner[pairs[:, 1]],
                "shape_a": self._place[pairs[:, 0]],
                "shape_b": self._place[pairs[:, 1]],
                "point": force_points(frame.records),
                "normal": normals(frame.rows),
                "force": forces_on_b(frame.records),
                "depth": depths(frame.rows),
                "normal_force": frame.records[:, NORMAL_FORCE].copy(),
            }
        )

    @property
    def last(self) -> list[float]:
        """Energies of the last frame, in the order of `ENERGIES` [J]."""
        return self._energies[-1]

    @property
    def kinetic(self) -> list[float]:
        """Kinetic energies of the last two frames [J]."""
        before = self._earlier if self._before is None else self._before.energy["kinetic"][-2:].tolist()
        return [*before, *(row[0] for row in self._energies)][-2:]

    def trajectory(self, info: dict[str, Any], log: Any = (), lasting: Any = ()) -> Trajectory:
        """Trajectory of all frames so far; `log` and `lasting` are rows of finished and of lasting contacts."""
        assembly = self._assembly
        y = np.array(self._states).reshape(-1, len(assembly.names), STATE)
        position, quaternion = assembly.frames(y)
        counts = [len(c["depth"]) for c in self._contacts]
        empty = {"point": (0, 3), "normal": (0, 3), "force": (0, 3), "depth": (0,), "normal_force": (0,)}
        joined = {}
        for name in ("body_a", "body_b", "shape_a", "shape_b"):
            joined[name] = np.concatenate([np.zeros(0, np.int64), *(c[name] for c in self._contacts)])
        for name, shape in empty.items():
            joined[name] = np.concatenate([np.zeros(shape), *(c[name] for c in self._contacts)])
        ended, open_ = (np.array(rows, float).reshape(-1, LOG) for rows in (log, lasting))
        over = np.arange(len(ended) + len(open_)) < len(ended)
        impacts = impacts_of(np.concatenate([ended, open_]), over, assembly.owner, self._place)
        table = np.array(self._energies).reshape(-1, len(ENERGIES))
        new = Trajectory(
            time=np.array(self._times),
            position=position,
            quaternion=quaternion,
            centre_of_mass=y[..., PLACE].copy(),
            velocity=y[..., VELOCITY].copy(),
            angular_velocity=assembly.spins(y),
            contacts=Contacts(first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), **joined),
            energy={name: table[:, k].copy() for k, name in enumerate(ENERGIES)},
            names=assembly.names,
            info=info,
            pieces=AllPieces(assembly.world.bodies),
            springs=assembly.world.springs,
            rods=assembly.world.rods,
            impacts=impacts,
            masses=assembly.masses,
            joints=joint_history(np.array(self._joints), assembly.joints) if assembly.joints.size else None,
        )
        return new if self._before is None else _joined(self._before, new)


def _joined(a: Trajectory, b: Trajectory) -> Trajectory:
    """Two parts of one run."""
    main = {
        name: np.concatenate([getattr(a, name), getattr(b, name)])
        for name in ("time", "position", "quaternion", "centre_of_mass", "velocity", "angular_velocity")
    }
    rest = {
        name: np.concatenate([getattr(a.contacts, name), getattr(b.contacts, name)])
        for name in ("body_a", "body_b", "shape_a", "shape_b", "point", "normal", "force", "depth", "normal_force")
    }
    first = np.concatenate([a.contacts.first, a.contacts.first[-1] + b.contacts.first[1:]])
    energy = {name: np.concatenate([a.energy[name], b.energy[name]]) for name in ENERGIES}
    contacts = Contacts(first=first, **rest)
    return Trajectory(
        **main,
        contacts=contacts,
        energy=energy,
        names=a.names,
        info=b.info,
        impacts=joined_impacts(a.impacts, b.impacts),
        pieces=b.pieces,
        springs=b.springs,
        rods=b.rods,
        masses=b.masses,
        joints=None if a.joints is None or b.joints is None else a.joints.followed_by(b.joints),
        added=b.added,
        removed=b.removed,
    )
