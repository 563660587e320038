"""Normal force, friction and rolling resistance of one contact, from the laws of its pair."""

from ..compiled.jit import jit
from ..forces.friction_kernel import RATE, turned
from ..forces.rolling_kernel import rolling_torque
from ..kernels.vectors import axpy, dot, norm, scale
from .laws import friction_of, has_state, normal_of, rolling_of, rolls

SHARE = 0.25  # of the relative motion that a damper may take away in one step


@jit
def press(laws, which, depth, rate, impact, k1, k2, h, heavy):
    """Normal force, elastic energy and power that is stored, of one point under the law `which`.

    With a step h > 0 a damper that would stop the approach within a few steps is weakened, for which `heavy` is the
    mass that the point feels along the normal.
    """
    load, spring, energy = normal_of(laws, which, depth, rate, impact, k1, k2)
    if h > 0.0:
        most = SHARE * heavy * abs(rate) / h
        load = spring + min(max(load - spring, -most), most)
    return load, energy, spring * rate


@jit
def rub(laws, which, load, n, slip, lever, spin, z, h, heavy):
    """Friction force and torque on B; elastic energy of the bristles, the power stored there, and their stretch.

    `slip` and `spin` are the tangential and the angular velocity of B relative to A, `z` the stretch of the bristles.
    A patch with a `lever` > 0 resists spinning: `lever` times the spin about n is the part of the slip along n, and
    the friction limit holds for all three parts together (Howe and Cutkosky 1996).  With a step h > 0 the last result
    is the stretch after the step, otherwise its rate of change; and friction without bristles is weakened as in
    `press`, `heavy` being the mass that it feels.
    """
    across = n
    if lever > 0.0:
        slip, across = axpy(slip, lever * dot(spin, n), n), (0.0, 0.0, 0.0)
    z = axpy(z, -dot(z, across), across)
    step = RATE
    if h > 0.0:
        z, step = turned(z, across), h
    friction, change, elastic, stored = friction_of(laws, which, load, slip, z, step)
    if h > 0.0 and not has_state(laws, which):
        size, most = norm(friction), SHARE * heavy * norm(slip) / h
        if size > most:
            friction = scale(friction, most / size)
    torque = (0.0, 0.0, 0.0)
    if rolls(laws, which):
        torque = rolling_torque(rolling_of(laws, which), load, n, spin)
    if lever > 0.0:
        along = dot(friction, n)
        friction, torque = axpy(friction, -along, n), axpy(torque, lever * along, n)
    return friction, torque, elastic, stored, change
