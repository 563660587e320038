"""How long a contact takes, how deep it goes and how much energy it holds: what steps and tolerances follow from.

A mass that presses on a spring with the energy E goes as deep as the spring stores E; the contact takes about three
times as long as the way there at full speed (pi for F = K depth, 2.94 for F = K depth^1.5).  A damper stops it earlier.
All of it is found from the law itself, whatever its formulas are.
"""

import math

import numpy as np

from ..compiled.jit import entry, jit
from ..forces.friction_kernel import RATE
from ..kernels.jet import JET
from ..kernels.vectors import axpy, dot
from .accurate_kernel import PER_CONTACT, unpack
from .gap_kernel import bend
from .laws import friction_of, has_state, needs_curvature, normal_of
from .limits import half_width
from .loads_kernel import HUGE, IMPACT, NO_TORQUE, closing, felt_mass
from .state import INVERSE_MASS, STATE, place_pieces, spin_all
from .touch import CURVATURES, DISTANCE, NORMAL

# Columns: time that the contact takes [s], depth [m] and energy [J] that it comes to, mass that it feels [kg], elastic
# energy now [J], normal force of the spring now [N].
DURATION, DEEPEST, ENERGY, FELT, ELASTIC_NOW, SPRING_NOW = range(6)
SCALES = 6
ENDLESS = 1e300
THIN = 1e-3  # part of the half width of a body
_START = 1e-6  # depth from which a search begins [m]
_TOUCH = 1e-9  # part of the largest depth that counts as the first touch


# Which quantity of a law is meant: its elastic force, its elastic energy, or the work of its damper at full speed.
_FORCE, _ENERGY, _WORK = 0, 1, 2
_NODES = ((0.06943184420297371, 0.17392742256872693), (0.33000947820757187, 0.32607257743127307),
          (0.6699905217924281, 0.32607257743127307), (0.9305681557970262, 0.17392742256872693))  # fmt: skip
_FINE = 1e-12  # relative error of a depth
_LEAP = 12.0  # natural logarithm of the largest factor by which a depth changes in one step of the search


@jit
def _measure(laws, which, what, depth, speed, impact, k1, k2):
    """A quantity of the law at `depth`, and its logarithmic derivative there (of the force and the work: nearly)."""
    if what != _WORK:
        _, force, energy = normal_of(laws, which, depth, 0.0, impact, k1, k2)
        slope = force * depth / energy  # n + 1 for K depth^n
        return (force, slope - 1.0) if what == _FORCE else (energy, slope)
    # Gauss's rule in the square root of the depth, which is exact for the depths' powers 0, 1/2, ..., 5/2.
    total = 0.0
    for node, weight in _NODES:
        force, elastic, _ = normal_of(laws, which, node * node * depth, speed, impact, k1, k2)
        total += 2.0 * weight * node * depth * (force - elastic)
    force, elastic, _ = normal_of(laws, which, depth, speed, impact, k1, k2)
    return total, ((force - elastic) * depth / total if total > 0.0 else 1.0)


@jit
def _depth_for(laws, which, what, goal, start, speed, impact, k1, k2):
    """Depth at which a quantity of the law reaches `goal`: Newton's steps in logarithms, exact for powers."""
    depth = start
    for _ in range(60):
        value, slope = _measure(laws, which, what, depth, speed, impact, k1, k2)
        if not 0.0 < value < ENDLESS:  # below or above the range of numbers
            depth *= 1e-3 if value > 0.0 else 1e3
            continue
        step = math.log(goal / value) / min(max(slope, 0.25), 50.0)
        step = min(max(step, -_LEAP), _LEAP)
        depth *= math.exp(step)
        if not 1e-200 < depth < 1e200:
            break
        if abs(step) < _FINE:
            break
    return depth


@jit
def impact_scale(laws, which, mass, depth, rate, impact, push, k1, k2):
    """Duration, depth and energy of a contact that is at `depth` and closes at `rate`, under a force `push`."""
    energy = normal_of(laws, which, depth, 0.0, impact, k1, k2)[2]
    if not mass < HUGE:
        return ENDLESS, 0.0, 0.0  # neither body moves freely
    start = depth if depth > 0.0 else _START
    energy += 0.5 * mass * rate * rate
    if push > 0.0:
        energy += push * _depth_for(laws, which, _FORCE, push, start, 0.0, impact, k1, k2)
    if not 0.0 < energy < ENDLESS:
        return ENDLESS, 0.0, 0.0
    deepest = _depth_for(laws, which, _ENERGY, energy, start, 0.0, impact, k1, k2)
    speed = math.sqrt(2.0 * energy / mass)
    # A strong damper stops the mass earlier: where its work at full speed is twice the energy.
    if _measure(laws, which, _WORK, deepest, speed, impact, k1, k2)[0] > 2.0 * energy:
        deepest = min(deepest, _depth_for(laws, which, _WORK, 2.0 * energy, deepest, speed, impact, k1, k2))
    return 3.0 * deepest / speed, deepest, energy


@entry
def contact_time(laws, which, mass, speed, curvature):
    """Time of an impact [s] between bodies whose gap has this curvature, and the damping at first touch [N s/m]."""
    lasts, deepest, _ = impact_scale(laws, which, mass, 0.0, speed, speed, 0.0, curvature, curvature)
    force, elastic, _ = normal_of(laws, which, _TOUCH * deepest, speed, speed, curvature, curvature)
    return lasts, (force - elastic) / speed


@entry
def contact_scales(vector, free, y, world, pieces, pairs, which, table, memory, pushed, out):
    """Scales of the contacts `which`, whose rows of `table` are up to date, into `out`; `vector` as in `smooth`.

    `pushed` holds the acceleration of some point of each body, at most.  Contacts that share a free body make each
    other quicker: the squares of their frequencies add up.
    """
    inertia, owner, law_of, laws = world[0], world[4], world[6], world[7]
    unpack(vector, free, y)
    spins, jets, quick = np.empty((y.shape[0], 3)), np.empty(JET), np.zeros(y.shape[0])
    spin_all(y, inertia, spins)
    place_pieces(y, owner, world[5], pieces[6])
    for m in range(which.shape[0]):
        k = which[m]
        row, i, j = table[k], owner[pairs[k, 0]], owner[pairs[k, 1]]
        law = law_of[i, j]
        if needs_curvature(laws, law):
            bend(pieces, pairs[k, 0], pairs[k, 1], jets, row)
        n, depth = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]), -row[DISTANCE]
        _, x, rate = closing(y, spins, world, pairs[k], row)
        mass = felt_mass(y, inertia, i, j, x, n, NO_TORQUE)
        k1, k2 = row[CURVATURES], row[CURVATURES + 1]
        out[m, DURATION], out[m, DEEPEST], out[m, ENERGY] = impact_scale(
            laws, law, mass, depth, rate, memory[k, IMPACT], mass * (pushed[i] + pushed[j]), k1, k2
        )
        out[m, FELT], out[m, ELASTIC_NOW], out[m, SPRING_NOW] = mass, 0.0, 0.0
        if not mass < HUGE:
            # Nothing gives way: as deep as the bodies are moved, which is judged by their size.
            deep = max(depth, THIN * min(half_width(pieces, pairs[k, 0]), half_width(pieces, pairs[k, 1])))
            out[m, DEEPEST], out[m, ENERGY] = deep, normal_of(laws, law, deep, 0.0, memory[k, IMPACT], k1, k2)[2]
        if depth > 0.0:
            _, out[m, SPRING_NOW], out[m, ELASTIC_NOW] = normal_of(laws, law, depth, 0.0, memory[k, IMPACT], k1, k2)
        if has_state(laws, law):
            at = free.shape[0] * STATE + PER_CONTACT * m
            z = (vector[at], vector[at + 1], vector[at + 2])
            out[m, ELASTIC_NOW] += friction_of(laws, law, 0.0, NO_TORQUE, axpy(z, -dot(z, n), n), RATE)[2]
        for body in (i, j):
            if inertia[body, INVERSE_MASS] > 0.0:
                quick[body] += out[m, DURATION] ** -2.0
    for m in range(which.shape[0]):
        k = which[m]
        own = out[m, DURATION] ** -2.0
        total = own
        for body in (owner[pairs[k, 0]], owner[pairs[k, 1]]):
            if inertia[body, INVERSE_MASS] > 0.0:
                total += quick[body] - own
        out[m, DURATION] = 1.0 / math.sqrt(total) if total > 0.0 else ENDLESS
