"""Measured accuracy of user-defined formulas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...kernels.rounding import ROUNDING

SAFETY = 4.0  # safety factor: the samples may miss the worst case
FACTORS = (1.1, 0.3, 7.0)
DIFFERENCES = (1e-12, 1e-10, 1e-8)

Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def measured(evaluate: Evaluate, n: np.ndarray, size: np.ndarray) -> float:
    """Bound on the errors of support values and boundary points, relative to the size of the bodies.

    For any curvature, exact formulas satisfy h(n) = n.x(n), h(t n) = t h(n) and m.x(n) <= h(m).  The violation of
    these relations by computed values, for m next to n, measures their error.  The result is never smaller than the
    bound for built-in formulas.

    Parameters
    ----------
    evaluate : callable
        Returns h (M, bodies) and x (M, bodies, 3 or 2) at M directions, which need not be unit vectors.
    n : (M, 3 or 2) array
        Unit vectors.
    size : (bodies,) array
        Size of each body [m].

    Returns
    -------
    float
        Largest relative error.
    """
    rng = np.random.default_rng(1)
    h, x = evaluate(n)
    errors = [np.abs(h - _dot(n, x))]
    for factor in FACTORS:
        errors.append(np.abs(evaluate(factor * n)[0] / factor - h))
    for step in DIFFERENCES:
        m = n + step * rng.normal(size=n.shape)
        h_m, x_m = evaluate(m)
        errors += [_dot(m, x) - h_m, _dot(n, x_m) - h]
    known = np.where(size > 0, size, np.inf)
    worst = max(float((np.where(np.isfinite(e), e, 0.0) / known).max(initial=0.0)) for e in errors)
    return ROUNDING + SAFETY * worst


def _dot(n: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (n[:, None] * x).sum(axis=-1)
