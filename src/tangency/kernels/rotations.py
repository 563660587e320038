"""Poses from outside: how far from a rigid motion they are, and the nearest one."""

import math

from .._jit import entry, jit


@jit
def _defect(m, k):
    """Largest entry of R R' - I; infinite if an entry is not a finite number."""
    a, b, c, d, e, f, g, h, i = m[k, 0], m[k, 1], m[k, 2], m[k, 3], m[k, 4], m[k, 5], m[k, 6], m[k, 7], m[k, 8]
    squares = max(abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0), abs(g * g + h * h + i * i - 1.0))
    products = max(abs(a * d + b * e + c * f), abs(a * g + b * h + c * i), abs(d * g + e * h + f * i))
    worst = max(squares, products)
    return worst if abs(a + b + c + d + e + f + g + h + i) < 1e300 and worst < 1e300 else math.inf


@entry
def settle(given, m):
    """Copies matrices (rows of nine) to m, as the nearest rotations: their largest defect and smallest determinant.

    Two steps of Newton's method, R -> (3 R - R R'R) / 2: a pose read from a file with nine digits stays rigid.
    """
    worst, least = 0.0, 1.0
    for k in range(m.shape[0]):
        for c in range(9):
            m[k, c] = given[k, c]
        defect = _defect(m, k)
        worst = max(worst, defect)
        det = (
            m[k, 0] * (m[k, 4] * m[k, 8] - m[k, 5] * m[k, 7])
            - m[k, 1] * (m[k, 3] * m[k, 8] - m[k, 5] * m[k, 6])
            + m[k, 2] * (m[k, 3] * m[k, 7] - m[k, 4] * m[k, 6])
        )
        least = min(least, det)
        if 1e-15 < defect < 1e-3:
            for _ in range(2):
                a = m[k].copy()
                for i in range(3):
                    for j in range(3):
                        s = 0.0
                        for p in range(3):
                            s += (a[3 * i] * a[3 * p] + a[3 * i + 1] * a[3 * p + 1] + a[3 * i + 2] * a[3 * p + 2]) * a[
                                3 * p + j
                            ]
                        m[k, 3 * i + j] = 1.5 * a[3 * i + j] - 0.5 * s
    return worst, least


@entry
def last_rows(m):
    """How far the last rows of 4x4 matrices (rows of sixteen) are from [0, 0, 0, 1]."""
    worst = 0.0
    for k in range(m.shape[0]):
        d = abs(m[k, 12]) + abs(m[k, 13]) + abs(m[k, 14]) + abs(m[k, 15] - 1.0)
        worst = max(worst, d) if d == d else math.inf
    return worst


@entry
def largest(x):
    """Largest size of the numbers in an array; infinite if one is not a finite number."""
    worst = 0.0
    for k in range(x.size):
        size = abs(x[k])
        worst = max(worst, size) if size < math.inf else math.inf
    return worst
