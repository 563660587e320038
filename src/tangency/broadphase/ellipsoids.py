"""Separation of two ellipsoids from the sign of their characteristic quartic.

With the ellipsoids X'AX = 0 and X'BX = 0 in homogeneous coordinates, negative inside, the quartic is
f(x) = det(x A + B).  The ellipsoids are separated if and only if f has two distinct positive roots, and touch
externally if and only if it has a double positive root (Wang, Wang, Kim 2001; Lopes 2010, section 5).

The roots are never computed.  In coordinates that make A a unit ball and B an ellipsoid with semi-axes
s_i along the axes, centred at c,

    f(x) / det(x I + B3)  =  (1 + x) (S(x) - 1),    S(x) = sum of  x c_i^2 / ((1 + x) (1 + x s_i^2)),

and S is a concave function of x / (1 + x).  So f has positive roots if the single maximum of S exceeds 1, which
is decided by sums of positive numbers, without the cancellation in the coefficients.  (The square root of the
maximum is the factor by which both ellipsoids can grow until they touch: Perram and Wertheim 1985.)
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from ..compiled.jit import entry, jit
from ..contacts.query import contact
from ..geometry.pose import PoseLike
from ..io import validate
from ..kernels.poses import at
from ..kernels.rounding import EPSILON, UNITS
from ..kernels.vectors import axpy, dot, mat_t_mul, norm, scale
from ..shapes.ellipsoid import Ellipsoid
from ..shapes.shape import Shape
from ..shapes.sphere import Sphere
from ..solvers.certified.pair import relative
from .broadcast import ask, table

SLENDER = 1e4  # ratio of longest to shortest semi-axis above which the quartic is not used


class Separation(IntEnum):
    """Relative position of two ellipsoids.

    Examples
    --------
    >>> import tangency as tg
    >>> tg.broadphase.Separation(1).name
    'SEPARATED'
    """

    OVERLAPPING = -1
    TOUCHING = 0
    SEPARATED = 1


def ellipsoids(
    a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None, *, tol: float = 1e-12
) -> np.ndarray:
    """Whether two ellipsoids are separated, touching or overlapping; one inside the other counts as overlap.

    Parameters
    ----------
    a, b : Ellipsoid or Sphere
        Each a single body or a stack of bodies.
    pose_a, pose_b : optional
        As in :func:`tangency.contact`.
    tol : float
        Ellipsoids count as touching if scaling both by a relative amount `tol`, or by the rounding errors,
        would separate or overlap them.  Bodies more slender than 1e4 : 1 are decided by the bounds of
        :func:`tangency.contact` instead.

    Returns
    -------
    (...) array of int
        Codes of :class:`Separation`: 1 separated, 0 touching, -1 overlapping.

    Examples
    --------
    >>> import tangency as tg
    >>> a, b = tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0)
    >>> tg.broadphase.ellipsoids(a, b, pose_b=(None, [[3.9, 0, 0], [4, 0, 0], [4.1, 0, 0]])).tolist()
    [-1, 0, 1]
    """
    tolerance = validate.within(validate.array(tol, "tol"), "tol", 0.0, 1.0)
    if tolerance.ndim:
        raise ValueError(f"tol must be a single number, got shape {tolerance.shape}")
    answer = ask(_decide, _radii, a, b, pose_a, pose_b, (), np.int8, float(tolerance))
    slender = np.broadcast_to(np.maximum(_slenderness(a), _slenderness(b)) > SLENDER, answer.shape)
    if slender.any():  # rounding makes the roots unreliable: use the bounds on the distance
        c = contact(a, b, pose_a, pose_b)
        verdict = np.where(c.lower > 0.0, 1, np.where(c.upper < 0.0, -1, 0))
        answer = np.where(slender, verdict, answer).astype(np.int8)
    return answer


def _slenderness(shape: Shape) -> np.ndarray:
    """Ratio of longest to shortest semi-axis."""
    return np.ones(shape.batch_shape) if isinstance(shape, Sphere) else shape.radii.max(-1) / shape.radii.min(-1)


def characteristic_quartic(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None) -> np.ndarray:
    """Coefficients of det(x A + B), highest power first, scaled so that the last one is -1.

    Parameters
    ----------
    a, b : Ellipsoid or Sphere
        Each a single body or a stack of bodies.
    pose_a, pose_b : optional
        As in :func:`tangency.contact`.

    Returns
    -------
    (..., 5) array
        Coefficients of the quartic.

    Examples
    --------
    >>> import numpy as np, tangency as tg
    >>> q = tg.broadphase.characteristic_quartic(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [3, 0, 0]))
    >>> np.roots(q).real.round(6).tolist()
    [6.854102, -1.0, -1.0, 0.145898]
    """
    return ask(_quartic, _radii, a, b, pose_a, pose_b, (5,), float)


def _radii(shape: Shape, name: str) -> np.ndarray:
    if not isinstance(shape, Sphere | Ellipsoid):
        raise TypeError(f"{name} must be an Ellipsoid or a Sphere, got {type(shape).__name__}")
    shape.check_size()
    if isinstance(shape, Sphere):
        return table(shape, np.repeat(shape.radius[..., None], 3, axis=-1))
    return table(shape, shape.radii)


@jit
def _whitened(radii_a, radii_b, rotation, r):
    """Squared semi-axes s and centre c of B in coordinates where A is the unit ball; and an error bound of c.

    The axes are the left singular vectors of D_a^-1 R D_b, by one-sided Jacobi rotations of its columns.
    """
    ia = (1.0 / radii_a[0], 1.0 / radii_a[1], 1.0 / radii_a[2])
    x = (ia[0] * rotation[0] * radii_b[0], ia[1] * rotation[3] * radii_b[0], ia[2] * rotation[6] * radii_b[0])
    y = (ia[0] * rotation[1] * radii_b[1], ia[1] * rotation[4] * radii_b[1], ia[2] * rotation[7] * radii_b[1])
    z = (ia[0] * rotation[2] * radii_b[2], ia[1] * rotation[5] * radii_b[2], ia[2] * rotation[8] * radii_b[2])
    for _ in range(30):
        x, y, p = _orthogonal(x, y)
        x, z, q = _orthogonal(x, z)
        y, z, t = _orthogonal(y, z)
        if max(p, q, t) < EPSILON:
            break
    centre = (ia[0] * r[0], ia[1] * r[1], ia[2] * r[2])
    lx, ly, lz = norm(x), norm(y), norm(z)
    c = (dot(x, centre) / lx, dot(y, centre) / ly, dot(z, centre) / lz)
    ratio = max(radii_a[0], radii_a[1], radii_a[2]) * max(ia[0], ia[1], ia[2])
    return (lx * lx, ly * ly, lz * lz), c, EPSILON * ratio * norm(centre)


@jit
def _orthogonal(x, y):
    """Rotate two columns in their plane until they are orthogonal; also returns their cosine before."""
    xx, yy, xy = dot(x, x), dot(y, y), dot(x, y)
    cosine = abs(xy) / math.sqrt(xx * yy)
    if cosine < EPSILON:
        return x, y, cosine
    zeta = (yy - xx) / (2.0 * xy)
    t = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
    c = 1.0 / math.sqrt(1.0 + t * t)
    return scale(axpy(x, -t, y), c), scale(axpy(y, t, x), c), cosine


@jit
def _growth(s, c, error, tol):
    """Sign of the maximum of S - 1, 0 within the tolerance or the rounding errors."""
    width = (math.sqrt(s[0]), math.sqrt(s[1]), math.sqrt(s[2]))
    low, high = 1.0 / max(width[0], width[1], width[2]), 1.0 / min(width[0], width[1], width[2])
    # Each term has its maximum (c_i / (1 + s_i))^2 at 1 / s_i: start at their mean.
    top, bottom = 1e-300, 1e-300
    for i in range(3):
        weight = (c[i] / (1.0 + width[i])) ** 2
        top += weight
        bottom += weight * width[i]
    x = min(max(top / bottom, low), high)
    for _ in range(100):
        m = 1.0 / (1.0 + x)
        value, slope, bend, doubt = 0.0, 0.0, 0.0, 0.0
        for i in range(3):
            d = 1.0 / (1.0 + x * s[i])
            square = c[i] * c[i]
            value += square * x * m * d
            slope += square * (1.0 - x * x * s[i]) * d * d
            bend -= 2.0 * square * s[i] * (d / m) ** 3
            doubt += (2.0 * abs(c[i]) * error + error * error) * x * m * d
        margin = max(2.0 * tol, UNITS * (doubt + EPSILON * value))
        if value > 1.0 + margin:
            return 1
        # S is concave, so it stays below its tangent up to the end of the bracket.
        if slope > 0.0:
            low = x
            rest = slope * (high / (1.0 + high) - x * m)
        else:
            high = x
            rest = slope * (low / (1.0 + low) - x * m)
        if value + rest < 1.0 - margin:
            return -1
        if rest <= 0.01 * margin or bend >= 0.0 or slope * slope <= -0.02 * margin * bend:
            return 0 if value > 1.0 - margin else -1
        step = -slope / bend
        new = (x * m + step) / (m - step) if m > step else high
        x = new if low < new < high else math.sqrt(low * high)
    return 0


@entry
def _decide(a, b, tol, start, stop, answer):
    for k in range(start, stop):
        row_a, row_b = a.rows[at(a.pick, k)], b.rows[at(b.pick, k)]
        radii_a, radii_b = (row_a[0], row_a[1], row_a[2]), (row_b[0], row_b[1], row_b[2])
        t, r, _, _ = relative(a.poses, at(a.pick_pose, k), b.poses, at(b.pick_pose, k))
        if _aspect(radii_a) > _aspect(radii_b):  # the rounder one becomes the ball: less rounding
            radii_a, radii_b = radii_b, radii_a
            r = scale(mat_t_mul(t, r), -1.0)
            t = (t[0], t[3], t[6], t[1], t[4], t[7], t[2], t[5], t[8])
        s, c, error = _whitened(radii_a, radii_b, t, r)
        answer[k] = _growth(s, c, error, tol)


@jit
def _aspect(radii):
    return max(radii[0], radii[1], radii[2]) / min(radii[0], radii[1], radii[2])


@entry
def _quartic(a, b, start, stop, answer):
    for k in range(start, stop):
        row_a, row_b = a.rows[at(a.pick, k)], b.rows[at(b.pick, k)]
        t, r, _, _ = relative(a.poses, at(a.pick_pose, k), b.poses, at(b.pick_pose, k))
        s, c, _ = _whitened((row_a[0], row_a[1], row_a[2]), (row_b[0], row_b[1], row_b[2]), t, r)
        # sum of x c_i^2 (1 + x s_j) (1 + x s_k), minus (1 + x) (1 + x s_1) (1 + x s_2) (1 + x s_3)
        e1, e2, e3 = s[0] + s[1] + s[2], s[0] * s[1] + s[0] * s[2] + s[1] * s[2], s[0] * s[1] * s[2]
        q0, q1, q2 = c[0] * c[0], c[1] * c[1], c[2] * c[2]
        answer[k, 0] = -e3
        answer[k, 1] = q0 * s[1] * s[2] + q1 * s[0] * s[2] + q2 * s[0] * s[1] - e3 - e2
        answer[k, 2] = q0 * (s[1] + s[2]) + q1 * (s[0] + s[2]) + q2 * (s[0] + s[1]) - e2 - e1
        answer[k, 3] = q0 + q1 + q2 - e1 - 1.0
        answer[k, 4] = -1.0
