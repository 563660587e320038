"""Contacts between bodies that another program moves: forces, with the memory of impacts and friction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..shapes.shape import Shape
from .accurate.kernel import GAP, GAP_RATE
from .accurate.motion_vector import ABSORBED_WORK
from .accurate.runner import AccurateRunner
from .assembly import Assembly
from .body import Body, Motion
from .contact.columns import NORMAL_FORCE as LOAD
from .contact.columns import SUMS, TOUCHING, depths, force_points, forces_on_b, normals
from .interaction import Interaction
from .state import MOMENTUM, PLACE, TURN, VELOCITY
from .trajectory import Contacts
from .world import World


class _Driven:
    """The motion of a body that another program moves; it stands for the mechanism of the body, too."""

    def __init__(self, owner: DrivenContacts) -> None:
        self.mechanism = owner

    def __call__(self, time: float) -> Motion:
        return Motion(None, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class DrivenContacts:
    """Contact forces between bodies whose motion is computed elsewhere.

    Impacts and the stretch of bristles are remembered from one call to the next, so that all laws of
    :mod:`tangency.forces` work.

    Parameters
    ----------
    bodies : mapping of str to shapes
        Shapes of each body, as in :class:`Body`.
    interaction, interactions
        Laws of contact, as in :class:`World`.
    fixed : collection of str
        Bodies that never move; two of these do not touch.
    apart : collection of pairs of str
        Pairs of bodies that pass through each other.
    materials : mapping of str to material
        See :class:`World`.
    """

    def __init__(
        self,
        bodies: Mapping[str, Shape | Sequence[Any]],
        *,
        interaction: Interaction | None = None,
        interactions: Any = (),
        fixed: Collection[str] = (),
        apart: Collection[Collection[str]] = (),
        materials: Mapping[str, object] | None = None,
    ) -> None:
        self._apart = {frozenset(pair) for pair in apart}
        self._fixed = frozenset(fixed)
        material = dict(materials or {})
        self.bodies = tuple(
            Body(name, shape, motion=_Driven(self), material=material.get(name)) for name, shape in bodies.items()
        )
        world = World(self.bodies, interaction=interaction, interactions=interactions)
        self._assembly = Assembly(world)
        self._runner = AccurateRunner(self._assembly, method="DOP853", rtol=1e-9, atol=1e-12)
        self._rates: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._touching = np.zeros(0, np.int64)

    def adjacent(self, a: Body, b: Body) -> bool:
        """Whether two bodies pass through each other."""
        return frozenset((a.name, b.name)) in self._apart or {a.name, b.name} <= self._fixed

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return self._assembly.names

    def forces(
        self,
        time: float,
        position: np.ndarray,
        quaternion: np.ndarray,
        velocity: np.ndarray,
        angular_velocity: np.ndarray,
    ) -> np.ndarray:
        """Contact forces on all bodies.

        Parameters
        ----------
        time : float
            Time [s].  The memory of contacts is carried on from the last call; if the time goes back, they begin anew.
        position, velocity, angular_velocity : (N, 3) array
            Of the origins of the body frames, in the world.
        quaternion : (N, 4) array
            Orientations (x, y, z, w) of the body frames.

        Returns
        -------
        (N, 6) array
            Forces [N], and torques about the origins [N m].
        """
        equations = self._runner.equations
        if self._rates is not None and time < equations.time:
            self.forget()
        if self._rates is not None:
            span, (touching, sums, works) = time - equations.time, self._rates
            equations.contacts.memory[touching, SUMS] += span * sums
            equations.works[:] += span * works
        y = equations.y
        y[:, PLACE], y[:, TURN], y[:, VELOCITY], y[:, MOMENTUM] = position, quaternion, velocity, angular_velocity
        equations.time = time
        gaps = equations.distances(time, equations.vector(), keep=True)
        memory = equations.contacts.memory
        for k in np.flatnonzero((gaps[:, GAP] > 0.0) & (memory[:, TOUCHING] != 0.0)):
            self._runner.end(int(k))
        for k in np.flatnonzero((gaps[:, GAP] <= 0.0) & (memory[:, TOUCHING] == 0.0)):
            self._runner.begin(int(k), float(-gaps[k, GAP_RATE]))
        touching = equations.touching
        rate = equations.parts(equations.rate(touching)(time, equations.vector()))
        equations.require_finite_laws(time)
        if self._rates is None:
            equations.works[ABSORBED_WORK] = sum(equations.elastic)
        self._rates, self._touching = (touching, rate.sums.copy(), rate.works.copy()), touching
        return equations.forces.copy()

    def forget(self) -> None:
        """End all contacts, whose bodies have been put elsewhere."""
        equations = self._runner.equations
        for k in np.flatnonzero(equations.contacts.memory[:, TOUCHING] != 0.0):
            self._runner.end(int(k))
        equations.works[:], self._rates = 0.0, None

    @property
    def elastic_energy(self) -> float:
        """Elastic energy of the contacts at the last call [J]."""
        return float(sum(self._runner.equations.elastic))

    @property
    def absorbed_energy(self) -> float:
        """Energy that the contacts have taken from the bodies up to the last call, stored or lost [J]."""
        return float(self._runner.equations.works[ABSORBED_WORK])

    @property
    def contacts(self) -> Contacts:
        """The contacts at the last call, as one frame of a trajectory."""
        owner, part, own = self._assembly.owner, self._assembly.part, self._touching
        pairs, rows, _, records = (table[own] for table in self._runner.equations.looked)
        a, b = pairs[:, 0], pairs[:, 1]
        return Contacts(
            first=np.array([0, len(own)]),
            body_a=owner[a],
            body_b=owner[b],
            shape_a=part[a],
            shape_b=part[b],
            point=force_points(records),
            normal=normals(rows),
            force=forces_on_b(records),
            depth=depths(rows),
            normal_force=records[:, LOAD].copy(),
        )
