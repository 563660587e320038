"""Upper bounds on the support of a turning body, over a stretch of time and for one direction.

Seen from the body, a direction e fixed in the world moves on a circle about the axis k of rotation.  Between its places
m0 and m1, an angle Phi < pi apart, it is m = alpha m0 + beta m1 - (alpha + beta - 1) cos(theta) k with
alpha = sin(Phi - phi) / sin(Phi), beta = sin(phi) / sin(Phi) and theta its angle to k.  A support function is
subadditive and homogeneous, so

    h(m) <= alpha h(m0) + beta h(m1) + (alpha + beta - 1) h(-cos(theta) k),                        (1)

for every convex body, smooth or not.  The right side has the second derivative -(alpha P0 + beta P1) by phi, with
P = h(m) + h(-cos(theta) k), and alpha + beta <= 1 / cos(Phi / 2).  With s = phi / Phi from 0 to 1, therefore

    h(m) <= (1 - s) h(m0) + s h(m1) + s (1 - s) / 2 * Phi^2 max(P0, P1) / cos(Phi / 2).            (2)

For any angle, the body stays in the cylinder that it sweeps about the axis:

    h(m) <= |cos(theta)| h(+-k) + sin(theta) * (largest distance from the axis).                   (3)

A ball about the reference point does not turn: both are applied to the core of the body (see ``certified/pair.py``).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...kernels.steady_motion import arm_of, axis_velocity
from ...kernels.vectors import axpy, cross, dot, mat_t_mul, norm, scale

WIDEST = 2.0  # largest angle for which (2) is used [rad]
SHORT = 1e-3  # angle for which (2) is of second order [rad]
INFLATED = 1.0 + 1e-9  # for the rounding of (2) itself


class Turning(NamedTuple):
    """A body that turns about an axis; all lengths are those of its core."""

    rate: float  #: angular speed
    axis: Any  #: unit vector in the world; arbitrary without rotation
    ahead: float  #: bound on h(k)
    behind: float  #: bound on h(-k)
    radius: float  #: bound on the distance of its points from the axis through the reference point
    circling: float  #: radius of the circle of the reference point, for a screw
    drift: Any  #: velocity of the axis


@jit
def _box_support(u, half, centre):
    return abs(u[0]) * half[0] + abs(u[1]) * half[1] + abs(u[2]) * half[2] + dot(u, centre)


@jit
def core_box(bounds):
    """Half lengths of the box about the core of a body."""
    a, c = bounds.half, bounds.core
    return (max(a[0] - c, 0.0), max(a[1] - c, 0.0), max(a[2] - c, 0.0))


@jit
def reach_of(bounds):
    """Bound on the distance of all points of a body from its reference point."""
    return norm(bounds.half) + norm(bounds.centre)


@jit
def _farthest_from(k, half, centre):
    """Largest distance of a corner of a box from the axis k through the origin."""
    most = 0.0
    for i in range(8):
        x = half[0] if i & 1 else -half[0]
        y = half[1] if i & 2 else -half[1]
        z = half[2] if i & 4 else -half[2]
        corner = (centre[0] + x, centre[1] + y, centre[2] + z)
        most = max(most, norm(cross(k, corner)))
    return most


@jit
def turning(segment, bounds):
    """The `Turning` of a body with these bounds on a segment of its motion."""
    rate = norm(segment.spin)
    if not rate > 0.0:
        return Turning(0.0, (0.0, 0.0, 1.0), 0.0, 0.0, 0.0, 0.0, segment.velocity)
    axis = scale(segment.spin, 1.0 / rate)
    k, half, centre = mat_t_mul(segment.turn, axis), core_box(bounds), bounds.centre
    ahead = _box_support(k, half, centre)
    behind = _box_support((-k[0], -k[1], -k[2]), half, centre)
    radius = _farthest_from(k, half, centre)
    if bounds.longest > 0.0:  # an ellipsoid about the reference point
        most = max(bounds.longest - bounds.core, 0.0)
        ahead, behind, radius = min(ahead, most), min(behind, most), min(radius, most)
    circling = norm(arm_of(segment, segment.velocity))
    return Turning(rate, axis, ahead, behind, radius, circling, axis_velocity(segment))


@jit
def swept_support(body, bounds, stance, e):
    """(3) for the direction e: bound on the support of the core from the axis, at all times of the segment."""
    if body.rate == 0.0:
        return _box_support(mat_t_mul(stance.turn, e), core_box(bounds), bounds.centre)
    cosine = dot(e, body.axis)
    sine = norm(cross(e, body.axis))
    along = cosine * body.ahead if cosine > 0.0 else -cosine * body.behind
    return along + sine * (body.radius + body.circling)


@jit
def bulge(body, segment, e, h0, h1, time):
    """How far above its chord the support of the moving core may rise: the factor of s (1 - s) / 2 in (2).

    `h0` and `h1` are its values at both ends, `time` apart; also for the reference point on its circle.
    """
    if body.rate == 0.0:
        return 0.0
    angle, cosine = body.rate * time, dot(e, body.axis)
    back = cosine * body.behind if cosine > 0.0 else -cosine * body.ahead
    most = max(h0, h1) + back
    most = angle * angle * (most / math.cos(0.5 * angle) if most > 0.0 else most)
    if segment.screw != 0.0:
        sideways = norm(cross(e, body.axis)) * norm(cross(segment.spin, segment.velocity))
        most += sideways * time * time
    return most


@jit
def growth(body, segment, e, h):
    """The same for short times, per time squared, where the support of the core is `h`."""
    if body.rate == 0.0:
        return 0.0
    time = SHORT / body.rate
    return max(bulge(body, segment, e, h, h, time), 0.0) / (time * time)


@jit
def excess(body, bounds, segment, stance, e, h):
    """By how much (3) exceeds the support `h` of the core now."""
    return max(swept_support(body, bounds, stance, e) - dot(e, arm_of(segment, stance.velocity)) - h, 0.0)


@jit
def positive_part(f0, f1, bulging):
    """Largest part of [0, 1], from 0 on, in which (1 - s) f0 + s f1 - s (1 - s) / 2 bulging is > 0; f0 > 0."""
    half = 0.5 * max(bulging, 0.0) * INFLATED
    # f0 - (f0 - f1 + half) s + half s^2
    p = f0 - f1 + half
    if p <= 0.0:
        return 1.0
    square = p * p - 4.0 * half * f0
    if square < 0.0:
        return 1.0
    # The smaller root, without cancellation.
    root = 2.0 * f0 / (p + math.sqrt(square))
    return 1.0 if root > 1.0 else root


@jit
def circle_centre(segment, stance):
    """From the start of a segment to the axis of its screw now; for a drift, to the reference point."""
    return axpy(stance.shift, -1.0, arm_of(segment, stance.velocity))
