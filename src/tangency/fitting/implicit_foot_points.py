"""Foot points on tapered bodies by Newton's method on the surface itself, compiled.

A superovoid |x / (a tx)|^g1 + |y / (b ty)|^g2 + |z/c|^g3 = 1 (Lopes thesis, Eq. 2.19) is described with
three parameters t, one per term; Barr's superellipsoid has the first two terms raised to 1 / kappa.
X = x / (a tx) is t itself for exponents of 2 or more, and t^(1 / (g - 1)) below, so that neither
the point nor its normal N = grad f ever moves faster than t does.  The unknowns of
p = x(t) + mu N / (x.N) on f = 1 are t and mu = distance * h.  The support function need not be
evaluated: a point x of a convex body with the normal n has h(n) = n.x, so n.(p - x) and |p - x| bound
the distance of an outside point.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..compiled.jit import entry, jit
from ..kernels.vectors import axpy, cross, dot, frame, norm, scale, sub
from .foot_row import write_foot

MAX_STEPS = 25
MAX_STEP = 0.3  # largest step in t
TOLERANCE = 1e-13  # relative to the sizes of body and point
LOST, OUT, IN = 0, 1, 2
NONE = (1.0, 0.0, 0.0, 0.0)  # a taper


@jit
def _term(t, g):
    """X(t), its derivative, P = |X|^(g-1) with the sign of t, its derivative, u = |X|^g, its derivative."""
    size = abs(t)
    if g == 2.0:
        return t, 1.0, t, 1.0, t * t, 2.0 * t
    if g > 2.0:
        r = size ** (g - 2.0)
        return t, 1.0, t * r, (g - 1.0) * r, t * t * r, g * t * r
    b = 1.0 / (g - 1.0)
    r = size ** (b - 1.0)
    return t * r, b * r, t, 1.0, t * t * r, (b + 1.0) * t * r


@jit
def _cubic(row, k, z):
    """Value of a taper, and its first and second derivatives over the value."""
    value = row[k] + z * (row[k + 1] + z * (row[k + 2] + z * row[k + 3]))
    slope = row[k + 1] + z * (2.0 * row[k + 2] + 3.0 * z * row[k + 3])
    return value, slope / value, (2.0 * row[k + 2] + 6.0 * z * row[k + 3]) / value


@jit
def _raised(s, k):
    """s^k and two derivatives."""
    if k == 1.0:
        return s, 1.0, 0.0
    s = max(s, 1e-100)
    r = s ** (k - 2.0)
    return r * s * s, k * r * s, k * (k - 1.0) * r


@jit
def _on_ray(row, p):
    """Approximate parameters t of the surface point on the ray to p."""
    s = 1.0
    zeta = abs(p[2]) / row[2]
    if zeta > 1.0:
        s = 1.0 / zeta
    for _ in range(3):
        z = s * p[2] / row[2]
        tx, _, _ = _cubic(row, 7, z)
        ty, _, _ = _cubic(row, 11, z)
        u = abs(s * p[0] / (row[0] * tx)) ** row[3]
        v = abs(s * p[1] / (row[1] * ty)) ** row[4]
        w = abs(z) ** row[5]
        plane, rate, _ = _raised(u + v, 1.0 / row[6])
        total = plane + w
        if total < 1e-90:
            return (0.0, 0.0, 1.0)
        s *= total ** (-total / (rate * (row[3] * u + row[4] * v) + row[5] * w))
        if zeta * s > 1.0:
            s = 1.0 / zeta
    z = s * p[2] / row[2]
    tx, _, _ = _cubic(row, 7, z)
    ty, _, _ = _cubic(row, 11, z)
    return (_inverse(s * p[0] / (row[0] * tx), row[3]), _inverse(s * p[1] / (row[1] * ty), row[4]), _inverse(z, row[5]))


@jit
def _inverse(x, g):
    t = x if g >= 2.0 else math.copysign(abs(x) ** (g - 1.0), x)
    return min(max(t, -1.0), 1.0)


@jit
def _step(t, d):
    return min(max(t + d, -1.0), 1.0)


@jit
def foot(row, p, t, tol):
    """(code, distance, normal, point, t) near the parameters t; LOST if the method did not converge.

    For a point inside the body, a foot point is accepted only if it is a local minimum of the distance.
    """
    a, b, c, g1, g2, g3 = row[0], row[1], row[2], row[3], row[4], row[5]
    mu, first = 0.0, True
    n, x = p, p
    for _ in range(MAX_STEPS):
        X, X1, P, P1, u, u1 = _term(t[0], g1)
        Y, Y1, Q, Q1, v, v1 = _term(t[1], g2)
        Z, Z1, R, R1, w, w1 = _term(t[2], g3)
        tx, ax, bx = _cubic(row, 7, Z)
        ty, ay, by = _cubic(row, 11, Z)
        wide, deep = a * tx, b * ty
        x = (wide * X, deep * Y, c * Z)
        plane, k1, k2 = _raised(u + v, 1.0 / row[6])
        gu, gv = k1 * g1 * u, k1 * g2 * v
        n = (k1 * g1 * P / wide, k1 * g2 * Q / deep, (g3 * R - gu * ax - gv * ay) / c)
        f = plane + w
        reach = dot(x, n)
        if not (reach > 0.0 and f > 0.0):
            return LOST, 0.0, n, x, t
        # Columns of the derivatives of the point and of the normal in t
        x1, x2, x3 = (wide * X1, 0.0, 0.0), (0.0, deep * Y1, 0.0), (x[0] * ax * Z1, x[1] * ay * Z1, c * Z1)
        n1 = (k1 * g1 * P1 / wide, 0.0, -k1 * g1 * u1 * ax / c)
        n2 = (0.0, k1 * g2 * Q1 / deep, -k1 * g2 * v1 * ay / c)
        if k2 != 0.0:
            plain = (g1 * P / wide, g2 * Q / deep, -(g1 * u * ax + g2 * v * ay) / c)
            n1, n2 = axpy(n1, k2 * u1, plain), axpy(n2, k2 * v1, plain)
        u1, v1 = k1 * u1, k1 * v1
        n3 = (-n[0] * ax * Z1, -n[1] * ay * Z1, (g3 * R1 - (gu * (bx - ax * ax) + gv * (by - ay * ay)) * Z1) / c)
        m = scale(n, 1.0 / reach)
        away = sub(p, x)
        if first:
            mu, first = dot(away, m) / dot(m, m), False
        miss = axpy(away, -mu, m)
        k = mu / reach
        j1 = axpy(axpy(x1, k, n1), -k * (dot(x1, n) + dot(x, n1)), m)
        j2 = axpy(axpy(x2, k, n2), -k * (dot(x2, n) + dot(x, n2)), m)
        j3 = axpy(axpy(x3, k, n3), -k * (dot(x3, n) + dot(x, n3)), m)
        top = (gu + gv + g3 * w) / f  # local degree of f
        level = math.log(f) / top
        if dot(miss, miss) <= tol * tol and abs(level) <= 3e-15:
            length = norm(n)
            n = scale(n, 1.0 / length)
            distance = dot(away, n)
            if distance >= 0.0:
                return OUT, distance, n, x, t
            return (IN if _nearest(n, x1, x2, x3, j1, j2, j3, (u1, v1, w1)) else LOST), distance, n, x, t
        # J dt + m dmu = miss, c.dt = -level
        c12, c23, c31 = cross(j1, j2), cross(j2, j3), cross(j3, j1)
        volume = dot(j1, c23)
        if volume == 0.0 or not math.isfinite(volume):
            return LOST, 0.0, n, x, t
        i = 1.0 / volume
        y1 = (i * dot(c23, miss), i * dot(c31, miss), i * dot(c12, miss))
        y2 = (i * dot(c23, m), i * dot(c31, m), i * dot(c12, m))
        rate = (u1 / (f * top), v1 / (f * top), w1 / (f * top))
        below = dot(rate, y2)
        if below == 0.0 or not math.isfinite(below):
            return LOST, 0.0, n, x, t
        dmu = (dot(rate, y1) + level) / below
        d = axpy(y1, -dmu, y2)
        longest = max(abs(d[0]), abs(d[1]), abs(d[2]))
        if not math.isfinite(longest):
            return LOST, 0.0, n, x, t
        part = min(1.0, MAX_STEP / longest) if longest > 0.0 else 1.0
        t = (_step(t[0], part * d[0]), _step(t[1], part * d[1]), _step(t[2], part * d[2]))
        mu += part * dmu
    return LOST, 0.0, n, x, t


@jit
def _nearest(n, x1, x2, x3, j1, j2, j3, rate):
    """Whether the distance grows in both tangent directions: j = (1 + d W^-1) x on the tangent plane, definite."""
    # Two directions along the surface, in terms of t
    e, f = frame(scale(rate, 1.0 / norm(rate)))
    xe = axpy(axpy(scale(x1, e[0]), e[1], x2), e[2], x3)
    xf = axpy(axpy(scale(x1, f[0]), f[1], x2), f[2], x3)
    je = axpy(axpy(scale(j1, e[0]), e[1], j2), e[2], j3)
    jf = axpy(axpy(scale(j1, f[0]), f[1], j2), f[2], j3)
    # The symmetric form x'j must be positive: the second derivative of |p - x(t)|^2 / 2 along the surface.
    ee, ff, ef = dot(xe, je), dot(xf, jf), 0.5 * (dot(xe, jf) + dot(xf, je))
    return ee > 0.0 and ee * ff > ef * ef


@entry
def follow_implicit(row, size, points, t, out, after, codes):
    """Foot points of points in the body's frame, starting from the parameters `t` of those of a similar body.

    If `t` is NaN, the search starts on the ray through the point.
    """
    for k in range(len(points)):
        p = (points[k, 0], points[k, 1], points[k, 2])
        guess = (t[k, 0], t[k, 1], t[k, 2])
        if math.isnan(guess[0]):
            guess = _on_ray(row, p)
        code, distance, n, x, now = foot(row, p, guess, TOLERANCE * (size + norm(p)))
        codes[k] = code
        write_foot(out, k, distance, n, x)
        after[k, 0], after[k, 1], after[k, 2] = now


@jit
def foot_anew(row, p, size):
    """The foot point, with the start on the ray through p."""
    return foot(row, p, _on_ray(row, p), TOLERANCE * (size + norm(p)))


def implicit_row(
    radii: ArrayLike, exponents: ArrayLike, kappa: float = 1.0, taper_x: ArrayLike = NONE, taper_y: ArrayLike = NONE
) -> np.ndarray:
    """Parameters of a body for this file: a, b, c, g1, g2, g3, kappa, c0 to c3 along x, c0 to c3 along y."""
    return np.concatenate([radii, exponents, [kappa], taper_x, taper_y], dtype=float)


def parameters(row: np.ndarray, feet: np.ndarray) -> np.ndarray:
    """Parameters t of surface points."""
    zeta = np.clip(feet[:, 2] / row[2], -1.0, 1.0)
    tx, ty = np.polyval(row[10:6:-1], zeta), np.polyval(row[14:10:-1], zeta)
    terms = np.stack([feet[:, 0] / (row[0] * tx), feet[:, 1] / (row[1] * ty), zeta], axis=1)
    return np.clip(np.sign(terms) * np.abs(terms) ** np.minimum(row[3:6] - 1.0, 1.0), -1.0, 1.0)
