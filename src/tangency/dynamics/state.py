"""The state of all bodies as rows of numbers, and what follows from a row.

A row holds the centre of mass, the quaternion (x, y, z, w) from the principal axes to the world, the
velocity of the centre of mass and the angular momentum, all in the world.  So the momentum of a body
left alone does not change, whatever the integrator does.  Bodies that forces do not move have an inverse
mass of 0, and their angular velocity in place of the momentum.
"""

import math

from ..compiled.jit import entry, jit
from ..kernels.quaternions import angular_velocity, matrix
from ..kernels.vectors import add, cross, dot, mat_mul, mat_t_mul, sub

STATE = 13  # numbers of a row
X, Q, V, L = 0, 3, 7, 10
MASS, MOMENTS, INVERSE_MASS, INVERSE = 0, 1, 4, 5  # columns of the table of inertia
INERTIA = 8


@jit
def place(y, i):
    """Centre of mass of body i."""
    return (y[i, 0], y[i, 1], y[i, 2])


@jit
def orientation(y, i):
    return (y[i, 3], y[i, 4], y[i, 5], y[i, 6])


@jit
def velocity(y, i):
    return (y[i, 7], y[i, 8], y[i, 9])


@jit
def momentum(y, i):
    return (y[i, 10], y[i, 11], y[i, 12])


@jit
def omega(y, inertia, i):
    """Angular velocity of body i in the world."""
    l = momentum(y, i)
    if inertia[i, INVERSE_MASS] == 0.0:
        return l
    return angular_velocity(orientation(y, i), l, (inertia[i, 5], inertia[i, 6], inertia[i, 7]))


@jit
def spin_all(y, inertia, spins):
    """Angular velocities of all bodies."""
    for i in range(y.shape[0]):
        spins[i, 0], spins[i, 1], spins[i, 2] = omega(y, inertia, i)


@jit
def velocity_at(y, spins, i, point):
    """Velocity of the point of body i that is at `point` in the world."""
    return add(velocity(y, i), cross((spins[i, 0], spins[i, 1], spins[i, 2]), sub(point, place(y, i))))


@jit
def place_pieces(y, owner, local, poses):
    """Poses of all shapes in the world, from those in the principal frames of their bodies."""
    for p in range(owner.shape[0]):
        i = owner[p]
        m, x = matrix(orientation(y, i)), place(y, i)
        for c in range(3):
            column = mat_mul(m, (local[p, c], local[p, 4 + c], local[p, 8 + c]))
            poses[p, c], poses[p, 4 + c], poses[p, 8 + c] = column
        home = add(x, mat_mul(m, (local[p, 3], local[p, 7], local[p, 11])))
        poses[p, 3], poses[p, 7], poses[p, 11] = home


@jit
def kinetic(y, inertia):
    """Kinetic energy of all free bodies [J]."""
    total = 0.0
    for i in range(y.shape[0]):
        if inertia[i, INVERSE_MASS] > 0.0:
            v, l = velocity(y, i), mat_t_mul(matrix(orientation(y, i)), momentum(y, i))
            total += 0.5 * inertia[i, MASS] * dot(v, v)
            total += 0.5 * (l[0] * l[0] * inertia[i, 5] + l[1] * l[1] * inertia[i, 6] + l[2] * l[2] * inertia[i, 7])
    return total


@jit
def gravitational(y, inertia, gravity):
    """Potential energy in a homogeneous field, zero at the origin [J]."""
    total = 0.0
    for i in range(y.shape[0]):
        total -= inertia[i, MASS] * dot(gravity, place(y, i))
    return total


@jit
def fastest(y, spins, reach, i):
    """Largest speed of any point of body i [m/s]; `reach` is the radius of the body about its centre of mass."""
    v, w = velocity(y, i), (spins[i, 0], spins[i, 1], spins[i, 2])
    return math.sqrt(dot(v, v)) + reach[i] * math.sqrt(dot(w, w))


@entry
def energies(y, inertia, gravity):
    """Kinetic and gravitational energy."""
    return kinetic(y, inertia), gravitational(y, inertia, (gravity[0], gravity[1], gravity[2]))
