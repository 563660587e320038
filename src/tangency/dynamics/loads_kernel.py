"""Forces on all bodies: gravity, springs and contacts, in compiled code.

`world` is the tuple (inertia, gravity, ends, springs, owner, local, law_of, laws, where, extremes) of tables that do
not change, the last excepted: see `assembly` and `limits`.  `law_of[i, j]` is the row of `laws` for the bodies i and j,
or -1 if they are not asked about; `where` tells at which part of the way from the point on A to the point on B a
contact force acts: 0 on A, 0.5 in the middle of the depth as in the papers, 1 on B.
"""

import math

import numpy as np

from ..compiled.jit import jit
from ..kernels.quaternions import angular_velocity
from ..kernels.vectors import add, axpy, cross, dot, scale, sub
from .force_kernel import press, rub
from .gap_kernel import bend, points
from .laws import needs_curvature
from .limits import note_extremes
from .patch import DEPTH, PATCH_POINT, SHARE, TILTS, find_patch, is_flat
from .spring import pull, push
from .state import INVERSE_MASS, MASS, orientation, place, velocity, velocity_at
from .touch import CURVATURES, DISTANCE, NORMAL

# What is remembered of a pair: whether it touches, the closing speed at the impact; since the impact, the deflection of
# the bristles, the normal impulse, the energy absorbed and the energy dissipated; the time of the impact, the largest
# energy that the contact held; the way that both bodies together can still go before they may touch (fast mode).
TOUCHING, IMPACT, BRISTLE, IMPULSE, ABSORBED, LOST, SINCE, PEAK, SLACK = 0, 1, 2, 5, 6, 7, 8, 9, 10
MEMORY = 11
# What a contact did, for the records: law's normal force, force on B, point, absorbed power, elastic energy, the part
# of the power that is stored.
NORMAL_FORCE, FORCE, AT, POWER, ELASTIC, STORED = 0, 1, 4, 7, 8, 9
DEED = 10
NO_TORQUE = (0.0, 0.0, 0.0)
HUGE = 1e200


@jit
def closing(y, spins, world, pair, row):
    """Relative velocity of A seen from B where the force acts, that point, and the closing speed."""
    owner, where = world[4], world[8]
    i, j = owner[pair[0]], owner[pair[1]]
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    x, _ = points(row)
    x = axpy(x, where * row[DISTANCE], n)
    u = sub(velocity_at(y, spins, i, x), velocity_at(y, spins, j, x))
    return u, x, dot(u, n)


@jit
def _lightness(y, inertia, i, x, e, couple):
    """Inverse of the mass that body i opposes to the force e at the point x together with the torque `couple`."""
    if inertia[i, INVERSE_MASS] == 0.0:
        return 0.0
    arm = add(cross(sub(x, place(y, i)), e), couple)
    spin = angular_velocity(orientation(y, i), arm, (inertia[i, 5], inertia[i, 6], inertia[i, 7]))
    return inertia[i, INVERSE_MASS] * dot(e, e) + dot(arm, spin)


@jit
def felt_mass(y, inertia, i, j, x, e, couple):
    """Mass that the bodies i and j together oppose to a force and a torque between them [kg]; huge if neither moves."""
    light = _lightness(y, inertia, i, x, e, couple) + _lightness(y, inertia, j, x, e, couple)
    return 1.0 / light if light > 0.0 else HUGE


@jit
def begin(y, spins, world, pair, row, memory, time):
    """A contact begins."""
    owner = world[4]
    _, x, rate = closing(y, spins, world, pair, row)
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    mass = felt_mass(y, world[0], owner[pair[0]], owner[pair[1]], x, n, NO_TORQUE)
    memory[TOUCHING], memory[IMPACT], memory[SINCE] = 1.0, max(rate, 0.0), time
    memory[PEAK] = 0.5 * mass * memory[IMPACT] ** 2 if mass < HUGE else 0.0
    for c in range(BRISTLE, LOST + 1):
        memory[c] = 0.0


@jit
def _pressed(y, spins, world, pieces, pair, row, which, impact, h):
    """Normal force of a contact, its point and lever, the elastic energy and the power that is stored.

    A patch (see `patch`) has several points.  All their forces point along the normal, so that they are one force at
    the centre of pressure; the lever is the radius of gyration of the forces about it, 0 for a single point.
    """
    owner, inertia, where = world[4], world[0], world[8]
    i, j = owner[pair[0]], owner[pair[1]]
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    none = (0.0, 0.0, 0.0)
    _, x, rate = closing(y, spins, world, pair, row)
    k1, k2 = row[CURVATURES], row[CURVATURES + 1]
    if not is_flat(pieces, pair[0], pair[1]):
        heavy = felt_mass(y, inertia, i, j, x, n, none) if h > 0.0 else 0.0
        load, elastic, stored = press(world[7], which, -row[DISTANCE], rate, impact, k1, k2, h, heavy)
        return load, x, 0.0, elastic, stored
    points = np.empty((TILTS, PATCH_POINT))
    count = find_patch(pieces, pair[0], pair[1], row, where, points)
    total, energy, taken = 0.0, 0.0, 0.0
    middle, square = none, 0.0
    for k in range(count):
        p, share = (points[k, 0], points[k, 1], points[k, 2]), points[k, SHARE]
        rate = dot(sub(velocity_at(y, spins, i, p), velocity_at(y, spins, j, p)), n)
        heavy = felt_mass(y, inertia, i, j, p, n, none) if h > 0.0 else 0.0
        load, elastic, stored = press(world[7], which, points[k, DEPTH], rate, impact, k1, k2, h, heavy)
        total, energy, taken = total + share * load, energy + share * elastic, taken + share * stored
        away = sub(p, x)
        middle, square = axpy(middle, share * load, away), square + share * load * dot(away, away)
    if not total > 0.0:
        return 0.0, x, 0.0, energy, taken
    middle = scale(middle, 1.0 / total)
    return total, add(x, middle), math.sqrt(max(square / total - dot(middle, middle), 0.0)), energy, taken


@jit
def contact_load(y, spins, world, pieces, pair, row, memory, jets, forces, deed, stretch, h):
    """Force of one contact that touches, added to both bodies.

    `stretch` gets the rate of change of the bristles, or with a step h > 0 what they are after it; `deed` the record.
    """
    owner, law_of, laws = world[4], world[6], world[7]
    a, b = pair[0], pair[1]
    i, j = owner[a], owner[b]
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    which = law_of[i, j]
    if needs_curvature(laws, which):
        bend(pieces, a, b, jets, row)
    load, x, lever, elastic, stored = _pressed(y, spins, world, pieces, pair, row, which, memory[IMPACT], h)
    u = sub(velocity_at(y, spins, i, x), velocity_at(y, spins, j, x))
    slip = axpy(scale(u, -1.0), dot(u, n), n)  # of B relative to A
    spin = (spins[j, 0] - spins[i, 0], spins[j, 1] - spins[i, 1], spins[j, 2] - spins[i, 2])
    z = (memory[BRISTLE], memory[BRISTLE + 1], memory[BRISTLE + 2])
    heavy = 0.0
    if h > 0.0:
        twist = lever * dot(spin, n)
        speed = math.sqrt(dot(slip, slip) + twist * twist)
        if speed > 0.0:
            couple = scale(n, lever * twist / speed)
            heavy = felt_mass(y, world[0], i, j, x, scale(slip, 1.0 / speed), couple)
    friction, torque, bristles, taken, change = rub(laws, which, load, n, slip, lever, spin, z, h, heavy)
    f = add(scale(n, load), friction)
    back = scale(f, -1.0)
    push(forces, j, f, add(cross(sub(x, place(y, j)), f), torque))
    push(forces, i, back, sub(cross(sub(x, place(y, i)), back), torque))
    if h > 0.0:
        note_extremes(pieces, a, b, row, laws, which, world[9])
    deed[NORMAL_FORCE], deed[POWER], deed[ELASTIC] = load, dot(f, u) - dot(torque, spin), elastic + bristles
    deed[STORED] = stored + taken
    for c in range(3):
        deed[FORCE + c], deed[AT + c], stretch[c] = f[c], x[c], change[c]


@jit
def common_loads(y, spins, world, forces):
    """Gravity and springs; elastic energy and absorbed power of the springs."""
    inertia, gravity, ends, springs = world[0], world[1], world[2], world[3]
    for i in range(y.shape[0]):
        for c in range(3):
            forces[i, c], forces[i, 3 + c] = inertia[i, MASS] * gravity[c], 0.0
    return pull(y, spins, ends, springs, forces)


@jit
def outer_power(y, spins, world, forces, extra):
    """Power that comes from outside: of the loads of the user, and of the bodies that are moved."""
    inertia = world[0]
    total = 0.0
    for i in range(y.shape[0]):
        v, w = velocity(y, i), (spins[i, 0], spins[i, 1], spins[i, 2])
        f, torque = (extra[i, 0], extra[i, 1], extra[i, 2]), (extra[i, 3], extra[i, 4], extra[i, 5])
        if inertia[i, INVERSE_MASS] > 0.0:
            total += dot(f, v) + dot(torque, w)
        else:
            total -= dot((forces[i, 0], forces[i, 1], forces[i, 2]), v)
            total -= dot((forces[i, 3], forces[i, 4], forces[i, 5]), w)
    return total


@jit
def add_extra(forces, extra):
    for i in range(forces.shape[0]):
        for c in range(6):
            forces[i, c] += extra[i, c]
