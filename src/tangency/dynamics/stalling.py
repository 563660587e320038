"""Detection of runs in accurate mode that would never end, because their steps shrink to nothing."""

from __future__ import annotations

WINDOW = 1000  # attempted steps after which progress is assessed
CREEP = 1e-4  # smallest advance in that many steps, in durations of a contact
TINY = 1e-6  # a step this short, in durations of a contact, resolves nothing smooth
MAX_TINY = 250  # such steps in a window


class Stalling:
    """Counts the steps of a run, refused ones included, across contacts that start and end."""

    def __init__(self, time: float) -> None:
        self._since, self._steps, self._tiny = time, 0, 0

    def step(self, time: float, length: float, lasts: float) -> str:
        """Note a step of some length that ended at `time`; `lasts` is the duration of the briefest contact.

        Returns the beginning of a sentence if the last steps were so short that the run would never end, else ''.
        """
        self._steps += 1
        self._tiny += length < TINY * lasts
        if self._tiny <= MAX_TINY and self._steps < WINDOW:
            return ""
        steps, way, tiny = self._steps, time - self._since, self._tiny
        self._since, self._steps, self._tiny = time, 0, 0
        if tiny <= MAX_TINY and way >= CREEP * lasts:
            return ""
        return f"{steps} steps advance by only {way:.2g} s at t = {time:.9g} s"
