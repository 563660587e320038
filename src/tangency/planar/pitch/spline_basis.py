"""Quintic splines of one turn, which may rest in dwells and bend where a dwell ends."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb, factorial
from typing import NamedTuple

import numpy as np

from .periodic import FULL, Polynomials

DEGREE = 5
NODES, WEIGHTS = np.polynomial.legendre.leggauss(3)  # points per piece, exact for the square of a piecewise quadratic
FEWEST = 4  # knot intervals between two dwells


class Dwell(NamedTuple):
    """A part of the turn in which the follower rests.

    At its ends a derivative jumps: the third (3) where the acceleration begins at zero, as for cycloidal motion, or
    the second (2) where it begins at once, as for harmonic motion.
    """

    start: float  #: [rad], from 0 to 2 pi
    end: float  #: [rad], larger than start
    at_start: int = 3
    at_end: int = 3


class Stretch(NamedTuple):
    """Quintic B-splines on a part of the turn, and what they contribute to the functions of a basis."""

    start: float
    width: float
    knots: np.ndarray  # from start, with those outside on which the splines at both ends depend
    share: np.ndarray  # (splines, functions)

    def rows(self, alpha: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
        """Which of the angles lie here, and a derivative of all functions there."""
        from scipy.interpolate import BSpline

        at = (alpha - self.start) % FULL
        here = at < self.width
        return here, BSpline.construct_fast(self.knots, self.share, DEGREE)(at[here], order)

    @property
    def pieces(self) -> np.ndarray:
        """Where the pieces begin, from start."""
        inside = self.knots[DEGREE:-DEGREE]
        return inside[:-1]


class Basis:
    """Quintic B-splines on about `count` even knots of one turn, constant in the dwells."""

    def __init__(self, count: int, dwells: Sequence[Dwell] = ()) -> None:
        self.count, self.dwells = count, tuple(sorted(dwells))
        self._stretches = self._between() if self.dwells else [self._closed()]
        starts = [stretch.start + stretch.pieces for stretch in self._stretches]
        self.knots = np.unique(np.concatenate([*starts, [dwell.start for dwell in self.dwells]]) % FULL)
        self.widths = np.diff(self.knots, append=self.knots[0] + FULL)
        self.size = self._stretches[0].share.shape[1]  # number of functions

    def _closed(self) -> Stretch:
        step = FULL / self.count
        # The first and last splines reach over the seam: they are the same functions.
        share = np.eye(self.count)[np.arange(self.count + DEGREE) % self.count]
        return Stretch(0.0, FULL, np.arange(-DEGREE, self.count + DEGREE + 1) * step, share)

    def _between(self) -> list[Stretch]:
        after = [*self.dwells[1:], self.dwells[0]]
        widths = [(b.start - a.end) % FULL for a, b in zip(self.dwells, after)]
        intervals = [max(FEWEST, round(width * self.count / FULL)) for width in widths]
        inner = [n + DEGREE - a.at_end - b.at_start for n, a, b in zip(intervals, self.dwells, after)]
        total = len(self.dwells) + sum(inner)
        stretches, first = [], len(self.dwells)
        for k, (a, b) in enumerate(zip(self.dwells, after)):
            even = np.linspace(0.0, widths[k], intervals[k] + 1)
            knots = np.concatenate([np.zeros(DEGREE), even, np.full(DEGREE, widths[k])])
            share = np.zeros((intervals[k] + DEGREE, total))
            # A constant is the sum of all splines; with equal coefficients of the first three, it is left smoothly.
            share[: a.at_end, k] = 1.0
            share[len(share) - b.at_start :, (k + 1) % len(self.dwells)] = 1.0
            share[a.at_end : len(share) - b.at_start, first : first + inner[k]] = np.eye(inner[k])
            first += inner[k]
            stretches.append(Stretch(a.end % FULL, widths[k], knots, share))
        return stretches

    def rows(self, alpha: np.ndarray, order: int = 0) -> np.ndarray:
        """(M, size) values of a derivative of all basis functions."""
        rows, free = np.zeros((len(alpha), self.size)), np.ones(len(alpha), dtype=bool)
        for stretch in self._stretches:
            here, values = stretch.rows(alpha, order)
            rows[here] = values
            free &= ~here
        if order == 0 and free.any():
            resting = np.flatnonzero(free)
            from_start = np.stack([(alpha[resting] - dwell.start) % FULL for dwell in self.dwells])
            rows[resting, from_start.argmin(axis=0)] = 1.0
        return rows

    @cached_property
    def roughness(self) -> np.ndarray:
        """Matrix of the integral of the squared third derivative; what jumps between pieces does not count."""
        alpha = self.knots[:, None] + 0.5 * (NODES + 1.0) * self.widths[:, None]
        rows = self.rows(alpha.ravel(), 3) * np.sqrt(0.5 * self.widths[:, None] * WEIGHTS).ravel()[:, None]
        return rows.T @ rows

    @cached_property
    def _powers(self) -> np.ndarray:
        """(6, pieces, size) coefficients of the powers of the part of each piece, which runs from 0 to 1."""
        middle = self.knots + 0.5 * self.widths  # no doubt about the piece to which it belongs
        series = [self.rows(middle, k) * (self.widths**k / factorial(k))[:, None] for k in range(DEGREE + 1)]
        shift = [
            [comb(k, j) * (-0.5) ** (k - j) if k >= j else 0.0 for k in range(DEGREE + 1)] for j in range(DEGREE + 1)
        ]
        return np.einsum("jk,kpc->jpc", np.array(shift), np.array(series))

    @cached_property
    def bernstein_of_radius(self) -> np.ndarray:
        """(6 pieces, size) Bernstein coefficients of value + second derivative in each piece.

        A polynomial is nowhere below the smallest of them, so bounds on them hold everywhere.
        """
        powers = self._powers.copy()
        for k in range(DEGREE - 1):
            powers[k] += (k + 1) * (k + 2) * self._powers[k + 2] / self.widths[:, None] ** 2
        change = [[comb(j, m) / comb(DEGREE, m) for m in range(DEGREE + 1)] for j in range(DEGREE + 1)]
        return np.einsum("jk,kpc->pjc", np.array(change), powers).reshape(-1, self.size)

    def polynomials(self, coefficients: np.ndarray) -> Polynomials:
        """The spline as pieces between its knots."""
        return Polynomials(self.knots, (self._powers @ coefficients).T / self.widths[:, None] ** np.arange(DEGREE + 1))
