"""Many bodies at a fixed step: kick, drift, kick, with the contacts found on the way, in one compiled loop.

Velocities take half a step with the old forces, bodies drift (each orientation by the symplectic splitting
of `kernels/quaternions`), forces are found at the new places, velocities take the other half.  Forces that
depend on velocities see those predicted for the end of the step, which keeps the second order.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import entry, jit
from ..kernels.jet import JET
from ..kernels.quaternions import angular_velocity, turned_freely
from ..kernels.vectors import axpy, dot, norm, sub
from .candidates import find, remember
from .impacts import write_row
from .loads_kernel import (
    ABSORBED,
    AT,
    BRISTLE,
    DEED,
    ELASTIC,
    FORCE,
    IMPULSE,
    LOST,
    MEMORY,
    NORMAL_FORCE,
    PEAK,
    POWER,
    SLACK,
    TOUCHING,
    add_extra,
    begin,
    common_loads,
    contact_load,
)
from .state import L, Q, V, X, momentum, orientation, place_pieces, spin_all, velocity, velocity_at
from .touch import DISTANCE, HOLLOW, PLANE, ROUND, ROW, touch

# Totals that go from step to step: work absorbed by contacts and springs and work from outside [J], elastic
# energies of contacts and springs, path since the list of pairs was made, contacts that the solver was not
# content with, rows of the impact log, longest way and largest turn of a body in one step.
WORK, OUTER, CONTACTS, SPRINGS, PATH, FAILURES, LOGGED, LONGEST, TURNED = range(9)
TOTALS = 9
CAUTION = 1.0 - 1e-6  # of a proved distance, against rounding
# How a run of steps ends: as asked, the table of pairs is full, a number is not finite, the impact log may get full.
DONE, FULL, WILD, LOG_FULL = 0, 1, 2, 3


@jit
def _kick(y, world, forces, extra, t):
    """Velocities after the time t under `forces`; work absorbed between the bodies and work from outside.

    The works are those of the kicks themselves, so that the balance of energy holds whatever the step is.
    """
    inertia, gravity = world[0], world[1]
    absorbed, outer = 0.0, 0.0
    for i in range(y.shape[0]):
        f, torque = (forces[i, 0], forces[i, 1], forces[i, 2]), (forces[i, 3], forces[i, 4], forces[i, 5])
        if inertia[i, 4] == 0.0:
            work = t * (dot(f, velocity(y, i)) + dot(torque, momentum(y, i)))  # its angular velocity stands there
            absorbed -= work
            outer -= work
            continue
        v = axpy(velocity(y, i), 0.5 * t * inertia[i, 4], f)
        inverse = (inertia[i, 5], inertia[i, 6], inertia[i, 7])
        w = angular_velocity(orientation(y, i), axpy(momentum(y, i), 0.5 * t, torque), inverse)
        given = t * (dot((extra[i, 0], extra[i, 1], extra[i, 2]), v) + dot((extra[i, 3], extra[i, 4], extra[i, 5]), w))
        weight = t * inertia[i, 0] * dot((gravity[0], gravity[1], gravity[2]), v)
        absorbed += given + weight - t * (dot(f, v) + dot(torque, w))
        outer += given
        for c in range(3):
            y[i, V + c] += t * inertia[i, 4] * forces[i, c]
            y[i, L + c] += t * forces[i, 3 + c]
    return absorbed, outer


@jit
def _predict(y, inertia, forces, t, ahead):
    """State with the velocities that the old forces would give after the time t."""
    ahead[:] = y
    for i in range(y.shape[0]):
        if inertia[i, 4] > 0.0:
            for c in range(3):
                ahead[i, V + c] += t * inertia[i, 4] * forces[i, c]
                ahead[i, L + c] += t * forces[i, 3 + c]


@jit
def _drift(y, inertia, h):
    for i in range(y.shape[0]):
        if inertia[i, 4] > 0.0:
            for c in range(3):
                y[i, X + c] += h * y[i, V + c]
            inverse = (inertia[i, 5], inertia[i, 6], inertia[i, 7])
            y[i, Q], y[i, Q + 1], y[i, Q + 2], y[i, Q + 3] = turned_freely(
                orientation(y, i), momentum(y, i), inverse, h
            )


@jit
def _paths(y, inertia, forces, reach, h, moves):
    """Upper bounds on each body's way in the next step, into `moves`; the longest, and the largest turn [rad]."""
    longest, turned = 0.0, 0.0
    for i in range(y.shape[0]):
        v, l = norm(velocity(y, i)), norm(momentum(y, i))
        if inertia[i, 4] > 0.0:
            f = norm((forces[i, 0], forces[i, 1], forces[i, 2]))
            torque = norm((forces[i, 3], forces[i, 4], forces[i, 5]))
            v += 0.5 * h * f * inertia[i, 4]
            l = (l + 0.5 * h * torque) * max(inertia[i, 5], inertia[i, 6], inertia[i, 7])
        moves[i] = h * (v + reach[i] * l)
        longest, turned = max(longest, moves[i]), max(turned, h * l)
    return longest, turned


@jit
def _renew(pieces, owner, law_of, skin, lists, count, order):
    """A new list of pairs; what was known of those that stay is kept.  The count, or minus the room needed."""
    pairs, table, memory, spare, spare_table, spare_memory = lists
    shapes = pieces[1].shape[0]
    low, high = np.empty((shapes, 3)), np.empty((shapes, 3))
    found = find(pieces, owner, law_of, skin, low, high, order, spare)
    if found < 0:
        return found
    remember(pairs, count, spare, found, table, spare_table)
    remember(pairs, count, spare, found, memory, spare_memory)
    pairs[:found], table[:found], memory[:found] = spare[:found], spare_table[:found], spare_memory[:found]
    return found


@jit
def _contacts(
    y, spins, world, pieces, pairs, count, table, memory, deeds, forces, tol, h, moves, moved, skin, totals,
    log, now,
):  # fmt: skip
    """Forces of all contacts, at the end of a step of length h.

    Bodies that are a proved distance apart are not looked at again until both together may have come so far.
    """
    jets, stretch = np.empty(JET), np.zeros(3)
    owner, kind = world[4], pieces[1]
    energy = 0.0
    for k in range(count):
        row, own = table[k], memory[k]
        a, b = pairs[k, 0], pairs[k, 1]
        i, j = owner[a], owner[b]
        own[SLACK] -= moves[i] + moves[j]
        if own[SLACK] > 0.0:
            continue
        good = touch(pieces, a, b, skin, tol, table, k)
        if not good:
            totals[FAILURES] += 1.0
        if not row[DISTANCE] < 0.0:
            if own[TOUCHING] != 0.0:
                own[TOUCHING], own[LOST] = 0.0, own[ABSORBED]
                write_row(pairs[k], own, now, log[int(totals[LOGGED])])
                totals[LOGGED] += 1.0
            proved = row[DISTANCE] > skin or not (kind[a] == HOLLOW or kind[a] == ROUND)
            if good and proved and not (moved[i] or moved[j]):
                own[SLACK] = CAUTION * row[DISTANCE]
            continue
        if own[TOUCHING] == 0.0:
            begin(y, spins, world, pairs[k], row, own, now)
        contact_load(y, spins, world, pieces, pairs[k], row, own, jets, forces, deeds[k], stretch, h)
        if h > 0.0:
            own[BRISTLE], own[BRISTLE + 1], own[BRISTLE + 2] = stretch[0], stretch[1], stretch[2]
        own[IMPULSE] += h * deeds[k, NORMAL_FORCE]
        own[ABSORBED] += h * deeds[k, POWER] if h > 0.0 else deeds[k, ELASTIC]  # what the start gives is absorbed
        own[PEAK] = max(own[PEAK], deeds[k, ELASTIC])
        energy += deeds[k, ELASTIC]
    totals[CONTACTS] = energy


@jit
def _settle(y, ahead, spins_ahead, world, pairs, count, memory, deeds, h):
    """Energy that contacts absorbed, at the velocities after the step in place of the predicted ones.

    A force acts in the kicks before and after its instant, so that its work is that with the velocity between them.
    """
    owner = world[4]
    spins = np.empty((y.shape[0], 3))
    spin_all(y, world[0], spins)
    for k in range(count):
        own = memory[k]
        if own[TOUCHING] == 0.0:
            continue
        i, j = owner[pairs[k, 0]], owner[pairs[k, 1]]
        x = (deeds[k, AT], deeds[k, AT + 1], deeds[k, AT + 2])
        f = (deeds[k, FORCE], deeds[k, FORCE + 1], deeds[k, FORCE + 2])
        change = sub(velocity_at(y, spins, i, x), velocity_at(ahead, spins_ahead, i, x))
        change = sub(change, sub(velocity_at(y, spins, j, x), velocity_at(ahead, spins_ahead, j, x)))
        own[ABSORBED] += h * dot(f, change)
        own[LOST] = own[ABSORBED] - deeds[k, ELASTIC]


@entry
def run_steps(
    steps, h, y, forces, extra, world, reach, moved, pieces, lists, count, deeds, order, tol, skin, totals,
    log, before,
):  # fmt: skip
    """Steps of length h; returns (steps done, pairs in the list or minus the room needed, how it ended).

    Rows of bodies that are not free stay as they are: who moves them calls for one step at a time.  Contacts of the
    bodies `moved` are looked at in every step.  With a
    negative `count` there is no list of pairs yet: it is made, with the forces at the start, before the steps.
    Contacts that end go into `log`; `before` is the number of steps that were done before.
    """
    inertia, owner = world[0], world[4]
    pairs, table, memory = lists[0], lists[1], lists[2]
    restless = False  # planes that turn come from afar: their neighbours are looked for in every step
    for p in range(owner.shape[0]):
        restless = restless or (pieces[1][p] == PLANE and moved[owner[p]])
    spins, ahead, moves = np.empty((y.shape[0], 3)), np.empty_like(y), np.empty(y.shape[0])
    fresh = count < 0
    for done in range(-1 if fresh else 0, steps):
        step = 0.0 if done < 0 else h
        path, turn = _paths(y, inertia, forces, reach, step, moves)
        if not path < 1e300:
            return done, count, WILD
        if done < 0:
            place_pieces(y, owner, world[5], pieces[6])
        if done < 0 or restless or totals[PATH] + path > 0.5 * skin:
            found = _renew(pieces, owner, world[6], skin + 2.0 * path, lists, max(count, 0), order)
            if found < 0:
                return max(done, 0), found, FULL
            count, totals[PATH] = found, 0.0
        if totals[LOGGED] + count > log.shape[0]:
            return max(done, 0), count, LOG_FULL
        totals[PATH] += path
        totals[LONGEST], totals[TURNED] = max(totals[LONGEST], path), max(totals[TURNED], turn)
        absorbed, outer = _kick(y, world, forces, extra, 0.5 * step)
        _drift(y, inertia, step)
        _predict(y, inertia, forces, 0.5 * step, ahead)
        spin_all(ahead, inertia, spins)
        place_pieces(y, owner, world[5], pieces[6])
        totals[SPRINGS], _ = common_loads(ahead, spins, world, forces)
        _contacts(
            ahead, spins, world, pieces, pairs, count, table, memory, deeds, forces, tol, step, moves,
            moved, skin, totals, log, (before + done + 1) * h,
        )  # fmt: skip
        add_extra(forces, extra)
        absorbed_too, outer_too = _kick(y, world, forces, extra, 0.5 * step)
        _settle(y, ahead, spins, world, pairs, count, memory, deeds, step)
        totals[WORK] += absorbed + absorbed_too
        totals[OUTER] += outer + outer_too
        if done < 0:
            totals[WORK] = totals[CONTACTS] + totals[SPRINGS]
    return steps, count, DONE


def tables(room: int) -> tuple[tuple, np.ndarray]:
    """Room for so many pairs: the list with what is known and remembered of each, twice, and the deeds."""
    lists = []
    for _ in range(2):
        lists += [np.zeros((room, 2), np.int64), np.zeros((room, ROW)), np.zeros((room, MEMORY))]
    return tuple(lists), np.zeros((room, DEED))


def grown(lists: tuple, deeds: np.ndarray, room: int) -> tuple[tuple, np.ndarray]:
    """The same tables with more room."""
    new, new_deeds = tables(max(room, math.ceil(1.5 * len(deeds))))
    for old, fresh in zip((*lists, deeds), (*new, new_deeds)):
        fresh[: len(old)] = old
    return new, new_deeds
