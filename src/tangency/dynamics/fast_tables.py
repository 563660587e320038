"""What the loop of the fast mode keeps from call to call: list of pairs, bodies, clock, totals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..compiled.jit import jit
from .contact_memory import MEMORY
from .contact_record import RECORD
from .contact_row import ROW
from .tables import ContactTables

# Totals that go from step to step: work absorbed by contacts and springs and work from outside [J], elastic
# energies of contacts and springs, path since the list of pairs was made, contacts that did not converge,
# rows of the impact log, longest way and largest turn of a body in one step.
WORK, OUTER, CONTACTS, SPRINGS, PATH, FAILURES, LOGGED, LONGEST, TURNED = range(9)
WORKS = slice(WORK, OUTER + 1)
TOTALS = 9
# How a run of steps ends: as asked, the list of pairs is full, a number is not finite, the impact log may get full.
DONE, FULL, NOT_FINITE, LOG_FULL = 0, 1, 2, 3


class Clock(NamedTuple):
    """How many steps, of which length, after how many."""

    steps: int
    h: float  #: [s]
    before: int  #: steps that were done before


class FastBodies(NamedTuple):
    """Bodies and the forces on them."""

    y: np.ndarray  #: (N, STATE)
    forces: np.ndarray  #: (N, WRENCH) of the last step
    extra: np.ndarray  #: (N, WRENCH) loads of the user
    reach: np.ndarray  #: (N,) radii about the centres of mass
    moved: np.ndarray  #: (N,) whether nothing is known of how far a body comes in a step


class PairLists(NamedTuple):
    """Pairs of shapes that may touch soon, with room for the next list."""

    contacts: ContactTables
    spare_pairs: np.ndarray
    spare_rows: np.ndarray
    spare_memory: np.ndarray
    order: np.ndarray  #: of the shapes in the last sweep


def pair_lists(room: int, order: np.ndarray) -> PairLists:
    """Empty lists with room for so many pairs."""
    first, spare = ((np.zeros((room, 2), np.int64), np.zeros((room, ROW)), np.zeros((room, MEMORY))) for _ in range(2))
    return PairLists(ContactTables(*first, np.zeros((room, RECORD))), *spare, order)


def grown(lists: PairLists, room: int) -> PairLists:
    """The same lists with more room."""
    old = lists.contacts
    new = pair_lists(max(room, math.ceil(1.5 * len(old.pairs))), lists.order)
    for before, after in zip(old, new.contacts):
        after[: len(before)] = before
    return new


@jit
def named_lists(lists):
    """The :class:`PairLists` of which `plain` was made."""
    found = PairLists(*lists)
    contacts = ContactTables(*found.contacts)
    return PairLists(contacts, found.spare_pairs, found.spare_rows, found.spare_memory, found.order)
