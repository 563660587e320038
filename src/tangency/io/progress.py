"""Progress on standard error: nothing for two seconds, then a line every two seconds at most."""

from __future__ import annotations

import sys
import threading
import time
from typing import TextIO

_shown = 0  # displays that are open


def shown() -> bool:
    """Whether a progress display is open in this process."""
    return _shown > 0


class Progress:
    """Context manager that shows the current step while it lasts.

    Examples
    --------
    >>> from tangency.io.progress import Progress
    >>> with Progress() as progress:
    ...     progress.step("counting")
    """

    def __init__(self, every: float = 2.0, stream: TextIO | None = None) -> None:
        self._every = every
        self._stream = stream or sys.stderr
        self._text = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def step(self, text: str) -> None:
        """Set the current step to `text`."""
        self._text = text

    def __enter__(self) -> Progress:
        global _shown
        _shown += 1
        self._start = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        global _shown
        _shown -= 1
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        shown, quiet = "", 0
        while not self._over.wait(self._every):
            text = self._text
            quiet = quiet + 1 if text == shown else 0
            if text and quiet % 5 == 0:
                again = "still " if quiet else ""
                print(f"[{time.monotonic() - self._start:3.0f} s] {again}{text} ...", file=self._stream, flush=True)
                shown = text
