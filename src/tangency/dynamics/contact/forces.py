"""Normal force, friction and rolling resistance of one contact, from the laws of its pair."""

import math
from typing import Any, NamedTuple

from ...compiled.jit import inlined, jit
from ...forces.friction_kernel import RATE, turned
from ...forces.rolling_kernel import rolling_torque
from ...kernels.vectors import axpy, dot, norm, scale
from .law_faults import INFINITE, note_friction, note_normal
from .laws import friction_of, has_state, normal_of, rolling_of, rolls
from .undue_slip import SLOWER, undue_of_bristles, undue_of_weakened

DAMPED_PER_STEP = 0.25  # largest fraction of the relative velocity that a damper may remove in one step
_NONE = (0.0, 0.0, 0.0)
_NOWHERE = (math.nan, math.nan, math.nan)


class Approach(NamedTuple):
    """Arguments of a normal law."""

    depth: float
    rate: float  #: of the depth
    impact: float  #: rate at the start of the contact
    k1: float  #: principal curvatures of the gap
    k2: float


class Sliding(NamedTuple):
    """Arguments of friction and rolling resistance, besides the normal force."""

    normal: Any
    slip: Any  #: tangential velocity of B relative to A
    spin: Any  #: angular velocity of B relative to A
    lever: float  #: radius of gyration of the forces of a patch, 0 for a point
    stretch: Any  #: of the bristles


@inlined
def press(laws, which, approach, h, mass, pair, fault):
    """Normal force, elastic energy and stored power of one point under the law `which`.

    With a step h > 0, a damper that would stop the approach within a few steps is weakened; `mass` is the effective
    mass at the point along the normal.  If the law returns a number that is not finite, it is noted in `fault`.
    """
    rate = approach.rate
    load, spring, energy = normal_of(laws, which, approach.depth, rate, approach.impact, approach.k1, approach.k2)
    if not abs(load) + abs(spring) + abs(energy) < INFINITE:
        note_normal(fault, pair, laws, which, approach)
        return math.nan, math.nan, math.nan
    if h > 0.0:
        most = DAMPED_PER_STEP * mass * abs(rate) / h
        load = spring + min(max(load - spring, -most), most)
    return load, energy, spring * rate


@jit
def _size(v):
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@inlined
def rub(laws, which, load, sliding, h, mass, pair, fault):
    """Friction force and torque on B; elastic energy of the bristles, its rate, and their stretch; undue slip.

    A patch with a `lever` > 0 resists spinning: `lever` times the spin about n is the part of the slip along n, and
    the friction limit holds for all three parts together (Howe and Cutkosky 1996).  With a step h > 0, the stretch
    is that after the step, otherwise its rate of change; and friction without bristles is weakened as in `press`, with
    the effective mass `mass`.  The last result is the velocity with which the contact slips only because of the step,
    see `undue_slip`; its part along n is the spin times the lever.  `fault` as in `press`.
    """
    n, slip, spin, lever = sliding.normal, sliding.slip, sliding.spin, sliding.lever
    across = n
    if lever > 0.0:
        slip, across = axpy(slip, lever * dot(spin, n), n), (0.0, 0.0, 0.0)
    z = axpy(sliding.stretch, -dot(sliding.stretch, across), across)
    step = RATE
    if h > 0.0:
        z, step = turned(z, across), h
    friction, change, elastic, stored = friction_of(laws, which, load, slip, z, step)
    if not _size(friction) + _size(change) + abs(elastic) + abs(stored) < INFINITE:
        note_friction(fault, pair, laws, which, load, slip, z, step)
        return _NOWHERE, _NOWHERE, math.nan, math.nan, _NOWHERE, _NONE
    undue = _NONE
    if h > 0.0:
        size, most = norm(friction), DAMPED_PER_STEP * mass * norm(slip) / h
        if size > most > 0.0:
            if has_state(laws, which):
                undue = undue_of_bristles(slip, friction, z, change, elastic, h, most)
            else:
                low = norm(friction_of(laws, which, load, scale(slip, SLOWER), z, step)[0])
                undue = undue_of_weakened(slip, size, low, most)
                friction = scale(friction, most / size)
    torque = _NONE
    if rolls(laws, which):
        torque = rolling_torque(rolling_of(laws, which), load, n, spin)
    if lever > 0.0:
        along = dot(friction, n)
        friction, torque = axpy(friction, -along, n), axpy(torque, lever * along, n)
    return friction, torque, elastic, stored, change, undue
