"""The part of a step that each body takes on its own: kick, drift, prediction; contact forces, kick.

The fast mode treats bodies in flocks, and those of a flock in blocks of lanes (`body_lanes`).  Sums over bodies are
made for each flock, then over flocks, always in the same order.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import types

from ...compiled.jit import inlined, jit, uncounted_inside
from ...compiled.small_arrays import on_stack
from ...kernels.block import LANES, get3, get9
from ...kernels.free_rotation import turned_freely
from ...kernels.poses import at
from ...kernels.quaternions import matrix
from ...kernels.vectors import add, cross
from ..state import INVERSE_MASS, MASS, STATE, inverse_moments, is_free, orientation, place, place_shape
from ..wrenches import WRENCH, force_on, torque_on, weigh, write_wrench
from .body_lanes import (
    ABSORBED,
    AHEAD,
    ANGLE,
    CHANGE_V,
    CHANGE_W,
    FAR,
    FAST,
    FRAME,
    GIVEN,
    INVERSE,
    LIGHT,
    LOAD_F,
    MARKS,
    MOVE,
    REACH,
    SPIN,
    F,
    L,
    Q,
    V,
    X,
    bound,
    compare,
    fly,
    kick,
    predict,
    turn_frames,
)
from .body_lanes import MASS as MASS_ROW
from .fetch_soon import fetch_state
from .tables import (
    ABSORBED_BEFORE,
    ABSORBED_IN_STEP,
    BODIES,
    CHANGE,
    FARTHEST,
    HOLDS,
    LIGHT_AHEAD,
    MARK,
    OUTER_BEFORE,
    OUTER_IN_STEP,
    QUICKEST,
    SPIN_AHEAD,
    SWING_AHEAD,
)


class Some(NamedTuple):
    """At most LANES bodies."""

    rows: np.ndarray  #: numbers of bodies
    first: int  #: the bodies are rows[first], rows[first + 1] and so on; without rows, first, first + 1 and so on
    size: int


_all = on_stack(0, dtype=types.int64)  # instead of numbers of bodies


@jit
def flocks_of(bodies):
    """Number of flocks of so many bodies."""
    return (bodies + BODIES - 1) // BODIES


@inlined
def _last(bodies, flock):
    """One more than the number of the last body of a flock."""
    return min((flock + 1) * BODIES, bodies.y.shape[0])


@inlined
def _gather(s, some, bodies, inertia):
    """Load state, forces and inertia of bodies into a block; what is in its other lanes is not used."""
    y, forces, extra = bodies.y, bodies.forces, bodies.extra
    loaded = extra.shape[0] > 0
    for l in range(some.size):
        i = at(some.rows, some.first + l)
        for c in range(STATE):
            s[c * LANES + l] = y[i, c]
        for c in range(WRENCH):
            s[(F + c) * LANES + l], s[(LOAD_F + c) * LANES + l] = forces[i, c], extra[i, c] if loaded else 0.0
        s[MASS_ROW * LANES + l], s[LIGHT * LANES + l] = inertia[i, MASS], inertia[i, INVERSE_MASS]
        inverse = inverse_moments(inertia, i)
        for c in range(3):
            s[(INVERSE + c) * LANES + l] = inverse[c]
        s[REACH * LANES + l] = bodies.reach[i]


@inlined
def _gather_marks(s, some, marks):
    """Load where the bodies were when the list of pairs was made."""
    for l in range(some.size):
        i = at(some.rows, some.first + l)
        for c in range(MARK):
            s[(MARKS + c) * LANES + l] = marks[i, c]


@uncounted_inside
def bound_some(s, some, bodies, inertia, h):
    """Write bounds on the displacements of some bodies in a step h.

    Those on their rotations are in the row ANGLE, and those on the displacements since the list was made in FAR.
    """
    _gather(s, some, bodies, inertia)
    _gather_marks(s, some, bodies.marks)
    bound(s, h)
    for l in range(some.size):
        bodies.moves[at(some.rows, some.first + l)] = s[MOVE * LANES + l]


@inlined
def _note_bounds(s, first, count, bodies, own):
    """Update the bounds of a flock by those of a block, and whether the list of pairs still holds."""
    longest, angle, holds = own[FARTHEST], own[QUICKEST], own[HOLDS]
    for l in range(count):
        i, move = first + l, s[MOVE * LANES + l]
        if not move <= longest:
            longest = move if move < math.inf else math.inf
        angle = max(angle, s[ANGLE * LANES + l])
        holds = holds if s[FAR * LANES + l] + move <= bodies.pads[i] else 0.0
    own[FARTHEST], own[QUICKEST], own[HOLDS] = longest, angle, holds


@uncounted_inside
def start_bodies(s, bodies, world, h, flock):
    """Update what follows from the state, which may have been changed or read from a file."""
    own = bodies.flocks[flock]
    own[FARTHEST], own[QUICKEST], own[HOLDS] = 0.0, 0.0, 1.0
    for i in range(flock * BODIES, _last(bodies, flock)):
        frame = matrix(orientation(bodies.y, i))
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world, p, frame, place(bodies.y, i))
    for first in range(flock * BODIES, _last(bodies, flock), LANES):
        count = min(LANES, _last(bodies, flock) - first)
        bound_some(s, Some(_all(), first, count), bodies, world.inertia, h)
        _note_bounds(s, first, count, bodies, own)


@uncounted_inside
def move_some(s, some, bodies, world, h):
    """First half of a step: kick and drift; then predicted velocities, and poses of the shapes.

    Works are in the rows ABSORBED and GIVEN.
    """
    y, gravity = bodies.y, world.gravity
    _gather(s, some, bodies, world.inertia)
    turn_frames(s)
    kick(s, 0.5 * h, gravity[0], gravity[1], gravity[2])
    fly(s, h)
    for l in range(some.size):
        if s[FAST * LANES + l] != 0.0:
            x, y_, z = get3(s, Q, l)
            q = turned_freely((x, y_, z, s[(Q + 3) * LANES + l]), get3(s, L, l), get3(s, INVERSE, l), h)
            for c in range(4):
                s[(Q + c) * LANES + l] = q[c]
    turn_frames(s)
    predict(s, h)
    for l in range(some.size):
        i = at(some.rows, some.first + l)
        for c in range(STATE):
            y[i, c] = s[c * LANES + l]
        light, inverse = s[LIGHT * LANES + l], get3(s, INVERSE, l)
        write_ahead(bodies.ahead, y, i, get3(s, AHEAD, l), get3(s, SPIN, l), (light, max(inverse)))
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world, p, get9(s, FRAME, l), get3(s, X, l))


@uncounted_inside
def move_bodies(s, bodies, world, h, flock):
    """First half of a step of a flock."""
    absorbed, given = 0.0, 0.0
    for first in range(flock * BODIES, _last(bodies, flock), LANES):
        count = min(LANES, _last(bodies, flock) - first)
        move_some(s, Some(_all(), first, count), bodies, world, h)
        for l in range(count):
            absorbed, given = absorbed + s[ABSORBED * LANES + l], given + s[GIVEN * LANES + l]
    bodies.flocks[flock, ABSORBED_BEFORE], bodies.flocks[flock, OUTER_BEFORE] = absorbed, given


@inlined
def _sum_forces(forces, world, lists, i):
    """Write the sum of the weight of body i, the forces of its springs and those of its contacts, in this order."""
    if world.ends.shape[0] == 0:  # else the forces are those of the weight and the springs
        weigh(forces, world.inertia[i, MASS], world.gravity, i)
    f, torque = force_on(forces, i), torque_on(forces, i)
    for m in range(lists.first_of[i], lists.first_of[i + 1]):
        f, torque = add(f, force_on(lists.pushes, m)), add(torque, torque_on(lists.pushes, m))
    write_wrench(forces, i, f, torque)


@inlined
def _damp(forces, ahead, i, fraction):
    """Reduce each component of the force and the torque on body i that moves it, enlarge each that stops it."""
    for c in range(3):
        v, w = ahead[i, V + c], ahead[i, SPIN_AHEAD + c]
        forces[i, c] -= fraction * math.copysign(forces[i, c], v) if v != 0.0 else 0.0
        forces[i, 3 + c] -= fraction * math.copysign(forces[i, 3 + c], w) if w != 0.0 else 0.0


@inlined
def write_ahead(ahead, y, i, v, w, inverse):
    """Write what contacts need of body i in this step; `inverse` are the inverse mass and largest inverse moment."""
    own = ahead[i]
    for c in range(MARK):
        own[c] = y[i, c]
    for c in range(3):
        own[V + c], own[SPIN_AHEAD + c] = v[c], w[c]
    own[LIGHT_AHEAD], own[SWING_AHEAD] = inverse


@jit
def centre_before(ahead, i):
    """Centre of body i in the step before."""
    return (ahead[i, CHANGE], ahead[i, CHANGE + 1], ahead[i, CHANGE + 2])


@jit
def change_at(ahead, i, x):
    """Difference of the velocity after the step before and the predicted one, of the point of body i at x."""
    own = ahead[i, CHANGE:]
    arm = (x[0] - own[0], x[1] - own[1], x[2] - own[2])
    return add((own[3], own[4], own[5]), cross((own[6], own[7], own[8]), arm))


@uncounted_inside
def finish_some(s, some, bodies, world, lists, h, next_h):
    """Second half of a step: add the forces of contacts, loads and local damping; kick; bounds for the next step.

    Works are in the rows ABSORBED and GIVEN, angular velocities in AFTER.
    """
    y, forces, extra, ahead, gravity = bodies.y, bodies.forces, bodies.extra, bodies.ahead, world.gravity
    for l in range(some.size):
        i = at(some.rows, some.first + l)
        fetch_state(bodies, world, i + LANES)
        _sum_forces(forces, world, lists, i)
        for c in range(WRENCH if extra.shape[0] > 0 else 0):
            forces[i, c] += extra[i, c]
        if world.local_damping > 0.0 and is_free(world.inertia, i):
            _damp(forces, ahead, i, world.local_damping)
    _gather(s, some, bodies, world.inertia)
    turn_frames(s)
    _gather_marks(s, some, bodies.marks)
    for l in range(some.size):
        i = at(some.rows, some.first + l)
        for c in range(3):
            s[(AHEAD + c) * LANES + l], s[(SPIN + c) * LANES + l] = ahead[i, V + c], ahead[i, SPIN_AHEAD + c]
    kick(s, 0.5 * h, gravity[0], gravity[1], gravity[2])
    compare(s)
    bound(s, next_h)
    for l in range(some.size):
        i = at(some.rows, some.first + l)
        for c in range(V, STATE):
            y[i, c] = s[c * LANES + l]
        for c in range(3):
            ahead[i, CHANGE + c], ahead[i, CHANGE + 3 + c] = s[(X + c) * LANES + l], s[(CHANGE_V + c) * LANES + l]
            ahead[i, CHANGE + 6 + c] = s[(CHANGE_W + c) * LANES + l]
        bodies.moves[i] = s[MOVE * LANES + l]


@uncounted_inside
def finish_bodies(s, bodies, world, lists, h, next_h, flock):
    """Second half of a step of a flock; then the bounds on the motion in the next step, of the length `next_h`."""
    own, absorbed, given = bodies.flocks[flock], 0.0, 0.0
    own[FARTHEST], own[QUICKEST], own[HOLDS] = 0.0, 0.0, 1.0
    for first in range(flock * BODIES, _last(bodies, flock), LANES):
        count = min(LANES, _last(bodies, flock) - first)
        finish_some(s, Some(_all(), first, count), bodies, world, lists, h, next_h)
        _note_bounds(s, first, count, bodies, own)
        for l in range(count):
            absorbed, given = absorbed + s[ABSORBED * LANES + l], given + s[GIVEN * LANES + l]
    own[ABSORBED_IN_STEP], own[OUTER_IN_STEP] = own[ABSORBED_BEFORE] + absorbed, own[OUTER_BEFORE] + given
