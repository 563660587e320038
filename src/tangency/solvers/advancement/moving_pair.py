"""Two bodies in steady motion, seen at one time along one direction.

For a unit vector n fixed in the world, F(n, t) = n.r(t) - h_A(R_A' n) - h_B(-R_B' n) is a lower bound on the distance
at time t.  Its rate of change is n.(v_B - v_A), the velocities being those of the points of both bodies that are
farthest along n (envelope theorem); its second derivative needs the Hessians of both support functions.

A half-space has no such function but along its own normal; it is body A, and has the address 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.jit import call_shape, element, jit
from ...kernels.jet import JET, hessian_of, point_of
from ...kernels.poses import at
from ...kernels.rounding import ROUNDING
from ...kernels.steady_motion import Segment, acceleration_of, segment_at, segment_of, stance_at
from ...kernels.vectors import add, axpy, cross, dot, mat_mul, mat_t_mul, norm, scale, sub, sym_mul
from ...shapes.bounds import Bounds, bounds_at
from ...shapes.half_space import plane_at
from ..certified.pair import BodyPair, core_of, evaluate
from ..tables import Body
from .turning import Turning, circle_centre, reach_of, turning

NO_BOUNDS = Bounds((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0)


class Mover(NamedTuple):
    """One of the two bodies, on one segment of its motion."""

    segment: Segment
    turning: Turning
    bounds: Bounds
    reach: float


class MovingPair(NamedTuple):
    """Both bodies, while neither changes its segment."""

    pair: BodyPair  #: with B somewhere
    a: Mover
    b: Mover
    between: Any  #: from the start of A to that of B
    until: float  #: end of the first segment that ends
    plane: Any  #: normal and offset of a half-space A, in its own frame
    is_plane: bool


class Movers(NamedTuple):
    """Both bodies of all pairs (see `tables.Body`); the rows of their poses are segments of motions."""

    a: Body
    b: Body
    segments_a: int  #: of each motion of A
    segments_b: int


class Part(NamedTuple):
    """What one body adds to F along n."""

    direction: Any  #: n for A, -n for B
    support: float  #: of the core
    slope: float  #: rate of change of F by the rotation
    bend: float  #: second derivative of F by the rotation
    point: Any  #: its farthest point along n, from the reference point, in the world
    velocity: Any  #: of this point, relative to the reference point


class View(NamedTuple):
    """The pair at a time, along a direction."""

    time: float
    pair: BodyPair
    stances: Any  #: of A and B
    normal: Any  #: n, in the world
    local: Any  #: n, in the frame of A
    value: float  #: F of the bodies
    w: Any  #: of the cores, in the frame of A
    slope: float  #: rate of change of F by the translation
    bend: float  #: second derivative by the translation
    a: Part
    b: Part


@jit
def moving_pair(movers, k, t):
    """Pair k of all moving bodies, from time t on."""
    a, b, segments_a, segments_b = movers
    i, j = at(a.pick, k), at(b.pick, k)
    first_a, first_b = at(a.pick_pose, k) * segments_a, at(b.pick_pose, k) * segments_b
    at_a, until_a = segment_of(a.poses, first_a, segments_a, t)
    at_b, until_b = segment_of(b.poses, first_b, segments_b, t)
    segment_a, segment_b = segment_at(a.poses, at_a), segment_at(b.poses, at_b)
    is_plane, bounds_a, plane = a.address == 0, NO_BOUNDS, ((0.0, 0.0, 1.0), 0.0)
    if is_plane:
        plane = plane_at(a.rows, i)
    else:
        bounds_a = bounds_at(a.bounds, i)
    bounds_b = bounds_at(b.bounds, j)
    size_a, size_b = a.rows.shape[1], b.rows.shape[1]
    pair = BodyPair(
        a.address, element(a.rows, i * size_a), size_a, bounds_a.core,
        b.address, element(b.rows, j * size_b), size_b, bounds_b.core,
        segment_b.turn, segment_b.home, a.bends or b.bends, (bounds_a.longest, bounds_b.longest),
    )  # fmt: skip
    mover_a = Mover(segment_a, turning(segment_a, bounds_a), bounds_a, reach_of(bounds_a))
    mover_b = Mover(segment_b, turning(segment_b, bounds_b), bounds_b, reach_of(bounds_b))
    between = sub(segment_b.home, segment_a.home)
    return MovingPair(pair, mover_a, mover_b, between, min(until_a, until_b), plane, is_plane)


@jit
def stances_at(moving, t):
    """Where both bodies are at time t."""
    return stance_at(moving.a.segment, t), stance_at(moving.b.segment, t)


@jit
def rounding_at(moving, t):
    """Bound on the error of a computed F at time t, from the formulas of both bodies and from their motions."""
    a, b = moving.a, moving.b
    since_a, since_b = abs(t - a.segment.start), abs(t - b.segment.start)
    lengths = norm(moving.between) + abs(moving.plane[1])
    lengths += since_a * norm(a.segment.velocity) + (1.0 + since_a * a.turning.rate) * a.reach
    lengths += since_b * norm(b.segment.velocity) + (1.0 + since_b * b.turning.rate) * b.reach
    if moving.is_plane:  # all of it turns with the plane
        lengths *= 1.0 + since_a * a.turning.rate
    return a.bounds.rounding + b.bounds.rounding + ROUNDING * lengths


@jit
def size_of(moving):
    """Length to which tolerances are relative: half diagonals of both boxes."""
    return norm(moving.a.bounds.half) + norm(moving.b.bounds.half)


@jit
def _product(m, n):
    """M' N of two 3x3 matrices."""
    x = mat_t_mul(m, (n[0], n[3], n[6]))
    y = mat_t_mul(m, (n[1], n[4], n[7]))
    z = mat_t_mul(m, (n[2], n[5], n[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@jit
def pair_at(moving, stances):
    """The pair in the frame of A."""
    p, (a, b) = moving.pair, stances
    r = mat_t_mul(a.turn, sub(add(moving.between, b.shift), a.shift))
    return BodyPair(
        p.address_a, p.row_a, p.size_a, p.core_a, p.address_b, p.row_b, p.size_b, p.core_b,
        _product(a.turn, b.turn), r, p.bends, p.longest,
    )  # fmt: skip


@jit
def plane_normal(moving, t):
    """Normal of the half-space A in the world at time t."""
    return mat_mul(stance_at(moving.a.segment, t).turn, moving.plane[0])


@jit
def _part(mover, stance, direction, jets, start):
    """The `Part` of a body whose jet starts at `start`."""
    spin, x = mover.segment.spin, mat_mul(stance.turn, point_of(jets, start))
    turned = cross(spin, direction)
    local = mat_t_mul(stance.turn, turned)
    shift = sym_mul(hessian_of(jets, start), local)  # the point wanders over the body as that turns
    bend = -dot(local, shift) - dot(x, cross(spin, turned))
    velocity = sub(cross(spin, x), mat_mul(stance.turn, shift))
    return Part(direction, jets[start] - mover.bounds.core, dot(x, turned), bend, x, velocity)


@jit
def _across_plane(moving, pair, n, jets):
    """F of a half-space A and the body B, and F n."""
    m = mat_t_mul(pair.rotation, n)
    call_shape(pair.address_b, pair.row_b, pair.size_b, -m[0], -m[1], -m[2], element(jets, JET))
    f = dot(n, pair.position) - moving.plane[1] - (jets[JET] - pair.core_b)
    return f, scale(n, f)


@jit
def view(moving, n, t, jets):
    """The pair at time t along the unit vector n of the world: one evaluation."""
    stances = stances_at(moving, t)
    return view_of(moving, stances, pair_at(moving, stances), n, t, jets)


@jit
def view_of(moving, stances, pair, n, t, jets):
    """The same for a pair that is already placed."""
    local = mat_t_mul(stances[0].turn, n)
    away = scale(n, -1.0)
    if moving.is_plane:
        f, w = _across_plane(moving, pair, local, jets)
        a = Part(n, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    else:
        f, w, _ = evaluate(pair, local, jets)
        a = _part(moving.a, stances[0], n, jets, 0)
    b = _part(moving.b, stances[1], away, jets, JET)
    slope = dot(n, sub(stances[1].velocity, stances[0].velocity))
    bend = dot(n, acceleration_of(moving.b.segment, stances[1].velocity))
    bend -= dot(n, acceleration_of(moving.a.segment, stances[0].velocity))
    return View(t, pair, stances, n, local, f - core_of(pair), w, slope, bend, a, b)


@jit
def rate_of(seen):
    """Rate of change of F."""
    return seen.slope + seen.a.slope + seen.b.slope


@jit
def bend_of(seen):
    """Second derivative of F."""
    return seen.bend + seen.a.bend + seen.b.bend


@jit
def w_rate(seen):
    """Rate of change of w for the fixed direction n, in the frame of A."""
    a, b = seen.stances
    relative = sub(add(b.velocity, seen.b.velocity), add(a.velocity, seen.a.velocity))
    return mat_t_mul(a.turn, relative)


@jit
def between_axes(moving, stances):
    """From the axis of A to that of B; for drifts, between the reference points."""
    a, b = stances
    return sub(add(moving.between, circle_centre(moving.b.segment, b)), circle_centre(moving.a.segment, a))


@jit
def between_boxes(moving, stances):
    """From the centre of A's box to that of B's."""
    a, b = stances
    centre_a = axpy(a.shift, 1.0, mat_mul(a.turn, moving.a.bounds.centre))
    centre_b = axpy(b.shift, 1.0, mat_mul(b.turn, moving.b.bounds.centre))
    return sub(add(moving.between, centre_b), centre_a)
