"""The tables of one rank: its own bodies, those of other ranks near them, and all that are not free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...dynamics.assembly import Assembly
from ...dynamics.fast.initial_bodies import fast_bodies
from ...dynamics.fast.lane_batch import lane_addresses
from ...dynamics.fast.numbering import Chosen, bodies_of, chosen, world_of
from ...dynamics.fast.tables import FLOCK, FastBodies
from ...dynamics.tables import Shapes, WorldTables, plain
from ...dynamics.wrenches import no_wrenches

_SHAPES, _EXTREMES, _FAULT = (WorldTables._fields.index(name) for name in ("shapes", "extremes", "fault"))
_POSES = Shapes._fields.index("poses")


class Domain(NamedTuple):
    """Rows of one rank, in the order of the numbers of the bodies: forces are then added in the same order anywhere."""

    numbers: np.ndarray  #: (R,) numbers of the bodies in the world, ascending
    mine: np.ndarray  #: (M,) rows that are integrated here: bodies of this rank, and all that are not free
    at: np.ndarray  #: (M,) their indices in the arrays of LAMMPS, -1 for those that are not free
    others: np.ndarray  #: (G,) rows of bodies of other ranks
    others_at: np.ndarray  #: (G,) their indices in the arrays of LAMMPS
    shapes: np.ndarray  #: (P,) numbers of the shapes in the world
    bodies: FastBodies
    world: tuple  #: `WorldTables` as plain tuples
    works: np.ndarray  #: (R, 2) absorbed and external work of each body since the start [J]

    @property
    def poses(self) -> np.ndarray:
        """(P, 12) of the shapes in the world."""
        return self.world[_SHAPES][_POSES]

    @property
    def extremes(self) -> np.ndarray:
        """Largest values of contacts so far, with rows of shapes."""
        return self.world[_EXTREMES]

    @property
    def fault(self) -> np.ndarray:
        """The last law that returned a number that is not finite."""
        return self.world[_FAULT]

    @property
    def own(self) -> np.ndarray:
        """Rows of the bodies of this rank."""
        return self.mine[self.at >= 0]


class Whole:
    """The tables of the whole world, from which those of a rank are taken."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.world: WorldTables = assembly.tables(lane_addresses(assembly.shapes.sort))
        self.bodies = fast_bodies(assembly)._replace(extra=no_wrenches(len(assembly.names)))  # LAMMPS writes loads
        self.first = self.bodies.first_shape
        self.fixed = np.flatnonzero(~assembly.free)
        classes = len(self.world.law_of)
        # Bodies of other ranks, and bodies that are not free, touch only those of this rank.
        self._laws = np.full((2 * classes, 2 * classes), -1, np.int64)
        self._laws[:classes, :classes] = self.world.law_of
        self._laws[:classes, classes:] = self.world.law_of
        self._laws[classes:, :classes] = self.world.law_of

    def domain(self, own: np.ndarray, own_at: np.ndarray, others: np.ndarray, others_at: np.ndarray) -> Domain:
        """Tables for bodies of this rank and of others, given by number and index; states are those of the start."""
        everyone = np.concatenate([own, others, self.fixed])
        order = np.argsort(everyone, kind="stable")
        numbers, row = everyone[order], np.empty(len(order), np.int64)
        row[order] = np.arange(len(order))
        some = chosen(self.first, numbers)
        bodies = bodies_of(self.bodies, some)._replace(flocks=np.zeros((1, FLOCK)))
        mine = np.concatenate([row[: len(own)], row[len(own) + len(others) :]])
        at = np.concatenate([own_at, np.full(len(self.fixed), -1)]).astype(np.int64)
        sorted_rows = np.argsort(mine)
        foreign = np.ones(len(numbers), bool)
        foreign[row[: len(own)]] = False
        return Domain(
            numbers=numbers,
            mine=mine[sorted_rows],
            at=at[sorted_rows],
            others=row[len(own) : len(own) + len(others)],
            others_at=others_at.astype(np.int64),
            shapes=some.shapes,
            bodies=bodies,
            world=plain(self._tables(some, foreign)),
            works=np.zeros((len(numbers), 2)),
        )

    def _tables(self, some: Chosen, foreign: np.ndarray) -> WorldTables:
        world = world_of(self.world, some)
        return world._replace(
            labels=np.arange(len(some.shapes)),
            class_of=world.class_of + foreign * len(world.law_of),
            law_of=self._laws,
            extremes=np.zeros_like(world.extremes),
            fault=np.zeros_like(world.fault),
        )
