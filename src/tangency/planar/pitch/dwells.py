"""Dwells in measured motions: parts of the turn in which a follower rests.

A smoothing spline rounds the place where a dwell ends and the third derivative of the motion jumps, and follows the
noise within the dwell.  With the dwell as a constant, and a jump at its ends, it does neither.  A dwell is accepted if
cross-validation then predicts the measurements clearly better.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .penalised_spline import CAUTION, Observations, normal_equations, strength_for
from .periodic import FULL
from .spline_basis import Basis, Dwell

SAMPLES = 720  # of the turn; more measurements are averaged
CERTAIN, POINT = 12.0, 6.0  # least gain in M log(cross-validation) for a dwell, and for a point
BOTH, ONE, KEPT = 6.0, 8.0, 3.0  # further gains for jumps of the second derivative: at both ends, one more, one less
LEVEL = 8.0  # range of the smooth curve in a dwell, in standard errors of the curve
LEAST_KNOTS, MOST_KNOTS = 60, 180
POWERS = np.linspace(-12.0, 14.0, 105)  # of ten: strengths to choose from
NARROW = tuple(np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]) / n for n in (8.0, 32.0))  # trials of an end [steps]
WIDE = (np.linspace(-8.0, 8.0, 33), *NARROW)
Levels = tuple[np.ndarray, ...]
FEWEST, SHORT = 6.0, 30.0  # least steps in a dwell and between dwells; most steps for what may be a point instead
SETTLED, HOPELESS = 0.5, 100.0  # least gain for another round; loss that no search makes good


def find_dwells(seen: Observations, count: int) -> tuple[Dwell, ...]:
    """Dwells in a motion with measurement errors, in ascending order."""
    search = Search(_averaged(seen), min(count, MOST_KNOTS))
    for dwell in search.candidates():
        search.offer(dwell)
    search.polish()
    return search.dwells


def stated_dwells(seen: Observations, count: int, ends: np.ndarray) -> tuple[Dwell, ...]:
    """Dwells whose ends are known, with the derivatives that jump there."""
    search = Search(
        _averaged(seen),
        min(count, MOST_KNOTS),
        tuple(Dwell(float(a % FULL), float(a % FULL + (b - a))) for a, b in ends),
    )
    search.choose_jumps(())
    return search.dwells


def tuned(seen: Observations, count: int, dwells: tuple[Dwell, ...]) -> tuple[Dwell, ...]:
    """The same dwells with ends that fit other observations."""
    search = Search(_averaged(seen), min(count, MOST_KNOTS))
    for k in range(len(dwells)):
        for end in ("start", "end"):
            dwells, _ = search.tune(dwells, k, end, NARROW)
    return dwells


def rounding_unit(values: np.ndarray) -> float:
    """The unit of a table whose values are multiples of it, or 0 if they are not."""
    size = float(np.abs(values).max())
    steps = np.diff(np.unique(values))
    steps = steps[steps > 1e-11 * size]
    if len(steps) == 0 or len(steps) > 0.9 * len(values):
        return 0.0
    parts = steps / steps.min()
    return float(steps.min()) if np.abs(parts - parts.round()).max() < 1e-3 else 0.0


def _averaged(seen: Observations) -> Observations:
    order = np.argsort(seen.alpha % FULL)
    alpha, target, weight = (seen.alpha % FULL)[order], seen.target[order], seen.weight[order] ** 2
    if len(alpha) > SAMPLES:
        start = np.unique(np.searchsorted(alpha, np.arange(SAMPLES) * (FULL / SAMPLES)).clip(max=len(alpha) - 1))
        total = np.add.reduceat(weight, start)
        alpha, target = (np.add.reduceat(v * weight, start) / total for v in (alpha, target))
        weight = total
    return Observations(alpha, target - target.mean(), np.sqrt(weight))


@dataclass
class Search:
    """Trials of dwells in a set of observations."""

    seen: Observations
    count: int
    dwells: tuple[Dwell, ...] = ()
    score: float = field(init=False)
    _known: dict[tuple[Any, ...], float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.step = FULL / min(len(self.seen.alpha), 360)
        # Rounded values in a dwell have equal errors, which cannot be seen, but are as large as the others.
        unit, y = rounding_unit(self.seen.target), self.seen.target
        equal = np.maximum(np.abs(y - np.roll(y, 1)), np.abs(y - np.roll(y, -1))) < 0.5 * unit
        self.hidden = float(equal.sum()) * unit**2 / 12.0
        self.score = self.validate(self.dwells)

    def validate(self, dwells: tuple[Dwell, ...]) -> float:
        """M log(cross-validation) with the best strength; infinite if dwells or motions are too short."""
        key = self.count, dwells  # a search ends with a round in which nothing moves: all its trials are known
        if key not in self._known:
            self._known[key] = self._validated(dwells) if self.apart(dwells) else np.inf
        return self._known[key]

    def _validated(self, dwells: tuple[Dwell, ...]) -> float:
        system = normal_equations(Basis(self.count, dwells), self.seen)
        system = system._replace(square=system.square + self.hidden)
        stiffness = system.share + 10.0 ** POWERS[:, None] * (1.0 - system.share)
        answer = system.data / stiffness
        rest = system.square - 2.0 * answer @ system.data + (answer * answer) @ system.share
        left = system.size - CAUTION * (system.share / stiffness).sum(axis=1)
        few = left < 0.05 * system.size
        score = np.log(np.maximum(rest, 1e-300 + 1e-16 * system.square) / np.where(few, 1.0, left) ** 2)
        return system.size * float(np.where(few, np.inf, score).min())

    def candidates(self) -> list[Dwell]:
        """Parts in which the smooth curve is constant within its error, longest first, and extremes of the curve."""
        basis = Basis(self.count)
        system = normal_equations(basis, self.seen)
        strength = strength_for(system, None)
        rest, used = system.scatter(strength)
        error = np.sqrt(rest / max(len(self.seen.alpha) - used, 1.0) * used / len(self.seen.alpha))
        alpha = np.arange(SAMPLES) * (FULL / SAMPLES)
        value = basis.polynomials(system.coefficients(strength)).values(alpha).value
        # Trials need no finer knots than the curve's freedom asks for.
        self.count = min(self.count, max(LEAST_KNOTS, int(3.0 * used)))
        self.score = self.validate(self.dwells)
        found: list[Dwell] = []
        free = np.ones(SAMPLES, dtype=bool)
        while True:
            first, length = _longest(value, free, LEVEL * error)
            if length * FULL / SAMPLES < FEWEST * self.step or length == SAMPLES:
                break
            found.append(Dwell(float(alpha[first]), float(alpha[first]) + (length - 1) * FULL / SAMPLES))
            free[np.arange(first, first + length) % SAMPLES] = False
        slope = value - np.roll(value, 1)
        turns = np.flatnonzero((slope * np.roll(slope, -1) < 0) & free)
        return found + [Dwell(float(alpha[k]), float(alpha[k])) for k in turns]

    def offer(self, dwell: Dwell) -> None:
        """Keep a dwell, or a point at which the motion turns back, if it improves the prediction."""
        width, middle = dwell.end - dwell.start, 0.5 * (dwell.start + dwell.end)
        starts = [] if width == 0.0 else [dwell]
        if width < SHORT * self.step:
            starts.append(Dwell(middle, middle))
        k, best, level = len(self.dwells), self.dwells, self.score
        for start in starts:
            for order in (3, 2):
                cost = (POINT if start.start == start.end else CERTAIN) + BOTH * (3 - order)
                dwells, score = self.tuned_ends((*self.dwells, start._replace(at_start=order, at_end=order)), k)
                if score + cost < level:
                    best, level = dwells, score + cost
        if best is not self.dwells:
            self.dwells, self.score = best, self.validate(best)

    def polish(self) -> None:
        """Choose the ends of all dwells anew, and the derivatives that jump there."""
        for k in range(len(self.dwells) if len(self.dwells) > 1 else 0):
            self.dwells, self.score = self.tuned_ends(self.dwells, k)
        self.choose_jumps(WIDE)

    def choose_jumps(self, levels: Levels) -> None:
        """Choose the derivatives that jump at the ends of all dwells; each end may move then."""
        for k in range(len(self.dwells)):
            for order, end in (("at_start", "start"), ("at_end", "end")):
                now = getattr(self.dwells[k], order)
                trial, score = self.tune(_with(self.dwells, k, **{order: 5 - now}), k, end, levels)
                if score < self.score + (KEPT if now == 2 else -ONE):
                    self.dwells, self.score = trial, score

    def apart(self, dwells: tuple[Dwell, ...]) -> bool:
        """Whether dwells and the motions between them are long enough."""
        around = sorted(dwells)
        gaps = [(b.start - a.end) % FULL for a, b in zip(around, around[1:] + around[:1])]
        widths = [dwell.end - dwell.start for dwell in dwells]
        whole = abs(sum(gaps) + sum(widths) - FULL) < 1e-6  # otherwise they overlap
        return not dwells or (whole and min([*gaps, *(w for w in widths if w)]) > FEWEST * self.step)

    def tuned_ends(self, dwells: tuple[Dwell, ...], k: int) -> tuple[tuple[Dwell, ...], float]:
        """Move both ends of dwell k in turn until the prediction does not improve."""
        before, score = np.inf, self.validate(dwells)
        if score > self.score + HOPELESS:
            return dwells, np.inf
        while not score > before - SETTLED:
            if before < np.inf and score > self.score:
                return dwells, np.inf
            before = score
            for end in ("start", "end")[: 1 if dwells[k].start == dwells[k].end else 2]:
                dwells, score = self.tune(dwells, k, end, WIDE)
                if score > self.score + HOPELESS:
                    return dwells, np.inf
        return dwells, score

    def tune(self, dwells: tuple[Dwell, ...], k: int, end: str, levels: Levels) -> tuple[tuple[Dwell, ...], float]:
        """Move an end of dwell k, or a point as a whole, to where the prediction is best, and the score there.

        The score has a valley at the end and, from there into the dwell, a plateau: so it is scanned.
        """
        score = self.validate(dwells)
        ends = ("start", "end") if dwells[k].start == dwells[k].end else (end,)
        for offsets in levels:
            at = getattr(dwells[k], end)
            trials = [_with(dwells, k, **dict.fromkeys(ends, at + offset * self.step)) for offset in offsets]
            scores = [self.validate(trial) for trial in trials]
            if min(scores) < score:
                score = min(scores)
                dwells = trials[scores.index(score)]
        return dwells, score


def _with(dwells: tuple[Dwell, ...], k: int, **changes: Any) -> tuple[Dwell, ...]:
    dwell = dwells[k]._replace(**changes)
    start = dwell.start % FULL
    return (*dwells[:k], dwell._replace(start=start, end=start + (dwell.end - dwell.start)), *dwells[k + 1 :])


def _longest(value: np.ndarray, free: np.ndarray, span: float) -> tuple[int, int]:
    """First index and length of the longest free run around the turn within which the values differ by at most span."""
    count, best, first = len(value), (0, 0), 0
    twice, open_ = np.concatenate([value, value]), np.concatenate([free, free])
    for last in range(2 * count):
        if not open_[last]:
            first = last + 1
            continue
        while np.ptp(twice[first : last + 1]) > span:
            first += 1
        if last + 1 - first > best[1]:
            best = (first % count, min(last + 1 - first, count))
    return best
