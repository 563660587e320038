"""A pair of bodies in the frame of A: F, w, K and the Newton step.

With r the position of B, R its orientation and n a unit vector from A to B:

    F(n) = n.r - h_A(n) - h_B(-R'n)           every n proves distance >= F(n)
    w(n) = r + R x_B(-R'n) - x_A(n)           distance <= |w|, also for convex combinations of several w
    K(n) = W_A(n) + R W_B(-R'n) R'            on the tangent plane the Hessian of F is -(K + F)

Solvers work on the *cores* of both bodies: a body whose radii of curvature are all at least c is the
offset by c of a smaller convex core, and for unit vectors its F differs from that of the cores only by a
constant.  So bodies that overlap while their cores are apart are still solved by convex optimisation.

After `evaluate`, `jets` holds the jets of both bodies (not of the cores), each in its own frame.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import call_shape, element, inlined, uncounted
from ...kernels.flat_places import merge
from ...kernels.jet import JET, hessian_of, point_of
from ...kernels.poses import at, place_of, turn_of
from ...kernels.vectors import (
    add,
    axpy,
    congruence,
    cross,
    dot,
    frame,
    mat_mul,
    mat_t_mul,
    norm,
    scale,
    sub,
    sym_add,
    sym_mul,
    sym_scale,
    unit,
)
from ...shapes.bounds import Bounds, bounds_at

JETS = 2 * JET
EDGE = 1e-9  # ratio of the two radii of curvature below which a place counts as an edge
FARTHEST = 0.02  # longest step across an edge [rad]
SHORTER = 0.3  # fraction of a Newton step that is tried next
ROUND = 1e-10  # eigenvalues of K + F below this fraction of |F| are lost in rounding errors


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
    rotation: Any  #: R, orientation of B
    position: Any  #: r
    bends: bool  #: whether steps follow flat places, see `moved`
    longest: Any  #: largest semi-axes of two ellipsoids; (0, 0) for other bodies


class Placed(NamedTuple):
    """A pair, the bounds of its bodies, and the pose of A in the world."""

    pair: BodyPair
    bounds_a: Bounds
    bounds_b: Bounds
    turn: Any  #: orientation of A
    home: Any  #: position of A


@uncounted
def relative(poses_a, p, poses_b, q):
    """Orientation R and position r of B relative to A, then orientation and position of A."""
    turn, m = turn_of(poses_a, p), turn_of(poses_b, q)
    home = place_of(poses_a, p)
    r = mat_t_mul(turn, sub(place_of(poses_b, q), home))
    # The axes of B in the frame of A.
    x = mat_t_mul(turn, (m[0], m[3], m[6]))
    y = mat_t_mul(turn, (m[1], m[4], m[7]))
    z = mat_t_mul(turn, (m[2], m[5], m[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), r, turn, home


@inlined
def place(a, b, k):
    """Pair k of two stacks of bodies (`tables.Body`)."""
    i, j = at(a.pick, k), at(b.pick, k)
    size_a, size_b = a.rows.shape[1], b.rows.shape[1]
    bounds_a, bounds_b = bounds_at(a.bounds, i), bounds_at(b.bounds, j)
    rotation, r, turn, home = relative(a.poses, at(a.pick_pose, k), b.poses, at(b.pick_pose, k))
    pair = BodyPair(
        a.address, element(a.rows, i * size_a), size_a, bounds_a.core,
        b.address, element(b.rows, j * size_b), size_b, bounds_b.core,
        rotation, r, a.bends or b.bends, (bounds_a.longest, bounds_b.longest),
    )  # fmt: skip
    return Placed(pair, bounds_a, bounds_b, turn, home)


@uncounted
def core_of(pair):
    """Sum of both core radii: the distance of the cores minus that of the bodies."""
    return pair.core_a + pair.core_b


@uncounted
def whole(pair):
    """The same pair with core radii of zero, for methods that work on the bodies themselves."""
    return BodyPair(
        pair.address_a, pair.row_a, pair.size_a, 0.0, pair.address_b, pair.row_b, pair.size_b, 0.0,
        pair.rotation, pair.position, pair.bends, pair.longest,
    )  # fmt: skip


@uncounted
def at_position(pair, r):
    """The same pair with B at r."""
    return BodyPair(
        pair.address_a, pair.row_a, pair.size_a, pair.core_a, pair.address_b, pair.row_b, pair.size_b, pair.core_b,
        pair.rotation, r, pair.bends, pair.longest,
    )  # fmt: skip


@uncounted
def between_centres(placed):
    """Vector from the centre of A's bounding box to that of B's."""
    centre_b = add(placed.pair.position, mat_mul(placed.pair.rotation, placed.bounds_b.centre))
    return sub(centre_b, placed.bounds_a.centre)


@uncounted
def evaluate(pair, n, jets):
    """F, w and x_A of the cores at the unit vector n."""
    m = mat_t_mul(pair.rotation, n)
    call_shape(pair.address_a, pair.row_a, pair.size_a, n[0], n[1], n[2], element(jets, 0))
    call_shape(pair.address_b, pair.row_b, pair.size_b, -m[0], -m[1], -m[2], element(jets, JET))
    return from_jets(pair, n, jets)


@uncounted
def from_jets(pair, n, jets):
    """The same, from the jets of the last evaluation, which was at n."""
    rotation, r = pair.rotation, pair.position
    x_a = axpy(point_of(jets, 0), -pair.core_a, n)
    x_b = axpy(mat_mul(rotation, point_of(jets, JET)), pair.core_b, n)
    f = dot(n, r) - (jets[0] - pair.core_a) - (jets[JET] - pair.core_b)
    return f, sub(add(r, x_b), x_a), x_a


@uncounted
def curvature(pair, n, jets):
    """K of the cores in the frame of A, from the jets of the last evaluation, which was at n."""
    a = hessian_of(jets, 0)
    b = hessian_of(jets, JET)
    c = core_of(pair)
    p = (c * (1.0 - n[0] * n[0]), -c * n[0] * n[1], -c * n[0] * n[2], c * (1.0 - n[1] * n[1]), -c * n[1] * n[2],
         c * (1.0 - n[2] * n[2]))  # fmt: skip
    return sym_add(sym_add(a, congruence(pair.rotation, b)), sym_scale(p, -1.0))


@uncounted
def _stiff_frame(pair, n, a, b):
    """Tangent vectors at n, the first along the axis with the largest radius of curvature.

    On a flat place one radius exceeds the other by many orders of magnitude; in an aligned frame the small one
    keeps its accuracy.
    """
    rotation = pair.rotation
    top_a, top_b = max(a[0], a[3], a[5]), max(b[0], b[3], b[5])
    if top_a >= top_b:
        e = (1.0, 0.0, 0.0) if a[0] == top_a else ((0.0, 1.0, 0.0) if a[3] == top_a else (0.0, 0.0, 1.0))
    elif b[0] == top_b:
        e = (rotation[0], rotation[3], rotation[6])
    elif b[3] == top_b:
        e = (rotation[1], rotation[4], rotation[7])
    else:
        e = (rotation[2], rotation[5], rotation[8])
    t = axpy(e, -dot(e, n), n)
    if dot(t, t) > 1e-12:
        t = unit(axpy(t, -dot(t, n), n))  # again, for the rounding error of a short t
    else:
        t, _ = frame(n)
    return t, cross(n, t)


@uncounted
def _across(d, at_edge):
    """The component d of a step in the direction of the smaller radius of curvature, limited at an edge.

    Across an edge that radius is zero and d arbitrarily large; it must not shorten the step along the edge.
    """
    return min(max(d, -FARTHEST), FARTHEST) if at_edge else d


class NewtonStep(NamedTuple):
    """A step on the tangent plane of the unit sphere."""

    turn: Any  #: d
    gain: float  #: g.d / 2, which the quadratic model promises
    shift_a: Any  #: how x_A moves
    concave: bool  #: whether F is
    shorter: Any  #: what to try if d leads nowhere


@uncounted
def newton_step(pair, jets, n, f, w):
    """Ascent step d = (K + F)^-1 g on the tangent plane of the unit sphere at n, g the tangential part of w.

    Where K + F is not positive definite (overlap), it is shifted so that its smallest eigenvalue changes sign.
    """
    rotation = pair.rotation
    a = hessian_of(jets, 0)
    b = hessian_of(jets, JET)
    t, s = _stiff_frame(pair, n, a, b)
    tb, sb = mat_t_mul(rotation, t), mat_t_mul(rotation, s)
    at, bt, as_, bs = sym_mul(a, t), sym_mul(b, tb), sym_mul(a, s), sym_mul(b, sb)
    core = core_of(pair)
    k11 = max(dot(at, t) + dot(bt, tb) - core, 0.0)
    k12 = dot(at, s) + dot(bt, sb)
    k22 = max(dot(as_, s) + dot(bs, sb) - core, 0.0)
    top = max(k11, k22)
    concave = True
    lam = f
    if f < 0.0:
        half = 0.5 * (k11 - k22)
        least = 0.5 * (k11 + k22) - math.hypot(half, k12) + f
        if least < ROUND * abs(f):
            lam = f + max(abs(least), ROUND * abs(f)) - least
            concave = least >= -1e-7 * top
    g1, g2 = dot(w, t), dot(w, s)
    # Without curvature the step is long but finite.
    least = 1e-100 * (abs(g1) + abs(g2)) + 1e-300
    k11 = max(k11 + lam, least)
    k22 = max(k22 + lam, least)
    if abs(k12) > min(k11, k22):
        mean = math.sqrt(k11) * math.sqrt(k22)
        k12 = max(-mean, min(k12, mean))
    d1, d2, at_edge = 0.0, 0.0, False
    if k11 >= k22:
        i = 1.0 / k11
        l = k12 * i
        pivot = max(k22 - l * k12, 1e-15 * k22, least)
        at_edge = pivot < EDGE * top
        d2 = _across((g2 - l * g1) / pivot, at_edge)
        d1 = (g1 - k12 * d2) * i
        shorter = scale(t, g1 * i)
    else:
        i = 1.0 / k22
        l = k12 * i
        pivot = max(k11 - l * k12, 1e-15 * k11, least)
        at_edge = pivot < EDGE * top
        d1 = _across((g1 - l * g2) / pivot, at_edge)
        d2 = (g2 - k12 * d1) * i
        shorter = scale(s, g2 * i)
    d = axpy(scale(t, d1), d2, s)
    shift_a = axpy(axpy(scale(at, d1), d2, as_), -pair.core_a, d)
    if not at_edge:
        shorter = scale(d, SHORTER)
    return NewtonStep(d, 0.5 * (g1 * d1 + g2 * d2), shift_a, concave, shorter)


@uncounted
def moved(pair, n, d, scratch):
    """Unit vector reached from n by the tangent step d, bent along flat places (``kernels/flat_places.py``)."""
    length = norm(d)
    if length > 1.0:
        d = scale(d, 1.0 / length)
    flat = add(n, d)
    if not pair.bends:
        return unit(flat)
    rotation = pair.rotation
    scratch[0], scratch[1], scratch[2] = d
    call_shape(pair.address_a, pair.row_a, -pair.size_a, n[0], n[1], n[2], element(scratch, 0))
    m, e = mat_t_mul(rotation, n), mat_t_mul(rotation, d)
    scratch[JET], scratch[JET + 1], scratch[JET + 2] = -e[0], -e[1], -e[2]
    call_shape(pair.address_b, pair.row_b, -pair.size_b, -m[0], -m[1], -m[2], element(scratch, JET))
    bent_b = mat_mul(rotation, (scratch[JET], scratch[JET + 1], scratch[JET + 2]))
    bent = merge(flat, (scratch[0], scratch[1], scratch[2]), scale(bent_b, -1.0))
    if not norm(bent) > 0.1:
        return unit(flat)
    return unit(bent)


@uncounted
def first_normal(placed):
    """Initial normal: an estimate of the common normal of two ellipsoids with the same bounding boxes.

    For concentric boxes, the axis along which A is thinnest.
    """
    rotation, a, b = placed.pair.rotation, placed.bounds_a.half, placed.bounds_b.half
    c = between_centres(placed)
    sa = (a[0] * a[0], a[1] * a[1], a[2] * a[2])
    sb = (b[0] * b[0], b[1] * b[1], b[2] * b[2])
    top = max(sa[0], sa[1], sa[2], sb[0], sb[1], sb[2])
    length = norm(c)
    if not length > 1e-14 * math.sqrt(top):
        if sa[0] <= min(sa[1], sa[2]):
            return (1.0, 0.0, 0.0)
        return (0.0, 1.0, 0.0) if sa[1] <= sa[2] else (0.0, 0.0, 1.0)
    u = scale(c, 1.0 / length)
    if not top > 0.0:
        return u
    # One step of a fixed-point iteration from the line of centres: (S_A / h_A + R S_B R' / h_B + F) n' = c,
    # in units of the largest semi-axis; n' is parallel to the adjugate times c.
    i, m = 1.0 / top, rotation
    v = mat_t_mul(m, u)
    h_a = math.sqrt((sa[0] * u[0] * u[0] + sa[1] * u[1] * u[1] + sa[2] * u[2] * u[2]) * i)
    h_b = math.sqrt((sb[0] * v[0] * v[0] + sb[1] * v[1] * v[1] + sb[2] * v[2] * v[2]) * i)
    f = max(length * math.sqrt(i) - h_a - h_b, 0.0) + 1e-12
    sa, sb = scale(sa, i / max(h_a, 1e-6)), scale(sb, i / max(h_b, 1e-6))
    xx = sa[0] + sb[0] * m[0] * m[0] + sb[1] * m[1] * m[1] + sb[2] * m[2] * m[2] + f
    xy = sb[0] * m[0] * m[3] + sb[1] * m[1] * m[4] + sb[2] * m[2] * m[5]
    xz = sb[0] * m[0] * m[6] + sb[1] * m[1] * m[7] + sb[2] * m[2] * m[8]
    yy = sa[1] + sb[0] * m[3] * m[3] + sb[1] * m[4] * m[4] + sb[2] * m[5] * m[5] + f
    yz = sb[0] * m[3] * m[6] + sb[1] * m[4] * m[7] + sb[2] * m[5] * m[8]
    zz = sa[2] + sb[0] * m[6] * m[6] + sb[1] * m[7] * m[7] + sb[2] * m[8] * m[8] + f
    adjugate = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy, xx * zz - xz * xz, xy * xz - xx * yz,
                xx * yy - xy * xy)  # fmt: skip
    v = sym_mul(adjugate, u)
    length = norm(v)
    return scale(v, 1.0 / length) if length > 1e-30 else u
