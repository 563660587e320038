"""Curvature in the tangent plane of a surface: its axes, and the inverse of a 2x2 matrix known up to rounding."""

from __future__ import annotations

import math

from ...compiled.jit import jit
from ...kernels.vectors import cross, norm, scale, sub

NOISE = 1e-15  # rounding of second derivatives, relative to the sum of their terms
SHARP = 1e6  # ratio of second derivatives along the axes above which the surface is sharp across the largest one


@jit
def in_space(tt, ts, ss, t, s):
    """The symmetric matrix tt t t' + ts (t s' + s t') + ss s s', as (xx, xy, xz, yy, yz, zz)."""
    return (
        tt * t[0] * t[0] + 2.0 * ts * t[0] * s[0] + ss * s[0] * s[0],
        tt * t[0] * t[1] + ts * (t[0] * s[1] + t[1] * s[0]) + ss * s[0] * s[1],
        tt * t[0] * t[2] + ts * (t[0] * s[2] + t[2] * s[0]) + ss * s[0] * s[2],
        tt * t[1] * t[1] + 2.0 * ts * t[1] * s[1] + ss * s[1] * s[1],
        tt * t[1] * t[2] + ts * (t[1] * s[2] + t[2] * s[1]) + ss * s[1] * s[2],
        tt * t[2] * t[2] + 2.0 * ts * t[2] * s[2] + ss * s[2] * s[2],
    )


@jit
def chosen_axis(h, m):
    """Number of the axis from which tangents keep the digits of the second derivatives h where the normal is m.

    This is the axis across which the surface is sharp, or the one that is most nearly tangential.
    """
    xx, yy, zz = m[0] * m[0], m[1] * m[1], m[2] * m[2]
    a, b, c = abs(h[0]) * (yy + zz), abs(h[3]) * (xx + zz), abs(h[5]) * (xx + yy)
    if a > SHARP * max(b, c):
        return 0
    if b > SHARP * max(a, c):
        return 1
    if c > SHARP * max(a, b):
        return 2
    return 0 if xx <= yy and xx <= zz else 1 if yy <= zz else 2


@jit
def tangents(m, axis):
    """Two unit vectors normal to the unit vector m, the first next to a coordinate axis, the second normal to it.

    Second derivatives that are very small or very large along this axis alone do not mix with the others.
    """
    e = (1.0, 0.0, 0.0) if axis == 0 else (0.0, 1.0, 0.0) if axis == 1 else (0.0, 0.0, 1.0)
    t, s = sub(e, scale(m, m[axis])), cross(m, e)
    return scale(t, 1.0 / norm(t)), scale(s, 1.0 / norm(s))


@jit
def product(h, t, s):
    """t'H s for a symmetric H, and the sum of the magnitudes of its terms."""
    x, y, z = h[0] * t[0] * s[0], h[3] * t[1] * s[1], h[5] * t[2] * s[2]
    xy, xz, yz = h[1] * t[0] * s[1], h[2] * t[0] * s[2], h[4] * t[1] * s[2]
    yx, zx, zy = h[1] * t[1] * s[0], h[2] * t[2] * s[0], h[4] * t[2] * s[1]
    total = abs(x) + abs(y) + abs(z) + abs(xy) + abs(xz) + abs(yz) + abs(yx) + abs(zx) + abs(zy)
    return x + y + z + xy + xz + yz + yx + zx + zy, total


@jit
def inverse(a, b, d, ea, eb, ed):
    """Inverse (tt, ts, ss) of the matrix a, b; b, d, whose entries have errors up to ea, eb, ed.

    A matrix that is singular within the errors is replaced by a positive definite one, so that the sign of a large
    radius of curvature does not depend on rounding.
    """
    if a > -ea and d > -ed:
        a, d = max(a, ea, 1e-300), max(d, ed, 1e-300)
        root = math.sqrt(a) * math.sqrt(d)
        c = b / root
        rest, error = 1.0 - c * c, (ea / a + ed / d + 2.0 * abs(b) / a * (eb / d))
        if rest > -error:
            if rest < error:
                rest = min(error, 1.0)
                c = math.copysign(math.sqrt(1.0 - rest), c)
            return 1.0 / (a * rest), -c / (root * rest), 1.0 / (d * rest)
    det = a * d - b * b
    det = det if abs(det) > 1e-300 else 1e-300
    return d / det, -b / det, a / det
