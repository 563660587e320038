"""LU factorisation with partial pivoting in one thread, for implicit methods.

The matrices have a few hundred rows.  The threads of a BLAS library gain nothing at that size and may wait for each
other much longer than the computation takes, on a machine that is busy.  Most entries of a world with many bodies are
zero, and rows with a zero in the column of the pivot are skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled.jit import entry


@entry
def factor(a, rows):
    """Replace the square matrix `a` by its factors, with the permutation of its rows in `rows`."""
    n = a.shape[0]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        rows[k] = best
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        if a[k, k] == 0.0:
            continue  # singular: the solution is not finite, and the integrator takes a shorter step
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, n):
            if a[i, k] != 0.0:
                a[i, k] *= inverse
                part, upper, lower = a[i, k], a[k], a[i]
                for j in range(k + 1, n):
                    lower[j] -= part * upper[j]


@entry
def substitute(a, rows, x):
    """Replace the right-hand side `x` by the solution, with the result of `factor`."""
    n = a.shape[0]
    for k in range(n):
        other = rows[k]
        x[k], x[other] = x[other], x[k]
    for k in range(n):
        total = x[k]
        for j in range(k):
            total -= a[k, j] * x[j]
        x[k] = total
    for k in range(n - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, n):
            total -= a[k, j] * x[j]
        x[k] = total / a[k, k]


def lu(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of a real or complex matrix."""
    factors = np.array(matrix, dtype=complex if np.iscomplexobj(matrix) else float, order="C")
    rows = np.zeros(len(factors), np.int64)
    factor(factors, rows)
    return factors, rows


def solve_lu(factors: tuple[np.ndarray, np.ndarray], right: Any) -> np.ndarray:
    """Solution for a right-hand side, with the result of `lu`."""
    x = np.array(right, dtype=factors[0].dtype)
    substitute(*factors, x)
    return x
