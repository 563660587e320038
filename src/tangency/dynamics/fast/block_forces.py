"""Forces of the touching contacts of a block: in lanes, or one at a time where bodies touch in a patch.

What precedes and follows the laws is computed for many contacts at a time, and so are built-in laws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined, uncounted_inside
from ...forces.rolling_kernel import rolling_torque
from ...kernels.block import LANES, get3, put3
from ...kernels.vectors import add, cross, scale, sub
from ..contact import columns
from ..contact.columns import (
    ABSORBED,
    DISTANCE,
    IMPACT,
    IMPULSE,
    NORMAL_FORCE,
    PEAK,
    add_creep,
    contact_points,
    curvatures,
    force_on_b,
    force_point,
    normal,
    stretch_of,
    torque_on_b,
    write_force,
    write_stretch,
    write_torque,
)
from ..contact.forces import DAMPED_PER_STEP, Approach, Sliding, press, rubbed, within_step
from ..contact.gap_curvature import gap_curvature
from ..contact.laws import friction_of, has_state, needs_curvature, normal_of, press_lanes, rolling_of, rolls, rub_lanes
from ..extremes_kernel import DEEPEST, note_extremes
from ..images_kernel import image_shift
from ..law_between import law_between
from ..loads_kernel import Notes, Site, contact_force, tangential_mass, weakened
from ..state import Kinematics, place, velocity
from ..tables import MESH, ContactTables, WorldTables
from ..wrenches import push
from .fetch_soon import fetch_bodies, fetch_contact
from .force_lanes import (
    BRISTLES,
    CHANGE,
    CURVATURES,
    DEPTH,
    ELASTIC,
    FOOT,
    FORCE,
    FRICTION,
    GAP,
    HALF,
    LEAST_ALONG,
    LIGHT_A,
    LIGHT_B,
    LOAD,
    NORMAL,
    OVERLAP,
    POINT,
    POWER,
    RATE,
    RESOLVED,
    ROTATION,
    SLIP,
    SOUND,
    SPIN,
    SPRING,
    STATE,
    STRETCH,
    SWING_A,
    SWING_B,
    TORQUE,
    TORQUE_A,
    TORQUE_B,
    TURNED,
    UNDUE,
    V_A,
    V_B,
    W_A,
    W_B,
    WAY,
    X_A,
    X_B,
    join,
    judge,
    meet,
    new_lanes,
    weigh,
)
from .force_lanes import IMPACT as IMPACT_ROW
from .tables import LIGHT_AHEAD, SPIN_AHEAD, SWING_AHEAD, motion_ahead


class Desk(NamedTuple):
    """Space for the forces of some contacts."""

    lanes: np.ndarray  #: block of lanes, see `force_lanes`
    law: np.ndarray  #: (LANES,) numbers of their laws
    jets: np.ndarray  #: for curvatures


def new_desk(jets: int) -> Desk:
    """Space for the forces of LANES contacts."""
    return Desk(new_lanes(), np.zeros(LANES, np.int64), np.empty(jets))


class Now(NamedTuple):
    """What the forces of a step depend on."""

    motion: Kinematics
    world: WorldTables
    contacts: ContactTables
    h: float  #: length of the step [s]
    notes: Notes


@inlined
def _shift_of(now, pair):
    """Shift of body B to its image that touches A."""
    owner, kind = now.world.owner, now.world.shapes.kind
    return image_shift(now.world.periods, kind[pair[0]], now.motion.y, owner[pair[0]], owner[pair[1]])


@inlined
def _load(s, l, now, i, x, rows):
    """Gather what the forces need of body i, whose centre of mass or its image is at x."""
    at, moving, turning, light, swing = rows
    ahead = now.motion.y
    put3(s, at, l, x)
    put3(s, moving, l, velocity(ahead, i))
    put3(s, turning, l, (ahead[i, SPIN_AHEAD], ahead[i, SPIN_AHEAD + 1], ahead[i, SPIN_AHEAD + 2]))
    s[light * LANES + l], s[swing * LANES + l] = ahead[i, LIGHT_AHEAD], ahead[i, SWING_AHEAD]


@inlined
def _gather(desk, l, now, k):
    """Gather what the forces need of contact k."""
    s, world, y = desk.lanes, now.world, now.motion.y
    pair, row, widths = now.contacts.pairs[k], now.contacts.rows[k], world.shapes.widths
    i, j, shift = world.owner[pair[0]], world.owner[pair[1]], _shift_of(now, pair)
    _load(s, l, now, i, place(y, i), (X_A, V_A, W_A, LIGHT_A, SWING_A))
    _load(s, l, now, j, add(place(y, j), shift), (X_B, V_B, W_B, LIGHT_B, SWING_B))
    put3(s, NORMAL, l, normal(row))
    x, _ = contact_points(row)
    put3(s, FOOT, l, x)
    put3(s, STRETCH, l, stretch_of(now.contacts.memory[k]))
    s[GAP * LANES + l], s[HALF * LANES + l] = row[DISTANCE], min(widths[pair[0]], widths[pair[1]])
    which = law_between(world.body_labels, world.class_of, world.law_of, i, j)
    if needs_curvature(world.laws, which):
        record = now.contacts.records[k]
        gap_curvature(world.shapes, pair[0], pair[1], shift, desk.jets, row, record)
        s[CURVATURES * LANES + l], s[(CURVATURES + 1) * LANES + l] = curvatures(record)
    s[IMPACT_ROW * LANES + l] = now.contacts.memory[k, IMPACT]
    desk.law[l], s[STATE * LANES + l] = which, 1.0 if has_state(world.laws, which) else 0.0


@inlined
def _press(desk, filled, now):
    """Evaluate the normal laws: many contacts at a time if all have the same one."""
    s, laws, which = desk.lanes, now.world.laws, desk.law[0]
    for l in range(1, filled):
        which = which if desk.law[l] == which else -1
    if which >= 0 and press_lanes(laws, which, s, OVERLAP * LANES):
        return
    for l in range(filled):
        depth, rate, impact = s[OVERLAP * LANES + l], s[RATE * LANES + l], s[IMPACT_ROW * LANES + l]
        k1, k2 = s[CURVATURES * LANES + l], s[(CURVATURES + 1) * LANES + l]
        load, spring, elastic = normal_of(laws, desk.law[l], depth, rate, impact, k1, k2)
        s[LOAD * LANES + l], s[SPRING * LANES + l], s[ELASTIC * LANES + l] = load, spring, elastic


@inlined
def _rub(desk, filled, now):
    """Evaluate the friction laws in the same way."""
    s, laws, which, h = desk.lanes, now.world.laws, desk.law[0], now.h
    for l in range(1, filled):
        which = which if desk.law[l] == which else -1
    if which >= 0 and rub_lanes(laws, which, h, s, LOAD * LANES):
        return
    for l in range(filled):
        load, slip, stretch = s[LOAD * LANES + l], get3(s, SLIP, l), get3(s, TURNED, l)
        friction, change, s[BRISTLES * LANES + l], _ = friction_of(laws, desk.law[l], load, slip, stretch, h)
        put3(s, FRICTION, l, friction)
        put3(s, CHANGE, l, change)


@inlined
def _weaken(desk, l, now, k):
    """Note a fault of the normal law, or weaken a damper for which the step is too long."""
    s, world, pair, rate = desk.lanes, now.world, now.contacts.pairs[k], desk.lanes[RATE * LANES + l]
    k1, k2 = s[CURVATURES * LANES + l], s[(CURVATURES + 1) * LANES + l]
    at = Approach(s[OVERLAP * LANES + l], rate, s[IMPACT_ROW * LANES + l], k1, k2)
    load, spring, elastic = press(world.laws, desk.law[l], at, pair, now.notes.fault)
    if abs(load - spring) * now.h > DAMPED_PER_STEP * s[LEAST_ALONG * LANES + l] * abs(rate):
        site = Site(world.owner[pair[0]], world.owner[pair[1]], get3(s, POINT, l), _shift_of(now, pair))
        load = weakened(now.motion, world.inertia, site, get3(s, NORMAL, l), load, spring, rate, now.h)
    s[LOAD * LANES + l], s[SPRING * LANES + l], s[ELASTIC * LANES + l] = load, spring, elastic


@inlined
def _weaken_friction(desk, l, now, k):
    """Note a fault of the friction law, weaken friction for which the step may be too long, and note undue slip."""
    s, pair, memory, world = desk.lanes, now.contacts.pairs[k], now.contacts.memory[k], now.world
    x, slip, i, j = get3(s, POINT, l), get3(s, SLIP, l), world.owner[pair[0]], world.owner[pair[1]]
    sliding = Sliding(get3(s, NORMAL, l), slip, get3(s, SPIN, l), 0.0, stretch_of(memory))
    mass = tangential_mass(now.motion, world.inertia, i, j, x, _shift_of(now, pair), sliding)
    load, which = s[LOAD * LANES + l], desk.law[l]
    rubbing = rubbed(world.laws, which, load, slip, get3(s, TURNED, l), now.h, pair, now.notes.fault)
    friction, undue = within_step(world.laws, which, load, rubbing, now.h, mass)
    put3(s, FRICTION, l, friction)
    put3(s, CHANGE, l, rubbing.change)
    s[BRISTLES * LANES + l] = rubbing.elastic
    put3(s, UNDUE, l, scale(undue, now.h / s[HALF * LANES + l]))


@inlined
def _scatter(desk, l, now, k):
    """Write the record of contact k, the stretch of its bristles and its ways."""
    s, contacts, laws, extremes = desk.lanes, now.contacts, now.world.laws, now.notes.extremes
    memory, record = contacts.memory[k], contacts.records[k]
    record[NORMAL_FORCE] = s[LOAD * LANES + l]
    record[columns.ELASTIC] = s[ELASTIC * LANES + l] + s[BRISTLES * LANES + l]
    write_force(record, get3(s, FORCE, l), get3(s, POINT, l))
    if rolls(laws, desk.law[l]):
        write_torque(record, get3(s, TORQUE, l))
    write_stretch(memory, get3(s, CHANGE, l))
    add_creep(memory, get3(s, UNDUE, l), get3(s, WAY, l), get3(s, ROTATION, l))
    if s[DEPTH * LANES + l] > extremes[DEEPEST] or needs_curvature(laws, desk.law[l]):
        note_extremes(extremes, contacts.pairs[k], contacts.rows[k], record, s[HALF * LANES + l], laws, desk.law[l])


@inlined
def _sum_up(now, k, power):
    """Add impulse and absorbed energy of the step to the memory of contact k; return its elastic energy."""
    memory, record, h = now.contacts.memory[k], now.contacts.records[k], now.h
    energy = record[columns.ELASTIC]
    # The initial energy counts as absorbed; a patch of a mesh wall may take a contact over from another.
    begins = now.world.shapes.kind[now.contacts.pairs[k, 0]] == MESH and memory[ABSORBED] == 0.0
    if begins or not h > 0.0:
        memory[ABSORBED] += energy
    memory[IMPULSE] += h * record[NORMAL_FORCE]
    memory[ABSORBED] += h * power
    memory[PEAK] = max(memory[PEAK], energy)
    return energy


@inlined
def _evaluate_alone(desk, now, lists, m):
    """Evaluate the contact of pair m, and add its force and its torques to the places of both bodies."""
    k = lists.contact_of[m]
    pair, record, y, owner = now.contacts.pairs[k], now.contacts.records[k], now.motion.y, now.world.owner
    stretch = contact_force(now.motion, now.world, now.contacts, k, desk.jets, now.h, now.notes)
    if now.h > 0.0:
        write_stretch(now.contacts.memory[k], stretch)
    i, j, shift = owner[pair[0]], owner[pair[1]], _shift_of(now, pair)
    f, x, torque = force_on_b(record), force_point(record), torque_on_b(record)
    push(lists.pushes, lists.places[m, 0], scale(f, -1.0), sub(cross(f, sub(x, place(y, i))), torque))
    push(lists.pushes, lists.places[m, 1], f, add(cross(sub(sub(x, shift), place(y, j)), f), torque))


@uncounted_inside
def force_contacts(touching, soon, h, bodies, world, lists, notes, desk):
    """Write the records of the contacts of the pairs `touching`, and add their forces to the places of both bodies.

    Returns their elastic energy.  The data of the pairs `soon` are loaded into the cache meanwhile.
    """
    pairs, contact_of, flat, s = lists.pairs, lists.contact_of, world.shapes.flat, desk.lanes
    motion = motion_ahead(bodies)
    now, count, first, energy = Now(motion, world, lists.contacts, h, notes), touching.shape[0], 0, 0.0
    while first < count:
        filled = 0
        while h > 0.0 and filled < LANES and first + filled < count:
            k = touching[first + filled]
            if flat[pairs[k, 0]] != 0 and flat[pairs[k, 1]] != 0:
                break
            _gather(desk, filled, now, contact_of[k])
            if first + filled < soon.shape[0]:
                fetch_bodies(bodies, world, lists, soon[first + filled])
            filled += 1
        if filled == 0:
            k = touching[first]
            _evaluate_alone(desk, now, lists, k)
            energy += _sum_up(now, contact_of[k], lists.contacts.records[contact_of[k], columns.POWER])
            first += 1
            continue
        meet(s, world.where)
        _press(desk, filled, now)
        weigh(s, h)
        for l in range(filled):
            if s[SOUND * LANES + l] == 0.0:
                _weaken(desk, l, now, contact_of[touching[first + l]])
        _rub(desk, filled, now)
        judge(s, h)
        for l in range(filled):
            if s[RESOLVED * LANES + l] == 0.0:
                _weaken_friction(desk, l, now, contact_of[touching[first + l]])
            if rolls(world.laws, desk.law[l]):
                row = rolling_of(world.laws, desk.law[l])
                put3(s, TORQUE, l, rolling_torque(row, s[LOAD * LANES + l], get3(s, NORMAL, l), get3(s, SPIN, l)))
        join(s, h)
        for l in range(filled):
            k = touching[first + l]
            c = contact_of[k]
            if first + l < soon.shape[0]:
                fetch_contact(lists, soon[first + l])
            _scatter(desk, l, now, c)
            energy += _sum_up(now, c, s[POWER * LANES + l])
            f = get3(s, FORCE, l)
            push(lists.pushes, lists.places[k, 0], scale(f, -1.0), get3(s, TORQUE_A, l))
            push(lists.pushes, lists.places[k, 1], f, get3(s, TORQUE_B, l))
        first += filled
    for m in range(count, soon.shape[0]):
        fetch_bodies(bodies, world, lists, soon[m])
        fetch_contact(lists, soon[m])
    return energy
