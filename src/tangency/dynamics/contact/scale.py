"""Duration, depth and energy of a contact, from which steps and tolerances are derived.

A mass with the energy E compresses a spring until the spring stores E; the contact lasts about three times as long as
the motion to that depth at full speed (pi for F = K depth, 2.94 for F = K depth^1.5).  A damper stops it earlier.
All scales are computed from the law itself, whatever its formulas.
"""

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import entry, jit
from ...forces.friction_kernel import RATE
from ...kernels.jet import JET
from ...kernels.support_set import PROBES
from ...kernels.vectors import axpy, dot
from ..accurate.motion_vector import stretch_in, unpack
from ..images_kernel import NO_SHIFT
from ..law_between import law_between
from ..loads_kernel import IMMOVABLE, NO_TORQUE, closing, felt_mass
from ..state import is_free, kinematics, place_shapes
from ..tables import named_world
from .columns import DISTANCE, IMPACT, curvatures, normal
from .gap_curvature import gap_curvature
from .laws import Laws, friction_of, has_state, needs_curvature, normal_of

# Columns: duration of the contact [s], its largest depth [m] and energy [J], effective mass [kg], present elastic
# energy [J], present elastic normal force [N], largest radius of curvature of the gap [m], 0 for patches.
DURATION, DEEPEST, ENERGY, FELT, ELASTIC_NOW, SPRING_NOW, FLATNESS = range(7)
SCALES = 7
ENDLESS = 1e300
MIN_DEPTH_SCALE = 1e-3  # fraction of the half width of a body
_START = 1e-6  # depth at which a search starts [m]
_TOUCH = 1e-9  # fraction of the largest depth that counts as first touch


# Quantities of a law: elastic force, elastic energy, work of the damper at full speed.
_FORCE, _ENERGY, _WORK = 0, 1, 2
_NODES = (  # of Gaussian quadrature on 0 .. 1, with weights
    (0.06943184420297371, 0.17392742256872693),
    (0.33000947820757187, 0.32607257743127307),
    (0.6699905217924281, 0.32607257743127307),
    (0.9305681557970262, 0.17392742256872693),
)
_DEPTH_ACCURACY = 1e-12  # relative error of a depth
_LEAP = 12.0  # natural logarithm of the largest factor by which a depth changes in one step of the search


class _LawHere(NamedTuple):
    """The normal law of one contact, with the quantities that stay constant while it lasts."""

    laws: Laws
    which: int
    impact: float  #: closing speed at its start
    k1: float  #: principal curvatures of the gap
    k2: float


@jit
def _response(law, depth, rate):
    """Normal force, its elastic part and the elastic energy."""
    return normal_of(law.laws, law.which, depth, rate, law.impact, law.k1, law.k2)


@jit
def _measure(law, what, depth, speed):
    """A quantity of the law at `depth`, and its logarithmic derivative (approximate for force and work)."""
    if what != _WORK:
        _, force, energy = _response(law, depth, 0.0)
        slope = force * depth / energy  # n + 1 for K depth^n
        return (force, slope - 1.0) if what == _FORCE else (energy, slope)
    # Gaussian quadrature in the square root of the depth, exact for powers 0, 1/2, ..., 5/2 of the depth.
    total = 0.0
    for node, weight in _NODES:
        force, elastic, _ = _response(law, node * node * depth, speed)
        total += 2.0 * weight * node * depth * (force - elastic)
    force, elastic, _ = _response(law, depth, speed)
    return total, ((force - elastic) * depth / total if total > 0.0 else 1.0)


@jit
def _depth_for(law, what, goal, start, speed):
    """Depth at which a quantity of the law reaches `goal`, by Newton steps in logarithms, exact for powers.

    If the law is not finite there, a depth just before.
    """
    depth, good, bad = start, 0.0, math.inf
    for _ in range(60):
        value, slope = _measure(law, what, depth, speed)
        if not value < ENDLESS or (value > 0.0 and slope != slope):  # overflow, or the law is not finite
            bad = min(bad, depth)
            depth = math.sqrt(good * bad) if good > 0.0 else 1e-3 * depth
            continue
        if not value > 0.0:  # underflow
            depth = min(1e3 * depth, math.sqrt(depth * bad))
            continue
        good = depth
        step = math.log(goal / value) / min(max(slope, 0.25), 50.0)
        step = min(max(step, -_LEAP), _LEAP)
        depth = min(depth * math.exp(step), math.sqrt(depth * bad))
        if not 1e-200 < depth < 1e200:
            break
        if abs(step) < _DEPTH_ACCURACY:
            break
    if good == 0.0:
        return start  # finite nowhere: no scale
    return min(depth, good) if depth >= bad else depth


@jit
def _impact_scale(law, mass, depth, rate, push):
    """Duration, largest depth and energy of a contact at `depth` that closes at `rate` under a force `push`."""
    energy = _response(law, depth, 0.0)[2]
    if not mass < IMMOVABLE:
        return ENDLESS, 0.0, 0.0  # neither body moves freely
    start = depth if depth > 0.0 else _START
    energy += 0.5 * mass * rate * rate
    if push > 0.0:
        energy += push * _depth_for(law, _FORCE, push, start, 0.0)
    if not 0.0 < energy < ENDLESS:
        return ENDLESS, 0.0, 0.0
    deepest = _depth_for(law, _ENERGY, energy, start, 0.0)
    speed = math.sqrt(2.0 * energy / mass)
    # A strong damper stops the mass earlier: where its work at full speed is twice the energy.
    if _measure(law, _WORK, deepest, speed)[0] > 2.0 * energy:
        deepest = min(deepest, _depth_for(law, _WORK, 2.0 * energy, deepest, speed))
    return 3.0 * deepest / speed, deepest, energy


@entry
def contact_time(laws, which, mass, speed, curvature):
    """Duration of an impact [s] between bodies whose gap has this curvature, and the damping at first touch [N s/m]."""
    law = _LawHere(laws, which, speed, curvature, curvature)
    lasts, deepest, _ = _impact_scale(law, mass, 0.0, speed, 0.0)
    force, elastic, _ = _response(law, _TOUCH * deepest, speed)
    return lasts, (force - elastic) / speed


@entry
def contact_scales(vector, bodies, world, contacts, which, pushed, out):
    """Write the scales of the contacts `which`, whose rows are up to date, to `out`; the rest as in `evaluate`.

    `pushed` holds upper bounds on the acceleration of any point of each body.  Contacts that share a free body shorten
    each other: the squares of their frequencies add up.
    """
    (free, y, _, _), (pairs, rows, memory, records), world = bodies, contacts, named_world(world)
    inertia, owner, laws, shapes = world.inertia, world.owner, world.laws, world.shapes
    unpack(vector, free, y)
    motion, jets, quick = kinematics(y, inertia), np.empty(PROBES * JET), np.zeros(y.shape[0])
    place_shapes(y, world)
    for m in range(which.shape[0]):
        k = which[m]
        a, b, row, found = pairs[k, 0], pairs[k, 1], rows[k], out[m]
        i, j = owner[a], owner[b]
        number = law_between(world.body_labels, world.class_of, world.law_of, i, j)
        patch = shapes.flat[a] != 0 and shapes.flat[b] != 0
        if needs_curvature(laws, number) or not patch:
            gap_curvature(shapes, a, b, NO_SHIFT, jets, row, records[k])
        n, depth = normal(row), -row[DISTANCE]
        x, rate = closing(motion, i, j, world.where, row, NO_SHIFT)
        mass = felt_mass(motion, inertia, i, j, x, NO_SHIFT, n, NO_TORQUE)
        k1, k2 = curvatures(records[k])
        law = _LawHere(laws, number, memory[k, IMPACT], k1, k2)
        push = mass * (pushed[i] + pushed[j])
        found[DURATION], found[DEEPEST], found[ENERGY] = _impact_scale(law, mass, depth, rate, push)
        found[FELT], found[ELASTIC_NOW], found[SPRING_NOW] = mass, 0.0, 0.0
        found[FLATNESS] = 0.0 if patch else min(1.0 / max(k2, 1e-300), ENDLESS)
        if not mass < IMMOVABLE:
            # Neither body moves freely: the depth is prescribed, and their size sets the scale.
            half = min(shapes.widths[a], shapes.widths[b])
            deep = max(depth, MIN_DEPTH_SCALE * half)
            found[DEEPEST], found[ENERGY] = deep, _response(law, deep, 0.0)[2]
        if depth > 0.0:
            _, found[SPRING_NOW], found[ELASTIC_NOW] = _response(law, depth, 0.0)
        if has_state(laws, number):
            z = stretch_in(vector, free, m)
            found[ELASTIC_NOW] += friction_of(laws, number, 0.0, NO_TORQUE, axpy(z, -dot(z, n), n), RATE)[2]
        for body in (i, j):
            if is_free(inertia, body):
                quick[body] += found[DURATION] ** -2.0
    for m in range(which.shape[0]):
        k = which[m]
        own = out[m, DURATION] ** -2.0
        total = own
        for body in (owner[pairs[k, 0]], owner[pairs[k, 1]]):
            if is_free(inertia, body):
                total += quick[body] - own
        out[m, DURATION] = 1.0 / math.sqrt(total) if total > 0.0 else ENDLESS
