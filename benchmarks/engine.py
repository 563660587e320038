"""The interface of an engine: a name, and a function that makes a timed loop over given pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .problems import Pairs


class Missing(Exception):
    """The engine cannot run here; the message says why."""


@dataclass(frozen=True)
class Run:
    """One pass over all pairs."""

    seconds: float  #: of the loop alone
    distance: np.ndarray  #: (N,) signed distances [m]; NaN where the engine returned none
    lower: np.ndarray | None = None  #: (N,) proved bounds, from engines that have them
    upper: np.ndarray | None = None
    converged: np.ndarray | None = None  #: (N,) as reported by the engine

    @property
    def answered(self) -> np.ndarray:
        """(N,) bool: a finite distance was returned (Coal marks failures with the largest double)."""
        return np.abs(np.nan_to_num(self.distance, nan=np.inf)) < 1e100

    @property
    def nanoseconds(self) -> float:
        """Per pair.  Pairs on which the engine crashes the process are not in the timed loop."""
        return 1e9 * self.seconds / max(1, len(self.distance))


Query = Callable[[], Run]


@dataclass(frozen=True)
class Engine:
    name: str
    prepare: Callable[[Pairs], Query]  #: constructs all objects; the query loops over the pairs
    slow: int = 1  #: divides the number of pairs
