"""Fixed steps for many bodies in one compiled loop: kick, drift, kick, including contact detection.

Velocities take half a step with the old forces, bodies drift (orientations by the symplectic splitting of
`kernels/quaternions`), forces are evaluated at the new positions, and velocities take the other half.  Forces
that depend on velocities use those predicted for the end of the step, which preserves second order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import entry, jit
from ...kernels.jet import JET
from ...kernels.quaternions import angular_velocity
from ...kernels.support_set import PROBES
from ...kernels.vectors import axpy, dot, norm, sub
from ..contact.columns import (
    ABSORBED,
    DISTANCE,
    ELASTIC,
    IMPULSE,
    LOST,
    NORMAL_FORCE,
    PEAK,
    POWER,
    SLACK,
    TOUCHING,
    force_on_b,
    force_point,
    write_stretch,
)
from ..contact.law_faults import KIND
from ..contact.solve import solve_contact
from ..impacts import write_row
from ..loads_kernel import begin, common_loads, contact_load
from ..state import (
    INVERSE_MASS,
    MASS,
    Kinematics,
    drift,
    inverse_moments,
    is_free,
    kick,
    momentum,
    orientation,
    place_shapes,
    spin_all,
    velocity,
    velocity_at,
)
from ..tables import HOLLOW, PLANE, ROUND, named_world
from ..wrenches import add_all, force_on, torque_on
from .candidates import find, remember
from .tables import (
    CONTACTS,
    DONE,
    FAILURES,
    FULL,
    LAW_FAULT,
    LOG_FULL,
    LOGGED,
    LONGEST,
    NOT_FINITE,
    OUTER,
    PATH,
    SPRINGS,
    TURNED,
    WORK,
    Clock,
    FastBodies,
    named_lists,
)

TOL = 1e-10  # of the contact solver
SAFE_SHARE = 1.0 - 1e-6  # factor on a proved distance, for rounding


class _Step(NamedTuple):
    """One step, for the contacts at its end."""

    h: float  #: its length [s]
    now: float  #: time at its end [s]
    moves: np.ndarray  #: (N,) upper bound on the displacement of any point of each body
    moved: np.ndarray  #: (N,) bodies without such a bound
    skin: float


@jit
def _kick(y, world, forces, extra, t):
    """Update the velocities over the time t under `forces`; return the absorbed and the external work.

    The works are those of the kicks themselves, so that the energy balance holds for any step.
    """
    inertia, gravity = world.inertia, world.gravity
    absorbed, outer = 0.0, 0.0
    for i in range(y.shape[0]):
        f, torque = force_on(forces, i), torque_on(forces, i)
        if not is_free(inertia, i):
            work = t * (dot(f, velocity(y, i)) + dot(torque, momentum(y, i)))  # here its angular velocity
            absorbed -= work
            outer -= work
            continue
        v = axpy(velocity(y, i), 0.5 * t * inertia[i, INVERSE_MASS], f)
        w = angular_velocity(orientation(y, i), axpy(momentum(y, i), 0.5 * t, torque), inverse_moments(inertia, i))
        given = t * (dot(force_on(extra, i), v) + dot(torque_on(extra, i), w))
        weight = t * inertia[i, MASS] * dot((gravity[0], gravity[1], gravity[2]), v)
        absorbed += given + weight - t * (dot(f, v) + dot(torque, w))
        outer += given
        kick(y, inertia, i, f, torque, t)
    return absorbed, outer


@jit
def _predict(y, inertia, forces, t, ahead):
    """Write the state with velocities predicted from the old forces after the time t to `ahead`."""
    ahead[:] = y
    for i in range(y.shape[0]):
        if is_free(inertia, i):
            kick(ahead, inertia, i, force_on(forces, i), torque_on(forces, i), t)


@jit
def _drift(y, inertia, h):
    for i in range(y.shape[0]):
        if is_free(inertia, i):
            drift(y, inertia, i, h)


@jit
def _paths(bodies, inertia, h, moves):
    """Write bounds on the displacements in the next step to `moves`; return the largest, and the largest turn [rad]."""
    y, forces = bodies.y, bodies.forces
    longest, turned = 0.0, 0.0
    for i in range(y.shape[0]):
        v, l = norm(velocity(y, i)), norm(momentum(y, i))
        if is_free(inertia, i):
            v += 0.5 * h * norm(force_on(forces, i)) * inertia[i, INVERSE_MASS]
            l = (l + 0.5 * h * norm(torque_on(forces, i))) * max(inverse_moments(inertia, i))
        moves[i] = h * (v + bodies.reach[i] * l)
        longest, turned = max(longest, moves[i]), max(turned, h * l)
    return longest, turned


@jit
def _renew(world, skin, lists, count):
    """Make a new list of pairs and keep the memory of those that stay; return the count, or minus the room needed."""
    pairs, rows, memory, _ = lists.contacts
    spare, spare_rows, spare_memory = lists.spare_pairs, lists.spare_rows, lists.spare_memory
    found = find(world, skin, spare)
    if found < 0:
        return found
    remember(pairs, count, spare, found, rows, spare_rows)
    remember(pairs, count, spare, found, memory, spare_memory)
    pairs[:found], rows[:found], memory[:found] = spare[:found], spare_rows[:found], spare_memory[:found]
    return found


@jit
def _contacts(motion, world, contacts, count, forces, step, totals, log):
    """Add the forces of all contacts at the end of a step.

    Pairs that are a proved distance apart are skipped until both bodies together may have travelled that far.
    """
    pairs, rows, memory, records = contacts
    jets, kind, h, skin = np.empty(PROBES * JET), world.shapes.kind, step.h, step.skin
    energy = 0.0
    for k in range(count):
        a, b = pairs[k, 0], pairs[k, 1]
        i, j = world.owner[a], world.owner[b]
        memory[k, SLACK] -= step.moves[i] + step.moves[j]
        if memory[k, SLACK] > 0.0:
            continue
        own = memory[k]
        good = solve_contact(world.shapes, a, b, skin, TOL, rows, k)
        if not good:
            totals[FAILURES] += 1.0
        distance = rows[k, DISTANCE]
        if not distance < 0.0:
            if own[TOUCHING] != 0.0:
                own[TOUCHING], own[LOST] = 0.0, own[ABSORBED]
                write_row(pairs[k], own, step.now, log[int(totals[LOGGED])])
                totals[LOGGED] += 1.0
            proved = distance > skin or not (kind[a] == HOLLOW or kind[a] == ROUND)
            if good and proved and not (step.moved[i] or step.moved[j]):
                own[SLACK] = SAFE_SHARE * distance
            continue
        if own[TOUCHING] == 0.0:
            begin(motion, world, pairs[k], rows[k], own, step.now)
        stretch = contact_load(motion, world, contacts, k, jets, forces, h)
        record = records[k]
        if h > 0.0:
            write_stretch(own, stretch)
        own[IMPULSE] += h * record[NORMAL_FORCE]
        own[ABSORBED] += h * record[POWER] if h > 0.0 else record[ELASTIC]  # initial energy counts as absorbed
        own[PEAK] = max(own[PEAK], record[ELASTIC])
        energy += record[ELASTIC]
    totals[CONTACTS] = energy


@jit
def _settle(y, predicted, world, contacts, count, h):
    """Correct the energy absorbed by contacts: velocities after the step replace the predicted ones.

    A force acts in the kicks before and after its instant, so its work involves the velocity between them.
    """
    pairs, _, memory, records = contacts
    after = Kinematics(y, np.empty((y.shape[0], 3)))
    spin_all(y, world.inertia, after.spins)
    for k in range(count):
        if memory[k, TOUCHING] == 0.0:
            continue
        own, record = memory[k], records[k]
        i, j = world.owner[pairs[k, 0]], world.owner[pairs[k, 1]]
        x = force_point(record)
        change = sub(velocity_at(after, i, x), velocity_at(predicted, i, x))
        change = sub(change, sub(velocity_at(after, j, x), velocity_at(predicted, j, x)))
        own[ABSORBED] += h * dot(force_on_b(record), change)
        own[LOST] = own[ABSORBED] - record[ELASTIC]


@jit
def _has_moved_plane(world, moved):
    """Whether a plane may turn: distant points of it move far, so its pairs are searched for in every step."""
    found = False
    for p in range(world.owner.shape[0]):
        found = found or (world.shapes.kind[p] == PLANE and moved[world.owner[p]])
    return found


@entry
def place_all(y, world):
    """Update the poses of all shapes in the world."""
    place_shapes(y, named_world(world))


@entry
def run_steps(clock, bodies, world, lists, count, skin, totals, log):
    """Take steps, from plain tuples; returns (steps done, pairs in the list or minus the capacity needed, outcome).

    Rows of bodies that are not free do not change: a caller that moves them takes one step at a time.  Contacts of the
    bodies `moved` are evaluated in every step.  A negative `count` means that there is no list of pairs yet: it is
    made before the steps, along with the initial forces.  Contacts that end are written to `log`.
    """
    clock, bodies, world, lists = Clock(*clock), FastBodies(*bodies), named_world(world), named_lists(lists)
    y, forces, extra, inertia, contacts = bodies.y, bodies.forces, bodies.extra, world.inertia, lists.contacts
    restless = _has_moved_plane(world, bodies.moved)
    predicted, moves = Kinematics(np.empty_like(y), np.empty((y.shape[0], 3))), np.empty(y.shape[0])
    for done in range(-1 if count < 0 else 0, clock.steps):
        h = 0.0 if done < 0 else clock.h
        path, turn = _paths(bodies, inertia, h, moves)
        if not path < 1e300:
            return done, count, NOT_FINITE
        if done < 0:
            place_shapes(y, world)
        if done < 0 or restless or totals[PATH] + path > 0.5 * skin:
            found = _renew(world, skin + 2.0 * path, lists, max(count, 0))
            if found < 0:
                return max(done, 0), found, FULL
            count, totals[PATH] = found, 0.0
        if totals[LOGGED] + count > log.shape[0]:
            return max(done, 0), count, LOG_FULL
        totals[PATH] += path
        totals[LONGEST], totals[TURNED] = max(totals[LONGEST], path), max(totals[TURNED], turn)
        absorbed, outer = _kick(y, world, forces, extra, 0.5 * h)
        _drift(y, inertia, h)
        _predict(y, inertia, forces, 0.5 * h, predicted.y)
        spin_all(predicted.y, inertia, predicted.spins)
        place_shapes(y, world)
        totals[SPRINGS], _ = common_loads(predicted, world, forces)
        step = _Step(h, (clock.before + done + 1) * clock.h, moves, bodies.moved, skin)
        _contacts(predicted, world, contacts, count, forces, step, totals, log)
        if world.fault[KIND] != 0.0:
            return max(done, 0), count, LAW_FAULT
        add_all(forces, extra)
        absorbed_after, outer_after = _kick(y, world, forces, extra, 0.5 * h)
        _settle(y, predicted, world, contacts, count, h)
        totals[WORK] += absorbed + absorbed_after
        totals[OUTER] += outer + outer_after
        if done < 0:
            totals[WORK] = totals[CONTACTS] + totals[SPRINGS]
    return clock.steps, count, DONE
