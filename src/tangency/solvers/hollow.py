"""A body inside a convex hollow: the common normal of smallest clearance.

The hollow is the complement of a convex set H (support function h_H), the body B lies at r inside.  A
unit vector n sees the clearance

    G(n) = h_H(n) - h_B(n) - n.r,    w(n) = x_H(n) - x_B(n) - r,    G = n.w,

and the signed distance of B to the wall is the minimum of G over all n: B grown by d fits into H if and
only if h_B + d <= h_H, and where B sticks out, -G is how far its farthest point lies beyond the wall.
Both outward normals point alike, the tangential part of w is the gradient of G on the sphere, and its
Hessian is W_H - W_B - G on the tangent plane.  G is the difference of convex functions and may have
several minima: directions all over the sphere are looked at, and all in whose neighbourhood a lower minimum
may lie are followed by Newton steps, shifted where the Hessian is not positive and shortened until G falls.

Where H has flat faces or straight edges h_H has kinks, at which Newton's method ends.  From there the points
of B and the normals of the wall are found in turn: x_B(n) is the point of B farthest along n, and the
normal of the wall nearest to that point is, by the certified solver, the one of smallest clearance for it.
G falls in every turn; at a face it is at its minimum after two.
"""

import math

import numpy as np

from .._jit import call_shape, element, jit
from ..kernels.jet import JET
from ..kernels.vectors import add, axpy, dot, frame, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit
from ..status import Status
from .certified import certified

STEPS, CUTS, TURNS = 40, 10, 200  # Newton steps, halvings of each, turns between both bodies
STARTS = 32  # directions that are followed, at most
APART = 0.93  # cosine between two starts, at most
AROUND = 0.3  # angle between a direction and its neighbours
ELSEWHERE = 0.22  # distance between two points of B, in sizes, that are not on the same part of it
_WORST = int(Status.BEYOND)


@jit
def clearance(pair, n, jets):
    """G, w and x_H at the unit vector n, in the frame of H (a `pair` as in ``pair.py``, A is the hollow)."""
    address_a, row_a, size_a, _, address_b, row_b, size_b, _, rotation, r = pair
    m = mat_t_mul(rotation, n)
    call_shape(address_a, row_a, size_a, n[0], n[1], n[2], element(jets, 0))
    call_shape(address_b, row_b, size_b, m[0], m[1], m[2], element(jets, JET))
    x = (jets[1], jets[2], jets[3])
    x_b = mat_mul(rotation, (jets[JET + 1], jets[JET + 2], jets[JET + 3]))
    return jets[0] - jets[JET] - dot(n, r), sub(sub(x, x_b), r), x


@jit
def _newton(pair, jets, n, value, w):
    """Descent step on the tangent plane at n."""
    t, s = frame(n)
    tb, sb = mat_t_mul(pair[8], t), mat_t_mul(pair[8], s)
    a = (jets[4], jets[5], jets[6], jets[7], jets[8], jets[9])
    b = (jets[14], jets[15], jets[16], jets[17], jets[18], jets[19])
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
    """Local minimum of G next to n: (G, n, x_H, tangential residual, evaluations)."""
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
    """Clearance of the point b: (G, n, x_H, whether it is proved); `wall` as in `nearest_wall`."""
    hollow, point = wall
    pose = point[4]
    pose[0, 3], pose[0, 7], pose[0, 11] = b
    one, each = np.zeros(1, np.int64), np.zeros(0, np.int64)
    values, codes = np.empty(9), np.empty(2, np.int32)
    guess, limits = np.zeros((1, 3)), np.full((1, 1), 1e300)
    certified(hollow, point, False, (guess, one), (limits, one), 1e-12, each, 0, 1, values, codes)
    n, x = (values[3], values[4], values[5]), (values[6], values[7], values[8])
    return -values[0], n, x, codes[0] <= _WORST


@jit
def _take_turns(pair, wall, n, tolerance, jets):
    """Local minimum of G next to n, whatever kinks there are: (G, n, x_H, 0 if converged, evaluations)."""
    value, x = 1e300, n
    for k in range(TURNS):
        g, w, x_n = clearance(pair, n, jets)
        if not g < value - tolerance:  # the point of B is still the one for which n was found
            return min(g, value), n, x, 0.0, k + 1
        depth, n, x, good = _room_around(wall, sub(x_n, w))
        value = depth
        if not (good and abs(depth) < 1e300):
            break
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
def nearest_wall(pair, wall, n, followed, directions, size_b, tolerance, rounding, jets):
    """Smallest clearance over all directions: (G, n, x_H, tangential residual, evaluations).

    `n` is the start if `followed`; `directions` (M, 3) are spread over the sphere, in the frame of H; `wall` holds the
    hollow and a point, both as `certified` takes them and at rest; `size_b` is half the diagonal of B's box.
    """
    value, x, slope, evaluations = 1e300, n, 1e300, 0
    best = n
    if followed:
        value, best, x, slope, evaluations = _follow(pair, wall, n, tolerance, rounding, jets)
    count = directions.shape[0]
    seen, low, spots = np.empty(count), np.empty(count), np.empty((count, 3))
    for k in range(count):
        m = (directions[k, 0], directions[k, 1], directions[k, 2])
        seen[k], w, y = clearance(pair, m, jets)
        spots[k, 0], spots[k, 1], spots[k, 2] = sub(y, w)  # on B
        # In its neighbourhood G may fall along its slope, and along that of an edge of B.
        low[k] = seen[k] - AROUND * (norm(axpy(w, -seen[k], m)) + 2.0 * size_b)
    evaluations += count
    for _ in range(STARTS):
        pick = -1
        for k in range(count):
            if low[k] < value - rounding and (pick < 0 or seen[k] < seen[pick]):
                pick = k
        if pick < 0:
            break  # nothing can lie below
        start = (directions[pick, 0], directions[pick, 1], directions[pick, 2])
        g, m_end, y, rest, used = _follow(pair, wall, start, tolerance, rounding, jets)
        evaluations += used
        if g < value - rounding or (g < value + rounding and rest < slope):
            value, best, x, slope = g, m_end, y, rest
        spot = (spots[pick, 0], spots[pick, 1], spots[pick, 2])
        for k in range(count):
            away = norm(sub((spots[k, 0], spots[k, 1], spots[k, 2]), spot))
            if dot((directions[k, 0], directions[k, 1], directions[k, 2]), start) > APART and away < ELSEWHERE * size_b:
                low[k] = 1e300
        low[pick] = 1e300
    return value, best, x, slope, evaluations
