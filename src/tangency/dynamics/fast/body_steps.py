"""The part of a step that each body takes on its own: kick, drift, prediction; contact forces, kick.

The fast mode treats bodies in flocks.  Sums over bodies are made for each flock, then over flocks, always in the same
order.
"""

import math

from ...compiled.jit import inlined, jit, uncounted
from ...kernels.quaternions import spin_of_frame
from ...kernels.vectors import add, axpy, cross, dot, norm
from ..state import (
    INVERSE_MASS,
    MASS,
    STATE,
    drift,
    frame_of,
    inverse_moments,
    is_free,
    kick,
    momentum,
    place,
    place_shape,
    velocity,
    write_frame,
    write_velocity,
)
from ..wrenches import WRENCH, force_on, torque_on, weigh, write_wrench
from .tables import (
    ABSORBED_AFTER,
    ABSORBED_BEFORE,
    BODIES,
    FARTHEST,
    HOLDS,
    OUTER_AFTER,
    OUTER_BEFORE,
    QUICKEST,
)

CHANGE = 9  # columns of `FastBodies.changes`


@jit
def flocks_of(bodies):
    """Number of flocks of so many bodies."""
    return (bodies + BODIES - 1) // BODIES


@inlined
def _last(bodies, flock):
    """One more than the number of the last body of a flock."""
    return min((flock + 1) * BODIES, bodies.y.shape[0])


@inlined
def bound_body(bodies, inertia, h, i):
    """Write a bound on the displacement of body i in a step h under its forces; return that on its rotation."""
    y, forces = bodies.y, bodies.forces
    v, l = norm(velocity(y, i)), norm(momentum(y, i))
    if is_free(inertia, i):
        v += 0.5 * h * norm(force_on(forces, i)) * inertia[i, INVERSE_MASS]
        l = (l + 0.5 * h * norm(torque_on(forces, i))) * max(inverse_moments(inertia, i))
    bodies.moves[i] = h * (v + bodies.reach[i] * l)
    return h * l


@inlined
def _note_bounds(bodies, inertia, h, flock):
    """Write bounds on the motion in the next step, and whether the list of pairs then still holds."""
    longest, angle, holds = 0.0, 0.0, True
    for i in range(flock * BODIES, _last(bodies, flock)):
        turned = bound_body(bodies, inertia, h, i)
        move = bodies.moves[i]
        if not move <= longest:
            longest = move if move < math.inf else math.inf
        angle = max(angle, turned)
        holds = holds and bodies.ways[i] + move <= bodies.pads[i]
    own = bodies.flocks[flock]
    own[FARTHEST], own[QUICKEST], own[HOLDS] = longest, angle, 1.0 if holds else 0.0


@uncounted
def start_bodies(bodies, world, h, flock):
    """Update what follows from the state, which may have been changed or read from a file."""
    for i in range(flock * BODIES, _last(bodies, flock)):
        write_frame(bodies.y, bodies.turns, i)
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world.local, world.shapes.poses, p, frame_of(bodies.turns, i), place(bodies.y, i))
    _note_bounds(bodies, world.inertia, h, flock)


@inlined
def _kick(bodies, world, i, t):
    """Update the velocities of body i over the time t under its forces; return the absorbed and the external work.

    The works are those of the kicks themselves, so that the energy balance holds for any step.
    """
    y, forces, extra, inertia, gravity = bodies.y, bodies.forces, bodies.extra, world.inertia, world.gravity
    f, torque = force_on(forces, i), torque_on(forces, i)
    if not is_free(inertia, i):
        work = t * (dot(f, velocity(y, i)) + dot(torque, momentum(y, i)))  # here its angular velocity
        return -work, -work
    v = axpy(velocity(y, i), 0.5 * t * inertia[i, INVERSE_MASS], f)
    l = axpy(momentum(y, i), 0.5 * t, torque)
    w = spin_of_frame(frame_of(bodies.turns, i), l, inverse_moments(inertia, i))
    given = t * (dot(force_on(extra, i), v) + dot(torque_on(extra, i), w))
    weight = t * inertia[i, MASS] * dot((gravity[0], gravity[1], gravity[2]), v)
    absorbed = given + weight - t * (dot(f, v) + dot(torque, w))
    kick(y, inertia, i, f, torque, t)
    return absorbed, given


@inlined
def spin_of(bodies, inertia, i, l):
    """Angular velocity of body i, whose angular momentum is l (its angular velocity if it is not free)."""
    w = l
    if is_free(inertia, i):
        w = spin_of_frame(frame_of(bodies.turns, i), l, inverse_moments(inertia, i))
    return w


@inlined
def move_body(bodies, world, h, i):
    """First half of a step of body i: kick and drift; then predicted velocities, poses of its shapes, and weight.

    Returns the absorbed and the external work.
    """
    y, ahead, forces, spins, inertia = bodies.y, bodies.ahead, bodies.forces, bodies.spins, world.inertia
    absorbed, given = _kick(bodies, world, i, 0.5 * h)
    if is_free(inertia, i):
        drift(y, inertia, i, h)
    v, l = velocity(y, i), momentum(y, i)
    if is_free(inertia, i):
        v = axpy(v, 0.5 * h * inertia[i, INVERSE_MASS], force_on(forces, i))
        l = axpy(l, 0.5 * h, torque_on(forces, i))
    write_frame(y, bodies.turns, i)
    for c in range(STATE):
        ahead[i, c] = y[i, c]
    write_velocity(ahead, i, v)
    spins[i, 0], spins[i, 1], spins[i, 2] = spin_of(bodies, inertia, i, l)
    for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
        place_shape(world.local, world.shapes.poses, p, frame_of(bodies.turns, i), place(y, i))
    weigh(forces, inertia[i, MASS], world.gravity, i)
    bodies.ways[i] += bodies.moves[i]
    return absorbed, given


@uncounted
def move_bodies(bodies, world, h, flock):
    """First half of a step of a flock."""
    absorbed, given = 0.0, 0.0
    for i in range(flock * BODIES, _last(bodies, flock)):
        taken, outer = move_body(bodies, world, h, i)
        absorbed, given = absorbed + taken, given + outer
    bodies.flocks[flock, ABSORBED_BEFORE], bodies.flocks[flock, OUTER_BEFORE] = absorbed, given


@inlined
def _add_contacts(forces, lists, i):
    """Add the forces of its contacts to body i, in the order of the list."""
    f, torque = force_on(forces, i), torque_on(forces, i)
    for m in range(lists.first_of[i], lists.first_of[i + 1]):
        if lists.pushed[m]:
            f, torque = add(f, force_on(lists.pushes, m)), add(torque, torque_on(lists.pushes, m))
    write_wrench(forces, i, f, torque)


@inlined
def _damp(forces, ahead, spins, i, fraction):
    """Reduce each component of the force and the torque on body i that moves it, enlarge each that stops it."""
    v = velocity(ahead, i)
    for c in range(3):
        forces[i, c] -= fraction * math.copysign(forces[i, c], v[c]) if v[c] != 0.0 else 0.0
        forces[i, 3 + c] -= fraction * math.copysign(forces[i, 3 + c], spins[i, c]) if spins[i, c] != 0.0 else 0.0


@inlined
def _note_change(bodies, inertia, i):
    """Write by how much the velocities after the step differ from the predicted ones."""
    x, v, w = place(bodies.y, i), velocity(bodies.y, i), spin_of(bodies, inertia, i, momentum(bodies.y, i))
    ahead, changes = velocity(bodies.ahead, i), bodies.changes
    for c in range(3):
        changes[i, c], changes[i, 3 + c], changes[i, 6 + c] = x[c], v[c] - ahead[c], w[c] - bodies.spins[i, c]


@jit
def change_at(changes, i, x):
    """Difference of the velocity after the step and the predicted one, of the point of body i at x."""
    own = changes[i]
    arm = (x[0] - own[0], x[1] - own[1], x[2] - own[2])
    return add((own[3], own[4], own[5]), cross((own[6], own[7], own[8]), arm))


@inlined
def finish_body(bodies, world, lists, h, i):
    """Second half of a step of body i: add the forces of contacts, loads and local damping; kick.

    Returns the absorbed and the external work.
    """
    forces, extra = bodies.forces, bodies.extra
    _add_contacts(forces, lists, i)
    for c in range(WRENCH):
        forces[i, c] += extra[i, c]
    if world.local_damping > 0.0 and is_free(world.inertia, i):
        _damp(forces, bodies.ahead, bodies.spins, i, world.local_damping)
    absorbed, given = _kick(bodies, world, i, 0.5 * h)
    _note_change(bodies, world.inertia, i)
    return absorbed, given


@uncounted
def finish_bodies(bodies, world, lists, h, next_h, flock):
    """Second half of a step of a flock; then the bounds on the motion in the next step, of the length `next_h`."""
    absorbed, given = 0.0, 0.0
    for i in range(flock * BODIES, _last(bodies, flock)):
        taken, outer = finish_body(bodies, world, lists, h, i)
        absorbed, given = absorbed + taken, given + outer
    bodies.flocks[flock, ABSORBED_AFTER], bodies.flocks[flock, OUTER_AFTER] = absorbed, given
    _note_bounds(bodies, world.inertia, next_h, flock)
