"""Corners of both bodies that are nearest to each other, kept from step to step.

Bodies with faces and edges touch in corners, and these move with the bodies.  Up to three pairs of points, one of each
body and each in the frame of its body, span the face of the difference of both bodies that is nearest to the origin
(``kernels/simplex.py``).  A short time later the same points give the new direction and an upper bound on the distance
without an evaluation; one evaluation then shows whether they are still the right ones.

They also tell how the direction turns.  For each pair, w is the vector between its points, and w' its rate of change.
The direction stays that of the face if n.w stays the same for all of them: n'.(w_i - w_0) = -n.(w_i' - w_0').
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import inlined, jit
from ...compiled.small_arrays import on_stack
from ...kernels.jet import JET, point_of
from ...kernels.simplex import blend, nearest
from ...kernels.vectors import add, axpy, cross, dot, mat_mul, mat_t_mul, norm, scale, sub, unit
from ..certified.pair import core_of
from ..certified.simplex_rows import CURVATURE, POINT
from .moving_pair import pair_at, rate_of, stances_at

MOST = 3  # pairs of points that are kept
SAME = 0.05  # points count as one if they spread less than this part of those of the other body
POINT_B = CURVATURE  # column of the point of B in a row of a simplex
NEEDLE = 1e-6  # sine of the angle between two edges below which they do not tell how the direction turns

_points = on_stack(MOST, 6)


class Features(NamedTuple):
    """Pairs of points of both cores, each in the frame of its body."""

    points: np.ndarray
    number: int


@inlined
def room_for_features():
    """Room on the stack of the function that calls this one."""
    return _points()


@jit
def feature(features, i):
    """Pair of points number i."""
    p = features.points
    return (p[i, 0], p[i, 1], p[i, 2]), (p[i, 3], p[i, 4], p[i, 5])


@jit
def put_points(m, i, pair, a, b):
    """Write the points a of A and b of B, each in its own frame, to row i of a simplex."""
    m[i, 0], m[i, 1], m[i, 2] = sub(add(pair.position, mat_mul(pair.rotation, b)), a)
    m[i, POINT], m[i, POINT + 1], m[i, POINT + 2] = a
    m[i, POINT_B], m[i, POINT_B + 1], m[i, POINT_B + 2] = b


@jit
def farthest_points(seen, jets):
    """The farthest points of both cores along the direction of a view, from its jets, each in the frame of its body."""
    pair = seen.pair
    a = axpy(point_of(jets, 0), -pair.core_a, seen.local)
    return a, axpy(point_of(jets, JET), pair.core_b, mat_t_mul(pair.rotation, seen.local))


@jit
def put_view(m, i, seen, jets):
    """Write these points to row i of a simplex."""
    a, b = farthest_points(seen, jets)
    put_points(m, i, seen.pair, a, b)


@jit
def placed(features, pair, m):
    """Write the features to a simplex, where both bodies are now."""
    for i in range(features.number):
        a, b = feature(features, i)
        put_points(m, i, pair, a, b)


@jit
def kept_features(points, m, count):
    """The features that are the rows of a simplex."""
    if count > MOST:
        return Features(points, 0)
    for i in range(count):
        for c in range(3):
            points[i, c], points[i, 3 + c] = m[i, POINT + c], m[i, POINT_B + c]
    return Features(points, count)


@jit
def copied(features, points):
    """The same features in another array."""
    for i in range(features.number):
        for c in range(2 * 3):
            points[i, c] = features.points[i, c]
    return Features(points, features.number)


@jit
def found_features(points, pair, m, count):
    """The features that are the corners of a simplex of the robust search."""
    for i in range(count):
        w, a = (m[i, 0], m[i, 1], m[i, 2]), (m[i, POINT], m[i, POINT + 1], m[i, POINT + 2])
        b = mat_t_mul(pair.rotation, sub(add(w, a), pair.position))
        m[i, POINT_B], m[i, POINT_B + 1], m[i, POINT_B + 2] = b
    return kept_features(points, m, count)


@jit
def directed(moving, features, n, t, work):
    """The direction of the face that three features span at time t; without them, n."""
    if features.number < MOST:
        return n
    stances = stances_at(moving, t)
    placed(features, pair_at(moving, stances), work.simplex)
    count, plane = nearest(work.simplex, MOST)
    return mat_mul(stances[0].turn, unit(plane)) if count == MOST and norm(plane) > 0.0 else n


@jit
def spread(features, of_b):
    """Largest distance of the points of one body, B if `of_b`, from the first of them."""
    first_a, first_b = feature(features, 0)
    most = 0.0
    for i in range(features.number):
        a, b = feature(features, i)
        most = max(most, norm(sub(b, first_b)) if of_b else norm(sub(a, first_a)))
    return most


@jit
def features_bound(seen, features, work):
    """Upper bound on the distance at the time of a view, from the features alone."""
    if features.number == 0:
        return math.inf
    placed(features, seen.pair, work.simplex)
    count, _ = nearest(work.simplex, features.number)
    return norm(blend(work.simplex, count, 0)) - core_of(seen.pair)


class Course(NamedTuple):
    """How a direction should turn, and the rate of change of F."""

    spin: Any  #: angular velocity of the direction
    rate: float  #: of F along the turning direction
    fixed: float  #: of F along the direction as it is


@jit
def _w_and_rate(moving, seen, a, b):
    """Vector from the point a of A to the point b of B, in the world, and its rate of change."""
    place_a, place_b = seen.stances
    arm_a, arm_b = mat_mul(place_a.turn, a), mat_mul(place_b.turn, b)
    r = mat_mul(place_a.turn, seen.pair.position)
    velocity_a = add(place_a.velocity, cross(moving.a.segment.spin, arm_a))
    velocity_b = add(place_b.velocity, cross(moving.b.segment.spin, arm_b))
    return sub(add(r, arm_b), arm_a), sub(velocity_b, velocity_a)


@jit
def _turning_rate(n, edges, rates, count):
    """n' such that n.w stays equal for all features, from the differences of w and w'."""
    e, b = edges[0], -dot(n, rates[0])
    if count == 2:
        return scale(e, b / max(dot(e, e), 1e-300))
    f, c = edges[1], -dot(n, rates[1])
    area = dot(n, cross(e, f))
    if not abs(area) > NEEDLE * norm(e) * norm(f):
        return (0.0, 0.0, 0.0)
    return scale(add(scale(cross(f, n), b), scale(cross(n, e), c)), 1.0 / area)


@jit
def _spin(moving, seen, features):
    """Angular velocity of the direction of a face, of one of the bodies or spanned by an edge of each."""
    n = seen.normal
    a0, b0 = feature(features, 0)
    w0, rate0 = _w_and_rate(moving, seen, a0, b0)
    a1, b1 = feature(features, 1)
    w1, rate1 = _w_and_rate(moving, seen, a1, b1)
    a2, b2 = feature(features, features.number - 1)
    w2, rate2 = _w_and_rate(moving, seen, a2, b2)
    wide_a, wide_b = norm(sub(a1, a0)) + norm(sub(a2, a0)), norm(sub(b1, b0)) + norm(sub(b2, b0))
    spin_a, spin_b = moving.a.segment.spin, moving.b.segment.spin
    if wide_b <= SAME * wide_a:
        return spin_a
    if wide_a <= SAME * wide_b:
        return spin_b
    turn = _turning_rate(n, (sub(w1, w0), sub(w2, w0)), (sub(rate1, rate0), sub(rate2, rate0)), features.number)
    turn = axpy(turn, -dot(turn, n), n)
    if not norm(turn) < 1e100:
        turn = (0.0, 0.0, 0.0)
    return axpy(cross(n, turn), 0.5 * (dot(spin_a, n) + dot(spin_b, n)), n)


@jit
def course(moving, seen, features):
    """The `Course` from a view: with its plane or its features, or else a fixed direction."""
    rate = rate_of(seen)
    if moving.is_plane:
        spin = moving.a.segment.spin
        arm = add(mat_mul(seen.stances[0].turn, seen.pair.position), seen.b.point)
        return Course(spin, rate + dot(cross(spin, seen.normal), arm), rate)
    if features.number < 2:
        return Course((0.0, 0.0, 0.0), rate, rate)
    spin = _spin(moving, seen, features)
    turn, along, fixed = cross(spin, seen.normal), math.inf, rate
    for i in range(features.number):
        a, b = feature(features, i)
        w, change = _w_and_rate(moving, seen, a, b)
        fixed = min(fixed, dot(seen.normal, change))
        along = min(along, dot(seen.normal, change) + dot(turn, w))
    return Course(spin, along, fixed)
