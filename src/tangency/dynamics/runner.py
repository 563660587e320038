"""Common interface of both integration modes, as `simulate` uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from .assembly import Assembly
from .frames import Frame, Instant

Look = Callable[[Instant | None], None]


class Runner(Protocol):
    """Integrates the motion of a world."""

    assembly: Assembly
    log: list[np.ndarray]  #: rows of finished contacts, see `impacts`

    def start(self, record: Callable[[Frame], None]) -> None:
        """Pass the frame at time 0 to `record`."""

    def advance(self, times: np.ndarray, record: Callable[[Frame], None], look: Look) -> None:
        """Integrate to the last of `times`, and pass the frame at each to `record`.

        Call `look` now and then in between: with an instant, or with None if only the log has changed.
        """

    def open_contacts(self) -> np.ndarray:
        """Rows of the impact log for contacts that still last."""

    def counts(self) -> dict[str, int]:
        """Numbers of steps and failed contacts, and other counts of the mode."""

    def warnings(self) -> list[str]:
        """Warnings about motion that this mode did not resolve well enough."""

    def checkpoint(self) -> dict[str, np.ndarray]:
        """The complete state."""

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Resume from the arrays of `checkpoint`."""
