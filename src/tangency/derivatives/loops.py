"""Compiled loops over the contacts of a stack: rates, Jacobians, Hessians, condition numbers.

All take the two sides as plain tuples (`Side`), the buffer of the `Contact`, and a part (order, start, stop).
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import call_shape, element, entry, inlined, jit
from ..contacts.status import VALUES
from ..kernels.jet import JET, hessian_of
from ..kernels.poses import at, place_of
from ..kernels.principal_radii import EDGED, FLAT, INFINITE, PLANE, POWER, SMOOTH, eigen
from ..kernels.relative_motion import material_velocity, relative_motion
from ..kernels.support_set import PROBES, support_set
from ..kernels.surface_radii import LOOSE, STRICT, radii_at
from ..kernels.vectors import add, axpy, cross, dot, mat_mul, mat_t_mul, norm, scale, sub
from .linear import linear_at, moving, spin, tangent
from .side import Side, body_at

DISTANCE, NORMAL, POINT_A, POINT_B = 0, 1, 2, 3
RATES = 23  # gap; normal, point_a, point_b, on_a, on_b, sliding, rolling (3 each); spinning
SHARES, RADII = 7, 10
EXACT = 1e-10  # largest error of the normal [rad] and of both points [sizes] of a differentiable contact
ROUNDED = 1e-14  # the same times the condition number, and of the coordinates of the points
FACE = 1 + 3 * SHARES + RADII  # see `_describe`
TABLE = (
    33 + 2 * FACE
)  # the numbers of `Linear`: n, t, s, arms, d, M (3), G_A, G_B, H (4 each), condition, regular; faces

_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ZERO, _STILL = (0.0, 0.0, 0.0), (0.0, 0.0)


@jit
def number(order, position):
    return order[position] if order.size else position


@entry
def gradients(a, b, values, by, part, out):
    """Derivative (contacts, 6) of the distance by the pose of A (by = 0) or B: all that it needs is the contact."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    count, work = out.shape[0], np.empty(PROBES * JET)
    smooth = a.kind == SMOOTH and b.kind == SMOOTH and not (a.hollow or b.hollow)
    for position in range(start, stop):
        k = number(order, position)
        i, j = 3 * count + 3 * k, 6 * count + 3 * k
        n = (values[i], values[i + 1], values[i + 2])
        if smooth:
            x = (values[j], values[j + 1], values[j + 2])
            if by:
                arm = sub(axpy(x, values[k], n), place_of(b.poses, at(b.pick_pose, k)))
            else:
                arm = sub(x, place_of(a.poses, at(a.pick_pose, k)))
        else:
            c = linear_at(a, b, values, count, k, work)
            n, arm = c.n, c.arm_b if by else c.arm_a
        if not by:
            n = scale(n, -1.0)
        g = cross(arm, n)
        for i in range(3):
            out[k, i], out[k, 3 + i] = n[i] + 0.0, g[i] + 0.0


@jit
def _column(c, by, j):
    """Velocities of a contact when body A (by = 0) or B moves with unit twist j; also those of its material points."""
    arm = c.arm_b if by else c.arm_a
    omega = _AXES[j - 3] if j >= 3 else _ZERO
    v = cross(omega, arm) if j >= 3 else _AXES[j]
    q = spin(c, omega)
    if by:
        return moving(c, v, _STILL, q), _ZERO, v
    return moving(c, scale(v, -1.0), q, _STILL), v, _ZERO


@jit
def _turns(c, by, out):
    """Derivative (3, 6) of the normal by the pose of A (by = 0) or B: M V + G'q, column by column."""
    arm, g, sign = (c.arm_b, c.g_b, 1.0) if by else (c.arm_a, c.g_a, -1.0)
    m, across_t, across_s = c.m, cross(arm, c.t), cross(arm, c.s)
    for j in range(3):
        x, y = sign * c.t[j], sign * c.s[j]
        u, v = m[0] * x + m[1] * y, m[1] * x + m[2] * y
        x, y, p, q = sign * across_t[j], sign * across_s[j], c.s[j], -c.t[j]
        w, z = m[0] * x + m[1] * y + g[0] * p + g[2] * q, m[1] * x + m[2] * y + g[1] * p + g[3] * q
        for i in range(3):
            out[i, j] = c.t[i] * u + c.s[i] * v + 0.0
            out[i, 3 + j] = c.t[i] * w + c.s[i] * z + 0.0


@inlined
def one_jacobian(a, b, values, what, k, work, out):
    """Derivative (3, 6) of the normal or of a point of contact k; `what` is (of, by)."""
    of, by = what
    c = linear_at(a, b, values, values.size // VALUES, k, work)
    if of == NORMAL:
        _turns(c, by, out)
    else:
        for j in range(6):
            motion, v_a, v_b = _column(c, by, j)
            u = add(v_a, tangent(c, motion.on_a)) if of == POINT_A else add(v_b, tangent(c, motion.on_b))
            for i in range(3):
                out[i, j] = u[i] + 0.0


@entry
def jacobians(a, b, values, what, part, out):
    """Derivative (contacts, 18) of the normal or of a point, 3 x 6 numbers each; `what` is (of, by)."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    work = np.empty(PROBES * JET)
    for position in range(start, stop):
        k = number(order, position)
        one_jacobian(a, b, values, what, k, work, out[k].reshape(3, 6))


@inlined
def one_hessian(a, b, values, by, k, work, out):
    """Second derivative (6, 6) of the distance of contact k; `by` are the bodies of rows and columns."""
    first, second = by
    c = linear_at(a, b, values, values.size // VALUES, k, work)
    arm, sign = (c.arm_b, 1.0) if first else (c.arm_a, -1.0)
    across_t, across_s, height = cross(arm, c.t), cross(arm, c.s), dot(c.n, arm)
    for j in range(6):
        motion, _, _ = _column(c, second, j)
        by_v = scale(tangent(c, motion.normal), sign)
        # q_i along t and s is (s, -t) of row i
        on = motion.on_b if first else motion.on_a
        u = sub(scale(c.s, -sign * on[0]), scale(c.t, -sign * on[1]))
        u = axpy(axpy(u, sign * motion.normal[0], across_t), sign * motion.normal[1], across_s)
        if first == second and j >= 3:
            i = j - 3
            u = axpy(axpy(u, 0.5 * sign * arm[i], c.n), 0.5 * sign * c.n[i], arm)
            u = axpy(u, -sign * height, _AXES[i])
        for i in range(3):
            out[i, j], out[3 + i, j] = by_v[i] + 0.0, u[i] + 0.0
    if first == second:  # equal but for rounding; optimisers ask for symmetry
        for j in range(6):
            for i in range(j):
                out[i, j] = out[j, i] = 0.5 * (out[i, j] + out[j, i])


@entry
def hessians(a, b, values, by, part, out):
    """Second derivative (contacts, 36) of the distance, hybrid frame; `by` are the bodies of rows and columns."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    work = np.empty(PROBES * JET)
    for position in range(start, stop):
        k = number(order, position)
        one_hessian(a, b, values, by, k, work, out[k].reshape(6, 6))


@entry
def rates(a, b, values, twists, part, out):
    """Rates (contacts, RATES) under hybrid twists (contacts or 1, 12) of A and B."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    count, work, each = out.shape[0], np.empty(PROBES * JET), twists.shape[0] > 1
    for position in range(start, stop):
        k = number(order, position)
        c = linear_at(a, b, values, count, k, work)
        w = twists[k if each else 0]
        omega_a, omega_b = (w[3], w[4], w[5]), (w[9], w[10], w[11])
        origin_a, origin_b = (w[0], w[1], w[2]), (w[6], w[7], w[8])
        v_a, v_b = material_velocity(origin_a, omega_a, c.arm_a), material_velocity(origin_b, omega_b, c.arm_b)
        v, omega = sub(v_b, v_a), sub(omega_b, omega_a)
        motion = moving(c, v, spin(c, omega_a), spin(c, omega_b))
        on_a, on_b, turning = tangent(c, motion.on_a), tangent(c, motion.on_b), dot(c.n, omega)
        # At the midpoint of the gap: common motions of both bodies are no sliding
        half_a = material_velocity(origin_a, omega_a, axpy(c.arm_a, 0.5 * c.d, c.n))
        half_b = material_velocity(origin_b, omega_b, axpy(c.arm_b, -0.5 * c.d, c.n))
        sliding = relative_motion(c.n, half_a, half_b).slip
        rolling = axpy(omega, -turning, c.n)
        normal, point_a, point_b = tangent(c, motion.normal), add(v_a, on_a), add(v_b, on_b)
        row = out[k]
        row[0], row[22] = motion.gap, turning
        for i in range(3):
            row[1 + i], row[4 + i], row[7 + i] = normal[i], point_a[i], point_b[i]
            row[10 + i], row[13 + i], row[16 + i], row[19 + i] = on_a[i], on_b[i], sliding[i], rolling[i]


@jit
def _is_exact(a, b, values, k, c):
    """Whether normal and points of contact k are those of c."""
    count = values.size // VALUES
    i, j = 3 * count + 3 * k, 6 * count + 3 * k
    n, x = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
    on_a, on_b = add(a.place, c.arm_a), add(b.place, c.arm_b)
    off = max(norm(sub(on_a, x)), norm(sub(on_b, axpy(x, values[k], n))))
    length, largest = a.radius + b.radius, max(EXACT, ROUNDED * c.condition)
    return norm(sub(c.n, n)) <= largest and off <= largest * length + ROUNDED * (norm(on_a) + norm(on_b))


@entry
def conditions(a, b, values, part, condition, regular):
    """Condition number of each contact, and whether its derivatives exist."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    count, work = condition.size, np.empty(PROBES * JET)
    for position in range(start, stop):
        k = number(order, position)
        c = linear_at(a, b, values, count, k, work)
        # Derivatives are those of the exact contact; normal and points of this one must be the same.
        condition[k], regular[k] = c.condition, c.regular and _is_exact(body_at(a, k), body_at(b, k), values, k, c)


@entry
def curvatures(a, b, values, side, part, curves, radii, directions):
    """Principal curvatures, radii (contacts, 2) and directions (contacts, 2, 3) of A (side = 0) or B, world frame."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    count, work = curves.shape[0], np.empty(PROBES * JET)
    for position in range(start, stop):
        k = number(order, position)
        i, j = 3 * count + 3 * k, 6 * count + 3 * k
        n, x = (values[i], values[i + 1], values[i + 2]), (values[j], values[j + 1], values[j + 2])
        body, other = body_at(a, k), body_at(b, k)
        length = body.radius + other.radius
        if side:
            x = axpy(x, values[k], n)
            n, body = scale(n, -1.0), other
        u, arm = mat_t_mul(body.turn, n), mat_t_mul(body.turn, sub(x, body.place))
        found = radii_at(body, length, u, arm, work, LOOSE)
        along = mat_mul(body.turn, found.axis)
        across = cross(n, along)
        # The larger curvature first
        first, second = found.small, found.large
        if body.hollow:
            first, second, along, across = second, first, across, along
        radii[k, 0], radii[k, 1] = _radius(first), _radius(second)
        curves[k, 0], curves[k, 1] = _curvature(first, body.hollow), _curvature(second, body.hollow)
        for c in range(3):
            directions[k, 0, c], directions[k, 1, c] = across[c], along[c]


@jit
def _radius(r):
    return r + 0.0 if abs(r) < INFINITE else math.inf


@jit
def _curvature(r, hollow):
    if not abs(r) < INFINITE:
        return 0.0
    if r == 0.0:
        return -math.inf if hollow else math.inf
    return 1.0 / r


@jit
def _describe(body, outward, arm, length, work, row):
    """Write how the points that share a normal carry a contact point: rank, and for up to three of them (SHARES each)
    the weight, the gradient of the weight (world) and a normal nearby (frame of the body).  Then the size of the pair,
    both principal radii, the larger first, its axis, the point where they were taken (frame of the body; `within` of
    `Radii` if it has an implicit function), and whether this point tells the curvature better than the normal does."""
    n, x = mat_t_mul(body.turn, outward), mat_t_mul(body.turn, arm)
    row[:] = 0.0
    row[1] = 1.0
    if body.kind == PLANE:
        return
    radii = radii_at(body, length, n, x, work, STRICT)
    begin = 1 + 3 * SHARES
    row[begin], row[begin + 1], row[begin + 2] = length, abs(radii.large), abs(radii.small)
    place = radii.within if body.kind == POWER else x
    by_normal = body.kind == POWER and norm(radii.tilt) == 0.0
    row[begin + 9] = abs(radii.large) > FLAT * length and not by_normal
    if body.hollow:
        n = scale(n, -1.0)
    for i in range(3):
        row[5 + i], row[begin + 3 + i], row[begin + 6 + i] = n[i], radii.axis[i], place[i]
    if body.kind != EDGED:
        return
    call_shape(body.address, body.row, body.size, n[0], n[1], n[2], element(work, 0))
    found = support_set(body, n, x, length, eigen(n, hessian_of(work, 0))[0], work, True, 1.0)
    if found.rank < 1:
        return
    row[0] = found.rank
    near, far, corner = found.corners
    e = sub(far, near)
    e = axpy(e, -dot(n, e), n)
    reach = norm(e)
    e = scale(e, 1.0 / reach)
    f, arm = cross(n, e), sub(x, near)
    third, g_third = 0.0, (0.0, 0.0, 0.0)
    if found.rank == 2:
        height, along = dot(f, sub(corner, near)), dot(e, sub(corner, near))
        third, g_third = dot(f, arm) / height, scale(f, 1.0 / height)
        second, g_second = (dot(e, arm) - third * along) / reach, scale(axpy(e, -along / height, f), 1.0 / reach)
    else:
        second, g_second = dot(e, arm) / reach, scale(e, 1.0 / reach)
    weights, slopes = (1.0 - second - third, second, third), (scale(add(g_second, g_third), -1.0), g_second, g_third)
    for k in range(3):
        begin = 1 + SHARES * k
        row[begin] = weights[k]
        slope = mat_mul(body.turn, slopes[k])
        for i in range(3):
            row[begin + 1 + i], row[begin + 4 + i] = slope[i], found.normals[k][i]


@jit
def _put(row, begin, numbers):
    for i in range(len(numbers)):
        row[begin + i] = numbers[i]


@entry
def tables(a, b, values, part, out):
    """The numbers of `Linear` and of faces, (contacts, TABLE), for derivatives that are not compiled."""
    a, b = Side(*a), Side(*b)
    order, start, stop = part
    count, work = out.shape[0], np.empty(PROBES * JET)
    for position in range(start, stop):
        k = number(order, position)
        c, row = linear_at(a, b, values, count, k, work), out[k]
        for begin, v in ((0, c.n), (3, c.t), (6, c.s), (9, c.arm_a), (12, c.arm_b), (16, c.m)):
            _put(row, begin, v)
        for begin, g in ((19, c.g_a), (23, c.g_b), (27, c.h)):
            _put(row, begin, g)
        row[15], row[31], row[32] = c.d, c.condition, c.regular
        body_a, body_b = body_at(a, k), body_at(b, k)
        length = body_a.radius + body_b.radius
        _describe(body_a, c.n, c.arm_a, length, work, row[33 : 33 + FACE])
        _describe(body_b, scale(c.n, -1.0), c.arm_b, length, work, row[33 + FACE : TABLE])
