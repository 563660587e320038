"""The equations of motion as one vector, for SciPy's integrators, and the distances of all pairs, compiled.

The vector holds the rows of the free bodies (see `state`); of each contact that touches the bristles, the normal
impulse, the energy absorbed and the energy dissipated since it began; the work absorbed by contacts and springs
and the work from outside.
"""

import numpy as np

from ..compiled.jit import entry, jit
from ..kernels.jet import JET
from ..kernels.quaternions import spun
from ..kernels.vectors import dot, sub
from .gap_kernel import points
from .loads_kernel import (
    BRISTLE,
    ELASTIC,
    LOST,
    NORMAL_FORCE,
    POWER,
    STORED,
    add_extra,
    common_loads,
    contact_load,
    outer_power,
)
from .state import STATE, L, Q, V, X, orientation, place_pieces, spin_all, velocity_at
from .touch import DISTANCE, NORMAL, touch

FAR = 1e300  # no limit on the distance
PER_CONTACT = LOST + 1 - BRISTLE  # numbers of a contact in the vector, in the order of `loads`


@jit
def unpack(vector, free, y):
    """Rows of the free bodies, into the state of all bodies."""
    for m in range(free.shape[0]):
        for c in range(STATE):
            y[free[m], c] = vector[m * STATE + c]


@entry
def evaluate(vector, free, y, extra, world, pieces, pairs, which, table, memory, deeds, tol, distances, out, gaps):
    """Either the rate of change of the vector, or distances: elastic energies, and how many contacts failed.

    `which` lists the pairs to look at.  With `distances` their distances and the rates of these go into `gaps`
    (two columns); else they touch, their forces act, and `out` gets the rate of the vector.  `y` holds the rows
    of the bodies that are not free.  (One function for both: it is the contact solver that takes long to compile.)
    """
    inertia, owner = world[0], world[4]
    unpack(vector, free, y)
    forces, spins = np.zeros((y.shape[0], 6)), np.empty((y.shape[0], 3))
    spin_all(y, inertia, spins)
    place_pieces(y, owner, world[5], pieces[6])
    springs, power = common_loads(y, spins, world, forces)
    jets = np.empty(JET)
    bristles, energy, failures = free.shape[0] * STATE, 0.0, 0
    for m in range(which.shape[0]):
        k = which[m]
        row = table[k]
        if distances:
            row[DISTANCE] = 0.0  # by the solver: what a search for an event sees must not depend on the last look
        if not touch(pieces, pairs[k, 0], pairs[k, 1], FAR, tol, table, k):
            failures += 1
        if distances:
            gaps[m, 0], gaps[m, 1] = row[DISTANCE], _opening(y, spins, owner[pairs[k, 0]], owner[pairs[k, 1]], row)
            continue
        at = bristles + PER_CONTACT * m
        for c in range(3):
            memory[k, BRISTLE + c] = vector[at + c]
        contact_load(y, spins, world, pieces, pairs[k], row, memory[k], jets, forces, deeds[k], out[at : at + 3], 0.0)
        out[at + 3], out[at + 4] = deeds[k, NORMAL_FORCE], deeds[k, POWER]
        out[at + 5] = deeds[k, POWER] - deeds[k, STORED]
        power += deeds[k, POWER]
        energy += deeds[k, ELASTIC]
    if not distances:
        out[-2], out[-1] = power, outer_power(y, spins, world, forces, extra)
        add_extra(forces, extra)
        _rates(y, spins, free, inertia, forces, out)
    return energy, springs, failures


@jit
def _opening(y, spins, i, j, row):
    """Rate of change of the distance between the bodies i and j."""
    x_a, x_b = points(row)
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    return dot(n, sub(velocity_at(y, spins, j, x_b), velocity_at(y, spins, i, x_a)))


@jit
def _rates(y, spins, free, inertia, forces, out):
    """Rates of change of the rows of the free bodies."""
    for m in range(free.shape[0]):
        i, at = free[m], m * STATE
        rate = spun(orientation(y, i), (spins[i, 0], spins[i, 1], spins[i, 2]))
        for c in range(3):
            out[at + X + c] = y[i, V + c]
            out[at + V + c] = forces[i, c] * inertia[i, 4]
            out[at + L + c] = forces[i, 3 + c]
        for c in range(4):
            out[at + Q + c] = rate[c]


@entry
def speeds(y, world, reach, out):
    """Largest speed of any point of each body."""
    spins = np.empty((y.shape[0], 3))
    spin_all(y, world[0], spins)
    for i in range(y.shape[0]):
        v = np.sqrt(y[i, V] ** 2 + y[i, V + 1] ** 2 + y[i, V + 2] ** 2)
        w = np.sqrt(spins[i, 0] ** 2 + spins[i, 1] ** 2 + spins[i, 2] ** 2)
        out[i] = v + reach[i] * w


@entry
def place_all(y, owner, local, poses):
    """Poses of all shapes in the world."""
    place_pieces(y, owner, local, poses)
