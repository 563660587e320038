"""One step of least squares inside bounds and walls: a small convex problem, compiled.

Half of d'A d + 2 g.d + mu d.d + the squares of the negative w + B d, for low <= d <= high.  Projected
Newton (Bertsekas 1982): unknowns that a bound holds against the gradient rest, the others take a Newton
step with the walls that are in force, shortened until the sum falls.
"""

from __future__ import annotations

import math

import numpy as np

from .._jit import entry, jit

ROUNDS, HALVES = 60, 30
DONE = 1e-13  # of the gradient at d = 0


@jit
def _value(a, g, w, b, mu, d):
    total = 0.0
    for i in range(d.shape[0]):
        row = mu * d[i]
        for j in range(d.shape[0]):
            row += a[i, j] * d[j]
        total += d[i] * (0.5 * row + g[i])
    for k in range(w.shape[0]):
        v = w[k]
        for i in range(d.shape[0]):
            v += b[k, i] * d[i]
        # Both the wall as it is and as it was: differences stay exact.
        low, old = min(v, 0.0), min(w[k], 0.0)
        total += 0.5 * (low - old) * (low + old)
    return total


@jit
def _cholesky(m, n, x):
    """Solve m x = x for a symmetric positive matrix, of which the lower half is overwritten; False if it is not."""
    for j in range(n):
        for k in range(j):
            m[j, j] -= m[j, k] * m[j, k]
        if not m[j, j] > 0.0:
            return False
        m[j, j] = math.sqrt(m[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                m[i, j] -= m[i, k] * m[j, k]
            m[i, j] /= m[j, j]
    for i in range(n):
        for k in range(i):
            x[i] -= m[i, k] * x[k]
        x[i] /= m[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= m[k, i] * x[k]
        x[i] /= m[i, i]
    return True


@entry
def bounded_step(a, g, w, b, low, high, mu, d):
    """Fill d (zeros on entry) with the step; the fall of the sum without the term of mu is returned."""
    n, walls = d.shape[0], w.shape[0]
    m, slope, p, trial = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
    fixed = np.zeros(n, np.bool_)
    first = 0.0
    value = 0.0
    for turn in range(ROUNDS):
        for i in range(n):
            slope[i] = g[i] + mu * d[i]
            for j in range(n):
                slope[i] += a[i, j] * d[j]
                m[i, j] = a[i, j]
            m[i, i] += mu
        for k in range(walls):
            v = w[k]
            for i in range(n):
                v += b[k, i] * d[i]
            if v < 0.0:
                for i in range(n):
                    slope[i] += v * b[k, i]
                    for j in range(n):
                        m[i, j] += b[k, i] * b[k, j]
        largest = 0.0
        for i in range(n):
            fixed[i] = (d[i] <= low[i] and slope[i] >= 0.0) or (d[i] >= high[i] and slope[i] <= 0.0)
            if not fixed[i]:
                largest = max(largest, abs(slope[i]))
        if turn == 0:
            first = largest
        if largest <= DONE * first:
            break
        for i in range(n):
            p[i] = 0.0 if fixed[i] else -slope[i]
            if fixed[i]:
                for j in range(n):
                    m[i, j], m[j, i] = 0.0, 0.0
                m[i, i] = 1.0
        if not _cholesky(m, n, p):
            mu = max(10.0 * mu, 1e-12)  # not positive after rounding
            value = _value(a, g, w, b, mu, d)
            continue
        part, better = 1.0, False
        for _ in range(HALVES):
            for i in range(n):
                trial[i] = min(max(d[i] + part * p[i], low[i]), high[i])
            now = _value(a, g, w, b, mu, trial)
            if now < value:
                better = True
                break
            part *= 0.5
        if not better:
            break
        value = now
        for i in range(n):
            d[i] = trial[i]
    return -_value(a, g, w, b, 0.0, d)


@entry
def normal_equations(j, r, a, g):
    """Add J'J to a and J'r to g; small enough for threads of a linear algebra library to be a hindrance."""
    n = j.shape[1]
    for k in range(j.shape[0]):
        for i in range(n):
            v = j[k, i]
            g[i] += v * r[k]
            for l in range(n):
                a[i, l] += v * j[k, l]
