"""Tangent and binormal of a unit vector: the techniques compared in Lopes' thesis (chapter 4, Appendix C).

Each takes a unit vector as a 3-tuple and returns two unit vectors that are normal to it and to each
other.  The branch-free technique of Duff et al. (2017) is `vectors.frame`.
"""

import math

from ..compiled.jit import entry, jit
from .vectors import axpy, cross, dot, frame, norm, scale, unit

HOUSEHOLDER, EBERLY, SQUARE_PLATE, PROJECTION_MATRIX, BRANCH_FREE = 0, 1, 2, 3, 4


@jit
def householder(n):
    """Second and third columns of the reflection that maps n to the x axis (Lopes thesis, Table C.1).

    The sign follows n_x.  Eq. (4.11) takes the larger of n_x - 1 and n_x + 1, which is always the latter
    and vanishes at n = -e_x.
    """
    x, y, z = n
    if x >= 0.0:
        k = 1.0 / (x + 1.0)
        m = -y * z * k
        return (-y, 1.0 - y * y * k, m), (-z, m, 1.0 - z * z * k)
    k = 1.0 / (x - 1.0)
    m = y * z * k
    return (y, 1.0 + y * y * k, m), (z, m, 1.0 + z * z * k)


@jit
def eberly(n):
    """Cross product with the x or y axis, whichever is farther from n (Lopes thesis, Table C.2)."""
    x, y, z = n
    if abs(x) >= abs(y):
        s = math.sqrt(x * x + z * z)
        k = 1.0 / s
        return (-z * k, 0.0, x * k), (x * y * k, -s, y * z * k)
    s = math.sqrt(y * y + z * z)
    k = 1.0 / s
    return (0.0, z * k, -y * k), (-s, x * y * k, x * z * k)


@jit
def square_plate(n):
    """Cross product with a corner of a square plate that turns with n (Lopes thesis, Table C.3, Eq. 5.32).

    Table C.3 writes the condition with moduli, which are never negative; Table 5.1 is correct: the
    corner is v4 if n_x and n_y have the same sign, else v3.
    """
    x, y, z = n
    v = (x + 1.0, y - 1.0, z) if x * y >= 0.0 else (x - 1.0, y - 1.0, z)
    t = unit(cross(n, v))
    return t, unit(cross(n, t))


@jit
def projection_matrix(n):
    """Columns of an orthogonal matrix made of n n', turned until one of them is n (Lopes thesis, Table C.4).

    The columns of n n' itself are all parallel to n, so no rotation turns them into tangents.  The
    steps of the table hold for the reflection I - 2 n n', whose columns are an orthonormal basis.
    """
    x, y, z = n
    c1 = (1.0 - 2.0 * x * x, -2.0 * x * y, -2.0 * x * z)
    c2 = (-2.0 * y * x, 1.0 - 2.0 * y * y, -2.0 * y * z)
    c3 = (-2.0 * z * x, -2.0 * z * y, 1.0 - 2.0 * z * z)
    # The cosine of the angle between n and column k is -n_k; the second greatest angle is the middle one.
    if (x - y) * (x - z) <= 0.0:
        middle, one, other = c1, c2, c3
    elif (y - x) * (y - z) <= 0.0:
        middle, one, other = c2, c3, c1
    else:
        middle, one, other = c3, c1, c2
    # Rodrigues' formula about u, from the column to n.
    u = cross(middle, n)
    sine, cosine = norm(u), dot(middle, n)
    u = scale(u, 1.0 / sine)
    return _turned(one, u, sine, cosine), _turned(other, u, sine, cosine)


@jit
def _turned(v, u, sine, cosine):
    return axpy(axpy(scale(v, cosine), sine, cross(u, v)), dot(u, v) * (1.0 - cosine), u)


@jit
def _put(t, b, k, pair):
    for c in range(3):
        t[k, c] = pair[0][c]
        b[k, c] = pair[1][c]


@entry
def tangents(technique, n, t, b):
    """Write tangents and binormals of the unit vectors n (rows of three), by one of the techniques."""
    if technique == HOUSEHOLDER:
        for k in range(n.shape[0]):
            _put(t, b, k, householder((n[k, 0], n[k, 1], n[k, 2])))
    elif technique == EBERLY:
        for k in range(n.shape[0]):
            _put(t, b, k, eberly((n[k, 0], n[k, 1], n[k, 2])))
    elif technique == SQUARE_PLATE:
        for k in range(n.shape[0]):
            _put(t, b, k, square_plate((n[k, 0], n[k, 1], n[k, 2])))
    elif technique == PROJECTION_MATRIX:
        for k in range(n.shape[0]):
            _put(t, b, k, projection_matrix((n[k, 0], n[k, 1], n[k, 2])))
    else:
        for k in range(n.shape[0]):
            _put(t, b, k, frame((n[k, 0], n[k, 1], n[k, 2])))
