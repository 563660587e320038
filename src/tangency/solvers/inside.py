"""Contacts of bodies with the walls of cavities around them (see `hollow`), from the world to the world."""

import math

import numpy as np

from .._jit import entry, jit
from ..kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, sub, unit
from ..shape import BOUNDS
from ..status import Status
from .buffers import at, write
from .hollow import COLUMNS, TRIANGLES, clearance, nearest_wall
from .pair import JETS, make_pair
from .scales import scales

RESIDUAL = 1e-6  # tangential distance of both points, in sizes, beyond which a minimum does not count as found
_APART, _OVERLAP, _SEARCHED = int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.SEARCHED)
_FAILED, _NAN = int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


@jit
def inside(a, b, k, point, guess, tol, gap, triangles, jets):
    """Pair k of the hollow A and the body B, each as `certified` takes them.

    `point` is the address of a shape that is a point if its row is zero; a `guess` of zero is none; `tol` and `gap`
    are those of minima and of the proof, in sizes.  Returns (distance, lower bound, normal from A to B, point of B,
    status, evaluations, rounding error).
    """
    pair, turn, home = make_pair(a, b, k)
    i, j = at(a[3], k), at(b[3], k)
    box_a, box_b = a[2][i], b[2][j]
    size, rounding, _ = scales(box_a, box_b, pair[9], tol)
    n = scale(mat_t_mul(turn, guess), -1.0)
    if not norm(n) > 0.5:
        centre = (box_a[3], box_a[4], box_a[5])
        n = sub(add(pair[9], mat_mul(pair[8], (box_b[3], box_b[4], box_b[5]))), centre)
        n = n if norm(n) > 1e-9 * size else (0.6, 0.48, 0.64)
    tolerance, gap = max(tol * size, rounding), max(gap * size, rounding)
    rest = np.zeros((2, 1, 12))
    rest[:, 0, 0], rest[:, 0, 5], rest[:, 0, 10] = 1.0, 1.0, 1.0
    own, one = np.empty(1, np.int64), np.zeros(1, np.int64)
    own[0] = i
    wall = (
        (a[0], a[1], a[2], own, rest[0], one),
        (point, np.zeros((1, 1)), np.zeros((1, BOUNDS)), one, rest[1], one),
    )
    value, lower, n, slope, evaluations = nearest_wall(pair, wall, unit(n), tolerance, gap, rounding, triangles, jets)
    _, w, x = clearance(pair, n, jets)
    x = add(mat_mul(turn, sub(x, w)), home)
    status = _APART if value >= -rounding else _OVERLAP
    if not value - lower <= gap + rounding:
        status = _SEARCHED
    if not slope <= max(RESIDUAL * size, 4.0 * rounding):
        status = _FAILED
    if not math.isfinite(value + x[0] + x[1] + x[2]) or not abs(value) < 1e300:
        return 0.0, -math.inf, (0.0, 0.0, 1.0), home, _NAN, evaluations, math.inf
    return value, lower, unit(scale(mat_mul(turn, n), -1.0)), x, status, evaluations, rounding


@entry
def hollow_contacts(a, b, point, flipped, guess, tol, order, start, stop, values, codes):
    """Contacts of the pairs order[start..stop] of the hollow a and the body b; A is the body if `flipped`."""
    triangles, jets = np.empty((TRIANGLES, COLUMNS)), np.empty(JETS)
    for position in range(start, stop):
        k = at(order, position)
        row = guess[0][at(guess[1], k)]
        side = -1.0 if flipped else 1.0
        distance, lower, n, x, status, evaluations, rounding = inside(
            a, b, k, point, (side * row[0], side * row[1], side * row[2]), tol, tol, triangles, jets
        )
        if flipped:
            n = scale(n, -1.0)
        else:
            x = axpy(x, -distance, n)
        write(values, codes, k, distance, lower - rounding, distance + rounding, n, x, status, evaluations)
