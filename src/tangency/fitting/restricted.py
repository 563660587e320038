"""A model with bounds, fixed and tied parameters: still linear in its free parameters.

Lengths enter the form of a named model (``models.py``) by their logarithms and exponents by e = 2/g.  A tie
b = k a then adds log k, and g2 = k g1 divides by k; both keep the form linear.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .limits import Limits
from .models import EXPONENT, LOG, Model

SAME = 1e-12  # relative width below which a range is a single value


class _Impossible(Exception):
    """No body of this branch satisfies the limits."""


class Rows:
    """The linear map values = base + matrix @ s with the ranges of s, changed step by step."""

    def __init__(
        self, names: tuple[str, ...], base: np.ndarray, matrix: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> None:
        self.names = list(names)
        self.base, self.matrix = base.astype(float).copy(), matrix.astype(float).copy()
        self.low, self.high = low.astype(float).copy(), high.astype(float).copy()

    def tie(self, row: int, factor: float, offset: float, of: int) -> None:
        """Require value[row] = factor * value[of] + offset."""
        change = factor * self.matrix[of] - self.matrix[row]
        rest = factor * self.base[of] + offset - self.base[row]
        self._require(change, rest)

    def fix(self, row: int, value: float) -> None:
        """Require value[row] = value."""
        self._require(-self.matrix[row], value - self.base[row])

    def _require(self, change: np.ndarray, rest: float) -> None:
        """Require change @ s + rest = 0, by elimination of the parameter with the largest coefficient."""
        if not np.abs(change).max(initial=0.0) > 1e-14:
            if abs(rest) > 1e-9 * (1.0 + np.abs(self.base).max()):
                raise _Impossible
            return
        # The last of equal ones: the tied parameter disappears and the one that it follows keeps its name.
        k = len(change) - 1 - int(np.abs(change[::-1]).argmax())
        others = -change / change[k]
        others[k] = 0.0
        constant = -rest / change[k]
        low, high = self.low[k], self.high[k]
        if not others.any() and not low - 1e-9 <= constant <= high + 1e-9:
            raise _Impossible
        self.base += self.matrix[:, k] * constant
        self.matrix += np.outer(self.matrix[:, k], others)
        for j in np.flatnonzero(others):
            if np.count_nonzero(others) == 1:
                self._narrow(int(j), (low - constant) / others[j], (high - constant) / others[j])
        self._drop(k)

    def bound(self, row: int, low: float, high: float) -> None:
        """Keep low <= value[row] <= high, for a row that depends on one parameter at most."""
        used = np.flatnonzero(self.matrix[row])
        if not len(used):
            slack = 1e-9 * (1.0 + abs(self.base[row]))
            if not low - slack <= self.base[row] <= high + slack:
                raise _Impossible
            return
        k, slope = int(used[0]), self.matrix[row, used[0]]
        self._narrow(k, (low - self.base[row]) / slope, (high - self.base[row]) / slope)

    def _narrow(self, k: int, first: float, second: float) -> None:
        self.low[k] = max(self.low[k], min(first, second))
        self.high[k] = min(self.high[k], max(first, second))
        if self.low[k] > self.high[k] + SAME * (1.0 + abs(self.low[k])):
            raise _Impossible

    def settle(self) -> None:
        """Remove parameters whose range is a single value."""
        for k in reversed(range(len(self.names))):
            if np.isfinite(self.low[k]) and self.high[k] - self.low[k] <= SAME * (1.0 + abs(self.low[k])):
                self.base += self.matrix[:, k] * self.low[k]
                self._drop(k)

    def _drop(self, k: int) -> None:
        del self.names[k]
        self.matrix = np.delete(self.matrix, k, axis=1)
        self.low, self.high = np.delete(self.low, k), np.delete(self.high, k)


def restricted(model: Model, limits: Limits, scale: float) -> Model | None:
    """The model within limits given in units of which the cloud's size is `scale`; None if no body is left."""
    places, how = model.how()
    place, kind = dict(zip(model.shown, places)), dict(zip(model.shown, how))
    rows = Rows(model.names, model.base, model.matrix, model.low, model.high)

    def value(name: str, given: float) -> float:
        if kind[name] == LOG:
            return math.log(given / scale) if 0.0 < given < math.inf else math.copysign(math.inf, given - 1e-300)
        if kind[name] == EXPONENT:
            return 2.0 / given if given > 0.0 else math.inf
        return given

    try:
        for tie in limits.ties:
            if kind[tie.name] != kind[tie.of]:
                raise ValueError(f"ties must join two lengths, exponents or tapers, got {tie.name} and {tie.of}")
            if kind[tie.name] != "plain" and tie.factor < 0.0:
                raise ValueError(f"ties of lengths and exponents must have a factor > 0, got {tie.factor!r}")
            if kind[tie.name] == LOG:
                rows.tie(place[tie.name], 1.0, math.log(tie.factor), place[tie.of])
            else:
                factor = 1.0 / tie.factor if kind[tie.name] == EXPONENT else tie.factor
                rows.tie(place[tie.name], factor, 0.0, place[tie.of])
        for name, given in limits.fixed.items():
            if kind[name] != "plain" and not given > 0.0:
                raise ValueError(f"fixed[{name!r}] must be > 0, got {given!r}")
            rows.fix(place[name], value(name, given))
        for name, (low, high) in limits.bounds.items():
            ends = value(name, low), value(name, high)
            rows.bound(place[name], min(ends), max(ends))
        rows.settle()
    except _Impossible:
        return None
    return replace(
        model,
        names=tuple(rows.names),
        base=rows.base,
        matrix=rows.matrix,
        low=rows.low,
        high=rows.high,
        limits=limits,
        scale=scale,
    )


def restrict_plain(rows: Rows, shown: tuple[str, ...], limits: Limits) -> bool:
    """Apply limits to parameters that are the values themselves; False if nothing is left."""
    place = {name: k for k, name in enumerate(shown)}
    try:
        for tie in limits.ties:
            rows.tie(place[tie.name], tie.factor, 0.0, place[tie.of])
        for name, value in limits.fixed.items():
            rows.fix(place[name], value)
        for name, (low, high) in limits.bounds.items():
            rows.bound(place[name], low, high)
        rows.settle()
    except _Impossible:
        return False
    return True
