"""What an engine is to the benchmarks: a name, and a way to make a timed loop over given pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .problems import Pairs


class Missing(Exception):
    """The engine cannot run here; the message is a sentence that says why."""


@dataclass(frozen=True)
class Run:
    """One pass over all pairs."""

    seconds: float  #: of the loop alone
    distance: np.ndarray  #: (N,) signed distances [m]; NaN where the engine gave none
    lower: np.ndarray | None = None  #: (N,) proved bounds, from engines that have them
    upper: np.ndarray | None = None
    converged: np.ndarray | None = None  #: (N,) what the engine itself says

    @property
    def answered(self) -> np.ndarray:
        """(N,) bool: a finite distance came back (Coal marks failures with the largest double)."""
        return np.abs(np.nan_to_num(self.distance, nan=np.inf)) < 1e100

    @property
    def nanoseconds(self) -> float:
        """Per pair.  Pairs on which the engine brings down the process are not in the timed loop."""
        return 1e9 * self.seconds / max(1, len(self.distance))


Query = Callable[[], Run]


@dataclass(frozen=True)
class Engine:
    name: str
    prepare: Callable[[Pairs], Query]  #: makes all objects; the query loops over the pairs
    slow: int = 1  #: gets this many times fewer pairs than the others
