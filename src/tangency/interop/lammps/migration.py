"""What a body that changes its rank takes along: its velocities, its works, and all that is known of its contacts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.contact.columns import MEMORY, ROW
from ...dynamics.fast.tables import MARK
from ...dynamics.state import STATE

_BODY = 1 + STATE + 6 + 2 + MARK + 1  # number, and the fields of Luggage
_PAIR = 2 + ROW + MEMORY + 1  # shapes, row, memory, slack


class Known(NamedTuple):
    """Pairs of shapes, by their numbers in the world, and what is known of them."""

    pairs: np.ndarray  #: (K, 2)
    rows: np.ndarray  #: (K, ROW)
    memory: np.ndarray  #: (K, MEMORY)
    slack: np.ndarray  #: (K, 1)

    def chosen(self, which: np.ndarray) -> Known:
        """Selected pairs."""
        return Known(*(table[which] for table in self))

    def sorted(self) -> Known:
        """In the order of their shapes, each pair once."""
        order = np.lexsort((self.pairs[:, 1], self.pairs[:, 0]))
        pairs = self.pairs[order]
        first = np.ones(len(pairs), bool)
        first[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
        return self.chosen(order[first])


def no_pairs() -> Known:
    """No pairs."""
    return Known(np.zeros((0, 2), np.int64), np.zeros((0, ROW)), np.zeros((0, MEMORY)), np.zeros((0, 1)))


def joined(parts: list[Known]) -> Known:
    """All pairs of several tables."""
    return Known(*(np.concatenate(tables) for tables in zip(*parts)))


class Luggage(NamedTuple):
    """Bodies that change their rank."""

    numbers: np.ndarray  #: (K,)
    y: np.ndarray  #: (K, STATE)
    forces: np.ndarray  #: (K, 6)
    works: np.ndarray  #: (K, 2) since the start
    marks: np.ndarray  #: (K, MARK) where they were when the list of pairs was made
    pads: np.ndarray  #: (K, 1) how far they may move from there
    known: Known


def exchanged(comm: Any, luggage: Luggage, owner: np.ndarray, arriving: np.ndarray) -> Luggage:
    """Send bodies to the ranks where they arrive; every rank takes part.

    `owner` is the body of each shape of the world, `arriving` are the numbers of the bodies that are new on this rank.
    """
    wanted = comm.allgather(arriving)
    parcels = []
    for numbers in wanted:
        bodies = np.isin(luggage.numbers, numbers)
        pairs: Any = np.isin(owner[luggage.known.pairs], numbers).any(axis=1)
        table = [luggage.numbers[bodies, None], *(part[bodies] for part in luggage[1:-1])]
        parcels.append((np.concatenate(table, axis=1), np.concatenate(luggage.known.chosen(pairs), axis=1)))
    got = comm.alltoall(parcels)
    bodies = np.concatenate([np.zeros((0, _BODY)), *(parcel[0] for parcel in got)])
    pairs = np.concatenate([np.zeros((0, _PAIR)), *(parcel[1] for parcel in got)])
    number, y, forces, works, marks, pads = np.split(bodies, np.cumsum([1, STATE, 6, 2, MARK]), axis=1)
    shapes, rows, memory, slack = np.split(pairs, np.cumsum([2, ROW, MEMORY]), axis=1)
    known = Known(shapes.astype(np.int64), rows, memory, slack)
    return Luggage(number[:, 0].astype(np.int64), y, forces, works, marks, pads, known)
