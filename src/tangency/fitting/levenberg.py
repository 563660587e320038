"""Least squares with bounds and walls, by Levenberg and Marquardt's method.

Every step solves a small problem whole: the linearised residuals, the bounds, and the walls (quantities
that should not be negative), with those bounds and walls in force that the step itself runs into.  A
solution that lies on a bound or at a wall is then reached as quickly as any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .bounded_step import bounded_step, normal_equations

MU, LEAST_MU, MOST_MU = 1e-3, 1e-13, 1e12
CLOSE = 1e-13  # of the sum of squares: a possible gain that is not worth a step
ENOUGH = 0.01  # possible gain in units of the residuals' variance: a tenth of a standard error
FLOOR = 1e-28  # square of a residual that is rounding, for clouds of size one
FLATTEST = 0.1  # share of its weight that an outlier keeps in the curvature of a robust loss


class System(Protocol):
    """What is minimised."""

    def residuals(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Residuals and wall quantities; None where the body makes no sense."""

    def slopes(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of both, for the z of the last accepted step."""


@dataclass(frozen=True)
class Minimum:
    """Where the method ended."""

    z: np.ndarray
    cost: float
    gain: float  # what a last full step promises, of `cost`
    converged: bool
    pressed: np.ndarray  # walls that hold the solution back
    active: np.ndarray  # unknowns that a bound holds back


def minimise(system: System, z: np.ndarray, low: np.ndarray, high: np.ndarray, *, loss: str = "linear",
             scale: float = 1.0, wall: float = 1.0, budget: int = 200) -> Minimum:  # fmt: skip
    """From z down to the nearest minimum of half the sum of squares."""
    z = np.clip(z, low, high)
    found = system.residuals(z)
    if found is None:
        none = np.zeros(len(z), bool)
        return Minimum(z, np.inf, np.inf, False, none[:0], none)
    r, walls = found
    cost = _cost(r, loss, scale) + _penalty(walls, wall)
    mu, raise_mu, used = MU, 2.0, 1
    stretch = np.zeros(len(z))
    rounding = FLOOR * len(r)
    while True:
        j, bend = system.slopes(z)
        matrix, vector = _normal(j, r, loss, scale)
        stretch = np.maximum(stretch, np.sqrt(np.diag(matrix)))
        linear = _Step(matrix, vector, np.where(stretch > 0, stretch, 1.0), walls, bend, wall, low - z, high - z)
        full, gain = linear.solve(LEAST_MU)
        done = gain <= CLOSE * cost + rounding
        while not done and used < budget:
            step, promised = linear.solve(mu)
            trial = np.clip(z + step, low, high)
            found = system.residuals(trial) if promised > 0 else None
            used += 1
            if found is not None:
                new = _cost(found[0], loss, scale) + _penalty(found[1], wall)
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
            spread = cost / len(r)
            near = gain <= ENOUGH * spread + rounding
            return Minimum(z, cost, gain / max(cost, 1e-300), bool(near), linear.hinges(full), linear.held(full))
        z, (r, walls), cost = trial, found, new  # type: ignore[assignment, misc]


def _cost(r: np.ndarray, loss: str, scale: float) -> float:
    if loss == "linear":
        return 0.5 * float(r @ r)
    return 0.5 * scale**2 * float(_rho((r / scale) ** 2, loss)[0].sum())


def _penalty(walls: np.ndarray, wall: float) -> float:
    below = np.minimum(walls, 0.0)
    return 0.5 * wall**2 * float(below @ below)


def _rho(z: np.ndarray, loss: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """rho(z) of the squared residual and two derivatives, as SciPy's ``least_squares`` defines its losses."""
    if loss == "huber":
        root = np.sqrt(np.maximum(z, 1.0))
        return np.where(z <= 1, z, 2 * root - 1), 1 / root, np.where(z <= 1, 0.0, -0.5 / root**3)
    if loss == "soft_l1":
        root = np.sqrt(1 + z)
        return 2 * (root - 1), 1 / root, -0.5 / root**3
    return np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2


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
    """The linearised problem, in units in which every unknown moves the residuals by one."""

    def __init__(self, matrix: np.ndarray, vector: np.ndarray, unit: np.ndarray, walls: np.ndarray, bend: np.ndarray,
                 weight: float, low: np.ndarray, high: np.ndarray) -> None:  # fmt: skip
        self.unit = unit
        self.args = (
            np.ascontiguousarray(matrix / np.outer(unit, unit)), vector / unit, weight * walls,
            np.ascontiguousarray(weight * bend / unit), low * unit, high * unit,
        )  # fmt: skip

    def solve(self, mu: float) -> tuple[np.ndarray, float]:
        """The step and the fall of half the sum of squares that it promises."""
        d = np.zeros(len(self.unit))
        gain = bounded_step(*self.args, mu, d)
        return d / self.unit, gain

    def hinges(self, step: np.ndarray) -> np.ndarray:
        return self.args[2] + self.args[3] @ (step * self.unit) < 0

    def held(self, step: np.ndarray) -> np.ndarray:
        d = step * self.unit
        return (d <= self.args[4]) | (d >= self.args[5])
