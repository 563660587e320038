"""The functions of two planar bodies that the solver uses, in the frame of A.

With r the position of B, q the cosine and sine of its angle and n a unit vector from A to B:

    F(n) = n.r - h_A(n) - h_B(-n)             every n proves distance >= F(n)
    w(n) = r + q x_B(-q'n) - x_A(n)           a point of D, the set of all x_B - x_A
    K(n) = R_A(n) + R_B(-n)                   sum of the radii of curvature

On the circle F' = t.w with t = n rotated by a quarter turn, and F'' = -(K + F).  As in space, the solver uses
the *cores* of the bodies (see ``solvers/certified/pair.py``), whose F differs by a constant.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import call_shape, element, jit
from ...kernels.poses import at
from ...solvers.tables import Pick
from ..bounds import Bounds, bounds_at
from ..jet import JET, RADIUS, point_of
from ..vectors import axpy, dot, norm, turn, turn_back

JETS = 2 * JET


class Body(NamedTuple):
    """Body A, or B, of all pairs, as ``solvers/tables.py`` has it in space."""

    address: int
    rows: np.ndarray
    bounds: np.ndarray
    pick: Pick
    turns: np.ndarray  #: (poses, 2), cosine and sine
    positions: np.ndarray
    pick_pose: Pick


class BodyPair(NamedTuple):
    """Two bodies in the frame of A."""

    address_a: int
    row_a: Any  #: pointer to the parameters of A
    size_a: int  #: number of these parameters
    core_a: float
    address_b: int
    row_b: Any
    size_b: int
    core_b: float
    turn: Any  #: q, cosine and sine of the angle of B
    position: Any  #: r


class Placed(NamedTuple):
    """A pair, the bounds of its bodies, and the pose of A in the world."""

    pair: BodyPair
    bounds_a: Bounds
    bounds_b: Bounds
    turn: Any
    home: Any


@jit
def place(a, b, k):
    """Pair k of two bodies."""
    i, j, p, q = at(a.pick, k), at(b.pick, k), at(a.pick_pose, k), at(b.pick_pose, k)
    size_a, size_b = a.rows.shape[1], b.rows.shape[1]
    bounds_a, bounds_b = bounds_at(a.bounds, i), bounds_at(b.bounds, j)
    turn_a, turn_b = (a.turns[p, 0], a.turns[p, 1]), (b.turns[q, 0], b.turns[q, 1])
    home = (a.positions[p, 0], a.positions[p, 1])
    r = turn_back(turn_a, axpy((b.positions[q, 0], b.positions[q, 1]), -1.0, home))
    pair = BodyPair(
        a.address,
        element(a.rows, i * size_a),
        size_a,
        bounds_a.core,
        b.address,
        element(b.rows, j * size_b),
        size_b,
        bounds_b.core,
        turn_back(turn_a, turn_b),
        r,
    )
    return Placed(pair, bounds_a, bounds_b, turn_a, home)


@jit
def evaluate(pair, n, jets):
    """F, w, x_A and K of the cores at the unit vector n."""
    q, r, core_a, core_b = pair.turn, pair.position, pair.core_a, pair.core_b
    m = turn_back(q, n)
    call_shape(pair.address_a, pair.row_a, pair.size_a, n[0], n[1], 0.0, element(jets, 0))
    call_shape(pair.address_b, pair.row_b, pair.size_b, -m[0], -m[1], 0.0, element(jets, JET))
    x_a = axpy(point_of(jets, 0), -core_a, n)
    x_b = axpy(turn(q, point_of(jets, JET)), core_b, n)
    f = dot(n, r) - (jets[0] - core_a) - (jets[JET] - core_b)
    k = max(jets[RADIUS] + jets[JET + RADIUS] - core_a - core_b, 0.0)
    return f, (r[0] + x_b[0] - x_a[0], r[1] + x_b[1] - x_a[1]), x_a, k


@jit
def first_normal(placed):
    """Initial direction: the common normal of the ellipses in the same boxes.

    For concentric boxes, the axis along which A is thinner.
    """
    q, r = placed.pair.turn, placed.pair.position
    a, b, centre_a, centre_b = (
        placed.bounds_a.half,
        placed.bounds_b.half,
        placed.bounds_a.centre,
        placed.bounds_b.centre,
    )
    centre = turn(q, centre_b)
    c = (r[0] + centre[0] - centre_a[0], r[1] + centre[1] - centre_a[1])
    ax, ay, bx, by = a[0] * a[0], a[1] * a[1], b[0] * b[0], b[1] * b[1]
    top = max(ax, ay, bx, by)
    length = norm(c)
    if not length > 1e-14 * math.sqrt(top):
        return (1.0, 0.0) if ax <= ay else (0.0, 1.0)
    u = (c[0] / length, c[1] / length)
    if not top > 0.0:
        return u
    # M = S_A + q S_B q', scaled; its adjugate times c points along M^-1 c.
    i = 1.0 / top
    xx = (ax + bx * q[0] * q[0] + by * q[1] * q[1]) * i + 1e-12
    yy = (ay + bx * q[1] * q[1] + by * q[0] * q[0]) * i + 1e-12
    xy = (bx - by) * q[0] * q[1] * i
    v = (yy * u[0] - xy * u[1], xx * u[1] - xy * u[0])
    length = norm(v)
    return (v[0] / length, v[1] / length) if length > 1e-30 else u
