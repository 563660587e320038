"""What the bodies are: their support functions, from definitions and not from the library's code.

A definition is a function F(n, z, p) of a direction, of auxiliary variables and of the shape's parameters.  The
support value is its stationary value by z: a multiplier, a height of a section, or a place on an edge or a face that
carries the contact.  Numbers are jets, doubles or `Double2`; p has the parameters along its first axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tangency as tg

from .jets import absolute, exp, log, power, sqrt, where

NEAR = 1e-4  # a component of a unit normal below which an edge or a face may carry the contact
INSIDE = 1.0 - 1e-8  # of an edge: farther out its end carries it


class Definition(NamedTuple):
    """F, the auxiliary variables to start from, and the number of parameters.

    On flat places a component of the normal may be far below the rounding of the others; `normal` (N, 3), in the body
    frame, is that of the contact point, of any length, where it is known.
    """

    function: Callable
    start: list[np.ndarray]
    parameters: int
    normal: np.ndarray | None = None


def define(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """The definition of a stack of bodies near the contact points x (N, 3) with the outward normals n, body frame."""
    for kind, function in DEFINITIONS.items():
        if isinstance(shape, kind):
            return function(shape, n, x)
    raise TypeError(f"no definition of {type(shape).__name__}")


def length(n: list) -> Any:
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])


def sphere(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    return Definition(lambda n, z, p: length(n) * p[0], [], 1)


def ellipsoid(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    return Definition(lambda n, z, p: length([n[i] * p[i] for i in range(3)]), [], 3)


def superellipsoid(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """Römer 3-D, Eq. (52): the dual exponents of 2/e are 2/(2 - e)."""

    def support(n: list, z: list, p: Any) -> Any:
        q1, q2 = 2.0 / (2.0 - p[3]), 2.0 / (2.0 - p[4])
        u, v, w = (absolute(n[i]) * p[i] for i in range(3))
        return power(power(power(u, q2) + power(v, q2), q1 / q2) + power(w, q1), 1.0 / q1)

    p1, p2 = 2.0 / shape.epsilon.T
    u, v, w = (np.abs(x) / shape.radii).T
    rho = (u**p2 + v**p2) ** (1.0 / p2)
    slope = np.stack([rho ** (p1 - p2) * u ** (p2 - 1.0), rho ** (p1 - p2) * v ** (p2 - 1.0), w ** (p1 - 1.0)], axis=-1)
    return Definition(support, [], 5, np.copysign(slope / shape.radii, x))


def power_ellipsoid(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """Least value by the multiplier exp(z) of lam + sum lam (g - 1) (m / lam)^q, m = a |n| / g, q = g / (g - 1)."""

    def support(n: list, z: list, p: Any) -> Any:
        total: Any = 1.0
        for i in range(3):
            g = p[3 + i]
            total = total + exp((log(absolute(n[i]) * (p[i] / g)) - z[0]) * (g / (g - 1.0))) * (g - 1.0)
        return exp(z[0]) * total

    a, g = shape.radii, shape.exponents
    q, l = g / (g - 1.0), np.log(np.abs(a * n) / g)
    z = l.max(axis=-1)
    for _ in range(100):
        e = q * (l - z[:, None])
        top = e.max(axis=-1)
        w = np.exp(e - top[:, None])
        z = z + (top + np.log(w.sum(axis=-1))) * w.sum(axis=-1) / (q * w).sum(axis=-1)
    slope = g * (np.abs(x) / a) ** (g - 1.0) / a
    return Definition(support, [z], 6, np.copysign(slope, x))


def tapered(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """|x / (a tx)|^g1 + |y / (b ty)|^g2 = (1 - |zeta|^g3)^kappa, zeta = z / c (Lopes thesis, Eq. 2.19).

    Largest value by the height, |zeta|^g3 = 1 / (1 + exp(-z0)), of c nz zeta plus the support value of the section,
    which is a least value by its multiplier exp(z1), see `power_ellipsoid`.
    """
    side = np.where(x[:, 2] < 0.0, -1.0, 1.0)
    read = {tg.Superovoid: _superovoid, tg.Ovoid: _ovoid}.get(type(shape), _tapered_superellipsoid)

    def support(n: list, z: list, p: Any) -> Any:
        radii, (g1, g2, g3, kappa), tapers = read(p)
        both = log(exp(z[0]) + 1.0)
        zeta, log_m = exp((z[0] - both) / g3) * side, both * -kappa
        total: Any = 1.0
        for i, g in enumerate((g1, g2)):
            t = tapers[i]
            a = (((zeta * t[3] + t[2]) * zeta + t[1]) * zeta + t[0]) * radii[i]
            total = total + exp((log(absolute(n[i]) * a / g) - z[1]) * (g / (g - 1.0)) - log_m) * (g - 1.0)
        return n[2] * zeta * radii[2] + exp(z[1] + log_m) * total

    radii, (g1, g2, g3, kappa), tapers = read(np.moveaxis(shape.parameters, -1, 0))
    zeta = x[:, 2] / radii[2]
    u = [np.abs(x[:, i]) / (radii[i] * sum(c * zeta**k for k, c in enumerate(tapers[i]))) for i in range(2)]
    log_rest = np.log(u[0] ** g1 + u[1] ** g2) / kappa
    first = u[0] ** g1 > u[1] ** g2
    g, v = np.where(first, g1, g2), np.where(first, u[0], u[1])
    slope = np.where(first, np.abs(n[:, 0] * x[:, 0]), np.abs(n[:, 1] * x[:, 1])) / v
    return Definition(support, [g3 * np.log(np.abs(zeta)) - log_rest, np.log(slope / g) - (g - 1.0) * np.log(v)],
                      shape.parameters.shape[-1])  # fmt: skip


def _superovoid(p: Any) -> tuple:
    return p[0:3], (p[3], p[4], p[5], 1.0), (p[6:10], p[10:14])


def _ovoid(p: Any) -> tuple:
    return p[0:3], (2.0, 2.0, 2.0, 1.0), (p[3:7], p[7:11])


def _tapered_superellipsoid(p: Any) -> tuple:
    g = 2.0 / p[4]
    return p[0:3], (g, g, 2.0 / p[3], p[3] / p[4]), tuple((1.0, p[5 + i], 0.0, 0.0) for i in range(2))


def harmonic(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """Sum of c_lm Y_lm |n|, with the recurrences of Legendre's functions."""
    degree = shape.degree

    def support(n: list, z: list, p: Any) -> Any:
        size = length(n)
        u, v, w = (c / size for c in n)
        total, wave = w * 0.0, (w * 0.0 + 1.0, w * 0.0)
        for m in range(degree + 1):
            before, now = w * 0.0, w * 0.0 + float(math.prod(range(1, 2 * m, 2)))
            for l in range(m, degree + 1):
                if l > m:
                    before, now = now, (w * now * (2.0 * l - 1.0) - before * (l + m - 1.0)) / (l - m)
                scale = math.sqrt((2 * l + 1) / (4 * math.pi) * math.factorial(l - m) / math.factorial(l + m))
                scale *= math.sqrt(2.0) if m else 1.0
                waves = wave[0] * (p[l * l + l + m] * scale)
                if m:
                    waves = waves + wave[1] * (p[l * l + l - m] * scale)
                total = total + now * waves
            wave = wave[0] * u - wave[1] * v, wave[0] * v + wave[1] * u
        return total * size

    return Definition(support, [], (degree + 1) ** 2)


def spline(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """Sum of c_ijk B(x) B(y) B(z) |n| with the cardinal cubic B-spline."""
    cells, rows = shape.cells, np.arange(len(n))
    cell = np.clip(np.floor((n / np.linalg.norm(n, axis=-1, keepdims=True) + 1.0) * cells / 2.0), 0, cells - 1)
    cell = cell.astype(np.int64)

    def bumps(v: Any, first: np.ndarray) -> list:
        t = (v + 1.0) * (cells / 2.0) - first.astype(float)
        s = 1.0 - t
        return [s * s * s / 6.0, (t * t * (t * 3.0 - 6.0) + 4.0) / 6.0, (s * s * (s * 3.0 - 6.0) + 4.0) / 6.0,
                t * t * t / 6.0]  # fmt: skip

    def support(n: list, z: list, p: Any) -> Any:
        size = length(n)
        b = [bumps(n[i] / size, cell[:, i]) for i in range(3)]
        wide, total = cells + 3, size * 0.0
        for i in range(4):
            plane = size * 0.0
            for j in range(4):
                first = ((cell[:, 0] + i) * wide + cell[:, 1] + j) * wide + cell[:, 2]
                line = b[2][0] * p[first, rows]
                for k in range(1, 4):
                    line = line + b[2][k] * p[first + k, rows]
                plane = plane + b[1][j] * line
            total = total + b[0][i] * plane
        return total * size

    return Definition(support, [], (cells + 3) ** 3)


def box(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """A place on an edge or a face: z are its free coordinates."""
    axes = (0, 1, 2) if isinstance(shape, tg.Box) else (2,)
    half = shape.half_lengths if isinstance(shape, tg.Box) else shape.half_length[:, None]
    u = n / np.linalg.norm(n, axis=-1, keepdims=True)
    free = [(np.abs(u[:, i]) < NEAR) & (np.abs(x[:, i]) < INSIDE * half[:, k]) for k, i in enumerate(axes)]
    sign = [np.where(x[:, i] < 0.0, -1.0, 1.0) for i in axes]

    def support(n: list, z: list, p: Any) -> Any:
        total: Any = 0.0
        for k, i in enumerate(axes):
            total = where(free[k], n[i] * z[k], n[i] * (p[k] * sign[k])) + total
        return total

    return Definition(support, [np.where(free[k], x[:, i], 0.0) for k, i in enumerate(axes)], len(axes))


def hull(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """The corner, edge or triangle that carries the contact."""
    points, rows = np.broadcast_to(shape.points, (len(n), *shape.points.shape[-2:])), np.arange(len(n))
    height = np.einsum("kpi,ki->kp", points, n / np.linalg.norm(n, axis=-1, keepdims=True))
    best = np.argsort(-height, axis=-1)[:, :3]
    fall = np.take_along_axis(height, best, axis=-1)
    shared = [fall[:, 0] - fall[:, k] < 1e-6 * np.abs(points).max(axis=(-1, -2)) for k in (1, 2)]
    corners = np.take_along_axis(points, best[:, :, None], axis=1)
    edges = np.stack([(corners[:, k] - corners[:, 0]) * shared[k - 1][:, None] for k in (1, 2)], axis=-1)
    start = np.einsum("kij,kj->ki", np.linalg.pinv(edges), x - corners[:, 0])

    def support(n: list, z: list, p: Any) -> Any:
        total: Any = 0.0
        for i in range(3):
            first, *others = (p[best[:, k] * 3 + i, rows] for k in range(3))
            total = n[i] * first + total
            for k in range(2):
                total = where(shared[k], n[i] * z[k] * (others[k] - first), n[i] * 0.0) + total
        return total

    return Definition(support, [start[:, 0], start[:, 1]], 3 * points.shape[1])


def cylinder(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    r, l = shape.radius, shape.half_length
    u, across = n / np.linalg.norm(n, axis=-1, keepdims=True), np.hypot(x[:, 0], x[:, 1])
    end = (np.hypot(u[:, 0], u[:, 1]) < NEAR) & (across < INSIDE * r)
    side = (np.abs(u[:, 2]) < NEAR) & (np.abs(x[:, 2]) < INSIDE * l)
    sign = np.where(x[:, 2] < 0.0, -1.0, 1.0)

    def support(n: list, z: list, p: Any) -> Any:
        disc = where(end, n[0] * z[0] + n[1] * z[1], rim(n, end) * p[0])
        return disc + where(side, n[2] * z[2], n[2] * (p[1] * sign))

    return Definition(support, [np.where(w, x[:, i], 0.0) for i, w in enumerate((end, end, side))], 2)


def rim(n: list, end: np.ndarray) -> Any:
    """Support value of a unit disc; on its axis, where `end` is, any number."""
    return sqrt(n[0] * n[0] + n[1] * n[1] + np.where(end, 1.0, 0.0))


def cone(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """Hull of two discs: a place on one of them, on its rim, or on the line between both rims."""
    low, l, high = shape.radius, shape.half_length, shape.top_radius
    u, across = n / np.linalg.norm(n, axis=-1, keepdims=True), np.hypot(x[:, 0], x[:, 1])
    top = x[:, 2] > 0.0
    end = (np.hypot(u[:, 0], u[:, 1]) < NEAR) & (across < INSIDE * np.where(top, high, low))
    lean = (low - high) * np.hypot(u[:, 0], u[:, 1]) - 2.0 * l * u[:, 2]
    side = (np.abs(lean) < NEAR * l) & (np.abs(x[:, 2]) < INSIDE * l)
    sign = np.where(top, 1.0, -1.0)

    def support(n: list, z: list, p: Any) -> Any:
        ring = rim(n, end)
        lower, upper = ring * p[0] - n[2] * p[1], ring * p[2] + n[2] * p[1]
        wall = where(side, lower * (1.0 - z[2]) + upper * z[2], where(top, upper, lower))
        return where(end, n[0] * z[0] + n[1] * z[1] + n[2] * (p[1] * sign), wall)

    share = np.where(side, 0.5 * (x[:, 2] / l + 1.0), 0.0)
    return Definition(support, [np.where(end, x[:, 0], 0.0), np.where(end, x[:, 1], 0.0), share], 3)


def offset(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    inner = define(shape.body, n, x - np.asarray(shape.distance)[..., None] * n)
    k = inner.parameters
    return Definition(lambda n, z, p: inner.function(n, z, p) + length(n) * p[k], inner.start, k + 1)


def minkowski(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """The first body must be strictly convex."""
    of_a = shape.a.point(n)
    a, b = define(shape.a, n, of_a), define(shape.b, n, x - of_a)
    k, m = a.parameters, len(a.start)

    def support(n: list, z: list, p: Any) -> Any:
        return a.function(n, z[:m], p) + b.function(n, z[m:], p[k:])

    return Definition(support, a.start + b.start, k + b.parameters)


def affine(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    matrix = np.broadcast_to(shape.matrix, (len(n), 3, 3))
    local = np.linalg.solve(matrix, (x - shape.translation)[:, :, None])[:, :, 0]
    inner = define(shape.body, np.einsum("kij,ki->kj", matrix, n), local)
    k = inner.parameters

    def support(n: list, z: list, p: Any) -> Any:
        back = [n[0] * p[k + j] + n[1] * p[k + 3 + j] + n[2] * p[k + 6 + j] for j in range(3)]
        moved = n[0] * p[k + 9] + n[1] * p[k + 10] + n[2] * p[k + 11]
        return inner.function(back, z, p) + moved

    return Definition(support, inner.start, k + 12)


def half_space(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """A place on the plane: z are its coordinates along two of the axes made tangent to it."""
    normal = np.broadcast_to(shape.normal, n.shape)
    skip = np.abs(normal).argmax(axis=-1)
    others = [(skip + k) % 3 for k in (1, 2)]

    def support(n: list, z: list, p: Any) -> Any:
        size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
        u = [p[i] / size for i in range(3)]
        total: Any = (n[0] * u[0] + n[1] * u[1] + n[2] * u[2]) * p[3]
        for k in range(2):
            along = sum(u[i] * np.where(others[k] == i, 1.0, 0.0) for i in range(3))
            for i in range(3):
                total = total + n[i] * z[k] * (np.where(others[k] == i, 1.0, 0.0) - u[i] * along)
        return total

    tangents = np.eye(3)[np.array(others)] - np.take_along_axis(normal, np.array(others).T, 1).T[:, :, None] * normal
    start = np.einsum("kij,kj->ki", np.linalg.pinv(np.moveaxis(tangents, 0, -1)), x)
    return Definition(support, [start[:, 0], start[:, 1]], 4)


def cavity(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    inner = define(shape.hollow, -n, x)
    return Definition(lambda n, z, p: -inner.function([-c for c in n], z, p), inner.start, inner.parameters)


def formula(shape: Any, n: np.ndarray, x: np.ndarray) -> Definition:
    """That of ``tests/support/families.py``."""
    return Definition(lambda n, z, p: length([n[i] * p[i] for i in range(3)]) + n[2] * (p[1] * 0.1), [], 3)


DEFINITIONS: dict[type, Callable] = {
    tg.Sphere: sphere,
    tg.Ellipsoid: ellipsoid,
    tg.Superellipsoid: superellipsoid,
    tg.PowerEllipsoid: power_ellipsoid,
    tg.Superovoid: tapered,
    tg.Ovoid: tapered,
    tg.TaperedSuperellipsoid: tapered,
    tg.HarmonicShape: harmonic,
    tg.SplineShape: spline,
    tg.Box: box,
    tg.Segment: box,
    tg.Hull: hull,
    tg.Cylinder: cylinder,
    tg.Cone: cone,
    tg.Offset: offset,
    tg.MinkowskiSum: minkowski,
    tg.Affine: affine,
    tg.HalfSpace: half_space,
    tg.Cavity: cavity,
    tg.Shape: formula,
}
