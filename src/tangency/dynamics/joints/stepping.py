"""Fixed steps of all mechanisms: kick, drift, kick, as the bodies of the fast mode take them.

Velocities take half a step with the old accelerations, positions a whole one with these velocities (along the geodesics
of Pinocchio, so that quaternions keep their length), and velocities the other half with the accelerations at the new
positions and the velocities predicted for the end of the step.
"""

from __future__ import annotations

import numpy as np

from ..state import MOMENTUM, VELOCITY
from .linkage import Linkage
from .pinocchio import pin
from .soundness import refuse_astray, require_possible
from .system import JointSystem

ASTRAY_FIXED = 1e-3  # as in `soundness.py`, for the errors of fixed steps


class JointSteps:
    """The joints of a world in fast mode."""

    def __init__(self, system: JointSystem) -> None:
        self.system, self.numbers = system, system.start.copy()
        # Kept from one step to the next, columns as the velocities of a trajectory: accelerations, generalised forces
        # of contacts and of springs between bodies, torques of elements, torques of the user and of prescribed joints.
        self.held = np.zeros((4, system.sizes[1]))
        self.elastic, self.absorbed, self.external = 0.0, 0.0, 0.0  # energy now, works of the last step [J]
        self._astray: dict[str, np.ndarray] = {}  # by how much prescribed motions miss the integrals of their rates
        self._ahead: list[tuple[Linkage, np.ndarray, np.ndarray, np.ndarray]] = []

    def begin(self, y: np.ndarray, forces: np.ndarray) -> None:
        """Compute the accelerations at the start, under the forces on the links."""
        self.system.place(0.0, self.numbers, y)  # forces are turned into the frames of the links
        self._evaluate(0.0, self.system.each_at(0.0, self.numbers), y, forces)

    def _evaluate(
        self, time: float, each: list[tuple[Linkage, np.ndarray, np.ndarray]], y: np.ndarray, forces: np.ndarray
    ) -> None:
        at, self.elastic = 0, 0.0
        for own, q, v in each:
            a, powers = own.accelerations(time, (q, v), y, forces, lambda name: self.system.body(name, y))
            contact = own.generalised(q, v, own.wrenches(y, forces))
            self.held[:, at : at + own.nv] = a, contact, own.passive(q, v)[0], own.torque
            self.elastic, at = self.elastic + powers.elastic, at + own.nv

    def drift(self, time: float, h: float, y: np.ndarray) -> None:
        """Move the joints by a step that ends at `time`; write the rows of the links, with predicted velocities."""
        self._ahead, at = [], 0
        for own, q, v in self.system.each(self.numbers):
            a = self.held[0, at : at + own.nv]
            half = v + 0.5 * h * a
            moved, predicted = pin().integrate(own.model, q, h * half), v + h * a
            own.prescribe(time, moved, predicted)
            own.place(moved, predicted, y)
            self._ahead.append((own, moved, predicted, half))
            at += own.nv

    def kick(self, time: float, h: float, y: np.ndarray, forces: np.ndarray) -> float:
        """Second half of the step, with the forces on the links at its end; returns the work of contacts on links.

        The works of the springs of joints and of torques are those of the kicks themselves.
        """
        before, old = self.held.copy(), [(q, v) for _, q, v in self.system.each(self.numbers)]
        self._evaluate(time, [(own, q, v) for own, q, v, _ in self._ahead], y, forces)
        at, parts, works = 0, [], np.zeros(3)
        for (own, q, _, half), (begin, v) in zip(self._ahead, old):
            part = slice(at, at + own.nv)
            new = half + 0.5 * h * self.held[0, part]
            own.prescribe(time, q, new)
            require_possible(own, q, new, time)
            gained = 0.5 * h * (before[0, part] + self.held[0, part])
            self._follow(own, time, h, (begin, q), np.array([0.5 * h * (v + new), new - v - gained]))
            works += 0.25 * h * (before[1:, part] @ (v + half) + self.held[1:, part] @ (half + new))
            own.place(q, new, y)
            parts += [q, new]
            at += own.nv
        self.numbers[:] = np.concatenate(parts)
        contact, passive, driven = works
        self.absorbed, self.external = -float(passive), float(driven)
        return float(contact)

    def _follow(
        self, own: Linkage, time: float, h: float, ends: tuple[np.ndarray, np.ndarray], way: np.ndarray
    ) -> None:
        """Raise an error if prescribed joints move otherwise than they say.

        `ends` are the positions before and after the step; `way` is how far the velocities lead, and by how much these
        differ from what the accelerations give.
        """
        for name in own.mechanism.prescribed:
            place, title = own.mechanism.place_of(name), f"{own.mechanism.name}/{name}"
            begin, end = (place.read(position) for position in ends)
            off = np.array([place.difference(end, begin) - way[0, place.v], way[1, place.v]])
            self._astray[title] = off = self._astray.get(title, 0.0) + off
            speed = abs(float(way[0, place.v])) / h
            size = ASTRAY_FIXED * max(1.0, abs(end)), ASTRAY_FIXED * max(1.0, speed)
            refuse_astray(name, time, (float(off[0]), float(off[1])), size)

    def link_works(self, h: float, y: np.ndarray, before: np.ndarray, after: np.ndarray) -> float:
        """Work on the links in a step as the compiled loop counts it, from the forces before and after it."""
        total = 0.0
        for own in self.system.linkages:
            f = 0.5 * h * (before[own.links] + after[own.links])
            total += float((f[:, :3] * y[own.links, VELOCITY]).sum() + (f[:, 3:] * y[own.links, MOMENTUM]).sum())
        return total
