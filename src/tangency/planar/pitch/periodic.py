"""Periodic functions of an angle with two derivatives: the representation of pitch functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...io import validate

FULL = 2.0 * np.pi
SHORT = 1e-4  # [rad] step of differences
SIDE = 1e-12  # [rad] from a break, where one-sided second derivatives are evaluated


class Values(NamedTuple):
    """A function and its first two derivatives."""

    value: np.ndarray
    first: np.ndarray
    second: np.ndarray


class PeriodicFunction:
    """A 2 pi-periodic function g(alpha) with g' and g''.

    Parameters
    ----------
    function : callable
        ``function(alpha)`` returns g, g' and g'' for an array of angles between 0 and 2 pi.
    breaks : array_like
        Angles at which a higher derivative jumps; between them g is smooth.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import planar
    >>> wave = planar.PeriodicFunction(lambda a: (2 + np.cos(a), -np.sin(a), -np.cos(a)))
    >>> float(wave(2 * np.pi).value)
    3.0
    """

    def __init__(self, function: Callable[[np.ndarray], Sequence[ArrayLike]], breaks: ArrayLike = ()) -> None:
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        self._function = function
        self.breaks = np.unique(validate.array(breaks, "breaks") % FULL)

    def __call__(self, alpha: ArrayLike) -> Values:
        alpha = np.asarray(alpha, dtype=float)
        try:
            g, g1, g2 = self._function(alpha % FULL)
        except (TypeError, ValueError) as error:
            raise type(error)(f"function must return g, g' and g'' for an array of angles, but: {error}") from error
        # A constant piece may return one number for all angles.
        return Values(*(np.broadcast_to(np.asarray(v, dtype=float), alpha.shape) for v in (g, g1, g2)))

    def polynomials(self, per_turn: int = 720) -> Polynomials:
        """Quintic pieces that match g, g' and g'' at evenly spaced angles and at the breaks."""
        knots = np.unique(np.concatenate([np.arange(per_turn) * (FULL / per_turn), self.breaks]))
        # Knots that are too close would lose accuracy; the breaks themselves must stay.
        near = np.searchsorted(self.breaks, knots)
        others = [self.breaks[np.clip(near - k, 0, len(self.breaks) - 1)] for k in (0, 1)] if len(self.breaks) else []
        free = np.array([(np.abs(knots - b) > 1e-6) | (knots == b) for b in others]).all(axis=0)
        return hermite(knots[free] if others else knots, self, self.breaks)

    def require_continuous(self, name: str, derivative: bool = False) -> None:
        """Raise a ValueError that names the angle if g jumps at a joint of its pieces or after a full turn.

        With `derivative`, also if g' jumps.
        """
        size = float(np.abs(self(np.arange(720) * (FULL / 720)).value).max())
        for order in range(1 + derivative):
            jump, where = self._largest_jump(order)
            if abs(jump) > 1e-6 * size:
                place = "alpha = 2 pi, where the next turn starts" if where is None else f"alpha = {where:.6g}"
                what = ("it", "its derivative")[order]
                raise ValueError(f"{name} must be continuous, but {what} jumps by {jump:.6g} at {place}")

    def require_derivatives(self, name: str) -> None:
        """Raise a ValueError that names the angle if g, g' or g'' is not finite, or not the derivative of the other."""
        alpha = np.union1d((np.arange(720) + 0.37) * (FULL / 720), self.breaks)
        values = self(alpha)
        for what, v in zip(("g", "g'", "g''"), values):
            if not np.isfinite(v).all():
                worst = int((~np.isfinite(v)).argmax())
                raise ValueError(
                    f"{name} must give finite numbers, but {what} is {v[worst]} at alpha = {alpha[worst]:.6g}"
                )
        before, after = self(alpha - 0.5 * SHORT), self(alpha + 0.5 * SHORT)
        size = float(np.abs(values.value).max())
        for order, (what, other) in enumerate((("g'", "g"), ("g''", "g'"))):
            change, slope = after[order] - before[order], values[order + 1]
            miss = np.abs(change - SHORT * slope)
            scale = max(float(np.abs(change).max()), SHORT * float(np.abs(slope).max()))
            # Next to a break, or a joint of pieces that is not listed as one, the slope may differ.
            wrong = (miss > 1e-3 * scale + 1e-12 * size) & ~np.isin(alpha, self.breaks)
            if wrong.sum() > 2:
                worst = int((miss * wrong).argmax())
                raise ValueError(
                    f"{name} must return g, g' and g'', but {what} is not the derivative of {other}: at alpha = "
                    f"{alpha[worst]:.6g} it is {slope[worst]:.6g} instead of {change[worst] / SHORT:.6g}"
                )

    def _largest_jump(self, order: int) -> tuple[float, float | None]:
        """The largest jump of g (order 0) or g' (1) found by bisection, and its angle; None for the full turn."""
        edges = np.union1d(np.arange(721) * (FULL / 720), self.breaks)
        edges[-1] = np.nextafter(FULL, 0.0)
        low, high = edges[:-1], edges[1:]

        def step(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            # The part of the change between a and b that a smooth function cannot explain.
            one, two = self(a), self(b)
            return np.abs(two[order] - one[order] - 0.5 * (b - a) * (one[order + 1] + two[order + 1]))

        for _ in range(36):
            middle = 0.5 * (low + high)
            left = step(low, middle) > step(middle, high)
            low, high = np.where(left, low, middle), np.where(left, middle, high)
        end = self(np.array([0.0, edges[-1]]))[order]
        jump = np.append(self(high)[order] - self(low)[order], end[0] - end[1])
        jump[~np.isfinite(jump)] = 0.0
        worst = int(np.abs(jump).argmax())
        return float(jump[worst]), float(high[worst]) if worst < len(high) else None


class Polynomials(NamedTuple):
    """Piecewise polynomials over one turn, for compiled code."""

    knots: np.ndarray  #: (M,) ascending angles; the last piece ends one turn after the first knot
    coefficients: np.ndarray  #: (M, K) of (alpha - knots[j])**k

    def values(self, alpha: np.ndarray) -> Values:
        at = self.knots[0] + (np.asarray(alpha) - self.knots[0]) % FULL
        k = np.clip(np.searchsorted(self.knots, at, side="right") - 1, 0, None)
        t = at - self.knots[k]
        g, g1, g2 = np.zeros_like(t), np.zeros_like(t), np.zeros_like(t)
        for column in self.coefficients.T[::-1]:
            g, g1, g2 = g * t + column[k], g1 * t + g, g2 * t + 2.0 * g1
        return Values(g, g1, g2)


def hermite(knots: np.ndarray, function: Callable[[np.ndarray], Values], breaks: np.ndarray) -> Polynomials:
    """The quintic interpolant of g, g' and g'' at ascending knots within one turn.

    At knots in `breaks`, where g'' may jump, each piece uses the g'' of its own side.
    """
    f, d, s = function(knots)
    before = s.copy()
    at = np.flatnonzero(np.isin(knots, breaks))
    if len(at):
        s = s.copy()
        s[at], before[at] = function(knots[at] + SIDE).second, function(knots[at] - SIDE).second
    after = np.roll(np.arange(len(knots)), -1)
    h = np.diff(np.append(knots, knots[0] + FULL))
    a = f[after] - f - h * (d + 0.5 * h * s)
    b = h * (d[after] - d - h * s)
    c = h * h * (before[after] - s)
    high = [(10 * a - 4 * b + 0.5 * c) / h**3, (-15 * a + 7 * b - c) / h**4, (6 * a - 3 * b + 0.5 * c) / h**5]
    return Polynomials(knots, np.stack([f, d, 0.5 * s, *high], axis=-1))


def from_pieces(starts: ArrayLike, pieces: list[Callable[[np.ndarray], Sequence[ArrayLike]]]) -> PeriodicFunction:
    """Periodic function made of pieces; piece k starts at ``starts[k]`` and ends where the next one starts.

    Each piece is a function that returns g, g' and g'', as in Römer 2-D, Eq. (90).  A ValueError names the
    angle at which pieces do not join.
    """
    starts = validate.array(starts, "starts")
    strange = [piece for piece in pieces if not callable(piece)]
    if strange:
        raise TypeError(f"pieces must be functions that return g, g' and g'', got {strange[0]!r}")
    if starts.ndim != 1 or len(starts) != len(pieces) or not (np.diff(starts) > 0).all():
        raise ValueError(f"starts must be {len(pieces)} ascending angles, one for each piece, got {starts.tolist()}")
    if starts[-1] - starts[0] >= FULL:
        raise ValueError(f"starts must span less than 2 pi, got {starts.tolist()}")

    def function(alpha: np.ndarray) -> Values:
        shape, alpha = alpha.shape, starts[0] + (np.atleast_1d(alpha) - starts[0]) % FULL
        which = np.searchsorted(starts, alpha, side="right") - 1
        out = np.empty((3, *alpha.shape))
        for k, piece in enumerate(pieces):
            here = which == k
            if here.any():
                for row, part in zip(out, piece(alpha[here])):
                    row[here] = part
        return Values(*(row.reshape(shape) for row in out))

    joined = PeriodicFunction(function, starts)
    joined.require_continuous("pieces")
    return joined
