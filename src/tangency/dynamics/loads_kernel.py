"""Forces on all bodies: gravity, springs and contacts, in compiled code."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import inlined, jit
from ..forces.rolling_kernel import rolling_torque
from ..kernels.quaternions import angular_velocity
from ..kernels.relative_motion import relative_motion
from ..kernels.vectors import add, axpy, cross, dot, scale, sub
from .contact.columns import (
    DISTANCE,
    ELASTIC,
    IMPACT,
    NORMAL_FORCE,
    POWER,
    STORED,
    add_creep,
    contact_points,
    curvatures,
    force_on_b,
    force_point,
    normal,
    stretch_of,
    torque_on_b,
    write_begin,
    write_force,
    write_torque,
)
from .contact.forces import DAMPED_PER_STEP, Approach, Sliding, is_resolved, press, rub, within_step
from .contact.gap_curvature import gap_curvature
from .contact.laws import needs_curvature, rolling_of, rolls
from .contact.patch import find_patch, patch_point, patch_room
from .extremes_kernel import note_extremes
from .images_kernel import image_shift
from .law_between import law_between
from .spring import pull
from .state import (
    INVERSE_MASS,
    MASS,
    inverse_moments,
    is_free,
    orientation,
    place,
    spin_of,
    velocity,
    velocity_at,
)
from .wrenches import force_on, push, torque_on, weigh

NO_TORQUE = (0.0, 0.0, 0.0)
IMMOVABLE = 1e200  # effective mass if neither body is free [kg]
ROUNDED_DOWN = 1.0 - 1e-9


@inlined
def meeting(motion, i, j, x, shift, n):
    """Motion of B relative to A at the point x, with the normal n; bodies i and j, `shift` as in `closing`."""
    return relative_motion(n, velocity_at(motion, i, x), velocity_at(motion, j, sub(x, shift)))


@inlined
def closing(motion, i, j, where, row, shift):
    """Point of application of the force of a contact, and the closing speed.

    A and B belong to body i and to the image of body j moved by `shift`; `where` as in `WorldTables`.
    """
    n = normal(row)
    x, _ = contact_points(row)
    x = axpy(x, where * row[DISTANCE], n)
    return x, -meeting(motion, i, j, x, shift, n).rate


class Notes(NamedTuple):
    """What is noted about the contacts of a step."""

    extremes: np.ndarray  #: (EXTREMES,)
    fault: np.ndarray  #: (FAULT,)


@jit
def _lightness(motion, inertia, i, x, e, couple):
    """Inverse effective mass of body i for the force e at the point x together with the torque `couple`."""
    if not is_free(inertia, i):
        return 0.0
    arm = add(cross(sub(x, place(motion.y, i)), e), couple)
    spin = angular_velocity(orientation(motion.y, i), arm, inverse_moments(inertia, i))
    return inertia[i, INVERSE_MASS] * dot(e, e) + dot(arm, spin)


@inlined
def felt_mass(motion, inertia, i, j, x, shift, e, couple):
    """Effective mass of body i and the image of body j for a force e and a torque between them [kg]."""
    light = _lightness(motion, inertia, i, x, e, couple)
    light += _lightness(motion, inertia, j, sub(x, shift), e, couple)
    return 1.0 / light if light > 0.0 else IMMOVABLE


class Site(NamedTuple):
    """Where a contact force acts."""

    i: int  #: body of A
    j: int  #: body of B
    x: Any  #: point
    shift: Any  #: from body j to its image


@inlined
def least_mass(motion, inertia, site, along):
    """Lower bound on the effective mass for a force at a site, without a couple; faster than `felt_mass`.

    `along` is the unit vector of the force, or zero for a force in any direction.
    """
    light = _lightest(motion, inertia, site.i, site.x, along)
    light += _lightest(motion, inertia, site.j, sub(site.x, site.shift), along)
    return ROUNDED_DOWN / light if light > 0.0 else IMMOVABLE


@jit
def _lightest(motion, inertia, i, x, along):
    """Upper bound on `_lightness` for a unit force at x."""
    r = sub(x, place(motion.y, i))
    square = dot(r, r) - dot(r, along) ** 2  # of the lever
    return inertia[i, INVERSE_MASS] + square * max(inverse_moments(inertia, i))


@inlined
def _damped(motion, inertia, site, n, load, spring, rate, h):
    """Normal force at a site, with a damper that would stop the approach within a few steps h weakened.

    `load` is the force of the law, `spring` its elastic part, `rate` that of the depth.
    """
    if abs(load - spring) * h > DAMPED_PER_STEP * least_mass(motion, inertia, site, n) * abs(rate):
        load = weakened(motion, inertia, site, n, load, spring, rate, h)
    return load


@jit
def weakened(motion, inertia, site, n, load, spring, rate, h):
    """Normal force at a site with a damper that takes at most `DAMPED_PER_STEP` of the closing speed in a step."""
    mass = felt_mass(motion, inertia, site.i, site.j, site.x, site.shift, n, NO_TORQUE)
    most = DAMPED_PER_STEP * mass * abs(rate) / h
    return spring + min(max(load - spring, -most), most)


@jit
def begin(motion, world, pair, row, memory, time):
    """Write the start of a contact to its memory."""
    i, j = world.owner[pair[0]], world.owner[pair[1]]
    shift = image_shift(world.periods, world.shapes.kind[pair[0]], motion.y, i, j)
    x, rate = closing(motion, i, j, world.where, row, shift)
    mass, speed = felt_mass(motion, world.inertia, i, j, x, shift, normal(row), NO_TORQUE), max(rate, 0.0)
    write_begin(memory, speed, time, 0.5 * mass * speed**2 if mass < IMMOVABLE else 0.0)


@jit
def _press_patch(motion, world, contacts, k, which, h, fault):
    """Normal force of contact k, a patch (see `patch`); its point and lever, elastic energy and stored power.

    All forces are parallel to the normal, so their resultant acts at the centre of pressure; the lever is the radius of
    gyration of the forces about it.
    """
    inertia, laws, row, impact = world.inertia, world.laws, contacts.rows[k], contacts.memory[k, IMPACT]
    pair = contacts.pairs[k, 0], contacts.pairs[k, 1]
    i, j, n = world.owner[pair[0]], world.owner[pair[1]], normal(row)
    shift = image_shift(world.periods, world.shapes.kind[pair[0]], motion.y, i, j)
    x, _ = closing(motion, i, j, world.where, row, shift)
    k1, k2 = curvatures(contacts.records[k])
    patch = patch_room()
    count = find_patch(world.shapes, pair[0], pair[1], shift, row, world.where, patch)
    total, energy, taken = 0.0, 0.0, 0.0
    middle, square = (0.0, 0.0, 0.0), 0.0
    for m in range(count):
        p, depth, share = patch_point(patch, m)
        rate = -meeting(motion, i, j, p, shift, n).rate
        load, spring, elastic = press(laws, which, Approach(depth, rate, impact, k1, k2), pair, fault)
        if h > 0.0:
            load = _damped(motion, inertia, Site(i, j, p, shift), n, load, spring, rate, h)
        total, energy, taken = total + share * load, energy + share * elastic, taken + share * spring * rate
        away = sub(p, x)
        middle, square = axpy(middle, share * load, away), square + share * load * dot(away, away)
    if total == 0.0:
        return 0.0, x, 0.0, energy, taken
    middle = scale(middle, 1.0 / total)
    return total, add(x, middle), math.sqrt(max(square / total - dot(middle, middle), 0.0)), energy, taken


@inlined
def tangential_mass(motion, inertia, i, j, x, shift, sliding):
    """Effective mass for friction at x [kg]: along the slip, and against the spin of a patch."""
    slip, n, lever = sliding.slip, sliding.normal, sliding.lever
    twist = lever * dot(sliding.spin, n)
    speed = math.sqrt(dot(slip, slip) + twist * twist)
    if not speed > 0.0:
        return 0.0
    couple = scale(n, lever * twist / speed)
    return felt_mass(motion, inertia, i, j, x, shift, scale(slip, 1.0 / speed), couple)


@inlined
def contact_force(motion, world, contacts, k, jets, h, notes):
    """Write the record of the touching contact k, with the force on B.

    Returns the rate of change of the bristles' stretch, or with a step h > 0 the stretch after it.
    """
    row, memory, record = contacts.rows[k], contacts.memory[k], contacts.records[k]
    pair, fault = contacts.pairs[k], notes.fault
    a, b = pair[0], pair[1]
    inertia, laws, shapes = world.inertia, world.laws, world.shapes
    i, j, n = world.owner[a], world.owner[b], normal(row)
    which = law_between(world.body_labels, world.class_of, world.law_of, i, j)
    shift = image_shift(world.periods, shapes.kind[a], motion.y, i, j)
    if needs_curvature(laws, which):
        gap_curvature(shapes, a, b, shift, jets, row, record)
    if shapes.flat[a] != 0 and shapes.flat[b] != 0:
        load, x, lever, elastic, stored = _press_patch(motion, world, contacts, k, which, h, fault)
    else:
        x, rate = closing(motion, i, j, world.where, row, shift)
        k1, k2 = curvatures(record)
        at = Approach(-row[DISTANCE], rate, memory[IMPACT], k1, k2)
        load, spring, elastic = press(laws, which, at, pair, fault)
        if h > 0.0:
            load = _damped(motion, inertia, Site(i, j, x, shift), n, load, spring, rate, h)
        lever, stored = 0.0, spring * rate
    u, _, slip = meeting(motion, i, j, x, shift, n)
    spin = sub(spin_of(motion, j), spin_of(motion, i))
    sliding = Sliding(n, slip, spin, lever, stretch_of(memory))
    rubbing = rub(laws, which, load, sliding, h, pair, fault)
    friction, torque, undue = rubbing.friction, NO_TORQUE, NO_TORQUE
    if h > 0.0:
        least = 0.0 if lever > 0.0 else least_mass(motion, inertia, Site(i, j, x, shift), NO_TORQUE)
        if not is_resolved(laws, which, rubbing, h, least):
            mass = tangential_mass(motion, inertia, i, j, x, shift, sliding)
            friction, undue = within_step(laws, which, load, rubbing, h, mass)
    if rolls(laws, which):
        torque = rolling_torque(rolling_of(laws, which), load, n, spin)
    if lever > 0.0:
        along = dot(friction, n)
        friction, torque = axpy(friction, -along, n), axpy(torque, lever * along, n)
    f = add(scale(n, load), friction)
    if h > 0.0:
        half = min(shapes.widths[a], shapes.widths[b])
        add_creep(memory, scale(undue, h / half), scale(slip, h / half), scale(spin, h))
        note_extremes(notes.extremes, pair, row, record, half, laws, which)
    record[NORMAL_FORCE], record[POWER], record[ELASTIC] = (
        load,
        -dot(f, u) - dot(torque, spin),
        elastic + rubbing.elastic,
    )
    record[STORED] = stored + rubbing.stored
    write_force(record, f, x)
    write_torque(record, torque)
    return rubbing.change


@inlined
def push_both(y, owner, pair, record, forces, shift):
    """Add the force of a contact to both bodies, of which the second is moved by `shift`."""
    i, j, f, x, torque = owner[pair[0]], owner[pair[1]], force_on_b(record), force_point(record), torque_on_b(record)
    back = scale(f, -1.0)
    push(forces, j, f, add(cross(sub(sub(x, shift), place(y, j)), f), torque))
    push(forces, i, back, sub(cross(sub(x, place(y, i)), back), torque))


@jit
def common_loads(motion, world, forces):
    """Set gravity and spring forces; return elastic energy and absorbed power of the springs."""
    for i in range(motion.y.shape[0]):
        weigh(forces, world.inertia[i, MASS], world.gravity, i)
    return pull(motion, world.ends, world.springs, forces)


@jit
def outer_power(motion, world, forces, extra):
    """External power: of user-defined loads, and of prescribed bodies."""
    total = 0.0
    for i in range(motion.y.shape[0]):
        v, w = velocity(motion.y, i), spin_of(motion, i)
        if is_free(world.inertia, i):
            total += dot(force_on(extra, i), v) + dot(torque_on(extra, i), w)
        else:
            total -= dot(force_on(forces, i), v)
            total -= dot(torque_on(forces, i), w)
    return total
