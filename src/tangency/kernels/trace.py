"""Steps of a solver, as rows of numbers; only this file depends on their order."""

from ..compiled.jit import jit
from .vectors import add, mat_mul

TRACE = 11  # numbers per step: normal, point on A, point on B, distance, residual
_POINT_A, _POINT_B, _DISTANCE, _RESIDUAL = 3, 6, 9, 10
IN_PLANE = [0, 1, 3, 4, 6, 7, 9, 10]  # columns that a step in the plane z = 0 keeps


@jit
def write_step(row, n, x_a, x_b, distance, residual):
    """Write a step to a row of a trace."""
    for c in range(3):
        row[c], row[_POINT_A + c], row[_POINT_B + c] = n[c], x_a[c], x_b[c]
    row[_DISTANCE], row[_RESIDUAL] = distance, residual


@jit
def to_world(rows, count, turn, home):
    """Transform the steps of a trace from the frame of A to the world."""
    for k in range(min(count, rows.shape[0])):
        for j in (0, _POINT_A, _POINT_B):
            v = mat_mul(turn, (rows[k, j], rows[k, j + 1], rows[k, j + 2]))
            if j > 0:
                v = add(v, home)
            for i in range(3):
                rows[k, j + i] = v[i]
