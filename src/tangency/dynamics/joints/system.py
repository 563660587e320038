"""All mechanisms of a world: their joints as numbers in a vector, their links as rows of bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..state import INERTIA, INVERSE_MASS, INVERSE_MOMENTS, MASS, MOMENTS, MOMENTUM
from .linkage import Linkage
from .mechanism import Mechanism
from .pinocchio import pin
from .soundness import ASTRAY, require_possible, require_prescribed

POSITION_INCREMENT, VELOCITY_INCREMENT = 1e-8, 1e-9  # for derivatives
LEAST_MOBILITY = 1e-30  # [1/kg], of a link that cannot move


class JointRates(NamedTuple):
    """Rate of change of all mechanisms."""

    numbers: np.ndarray  #: (J,) of the numbers
    elastic: float  #: energy of the springs of joints [J]
    absorbed: float  #: power absorbed by these [W]
    external: float  #: external power [W]


class JointSystem:
    """The mechanisms of a world.  Their numbers are q and v of the first, q and v of the second, and so on."""

    def __init__(
        self, mechanisms: tuple[Mechanism, ...], names: tuple[str, ...], gravity: np.ndarray, body: Callable
    ) -> None:
        self.linkages = [Linkage(m, gravity, names.index(m.bodies[0].name)) for m in mechanisms]
        self.body, self._slices, at = body, [], 0
        for own in self.linkages:
            self._slices.append((slice(at, at + own.nq), slice(at + own.nq, at + own.nq + own.nv)))
            at += own.nq + own.nv
        self.size = at
        start = [np.concatenate([own.mechanism.position, own.mechanism.velocity]) for own in self.linkages]
        self.start: np.ndarray = np.concatenate([*start, np.zeros(0)])

    def each(self, numbers: np.ndarray) -> list[tuple[Linkage, np.ndarray, np.ndarray]]:
        """Mechanisms with their positions, normalised, and velocities."""
        normalize: Any = pin().normalize if self.linkages else None
        return [
            (own, normalize(own.model, numbers[q]), numbers[v].copy())
            for own, (q, v) in zip(self.linkages, self._slices)
        ]

    def each_at(self, time: float, numbers: np.ndarray) -> list[tuple[Linkage, np.ndarray, np.ndarray]]:
        """The same, with prescribed joints where they are at this time."""
        found = self.each(numbers)
        for own, q, v in found:
            own.prescribe(time, q, v)
        return found

    def normalised(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers with quaternions of length 1."""
        return np.concatenate([*(part for _, q, v in self.each(numbers) for part in (q, v)), np.zeros(0)])

    def place(self, time: float, numbers: np.ndarray, y: np.ndarray) -> None:
        """Write the rows of all links."""
        for own, q, v in self.each_at(time, numbers):
            own.place(q, v, y)

    def require_sound(self, time: float, numbers: np.ndarray, rtol: float) -> None:
        """Raise an error if prescribed joints have not followed their velocities, or contradict loops."""
        for (own, q, v), (at, to) in zip(self.each_at(time, numbers), self._slices):
            require_prescribed(own, time, (numbers[at], numbers[to]), max(ASTRAY, 1e3 * rtol))
            require_possible(own, q, v, time)

    def rate(self, time: float, numbers: np.ndarray, y: np.ndarray, forces: np.ndarray) -> JointRates:
        """Rate of change under the forces on the links; the rows `y` are those of `place`."""
        out, total = np.empty(self.size), np.zeros(3)
        for (own, q, v), (at, to) in zip(self.each_at(time, numbers), self._slices):
            a, powers = own.accelerations(time, (q, v), y, forces, lambda name: self.body(name, y))
            out[at], out[to] = own.rate(q, v), a
            total += powers
        return JointRates(out, *total.tolist())

    @property
    def mass(self) -> float:
        """Mass of all links [kg]."""
        return sum(float(inertia.mass) for own in self.linkages for inertia in own.model.inertias)

    def energies(self, numbers: np.ndarray) -> tuple[float, float]:
        """Kinetic and gravitational energy [J]."""
        found = [own.energies(q, v) for own, q, v in self.each(numbers)]
        return sum(pair[0] for pair in found), sum(pair[1] for pair in found)

    def energies_of(self, record: np.ndarray) -> tuple[float, float]:
        """The same from a record."""
        total, at, to = [0.0, 0.0], 0, self.sizes[0]
        for own in self.linkages:
            kinetic, height = own.energies(record[at : at + own.nq], record[to : to + own.nv])
            total[0], total[1], at, to = total[0] + kinetic, total[1] + height, at + own.nq, to + own.nv
        return total[0], total[1]

    # ---- records -------------------------------------------------------------------------------
    def record(self, numbers: np.ndarray) -> np.ndarray:
        """Positions, velocities and torques of all joints, for a frame."""
        if not self.linkages:
            return np.zeros(0)
        each = self.each(numbers)
        parts = [*(q for _, q, _ in each), *(v for _, _, v in each), *(own.torque for own, _, _ in each)]
        return np.concatenate(parts)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of positions and of velocities of all mechanisms."""
        return sum(own.nq for own in self.linkages), sum(own.nv for own in self.linkages)

    def columns(self) -> list[list[Any]]:
        """Name and columns of every joint in the positions and velocities of a trajectory."""
        found, at, to = [], 0, 0
        single = len(self.linkages) == 1
        for own in self.linkages:
            for name, joint in zip(own.mechanism.joints, list(own.model.joints)[1:]):
                q, v = at + joint.idx_q, to + joint.idx_v
                title = name if single else f"{own.mechanism.name}/{name}"
                found.append([title, q, q + joint.nq, v, v + joint.nv])
            at, to = at + own.nq, to + own.nv
        return found

    # ---- scales of the accurate mode ----------------------------------------------------------
    def felt(self, inertia: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """The table of inertia with the least mass and moment that a force on each link feels; `y` then has momenta."""
        found = inertia.copy()
        for own, q, _ in self.each(numbers):
            light, loose = (np.maximum(part, LEAST_MOBILITY) for part in own.mobilities(q))
            rows = np.empty((len(own.links), INERTIA))
            rows[:, MASS], rows[:, INVERSE_MASS] = 1.0 / light, light
            rows[:, MOMENTS], rows[:, INVERSE_MOMENTS] = 1.0 / loose[:, None], loose[:, None]
            found[own.links] = rows
            y[own.links, MOMENTUM] /= loose[:, None]
        return found

    def write_accelerations(
        self, numbers: np.ndarray, rates: np.ndarray, reach: np.ndarray, time: float, out: np.ndarray
    ) -> None:
        """Write bounds on the accelerations of all points of links, times `time`."""
        for (own, q, v), (_, to) in zip(self.each(numbers), self._slices):
            along, about = own.accelerations_of_links(q, v, rates[to])
            spin = np.array([np.linalg.norm(own.data.v[joint].angular) for joint in range(1, own.model.njoints)])
            out[own.links] = time * (along + reach[own.links] * (about + spin * spin))

    def errors(self, numbers: np.ndarray, rtol: float, atol: float, deepest: float) -> np.ndarray:
        """Absolute tolerances of a step: of positions and velocities, relative to the largest of a mechanism.

        Contacts of the depth `deepest` need positions that resolve it.
        """
        out = np.empty(self.size)
        for at, to in self._slices:
            out[at] = atol + rtol * np.minimum(np.abs(numbers[at]).max(), deepest)
            out[to] = atol + rtol * np.abs(numbers[to]).max()
        return out

    def increments(self) -> np.ndarray:
        """Increments for derivatives."""
        out = np.empty(self.size)
        for at, to in self._slices:
            out[at], out[to] = POSITION_INCREMENT, VELOCITY_INCREMENT
        return out
