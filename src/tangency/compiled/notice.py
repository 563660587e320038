"""One line on standard error while code is compiled: that of the package, which is kept on disk, or a user's formulas.

Nothing is printed if everything is cached or came with the package, for compilations that take less than two seconds in
total, while a progress display is shown, and if the environment variable ``TANGENCY_QUIET`` is set.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from ..io import progress
from .cache import DiskCache, cache_folder, can_keep

PATIENCE = 2.0  # seconds of compilation before the line is printed


class Notice(event.Listener):
    """Prints the line once per process."""

    def __init__(self) -> None:
        self._spent, self._depth, self._began = 0.0, 0, 0.0
        self._timer: threading.Timer | None = None
        self._done = False

    def on_start(self, event: Any) -> None:
        """A function is about to be compiled; those it calls are compiled meanwhile."""
        if self._done or not isinstance(getattr(event.data["dispatcher"], "_cache", None), DiskCache):
            return
        self._depth += 1
        if self._depth == 1:
            self._began = time.monotonic()
            self._timer = threading.Timer(max(PATIENCE - self._spent, 0.0), self._print)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """A function has been compiled."""
        if self._depth == 0 or not isinstance(getattr(event.data["dispatcher"], "_cache", None), DiskCache):
            return
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._began

    def _print(self) -> None:
        if self._done:
            return
        where = "kept for later runs" if can_keep() else f"not kept, since {cache_folder()} is not writable"
        self._done = _say(f"compiling code at first use (half a minute to two minutes; {where})")


@contextmanager
def notice_of(name: str) -> Iterator[None]:
    """Print a line if this block, which compiles a user's formulas, takes long."""
    timer = threading.Timer(PATIENCE, _say, [f"compiling the formulas of {name} (once per process)"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(text: str) -> bool:
    """Print a line unless it is not wanted; whether it was printed."""
    if progress.shown() or os.environ.get("TANGENCY_QUIET", "0") not in ("", "0"):
        return False
    print(f"tangency: {text}", file=sys.stderr, flush=True)
    return True


def install() -> None:
    """Watch all compilations of this process."""
    event.register("numba:compile", Notice())
