"""The state of all bodies as rows of numbers, and functions of a row.

A row holds the centre of mass, the quaternion (x, y, z, w) from the principal axes to the world, the
velocity of the centre of mass and the angular momentum, all in the world.  The momentum of a body
without forces is thus constant for any integrator.  Bodies that are not free have an inverse mass of 0,
and their angular velocity in place of the momentum.
"""

import math
from typing import NamedTuple

import numpy as np

from ..compiled.jit import entry, jit
from ..kernels.poses import place_of, turn_of
from ..kernels.quaternions import angular_velocity, matrix, spun
from ..kernels.relative_motion import material_velocity
from ..kernels.rotations import set_pose
from ..kernels.vectors import add, dot, mat_mul, mat_t_mul, sub

STATE = 13  # numbers of a row
_X, _Q, _V, _L = 0, 3, 7, 10
#: Parts of a row, as slices for NumPy.
PLACE, TURN, VELOCITY, MOMENTUM = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)
# Columns of the table of inertia: mass, principal moments, and the inverses of both, 0 for bodies that are not free.
INERTIA = 8
MASS, INVERSE_MASS, _INVERSE = 0, 4, 5
MOMENTS, INVERSE_MOMENTS = slice(1, 4), slice(5, 8)


class Kinematics(NamedTuple):
    """The state of all bodies, and what follows from it."""

    y: np.ndarray  #: (N, STATE)
    spins: np.ndarray  #: (N, 3) angular velocities in the world [rad/s]


@jit
def place(y, i):
    """Centre of mass of body i."""
    return (y[i, _X], y[i, _X + 1], y[i, _X + 2])


@jit
def orientation(y, i):
    return (y[i, _Q], y[i, _Q + 1], y[i, _Q + 2], y[i, _Q + 3])


@jit
def velocity(y, i):
    return (y[i, _V], y[i, _V + 1], y[i, _V + 2])


@jit
def momentum(y, i):
    """Angular momentum of body i; if it is not free, its angular velocity."""
    return (y[i, _L], y[i, _L + 1], y[i, _L + 2])


@jit
def write_velocity(y, i, v):
    """Write the velocity of the centre of mass of body i."""
    y[i, _V], y[i, _V + 1], y[i, _V + 2] = v


@jit
def is_free(inertia, i):
    """Whether forces move body i."""
    return inertia[i, INVERSE_MASS] > 0.0


@jit
def inverse_moments(inertia, i):
    """Inverse principal moments of body i."""
    return (inertia[i, _INVERSE], inertia[i, _INVERSE + 1], inertia[i, _INVERSE + 2])


@jit
def omega(y, inertia, i):
    """Angular velocity of body i in the world."""
    l = momentum(y, i)
    if inertia[i, INVERSE_MASS] == 0.0:
        return l
    return angular_velocity(orientation(y, i), l, inverse_moments(inertia, i))


@jit
def kinematics(y, inertia):
    """The :class:`Kinematics` of a state."""
    spins = np.empty((y.shape[0], 3))
    for i in range(y.shape[0]):
        spins[i, 0], spins[i, 1], spins[i, 2] = omega(y, inertia, i)
    return Kinematics(y, spins)


@jit
def spin_of(motion, i):
    """Angular velocity of body i."""
    return (motion.spins[i, 0], motion.spins[i, 1], motion.spins[i, 2])


@jit
def velocity_at(motion, i, point):
    """Velocity of the point of body i that is at `point` in the world."""
    return material_velocity(velocity(motion.y, i), spin_of(motion, i), sub(point, place(motion.y, i)))


@jit
def place_shapes(y, world):
    """Update the poses of all shapes in the world, from those in the principal frames of their bodies."""
    for p in range(world.owner.shape[0]):
        i = world.owner[p]
        place_shape(world, p, matrix(orientation(y, i)), place(y, i))


@jit
def place_shape(world, p, m, x):
    """Update the pose of shape p, whose body has the rotation matrix m and the centre of mass x."""
    local, poses = world.local, world.shapes.poses
    if world.principal[p]:  # the row of `local` need not be read
        set_pose(poses, p, ((m[0], m[3], m[6]), (m[1], m[4], m[7]), (m[2], m[5], m[8])), x)
        return
    t, home = turn_of(local, p), add(x, mat_mul(m, place_of(local, p)))
    columns = mat_mul(m, (t[0], t[3], t[6])), mat_mul(m, (t[1], t[4], t[7])), mat_mul(m, (t[2], t[5], t[8]))
    set_pose(poses, p, columns, home)


@jit
def write_rate(motion, inertia, i, force, torque, out):
    """Write the rate of change of the row of free body i."""
    rate = spun(orientation(motion.y, i), spin_of(motion, i))
    for c in range(3):
        out[_X + c] = motion.y[i, _V + c]
        out[_V + c] = force[c] * inertia[i, INVERSE_MASS]
        out[_L + c] = torque[c]
    for c in range(4):
        out[_Q + c] = rate[c]


@jit
def kinetic(y, inertia):
    """Kinetic energy of all free bodies [J]."""
    total = 0.0
    for i in range(y.shape[0]):
        if is_free(inertia, i):
            v, l = velocity(y, i), mat_t_mul(matrix(orientation(y, i)), momentum(y, i))
            inverse = inverse_moments(inertia, i)
            total += 0.5 * inertia[i, MASS] * dot(v, v)
            total += 0.5 * (l[0] * l[0] * inverse[0] + l[1] * l[1] * inverse[1] + l[2] * l[2] * inverse[2])
    return total


@jit
def gravitational(y, inertia, gravity):
    """Potential energy in a uniform field, zero at the origin [J]."""
    total = 0.0
    for i in range(y.shape[0]):
        total -= inertia[i, MASS] * dot(gravity, place(y, i))
    return total


@entry
def speeds(y, inertia, reach, out):
    """Write the largest speed of any point of each body [m/s]; `reach` is its radius about its centre of mass."""
    for i in range(y.shape[0]):
        v, w = velocity(y, i), omega(y, inertia, i)
        out[i] = math.sqrt(dot(v, v)) + reach[i] * math.sqrt(dot(w, w))


@entry
def energies(y, inertia, gravity):
    """Kinetic and gravitational energy."""
    return kinetic(y, inertia), gravitational(y, inertia, (gravity[0], gravity[1], gravity[2]))
