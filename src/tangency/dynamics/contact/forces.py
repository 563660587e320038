"""Normal force and friction of one contact, from the laws of its pair."""

import math
from typing import Any, NamedTuple

from ...compiled.jit import inlined, jit
from ...forces.friction_kernel import RATE, turned
from ...kernels.vectors import axpy, dot, norm, scale, sub
from .law_faults import INFINITE, note_friction, note_normal
from .laws import friction_of, has_state, normal_of
from .undue_slip import SLOWER, bristle_change, undue_of_weakened

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


class Rubbing(NamedTuple):
    """Friction of a contact, before it is known whether the step is short enough for it."""

    slip: Any  #: with the spin of a patch as its part along the normal
    before: Any  #: stretch of the bristles before the step, in the tangent plane
    friction: Any
    change: Any  #: stretch after the step, or its rate of change
    elastic: float  #: energy of the bristles
    stored: float  #: its rate


@inlined
def press(laws, which, approach, pair, fault):
    """Normal force of one point under the law `which`, its elastic part and the elastic energy.

    If the law returns a number that is not finite, it is noted in `fault`.
    """
    load, spring, energy = normal_of(
        laws, which, approach.depth, approach.rate, approach.impact, approach.k1, approach.k2
    )
    if not abs(load) + abs(spring) + abs(energy) < INFINITE:
        note_normal(fault, pair, laws, which, approach)
        return math.nan, math.nan, math.nan
    return load, spring, energy


@jit
def _size(v):
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@inlined
def rub(laws, which, load, sliding, h, pair, fault):
    """Friction on B, as a :class:`Rubbing`, whose part along n is the torque of a patch over its lever.

    A patch with a `lever` > 0 resists spinning: `lever` times the spin about n is the part of the slip along n, and
    the friction limit holds for all three parts together (Howe and Cutkosky 1996).  With a step h > 0, the stretch
    is that after the step, otherwise its rate of change.  `fault` as in `press`.
    """
    n, slip, spin, lever = sliding.normal, sliding.slip, sliding.spin, sliding.lever
    across = n
    if lever > 0.0:
        slip, across = axpy(slip, lever * dot(spin, n), n), (0.0, 0.0, 0.0)
    z, step = sliding.stretch, RATE
    if h > 0.0:
        z, step = turned(z, across), h
    else:
        z = axpy(z, -dot(z, across), across)
    return rubbed(laws, which, load, slip, z, step, pair, fault)


@inlined
def rubbed(laws, which, load, slip, z, step, pair, fault):
    """Friction on B as a :class:`Rubbing`, for a stretch z in the tangent plane; a step h > 0, or `RATE`."""
    friction, change, elastic, stored = friction_of(laws, which, load, slip, z, step)
    if not _size(friction) + _size(change) + abs(elastic) + abs(stored) < INFINITE:
        note_friction(fault, pair, laws, which, load, slip, z, step)
        return Rubbing(_NONE, _NONE, _NOWHERE, _NOWHERE, math.nan, math.nan)
    return Rubbing(slip, z, friction, change, elastic, stored)


@inlined
def is_resolved(laws, which, rubbing, h, mass):
    """Whether the step h is short enough for this friction, for at least the effective mass `mass`."""
    most = DAMPED_PER_STEP * mass * norm(rubbing.slip) / h
    if norm(rubbing.friction) <= most or not norm(rubbing.slip) > 0.0:
        return True
    return has_state(laws, which) and bristle_change(rubbing, h) <= most


@inlined
def within_step(laws, which, load, rubbing, h, mass):
    """The friction, weakened if it has no bristles and the step is too long for it, and the undue slip.

    The undue slip is the velocity with which the contact slips only because of the step, see `undue_slip`; its part
    along n is the spin times the lever.
    """
    friction, slip = rubbing.friction, rubbing.slip
    undue, size, most = _NONE, norm(friction), DAMPED_PER_STEP * mass * norm(slip) / h
    if size > most > 0.0:
        if has_state(laws, which):
            if bristle_change(rubbing, h) > most:
                undue = axpy(slip, -1.0 / h, sub(rubbing.change, rubbing.before))
        else:
            low = norm(friction_of(laws, which, load, scale(slip, SLOWER), rubbing.before, h)[0])
            undue = undue_of_weakened(slip, size, low, most)
            friction = scale(friction, most / size)
    return friction, undue
