"""The part of a step that each body takes on its own, for bodies whose numbers also stand in the arrays of LAMMPS.

The only file here that knows how the fast mode is compiled.  Contacts are evaluated by `advance`, phase by phase.
"""

from __future__ import annotations

import numpy as np

from ...compiled.jit import borrowed, entry
from ...dynamics.fast.body_steps import bound_moves, finish_bodies, move_bodies
from ...dynamics.fast.kernel import ADD, EVALUATE, PREPARE, advance, blocks_of
from ...dynamics.fast.tables import (
    ABSORBED_AFTER,
    ABSORBED_BEFORE,
    OUTER_AFTER,
    OUTER_BEFORE,
    FastBodies,
)
from ...dynamics.state import INVERSE_MASS, STATE, frame_of, place, place_shape, write_frame
from ...dynamics.tables import named_world

__all__ = ["ADD", "EVALUATE", "PREPARE", "advance", "blocks_of", "depart", "finish", "receive", "runs_of"]


@entry
def receive(rows, at, sent, bodies, world):
    """Write what LAMMPS sent about bodies to their rows; `at` are their indices there, `sent` as in `depart`."""
    places, velocities, spins, quaternions, moves = sent
    bodies, world = FastBodies(*borrowed(bodies)), named_world(borrowed(world))
    y = bodies.y
    for k in range(rows.shape[0]):
        i, j = rows[k], at[k]
        for c in range(3):
            y[i, c], y[i, 7 + c], y[i, 10 + c] = places[j, c], velocities[j, c], spins[j, c]
            bodies.spins[i, c] = spins[j, c]
            y[i, 3 + c] = quaternions[j, 1 + c]  # LAMMPS has the real part first
        y[i, 6] = quaternions[j, 0]
        for c in range(STATE):
            bodies.ahead[i, c] = y[i, c]
        for c in range(6):
            bodies.forces[i, c] = 0.0
        bodies.moves[i] = moves[j]
        write_frame(y, bodies.turns, i)
        for p in range(bodies.first_shape[i], bodies.first_shape[i + 1]):
            place_shape(world.local, world.shapes.poses, p, frame_of(bodies.turns, i), place(y, i))


@entry
def finish(mine, forces, torques, h, step, bodies, world, works):
    """Second half of a step, with the forces that LAMMPS adds; the works since the start are summed for each body.

    `mine` are runs of consecutive rows, all these rows, and their indices in the arrays of LAMMPS or -1.  Returns the
    longest way of a body in the next step of the length `step`, about, and its row.
    """
    bodies, world = FastBodies(*borrowed(bodies)), named_world(borrowed(world))
    runs, rows, at = mine
    for k in range(rows.shape[0]):
        i, j = rows[k], at[k]
        if j >= 0:
            for c in range(3):
                bodies.extra[i, c], bodies.extra[i, 3 + c] = forces[j, c], torques[j, c]
    for k in range(runs.shape[0]):  # whole runs: a call for each body would copy the tables of all
        finish_bodies(bodies, world, h, runs[k, 0], runs[k, 1])
    longest, which = 0.0, 0
    for k in range(rows.shape[0]):
        i, way = rows[k], 0.0
        works[i, 0] += bodies.works[i, ABSORBED_BEFORE] + bodies.works[i, ABSORBED_AFTER]
        works[i, 1] += bodies.works[i, OUTER_BEFORE] + bodies.works[i, OUTER_AFTER]
        for c in range(3):
            way += step * (abs(bodies.y[i, 7 + c]) + step * world.inertia[i, INVERSE_MASS] * abs(bodies.forces[i, c]))
        if not way <= longest:
            longest, which = way if way < np.inf else np.inf, i
    return longest, which


@entry
def depart(mine, h, bodies, world, offsets, x, sent):
    """First half of the next step; what other ranks need is written to the arrays of LAMMPS.

    `mine` as in `finish`; `offsets` are the periods by which LAMMPS has moved each body back into the box, `sent` are
    places, velocities and angular velocities at the end of the step, quaternions and bounds on the way.
    """
    bodies, world = FastBodies(*borrowed(bodies)), named_world(borrowed(world))
    places, velocities, spins, quaternions, moves = sent
    runs, rows, at = mine
    y = bodies.y
    for k in range(runs.shape[0]):
        bound_moves(bodies, world.inertia, h, runs[k, 0], runs[k, 1])
        move_bodies(bodies, world, h, runs[k, 0], runs[k, 1])
    for k in range(rows.shape[0]):
        i, j = rows[k], at[k]
        if j < 0:
            continue
        for c in range(3):
            places[j, c], x[j, c] = y[i, c], y[i, c] - offsets[k, c]
            velocities[j, c], spins[j, c] = bodies.ahead[i, 7 + c], bodies.spins[i, c]
            quaternions[j, 1 + c] = y[i, 3 + c]
        quaternions[j, 0] = y[i, 6]
        moves[j] = bodies.moves[i]


def runs_of(rows: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ascending rows as `finish` and `depart` take them."""
    edges = np.flatnonzero(np.diff(rows) != 1) + 1
    starts, stops = np.concatenate([[0], edges]), np.concatenate([edges, [len(rows)]])
    runs = np.stack([rows[starts], rows[stops - 1] + 1], axis=1) if len(rows) else np.zeros((0, 2), np.int64)
    return (
        np.ascontiguousarray(runs, np.int64),
        np.ascontiguousarray(rows, np.int64),
        np.ascontiguousarray(at, np.int64),
    )
