"""The energy balance of a run while it goes on: largest energies so far, largest rise of the energy, and when."""

from __future__ import annotations

import numpy as np

from .assembly import Assembly
from .impacts import DISSIPATED, HELD, LASTS, LOG, Impacts
from .state import PLACE
from .trajectory import ENERGIES
from .validity import is_brief

FAST_GAIN = 0.01  # relative energy gain allowed in fast mode, its stated accuracy
ACCURATE_GAIN = 1e-6  # the same in accurate mode, or
TIMES_RTOL = 1000.0  # times its tolerance, whichever is larger
ROUNDING = 64.0 * np.finfo(float).eps  # relative error of a position: bodies that touch by it only gain no energy
NEGLIGIBLE = 1e-3  # of the energy to lift a body by its radius: less is not worth a warning while a run goes on

# Numbers of a watch: largest dissipated energy so far and its time; largest rise of the energy since then, its start
# and its end; largest sum of kinetic, elastic and spring energy; smallest and largest gravitational energy; smallest
# and largest work; energy released by contacts beyond what they absorbed; largest energy of a contact; number of
# samples; factor on the limit; number of contacts that ended, and of those that were too short for the step.
_TOP, _TOP_TIME, RISE, FROM, TO, _MOVED, _LOW, _HIGH, _WORK_LOW, _WORK_HIGH = range(10)
_GAIN, _HARDEST, _SAMPLES, _FACTOR, ENDED, BRIEF = range(10, 16)
WATCH = 16
_KINETIC, _GRAVITATIONAL, _ELASTIC, _SPRINGS, _DISSIPATED, _WORK = range(len(ENERGIES))


class EnergyWatch:
    """Follows the energies of a run, at every frame, after every few hundred fast steps, and when contacts end."""

    def __init__(self, assembly: Assembly, rtol: float | None, step: float = 0.0) -> None:
        self._step = step  # 0 if steps adapt to contacts
        self.allowed = FAST_GAIN if rtol is None else max(ACCURATE_GAIN, TIMES_RTOL * rtol)
        self.numbers = np.zeros(WATCH)  # the complete state, for checkpoints
        self.numbers[_FACTOR] = 1.0
        weight = assembly.masses.mass * np.linalg.norm(assembly.gravity)
        self._least = NEGLIGIBLE * float((weight * assembly.reach).max(initial=0.0))
        extent = float(np.abs(assembly.start[:, PLACE]).max(initial=0.0) + assembly.reach.max(initial=0.0))
        jitter = ROUNDING * extent / step if step > 0.0 else 0.0  # [m/s]
        self._rounding = float(assembly.masses.mass.sum()) * float(jitter) * float(jitter)  # [J]
        self._rows = 0  # rows of the impact log that were counted

    def sample(self, time: float, energies: list[float]) -> None:
        """Note the energies of an instant, in the order of `ENERGIES`."""
        n, lost = self.numbers, energies[_DISSIPATED]
        held = energies[_KINETIC] + energies[_ELASTIC] + energies[_SPRINGS]
        height, work = energies[_GRAVITATIONAL], energies[_WORK]
        if n[_SAMPLES] == 0.0:
            n[[_TOP, _TOP_TIME, _LOW, _HIGH, _WORK_LOW, _WORK_HIGH]] = lost, time, height, height, work, work
        n[_SAMPLES] += 1.0
        n[_MOVED] = max(n[_MOVED], held)
        n[_LOW], n[_HIGH] = min(n[_LOW], height), max(n[_HIGH], height)
        n[_WORK_LOW], n[_WORK_HIGH] = min(n[_WORK_LOW], work), max(n[_WORK_HIGH], work)
        if lost >= n[_TOP]:
            n[_TOP], n[_TOP_TIME] = lost, time
        elif n[_TOP] - lost > n[RISE]:
            n[RISE], n[FROM], n[TO] = n[_TOP] - lost, n[_TOP_TIME], time

    def contacts_ended(self, log: list[np.ndarray]) -> None:
        """Count the new rows of the impact log."""
        if len(log) == self._rows:
            return
        rows, n = np.array(log[self._rows :]).reshape(-1, LOG), self.numbers
        lost, held = rows[:, DISSIPATED], rows[:, HELD]
        n[_HARDEST] = max(n[_HARDEST], held.max())
        for gain in lost[lost < -self.allowed * held].tolist():  # few; in the order of time, as sums round
            n[_GAIN] -= gain
        n[ENDED] += len(rows)
        n[BRIEF] += int(is_brief(rows[:, LASTS], self._step).sum())
        self._rows = len(log)

    def forget(self) -> None:
        """The rows that were counted are no longer in the log."""
        self._rows = 0

    @property
    def largest(self) -> float:
        """Largest energy that was moved or stored, or that passed through [J]."""
        n = self.numbers
        return float(max(n[_MOVED], n[_HARDEST], n[_HIGH] - n[_LOW], n[_WORK_HIGH] - n[_WORK_LOW], self._rounding))

    def due(self) -> bool:
        """Whether the energy has risen so far that a closer look is worth its time."""
        n = self.numbers
        limit = self.allowed * max(self.largest, self._least)
        return max(n[RISE], n[_GAIN]) > n[_FACTOR] * limit

    def found(self, lasting: Impacts) -> bool:
        """Whether the energy has risen so far that there is a warning, with the contacts that last."""
        n = self.numbers
        given = np.where(lasting.dissipated < -self.allowed * lasting.energy, -lasting.dissipated, 0.0).sum()
        largest = max(self.largest, float(lasting.energy.max(initial=0.0)))
        return bool(max(n[RISE], n[_GAIN] + given) > self.allowed * largest)

    def put_off(self) -> None:
        """Nothing was found: look again when the energy has risen twice as far."""
        self.numbers[_FACTOR] *= 2.0
