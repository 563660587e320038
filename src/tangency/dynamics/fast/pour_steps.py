"""Pouring and removal of bodies between the steps of the fast mode.

All bodies of a world have their rows in the tables from the start.  Those that are not there have no mass, so nothing
moves them, and belong to a class without laws, so nothing touches them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ...broadphase.scatter import scatter_among
from ...shapes import Hull, MeshWall
from ...shapes.walls import WALLS
from ..assembly import Assembly
from ..group import AllPieces, Group
from ..periodic import periods_of, wrapped
from ..pouring import Pour
from ..state import MASS, MOMENTS, MOMENTUM, PLACE, STATE, TURN, VELOCITY, energies

LEAST_STEPS = 20  # between two looks: each takes milliseconds, and a new list of pairs
LATE = 0.1  # fraction of a group that may be late without a warning
ATTEMPTS, MOST_ATTEMPTS = 20, 400  # random places tried for each body, and for all of a group, at a time


class Supply:
    """Which bodies are there; `added` and `removed` are the times at which they come and go."""

    def __init__(self, assembly: Assembly, step: float) -> None:
        world, count = assembly.world, len(assembly.names)
        self.assembly, self.pours, self.outlets = assembly, tuple(world.pours), tuple(world.outlets)
        self.added, self.removed = np.zeros(count), np.full(count, np.inf)
        self._table, self._classes = assembly.law_table, assembly.law_table.class_of.copy()
        self._inertia, self._pieces = assembly.inertia.copy(), AllPieces(world.bodies)
        own = {entry.name: part for entry, (part, _) in zip(world.bodies, self._pieces.blocks())}
        self._own = [own[pour.group] for pour in self.pours]
        for part in self._own:
            self.added[part] = np.inf
        rates = [1.0 / (pour.rate * step) for pour in self.pours]
        rarely = rates and not self.outlets  # bodies in an outlet are gone before the next one is poured
        self.every = max(LEAST_STEPS, math.ceil(min(rates) - 1e-9)) if rarely else LEAST_STEPS
        self.every_time = self.every * step
        self.update()

    @property
    def needed(self) -> bool:
        """Whether any body comes or goes."""
        return bool(self.pours or self.outlets)

    @property
    def waiting(self) -> int:
        """Number of bodies that have not been poured yet."""
        return int(np.isinf(self.added).sum())

    @property
    def present(self) -> np.ndarray:
        """Which bodies are there."""
        return np.isfinite(self.added) & np.isinf(self.removed)

    def update(self) -> None:
        """Give all bodies that are there their mass and class, and take both from the others."""
        if self.needed:
            self.assembly.inertia[:] = np.where(self.present[:, None], self._inertia, 0.0)
            self._table.class_of[:] = np.where(self.present, self._classes, len(self._table.law_of) - 1)

    def energy(self, y: np.ndarray, numbers: np.ndarray) -> float:
        """Kinetic and gravitational energy of bodies in the state y (N, STATE) [J]."""
        gravity: np.ndarray = self.assembly.gravity
        return float(sum(energies(np.ascontiguousarray(y[numbers]), self._inertia[numbers], gravity)))

    def weights(self, numbers: np.ndarray) -> np.ndarray:
        """Weights of bodies (K, 3) [N]."""
        return self._inertia[numbers, MASS, None] * self.assembly.gravity

    def late(self, time: float) -> list[str]:
        """Sentences about groups of which less has been poured than asked for."""
        found = []
        for pour, own in zip(self.pours, self._own):
            poured, count = int(np.isfinite(self.added[own]).sum()), own.stop - own.start
            due = min(math.floor((time - self.every_time - pour.start) * pour.rate), count)
            if poured < due - LATE * count:
                reason = "their region was full; use a larger one, a higher velocity or a lower rate"
                if not poured:
                    reason = "their region has no room for any: it is too small for them, or full, or lies in a wall"
                found.append(
                    f"only {poured} of {due} bodies of {pour.group!r} were poured by t = {time:.6g} s: {reason}"
                )
        return found

    def tied(self) -> list[str]:
        """Sentences about springs whose one end was removed: the other one is still pulled to that place."""
        gone, names = np.isfinite(self.removed), self.assembly.names
        return [
            f"{names[here if gone[there] else there]!r} is held by a spring whose other end, "
            f"{names[there if gone[there] else here]!r}, was removed by an outlet: the spring stays fixed at that place"
            for here, there in self.assembly.ends
            if min(here, there) >= 0 and gone[here] != gone[there]
        ]

    def too_thin(self, way: float) -> list[str]:
        """Sentences about outlets that a body can pass between two looks; `way` is the longest one in a step [m]."""
        travelled, found = self.every * way, []
        periodic = self.assembly.world.periodic or (None,) * 3
        box = np.array([bounds or (-np.inf, np.inf) for bounds in periodic]).T
        for k, outlet in enumerate(self.outlets):
            low, high = np.maximum(outlet.low, box[0]), np.minimum(outlet.high, box[1])
            endless = (low == box[0]) & (high == box[1])
            thickness = float(np.min(np.where(endless, np.inf, high - low)))
            if thickness < travelled:
                found.append(
                    f"outlets[{k}] is {thickness:.3g} m thick, but a body moved up to {travelled:.3g} m in "
                    f"{self.every} steps, after which outlets are looked at again: bodies may have passed through it; "
                    "make it thicker or use a shorter step"
                )
        return found

    # ---- removal -------------------------------------------------------------------------------
    def leaving(self, y: np.ndarray) -> np.ndarray:
        """Numbers of the free bodies whose centres lie in an outlet."""
        there, inside = self.assembly.free & self.present, np.zeros(len(y), bool)
        place = y[:, PLACE] + wrapped(y[:, PLACE], self.assembly.world.periodic)
        for outlet in self.outlets:
            inside |= ((place >= outlet.low) & (place <= outlet.high)).all(axis=1)
        return np.flatnonzero(there & inside)

    # ---- pouring -------------------------------------------------------------------------------
    def arriving(self, time: float, y: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the bodies that are poured now, and their states; `number` counts the looks, for the seeds."""
        bodies, states = [np.zeros(0, np.int64)], [np.zeros((0, STATE))]
        present, y = self.present, y.copy()
        for pour, own in zip(self.pours, self._own):
            poured = int(np.isfinite(self.added[own]).sum())
            due = min(math.floor((time - pour.start) * pour.rate + 1e-6), own.stop - own.start) - poured
            if due < 1:
                continue
            candidates = np.arange(own.start + poured, own.start + poured + due)
            turns, places = self._places(pour, candidates, present, y, number)
            bodies.append(candidates[: len(places)])
            states.append(self._states(pour, bodies[-1], turns, places))
            present[bodies[-1]] = True
            y[bodies[-1]] = states[-1]
        return np.concatenate(bodies), np.concatenate(states)

    def _places(self, pour: Pour, candidates: np.ndarray, present: np.ndarray, y: np.ndarray, number: int) -> Any:
        """Rotations and places of as many candidates as there is room for, in their order."""
        entry, start = self.assembly.world[pour.group], self._own[self.pours.index(pour)].start
        assert isinstance(entry, Group)
        stack = entry.shape.take(candidates - start)
        rng = np.random.default_rng([pour.seed, number])
        low, high = np.asarray(pour.low), np.asarray(pour.high)
        attempts = min(ATTEMPTS, max(2, MOST_ATTEMPTS // len(candidates)))
        return scatter_among(stack, low, high, self._neighbours(pour, present, y), rng, attempts)

    def _neighbours(self, pour: Pour, present: np.ndarray, y: np.ndarray) -> tuple[list, tuple[np.ndarray, np.ndarray]]:
        """Shapes near the region with their poses, images included; walls always."""
        low, high = np.asarray(pour.low), np.asarray(pour.high)
        y = y.copy()
        y[:, PLACE] += wrapped(y[:, PLACE], self.assembly.world.periodic)  # wherever a body has travelled
        place, quaternion = self.assembly.frames(y)
        turn = Rotation.from_quat(quaternion).as_matrix()
        shapes: list = []
        turns, places = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
        for own, pieces in self._pieces.blocks():
            for piece in _as_bodies(pieces, low, high, turn[own.start], place[own.start]):
                wall = isinstance(piece.shape, WALLS)
                for shift in [np.zeros(3)] if wall else _shifts(self.assembly.world.periodic):
                    away = np.maximum(low - y[own, PLACE] - shift, y[own, PLACE] + shift - high).max(axis=1)
                    near = np.flatnonzero(present[own] & (wall | (away <= self.assembly.reach[own])))
                    if not len(near):
                        continue
                    one = piece.shape.take(near) if piece.shape.batch_shape else piece.shape.broadcast_to((len(near),))
                    shapes.append(one)
                    turns.append(turn[own][near] @ piece.rotation)
                    places.append(place[own][near] + turn[own][near] @ piece.position + shift)
        return shapes, (np.concatenate(turns), np.concatenate(places))

    def _states(self, pour: Pour, numbers: np.ndarray, turns: np.ndarray, places: np.ndarray) -> np.ndarray:
        """State rows of bodies with the given poses, and the velocities of their group."""
        assembly, rows = self.assembly, np.zeros((len(numbers), STATE))
        if not len(numbers):
            return rows
        entry, own = assembly.world[pour.group], numbers - self._own[self.pours.index(pour)].start
        turn, spin = Rotation.from_matrix(turns @ assembly.axes[numbers]), np.asarray(entry.angular_velocity)[own]
        rows[:, PLACE] = places + (turns @ assembly.centre[numbers][:, :, None])[:, :, 0]
        rows[:, TURN], rows[:, VELOCITY] = turn.as_quat(), np.asarray(entry.velocity)[own]
        rows[:, MOMENTUM] = turn.apply(self._inertia[numbers, MOMENTS] * turn.apply(spin, inverse=True))
        return rows


def _shifts(periodic: Any) -> list[np.ndarray]:
    """Shifts of the box itself and of its neighbours."""
    found = [np.zeros(3)]
    for c, period in enumerate(periods_of(periodic)):
        if period > 0.0:
            found = [shift + k * period * np.eye(3)[c] for shift in found for k in (0, 1, -1)]
    return found


def _as_bodies(pieces: Any, low: np.ndarray, high: np.ndarray, turn: np.ndarray, place: np.ndarray) -> list[Any]:
    """Pieces of a body with this pose; a mesh wall as those of its triangles that are near the region."""
    found = []
    for piece in pieces:
        if not isinstance(piece.shape, MeshWall):
            found.append(piece)
            continue
        corners = piece.shape.points[piece.shape.triangles]
        placed = (corners @ piece.rotation.T + piece.position) @ turn.T + place
        near = (placed.min(axis=1) <= high).all(axis=1) & (placed.max(axis=1) >= low).all(axis=1)
        found += [piece._replace(shape=Hull(triangle)) for triangle in corners[near]]
    return found
