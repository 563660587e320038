"""Ctrl-C while ranks work together: noted, until all of them can stop in the same step.

Python would raise wherever it is.  In a callback of LAMMPS the exception would be lost and with it the step; between
two messages of MPI the other ranks would wait forever.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interrupts:
    """A context in which keyboard interrupts are noted instead of raised; handlers of the user's own stay."""

    def __init__(self) -> None:
        self.noted = False
        self._replaced = 0  # contexts, one within the other

    def __enter__(self) -> Interrupts:
        if self._replaced:
            self._replaced += 1
        elif threading.current_thread() is threading.main_thread() and _is_default():
            signal.signal(signal.SIGINT, self._note)
            self._replaced = 1
        return self

    def __exit__(self, *error: object) -> None:
        if self._replaced:
            self._replaced -= 1
            if not self._replaced:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.noted = True


def _is_default() -> bool:
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler
