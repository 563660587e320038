"""The friction laws in compiled code: an integer code, a row of floats, one function.

| place in the row | what | unit |
|---|---|---|
| 0, 1 | static and dynamic coefficient (tanh: both the same) | |
| 2 | tanh: k; Coulomb: speed of the peak; bristle: Stribeck speed | m/s |
| 3 | Coulomb: speed from which the coefficient is the dynamic one | m/s |
| 4, 5 | bristle: stiffness and damping | N/m, N s/m |
| 6 | bristle: share of the limit below which it is purely elastic | |
| 7 | free | |

`slip` is the tangential velocity of B relative to A at the contact, `load` the normal force; forces are
those on B, the opposite ones act on A.  `stretch` is the bristle's state, a tangential vector [m]; laws
without memory ignore it and answer with a rate of zero.
"""

import math

from ..compiled.jit import entry, jit
from ..kernels.vectors import add, axpy, dot, norm, scale

FRICTION_ROW = 8
FRICTIONLESS, TANH, COULOMB, BRISTLE = range(4)


@jit
def tanh_over(speed, k):
    """tanh(speed / k) / speed; its limit 1/k at rest (Römer 3-D, Eq. 97, first case)."""
    x = speed / k
    return (1.0 - x * x / 3.0) / k if x < 1e-4 else math.tanh(x) / speed


@jit
def coulomb_over(row, speed):
    """Coefficient / speed: rises to the static one at row[2], falls to the dynamic one at row[3], both smoothly."""
    if speed < row[2]:
        x = speed / row[2]
        return row[0] * 0.5 * (3.0 - x * x) / row[2]
    x = min((speed - row[2]) / (row[3] - row[2]), 1.0)
    return (row[0] + (row[1] - row[0]) * x * x * (3.0 - 2.0 * x)) / speed


@jit
def bristle_limit(row, load, speed):
    """Largest friction force of the bristle [N], with Stribeck's fall from static to dynamic."""
    x = speed / row[2]
    return load * (row[1] + (row[0] - row[1]) * math.exp(-x * x))


@jit
def bristle_force(row, load, slip, stretch):
    """Force of a bristle that is elastic, then gives way (after Dupont et al. 2002), and its stretch rate.

    Passive for any history of load and slip: the elastic part never exceeds the limit, gives way fully where
    it is cut, and the damping part uses only what room is left.
    """
    limit = bristle_limit(row, load, norm(slip))
    length = norm(stretch)
    elastic = row[4] * length
    rate = slip
    hold = 1.0
    if length > 0.0:
        forward = dot(stretch, slip) / length
        if forward > 0.0:
            give = 1.0
            if elastic < limit:
                x = max(elastic / limit - row[6], 0.0) / (1.0 - row[6])
                give = x * x * (3.0 - 2.0 * x)
            rate = axpy(slip, -give * forward / length, stretch)
        if elastic > limit:
            hold = limit / elastic
    spring = scale(stretch, hold * row[4])
    damper = scale(rate, row[5])
    # The largest share of the damper, up to the whole, with |spring + share damper| <= limit.
    share = 1.0
    total = add(spring, damper)
    dd, sd = dot(damper, damper), dot(spring, damper)
    if dd > 0.0 and dot(total, total) > limit * limit:
        room = max(limit * limit - dot(spring, spring), 0.0)
        root = math.sqrt(sd * sd + dd * room)
        share = room / (root + sd) if sd > 0.0 else (root - sd) / dd
        share = min(share, 1.0)
    return scale(axpy(spring, share, damper), -1.0), rate


@jit
def friction_force(code, row, load, slip, stretch):
    """Friction force on B [N] and time derivative of `stretch` [m/s], two 3-tuples; |force| <= coefficient load."""
    none = (0.0, 0.0, 0.0)
    if not load > 0.0:
        return none, none
    if code == TANH:
        return scale(slip, -row[0] * load * tanh_over(norm(slip), row[2])), none
    if code == COULOMB:
        return scale(slip, -load * coulomb_over(row, norm(slip))), none
    if code == BRISTLE:
        return bristle_force(row, load, slip, stretch)
    return none, none


@jit
def stretch_after(code, row, load, normal, slip, stretch, dt):
    """The state after a step of fixed size: turned into the tangent plane, stretched, cut to the limit.

    For fixed-step integrators; zero where there is no load, so that a new contact starts unstretched.
    """
    if code != BRISTLE or not load > 0.0:
        return (0.0, 0.0, 0.0)
    flat = axpy(stretch, -dot(stretch, normal), normal)
    old, new = norm(stretch), norm(flat)
    if new > 0.0:
        flat = scale(flat, old / new)
    flat = axpy(flat, dt, slip)
    elastic, limit = row[4] * norm(flat), bristle_limit(row, load, norm(slip))
    return scale(flat, limit / elastic) if elastic > limit else flat


@jit
def rolling_torque(row, load, normal, spin):
    """Torque on B [N m] against the angular velocity `spin` of B relative to A, about a contact with `normal`.

    The row: rolling lever [m], spinning lever [m], angular speed of the tanh [rad/s].
    """
    if not load > 0.0:
        return (0.0, 0.0, 0.0)
    about = dot(spin, normal)
    roll = axpy(spin, -about, normal)
    rolled = scale(roll, -row[0] * load * tanh_over(norm(roll), row[2]))
    return axpy(rolled, -row[1] * load * about * tanh_over(abs(about), row[2]), normal)


@entry
def friction_forces(code, row, load, slip, stretch, out, rates):
    """:func:`friction_force` for n loads and (n, 3) vectors."""
    for i in range(load.size):
        v = (slip[i, 0], slip[i, 1], slip[i, 2])
        s = (stretch[i, 0], stretch[i, 1], stretch[i, 2])
        force, rate = friction_force(code, row, load[i], v, s)
        for k in range(3):
            out[i, k] = force[k]
            rates[i, k] = rate[k]


@entry
def stretches_after(code, row, load, normal, slip, stretch, dt, out):
    """:func:`stretch_after` for n loads and (n, 3) vectors."""
    for i in range(load.size):
        n = (normal[i, 0], normal[i, 1], normal[i, 2])
        v = (slip[i, 0], slip[i, 1], slip[i, 2])
        s = (stretch[i, 0], stretch[i, 1], stretch[i, 2])
        new = stretch_after(code, row, load[i], n, v, s, dt)
        for k in range(3):
            out[i, k] = new[k]


@entry
def rolling_torques(row, load, normal, spin, out):
    """:func:`rolling_torque` for n loads and (n, 3) vectors."""
    for i in range(load.size):
        n = (normal[i, 0], normal[i, 1], normal[i, 2])
        torque = rolling_torque(row, load[i], n, (spin[i, 0], spin[i, 1], spin[i, 2]))
        for k in range(3):
            out[i, k] = torque[k]
