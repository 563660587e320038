"""What both kinds of integration have in common: how `simulate` drives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from .assembly import Assembly
from .record import Frame
from .trajectory import Trajectory


class Runner(Protocol):
    """A world on its way through time."""

    assembly: Assembly
    log: list[np.ndarray]  #: rows of the contacts that are over, see `impacts`

    def start(self, record: Callable[[Frame], None]) -> None:
        """Give `record` the frame at time 0."""

    def advance(self, times: np.ndarray, record: Callable[[Frame], None]) -> None:
        """Integrate to the last of `times`, and give `record` the frame at each."""

    def open_contacts(self) -> np.ndarray:
        """Rows of the log, of the contacts that are not over yet."""

    def counts(self) -> dict[str, int]:
        """Steps, contacts that failed, and what else the mode counts."""

    def warnings(self, run: Trajectory) -> list[str]:
        """Sentences on what this mode did not follow closely enough."""

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state."""

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`."""
