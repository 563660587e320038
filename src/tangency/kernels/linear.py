"""Small systems of linear equations: elimination, and least-norm solutions of singular systems.

Matrices are the first n rows and columns of scratch arrays; the right-hand side is column n.
"""

import math

from ..compiled.jit import jit
from .vectors import cross, dot

SINGULAR = 1e-13  # smallest pivot of a matrix whose rows and columns have entries up to 1
CUT = 1e-10  # singular values below this fraction of the largest count as zero
SWEEPS = 40
EIGENVALUE_STEPS = 7


@jit
def eliminate(m, n, x):
    """Solution x of the n equations in m, which is overwritten; False if the matrix is singular.

    Gaussian elimination with partial pivoting, after scaling first rows, then columns to a largest entry of 1.
    """
    for i in range(n):
        top = 0.0
        for j in range(n):
            top = max(top, abs(m[i, j]))
        if not top > 0.0 or not math.isfinite(top):
            return False
        for j in range(n + 1):
            m[i, j] /= top
    for j in range(n):  # the factors of the columns are kept in x
        top = 0.0
        for i in range(n):
            top = max(top, abs(m[i, j]))
        if not top > 0.0:
            return False
        x[j] = top
        for i in range(n):
            m[i, j] /= top
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(m[i, k]) > abs(m[p, k]):
                p = i
        if not abs(m[p, k]) > SINGULAR:
            return False
        if p != k:
            for j in range(k, n + 1):
                m[k, j], m[p, j] = m[p, j], m[k, j]
        for i in range(k + 1, n):
            l = m[i, k] / m[k, k]
            for j in range(k + 1, n + 1):
                m[i, j] -= l * m[k, j]
    for i in range(n - 1, -1, -1):
        total = m[i, n]
        for j in range(i + 1, n):
            total -= m[i, j] * m[j, n]
        m[i, n] = total / m[i, i]
    for i in range(n):
        x[i] = m[i, n] / x[i]
    return True


@jit
def shortest(m, n, v, x):
    """Least-norm least-squares solution x = M^+ b of the n equations in m, which is overwritten.

    The pseudo-inverse by one-sided Jacobi rotations (Hestenes 1958); rows are scaled first, because the
    equations have different units.  `v` is scratch.  Returns the rank.
    """
    for i in range(n):
        top = 0.0
        for j in range(n):
            top = max(top, abs(m[i, j]))
            v[i, j] = 1.0 if i == j else 0.0
        if top > 0.0:
            for j in range(n + 1):
                m[i, j] /= top
        else:
            m[i, n] = 0.0
    for _ in range(SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                a, b, c = 0.0, 0.0, 0.0
                for i in range(n):
                    a += m[i, p] * m[i, p]
                    b += m[i, q] * m[i, q]
                    c += m[i, p] * m[i, q]
                if not abs(c) > 1e-15 * math.sqrt(a * b):
                    continue
                turned = True
                z = (b - a) / (2.0 * c)
                t = math.copysign(1.0, z) / (abs(z) + math.hypot(1.0, z))
                cos = 1.0 / math.hypot(1.0, t)
                sin = cos * t
                for i in range(n):
                    m[i, p], m[i, q] = cos * m[i, p] - sin * m[i, q], sin * m[i, p] + cos * m[i, q]
                    v[i, p], v[i, q] = cos * v[i, p] - sin * v[i, q], sin * v[i, p] + cos * v[i, q]
        if not turned:
            break
    largest = 0.0
    for j in range(n):
        total = 0.0
        for i in range(n):
            total += m[i, j] * m[i, j]
        largest = max(largest, total)
    for i in range(n):
        x[i] = 0.0
    rank = 0
    for j in range(n):
        total, along = 0.0, 0.0
        for i in range(n):
            total += m[i, j] * m[i, j]
            along += m[i, j] * m[i, n]
        if total > CUT * CUT * largest and total > 0.0:
            rank += 1
            for i in range(n):
                x[i] += v[i, j] * along / total
    return rank


@jit
def least_eigenvalue(x, y, z):
    """Lower bound on the smallest eigenvalue of x x' + y y' + z z', including rounding; usually sharp.

    Newton's method for the smallest root of the characteristic polynomial, which increases monotonically from 0.
    The coefficients are sums of squares, except the determinant, from which its rounding error is subtracted.
    """
    xy, yz, zx = cross(x, y), cross(y, z), cross(z, x)
    trace, minors = dot(x, x) + dot(y, y) + dot(z, z), dot(xy, xy) + dot(yz, yz) + dot(zx, zx)
    volume = abs(dot(x, yz)) - 1e-15 * trace * math.sqrt(trace)
    if not volume > 0.0:
        return 0.0
    determinant = volume * volume
    least = 0.0
    for _ in range(EIGENVALUE_STEPS):
        value = determinant - least * (minors - least * (trace - least))
        slope = minors - least * (2.0 * trace - 3.0 * least)
        if not (value > 0.0 and slope > 0.0):
            break
        least += value / slope
    return (1.0 - 1e-12) * least
