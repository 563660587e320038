"""Recordings of the lab as pages: what is drawn, with its times, in one HTML file that loads nothing."""

from __future__ import annotations

import time
from typing import Any

LONGEST = 600.0  # seconds; a page holds every update


class Recording:
    """A recording under way.

    Parameters
    ----------
    server : viser.ViserServer
    """

    def __init__(self, server: Any) -> None:
        self._serializer = server.get_scene_serializer()
        self._begin = self._last = time.monotonic()

    @property
    def full(self) -> bool:
        """Whether it is as long as it may get."""
        return time.monotonic() - self._begin > LONGEST

    def tick(self) -> None:
        """Let the time since the last call pass in the recording."""
        now = time.monotonic()
        self._serializer.insert_sleep(now - self._last)
        self._last = now

    def page(self) -> str:
        """The page; ends the recording."""
        self.tick()
        return self._serializer.as_html()
