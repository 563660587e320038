"""Forces on all bodies: gravity, springs and contacts, in compiled code.

`world` is the tuple (inertia, gravity, ends, springs, owner, local, law_of, laws, where) of tables that do
not change: see `assembly`.  `law_of[i, j]` is the row of `laws` for the bodies i and j, or -1 if they are
not asked about; `where` tells at which part of the way from the point on A to the point on B a contact
force acts: 0 on A, 0.5 in the middle of the depth as in the papers, 1 on B.
"""

from .._jit import jit
from ..kernels.quaternions import angular_velocity
from ..kernels.vectors import add, axpy, cross, dot, norm, scale, sub
from .narrow import bend, points
from .press import needs_curvature, press
from .spring import pull, push
from .state import INVERSE_MASS, MASS, orientation, place, velocity, velocity_at
from .touch import CURVATURES, DISTANCE, NORMAL

# What is remembered of a pair: whether it touches, the closing speed at the impact, the deflection of its bristles,
# the way that both bodies together can still go before they may touch (fast mode).
TOUCHING, IMPACT, BRISTLE, SLACK = 0, 1, 2, 5
MEMORY = 6
# What a contact did, for the records: law's normal force, force on B, point, absorbed power, elastic energy.
NORMAL_FORCE, FORCE, AT, POWER, ELASTIC = 0, 1, 4, 7, 8
DEED = 9


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
def _lightness(y, inertia, i, x, e):
    """Inverse of the mass that a force along the unit vector e at the point x of body i feels."""
    if inertia[i, INVERSE_MASS] == 0.0:
        return 0.0
    arm = cross(sub(x, place(y, i)), e)
    spin = angular_velocity(orientation(y, i), arm, (inertia[i, 5], inertia[i, 6], inertia[i, 7]))
    return inertia[i, INVERSE_MASS] + dot(arm, spin)


@jit
def contact_load(y, spins, world, pieces, pair, row, memory, jets, forces, deed, stretch, h):
    """Force of one contact that touches, added to both bodies.

    `stretch` gets the rate of change of the bristles, or with a step h > 0 what they are after it; `deed` the record.
    """
    owner, law_of, laws = world[4], world[6], world[7]
    a, b = pair[0], pair[1]
    i, j = owner[a], owner[b]
    n = (row[NORMAL], row[NORMAL + 1], row[NORMAL + 2])
    u, x, rate = closing(y, spins, world, pair, row)
    slip = axpy(scale(u, -1.0), rate, n)  # of B relative to A
    spin = (spins[j, 0] - spins[i, 0], spins[j, 1] - spins[i, 1], spins[j, 2] - spins[i, 2])
    z = (memory[BRISTLE], memory[BRISTLE + 1], memory[BRISTLE + 2])
    law = laws[law_of[i, j]]
    if needs_curvature(law):
        bend(pieces, a, b, jets, row)
    heavy, heavy_too = 0.0, 0.0
    if h > 0.0:
        heavy = 1.0 / (_lightness(y, world[0], i, x, n) + _lightness(y, world[0], j, x, n))
        speed = norm(slip)
        if speed > 0.0:
            e = scale(slip, 1.0 / speed)
            heavy_too = 1.0 / (_lightness(y, world[0], i, x, e) + _lightness(y, world[0], j, x, e))
    load, friction, torque, elastic, change = press(
        law, -row[DISTANCE], rate, memory[IMPACT], row[CURVATURES], row[CURVATURES + 1], n, slip, spin, z, h, heavy,
        heavy_too,
    )  # fmt: skip
    f = add(scale(n, load), friction)
    back = scale(f, -1.0)
    push(forces, j, f, add(cross(sub(x, place(y, j)), f), torque))
    push(forces, i, back, sub(cross(sub(x, place(y, i)), back), torque))
    deed[NORMAL_FORCE], deed[POWER], deed[ELASTIC] = load, dot(f, u) - dot(torque, spin), elastic
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
