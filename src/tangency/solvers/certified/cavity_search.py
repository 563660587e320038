"""Smallest clearance of a body inside a convex hollow, with proof.

The wall is the complement of a convex set H with the support function h_H; the body B is at r inside H.  In the
direction of a unit vector n the clearance is

    G(n) = h_H(n) - h_B(n) - n.r,    w(n) = x_H(n) - x_B(n) - r,    G = n.w,

and the signed distance of B to the wall is the minimum of G over all n: B grown by d fits into H if and
only if h_B + d <= h_H, and where B sticks out, -G is the largest distance of its points from H.  Both outward
normals have the same direction; the tangential part of w is the gradient of G on the sphere, and its Hessian on
the tangent plane is W_H - W_B - G.  Every n proves that the distance is at most G(n).  Minima are found by Newton
steps, shifted where the Hessian is not positive definite and shortened until G decreases.

Where H has flat faces or straight edges, h_H has kinks, at which Newton's method stops.  From there, points of B
and normals of the wall are computed alternately: x_B(n) is the point of B farthest along n, and the certified
solver finds the normal of the wall with the smallest clearance for that point.  G decreases with every iteration;
at a face it reaches its minimum after two.

G is a difference of convex functions and may have several minima.  On a spherical triangle with the corners n_i
it has a lower bound: n = sum l_i n_i with l_i >= 0, so that h_B(n) <= sum l_i h_B(n_i), while h_H(n) >= n.p for
every point p of H:

    G(n) >= sum l_i (n_i.(p - r) - h_B(n_i)) = n.q,    q from three linear equations,

whose smallest value on the triangle is known.  It is below G by a multiple of the square of the triangle's size.
p is the point of H for the middle of the triangle, or for the best minimum so far.  Triangles whose bound is lower
than that minimum are halved until none is left or the array of triangles is full.  All this is done with the cores
of H and B (see `pair`), so that it is exact for balls.
"""

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import call_shape, element, jit
from ...contacts.status import CODES, VALUES, Status
from ...kernels.jet import JET, hessian_of, point_of
from ...kernels.rotations import set_place
from ...kernels.rounding import ROUNDING
from ...kernels.trace import TRACE
from ...kernels.vectors import add, axpy, cross, dot, frame, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit
from ..tables import Body, Buffers, Part, Question, Rows, answer_at
from .solver import certified_pairs

STEPS, CUTS, TURNS = 40, 10, 200  # maximum number of Newton steps, halvings of each, alternating iterations
AROUND = 0.3  # longest Newton step [rad]
SHARP = 1e-13  # tolerance of the clearance of a point; it adds to that of the proof and must be much smaller
TRIANGLES = 8192  # maximum number of triangles examined for a proof
COLUMNS = 12  # of a triangle: three corners, and h_B of the core at each
_WORST = int(Status.BEYOND)


class Wall(NamedTuple):
    """The hollow and a point, as bodies for the certified solver."""

    hollow: Body
    point: Body


@jit
def clearance(pair, n, jets):
    """G, w and x_H at the unit vector n, in the frame of H; A is the hollow."""
    rotation, r = pair.rotation, pair.position
    m = mat_t_mul(rotation, n)
    call_shape(pair.address_a, pair.row_a, pair.size_a, n[0], n[1], n[2], element(jets, 0))
    call_shape(pair.address_b, pair.row_b, pair.size_b, m[0], m[1], m[2], element(jets, JET))
    x, x_b = point_of(jets, 0), mat_mul(rotation, point_of(jets, JET))
    return jets[0] - jets[JET] - dot(n, r), sub(sub(x, x_b), r), x


@jit
def _newton(pair, jets, n, value, w):
    """Descent step on the tangent plane at n."""
    t, s = frame(n)
    tb, sb = mat_t_mul(pair.rotation, t), mat_t_mul(pair.rotation, s)
    a, b = hessian_of(jets, 0), hessian_of(jets, JET)
    at, bt = sym_mul(a, t), sym_mul(b, tb)
    xx = dot(at, t) - dot(bt, tb) - value
    xy = dot(at, s) - dot(bt, sb)
    yy = dot(sym_mul(a, s), s) - dot(sym_mul(b, sb), sb) - value
    mean, spread = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
    g = (dot(w, t), dot(w, s))
    slope = math.hypot(g[0], g[1])
    least = 0.02 * (abs(mean) + spread) + 0.1 * slope + 1e-300
    if mean - spread < least:
        shift = least - (mean - spread)
        if mean + spread < 0.0:  # a maximum: steepest descent
            shift = abs(mean) + spread + least - mean
        xx, yy = xx + shift, yy + shift
    det = xx * yy - xy * xy
    d = ((xy * g[1] - yy * g[0]) / det, (xy * g[0] - xx * g[1]) / det)
    return axpy(scale(t, d[0]), d[1], s), g[0] * d[0] + g[1] * d[1], slope


@jit
def _descend(pair, n, tolerance, rounding, jets):
    """Local minimum of G near n: (G, n, x_H, tangential residual, evaluations)."""
    value, w, x = clearance(pair, n, jets)
    evaluations = 1
    slope = 1e300
    for _ in range(STEPS):
        d, fall, slope = _newton(pair, jets, n, value, w)
        if slope <= tolerance or not slope < 1e300:
            break
        length = norm(d)
        part = AROUND / length if length > AROUND else 1.0
        better = False
        for _ in range(CUTS):
            m = unit(add(n, scale(d, part)))
            v, u, y = clearance(pair, m, jets)
            evaluations += 1
            residual = norm(axpy(u, -v, m))
            if v <= value + 1e-4 * part * fall or (v <= value + rounding and residual < 0.9 * slope):
                better = True
                break
            part *= 0.5
        if not better:
            break
        n, value, w, x = m, v, u, y
    slope = norm(axpy(w, -value, n))
    return value, n, x, slope, evaluations


@jit
def _room_around(wall, b):
    """Clearance of the point b: (G, n, x_H, whether it is proved, upper bound on its distance from H)."""
    set_place(wall.point.poses, 0, b)
    one = np.zeros(1, np.int64)
    question = Question(Rows(np.zeros((1, 3)), one), Rows(np.full((1, 1), 1e300), one), SHARP)
    out = Buffers(np.empty(VALUES), np.empty(CODES, np.int32), np.empty((0, 0, TRACE)))
    certified_pairs(wall.hollow, wall.point, question, Part(np.zeros(0, np.int64), 0, 1), out)
    found = answer_at(out, 0)
    return -found.distance, found.normal, found.point, found.status <= _WORST, found.upper


@jit
def _take_turns(pair, wall, n, tolerance, jets):
    """Local minimum of G near n, also at kinks: (G, n, x_H, 0 if converged, evaluations).

    If the body is almost as round as the wall, convergence is slow; every third iteration extrapolates from the last
    two steps.
    """
    value, x, last = 1e300, n, (0.0, 0.0, 0.0)
    for k in range(TURNS):
        g, w, x_n = clearance(pair, n, jets)
        if not g < value - tolerance:  # the point of B has not changed
            return min(g, value), n, x, 0.0, k + 1
        value, m, x, good, _ = _room_around(wall, sub(x_n, w))
        if not (good and abs(value) < 1e300):
            break
        way, n = sub(m, n), m
        if k % 3 == 2 and dot(last, last) > 0.0:
            ratio = dot(way, last) / dot(last, last)
            if 0.0 < ratio < 1.0 - 1e-6:
                far = unit(axpy(n, ratio / (1.0 - ratio), way))
                _, w, x_n = clearance(pair, far, jets)
                depth, m, y, good, _ = _room_around(wall, sub(x_n, w))
                if good and depth < value:
                    value, n, x = depth, m, y
        last = way
    return value, n, x, 1e300, TURNS


@jit
def _follow(pair, wall, n, tolerance, rounding, jets):
    value, n, x, slope, evaluations = _descend(pair, n, tolerance, rounding, jets)
    if slope <= tolerance:
        return value, n, x, slope, evaluations
    deeper, m, y, rest, turns = _take_turns(pair, wall, n, tolerance, jets)
    if deeper <= value + tolerance and rest < slope:
        value, n, x, slope = deeper, m, y, rest
    return value, n, x, slope, evaluations + turns


@jit
def _lowest(f, g, a, b):
    """Minimum of n.q on the arc between the unit vectors a and b, where its values are f and g."""
    square = dot(sub(b, a), sub(b, a))
    sin = math.sqrt(square * (1.0 - 0.25 * square))
    slope = (g - f + 0.5 * square * f) / sin
    if slope < 0.0 and slope * (1.0 - 0.5 * square) > f * sin:
        return -math.hypot(f, slope)
    return min(f, g)


@jit
def _bound(t, p):
    """Minimum of n.q on the triangle t for the point p of H."""
    a, b, c = (t[0], t[1], t[2]), (t[3], t[4], t[5]), (t[6], t[7], t[8])
    f, g, h = dot(a, p) - t[9], dot(b, p) - t[10], dot(c, p) - t[11]
    low = min(_lowest(f, g, a, b), _lowest(g, h, b, c), _lowest(h, f, c, a))
    # a.q = f, (b - a).q = g - f, (c - a).q = h - f: with differences, small triangles do not lose digits.
    ab, ac = sub(b, a), sub(c, a)
    normal = cross(ab, ac)
    det = dot(a, normal)
    q = scale(axpy(axpy(scale(normal, f), g - f, cross(ac, a)), h - f, cross(a, ab)), 1.0 / det)
    length = norm(q)
    # -q/|q| may lie within the triangle; including directions just outside only lowers the bound slightly.
    room = -0.01 * length * det - ROUNDING * (norm(p) + abs(t[9]) + abs(t[10]) + abs(t[11]))
    beside_b, beside_c = -dot(q, cross(ac, a)), -dot(q, cross(a, ab))
    if -dot(q, normal) - beside_b - beside_c >= room and beside_b >= room and beside_c >= room:
        low = min(low, -length)
    return low


@jit
def _put(triangles, k, a, b, c, f, g, h):
    t = triangles[k]
    t[0], t[1], t[2] = a
    t[3], t[4], t[5] = b
    t[6], t[7], t[8] = c
    t[9], t[10], t[11] = f, g, h


@jit
def _body_value(pair, n, jets):
    """Support value of the core of the placed body B."""
    m = mat_t_mul(pair.rotation, n)
    call_shape(pair.address_b, pair.row_b, pair.size_b, m[0], m[1], m[2], element(jets, JET))
    return jets[JET] - pair.core_b + dot(n, pair.position)


@jit
def _anchor(pair, wall, n, jets):
    """Point p of H for bounds near the normal n, and a constant to be added to these bounds.

    On a smooth wall, p is x_H(n) of the core.  On a face that would be some corner of the face; there p is the foot of
    B's point on the wall, and the constant allows for the distance by which it may lie outside H.
    """
    g, w, x = clearance(pair, n, jets)
    side = axpy(w, -g, n)
    if norm(side) <= 1e-7 * (norm(x) + norm(pair.position)):
        return axpy(x, -pair.core_a, n), pair.core_a - pair.core_b
    foot = sub(x, side)
    beyond = _room_around(wall, foot)[4]
    if not beyond < 1e300:
        return axpy(x, -pair.core_a, n), pair.core_a - pair.core_b
    return foot, -pair.core_b - max(beyond, 0.0)


@jit
def _halve(pair, triangles, k, count, jets):
    """Halve triangle k across its longest edge; write the halves to the rows `count` and `count` + 1."""
    t = triangles[k]
    a, b, c = (t[0], t[1], t[2]), (t[3], t[4], t[5]), (t[6], t[7], t[8])
    f, g, h = t[9], t[10], t[11]
    ab, bc, ca = dot(a, b), dot(b, c), dot(c, a)  # the longest edge has the smallest cosine
    if bc <= ab and bc <= ca:
        a, b, c, f, g, h = b, c, a, g, h, f
    elif ca <= ab and ca <= bc:
        a, b, c, f, g, h = c, a, b, h, f, g
    m = unit(add(a, b))
    value = _body_value(pair, m, jets)
    _put(triangles, count, a, m, c, f, value, h)
    _put(triangles, count + 1, m, b, c, value, g, h)


@jit
def nearest_wall(pair, wall, n, tolerance, gap, rounding, triangles, jets):
    """Smallest clearance over all directions: (G, lower bound, n, tangential residual, evaluations).

    The search starts at n; `tolerance` is that of minima, `gap` the required difference between G and its lower bound;
    `triangles` is a work array.
    """
    best, n, x, slope, evaluations = _follow(pair, wall, n, tolerance, rounding, jets)
    anchor, shift = _anchor(pair, wall, n, jets)
    cores = pair.core_a - pair.core_b
    x, y, z, o = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), -1.0
    count = 0
    for k in range(8):
        a = x if k & 1 else scale(x, o)
        b = y if k & 2 else scale(y, o)
        c = z if k & 4 else scale(z, o)
        if (k & 1) + (k >> 1 & 1) + (k >> 2 & 1) & 1 == 0:
            a, b = b, a  # all triangles have the same orientation
        _put(triangles, k, a, b, c, _body_value(pair, a, jets), _body_value(pair, b, jets), _body_value(pair, c, jets))
        count += 1
    evaluations += 24
    lower, k, room = best, 0, triangles.shape[0]
    while k < count:
        t = triangles[k]
        low = _bound(t, anchor) + shift
        if low < best - gap:
            m = unit((t[0] + t[3] + t[6], t[1] + t[4] + t[7], t[2] + t[5] + t[8]))
            value, _, x = clearance(pair, m, jets)
            evaluations += 1
            low = max(low, _bound(t, axpy(x, -pair.core_a, m)) + cores)
            if value < best - 0.25 * gap:
                value, m, _, rest, used = _follow(pair, wall, m, tolerance, rounding, jets)
                evaluations += used
                if value < best:
                    best, n, slope = value, m, rest
                    anchor, shift = _anchor(pair, wall, n, jets)
            edge = norm((t[0] - t[3], t[1] - t[4], t[2] - t[5]))
            if low < best - gap and count + 2 <= room and edge > 1e-11:
                _halve(pair, triangles, k, count, jets)
                evaluations += 1
                count += 2
                low = best
        lower = min(lower, low)
        k += 1
    return best, min(lower, best), n, slope, evaluations
