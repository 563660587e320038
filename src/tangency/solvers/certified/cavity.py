"""Contacts of bodies with the walls of the cavities around them, in the world frame; see `cavity_search`."""

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import entry, jit
from ...contacts.status import Status
from ...kernels.poses import at
from ...kernels.vectors import add, axpy, mat_mul, mat_t_mul, norm, scale, sub, unit
from ...shapes.bounds import BOUNDS
from ..tables import Answer, Body, Buffers, Part, named_question, vector_at, write
from ..tolerances import scales
from .cavity_search import COLUMNS, TRIANGLES, Wall, clearance, nearest_wall
from .pair import JETS, between_centres, place

RESIDUAL = 1e-6  # maximum tangential distance of the two points, in sizes, at a minimum that counts as found
_APART, _OVERLAP, _SEARCHED = int(Status.APART), int(Status.OVERLAP_PROVED), int(Status.SEARCHED)
_FAILED, _NAN = int(Status.NOT_CONVERGED), int(Status.NOT_A_NUMBER)


class Hollow(NamedTuple):
    """The convex set inside the wall, and the options of the search."""

    body: Body
    point: int  #: address of a shape that is a point if its row is zero
    tol: float  #: tolerance of minima, in sizes
    gap: float  #: tolerance of the proof, in sizes


class Clearance(NamedTuple):
    """Result of the search, in the world frame."""

    distance: float
    lower: float
    normal: Any  #: from the wall to the body
    point: Any  #: of the body
    status: int
    evaluations: int
    rounding: float


@jit
def inside(hollow, b, k, guess, triangles, jets):
    """Clearance of the body b in a hollow, for pair k; a zero `guess` means none."""
    a = hollow.body
    placed = place(a, b, k)
    pair, turn, home = placed.pair, placed.turn, placed.home
    size, rounding, _ = scales(placed.bounds_a, placed.bounds_b, pair.position, hollow.tol)
    n = scale(mat_t_mul(turn, guess), -1.0)
    if not norm(n) > 0.5:
        n = between_centres(placed)
        n = n if norm(n) > 1e-9 * size else (0.6, 0.48, 0.64)
    tolerance, gap = max(hollow.tol * size, rounding), max(hollow.gap * size, rounding)
    rest = np.zeros((2, 1, 12))
    rest[:, 0, 0], rest[:, 0, 5], rest[:, 0, 10] = 1.0, 1.0, 1.0
    own, one = np.empty(1, np.int64), np.zeros(1, np.int64)
    own[0] = at(a.pick, k)
    wall = Wall(
        Body(a.address, a.rows, a.bounds, own, rest[0], one, False),
        Body(hollow.point, np.zeros((1, 1)), np.zeros((1, BOUNDS)), one, rest[1], one, False),
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
        return Clearance(0.0, -math.inf, (0.0, 0.0, 1.0), home, _NAN, evaluations, math.inf)
    return Clearance(value, lower, unit(scale(mat_mul(turn, n), -1.0)), x, status, evaluations, rounding)


@entry
def hollow_contacts(hollow, body, flipped, question, part, out):
    """Contacts of some pairs of a hollow and a body; A is the body if `flipped`."""
    around, point, tolerance, gap = hollow
    hollow = Hollow(Body(*around), point, tolerance, gap)
    body, question, part, out = Body(*body), named_question(question), Part(*part), Buffers(*out)
    triangles, jets = np.empty((TRIANGLES, COLUMNS)), np.empty(JETS)
    for position in range(part.start, part.stop):
        k = at(part.order, position)
        guess = scale(vector_at(question.guess, k), -1.0 if flipped else 1.0)
        found = inside(hollow, body, k, guess, triangles, jets)
        distance, n, x = found.distance, found.normal, found.point
        if flipped:
            n = scale(n, -1.0)
        else:
            x = axpy(x, -distance, n)
        lower, upper = found.lower - found.rounding, distance + found.rounding
        write(out.values, out.codes, k, Answer(distance, lower, upper, n, x, found.status, found.evaluations))
