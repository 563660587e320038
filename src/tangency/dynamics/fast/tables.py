"""Data that the loop of the fast mode keeps between calls: list of pairs, bodies, clock, totals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import jit
from ..contact.columns import MEMORY, RECORD, ROW
from ..tables import ContactTables

# Totals over all steps: work absorbed by contacts and springs and external work [J], elastic energies of
# contacts and springs, path since the list of pairs was made, contacts that did not converge, rows of the
# impact log, largest displacement and largest rotation of a body in one step.
WORK, OUTER, CONTACTS, SPRINGS, PATH, FAILURES, LOGGED, LONGEST, TURNED = range(9)
WORKS = slice(WORK, OUTER + 1)
TOTALS = 9
# Outcome of a call: all steps done, list of pairs full, a number not finite, impact log nearly full, a law that
# returned a number that is not finite.
DONE, FULL, NOT_FINITE, LOG_FULL, LAW_FAULT = 0, 1, 2, 3, 4


class Clock(NamedTuple):
    """Number and length of the steps, and number of earlier steps."""

    steps: int
    h: float  #: [s]
    before: int  #: steps done before


class FastBodies(NamedTuple):
    """Bodies and the forces on them."""

    y: np.ndarray  #: (N, STATE)
    forces: np.ndarray  #: (N, WRENCH) of the last step
    extra: np.ndarray  #: (N, WRENCH) user-defined loads
    reach: np.ndarray  #: (N,) radii about the centres of mass
    moved: np.ndarray  #: (N,) whether there is no bound on the displacement of a body in a step


class PairLists(NamedTuple):
    """Pairs of shapes that may touch soon, with space for the next list."""

    contacts: ContactTables
    spare_pairs: np.ndarray
    spare_rows: np.ndarray
    spare_memory: np.ndarray


def pair_lists(room: int) -> PairLists:
    """Empty lists with space for `room` pairs."""
    first, spare = ((np.zeros((room, 2), np.int64), np.zeros((room, ROW)), np.zeros((room, MEMORY))) for _ in range(2))
    return PairLists(ContactTables(*first, np.zeros((room, RECORD))), *spare)


def grown(lists: PairLists, room: int) -> PairLists:
    """The same lists with space for `room` pairs."""
    old = lists.contacts
    new = pair_lists(max(room, math.ceil(1.5 * len(old.pairs))))
    for before, after in zip(old, new.contacts):
        after[: len(before)] = before
    return new


@jit
def named_lists(lists):
    """The :class:`PairLists` from the result of `plain`."""
    found = PairLists(*lists)
    contacts = ContactTables(*found.contacts)
    return PairLists(contacts, found.spare_pairs, found.spare_rows, found.spare_memory)
