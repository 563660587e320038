"""Newton's method for the common normal in surface parameters: four equations, four unknowns (Lopes 2010, 3.2).

Each surface is described by the angles of rays from a point inside it, p(phi, theta) = c + r(phi, theta) e(phi, theta)
(angle-centre, Eqs. 29 and 35); r follows from the implicit function along the ray, so any convex body that has one
can be used.  The polar axis of each body is one of its coordinate axes, and changes when a ray comes near it: the
parameterization has poles, but the method must not.
"""

import math

from ..compiled.jit import jit
from ..kernels.jet import JET, hessian_of
from ..kernels.linear import eliminate, shortest
from ..kernels.vectors import add, axpy, dot, mat_mul, mat_t_mul, norm, scale, sub, sym_mul
from .newton import (
    BROKEN,
    CONVERGED,
    RAN_OUT,
    STALL,
    evaluate_at,
    gradient_of,
    point_on_a,
    point_on_b,
    record,
    set_points,
)

RAYS = 60  # most steps along a ray
POLE = 0.3  # sine of the zenith angle below which the polar axis changes
STATE = 8  # numbers per body: phi, theta, polar axis, radius, centre (3), f at the centre


@jit
def spread(axis, z, x, y):
    """Vector with the component z along the polar axis, x and y along the next two."""
    if axis == 0:
        return (z, x, y)
    return (y, z, x) if axis == 1 else (x, y, z)


@jit
def aim(state, i, e):
    """Write the angles of the unit vector e, about the axis to which it is most nearly perpendicular."""
    axis = 0
    for k in range(1, 3):
        if abs(e[k]) < abs(e[axis]):
            axis = k
    z, x, y = e[axis], e[(axis + 1) % 3], e[(axis + 2) % 3]
    state[i, 0], state[i, 1], state[i, 2] = math.atan2(y, x), math.atan2(math.hypot(x, y), z), axis


@jit
def cast(surface, state, i, jets, e):
    """Write the radius at which the ray e meets the surface to `state`; return the steps, or -1 if it does not.

    Newton's method for log(f - f_c) over log r, with f_c < 0 at the centre: one step suffices if
    f - f_c is homogeneous of any degree.
    """
    c, inside = (state[i, 4], state[i, 5], state[i, 6]), state[i, 7]
    r = state[i, 3]
    for k in range(RAYS):
        x = axpy(c, r, e)
        evaluate_at(surface, x, jets, i * JET)
        f, slope = jets[i * JET], dot(gradient_of(jets, i * JET), e)
        if not (f > inside and slope > 0.0 and math.isfinite(f)):
            return -1
        step = -math.log((f - inside) / -inside) * (f - inside) / (slope * r)
        state[i, 3] = r
        if abs(step) <= 4e-16 * max(1.0, 1.0 / slope / r):
            return k + 1
        r *= math.exp(min(max(step, -20.0), 20.0))
    return RAYS


@jit
def expand(state, i, jets):
    """Point p, its derivatives p_k and p_kl in the angles, gradient and Hessian, after `cast`."""
    phi, theta, axis, r = state[i, 0], state[i, 1], int(state[i, 2]), state[i, 3]
    cp, sp, ct, st = math.cos(phi), math.sin(phi), math.cos(theta), math.sin(theta)
    e = spread(axis, ct, st * cp, st * sp)
    e1, e2 = spread(axis, 0.0, -st * sp, st * cp), spread(axis, -st, ct * cp, ct * sp)
    e11, e12 = spread(axis, 0.0, -st * cp, -st * sp), spread(axis, 0.0, -ct * sp, ct * cp)
    g, h = gradient_of(jets, i * JET), hessian_of(jets, i * JET)
    k = 1.0 / dot(g, e)
    # f(c + r e) = 0 differentiated once and twice
    g1, g2 = dot(g, e1), dot(g, e2)
    r1, r2 = -r * g1 * k, -r * g2 * k
    p1, p2 = axpy(scale(e, r1), r, e1), axpy(scale(e, r2), r, e2)
    h1, h2 = sym_mul(h, p1), sym_mul(h, p2)
    r11 = -k * (dot(p1, h1) + 2.0 * r1 * g1 + r * dot(g, e11))
    r12 = -k * (dot(p1, h2) + r1 * g2 + r2 * g1 + r * dot(g, e12))
    r22 = -k * (dot(p2, h2) + 2.0 * r2 * g2 - r * dot(g, e))
    p11 = axpy(axpy(scale(e, r11), 2.0 * r1, e1), r, e11)
    p12 = axpy(axpy(axpy(scale(e, r12), r1, e2), r2, e1), r, e12)
    p22 = axpy(axpy(scale(e, r22 - r), 2.0 * r2, e2), 0.0, e)
    p = axpy((state[i, 4], state[i, 5], state[i, 6]), r, e)
    return p, p1, p2, p11, p12, p22, g, h1, h2


@jit
def _direction(state, i):
    phi, theta = state[i, 0], state[i, 1]
    st = math.sin(theta)
    return spread(int(state[i, 2]), math.cos(theta), st * math.cos(phi), st * math.sin(phi))


@jit
def parametric_normal(pair, state, q, stop, work, trace):
    """Newton's method in four angles from those in `state`; writes the final points to q, derivatives to `work`.

    Returns the outcome, iterations and evaluations.
    """
    rotation, jets, m, x = pair.rotation, work.jets, work.matrix, work.step
    evaluations = 0
    last, length = math.inf, math.inf
    v = m[6:]
    for k in range(stop.iterations + 1):
        longest = 0
        for i in range(2):
            e = _direction(state, i)
            steps = cast(pair.a if i == 0 else pair.b, state, i, jets, e)
            if steps < 0:
                return BROKEN, k, evaluations
            longest = max(longest, steps)
            if abs(math.sin(state[i, 1])) < POLE:
                aim(state, i, e)
        evaluations += longest
        p, p1, p2, _, _, _, n_p, h1, h2 = expand(state, 0, jets)
        s, s1, s2, s11, s12, s22, _, _, _ = expand(state, 1, jets)
        length = 0.0
        p_last, s_last = point_on_a(q), point_on_b(q)
        for i in range(3):
            length += (p[i] - p_last[i]) ** 2 + (s[i] - s_last[i]) ** 2
        length = math.sqrt(length)
        set_points(q, p, s)
        if k > 0 and (length <= stop.step or (length < STALL * stop.size and length > 0.5 * last)):
            return CONVERGED, k, evaluations
        if k == stop.iterations:
            break
        last = length if k > 0 else math.inf
        n = mat_t_mul(rotation, n_p)
        d = add(mat_t_mul(rotation, sub(pair.position, p)), s)
        # Eqs. (6a), (6b): n_P.t, n_P.b, d.t and d.b with the tangents t = q_phi, b = q_theta of B
        m[0, 4], m[1, 4], m[2, 4], m[3, 4] = -dot(n, s1), -dot(n, s2), -dot(d, s1), -dot(d, s2)
        residual = math.sqrt(m[0, 4] ** 2 + m[1, 4] ** 2 + m[2, 4] ** 2 + m[3, 4] ** 2)
        if not math.isfinite(residual):
            return BROKEN, k, evaluations
        if k < trace.shape[0]:
            record(trace[k], jets, q, rotation, pair.position, residual)
        for again in range(2):
            for i in range(2):
                t = s1 if i == 0 else s2
                w = mat_mul(rotation, t)
                ti, tj = (s11, s12) if i == 0 else (s12, s22)
                m[i, 0], m[i, 1], m[i, 2], m[i, 3] = dot(h1, w), dot(h2, w), dot(n, ti), dot(n, tj)
                m[2 + i, 0], m[2 + i, 1] = -dot(p1, w), -dot(p2, w)
                m[2 + i, 2], m[2 + i, 3] = dot(s1, t) + dot(d, ti), dot(s2, t) + dot(d, tj)
                m[i, 4], m[2 + i, 4] = -dot(n, t), -dot(d, t)
            if again == 1:
                shortest(m, 4, v, x)
            elif eliminate(m, 4, x):
                break
        if not abs(x[0]) + abs(x[1]) + abs(x[2]) + abs(x[3]) < 1e3:
            return BROKEN, k + 1, evaluations
        for i in range(2):
            state[i, 0] += x[2 * i]
            state[i, 1] += x[2 * i + 1]
    return RAN_OUT, stop.iterations, evaluations


@jit
def enter(surface, state, i, c, p, jets):
    """Start at the ray from c through p; return whether c lies inside."""
    evaluate_at(surface, c, jets, i * JET)
    d = sub(p, c)
    length = norm(d)
    if not (jets[i * JET] < 0.0 and length > 0.0):
        return False
    for k in range(3):
        state[i, 4 + k] = c[k]
    state[i, 3], state[i, 7] = length, jets[i * JET]
    aim(state, i, scale(d, 1.0 / length))
    return True
