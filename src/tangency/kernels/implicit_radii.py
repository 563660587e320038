"""Principal radii of bodies with an implicit function: where the surface is nearly flat, a point tells them better than
the normal does."""

from __future__ import annotations

import math

from ..compiled.jit import call_shape, element, jit
from .jet import SUPPORT, hessian_of, point_of
from .principal_radii import FLAT, INFINITE, POWER, SAME, Radii, Surface, eigen, rotated
from .support_set import NONE
from .vectors import add, axpy, cross, dot, mat_inverse_t, mat_mul, mat_t_mul, norm, scale, sub, sym_mul

OFF = 1e-9  # of the distance from the reference point: largest error of a point at which the implicit function is asked
AGREED = 1e-13  # of the size: difference of two coordinates that are equal but for rounding
LOST = 1e-10  # angle between the normals of a point and of the contact that says: a small coordinate is lost [rad]
UNSURE = 1e-11  # of the size: the same, above which the normal alone does not tell the curvature
BY_NORMAL = 1e3  # of the size: largest radius that the rounded normal alone tells
SHARPEST = 1e140  # curvature that is no number
UNLIKE = 1e-8  # ratio of two curvatures below which the smaller one is taken without the other
EDGE_ON = 1e-6  # sine of an angle below which, and ratio above which, an operator is not one of an edge along an axis
MAP = 12  # numbers of an affine map: matrix and translation


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
    length = norm(along)
    if not length > EDGE_ON:
        return blunt, across
    along = scale(along, 1.0 / length)
    over = cross(along, m)
    image = sym_mul(w, over)
    part, top = dot(along, image), dot(over, image)
    if not abs(part) < EDGE_ON * top:
        return blunt, across
    return dot(along, sym_mul(w, along)) - part * part / top, axpy(over, part / top, along)


@jit
def _onto(x, gradient, height):
    """The point of the surface beside x in one coordinate, which is not small: small ones stay exact."""
    u, v, w = abs(gradient[0] * x[0]), abs(gradient[1] * x[1]), abs(gradient[2] * x[2])
    if u >= v and u >= w:
        return (x[0] - height / gradient[0], x[1], x[2])
    if v >= w:
        return (x[0], x[1] - height / gradient[1], x[2])
    return (x[0], x[1], x[2] - height / gradient[2])


@jit
def radii_by_function(body, length, m, x, work):
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
        lost = known and tilted > LOST and off < tilted * length  # a small coordinate is
        if seen.known and not lost:
            return seen
        known = known and off <= UNSURE * length and large <= BY_NORMAL * length
    return Radii(large, small, axis, known, beyond, point, tilt, point)


@jit
def radii_of_image(body, length, m, x, work):
    """The same for an affine image.

    They are found in the frame of the body that is mapped, where small coordinates keep their digits.
    """
    l, c = _map_of(body.row, body.size)
    u = mat_t_mul(l, m)
    stretch = norm(u)
    u = scale(u, 1.0 / stretch)
    core = Surface(body.core, body.implicit, body.row, body.size - MAP, POWER, 0, 0)
    call_shape(core.address, core.row, core.size, u[0], u[1], u[2], element(work, 0))
    y, inverse_t = point_of(work, 0), mat_inverse_t(l)
    y = add(y, mat_t_mul(inverse_t, sub(x, add(mat_mul(l, y), c))))
    found = radii_by_function(core, length * max(abs(min(inverse_t)), max(inverse_t)), u, y, work)
    large, small, axis = _mapped(l, m, u, stretch, found)
    tilt = scale(mat_mul(inverse_t, found.tilt), stretch)
    tilt = axpy(tilt, -dot(m, tilt), m)
    point = add(mat_mul(l, found.point), c)
    return Radii(large, small, axis, found.known, found.beyond, point, tilt, found.point)


@jit
def _map_of(row, size):
    """Matrix and translation of an affine image, the last numbers of its row."""
    i = size - MAP
    l = (row[i], row[i + 1], row[i + 2], row[i + 3], row[i + 4], row[i + 5], row[i + 6], row[i + 7], row[i + 8])
    return l, (row[i + 9], row[i + 10], row[i + 11])


@jit
def _mapped(l, m, u, stretch, found):
    """Radii and axis of an image with the normal m, from those of the body at u: W is L W L' / |L'm|."""
    along, across = mat_mul(l, found.axis), mat_mul(l, cross(u, found.axis))
    length = norm(along)
    t = scale(along, 1.0 / length)
    s = cross(m, t)
    p, q = dot(across, t), dot(across, s)
    large, small = found.large * length * length / stretch, found.small / stretch
    if found.large >= INFINITE or not large < INFINITE:
        return INFINITE, INFINITE if found.small >= INFINITE else min(small * q * q, INFINITE), t
    return rotated(large + small * p * p, small * p * q, small * q * q, t, s)
