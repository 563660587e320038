"""Principal radii of curvature of a body at a point: what is asked, what is answered, and those of an operator W.

The larger radius comes with its direction and may be many orders above the smaller one, or infinite (`INFINITE`):
on faces, along edges, at flat places.  So the operator W is never formed from them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..compiled.jit import jit
from .vectors import axpy, cross, dot, frame, norm, scale, sym_mul

SMOOTH, POWER, EDGED, PLANE = 0, 1, 2, 3
"""How the radii of curvature are found: from W; at flat places from the implicit function; by a look at the
neighbouring normals, which tells edges and faces; without formulas, all infinite."""

INFINITE = 1e90  # radius of a face, or along an edge
SMALLEST = 1e-290  # below this a radius has no direction
FLAT = 10.0  # of the size: above it the point tells a radius better than the normal does
SAME = 1e-8  # of the size: largest distance between the contact point and that of the normal


class Surface(NamedTuple):
    """What `radii_at` asks of a body; a tuple with more fields will also do."""

    address: int  #: of the compiled jet
    implicit: int  #: of the compiled implicit function, for the kind POWER
    row: Any  #: pointer to the parameters
    size: int  #: how many these are
    kind: int
    hollow: int  #: 0 for a body, 1 for a cavity, 2 for one without ends
    core: int  #: of the compiled jet of the body whose affine image this is; `implicit` is then also that of this body


class Radii(NamedTuple):
    """Principal radii of one body at a contact."""

    large: float  #: the one of larger magnitude; negative in a cavity
    small: float
    axis: Any  #: unit tangent vector that belongs to `large`
    known: bool  #: False where they are not those of a smooth surface
    beyond: float  #: how far the contact point lies beyond the end of an edge or face; infinite if it is not known
    point: Any  #: of the surface, near the contact point
    tilt: Any  #: outward normal at `point` minus that of the contact
    within: Any  #: `point` in the frame of the body whose affine image this is; without one, `point`


@jit
def rotated(a, b, c, t, s):
    """Eigenvalues of a t t' + b (t s' + s t') + c s s', the larger first, and the unit vector of the first."""
    turn = 0.0
    if b != 0.0:
        half = 0.5 * (c - a) / b
        turn = math.copysign(1.0, half) / (abs(half) + math.sqrt(1.0 + half * half))
    i = 1.0 / math.sqrt(1.0 + turn * turn)
    first, second = a - turn * b, c + turn * b
    if second > first:
        return second, first, scale(axpy(s, turn, t), i)
    return first, second, scale(axpy(t, -turn, s), i)


@jit
def eigen(n, w):
    """Eigenvalues of a symmetric operator on the plane normal to n, the larger first, and the unit vector of the first.

    The column of the largest diagonal entry is near that vector; starting there, one rotation of Jacobi keeps the
    digits of an eigenvalue that is smaller by many orders.
    """
    column, top = (w[0], w[1], w[2]), w[0]
    if w[3] > top:
        column, top = (w[1], w[3], w[4]), w[3]
    if w[5] > top:
        column, top = (w[2], w[4], w[5]), w[5]
    t, _ = frame(n)
    if SMALLEST < top < math.inf:
        near = scale(column, 1.0 / top)  # squares of tiny and of huge radii are no numbers
        near = axpy(near, -dot(n, near), n)
        length = norm(near)
        if length > 0.5:
            t = scale(near, 1.0 / length)
    s = cross(n, t)
    wt, ws = sym_mul(w, t), sym_mul(w, s)
    a, b, c = dot(t, wt), dot(t, ws), dot(s, ws)
    return rotated(a, b, c, t, s)
