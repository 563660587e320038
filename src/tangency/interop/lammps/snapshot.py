"""The state of a run that is distributed over ranks, put together in one place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...dynamics.assembly import Assembly
from ...dynamics.contact.columns import ELASTIC
from ...dynamics.extremes_kernel import EXTREMES
from ...dynamics.fast.tables import CONTACTS, FAILURES, LONGEST, MARK, TURNED
from ...dynamics.impacts import LASTS, SHAPE_A, SHAPE_B, TIME
from .migration import Known, joined


class Part(NamedTuple):
    """What one rank contributes."""

    numbers: np.ndarray  #: (K,) of its bodies, and of all that are not free
    y: np.ndarray  #: (K, STATE)
    forces: np.ndarray  #: (K, 6)
    works: np.ndarray  #: (K, 2)
    marks: np.ndarray  #: (K, MARK)
    pads: np.ndarray  #: (K,)
    known: Known  #: of the pairs that belong to it
    records: np.ndarray
    log: np.ndarray  #: impacts that ended
    totals: np.ndarray
    counts: np.ndarray
    extremes: np.ndarray


class Snapshot(NamedTuple):
    """The state of all bodies and pairs, in the order of their numbers: the same for any number of ranks."""

    steps: int
    y: np.ndarray  #: (N, STATE)
    forces: np.ndarray  #: (N, 6)
    works: np.ndarray  #: (N, 2) absorbed and external work of each body since the start [J]
    marks: np.ndarray  #: (N, MARK) places and quaternions when the list of pairs was made
    pads: np.ndarray  #: (N,) how far bodies may move from there
    known: Known
    records: np.ndarray
    log: np.ndarray
    totals: np.ndarray
    counts: np.ndarray
    extremes: np.ndarray


def joined_parts(assembly: Assembly, steps: int, parts: list[Part]) -> Snapshot:
    """All parts together."""
    count, width = len(assembly.names), parts[0].y.shape[1]
    y, forces, works = np.zeros((count, width)), np.zeros((count, 6)), np.zeros((count, 2))
    marks, pads = np.zeros((count, MARK)), np.zeros(count)
    for part in parts:
        y[part.numbers], marks[part.numbers], pads[part.numbers] = part.y, part.marks, part.pads
        forces[part.numbers] += part.forces  # contacts of a wall are divided among the ranks
        works[part.numbers] += part.works
    known, records = joined([part.known for part in parts]), np.concatenate([part.records for part in parts])
    order = np.lexsort((known.pairs[:, 1], known.pairs[:, 0]))
    log = np.concatenate([part.log for part in parts])
    log = log[np.lexsort((log[:, SHAPE_B], log[:, SHAPE_A], log[:, TIME] + log[:, LASTS]))]
    totals, counts = parts[0].totals.copy(), parts[0].counts.copy()
    for k in (LONGEST, TURNED):
        totals[k] = max(part.totals[k] for part in parts)
    totals[CONTACTS] = records[order, ELASTIC].sum()
    counts[FAILURES] = sum(part.counts[FAILURES] for part in parts)
    extremes = np.zeros(EXTREMES)
    for part in parts:
        for k in range(0, EXTREMES, 3):
            if tuple(part.extremes[k : k + 3]) > tuple(extremes[k : k + 3]):
                extremes[k : k + 3] = part.extremes[k : k + 3]
    state = y, forces, works, marks, pads, known.chosen(order), records[order]
    return Snapshot(steps, *state, log, totals, counts, extremes)
