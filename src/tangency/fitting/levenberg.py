"""Least squares with bounds and walls, by the Levenberg-Marquardt method.

Every step solves a small problem exactly: the linearised residuals with the bounds and the walls (quantities that must
not become negative) that are active for this step.  A solution on a bound or at a wall is then reached as quickly as
any other.  All iterates are admissible, from the start on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .bounded_step import bounded_step, normal_equations

MU, LEAST_MU, MOST_MU = 1e-3, 1e-13, 1e12
MIN_GAIN = 1e-13  # relative to the sum of squares: a possible gain too small for a step
MIN_GAIN_AT_WALLS = 1e-9  # the same for a solution that walls hold: along curved ones steps are short
MIN_GAIN_IN_VARIANCES = 0.01  # possible gain in units of the residuals' variance: a tenth of a standard error
ROUNDING_SQUARED = 1e-28  # square of a residual due to rounding, for clouds of size one
MOST_ROUNDING_SQUARED = 1e-25  # the same for cones and others whose distances are less exact: such a gain is none
FLATTEST = 0.1  # fraction of its weight that an outlier keeps in the curvature of a robust loss
CORRECTIONS, HALVES = 4, 5  # for curved walls


class Walls(Protocol):
    """Quantities that must not become negative, near one z."""

    @property
    def values(self) -> np.ndarray:
        """Values of the quantities."""

    @property
    def slopes(self) -> np.ndarray:
        """Their derivatives."""

    def misses(self, z: np.ndarray) -> np.ndarray:
        """Violation of these walls by z (<= 0)."""


class System(Protocol):
    """The problem to minimise."""

    def allowed(self, z: np.ndarray) -> bool:
        """Whether z may be an iterate."""

    def residuals(self, z: np.ndarray) -> np.ndarray:
        """Residuals at an admissible z."""

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Derivatives of the residuals, for the z of the last accepted step."""

    def walls(self, z: np.ndarray) -> Walls:
        """Walls around the z of the last accepted step."""


@dataclass(frozen=True)
class Minimum:
    """Result of the minimisation."""

    z: np.ndarray
    cost: float
    gain: float  # predicted relative reduction of `cost` by another full step
    converged: bool
    pressed: bool  # whether walls constrain the solution
    active: np.ndarray  # unknowns constrained by a bound


def minimise(
    system: System,
    z: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    reach: np.ndarray | float = np.inf,
    loss: str = "linear",
    scale: float = 1.0,
    budget: int = 200,
    rough: bool = False,
) -> Minimum:
    """Local minimum of half the sum of squares, starting from z.

    `reach` is the longest step of each unknown; a rough solution is converged, but no better.
    """
    z = np.clip(z, low, high)
    if not system.allowed(z):
        return Minimum(z, np.inf, np.inf, False, False, np.zeros(len(z), bool))
    r = system.residuals(z)
    cost = half_sum(r, loss, scale)
    mu, raise_mu, used = MU, 2.0, 1
    stretch = np.zeros(len(z))
    rounding = ROUNDING_SQUARED * len(r)
    while True:
        matrix, vector = _normal(system.slopes(z), r, loss, scale)
        stretch = np.maximum(stretch, np.sqrt(np.diag(matrix)))
        unit = np.where(stretch > 0, stretch, 1.0)
        near_low, near_high = np.maximum(low, z - reach), np.minimum(high, z + reach)
        linear = _Step(matrix, vector, unit, system.walls(z), z, near_low, near_high)
        full = linear.solve(LEAST_MU)
        gain, pressed = linear.gain(full), linear.pressed
        enough = MIN_GAIN_IN_VARIANCES / len(r) if rough else MIN_GAIN_AT_WALLS if pressed else MIN_GAIN
        done = gain <= enough * cost + rounding
        while not done and used < budget:
            trial = linear.inside(mu, system)
            promised = 0.0 if trial is None else linear.gain(trial - z)
            if trial is not None and promised > 0.0:
                found = system.residuals(trial)
                used += 1
                new = half_sum(found, loss, scale)
                if new < cost:
                    ratio = (cost - new) / promised
                    mu = max(mu * max(1 / 9, 1 - (2 * ratio - 1) ** 3), LEAST_MU)
                    raise_mu = 2.0
                    break
            mu, raise_mu = mu * raise_mu, 2.0 * raise_mu
            if mu > MOST_MU:
                done = True
        else:
            done = True
        if done:
            little = MIN_GAIN_IN_VARIANCES * cost / len(r) + MOST_ROUNDING_SQUARED * len(r)
            near = gain <= little
            # A wall with a negligible force does not constrain the solution.
            pressed = pressed and linear.gain(linear.solve(LEAST_MU, -np.inf)) - gain > little
            active = (z + full <= low) | (z + full >= high)
            if active.any():  # nor does such a bound
                beyond = _Step(matrix, vector, unit, system.walls(z), z, z - reach, z + reach)
                active &= beyond.gain(beyond.solve(LEAST_MU)) - gain > little
            return Minimum(z, cost, gain / max(cost, 1e-300), bool(near), pressed, active)
        z, r, cost = trial, found, new  # type: ignore[assignment]


def half_sum(r: np.ndarray, loss: str, scale: float) -> float:
    """Half the sum of squares, or of the robust loss."""
    if loss == "linear":
        return 0.5 * float(r @ r)
    return 0.5 * scale**2 * float(_rho((r / scale) ** 2, loss)[0].sum())


def _rho(z: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """rho(z) of the squared residual and two derivatives, as SciPy's ``least_squares`` defines its losses."""
    if loss == "huber":
        root = np.sqrt(np.maximum(z, 1.0))
        return np.where(z <= 1, z, 2 * root - 1), 1 / root, np.where(z <= 1, 0.0, -0.5 / root**3)
    if loss == "soft_l1":
        root = np.sqrt(1 + z)
        return 2 * (root - 1), 1 / root, -0.5 / root**3
    return np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2


def normal_matrix(j: np.ndarray, r: np.ndarray, loss: str, scale: float) -> np.ndarray:
    """J'J, with the curvature of the loss."""
    return _normal(j, r, loss, scale)[0]


def _normal(j: np.ndarray, r: np.ndarray, loss: str, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """J'J and J'r; the gradients of robust losses are exact, their curvature stays positive."""
    if loss != "linear":
        z = (r / scale) ** 2
        _, first, second = _rho(z, loss)
        root = np.sqrt(np.maximum(first + 2 * second * z, FLATTEST * first))
        j, r = j * root[:, None], r * (first / root)
    matrix, vector = np.zeros((j.shape[1], j.shape[1])), np.zeros(j.shape[1])
    normal_equations(np.ascontiguousarray(j), r, matrix, vector)
    return matrix, vector


class _Step:
    """The linearised problem around z, in units in which every unknown moves the residuals by one."""

    def __init__(
        self,
        matrix: np.ndarray,
        vector: np.ndarray,
        unit: np.ndarray,
        walls: Walls,
        z: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
    ) -> None:
        self.z, self.low, self.high, self.unit, self.walls = z, low, high, unit, walls
        self.matrix = np.ascontiguousarray(matrix / np.outer(unit, unit))
        self.vector = vector / unit
        self.bend = np.ascontiguousarray(walls.slopes / unit)
        self.room = np.maximum(walls.values, 0.0)
        self.pressed = False  # whether a wall was active in the last solution

    def solve(self, mu: float, shift: np.ndarray | float = 0.0) -> np.ndarray:
        """The step after which all walls, moved inwards by `shift`, are nonnegative."""
        d = np.zeros(len(self.unit))
        room = self.room - shift
        near = room < np.inf
        leans = bounded_step(
            self.matrix,
            self.vector,
            room[near],
            self.bend[near],
            (self.low - self.z) * self.unit,
            (self.high - self.z) * self.unit,
            mu,
            d,
        )
        self.pressed = leans > 0
        return d / self.unit

    def gain(self, step: np.ndarray) -> float:
        """Predicted reduction of half the sum of squares by a step."""
        d = step * self.unit
        return -float(self.vector @ d + 0.5 * d @ self.matrix @ d)

    def inside(self, mu: float, system: System) -> np.ndarray | None:
        """The next iterate: the step, corrected for the curvature of the walls, or a fraction of it."""
        shift = np.zeros(len(self.room))
        step = np.zeros(len(self.unit))
        for _ in range(CORRECTIONS):
            step = self.solve(mu, shift)
            trial = np.clip(self.z + step, self.low, self.high)
            if system.allowed(trial):
                return trial
            miss = self.walls.misses(trial)
            if not miss.any():
                break
            shift = shift - 1.1 * miss
        for k in range(1, HALVES + 1):
            trial = np.clip(self.z + 0.5**k * step, self.low, self.high)
            if system.allowed(trial):
                return trial
        return None
