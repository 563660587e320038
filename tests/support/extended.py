"""Support functions of many bodies at once in extended precision, from definitions and not from the library's code.

The counterpart of `reference.py` for millions of queries: 64-bit mantissas (np.longdouble) instead of 80 digits.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import families
import tangency as tg
from families import DEFINITION_OF
from tangency import planar

LONG = np.longdouble
HAS_LONG_DOUBLES = np.finfo(LONG).nmant >= 63


def support(shape: tg.Shape | planar.Shape, n: np.ndarray) -> np.ndarray:
    """h(n) of a stack (N,) at directions (N, 3), or (N, 2) in the plane, all in extended precision."""
    if isinstance(shape, planar.Shape):
        import planar_extended

        return planar_extended.support(shape, n)
    name = DEFINITION_OF.get(type(shape))
    return (_formulas()[type(shape)] if name is None else globals()[name])(shape, n)


def field(shape: tg.Shape, name: str) -> np.ndarray:
    return np.asarray(shape._fields[name], dtype=LONG)


def length(n: np.ndarray) -> np.ndarray:
    top = np.abs(n).max(axis=-1)
    return top * np.sqrt(((n / top[..., None]) ** 2).sum(axis=-1))


def sphere(shape, n):
    return field(shape, "radius") * length(n)


def ellipsoid(shape, n):
    return length(np.asarray(shape.radii, LONG) * n)


def power_norm(u, v, q):
    big, small = np.maximum(u, v), np.minimum(u, v)
    ratio = np.where(big > 0, small / np.where(big > 0, big, 1), 0)
    return big * np.exp(np.log1p(ratio**q) / q)


def superellipsoid(shape, n):
    """Römer 3-D, Eq. (52), with the exponents of the support function that the kernel holds."""
    x, y, z = np.moveaxis(np.abs(np.asarray(shape.radii, LONG) * n), -1, 0)
    return power_norm(power_norm(x, y, field(shape, "q2")), z, field(shape, "q1"))


def power_ellipsoid(shape, n):
    """Least value over lam > 0 of the dual, lam + sum lam (g - 1) (m / lam)^q with m = a |n| / g, q = g / (g - 1).

    An error of lam enters squared.
    """
    a, g = np.asarray(shape.radii, LONG), np.asarray(shape.exponents, LONG)
    m = np.abs(a * n) / g
    m = np.maximum(m, LONG("1e-3000") * m.max(axis=-1, keepdims=True))
    q = g / (g - 1)
    l = np.log(m)
    # log of the sum of exp(q (l - t)): convex and falling; from the left Newton's method rises to its root.
    t = l.max(axis=-1)
    for _ in range(100):
        e = q * (l - t[..., None])
        top = e.max(axis=-1)
        w = np.exp(e - top[..., None])
        total = w.sum(axis=-1)
        step = (top + np.log(total)) * total / (q * w).sum(axis=-1)
        t = t + step
        if (np.abs(step) < 1e-17).all():
            break
    w = np.exp(q * (l - t[..., None]))
    return np.exp(t) * (1 + ((g - 1) * w).sum(axis=-1))


def tapered(shape, n):
    """Largest value over the height of c nz zeta + (support value of the section), by bisection of its slope.

    The height is written zeta = side u, u^g3 = 1 / (1 + exp(-t)); a section is a maximum whose dual is minimised.
    Errors of the height and of the multiplier enter squared.
    """
    f = {name: np.broadcast_to(field(shape, name), n.shape[:-1]) for name in shape._fields}
    top = np.abs(n).max(axis=-1)
    nx, ny = (np.maximum(np.abs(n[..., k]) / top, LONG("1e-1000")) for k in (0, 1))
    nz = n[..., 2] / top
    q1, q2 = f["g1"] / (f["g1"] - 1), f["g2"] / (f["g2"] - 1)

    def section(side, t):
        """Value, and its slope along u."""
        soft = np.log1p(np.exp(-np.abs(t)))
        log_p, log_rest = np.where(t > 0, -soft, t - soft), np.where(t > 0, -t - soft, -soft)
        u = np.exp(log_p / f["g3"])
        zeta = side * u
        a = f["a"] * (f["x0"] + zeta * (f["x1"] + zeta * (f["x2"] + zeta * f["x3"])))
        b = f["b"] * (f["y0"] + zeta * (f["y1"] + zeta * (f["y2"] + zeta * f["y3"])))
        # max of nx x + ny y under |x/a|^g1 + |y/b|^g2 = m; its dual in log lam, see `power_ellipsoid`
        log_m, l1, l2 = f["kappa"] * log_rest, np.log(nx * a / f["g1"]), np.log(ny * b / f["g2"])
        tau = np.maximum(l1 - log_m / q1, l2 - log_m / q2)
        for _ in range(60):
            e1, e2 = q1 * (l1 - tau) - log_m, q2 * (l2 - tau) - log_m
            most = np.maximum(e1, e2)
            w1, w2 = np.exp(e1 - most), np.exp(e2 - most)
            step = (most + np.log(w1 + w2)) * (w1 + w2) / (q1 * w1 + q2 * w2)
            tau = tau + step
            if (np.abs(step) < 1e-12).all():
                break
        w1, w2, lam = np.exp(q1 * (l1 - tau) - log_m), np.exp(q2 * (l2 - tau) - log_m), np.exp(tau + log_m)
        slope_a = side * f["a"] * (f["x1"] + zeta * (2 * f["x2"] + 3 * zeta * f["x3"]))
        slope_b = side * f["b"] * (f["y1"] + zeta * (2 * f["y2"] + 3 * zeta * f["y3"]))
        fall = f["kappa"] * f["g3"] * np.exp(t - log_p / f["g3"])  # -m'/m
        slope = side * f["c"] * nz + lam * (f["g1"] * w1 * slope_a / a + f["g2"] * w2 * slope_b / b - fall)
        return f["c"] * nz * zeta + lam * (1 + (f["g1"] - 1) * w1 + (f["g2"] - 1) * w2), slope

    low, high = np.full(n.shape[:-1], LONG(-1000)), np.full(n.shape[:-1], LONG(1000))
    side = np.where(section(LONG(1), low)[1] > 0, LONG(1), LONG(-1))
    for _ in range(48):  # 2000 / 2^48 = 7e-12
        middle = (low + high) / 2
        rises = section(side, middle)[1] > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return top * section(side, (low + high) / 2)[0]


def harmonic(shape, n):
    """Sum of c_lm Y_lm |n|; P_lm by the recurrence in l of the normalised functions."""
    degree = shape.degree
    size = length(n)
    x, y, z = np.moveaxis(n / size[..., None], -1, 0)
    # What the kernel holds are coefficients of Gegenbauer's polynomials: C_k^(m+1/2)(z) Re, Im (x + i y)^m.
    scaled = np.broadcast_to(field(shape, "scaled"), (*n.shape[:-1], (degree + 1) * (degree + 2)))
    total, i = np.zeros(n.shape[:-1], LONG), 0
    wave = np.ones(n.shape[:-1], np.clongdouble)
    for m in range(degree + 1):
        before, now = np.zeros_like(z), np.ones_like(z)
        for k in range(degree - m + 1):
            if k:
                before, now = now, (2 * (k + m) - 1) * z * now / LONG(k) - (k + 2 * m - 1) * before / LONG(k)
            total = total + now * (scaled[..., i] * wave.real + scaled[..., i + 1] * wave.imag)
            i += 2
        wave = wave * (x + 1j * y)
    return size * total


def spline(shape, n):
    """Sum of c_ijk B(x) B(y) B(z) |n| with the cardinal cubic B-spline as a divided difference of cubes."""
    cells, c = shape.cells, np.asarray(shape.coefficients, LONG)
    size = length(n)

    def bumps(v):
        place = (v[..., None] + 1) * cells / 2 - np.arange(cells + 3) + 3
        return sum(w * np.maximum(place - k, 0) ** 3 for k, w in enumerate((1, -4, 6, -4, 1))) / LONG(6)

    u = n / size[..., None]
    bx, by, bz = (bumps(u[..., k]) for k in range(3))
    c = np.broadcast_to(c, (*n.shape[:-1], *c.shape[-3:]))
    inner = (c * bz[..., None, None, :]).sum(axis=-1)
    inner = (inner * by[..., None, :]).sum(axis=-1)
    return size * (inner * bx).sum(axis=-1)


def polytope(shape, n):
    corners = np.asarray(shape._vertices(), LONG)
    return (corners * n[..., None, :]).sum(axis=-1).max(axis=-1)


def cylinder(shape, n):
    """Sum of a disc and a segment."""
    flat = n * np.array([1, 1, 0])
    return field(shape, "radius") * _length_or_zero(flat) + field(shape, "half_length") * np.abs(n[..., 2])


def cone(shape, n):
    """Hull of two discs."""
    across, along = _length_or_zero(n * np.array([1, 1, 0])), field(shape, "half_length") * n[..., 2]
    return np.maximum(field(shape, "radius") * across - along, field(shape, "top_radius") * across + along)


def _length_or_zero(v):
    zero = (v == 0).all(axis=-1)
    return np.where(zero, 0, length(np.where(zero[..., None], LONG(1), v)))


def offset(shape, n):
    return support(shape.body, n) + field(shape, "distance") * length(n)


def minkowski(shape, n):
    return support(shape.a, n) + support(shape.b, n)


def affine(shape, n):
    matrix, c = np.asarray(shape.matrix, LONG), np.asarray(shape.translation, LONG)
    return support(shape.body, (matrix * n[..., :, None]).sum(axis=-2)) + (c * n).sum(axis=-1)


def egg(shape, n):
    return field(shape, "radius") * length(n) + field(shape, "skew") * n[..., 2] ** 3 / (n * n).sum(axis=-1)


def formula(shape, n):
    a, b, c = (field(shape, name) for name in "abc")
    return length(np.stack(np.broadcast_arrays(a, b, c), axis=-1) * n) + LONG(0.1) * b * n[..., 2]


def spherical_formula(shape, n):
    size = length(n)
    z = n[..., 2] / size
    return size * (field(shape, "a") + LONG(0.05) * field(shape, "b") * z**3 + field(shape, "c") * np.log(2 + z))


def potential_functions(shape, n):
    return field(shape, "a") * length(n) + field(shape, "b") * (n[..., 0] ** 2 - n[..., 1] ** 2) / length(n)


@cache
def _formulas():
    """The classes that `families` makes of formulas, and the same formulas by hand."""
    rng = np.random.default_rng(0)
    made = {
        families.formula: formula,
        families.spherical_formula: spherical_formula,
        families.potential_functions: potential_functions,
    }
    return {type(make(rng, ())): function for make, function in made.items()}
