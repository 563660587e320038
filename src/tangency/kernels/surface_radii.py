"""Principal radii of curvature of a body at its contact point, each with its direction, inside compiled code.

The larger radius comes with its direction and may be many orders above the smaller one, or infinite (`INFINITE`):
on faces, along edges, at flat places.  So the operator W is never formed from them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..compiled.jit import call_shape, element, jit
from .jet import SUPPORT, hessian_of, point_of
from .support_set import NONE, ROUGH, support_set
from .vectors import add, axpy, cross, dot, frame, mat_mul, mat_t_mul, norm, scale, sub, sym_mul

SMOOTH, POWER, EDGED, PLANE = 0, 1, 2, 3
"""How the radii of curvature are found: from W; at flat places from the implicit function; by a look at the
neighbouring normals, which tells edges and faces; without formulas, all infinite."""

LOOSE, STRICT, SINGLE = 0, 1, 2
"""How a body is looked at: n and x may be those of a solver; they are exact; those of a solver, at a single point."""

MAP = 12  # numbers of an affine map: matrix and translation
INFINITE = 1e90  # radius of a face, or along an edge
WIDER = 2  # times that the search for an edge or face is repeated with normals farther away
SMALLEST = 1e-290  # below this a radius has no direction
MOST = 1e100  # of a finite radius that a kernel gives at a flat place
FLAT = 10.0  # of the size: above it the point tells a radius better than the normal does
ROUNDING = 1e-7  # of the size: a radius that is zero, in formulas whose second derivatives are differences
OFF = 1e-9  # of the distance from the reference point: largest error of a point at which the implicit function is asked
AGREED = 1e-13  # of the size: difference of two coordinates that are equal but for rounding
LOST = 1e-10  # angle between the normals of a point and of the contact that says: a small coordinate is lost [rad]
UNSURE = 1e-11  # of the size: the same, above which the normal alone does not tell the curvature
BY_NORMAL = 1e3  # of the size: largest radius that the rounded normal alone tells
SHARPEST = 1e140  # curvature that is no number
UNLIKE = 1e-20  # ratio of two curvatures below which the smaller one is taken without the other
EDGE_ON = 1e-6  # sine of an angle, and ratio of entries, below which an operator is not one of an edge along an axis
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


def kind_of(body: Any) -> int:
    """How the radii of curvature of a bounded shape are found."""
    if not body._is_builtin():
        return EDGED
    if body.smooth:
        return SMOOTH
    return POWER if body.has_implicit else EDGED


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
def _sharpened(x, point, w, length):
    """The point x with the coordinates that the normal tells better: those of `point`, the point of the normal.

    At the sharp edge of a superellipsoid a coordinate is 1e-20, say, and x says zero; along the edge, `point` follows
    the rounding of the normal.  Coordinates that differ by more than rounding are those of x: they tell its error.
    """
    w_xx = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    w_yy = w[1] * w[1] + w[3] * w[3] + w[4] * w[4]
    w_zz = w[2] * w[2] + w[4] * w[4] + w[5] * w[5]
    most, near = length * length, AGREED * length
    return (
        point[0] if w_xx <= most and abs(point[0] - x[0]) <= near else x[0],
        point[1] if w_yy <= most and abs(point[1] - x[1]) <= near else x[1],
        point[2] if w_zz <= most and abs(point[2] - x[2]) <= near else x[2],
    )


@jit
def _seen_at(body, x, m, work):
    """Radii by the implicit function at a point x with about the normal m."""
    call_shape(body.implicit, body.row, body.size, x[0], x[1], x[2], element(work, 0))
    height, gradient = work[SUPPORT], point_of(work, 0)
    slope = norm(gradient)
    sharp, blunt, across = eigen(m, hessian_of(work, 0))
    if abs(blunt) < UNLIKE * sharp:
        blunt, across = _along_edge(m, hessian_of(work, 0), blunt, across)
    # Seen from far, x is not known well enough.  Second derivatives of |x|^p, p < 2, are infinite where x vanishes.
    on_body = abs(height) <= OFF * slope * norm(x)
    if not (on_body and 0.0 < slope < INFINITE and 0.0 <= sharp < SHARPEST and norm(across) > 0.5):
        return Radii(0.0, 0.0, NONE, False, math.inf, x, NONE, x)
    large = INFINITE if blunt * INFINITE <= slope else slope / blunt
    small = INFINITE if sharp * INFINITE <= slope else slope / sharp
    outward = scale(gradient, 1.0 / slope)
    point = _onto(x, gradient, height)
    return Radii(large, small, cross(m, across), True, 0.0, point, sub(outward, m), point)


@jit
def _along_edge(m, w, blunt, across):
    """Smaller eigenvalue of an operator on the plane normal to m, and the direction of the larger one, if this is
    almost a coordinate axis: rounding errors times the larger one would cover the smaller one."""
    axis, top = (1.0, 0.0, 0.0), w[0]
    if w[3] > top:
        axis, top = (0.0, 1.0, 0.0), w[3]
    if w[5] > top:
        axis, top = (0.0, 0.0, 1.0), w[5]
    along = cross(m, axis)  # its component along the axis is exactly zero
    length, image = norm(along), sym_mul(w, axis)
    off = max(abs(dot(image, along)), abs(dot(image, cross(axis, along))))
    if not (length > EDGE_ON and off < EDGE_ON * top):
        return blunt, across
    along = scale(along, 1.0 / length)
    part = dot(image, along)
    return dot(along, sym_mul(w, along)) - part * part / top, cross(along, m)


@jit
def _onto(x, gradient, height):
    """The point of the surface beside x in the coordinate along which it is steepest, so that small ones stay exact."""
    u, v, w = abs(gradient[0]), abs(gradient[1]), abs(gradient[2])
    if u >= v and u >= w:
        return (x[0] - height / gradient[0], x[1], x[2])
    if v >= w:
        return (x[0], x[1] - height / gradient[1], x[2])
    return (x[0], x[1], x[2] - height / gradient[2])


@jit
def _by_power(body, length, m, x, work):
    """Radii of a body with an implicit function, whose outward normal is m, at its point x."""
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(work, 0))
    large, small, axis = eigen(m, hessian_of(work, 0))
    point, tilt = point_of(work, 0), NONE
    known = norm(sub(x, point)) <= SAME * length
    beyond = 0.0 if known else math.inf
    if not known or large > FLAT * length:
        y = _sharpened(x, point, hessian_of(work, 0), length)
        seen = _seen_at(body, y, m, work)
        if not seen.known:
            y = x
            seen = _seen_at(body, y, m, work)
        off, tilted = norm(sub(x, point)), norm(seen.tilt)
        if known and tilted > LOST and off < tilted * length:
            # A small coordinate is lost in y: the normal tells the curvature better.
            known = off <= UNSURE * length and large <= BY_NORMAL * length
        elif seen.known:
            return seen
    return Radii(large, small, axis, known, beyond, point, tilt, point)


@jit
def _of_image(body, length, m, x, work):
    """The same for an affine image: in the frame of the body that is mapped, where small coordinates keep their digits."""
    l, c = map_of(body.row, body.size)
    u = mat_t_mul(l, m)
    stretch = norm(u)
    u = scale(u, 1.0 / stretch)
    core = Surface(body.core, body.implicit, body.row, body.size - MAP, POWER, 0, 0)
    call_shape(core.address, core.row, core.size, u[0], u[1], u[2], element(work, 0))
    y, back = point_of(work, 0), _inverse(l)
    y = add(y, mat_mul(back, sub(x, add(mat_mul(l, y), c))))
    largest = 0.0
    for entry_of in back:
        largest = max(largest, abs(entry_of))
    found = _by_power(core, length * largest, u, y, work)
    large, small, axis = _mapped(l, m, u, stretch, found)
    tilt = scale(mat_t_mul(back, found.tilt), stretch)
    tilt = axpy(tilt, -dot(m, tilt), m)
    point = add(mat_mul(l, found.point), c)
    return Radii(large, small, axis, found.known, found.beyond, point, tilt, found.point)


@jit
def _by_normals(body, length, m, x, work, look):
    """Radii of a smooth body, or of one with edges and faces, from its normals m and nearby."""
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(work, 0))
    large, small, axis = eigen(m, hessian_of(work, 0))
    point, tilt = point_of(work, 0), NONE
    single, near = body.kind == EDGED and look == SINGLE, norm(sub(x, point)) <= SAME * length
    # The point of a solver is less accurate at edges; steps that follow will tell.
    rough = body.kind == EDGED and look == LOOSE and norm(sub(x, point)) <= ROUGH * length
    known = body.kind == SMOOTH or single or near or rough
    beyond = 0.0 if known else math.inf
    if body.kind == EDGED and not single:
        found = support_set(body, m, x, length, large, work, look == STRICT, 1.0)
        if look == LOOSE and not near:
            # The normal of a solver may miss that of an edge or face by more than the normals tried.
            for k in range(WIDER):
                if found.rank < 1 or not found.sure:
                    found = support_set(body, m, x, length, large, work, False, 100.0 ** (k + 1))
        if found.rank > 0:
            large, small, axis = INFINITE, found.across if found.rank == 1 else INFINITE, found.axis
            known, beyond, point, tilt = found.inside, found.beyond, found.point, found.tilt
        elif found.rank < 0:
            known, beyond = False, math.inf
        if found.rank < 1 and body.hollow == 2:  # all normals but those of the side belong to the tip of a cone
            large, small = 0.0, 0.0
    return Radii(large, small, axis, known, beyond, point, tilt, point)


@jit
def map_of(row, size):
    """Matrix and translation of an affine image, the last numbers of its row."""
    i = size - MAP
    l = (row[i], row[i + 1], row[i + 2], row[i + 3], row[i + 4], row[i + 5], row[i + 6], row[i + 7], row[i + 8])
    return l, (row[i + 9], row[i + 10], row[i + 11])


@jit
def _inverse(l):
    r0, r1, r2 = (l[0], l[1], l[2]), (l[3], l[4], l[5]), (l[6], l[7], l[8])
    c0, c1, c2 = cross(r1, r2), cross(r2, r0), cross(r0, r1)
    i = 1.0 / dot(r0, c0)
    return (i * c0[0], i * c1[0], i * c2[0], i * c0[1], i * c1[1], i * c2[1], i * c0[2], i * c1[2], i * c2[2])


@jit
def _mapped(l, m, u, stretch, found):
    """Radii and axis of an image with the normal m, from those of the body at u: W is L W L' / |L'm|."""
    along, across = mat_mul(l, found.axis), mat_mul(l, cross(u, found.axis))
    length = norm(along)
    t = scale(along, 1.0 / length)
    s = cross(m, t)
    p, q = dot(across, t), dot(across, s)
    large = length * length * min(found.large, INFINITE) / stretch
    small = found.small / stretch
    if not large < INFINITE:
        return INFINITE, min(small * q * q, INFINITE), t
    a, b, c = large + small * p * p, small * p * q, small * q * q
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
def radii_at(body, length, n, x, work, look):
    """Radii of a body whose outward normal is n, at its point x; both in its own frame, and so is the result.

    `length` is the size of the pair; `work` is room for jets; `look` is one of LOOSE, STRICT and SINGLE.
    """
    if body.kind == PLANE:
        return Radii(INFINITE, INFINITE, frame(n)[0], True, 0.0, x, NONE, x)
    sign = -1.0 if body.hollow else 1.0
    m = scale(n, sign)
    if body.kind == POWER:
        found = _of_image(body, length, m, x, work) if body.core else _by_power(body, length, m, x, work)
    else:
        found = _by_normals(body, length, m, x, work, look)
    large, small, axis, known, beyond, point, tilt, within = found
    if small < 0.0 and small >= -ROUNDING * length:
        small, large = 0.0, max(large, 0.0)
    if not (large >= 0.0 and small >= 0.0):  # formulas that do not describe a convex body, or give no number
        known, beyond = False, math.inf
        if not (abs(large) < math.inf and abs(small) < math.inf and norm(axis) > 0.5):
            large, small, axis = 0.0, 0.0, frame(m)[0]
    tilt = scale(tilt, sign)
    return Radii(sign * min(large, MOST), sign * min(small, MOST), axis, known, beyond, point, tilt, within)
