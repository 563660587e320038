"""Normal force, friction and rolling resistance, from one row of numbers.

The row: code and parameters of the normal law, code and parameters of the friction law, rolling resistance;
see `tangency.forces`.
"""

from ..compiled.jit import jit
from ..forces.friction_kernel import BRISTLE, FRICTION_ROW, friction_force, rolling_torque, stretch_after
from ..forces.normal_kernel import GIVEN, NORMAL_ROW, contact_stiffness, normal_force, power
from ..kernels.vectors import axpy, dot, norm, scale

# Places in the row: parameters of the normal law, code and parameters of the friction, rolling resistance.
NORMAL_PART, FRICTION = 1, 1 + NORMAL_ROW
_ROLLING = FRICTION + 1 + FRICTION_ROW
LAW = _ROLLING + 3

SHARE = 0.25  # of the relative motion that a damper may take away in one step


@jit
def needs_curvature(law):
    """Whether the stiffness depends on the curvature of the gap."""
    return law[NORMAL_PART + 2] != GIVEN


@jit
def largest_curvature(law, k1, k2):
    """The larger curvature of the gap as the law takes it."""
    return min(max(max(k1, k2), law[NORMAL_PART + 6]), law[NORMAL_PART + 7])


@jit
def press(law, depth, rate, impact, k1, k2, h, heavy):
    """Normal force, elastic energy and power that is stored, of one point.

    With a step h > 0 a damper that would stop the approach within a few steps is weakened, for which `heavy` is the
    mass that the point feels along the normal.
    """
    row = law[NORMAL_PART : NORMAL_PART + NORMAL_ROW]
    load = normal_force(int(law[0]), row, depth, rate, impact, k1, k2)
    spring = contact_stiffness(row, k1, k2) * power(depth, row[1]) if depth > 0.0 else 0.0
    if h > 0.0:
        most = SHARE * heavy * abs(rate) / h
        load = spring + min(max(load - spring, -most), most)
    return load, spring * depth / (row[1] + 1.0), spring * rate


@jit
def rub(law, load, n, slip, lever, spin, z, h, heavy):
    """Friction force and torque on B; elastic energy of the bristles, the power stored there, and their stretch.

    `slip` and `spin` are the tangential and the angular velocity of B relative to A, `z` the stretch of the bristles.
    A patch with a `lever` > 0 resists spinning: `lever` times the spin about n is the part of the slip along n, and
    the friction limit holds for all three parts together (Howe and Cutkosky 1996).  With a step h > 0 the last result
    is the stretch after the step, otherwise its rate of change; and friction without bristles is weakened as in
    `press`, `heavy` being the mass that it feels.
    """
    code, tangential = int(law[FRICTION]), law[FRICTION + 1 : FRICTION + 1 + FRICTION_ROW]
    across = n
    if lever > 0.0:
        slip, across = axpy(slip, lever * dot(spin, n), n), (0.0, 0.0, 0.0)
    z = axpy(z, -dot(z, across), across)
    if h > 0.0:
        z = stretch_after(code, tangential, load, across, slip, z, h)
        friction, _ = friction_force(code, tangential, load, slip, z)
        change = z
        if code != BRISTLE:
            size, most = norm(friction), SHARE * heavy * norm(slip) / h
            if size > most:
                friction = scale(friction, most / size)
    else:
        friction, change = friction_force(code, tangential, load, slip, z)
    elastic, stored = 0.0, 0.0
    if code == BRISTLE:
        elastic, stored = 0.5 * tangential[4] * dot(z, z), tangential[4] * dot(z, change)
    torque = (0.0, 0.0, 0.0)
    if law[_ROLLING] > 0.0 or law[_ROLLING + 1] > 0.0:
        torque = rolling_torque(law[_ROLLING : _ROLLING + 3], load, n, spin)
    if lever > 0.0:
        along = dot(friction, n)
        friction, torque = axpy(friction, -along, n), axpy(torque, lever * along, n)
    return friction, torque, elastic, stored, change
