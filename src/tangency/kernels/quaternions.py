"""Unit quaternions (x, y, z, w), as SciPy orders them, and the free rotation of a rigid body."""

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


SHORT = 0.05  # angles below this need five terms of the series of sine and cosine [rad]


@jit
def _sine_cosine(x):
    """Both functions of x, to rounding; by their series if x is short, as in one step of a motion."""
    if abs(x) > SHORT:
        return math.sin(x), math.cos(x)
    y = x * x
    s = x * (1.0 - y * (1.0 / 6.0 - y * (1.0 / 120.0 - y * (1.0 / 5040.0 - y * (1.0 / 362880.0)))))
    return s, 1.0 - y * (0.5 - y * (1.0 / 24.0 - y * (1.0 / 720.0 - y * (1.0 / 40320.0))))


@jit
def _about(q, l, axis, angle):
    """Rotate the body about its own axis by `angle`; its angular momentum l, in the body frame, rotates back."""
    s, c = _sine_cosine(0.5 * angle)
    u, v = 2.0 * s * c, (c - s) * (c + s)
    x, y, z, w = q
    # The products of q with (s, 0, 0, c), (0, s, 0, c) and (0, 0, s, c).
    if axis == 0:
        return (w * s + x * c, y * c + z * s, z * c - y * s, w * c - x * s), (
            l[0], v * l[1] + u * l[2], v * l[2] - u * l[1],
        )  # fmt: skip
    if axis == 1:
        return (x * c - z * s, w * s + y * c, z * c + x * s, w * c - y * s), (
            v * l[0] - u * l[2], l[1], v * l[2] + u * l[0],
        )  # fmt: skip
    return (x * c + y * s, y * c - x * s, w * s + z * c, w * c - z * s), (
        v * l[0] + u * l[1], v * l[1] - u * l[0], l[2],
    )  # fmt: skip


@jit
def turned_freely(q, momentum, inverse, h):
    """Orientation after the time h of free rotation with the angular momentum `momentum` in the world.

    `inverse` holds the inverse principal moments of inertia; the frame of q is the principal one.  Five
    rotations about principal axes, symmetric in time (Dullweber, Leimkuhler & McLachlan 1997):
    symplectic, second order, exact for a sphere; the momentum in the world does not change at all.
    """
    l = mat_t_mul(matrix(q), momentum)
    q, l = _about(q, l, 0, 0.5 * h * l[0] * inverse[0])
    q, l = _about(q, l, 1, 0.5 * h * l[1] * inverse[1])
    q, l = _about(q, l, 2, h * l[2] * inverse[2])
    q, l = _about(q, l, 1, 0.5 * h * l[1] * inverse[1])
    q, l = _about(q, l, 0, 0.5 * h * l[0] * inverse[0])
    return normalized(q)


@jit
def angular_velocity(q, momentum, inverse):
    """Angular velocity in the world, from the angular momentum in the world."""
    return spin_of_frame(matrix(q), momentum, inverse)


@jit
def spin_of_frame(m, momentum, inverse):
    """The same for principal axes given by a rotation matrix."""
    l = mat_t_mul(m, momentum)
    return mat_mul(m, (inverse[0] * l[0], inverse[1] * l[1], inverse[2] * l[2]))
