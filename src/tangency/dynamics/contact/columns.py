"""Columns of the tables of contacts: geometry, memory between steps, forces at the last evaluation.

One row per pair of shapes in each of the three tables, see `ContactTables`.  A row begins at a cache line, of eight
numbers.  What the fast mode reads and writes in every step is in as few lines as possible.
"""

from __future__ import annotations

import numpy as np

from ...compiled.jit import jit
from ...kernels.vectors import axpy, norm

# Rows: distance, normal, point on A; one column is not used.
DISTANCE, _NORMAL, _POINT = 0, 1, 4
ROW = 8

# Memory: whether the pair touches; closing speed at the impact; since the impact: stretch of the bristles, normal
# impulse, absorbed energy and dissipated energy; time of the impact; largest energy of the contact; and in fast mode,
# since the bodies came close, through all impacts, as vectors: way slipped at all, in half widths of the smaller body,
# relative rotation [rad] in contact, and way slipped because the step was too long for the friction (see `undue_slip`),
# which is rarely more than zero.  The last columns are not used.
TOUCHING, IMPACT, _STRETCH, IMPULSE, ABSORBED, LOST, SINCE, PEAK = 0, 1, 2, 5, 6, 7, 8, 9
_SLID, _TURNED, _CREPT = 10, 13, 16
MEMORY = 24
SUMS = slice(_STRETCH, LOST + 1)  # integrated in accurate mode, in the order of `motion_vector`

# Records: normal force of the law [N], force on B [N], its point of application [m], elastic energy [J]; power absorbed
# by the contact [W], the stored part of it, torque on B besides that of the force [N m], principal curvatures of the
# gap; one column is not used.  Of contacts that are evaluated many at a time, power and its stored part are not kept,
# the torque only if there is rolling resistance.
NORMAL_FORCE, _FORCE, _FORCE_POINT, ELASTIC, POWER, STORED, _TORQUE, _CURVATURES = 0, 1, 4, 7, 8, 9, 10, 13
RECORD = 16

# Columns that a trajectory keeps: those of the distance and the normal, and of the forces and their points.
_FIRST = _NORMAL + 3
COLUMNS = _FIRST + _FORCE_POINT + 3


@jit
def normal(row):
    """Unit vector from A to B."""
    return (row[_NORMAL], row[_NORMAL + 1], row[_NORMAL + 2])


@jit
def contact_points(row):
    """Contact points on A and on B."""
    x = (row[_POINT], row[_POINT + 1], row[_POINT + 2])
    return x, axpy(x, row[DISTANCE], normal(row))


@jit
def curvatures(record):
    """Principal curvatures of the gap, the larger first."""
    return record[_CURVATURES], record[_CURVATURES + 1]


@jit
def write_contact(row, distance, n, x):
    """Write distance, normal and point on A."""
    row[DISTANCE] = distance
    for c in range(3):
        row[_NORMAL + c], row[_POINT + c] = n[c], x[c]


@jit
def write_guess(row, n):
    """Write the normal from which a contact that is not known yet is searched."""
    row[DISTANCE] = 0.0
    for c in range(3):
        row[_NORMAL + c], row[_POINT + c] = n[c], 0.0


@jit
def write_curvatures(record, k1, k2):
    """Write the principal curvatures of the gap."""
    record[_CURVATURES], record[_CURVATURES + 1] = k1, k2


def normals(rows: np.ndarray) -> np.ndarray:
    """Normals of a table of rows, (M, 3)."""
    return rows[:, _NORMAL : _NORMAL + 3].copy()


def write_normals(rows: np.ndarray, which: np.ndarray, values: np.ndarray) -> None:
    """Write the normals of some rows of a table."""
    rows[which, _NORMAL : _NORMAL + 3] = values


def depths(rows: np.ndarray) -> np.ndarray:
    """Penetration of each row of a table [m]."""
    return -rows[:, DISTANCE]


@jit
def stretch_of(memory):
    """Stretch of the bristles [m]."""
    return (memory[_STRETCH], memory[_STRETCH + 1], memory[_STRETCH + 2])


@jit
def write_stretch(memory, stretch):
    """Write the stretch of the bristles."""
    memory[_STRETCH], memory[_STRETCH + 1], memory[_STRETCH + 2] = stretch


@jit
def write_begin(memory, speed, time, energy):
    """Write the start of a contact: closing speed, time, and energy of the impact."""
    memory[TOUCHING], memory[IMPACT], memory[SINCE], memory[PEAK] = 1.0, speed, time, energy
    for c in range(_STRETCH, LOST + 1):
        memory[c] = 0.0


@jit
def add_creep(memory, undue, slid, turned):
    """Add the ways of one step, vectors: undue and whole slip in half widths, and relative rotation."""
    for c in range(3):
        memory[_SLID + c] += slid[c]
        memory[_TURNED + c] += turned[c]
        if undue[c] != 0.0:
            memory[_CREPT + c] += undue[c]


@jit
def _length(memory, at):
    return norm((memory[at], memory[at + 1], memory[at + 2]))


@jit
def creep_of(memory):
    """Undue way so far and the whole way in contact, in half widths."""
    return _length(memory, _CREPT), _length(memory, _SLID) + _length(memory, _TURNED)


def creeps(memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for a table of memories."""
    slid, turned, crept = np.linalg.norm(memory[:, _SLID : _CREPT + 3].reshape(-1, 3, 3), axis=2).T
    return crept, slid + turned


@jit
def force_on_b(record):
    """Force on B."""
    return (record[_FORCE], record[_FORCE + 1], record[_FORCE + 2])


@jit
def force_point(record):
    """Point of application of the force."""
    return (record[_FORCE_POINT], record[_FORCE_POINT + 1], record[_FORCE_POINT + 2])


@jit
def torque_on_b(record):
    """Torque on B besides that of the force."""
    return (record[_TORQUE], record[_TORQUE + 1], record[_TORQUE + 2])


@jit
def write_force(record, f, x):
    """Write the force on B and its point of application."""
    for c in range(3):
        record[_FORCE + c], record[_FORCE_POINT + c] = f[c], x[c]


@jit
def write_torque(record, torque):
    """Write the torque on B besides that of the force."""
    record[_TORQUE], record[_TORQUE + 1], record[_TORQUE + 2] = torque


def forces_on_b(records: np.ndarray) -> np.ndarray:
    """Forces on B of a table of records, (M, 3)."""
    return records[:, _FORCE : _FORCE + 3].copy()


def force_points(records: np.ndarray) -> np.ndarray:
    """Points of application of the forces, (M, 3)."""
    return records[:, _FORCE_POINT : _FORCE_POINT + 3].copy()


def contact_columns(rows: np.ndarray, records: np.ndarray) -> np.ndarray:
    """What a trajectory keeps of contacts, (M, COLUMNS)."""
    kept = np.empty((len(rows), COLUMNS))
    kept[:, :_FIRST], kept[:, _FIRST:] = rows[:, :_FIRST], records[:, : COLUMNS - _FIRST]
    return kept


def named_columns(kept: np.ndarray) -> dict[str, np.ndarray]:
    """The results of `contact_columns` by the names of a trajectory."""
    rows, records = kept[:, :_FIRST], kept[:, _FIRST:]
    return {
        "point": force_points(records),
        "normal": normals(rows),
        "force": forces_on_b(records),
        "depth": depths(rows),
        "normal_force": records[:, NORMAL_FORCE].copy(),
    }
