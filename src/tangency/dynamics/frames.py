"""Collection of frames into a trajectory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .assembly import Assembly
from .contact.columns import COLUMNS, contact_columns, named_columns
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
        self._pairs: list[np.ndarray] = []
        self._contacts: list[np.ndarray] = []
        self._before: Trajectory | None = None
        self._earlier: list[float] = []  # kinetic energies of the last frames that are not kept

    def resume(self, trajectory: Trajectory) -> None:
        """Start with the frames of an earlier part of the run."""
        self._before = trajectory

    def forget(self, kinetic: list[float]) -> None:
        """Keep nothing of the frames so far but the kinetic energies of the last two."""
        self._earlier = kinetic
        for kept in (self._times, self._states, self._joints, self._energies, self._pairs, self._contacts):
            kept.clear()

    def add(self, frame: Frame) -> None:
        """Append a frame."""
        self._times.append(float(frame.time))
        self._states.append(frame.y.copy())
        self._joints.append(frame.joints.copy())
        self._energies.append(Instant(*frame[:4], frame.joints).energies(self._assembly))
        self._pairs.append(frame.pairs)
        self._contacts.append(contact_columns(frame.rows, frame.records))

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
        pairs = np.concatenate([np.zeros((0, 2), np.int64), *self._pairs])
        joined = {f"body_{'ab'[side]}": assembly.owner[pairs[:, side]] for side in range(2)}
        joined |= {f"shape_{'ab'[side]}": self._place[pairs[:, side]] for side in range(2)}
        joined |= named_columns(np.concatenate([np.zeros((0, COLUMNS)), *self._contacts]))
        counts = [len(pairs) for pairs in self._pairs]
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
