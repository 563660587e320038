"""Distance of two planar bodies, or a proof of overlap, by an arc of directions narrowed from both sides.

Every evaluated w proves F(m) <= m.w for all m, so directions with F > 0 lie in the half circle around
w, ahead of n if t.w > 0 and behind it if t.w < 0.  The remaining arc contains the maximum of F;
if it becomes empty, the bodies overlap.  The points w at its two ends span a segment of D, whose
distance from the origin is the upper bound; the best F is the lower.  The next direction is one of

    NEWTON   tan(angle) = t.w / (K + F) from the best n so far: quadratic where both bodies are smooth
    CHORD    the normal of the segment: exact at straight pieces, and across flat places
    MIDDLE   bisects the arc, which guarantees convergence to an arc no wider than a rounding error

The bounds may meet before the contact points are known: far away |w| - F is only t.w squared over 2 F.  The arc is
narrowed until both points lie on their bodies, to the accuracy of the distance.
"""

from ...compiled.jit import jit
from ..vectors import axpy, cross, dot, mix, norm, quarter, unit
from .pair import evaluate

CONVERGED, INSIDE, EXHAUSTED, BEYOND, BROKEN = 0, 1, 2, 3, 4
NEWTON, CHORD, MIDDLE = 0, 1, 2
HEIGHT = 8.0  # weight of an error that enters the distance, compared with one along the tangent
MIN_ARC = 4e-16  # an arc this narrow [rad] contains no direction


@jit
def nearest(p, q):
    """Fraction of the segment from p to q at which it is nearest to the origin."""
    d = (q[0] - p[0], q[1] - p[1])
    square = dot(d, d)
    if not square > 0.0:
        return 0.0
    return min(max(-dot(p, d) / square, 0.0), 1.0)


@jit
def newton(n, f, w, k):
    """Direction of the maximum for constant K; n itself if F is not concave here."""
    bend = k + f
    return unit(axpy((bend * n[0], bend * n[1]), dot(quarter(n), w), quarter(n))) if bend > 0.0 else n


@jit
def chord(w_left, w_right, n):
    """Normal of the segment between the points at the two ends of an arc; n if the segment has no length."""
    e = (w_right[0] - w_left[0], w_right[1] - w_left[1])
    return unit((-e[1], e[0])) if norm(e) > 0.0 else n


@jit
def foot_between(n, f, w_left, x_left, w_right, x_right):
    """Contact point on A at a kink of F, where t.w changes its sign by a jump: (point, error).

    Mixtures of two points of a body lie in it; chosen is the mixture whose counterpart on B lies straight ahead.  The
    error is what remains of t.w, or the height of both points below their tangents, which F lacks: it counts more.
    """
    t = quarter(n)
    before, after = dot(t, w_left), dot(t, w_right)
    s = min(max(before / (before - after), 0.0), 1.0) if before > after else 0.5
    v = mix(w_left, w_right, s)
    rest = dot(t, v)
    return axpy(mix(x_left, x_right, s), 0.5 * rest, t), max(HEIGHT * (dot(n, v) - f), abs(rest))


@jit
def inside(left, n, right):
    """Whether n lies strictly between two directions less than half a turn apart."""
    return cross(left, n) > 1e-16 and cross(n, right) > 1e-16


@jit
def separate(pair, n, tolerance, rounding, farthest, budget, jets):
    """Bounds and contact of a pair, or a proof that it overlaps.

    n is the start, `tolerance` and `rounding` are absolute, `farthest` the distance beyond which the
    search may stop.  Returns (end, lower, upper, distance, normal, foot, evaluations); `foot` is the contact point
    on the core of A.
    """
    f, w, x, k = evaluate(pair, n, jets)
    t = quarter(n)
    g, length = dot(t, w), norm(w)
    if not (abs(f) < 1e300 and length < 1e300):
        return BROKEN, -1e300, 1e300, 0.0, n, x, 1
    lower, upper = f, length
    best, best_f, best_w, best_x, best_k, residual = n, f, w, x, k, abs(g)
    foot, error, fine = axpy(x, 0.5 * g, t), abs(g), max(tolerance, 2.0 * rounding)
    if length <= rounding:
        return CONVERGED, lower, upper, max(f, 0.0), n, x, 1
    u = (w[0] / length, w[1] / length)
    # Ends of the arc: direction, w and x there, and whether these are known.
    left, right = (u[1], -u[0]), (-u[1], u[0])
    w_left, x_left, known_left, w_right, x_right, known_right = w, x, True, w, x, True
    if f > 0.0:
        # The maximum lies between n and its mirror image about w.
        mirror = unit(axpy((-n[0], -n[1]), 2.0 * dot(n, u), u))
        if g >= 0.0:
            left, right, known_right = n, mirror, False
        else:
            left, right, known_left = mirror, n, False
    width, slow, kind, polishing = 4.0, 0, NEWTON, 0
    m = newton(n, f, w, k) if f > 0.0 else u
    evaluations = 1
    while evaluations < budget:
        if lower > farthest:
            return BEYOND, lower, upper, lower, best, best_x, evaluations
        if upper - lower <= tolerance:
            # Proved; more steps make points and normal as accurate as the distance.
            if known_left and known_right:
                between, off = foot_between(best, best_f, w_left, x_left, w_right, x_right)
                if off < error:
                    foot, error = between, off
            if error <= fine:
                break
            polishing += 1
            if polishing <= 3:
                m = newton(best, best_f, best_w, best_k)
                if not inside(left, m, right) and known_left and known_right:
                    m = chord(w_left, w_right, best)
                if not inside(left, m, right):
                    m = unit((left[0] + right[0], left[1] + right[1]))
        n = m
        f, w, x, k = evaluate(pair, n, jets)
        evaluations += 1
        t = quarter(n)
        g, length = dot(t, w), norm(w)
        if not (abs(f) < 1e300 and length < 1e300):
            return BROKEN, lower, upper, 0.0, n, x, evaluations
        contracts = abs(g) <= 0.5 * residual
        if f > best_f or (f > best_f - rounding and contracts):
            best, best_f, best_w, best_x, best_k, residual = n, f, w, x, k, abs(g)
            foot, error = axpy(x, 0.5 * g, t), abs(g)
        lower, upper = max(lower, f), min(upper, length)
        if length <= rounding:
            return CONVERGED, lower, upper, max(f, 0.0), n, x, evaluations
        end = n
        if f <= 0.0:
            end = (w[1] / length, -w[0] / length) if g >= 0.0 else (-w[1] / length, w[0] / length)
        if g >= 0.0:
            left, w_left, x_left, known_left = end, w, x, True
        else:
            right, w_right, x_right, known_right = end, w, x, True
        if cross(left, right) <= 0.0:
            # The arc is empty: touching or overlap, or, after a direction with F > 0, a rounding error.
            if lower <= rounding:
                return INSIDE, lower, upper, lower, best, best_x, evaluations
            break
        if known_left and known_right:
            upper = min(upper, norm(mix(w_left, w_right, nearest(w_left, w_right))))
        now = norm((right[0] - left[0], right[1] - left[1]))
        slow = slow + 1 if now > 0.5 * width else 0
        if slow == 0:
            width = now
        if now <= MIN_ARC:
            break
        if not (kind == NEWTON and contracts):
            kind = CHORD if kind == NEWTON else NEWTON
        if slow >= 3:
            kind, slow, width = MIDDLE, 0, now
        m = n
        if kind == CHORD and known_left and known_right:
            m = chord(w_left, w_right, n)
        elif kind == NEWTON:
            m = newton(best, best_f, best_w, best_k)
        if not inside(left, m, right):
            m = unit((left[0] + right[0], left[1] + right[1]))
    end = CONVERGED if upper - lower <= max(tolerance, 2.0 * rounding) else EXHAUSTED
    if end == EXHAUSTED and lower <= rounding:
        # The arc closed, up to rounding errors, before a direction with F > 0 was found.
        return INSIDE, lower, upper, lower, best, best_x, evaluations
    if known_left and known_right:
        between, off = foot_between(best, best_f, w_left, x_left, w_right, x_right)
        if off < error:
            foot, error = between, off
    return end, lower, upper, min(lower, upper), best, foot, evaluations
