"""A body inside a convex hollow: the common normal of smallest clearance.

The hollow is the complement of a convex set H (support function h_H), the body B lies at r inside.  A
unit vector n sees the clearance

    G(n) = h_H(n) - h_B(n) - n.r,    w(n) = x_H(n) - x_B(n) - r,    G = n.w,

and the signed distance of B to the wall is the minimum of G over all n: B grown by d fits into H if and
only if h_B + d <= h_H, and where B sticks out, -G is how far its farthest point lies beyond the wall.
Both outward normals point alike, the tangential part of w is the gradient of G on the sphere, and its
Hessian is W_H - W_B - G on the tangent plane.  G is the difference of convex functions and may have
several minima: directions all over the sphere are looked at, and the lowest are followed by Newton
steps, shifted where the Hessian is not positive and shortened until G falls.
"""

import math

from .._jit import call_shape, element, jit
from ..kernels.jet import JET
from ..kernels.vectors import add, axpy, dot, frame, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit

STEPS, CUTS = 60, 40  # Newton steps, and halvings of each
STARTS = 3  # lowest directions that are followed if there is no guess
APART = 0.8  # cosine between two starts, at most


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
        part = 0.7 / length if length > 0.7 else 1.0
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
def nearest_wall(pair, n, followed, directions, tolerance, rounding, jets):
    """Smallest clearance over all directions: (G, n, x_H, tangential residual, evaluations).

    `n` is the start if `followed`; `directions` (M, 3) are spread over the sphere, in the frame of H.
    """
    value, x, slope, evaluations = 1e300, n, 1e300, 0
    best = n
    if followed:
        value, best, x, slope, evaluations = _descend(pair, n, tolerance, rounding, jets)
    taken, floor = 0, value - 1e-9 * abs(value) - rounding
    first, second = best, best
    for start in range(STARTS):
        lowest, pick = 1e300, -1
        for k in range(directions.shape[0]):
            m = (directions[k, 0], directions[k, 1], directions[k, 2])
            if taken > 0 and dot(m, first) > APART:
                continue
            if taken > 1 and dot(m, second) > APART:
                continue
            g, _, _ = clearance(pair, m, jets)
            if g < lowest:
                lowest, pick = g, k
        evaluations += directions.shape[0]
        if pick < 0 or (followed and lowest >= floor):
            break  # nothing lies below the minimum next to the guess
        m = (directions[pick, 0], directions[pick, 1], directions[pick, 2])
        g, m_end, y, rest, used = _descend(pair, m, tolerance, rounding, jets)
        evaluations += used
        if g < value:
            value, best, x, slope = g, m_end, y, rest
        if taken == 0:
            first = m
        else:
            second = m
        taken += 1
        if start == 0 and followed:
            floor = value - rounding
    return value, best, x, slope, evaluations
