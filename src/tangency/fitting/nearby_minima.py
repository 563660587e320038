"""Minima within a standard error of a solution: the sum of squares of a body with edges has several.

Inside a body the nearest side of a point changes at a kink of its distance, and the smaller of two squares counts.  A
local search stays on its side of such kinks.  Starts that are scattered as the noise of the cloud scatters the solution
lead to the minima beyond them; how many are needed follows from what they find (``enough_starts.py``).
"""

from __future__ import annotations

import numpy as np

from .enough_starts import UNSEEN, unseen
from .levenberg import half_sum, normal_matrix
from .problem import Problem, Solution, State

MOST_STARTS = 32
HALVINGS = 4  # of a start that is no convex body
BUDGET = 30  # evaluations from each start
UNPREDICTED = 0.1  # variances by which a sum of squares below its linear prediction shows a kink
DIFFERENT = 0.05  # variances between the costs of different minima: a third of a standard error
RANK = 1e-14  # relative eigenvalue of the normal equations below which a direction is not determined


def better_nearby(problem: Problem, best: Solution, *, loss: str, scale: float) -> State | None:
    """The best state that scattered starts lead to, if it is better than the solution itself."""
    z = problem.vector()
    r = problem.residuals(z)
    slopes = problem.slopes(z)
    here, cost = problem.near, half_sum(r, loss, scale)
    variance = 2.0 * cost / len(r)
    free = np.concatenate([~best.active, np.ones(len(z) - len(best.active), bool)])
    spread = _spread(normal_matrix(slopes * free, r, loss, scale), variance)
    rng = np.random.default_rng(0)
    lowest, state, different = cost - DIFFERENT * variance, None, {0}
    for count in range(2, MOST_STARTS + 1):
        start = _allowed(problem, z, spread @ rng.normal(size=len(z)))
        if start is not None:
            predicted = half_sum(r + slopes @ (start - z), loss, scale)
            if half_sum(problem.residuals(start), loss, scale) < predicted - UNPREDICTED * variance:
                found = problem.solve(start, loss=loss, scale=scale, budget=BUDGET, rough=True)
                problem.near = here
                different.add(round((found.cost - cost) / (DIFFERENT * variance)))
                if found.cost < lowest:
                    lowest, state = found.cost, found.state
        if unseen(count, len(different)) <= UNSEEN:
            break
    return state


def _spread(matrix: np.ndarray, variance: float) -> np.ndarray:
    """Root of the covariance, zero for what is not determined: it takes standard normal numbers to scattered steps."""
    unit = np.sqrt(np.diag(matrix))
    unit = np.where(unit > 0.0, unit, 1.0)
    values, axes = np.linalg.eigh(matrix / np.outer(unit, unit))
    solid = values > RANK * values[-1]
    root = (axes[:, solid] / np.sqrt(values[solid])) @ axes[:, solid].T
    return np.sqrt(variance) * root / unit[:, None]


def _allowed(problem: Problem, z: np.ndarray, step: np.ndarray) -> np.ndarray | None:
    """The step, or a part of it, to a convex body within the bounds; None if there is none."""
    low, high = problem.bounds()
    for k in range(HALVINGS + 1):
        start = np.clip(z + 0.5**k * step, low, high)
        if problem.allowed(start):
            return start
    return None
