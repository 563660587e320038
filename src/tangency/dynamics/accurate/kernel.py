"""Compiled equations of motion, and distances of all pairs; the vector is that of `motion_vector`."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import types

from ...compiled.held import Holder, opened, store
from ...compiled.jit import entry, jit
from ...kernels.jet import JET
from ...kernels.relative_motion import relative_motion
from ...kernels.support_set import PROBES
from ..contact.columns import DISTANCE, ELASTIC, POWER, contact_points, normal, write_stretch
from ..contact.solve import solve_contact
from ..images_kernel import NO_SHIFT
from ..loads_kernel import Notes, common_loads, contact_force, outer_power, push_both
from ..state import kinematics, place_shapes, velocity_at, write_rate
from ..tables import ContactTables, named_world
from ..wrenches import add_all, force_on, torque_on
from .motion_vector import VectorBodies, body_part, stretch_in, unpack, write_powers, write_sum_rates

NO_LIMIT = 1e300  # on the distance
TOL = 1e-12  # of the contact solver
GAP, GAP_RATE, GAPS = 0, 1, 2  # columns of `gaps`: distance of a pair and its rate of change


@entry
def _store(world, buffer):
    """Write the tables of a world, as plain tuples, to a buffer; returns the space needed."""
    return store(world, buffer)


_holder = Holder(_store)


@entry
def _evaluate(vector, bodies, held, contacts, which, distances, out, gaps):
    """Rate of change of the vector, or distances; returns elastic energies and the number of failed contacts.

    `bodies` are plain `VectorBodies`, `held` is the world; `which` lists the pairs to evaluate.  With `distances`,
    their distances and the rates of these are written to `gaps`; otherwise the pairs touch, their forces act, the rate
    of the vector (except that of joints) is written to `out`, and the forces on all bodies to those of `bodies`.  (One
    function for both, because the contact solver takes long to compile.)
    """
    bodies, world, contacts = VectorBodies(*bodies), named_world(opened(held)), ContactTables(*contacts)
    free, y = bodies.free, bodies.y
    unpack(vector, free, y)
    forces, motion = bodies.forces, kinematics(y, world.inertia)
    place_shapes(y, world)
    springs, power = common_loads(motion, world, forces)
    pairs, rows, memory, records = contacts
    jets, energy, failures = np.empty(PROBES * JET), 0.0, 0
    notes = Notes(world.extremes, world.fault)
    for m in range(which.shape[0]):
        k = which[m]
        if distances:
            rows[k, DISTANCE] = 0.0  # solve anew: the search for an event must not depend on earlier evaluations
        if not solve_contact(world.shapes, pairs[k, 0], pairs[k, 1], NO_LIMIT, TOL, rows, k):
            failures += 1
        if distances:
            gaps[m, GAP], gaps[m, GAP_RATE] = rows[k, DISTANCE], _opening(motion, world, pairs[k], rows[k])
            continue
        write_stretch(memory[k], stretch_in(vector, free, m))
        stretching = contact_force(motion, world, contacts, k, jets, 0.0, notes)
        push_both(motion.y, world.owner, pairs[k], records[k], forces, NO_SHIFT)
        write_sum_rates(out, free, m, stretching, records[k])
        power += records[k, POWER]
        energy += records[k, ELASTIC]
    if not distances:
        write_powers(out, power, outer_power(motion, world, forces, bodies.extra))
        add_all(forces, bodies.extra)
        for m in range(free.shape[0]):
            i = free[m]
            write_rate(motion, world.inertia, i, force_on(forces, i), torque_on(forces, i), body_part(out, m))
    return energy, springs, failures


@jit
def _opening(motion, world, pair, row):
    """Rate of change of the distance between two shapes."""
    x_a, x_b = contact_points(row)
    i, j = world.owner[pair[0]], world.owner[pair[1]]
    return relative_motion(normal(row), velocity_at(motion, i, x_a), velocity_at(motion, j, x_b)).rate


class Evaluation:
    """The compiled equations of motion of a world."""

    def __init__(self, world: tuple) -> None:
        """From plain tables."""
        self._world = world  # keeps the arrays alive
        self._buffer, self._function = _holder.hold(world), _compiled()

    def __call__(
        self,
        vector: np.ndarray,
        bodies: tuple,
        contacts: tuple,
        which: np.ndarray,
        distances: bool,
        out: np.ndarray,
        gaps: np.ndarray,
    ) -> tuple[float, float, int]:
        """See `_evaluate`; all arrays are C-contiguous, and all but the numbers of bodies and pairs are floats."""
        return self._function(vector, bodies, self._buffer, contacts, which, distances, out, gaps)


@cache
def _compiled() -> Callable:
    """The compiled `_evaluate`, whose arguments are not checked."""
    numbers, table = types.float64[::1], types.float64[:, ::1]
    bodies = types.Tuple((types.int64[::1], table, table, table))
    contacts = types.Tuple((types.int64[:, ::1], table, table, table))
    signature = (numbers, bodies, _holder.kind, contacts, types.int64[::1], types.boolean, numbers, table)
    function: Any = _evaluate
    function.compile(signature)
    return function.overloads[signature].entry_point
