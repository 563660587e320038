"""Local maxima of F at kinks: where an edge or a corner of one body meets a smooth place of the other.

There F is the minimum of several smooth functions, one for each end of the edge, and its gradient jumps: no
tangential part of w vanishes, but a weighted mean of them does.  Gradients on both sides of a kink are found by probing
near n; the shortest vector p in their convex hull is the direction of steepest ascent, and zero at the maximum.
The kink itself is where the functions are equal, n.(w_1 - w_0) = 0: a great circle if w_1 - w_0 is an edge.  Along a
curved kink, as on the side of a cone, a long step loses more by leaving the kink than it gains; it is accepted or
rejected after it has been moved back to the kink.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import uncounted
from ...kernels.jet import hessian_of
from ...kernels.simplex import blend, nearest
from ...kernels.vectors import add, axpy, cross, dot, frame, norm, scale, sub, sym_mul, unit
from .pair import curvature, evaluate
from .simplex_rows import CURVATURE, POINT, put_curvature

ROUNDS, PROBES = 50, 5
FEW = 8  # rounds that are enough for most kinks
FIRST, LAST = 1e-3, 1e-8  # largest and smallest angle at which F is probed [rad]
SURE = 1e-5  # angle below which the result of the probes is trusted [rad]
DOUBT = 1.0  # times angle and size: curvatures of F below this have an uncertain sign
FAR, SHORTEST = 0.3, 1e-11  # longest and shortest step [rad]
CORRECTIONS = 3  # maximum number of moves back to the kink per step
PART = 4  # first column of w in a row, after the gradient and its weight


class Climb(NamedTuple):
    """End of a climb to a local maximum of F."""

    found: bool  #: whether it is a local maximum, to the tolerance
    value: float  #: F
    distance: float  #: F plus the predicted gain of the last step
    normal: Any
    foot: Any  #: contact point on the core of A
    evaluations: int


@uncounted
def gather(pair, n, w, x, angle, rounding, jets, m):
    """Find the smooth parts of F around n and write them to the rows of m: (their number, p, evaluations).

    Each w is extrapolated from where it was evaluated to n along its own part of F: dw = -K dn, and n.w to second
    order; likewise x_A.  The jets are those at n.
    """
    count, p, used, here = 0, w, 0, n
    while True:
        k = curvature(pair, here, jets)
        d = sub(here, n)
        bent = sym_mul(k, d)
        w = axpy(add(w, bent), 0.5 * dot(d, bent), n)
        x = axpy(sub(x, sym_mul(hessian_of(jets, 0), d)), pair.core_a, d)
        m[count, 0], m[count, 1], m[count, 2] = axpy(w, -dot(w, n), n)
        m[count, PART], m[count, PART + 1], m[count, PART + 2] = w
        m[count, POINT], m[count, POINT + 1], m[count, POINT + 2] = x
        put_curvature(m, count, k)
        # p from the plane or line of the gradients: weights are inaccurate if the jumps differ much in length.
        count, p = nearest(m, count + 1)
        length = norm(p)
        if used == PROBES or count > 3 or length <= rounding:
            return min(count, 3), p, used
        here = unit(axpy(n, angle / length, p))
        _, w, x = evaluate(pair, here, jets)
        used += 1
        ahead = add(w, sym_mul(curvature(pair, here, jets), sub(here, n)))
        # The tangential part only: n.p is a rounding error, but not next to p^2 where w is much longer than p.
        if dot(axpy(ahead, -dot(ahead, n), n), p) >= 0.5 * length * length:
            return count, p, used


@uncounted
def row(m, i, column):
    return (m[i, column], m[i, column + 1], m[i, column + 2])


@uncounted
def curvature_row(m, i):
    k = CURVATURE
    return (m[i, k], m[i, k + 1], m[i, k + 2], m[i, k + 3], m[i, k + 4], m[i, k + 5])


@uncounted
def _onto(m, count, n, d, reach):
    """The direction near n where all parts of F are equal; d is the step that will be made along the kink."""
    if count == 2:
        # After the step d the parts differ by half of d.(K_1 - K_0) d.
        jump = sub(row(m, 1, PART), row(m, 0, PART))
        apart = norm(jump)
        e = scale(jump, 1.0 / apart)
        bends = 0.5 * (dot(sym_mul(curvature_row(m, 1), d), d) - dot(sym_mul(curvature_row(m, 0), d), d)) / apart
        return axpy(n, max(min(bends, reach), -reach) - dot(n, e), e)
    if count == 3:
        w0 = row(m, 0, PART)
        e = cross(sub(row(m, 1, PART), w0), sub(row(m, 2, PART), w0))
        e = scale(e, dot(e, n))
        e = unit(e) if norm(e) > 0.0 else n
        return e if norm(sub(e, n)) <= reach else n
    return n


@uncounted
def along(m, count, n, f):
    """Direction in which F may rise although p is zero, and minus the second derivative of F there, > 0 at a maximum.

    This is the direction along a kink; on a smooth place that of the smallest curvature; at a corner there is none.
    """
    if count > 2:
        return n, 1e300
    a, b = blend(m, count, CURVATURE), blend(m, count, CURVATURE + 3)
    k = (a[0], a[1], a[2], b[0], b[1], b[2])
    if count == 2:
        t = unit(cross(n, sub(row(m, 1, PART), row(m, 0, PART))))
    else:
        e, s = frame(n)
        across = 0.5 * math.atan2(2.0 * dot(sym_mul(k, e), s), dot(sym_mul(k, e), e) - dot(sym_mul(k, s), s))
        t = axpy(scale(s, math.cos(across)), -math.sin(across), e)
    return t, dot(sym_mul(k, t), t) + f


@uncounted
def climb_kink(pair, n, lengths, work):
    """Local maximum of F near n."""
    size, rounding, tolerance = lengths
    jets, m = work.jets, work.simplex
    f, w, x = evaluate(pair, n, jets)
    evaluations, angle, reach, turns = 1, FIRST, FAR, 0
    failed = 1e300  # shortest step from n that did not raise F
    slope, before, way = 0.0, 0.0, n  # of the last step: length of p before it, its length (0 if none), the step itself
    for k in range(ROUNDS):
        count, p, used = gather(pair, n, w, x, angle, rounding, jets, m)
        evaluations += used
        length, ahead, gain, slow = norm(p), 0.0, 0.0, False
        if length > rounding:
            a, b = blend(m, count, CURVATURE), blend(m, count, CURVATURE + 3)
            slow = k > FEW and a[0] + b[0] + b[2] > 1e-9 * size  # not for the straight edges of two polytopes
            bowl = dot(sym_mul((a[0], a[1], a[2], b[0], b[1], b[2]), p), p) / (length * length) + f
            remains = length if dot(p, way) > 0.0 else -length
            if slow and before > 0.0 and count == 2 and abs(remains) > 0.5 * slope:
                # If F is almost straight along the kink, its curvature does not follow from those of the parts.
                bowl = (slope - remains) / before
            ahead = length / bowl if bowl * reach > length else reach
            gain = length * (length / bowl if bowl * FAR > length else FAR)
            if failed < FAR:
                # The maximum lies within the failed step, and F bends upward by at most -F.
                gain = min(gain, failed * (length + 0.5 * abs(f) * failed))
            if gain <= tolerance:
                ahead = 0.0
        low, high = 1e300, -1e300
        for i in range(count):
            value = dot(n, row(m, i, PART))
            low, high = min(low, value), max(high, value)
        parts, apart = count, norm(sub(row(m, 1, PART), row(m, 0, PART))) if count == 2 else 0.0
        d = scale(p, ahead / length) if ahead > 0.0 else (0.0, 0.0, 0.0)
        if angle <= SURE and max(gain, high - low) <= tolerance:
            ridge, bowl = along(m, count, n, f)
            if bowl > DOUBT * angle * size or turns > 2:
                return Climb(True, f, f, n, axpy(blend(m, count, POINT), 0.5, p), evaluations)
            # Perhaps a minimum along the kink, not a maximum: try to leave it to either side.
            turns += 1
            ahead = FAR if turns < 3 else 0.1 * FAR
            d, reach = scale(ridge, ahead if turns != 2 else -ahead), FAR
        trial = unit(add(_onto(m, count, n, d, reach), d))
        moved = norm(sub(trial, n))
        ft, wt, xt = evaluate(pair, trial, jets)
        evaluations += 1
        aside, back = max(moved * moved * moved, LAST), d
        for _ in range(CORRECTIONS):
            if ft > f or count == 1 or not ahead > angle:
                break
            count, back, used = gather(pair, trial, wt, xt, aside, rounding, jets, m)
            trial = unit(_onto(m, min(count, 2), trial, (0.0, 0.0, 0.0), reach))
            ft, wt, xt = evaluate(pair, trial, jets)
            evaluations += used + 1
            aside = max(1e-2 * aside, LAST)
        if ft > f:
            slope, way = length, sub(trial, n)
            before = norm(way) if parts == 2 else 0.0
            n, f, w, x, reach, failed = trial, ft, wt, xt, min(4.0 * reach, FAR), 1e300
            angle = min(angle, max(moved, LAST))
        elif ahead > angle or (angle <= LAST and ahead > SHORTEST):
            reach, failed = 0.25 * ahead, min(failed, ahead)
            if parts == 2:
                if slow:
                    angle = min(angle, max(1e-2 * angle, 10.0 * (high - low) / apart, LAST))
                falls = -dot(back, d) / norm(d)
                if falls > 0.0:
                    # Another kink lies in between, where the tangents at both ends intersect.
                    reach = min(max((ft - f + falls * ahead) / (length + falls), 1e-3 * ahead), 0.9 * ahead)
            evaluate(pair, n, jets)
            evaluations += 1
        elif angle > LAST:
            angle = max(1e-2 * angle, LAST)
            evaluate(pair, n, jets)
            evaluations += 1
        else:
            break
    return Climb(False, f, f, n, x, evaluations)
