"""Unit quaternions (x, y, z, w), as SciPy orders them."""

import math

from ..compiled.jit import jit
from .vectors import mat_mul, mat_t_mul


@jit
def multiply(p, q):
    """Product p q: rotation by q, then by p."""
    return (
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
        p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
        p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3],
        p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
    )


@jit
def normalized(q):
    i = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * i, q[1] * i, q[2] * i, q[3] * i)


@jit
def matrix(q):
    """Rotation matrix (9-tuple, rows first); q need not have unit length."""
    x, y, z, w = q
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return (
        1.0 - s * (y * y + z * z),
        s * (x * y - z * w),
        s * (x * z + y * w),
        s * (x * y + z * w),
        1.0 - s * (x * x + z * z),
        s * (y * z - x * w),
        s * (x * z - y * w),
        s * (y * z + x * w),
        1.0 - s * (x * x + y * y),
    )


def from_matrix(m):
    """Quaternion of a rotation matrix (9 numbers, rows first), from its largest component (Shepperd 1978)."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = m
    squares = (1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz)
    k = squares.index(max(squares))
    s = 0.5 / math.sqrt(squares[k])
    rows = (
        (squares[0], xy + yx, xz + zx, zy - yz),
        (xy + yx, squares[1], yz + zy, xz - zx),
        (xz + zx, yz + zy, squares[2], yx - xy),
        (zy - yz, xz - zx, yx - xy, squares[3]),
    )
    return tuple(s * value for value in rows[k])


@jit
def spun(q, omega):
    """Rate of change of q for the angular velocity omega in the world frame."""
    p = multiply((omega[0], omega[1], omega[2], 0.0), q)
    return (0.5 * p[0], 0.5 * p[1], 0.5 * p[2], 0.5 * p[3])


@jit
def angular_velocity(q, momentum, inverse):
    """Angular velocity in the world, from the angular momentum in the world."""
    return spin_of_frame(matrix(q), momentum, inverse)


@jit
def spin_of_frame(m, momentum, inverse):
    """The same for principal axes given by a rotation matrix."""
    l = mat_t_mul(m, momentum)
    return mat_mul(m, (inverse[0] * l[0], inverse[1] * l[1], inverse[2] * l[2]))
