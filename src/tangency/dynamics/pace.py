"""How fast a run goes and how long it will still take, for the progress line."""

from __future__ import annotations

import time

SOON = 2.0  # seconds of the clock before anything is said


class Pace:
    """The pace of a run since it was started or resumed."""

    def __init__(self, frame: int, frames: int, steps: int) -> None:
        self._start, self._frame, self._frames, self._steps = time.monotonic(), frame, frames, steps

    def text(self, frame: int, steps: int, bodies: int) -> str:
        """Steps of bodies per second and the remaining time, as a part of a sentence; nothing in the first seconds."""
        spent, done = time.monotonic() - self._start, frame - self._frame
        if spent < SOON or done < 1:
            return ""
        left = spent * (self._frames - frame) / done
        rate = (steps - self._steps) * bodies / spent
        return f"; {rate:.3g} body-steps/s, {_duration(left)} left"


def _duration(seconds: float) -> str:
    """A duration in its largest unit, and the next smaller one for hours."""
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    minutes = seconds / 60.0
    return f"{minutes:.0f} min" if minutes < 100.0 else f"{int(minutes // 60)} h {int(minutes % 60)} min"
