"""The set of points of a body that share a normal: one point, an edge or a face.

Kernels return one of these points.  The others are the points of normals nearby: within `STEP` of an edge's normal the
kernel returns both of its ends.  The radius of curvature is infinite along an edge, and in all directions on a face.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..compiled.jit import call_shape, element, jit
from .jet import JET, hessian_of, point_of
from .vectors import add, axpy, cross, dot, frame, norm, scale, sub, sym_mul, unit

AROUND = 8  # directions in which normals nearby are tried
PROBES = 2 * AROUND + 2  # jets that fit into the room to work in
STEP, SHORT = 1e-8, 1e-10  # angles to the normals nearby; the normal itself is mostly known to about 1e-12
LEAST = 1e-6  # of the size: shorter edges are not seen
CURVED = 1e3  # of the size: up to this radius of curvature a place is not nearly flat
ROUGH = 1e-3  # of the size: largest distance of a solver's point from an edge
SAME = 0.99  # part of its length to which an edge may shrink with the step
STEADY = 1e-4  # relative change of a radius of curvature between two normals nearby, if it is smooth there
THIN = 1e-6  # of its length: width of an edge
LITTLE = 0.01  # of its length: motion of its ends that is corrected
BY_CURVATURE = 1.1  # times the motion by curvature: up to this, a motion is explained by it
MARGIN = 1e-9  # of the size: a point nearer to the end of an edge or face than this is not inside
STRAIGHT = 1e-13  # of the size: largest height of an arc that is a straight side
HALVINGS = 24  # times that the arc of a round rim is halved
_HALF = math.sqrt(0.5)
NONE = (0.0, 0.0, 0.0)
_COS = (1.0, _HALF, 0.0, -_HALF, -1.0, -_HALF, 0.0, _HALF)
_SIN = (0.0, _HALF, 1.0, _HALF, 0.0, -_HALF, -1.0, -_HALF)


class SupportSet(NamedTuple):
    """Points that share a normal."""

    rank: int  #: 0: one point, 1: an edge, 2: a face, -1: none of these
    axis: Any  #: direction of an edge
    across: float  #: radius of curvature across an edge, at the contact point
    inside: bool  #: whether the contact point is neither an end of the edge nor on the rim of the face
    beyond: float  #: how far it lies beyond the end or rim; infinite if it is not known
    point: Any  #: of an edge or face, near the contact point
    tilt: Any  #: its normal minus the one asked about: along an edge, or on a face
    corners: Any  #: two points of an edge, three of a face
    normals: Any  #: normals near n that have these points
    sure: bool  #: whether n is known to belong to all of them, to a hundredth of the angles tried


@jit
def _probe(body, n, d, jets, k):
    """Point of the normal n + d; its jet is left as number k in `jets`."""
    call_shape(body.address, body.row, body.size, n[0] + d[0], n[1] + d[1], n[2] + d[2], element(jets, k * JET))
    return point_of(jets, k * JET)


@jit
def support_set(body, n, x, length, radius, jets, strict, wider):
    """The points of a body that share the unit normal n, and the place of x among them.

    `radius` is the larger radius of curvature that the kernel gives at n.  Without `strict`, n and x may be those of a
    solver, and less accurate at edges and faces.  `wider`, 1 or more, multiplies the angles to the normals nearby.
    """
    t, s = frame(n)
    step, short = wider * STEP, wider * SHORT
    for k in range(AROUND):
        _probe(body, n, axpy(scale(t, step * _COS[k]), step * _SIN[k], s), jets, k)
    nothing = SupportSet(0, t, 0.0, True, 0.0, x, NONE, (x, x, x), (n, n, n), True)
    unknown = SupportSet(-1, t, 0.0, False, math.inf, x, NONE, (x, x, x), (n, n, n), False)
    along, longest = t, 0.0
    for i in range(AROUND):
        for j in range(i):
            between = sub(point_of(jets, i * JET), point_of(jets, j * JET))
            reach = norm(between)
            if not reach <= 1e300:
                return unknown
            if reach > longest:
                along, longest = between, reach
    if longest <= LEAST * length or (longest <= 4.0 * step * radius and radius <= CURVED * length):
        return nothing
    along = unit(axpy(along, -dot(n, along), n))
    angle, sure = short, True
    near, far = _ends(body, n, scale(along, angle), jets)
    if not norm(sub(far, near)) >= SAME * longest:
        # It shrinks with the step: a place that is nearly flat, or a normal that is not quite that of the edge or face.
        if wider == 1.0 and norm(sub(far, near)) <= 4.0 * short * radius:
            return nothing
        if strict:
            return unknown
        angle, sure = step, False
        near, far = _ends(body, n, scale(along, angle), jets)
    edge = sub(far, near)
    # Both ends have moved with the tilt: of a short line, this would turn the axis.
    moved = add(sym_mul(hessian_of(jets, AROUND * JET), along), sym_mul(hessian_of(jets, JET * (AROUND + 1)), along))
    if angle * norm(moved) <= LITTLE * norm(edge):
        edge = axpy(edge, -angle, moved)
    slope = dot(n, edge)
    edge = axpy(edge, -slope, n)
    reach = norm(edge)
    if not reach >= SAME * longest:
        return unknown
    axis = scale(edge, 1.0 / reach)
    side_on = cross(n, axis)
    # Across the edge: of a narrow face, the normals tried may belong to the ends of its longest edge only.
    _probe(body, n, scale(side_on, step), jets, AROUND + 2)
    _probe(body, n, scale(side_on, -step), jets, AROUND + 3)
    width, corner, third = 0.0, near, n
    # Points of a line that is curved across it move by its radius of curvature, those of a face do not.
    ends = _by_curvature(jets, AROUND, side_on, along, angle) + _by_curvature(jets, AROUND + 1, side_on, along, angle)
    for k in range(AROUND + 4):
        if AROUND <= k < AROUND + 2:
            continue
        point, tried = point_of(jets, k * JET), _tried(n, k, (t, s, side_on), step)
        aside = abs(dot(side_on, sub(point, near)))
        if aside > width and aside > BY_CURVATURE * (_by_curvature(jets, k, side_on, sub(tried, n), 1.0) + ends):
            width, corner, third = aside, point, tried
    normals = axpy(n, -angle, along), axpy(n, angle, along), third
    if width > wider * THIN * reach:
        normal = unit(cross(sub(far, near), sub(corner, near)))
        if dot(normal, n) < 0.0:
            normal = scale(normal, -1.0)
        room = _room_on_face(body, n, x, length, jets) if strict else length
        point, tilt, corners = axpy(x, dot(normal, sub(near, x)), normal), sub(normal, n), (near, far, corner)
        return SupportSet(2, axis, 0.0, room > MARGIN * length, max(-room, 0.0), point, tilt, corners, normals, sure)
    part = dot(axis, sub(x, near)) / reach
    room = length if body.hollow == 2 or not strict else min(part, 1.0 - part) * reach
    if not abs(dot(side_on, sub(x, near))) <= (LEAST if strict else ROUGH) * length:
        room = -math.inf
    at_near = dot(side_on, sym_mul(hessian_of(jets, AROUND * JET), side_on))
    at_far = dot(side_on, sym_mul(hessian_of(jets, JET * (AROUND + 1)), side_on))
    at_near = _at_normal(body, n, scale(along, -2.0 * angle), side_on, at_near, jets)
    at_far = _at_normal(body, n, scale(along, 2.0 * angle), side_on, at_far, jets)
    point, tilt = axpy(near, part, sub(far, near)), scale(axis, -slope / reach)
    across = (1.0 - part) * at_near + part * at_far
    inside, beyond = room > MARGIN * length, max(-room, 0.0)
    return SupportSet(1, axis, across, inside, beyond, point, tilt, (near, far, near), normals, sure)


@jit
def _by_curvature(jets, k, side_on, d, part):
    """How far aside the point of jet k lies by the curvature there, for a normal that is tilted by ``part * d``."""
    return part * abs(dot(side_on, sym_mul(hessian_of(jets, k * JET), d)))


@jit
def _at_normal(body, n, d, side_on, halfway, jets):
    """Radius of curvature across an edge at n, from that of n + d / 2: on the side of a cone it changes with n."""
    if halfway <= 0.0:
        return 0.0
    _probe(body, n, d, jets, AROUND)
    there = dot(side_on, sym_mul(hessian_of(jets, AROUND * JET), side_on))
    return 2.0 * halfway - there if abs(there - halfway) <= STEADY * halfway else halfway


@jit
def _tried(n, k, directions, step):
    """The normal of the jet with the number k in `support_set`."""
    t, s, side_on = directions
    if k < AROUND:
        return axpy(axpy(n, step * _COS[k], t), step * _SIN[k], s)
    return axpy(n, step if k == AROUND + 2 else -step, side_on)


@jit
def _ends(body, n, step, jets):
    """Points of the normals n - step and n + step."""
    return _probe(body, n, scale(step, -1.0), jets, AROUND), _probe(body, n, step, jets, AROUND + 1)


@jit
def _room_on_face(body, n, x, length, jets):
    """Distance of x from the rim of a face, negative beyond it; if it is more than `MARGIN`, a lower bound of it.

    The points of the normals tried are corners of a polygon in the face.  Beyond a side of it the rim may be round: the
    side is replaced by two, from its ends to the point of the face that is farthest out.
    """
    t, s = frame(n)
    room = length
    for k in range(AROUND):
        direction = axpy(scale(t, _COS[k]), _SIN[k], s)
        here, following = point_of(jets, k * JET), point_of(jets, JET * ((k + 1) % AROUND))
        room = min(room, dot(direction, sub(here, x)))
        for _ in range(HALVINGS):
            rim = sub(following, here)
            reach = norm(rim)
            if not reach > LEAST * length:
                break
            outward = scale(cross(rim, n), 1.0 / reach)
            inner = dot(outward, sub(here, x))
            if inner > MARGIN * length:
                break
            middle = _probe(body, n, scale(outward, STEP), jets, AROUND)
            outer = dot(outward, sub(middle, x))
            room = min(room, outer)
            if outer - inner <= STRAIGHT * length:
                break
            if dot(rim, sub(x, middle)) >= 0.0:
                here = middle
            else:
                following = middle
    return room
