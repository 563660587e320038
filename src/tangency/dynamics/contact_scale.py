"""How long a contact takes, how deep it goes and how much energy it holds: what steps and tolerances follow from.

A mass m that presses on F = K depth^n with the energy E goes as deep as ((n + 1) E / K)^(1 / (n + 1)); the contact
takes about three times as long as the way there at full speed (pi times for n = 1, 2.94 for n = 3/2).
"""

import math

import numpy as np

from ..compiled.jit import entry, jit
from ..forces.friction_kernel import BRISTLE
from ..forces.normal_kernel import KELVIN_VOIGT, NORMAL_ROW, contact_stiffness, elastic_energy, power
from ..kernels.jet import JET
from ..kernels.vectors import axpy, dot
from .accurate_kernel import PER_CONTACT, unpack
from .force_kernel import FRICTION, NORMAL_PART, needs_curvature
from .gap_kernel import bend
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


@jit
def impact_scale(law, mass, depth, rate, impact, push, k1, k2):
    """Duration, depth and energy of a contact that is at `depth` and closes at `rate`, under a force `push`."""
    row = law[NORMAL_PART : NORMAL_PART + NORMAL_ROW]
    n, k = row[1], contact_stiffness(row, k1, k2)
    energy = k * power(depth, n) * depth / (n + 1.0) if depth > 0.0 else 0.0
    if not mass < HUGE:
        return ENDLESS, 0.0, 0.0  # neither body moves freely
    energy += 0.5 * mass * rate * rate + push * (push / k) ** (1.0 / n)
    if not 0.0 < energy < ENDLESS:
        return ENDLESS, 0.0, 0.0
    deepest = ((n + 1.0) * energy / k) ** (1.0 / (n + 1.0))
    speed = math.sqrt(2.0 * energy / mass)
    if int(law[0]) == KELVIN_VOIGT:
        if row[3] > 0.0:
            deepest = min(deepest, speed * mass / row[3])
    else:
        # A strong damper stops the mass earlier: m v' = -K depth^n d, of which the spring alone has 1/2 for d.
        damper = (row[3] / max(impact, row[5]) + row[4]) * speed
        if damper > 2.0:
            deepest *= (2.0 / damper) ** (1.0 / (n + 1.0))
    return 3.0 * deepest / speed, deepest, energy


@entry
def contact_time(law, mass, speed, curvature):
    """Time that an impact takes [s], between bodies whose gap has this curvature in all directions."""
    return impact_scale(law, mass, 0.0, speed, speed, 0.0, curvature, curvature)[0]


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
        law = laws[law_of[i, j]]
        if needs_curvature(law):
            bend(pieces, pairs[k, 0], pairs[k, 1], jets, row)
        n, depth = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]), -row[DISTANCE]
        _, x, rate = closing(y, spins, world, pairs[k], row)
        mass = felt_mass(y, inertia, i, j, x, n, NO_TORQUE)
        k1, k2 = row[CURVATURES], row[CURVATURES + 1]
        out[m, DURATION], out[m, DEEPEST], out[m, ENERGY] = impact_scale(
            law, mass, depth, rate, memory[k, IMPACT], mass * (pushed[i] + pushed[j]), k1, k2
        )
        out[m, FELT], out[m, ELASTIC_NOW], out[m, SPRING_NOW] = mass, 0.0, 0.0
        normal = law[NORMAL_PART : NORMAL_PART + NORMAL_ROW]
        if not mass < HUGE:
            # Nothing gives way: as deep as the bodies are moved, which is judged by their size.
            thin = THIN * min(half_width(pieces, pairs[k, 0]), half_width(pieces, pairs[k, 1]))
            out[m, DEEPEST], out[m, ENERGY] = max(depth, thin), elastic_energy(normal, max(depth, thin), k1, k2)
        if depth > 0.0:
            out[m, SPRING_NOW] = contact_stiffness(normal, k1, k2) * power(depth, normal[1])
            out[m, ELASTIC_NOW] = out[m, SPRING_NOW] * depth / (normal[1] + 1.0)
        if int(law[FRICTION]) == BRISTLE:
            at = free.shape[0] * STATE + PER_CONTACT * m
            z = (vector[at], vector[at + 1], vector[at + 2])
            z = axpy(z, -dot(z, n), n)
            out[m, ELASTIC_NOW] += 0.5 * law[FRICTION + 5] * dot(z, z)
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
