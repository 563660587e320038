"""Periodic smoothing splines with bounds on a combination of value and second derivative.

The spline (`spline_basis`) minimises

    sum of (weight (value - target))^2 + strength * integral of (third derivative)^2,

so that its second derivative, on which curvature and inertia forces depend, is smooth.  The strength is chosen for
the least expected error (Mallows' criterion or cross-validation).  Bounds make it a convex quadratic programme,
solved by Lawson and Hanson's reduction to nonnegative least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

CAUTION = 1.4  # degrees of freedom count more in cross-validation, which otherwise follows the noise at times


class Observations(NamedTuple):
    """Measured values of a periodic function."""

    alpha: np.ndarray  #: (M,) angles [rad]
    target: np.ndarray  #: (M,) values [m]
    weight: np.ndarray  #: (M,) change of the measured distance by that of the value; 1 if the value is the distance


class Bounds(NamedTuple):
    """Linear requirements on the coefficients of a spline: rows @ coefficients >= lowest."""

    rows: np.ndarray  #: (N, K)
    lowest: np.ndarray  #: (N,)


class SplineLike(Protocol):
    """A basis of functions of an angle."""

    @property
    def roughness(self) -> np.ndarray:
        """Matrix of the integral of the squared third derivative."""

    def rows(self, alpha: np.ndarray, /) -> np.ndarray:
        """(M, K) values of all functions."""


class Smoothing(NamedTuple):
    """A system of normal equations, diagonal in the coordinates of `modes`."""

    modes: np.ndarray  # (K, K), columns with modes^T (X^T X + unit * roughness) modes = 1
    share: np.ndarray  # (K,) part of X^T X in each mode, from 0 to 1
    unit: float
    data: np.ndarray  # (K,) X^T y in these modes
    size: int  # number of observations
    square: float  # y^T y

    def coefficients(self, strength: float) -> np.ndarray:
        """Without bounds."""
        return self.modes @ (self.data / self.stiffness(strength))

    def stiffness(self, strength: float) -> np.ndarray:
        """Diagonal of the normal equations."""
        return self.share + strength / self.unit * (1.0 - self.share)

    def scatter(self, strength: float) -> tuple[float, float]:
        """Sum of squared residuals, and the number of degrees of freedom used."""
        answer = self.data / self.stiffness(strength)
        rest = self.square - 2.0 * answer @ self.data + (answer * answer) @ self.share
        return max(float(rest), 0.0), float((self.share / self.stiffness(strength)).sum())


def normal_equations(basis: SplineLike, seen: Observations) -> Smoothing:
    """The system of a set of observations."""
    from scipy.linalg import eigh

    x, y = basis.rows(seen.alpha) * seen.weight[:, None], seen.target * seen.weight
    gram, roughness = x.T @ x, basis.roughness
    unit = float(np.trace(gram) / np.trace(roughness)) * 1e-3
    # Where data are missing, the roughness keeps the sum regular.
    share, modes = eigh(gram, gram + unit * roughness)
    return Smoothing(modes, np.clip(share, 0.0, 1.0), unit, modes.T @ (x.T @ y), len(y), float(y @ y))


def strength_for(system: Smoothing, tolerance: float | None) -> float:
    """Strength with the least expected error, for errors of the standard deviation `tolerance`.

    Mallows' criterion if the tolerance is known and the data scatter no more than that, otherwise generalised
    cross-validation.
    """

    def validation(power: float) -> float:
        rest, used = system.scatter(system.unit * 10.0**power)
        return rest / (system.size - CAUTION * used) ** 2 if CAUTION * used < 0.95 * system.size else np.inf

    def mallows(power: float) -> float:
        rest, used = system.scatter(system.unit * 10.0**power)
        return rest + 2.0 * used * variance

    score, variance = validation, 0.0
    if tolerance is not None:
        rest, used = system.scatter(_lowest(validation, system.unit))
        variance = max(tolerance**2, rest / (system.size - used))
        score = mallows
    return _lowest(score, system.unit)


def _lowest(score: Callable[[float], float], unit: float) -> float:
    """Strength unit * 10^power with the lowest score."""
    from scipy.optimize import minimize_scalar

    powers = np.linspace(-12.0, 14.0, 105)
    k = int(np.clip(np.argmin([score(power) for power in powers]), 1, len(powers) - 2))
    return float(unit * 10.0 ** minimize_scalar(score, bounds=(powers[k - 1], powers[k + 1]), method="bounded").x)


def bounded_coefficients(system: Smoothing, strength: float, bounds: Bounds) -> tuple[np.ndarray, int]:
    """Coefficients that satisfy the bounds, and the number of bounds that are active.

    The distance from the free solution, in the norm of the normal equations, is minimised (least distance
    programming: Lawson and Hanson, Solving Least Squares Problems, chapter 23).
    """
    from scipy.optimize import nnls

    root = np.sqrt(system.stiffness(strength))
    free = system.data / root
    rows = bounds.rows @ system.modes / root
    short = bounds.lowest - rows @ free
    if not (short > 0).any():
        return system.modes @ (free / root), 0
    length = np.linalg.norm(rows, axis=1)
    if (short[length == 0.0] > 0).any():
        raise ValueError("no smooth curve satisfies the bounds on its curvature; lower smallest_radius")
    rows, short, length = rows[length > 0.0], short[length > 0.0], length[length > 0.0]
    rows, short = rows / length[:, None], short / length
    scale = float(short.max())
    matrix = np.vstack([rows.T, short / scale])
    goal = np.append(np.zeros(len(free)), 1.0)
    multipliers, _ = nnls(matrix, goal, maxiter=20 * matrix.shape[1])
    rest = matrix @ multipliers - goal
    if not rest[-1] < -1e-12:
        raise ValueError("no smooth curve satisfies the bounds on its curvature; lower smallest_radius")
    return system.modes @ ((free - scale * rest[:-1] / rest[-1]) / root), int((multipliers > 0).sum())
