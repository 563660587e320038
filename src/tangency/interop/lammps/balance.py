"""When the borders of the ranks should move, and what each body costs: ranks wait for the slowest one in every step.

Costs are measured times.  They decide where a body is computed, not how it moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.contact.columns import TOUCHING
from .holdings import Holdings

UNEVEN = 1.03  # time of the slowest rank, of the mean of all, above which they are balanced
AT_FIRST, LATER = 20, 250  # steps before the first time, and between two times
MOST_AT_ONCE = 1_000_000  # steps in one run of LAMMPS
LISTED = 0.2  # time of a pair that does not touch, of that of a contact: between 0.02 and 0.3 were measured


class Balance:
    """Times of one rank; every rank has one and calls the same methods.  Without a communicator, nothing is due."""

    def __init__(self, comm: Any) -> None:
        self._comm, self._next = comm, -1
        self.spent = np.zeros(2)  # since the last time, for bodies and for contacts [s]

    def until(self, steps: int) -> int:
        """After how many more steps to ask again whether the ranks, which have taken so many, should be balanced."""
        if self._next < 0:
            self._next = steps + AT_FIRST
        return MOST_AT_ONCE if self._comm is None else max(self._next - steps, 1)

    def is_due(self, steps: int) -> bool:
        """Whether to balance the ranks, which have taken so many steps."""
        if self._comm is None or not 0 <= self._next <= steps:
            return False
        self._next = steps + LATER
        times = np.array(self._comm.allgather(float(self.spent.sum())))
        due = bool(times.max() > UNEVEN * times.mean())
        if not due:
            self.spent[:] = 0.0
        return due

    def write_costs(self, held: Holdings) -> None:
        """Write what each body of this rank costs to the arrays of LAMMPS."""
        contacts = _contacts_of_bodies(held)
        sums = self._comm.allreduce(np.array([*self.spent, len(contacts), contacts.sum()]))
        body, contact = sums[:2] / np.maximum(sums[2:], 1.0)
        self.spent[:] = 0.0
        own = held.domain.at[held.domain.at >= 0]
        held.carrier.costs(len(own))[own] = body + contact * contacts


def _contacts_of_bodies(held: Holdings) -> np.ndarray:
    """Contacts of each body of this rank, with a share of a contact for each pair that does not touch."""
    domain, lists, count = held.domain, held.lists, held.pairs
    met = lists.contact_of[:count]
    share = np.where((met >= 0) & (lists.contacts.memory[met, TOUCHING] != 0.0), 1.0, LISTED)
    owner = np.repeat(np.arange(len(domain.numbers)), np.diff(domain.bodies.first_shape))
    return np.bincount(owner[lists.pairs[:count]].ravel(), np.repeat(share, 2), len(domain.numbers))[domain.own]
