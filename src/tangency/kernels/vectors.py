"""Small vectors as 3-tuples, symmetric 3x3 matrices as 6-tuples (xx, xy, xz, yy, yz, zz)."""

import math

from ..compiled.jit import jit


@jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@jit
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@jit
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@jit
def scale(a, t):
    return (a[0] * t, a[1] * t, a[2] * t)


@jit
def axpy(a, t, b):
    """a + t b"""
    return (a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2])


@jit
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@jit
def unit(a):
    return scale(a, 1.0 / norm(a))


@jit
def frame(n):
    """Two unit vectors that span the plane normal to the unit vector n (Duff et al. 2017, no branch)."""
    s = math.copysign(1.0, n[2])
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return (1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]), (b, s + n[1] * n[1] * a, -n[1])


@jit
def sym_mul(m, v):
    """Symmetric matrix times vector."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[2] * v[0] + m[4] * v[1] + m[5] * v[2],
    )


@jit
def sym_add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@jit
def sym_scale(a, t):
    return (a[0] * t, a[1] * t, a[2] * t, a[3] * t, a[4] * t, a[5] * t)


@jit
def mat_mul(m, v):
    """3x3 matrix (9-tuple, rows first) times vector."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@jit
def mat_t_mul(m, v):
    """Transpose of a 3x3 matrix (9-tuple, rows first) times vector."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@jit
def mat_inverse_t(m):
    """Inverse of the transposed matrix: cofactors over the determinant."""
    r0, r1, r2 = (m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8])
    c0, c1, c2 = cross(r1, r2), cross(r2, r0), cross(r0, r1)
    i = 1.0 / dot(r0, c0)
    return (i * c0[0], i * c0[1], i * c0[2], i * c1[0], i * c1[1], i * c1[2], i * c2[0], i * c2[1], i * c2[2])


@jit
def congruence(m, s):
    """M S M' for a 3x3 matrix M (9-tuple) and a symmetric S (6-tuple)."""
    a = sym_mul(s, (m[0], m[1], m[2]))
    b = sym_mul(s, (m[3], m[4], m[5]))
    c = sym_mul(s, (m[6], m[7], m[8]))
    r1 = (m[3], m[4], m[5])
    r2 = (m[6], m[7], m[8])
    return (dot((m[0], m[1], m[2]), a), dot(r1, a), dot(r2, a), dot(r1, b), dot(r2, b), dot(r2, c))


@jit
def sym_solve(m, b):
    """Solution x of M x = b for a symmetric positive definite M (6-tuple), by LDL'."""
    l1, l2 = m[1] / m[0], m[2] / m[0]
    d1 = m[3] - l1 * m[1]
    e = m[4] - l2 * m[1]
    l3 = e / d1
    d2 = m[5] - l2 * m[2] - l3 * e
    y1 = b[1] - l1 * b[0]
    z = (b[2] - l2 * b[0] - l3 * y1) / d2
    y = y1 / d1 - l3 * z
    return (b[0] / m[0] - l1 * y - l2 * z, y, z)
