"""Detection of runs in accurate mode that would never end, because their steps shrink to nothing."""

from __future__ import annotations

import math

WINDOW = 1000  # attempted steps after which progress is assessed
CREEP = 1e-4  # smallest advance in that many steps, in durations of a contact
TINY = 1e-6  # a step this short, in durations of a contact, resolves nothing smooth
MAX_TINY = 250  # such steps in a window
CRAWL = 1e-7  # smallest advance in a window, relative to the simulated time


class Stalling:
    """Counts the steps of a run, refused ones included, across contacts that start and end."""

    def __init__(self) -> None:
        self._since, self._steps, self._tiny = -1.0, 0, 0

    def step(self, time: float, length: float, lasts: float, until: float) -> str:
        """Note a step of some length from `time`; `lasts` is the duration of the briefest contact, if any.

        Returns a sentence with a place {} for the contact if the run would never end, else ''.
        """
        if self._since < 0.0:
            self._since = time
        self._steps += 1
        self._tiny += lasts < math.inf and length < TINY * lasts
        if self._tiny <= MAX_TINY and self._steps < WINDOW:
            return ""
        steps, way, tiny = self._steps, time - self._since, self._tiny
        self._since, self._steps, self._tiny = time, 0, 0
        said = f"{steps} steps advance by only {way:.2g} s at t = {time:.9g} s{{}}"
        if tiny > MAX_TINY or (lasts < math.inf and way < CREEP * lasts):
            return (
                f"{said}: its force jumps between places, or friction is too stiff for the method; split a body "
                "jammed between two walls into several shapes, use the method 'Radau' or a larger speed for stiff "
                "friction, or use the fast mode"
            )
        if way < CRAWL * until:
            return (
                f"{said}, and {until:.3g} s would take more than {WINDOW / CRAWL:.0e} of them: check the stiffness, "
                "damping and units of springs, loads and contacts, simulate a shorter time, or use the method 'Radau'"
            )
        return ""
