"""Fit of a smooth periodic curve to measurements, repeated until the angles of the points and the bounds settle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...io.numbers import positive
from ..shapes.piecewise import PiecewiseShape
from .dwells import find_dwells, rounding_unit, stated_dwells, tuned
from .observed import Observer
from .penalised_spline import Bounds, Observations, bounded_coefficients, normal_equations, strength_for
from .periodic import FULL, Polynomials
from .pitch import Pitch
from .spline_basis import Basis, Dwell

MIN_KNOTS, MAX_KNOTS = 24, 360
ROUNDS, SEARCHING, CHOOSING = 30, 2, 4  # most rounds; the one that looks for dwells; those that choose the strength
SETTLED = 1e-3  # change of the curve in a round, in units of the scatter


@dataclass(frozen=True, repr=False)
class SmoothedCurve:
    """Outcome of smoothing measured points; ``str()`` describes it in words.

    Attributes
    ----------
    curve : Pitch or PiecewiseShape
        The smooth curve.
    residuals : (M,) array
        Distances of the points from it, in the order given, positive outside [m].
    scatter : float
        Estimated standard deviation of the measurement errors: the root of the sum of squared residuals over the
        number of points minus :attr:`freedom` [m].
    freedom : float
        Number of degrees of freedom that the curve used.
    active : int
        Number of angles at which the bound on the curvature holds the curve.
    tolerance : float or None
        The stated standard deviation [m].
    unit : str
        Of residuals, scatter and tolerance: "rad" for the angles of a swinging follower.
    dwells : (D, 2) array
        Angles at which the dwells begin and end [rad]; equal where a rise is followed by the return at once.
    """

    curve: Pitch | PiecewiseShape
    residuals: np.ndarray
    scatter: float
    freedom: float
    active: int
    tolerance: float | None
    unit: str = "m"
    dwells: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))

    def __repr__(self) -> str:
        return f"SmoothedCurve({self.curve!r}, {len(self.residuals)} points, scatter={self.scatter:.3g})"

    def __str__(self) -> str:
        largest, unit = np.abs(self.residuals).max(), self.unit
        text = (
            f"{len(self.residuals)} points lie within {largest:.3g} {unit} of the smooth curve, "
            f"with a standard deviation of {self.scatter:.3g} {unit}"
        )
        if self.tolerance is not None:
            text += f" (stated: {self.tolerance:.3g} {unit})"
        rests = [f"{a % 360.0:.4g} to {b % 360.0:.4g}" for a, b in np.degrees(self.dwells) if b > a]
        turns = [f"{a % 360.0:.4g}" for a, b in np.degrees(self.dwells) if b == a]
        if rests:
            text += f"; the follower rests from {' and from '.join(rests)} degrees"
        if turns:
            text += f"; it turns back with a bend of the acceleration at {' and '.join(turns)} degrees"
        return text + (f"; the curvature is at its bound at {self.active} angles." if self.active else ".")

    @property
    def pitch(self) -> Pitch:
        """The pitch function."""
        if not isinstance(self.curve, Pitch):
            raise AttributeError("a convex shape was fitted, see .shape")
        return self.curve

    @property
    def shape(self) -> PiecewiseShape:
        """The convex shape."""
        if not isinstance(self.curve, PiecewiseShape):
            raise AttributeError("a pitch function was fitted, see .pitch")
        return self.curve


Limit = Callable[[Basis, Polynomials], Bounds | None]


class Found(NamedTuple):
    """A fitted curve as a table, before it is given its type."""

    table: Polynomials
    residuals: np.ndarray
    freedom: float
    active: int
    dwells: tuple[Dwell, ...]

    @property
    def breaks(self) -> np.ndarray:
        """Angles at which the second or third derivative jumps."""
        return np.array([angle for dwell in self.dwells for angle in dwell[:2]]) % FULL

    def named(self, curve: Pitch | PiecewiseShape, order: np.ndarray, tolerance: float | None) -> SmoothedCurve:
        residuals = np.empty_like(self.residuals)
        residuals[order] = self.residuals
        left = max(len(residuals) - self.freedom, 1.0)
        scatter = float(np.sqrt((residuals**2).sum() / left))
        dwells = np.array([dwell[:2] for dwell in self.dwells]).reshape(-1, 2)
        return SmoothedCurve(curve, residuals, scatter, self.freedom, self.active, tolerance, dwells=dwells)


def smooth(
    observe: Observer | None,
    start: Observations,
    limit: Limit,
    tolerance: float | None,
    points: int,
    dwells: bool | np.ndarray,
) -> Found:
    """Fit, find the angles of the points and the bounds anew, and repeat until the curve settles."""
    if tolerance is not None:
        tolerance = positive(tolerance, "tolerance")
    elif observe is None:
        tolerance = rounding_unit(start.target) / np.sqrt(12.0) or None
    count = int(np.clip(points // 2, MIN_KNOTS, MAX_KNOTS))
    basis = Basis(count)
    mean = float(start.target.mean())  # the sums of squares are those of small numbers
    table, seen, strength, active = None, start, 0.0, 0
    for round_ in range(ROUNDS):
        if dwells is not False and round_ == (0 if observe is None else SEARCHING):
            basis = Basis(count, find_dwells(seen, count) if dwells is True else stated_dwells(seen, count, dwells))
        elif dwells is True and basis.dwells and round_ < CHOOSING:
            basis = Basis(count, tuned(seen, count, basis.dwells))
        system = normal_equations(basis, seen._replace(target=seen.target - mean))
        if round_ < CHOOSING:
            strength = strength_for(system, tolerance)
        coefficients = system.coefficients(strength) + mean
        bounds = limit(basis, table or basis.polynomials(coefficients))
        if bounds is not None:
            shifted = bounds._replace(lowest=bounds.lowest - mean * bounds.rows.sum(axis=1))
            coefficients, active = bounded_coefficients(system, strength, shifted)
            coefficients = coefficients + mean
        after = basis.polynomials(coefficients)
        rest = (seen.target - after.values(seen.alpha).value) * seen.weight
        moved = (
            np.inf if table is None else float(np.abs(table.values(after.knots).value - after.coefficients[:, 0]).max())
        )
        table = after
        if observe is not None:
            seen, rest = observe(table)
        elif bounds is None or active == 0:
            break
        if moved <= SETTLED * float(np.sqrt((rest**2).mean())) and round_ >= CHOOSING:
            break
    assert table is not None
    return Found(table, rest, system.scatter(strength)[1], active, basis.dwells)
