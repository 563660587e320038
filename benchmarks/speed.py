"""Ratios: tangency against Coal, and the half-space against the limits of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

from . import accuracy
from .engine import Engine, Query, Run
from .peers import tangency_
from .problems import Pairs, study_a, superellipsoids
from .table import Table, digits
from .timing import best

#: Bounds that differ by less than this, in sizes, are as good as the tolerance asks for.
POW_PER_SUPERELLIPSOID = 4  # two power norms, t**q and m = (1 + t**q)**(1/q) each
HEADER = ("what", "tangency, ns", "against", "ns", "ratio", "asked for", "failures")
REMARK = (
    "Ratio: how many times as fast as the other tangency is, or, where at most some factor is asked for, how many times "
    "its time tangency takes. All at 1e-12, best of five rounds in turns. Failures: of tangency, not converged or, "
    "where the truth is known, as above."
)


@dataclass(frozen=True)
class Race:
    """Two queries on the same pairs."""

    what: str
    ours: Query
    against: str
    theirs: Query
    pairs: Pairs
    asked: str = ""  #: ">= 25": theirs / ours; "<= 5": ours / theirs

    def row(self, runs: dict[tuple[str, bool], Run]) -> tuple[str, ...]:
        ours, theirs = runs[self.what, True], runs[f"{self.what} {self.against}", False]
        slower = self.asked.startswith("<=")
        ratio = ours.nanoseconds / theirs.nanoseconds
        assert ours.converged is not None
        known = self.pairs.distance is not None and len(self.pairs) == len(ours.distance)
        failed = accuracy.failures(ours, self.pairs) if known else ~ours.converged
        return (
            self.what, digits(ours.nanoseconds), self.against, digits(theirs.nanoseconds),
            digits(ratio if slower else 1 / ratio), self.asked, str(int(failed.sum())),
        )  # fmt: skip


def run_races(races: list[Race]) -> list[tuple[str, ...]]:
    """All of one group take turns; what two races share is run once."""
    queries: dict[tuple[str, bool], Query] = {}
    for race in races:
        queries[race.what, True] = race.ours
        queries[f"{race.what} {race.against}", False] = race.theirs
    runs = best(queries)
    return [race.row(runs) for race in races]
