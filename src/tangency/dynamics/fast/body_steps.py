"""The part of a step that each body takes on its own: kick, drift, prediction, kick."""

import math

from ...compiled.jit import inlined, uncounted
from ...kernels.quaternions import spin_of_frame
from ...kernels.vectors import axpy, dot, norm
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
    write_spin,
)
from ..wrenches import WRENCH, force_on, torque_on, weigh
from .tables import ABSORBED_AFTER, ABSORBED_BEFORE, OUTER_AFTER, OUTER_BEFORE


@uncounted
def bound_moves(bodies, inertia, h, start, stop):
    """Write bounds on the displacements and rotations in the next step."""
    y, forces, reach, moves, angles = bodies.y, bodies.forces, bodies.reach, bodies.moves, bodies.angles
    for i in range(start, stop):
        v, l = norm(velocity(y, i)), norm(momentum(y, i))
        if is_free(inertia, i):
            v += 0.5 * h * norm(force_on(forces, i)) * inertia[i, INVERSE_MASS]
            l = (l + 0.5 * h * norm(torque_on(forces, i))) * max(inverse_moments(inertia, i))
        moves[i] = h * (v + reach[i] * l)
        angles[i] = h * l


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


@uncounted
def move_bodies(bodies, world, h, start, stop):
    """First half of a step: kick and drift; then the predicted velocities, the poses of the shapes, and the weight."""
    y, ahead, forces, inertia = bodies.y, bodies.ahead, bodies.forces, world.inertia
    for i in range(start, stop):
        bodies.works[i, ABSORBED_BEFORE], bodies.works[i, OUTER_BEFORE] = _kick(bodies, world, i, 0.5 * h)
        if is_free(inertia, i):
            drift(y, inertia, i, h)
        for c in range(STATE):
            ahead[i, c] = y[i, c]
        if is_free(inertia, i):
            kick(ahead, inertia, i, force_on(forces, i), torque_on(forces, i), 0.5 * h)
        write_frame(y, bodies.turns, i)
        write_spin(ahead, inertia, bodies.turns, bodies.spins, i)
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world.local, world.shapes.poses, p, frame_of(bodies.turns, i), place(y, i))
        weigh(forces, inertia[i, MASS], world.gravity, i)


@inlined
def _damp(forces, ahead, spins, i, fraction):
    """Reduce each component of the force and the torque on body i that moves it, enlarge each that stops it."""
    v = velocity(ahead, i)
    for c in range(3):
        forces[i, c] -= fraction * math.copysign(forces[i, c], v[c]) if v[c] != 0.0 else 0.0
        forces[i, 3 + c] -= fraction * math.copysign(forces[i, 3 + c], spins[i, c]) if spins[i, c] != 0.0 else 0.0


@uncounted
def finish_bodies(bodies, world, h, start, stop):
    """Second half of a step, with the forces at its end: add the user's loads and local damping, kick."""
    y, forces, extra = bodies.y, bodies.forces, bodies.extra
    for i in range(start, stop):
        for c in range(WRENCH):
            forces[i, c] += extra[i, c]
        if world.local_damping > 0.0 and is_free(world.inertia, i):
            _damp(forces, bodies.ahead, bodies.spins, i, world.local_damping)
        bodies.works[i, ABSORBED_AFTER], bodies.works[i, OUTER_AFTER] = _kick(bodies, world, i, 0.5 * h)
        write_spin(y, world.inertia, bodies.turns, bodies.spins_after, i)
