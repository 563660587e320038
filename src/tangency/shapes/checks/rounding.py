"""Measured accuracy of user-defined formulas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...kernels.rounding import ROUNDING

SAFETY = 4.0  # safety factor: the samples may miss the worst case
FACTORS = np.array([1.1, 0.3, 7.0])
DIFFERENCES = np.array([1e-12, 1e-10, 1e-8])
EVALUATIONS_AT_ONCE = 1 << 17

Evaluate = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def measured(evaluate: Evaluate, few: np.ndarray, many: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Bound on the errors of support values and boundary points of every body, relative to its size.

    For any curvature, exact formulas satisfy h(n) = n.x(n), h(t n) = t h(n) and m.x(n) <= h(m).  The violation of
    these relations by computed values, for m next to n, measures their error.  The result is never smaller than the
    bound for built-in formulas.

    Every body is measured independently of the rest of its stack: in `few` directions, and in `many` if these show
    that it loses digits.

    Parameters
    ----------
    evaluate : callable
        Returns h (M, bodies) and x (M, bodies, 3 or 2) at M directions, which need not be unit vectors, of the bodies
        with the given numbers.
    few, many : (M, 3 or 2) array
        Unit vectors.
    size : (bodies,) array
        Size of each body [m].

    Returns
    -------
    (bodies,) array
        Largest relative error of each body.
    """
    known = np.where(size > 0, size, np.inf)
    worst = _worst(evaluate, np.arange(len(size)), few, 1) / known
    losing = np.flatnonzero(SAFETY * worst > ROUNDING)
    worst[losing] = np.maximum(worst[losing], _worst(evaluate, losing, many, len(FACTORS)) / known[losing])
    return ROUNDING + SAFETY * worst


def _worst(evaluate: Evaluate, bodies: np.ndarray, n: np.ndarray, rounds: int) -> np.ndarray:
    """Largest violation of the relations by each of these bodies [m]; `rounds` factors and steps per direction."""
    block = max(1, EVALUATIONS_AT_ONCE // len(n))
    parts = [_violation(evaluate, bodies[k : k + block], n, rounds) for k in range(0, len(bodies), block)]
    return np.concatenate([np.zeros(0), *parts])


def _violation(evaluate: Evaluate, bodies: np.ndarray, n: np.ndarray, rounds: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    h, x = evaluate(n, bodies)
    errors = [np.abs(h - _dot(n, x))]
    for k in range(rounds):
        turn = (np.arange(len(n)) + k) % len(FACTORS)  # factors and differences alternate
        factor, step = FACTORS[turn][:, None], DIFFERENCES[turn][:, None]
        m = n + step * rng.normal(size=n.shape)
        h_m, x_m = evaluate(factor * m, bodies)
        h_m = h_m / factor
        errors += [np.abs(h_m - _dot(m, x_m)), _dot(m, x) - h_m, _dot(n, x_m) - h]
    worst = np.zeros(len(bodies))
    for error in errors:
        np.maximum(worst, np.where(np.isfinite(error), error, 0.0).max(axis=0, initial=0.0), out=worst)
    return worst


def _dot(n: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Summed in one order, however many bodies there are."""
    total = n[:, None, 0] * x[..., 0]
    for i in range(1, n.shape[1]):
        total = total + n[:, None, i] * x[..., i]
    return total
