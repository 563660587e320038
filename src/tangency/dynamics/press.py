"""Normal force, friction and rolling resistance of one contact, from one row of numbers.

The row: code and parameters of the normal law, code and parameters of the friction law, rolling resistance;
see `tangency.forces`.
"""

from .._jit import jit
from ..forces.friction_kernel import BRISTLE, FRICTION_ROW, friction_force, rolling_torque, stretch_after
from ..forces.normal_kernel import GIVEN, NORMAL_ROW, contact_stiffness, normal_force, power
from ..kernels.vectors import axpy, dot, norm, scale

_NORMAL, _FRICTION = 1, 2 + NORMAL_ROW
_ROLLING = _FRICTION + FRICTION_ROW
LAW = _ROLLING + 3

SHARE = 0.25  # of the relative motion that a damper may take away in one step


@jit
def needs_curvature(law):
    """Whether the stiffness depends on the curvature of the gap."""
    return law[_NORMAL + 2] != GIVEN


@jit
def press(law, depth, rate, impact, k1, k2, n, slip, spin, z, h, heavy, heavy_too):
    """Normal force, friction force and torque on B, elastic energy, and bristles.

    `slip` and `spin` are the tangential and the angular velocity of B relative to A, `z` the stretch of the
    bristles.  With a step h > 0 the last result is the stretch after the step, otherwise its rate of change; and
    dampers and friction that would stop the relative motion within a few steps are weakened, for which `heavy`
    and `heavy_too` are the masses that the contact feels along the normal and along the slip.
    """
    row, tangential = law[_NORMAL : _NORMAL + NORMAL_ROW], law[_FRICTION : _FRICTION + FRICTION_ROW]
    load = normal_force(int(law[0]), row, depth, rate, impact, k1, k2)
    spring = contact_stiffness(row, k1, k2) * power(depth, row[1]) if depth > 0.0 else 0.0
    elastic = spring * depth / (row[1] + 1.0)
    if h > 0.0:
        most = SHARE * heavy * abs(rate) / h
        load = spring + min(max(load - spring, -most), most)
    code = int(law[_FRICTION - 1])
    z = axpy(z, -dot(z, n), n)
    if h > 0.0:
        z = stretch_after(code, tangential, load, n, slip, z, h)
        friction, _ = friction_force(code, tangential, load, slip, z)
        change = z
        if code != BRISTLE:
            size, most = norm(friction), SHARE * heavy_too * norm(slip) / h
            if size > most:
                friction = scale(friction, most / size)
    else:
        friction, change = friction_force(code, tangential, load, slip, z)
    if code == BRISTLE:
        elastic += 0.5 * tangential[4] * dot(z, z)
    torque = (0.0, 0.0, 0.0)
    if law[_ROLLING] > 0.0 or law[_ROLLING + 1] > 0.0:
        torque = rolling_torque(law[_ROLLING : _ROLLING + 3], load, n, spin)
    return load, friction, torque, elastic, change
