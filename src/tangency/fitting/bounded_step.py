"""One least-squares step within bounds and walls: a small convex problem, compiled.

Minimises half of d'A d + 2 g.d + mu d.d for low <= d <= high and w + B d >= 0.  In coordinates where A + mu is the unit
matrix, the step is the unconstrained one plus forces along the normals of the active walls and bounds; the forces
follow from non-negative least squares (Lawson and Hanson 1974).  Contradictory walls are met as closely as possible.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import entry, jit

YIELD = 1e-10  # relative compliance of a wall or bound
ROUNDING = 1e-11  # relative to the length of the step: violations below this are rounding


@jit
def _factor(m, n):
    """Overwrite the lower half of a symmetric matrix by its Cholesky factor; False if it is not positive definite."""
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
    return True


@jit
def _forward(m, n, x):
    for i in range(n):
        for k in range(i):
            x[i] -= m[i, k] * x[k]
        x[i] /= m[i, i]


@jit
def _back(m, n, x):
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= m[k, i] * x[k]
        x[i] /= m[i, i]


@jit
def _factor_further(m, first, n):
    """Like _factor, for a matrix whose first rows have been factored; returns the number of rows that could be."""
    for i in range(first, n):
        for j in range(i):
            for k in range(j):
                m[i, j] -= m[i, k] * m[j, k]
            m[i, j] /= m[j, j]
        for k in range(i):
            m[i, i] -= m[i, k] * m[i, k]
        if not m[i, i] > 0.0:
            return i
        m[i, i] = math.sqrt(m[i, i])
    return n


@jit
def _forces(rows, v, tolerance, force):
    """Fill force >= 0 (zeros on entry) so that v + R R' force >= 0, with equality where the force is nonzero."""
    count, n = rows.shape
    k, known = np.empty((count, count)), np.zeros(count, np.bool_)  # rows of R R', those of walls that have pushed
    pushing = np.empty(count, np.int64)
    free = np.ones(count, np.bool_)
    part, x = np.empty((count, count)), np.empty(count)
    used = factored = 0
    for _ in range(3 * count):
        worst, at = -tolerance, -1
        for i in range(count):
            if free[i]:
                y = v[i]
                for j in range(used):
                    y += k[pushing[j], i] * force[pushing[j]]
                if y < worst:
                    worst, at = y, i
        if at < 0:
            return used
        if not known[at]:
            known[at] = True
            for i in range(count):
                k[at, i] = 0.0
                for l in range(n):
                    k[at, i] += rows[at, l] * rows[i, l]
        pushing[used], free[at] = at, False
        used += 1
        while used:
            for i in range(factored, used):
                for j in range(i + 1):
                    part[i, j] = k[pushing[i], pushing[j]]
                part[i, i] += YIELD
            factored = _factor_further(part, factored, used)
            if factored < used:
                used -= 1
                break
            for i in range(used):
                x[i] = -v[pushing[i]]
            _forward(part, used, x)
            _back(part, used, x)
            share = 1.0
            for i in range(used):
                if x[i] <= 0.0:
                    share = min(share, force[pushing[i]] / (force[pushing[i]] - x[i] + 1e-300))
            for i in range(used):
                force[pushing[i]] += share * (x[i] - force[pushing[i]])
            if share == 1.0:
                break
            kept = 0
            for i in range(used):
                if x[i] <= 0.0 and force[pushing[i]] <= 1e-15 * abs(x[i]):
                    force[pushing[i]] = 0.0
                    free[pushing[i]] = True
                    factored = min(factored, kept)
                else:
                    pushing[kept] = pushing[i]
                    kept += 1
            used = kept
    return used


@entry
def bounded_step(a, g, w, b, low, high, mu, d):
    """Fill d with the step; returns the number of active walls."""
    n, walls = d.shape[0], w.shape[0]
    m = np.empty((n, n))
    while True:
        for i in range(n):
            for j in range(n):
                m[i, j] = a[i, j]
            m[i, i] += mu
        if _factor(m, n):
            break
        mu = max(10.0 * mu, 1e-12)  # not positive definite after rounding
    # Rows: the walls, then the finite bounds, in coordinates in which the matrix is the identity
    count = walls
    for i in range(n):
        count += math.isfinite(low[i]) + math.isfinite(high[i])
    rows, start, owner, side = np.zeros((count, n)), np.empty(count), np.zeros(count, np.int64), np.zeros(count)
    for i in range(walls):
        rows[i] = b[i]
        start[i] = w[i]
    at = walls
    for i in range(n):
        if math.isfinite(low[i]):
            rows[at, i], start[at], owner[at], side[at] = 1.0, -low[i], i, -1.0
            at += 1
        if math.isfinite(high[i]):
            rows[at, i], start[at], owner[at], side[at] = -1.0, high[i], i, 1.0
            at += 1
    free = -g
    _forward(m, n, free)
    length = 0.0
    for i in range(n):
        length += free[i] * free[i]
    length = math.sqrt(length)
    keep, used = np.empty(count, np.int64), 0
    for i in range(count):
        _forward(m, n, rows[i])
        norm = math.sqrt((rows[i] * rows[i]).sum())
        if norm > 0.0:
            rows[i] /= norm
            start[i] /= norm
            length = max(length, -start[i])
            keep[used] = i
            used += 1
    v, force = np.empty(used), np.zeros(used)
    for i in range(used):
        p = keep[i]
        v[i] = start[p] + (rows[p] * free).sum()
    _forces(rows[keep[:used]], v, ROUNDING * length, force)
    pressed = 0
    for i in range(used):
        if force[i] > 0.0:
            free += force[i] * rows[keep[i]]
            pressed += keep[i] < walls
    _back(m, n, free)
    for i in range(n):
        d[i] = min(max(free[i], low[i]), high[i])
    for i in range(used):
        p = keep[i]
        if p >= walls and force[i] > 0.0:
            d[owner[p]] = low[owner[p]] if side[p] < 0.0 else high[owner[p]]
    return pressed


@entry
def normal_equations(j, r, a, g):
    """Add J'J to a and J'r to g; too small to benefit from the threads of a linear algebra library."""
    n = j.shape[1]
    for k in range(j.shape[0]):
        for i in range(n):
            v = j[k, i]
            g[i] += v * r[k]
            for l in range(n):
                a[i, l] += v * j[k, l]
