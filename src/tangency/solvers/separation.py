"""Distance of two bodies that may be apart: one loop, three kinds of step, one pair of bounds.

Every evaluation raises the lower bound F(n) and adds w(n) to a simplex whose point v nearest to the
origin is the upper bound |v|.  The next direction is one of

    NEWTON   from the best n so far, bent along flat places: quadratic where both bodies are smooth
    PLANE    along v, the maximum of the cutting planes n.w (GJK): exact at corners, cannot fail
    SECANT   the mean of the simplex' normals with the weights of v: inverse interpolation

Newton is kept while it contracts; otherwise the three take turns, Newton with shorter steps from a
point it could not improve.  After `PATIENCE` evaluations PLANE, whose convergence is proved, has every
second run of twenty to itself.
"""

from .._jit import jit
from ..kernels.simplex import WEIGHT, blend, nearest
from ..kernels.vectors import add, axpy, dot, norm, scale, unit
from .pair import evaluate, moved, newton_step

CONVERGED, INSIDE, EXHAUSTED, BEYOND, BROKEN = 0, 1, 2, 3, 4
PLANE, SECANT, NEWTON = 0, 1, 2
PATIENCE = 80
STALE = 20  # evaluations without a nearer v
LEAST = 0.05  # shortest part of a Newton step that is worth a try
NORMAL, POINT, COLUMNS = 4, 7, 10  # columns of the simplex: w, weight, n, x_A


@jit
def put(m, i, w, n, x):
    """Row i of a simplex or polytope."""
    m[i, 0], m[i, 1], m[i, 2] = w
    m[i, WEIGHT] = 0.0
    m[i, 4], m[i, 5], m[i, 6] = n
    m[i, 7], m[i, 8], m[i, 9] = x


@jit
def separate(pair, n, bends, size, tolerance, rounding, farthest, budget, jets, scratch, simplex):
    """Bounds and contact of a pair, or the proof that it overlaps.

    Parameters: n is the start, `size` of both bodies, `tolerance` and `rounding` absolute, `farthest`
    the distance beyond which nobody asks.  Returns (end, lower, upper, distance, normal, middle,
    evaluations, count); `middle` lies half-way between the contact points.  With end INSIDE the origin
    lies in the hull of the first `count` rows of `simplex`.
    """
    lower, upper = -1e300, 1e300
    best, step, residual, damping = n, n, 1e300, 1.0
    best_w, best_x, previous, stale = n, n, 1e300, 0
    count, kind = 0, NEWTON
    for k in range(budget):
        f, w, x = evaluate(pair, n, jets)
        g = norm(axpy(w, -dot(n, w), n))
        if not (abs(f) < 1e300 and g < 1e300):
            return BROKEN, lower, upper, 0.0, n, x, k + 1, count
        gap = upper - lower
        better = f > lower or (f > lower - rounding and g < 0.5 * residual)
        contracts = g <= 0.5 * residual
        lower = max(lower, f)
        put(simplex, count, w, n, x)
        count, plane = nearest(simplex, count + 1)
        v = blend(simplex, count, 0)
        length = norm(v)
        upper = min(upper, length)
        if better:
            best, best_w, best_x, residual, damping = n, w, x, g, 1.0
            step, gain, shift_a, _ = newton_step(pair, jets, n, max(f, 0.0), w)
            if upper - lower <= tolerance and g <= 1e-6 * size and norm(step) < 1e-3:
                # The last Newton step costs nothing: both points and the normal gain all digits.
                distance = min(max(f + gain, lower), upper)
                n = unit(add(n, step))
                return CONVERGED, lower, upper, distance, n, axpy(add(x, shift_a), 0.5 * f, n), k + 1, count
        # While Newton contracts, one more evaluation makes points and normal as good as the distance.
        if upper - lower <= tolerance and not (better and kind == NEWTON and contracts and k + 1 < budget):
            middle = axpy(blend(simplex, count, POINT), 0.5, v)
            return CONVERGED, lower, upper, min(lower, upper), best, middle, k + 1, count
        if count == 4 or length <= rounding:
            return INSIDE, lower, upper, lower, best, x, k + 1, count
        # A needle of a simplex can lose its sense of direction: begin a new one at the best point.
        stale = stale + 1 if length > (1.0 - 1e-7) * previous else 0
        previous = length
        if stale >= STALE:
            stale, previous = 0, 1e300
            put(simplex, 0, best_w, best, best_x)
            count, plane = nearest(simplex, 1)
            v, length = best_w, norm(best_w)
        if lower > farthest:
            middle = axpy(blend(simplex, count, POINT), 0.5, v)
            return BEYOND, lower, upper, lower, best, middle, k + 1, count
        if not (kind == NEWTON and better and (f > 0.0 or k == 0) and (contracts or upper - lower < 0.5 * gap)):
            kind = (kind + 1) % 3
            if (k >= PATIENCE and k % 40 < 20) or (kind == NEWTON and damping < LEAST):
                kind = PLANE
        if kind == NEWTON:
            n = moved(pair, best, scale(step, damping), bends, scratch)
            damping *= 0.3
        elif kind == PLANE:
            n = unit(plane) if norm(plane) > 0.0 else scale(v, 1.0 / length)
        else:
            n = unit(blend(simplex, count, NORMAL))
    middle = axpy(blend(simplex, count, POINT), 0.5, v)
    return EXHAUSTED, lower, upper, lower, best, middle, budget, count
