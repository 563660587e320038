"""Support functions in 80-digit arithmetic, from definitions and not from the library's code.

Gradient and Hessian are central differences of these functions with a step of 1e-20: good to about 38
digits, so any disagreement is the library's.
"""

from __future__ import annotations

import mpmath as mp

import tangency as tg
from families import Egg, EggByPoint

DIGITS = 80
STEP = mp.mpf(10) ** -20


def support(shape: tg.Shape):
    """The function h(nx, ny, nz) of a single body, of mpf to mpf."""
    return _BY_TYPE[type(shape)](shape)


def numbers(values) -> list:
    return [mp.mpf(float(v)) for v in values]


def length(n):
    return mp.sqrt(sum(v * v for v in n))


def sphere(shape):
    r = mp.mpf(float(shape.radius))
    return lambda *n: r * length(n)


def ellipsoid(shape):
    a = numbers(shape.radii)
    return lambda *n: mp.sqrt(sum((a[i] * n[i]) ** 2 for i in range(3)))


def superellipsoid(shape):
    """Römer 3-D, Eq. (52)."""
    a = numbers(shape.radii)
    # The kernel stores q = exponent / (exponent - 1); take its float, not that of epsilon.
    qz, qxy = (mp.mpf(float(shape._fields[name])) for name in ("q1", "q2"))

    def h(*n):
        x, y, z = (abs(a[i] * n[i]) for i in range(3))
        return ((x**qxy + y**qxy) ** (qz / qxy) + z**qz) ** (1 / qz)

    return h


def power_ellipsoid(shape):
    """Largest n.x under sum |x_i/a_i|^g_i = 1: the multiplier by bisection, then the maximum itself."""
    a, g = numbers(shape.radii), numbers(shape.exponents)

    def h(*n):
        m = [abs(a[i] * n[i]) / g[i] for i in range(3)]

        def excess(lam):
            return sum((m[i] / lam) ** (g[i] / (g[i] - 1)) for i in range(3)) - 1

        high = 3 * max(m) + 1
        while excess(high) > 0:
            high *= 2
        low = high
        while excess(low) < 0:
            low /= 2
        lam = mp.findroot(excess, (low, high), solver="ridder", tol=mp.mpf(10) ** (-DIGITS + 5), maxsteps=300)
        u = [(m[i] / lam) ** (1 / (g[i] - 1)) for i in range(3)]
        # Second order small in the error of lam, if the point is pulled back to the surface.
        scale = sum(u[i] ** g[i] for i in range(3))
        assert abs(scale - 1) < mp.mpf(10) ** (-DIGITS + 25)
        return sum(a[i] * u[i] * abs(n[i]) for i in range(3))

    return h


def polytope(shape):
    corners = [numbers(p) for p in shape._vertices()]
    return lambda *n: max(sum(p[i] * n[i] for i in range(3)) for p in corners)


def offset(shape):
    inner, d = support(shape.body), mp.mpf(float(shape.distance))
    return lambda *n: inner(*n) + d * length(n)


def minkowski(shape):
    a, b = support(shape.a), support(shape.b)
    return lambda *n: a(*n) + b(*n)


def affine(shape):
    inner, c = support(shape.body), numbers(shape.translation)
    m = [numbers(row) for row in shape.matrix]

    def h(*n):
        return inner(*(sum(m[i][j] * n[i] for i in range(3)) for j in range(3))) + sum(c[i] * n[i] for i in range(3))

    return h


def egg(shape):
    r, k = mp.mpf(float(shape._fields["radius"])), mp.mpf(float(shape._fields["skew"]))
    return lambda *n: r * length(n) + k * n[2] ** 3 / sum(v * v for v in n)


_BY_TYPE = {
    tg.Sphere: sphere,
    tg.Ellipsoid: ellipsoid,
    tg.Superellipsoid: superellipsoid,
    tg.PowerEllipsoid: power_ellipsoid,
    tg.Box: polytope,
    tg.Segment: polytope,
    tg.Hull: polytope,
    tg.Offset: offset,
    tg.MinkowskiSum: minkowski,
    tg.Affine: affine,
    Egg: egg,
    EggByPoint: egg,
}


def derivatives(h, n):
    """h, gradient and Hessian at n."""
    n = numbers(n)

    def at(*shifts):
        return h(*(v + sum(s for axis, s in shifts if axis == i) for i, v in enumerate(n)))

    e = STEP
    centre = at()
    up, down = [at((i, e)) for i in range(3)], [at((i, -e)) for i in range(3)]
    gradient = [(up[i] - down[i]) / (2 * e) for i in range(3)]
    hessian = [[mp.mpf(0)] * 3 for _ in range(3)]
    for i in range(3):
        hessian[i][i] = (up[i] - 2 * centre + down[i]) / e**2
        for j in range(i):
            corners = at((i, e), (j, e)) - at((i, e), (j, -e)) - at((i, -e), (j, e)) + at((i, -e), (j, -e))
            hessian[i][j] = hessian[j][i] = corners / (4 * e**2)
    return centre, gradient, hessian


def principal_radii(hessian):
    """Both nonzero eigenvalues: from the trace and the sum of the principal minors."""
    trace = sum(hessian[i][i] for i in range(3))
    minors = sum(hessian[i][i] * hessian[j][j] - hessian[i][j] ** 2 for i in range(3) for j in range(i))
    root = mp.sqrt(max(trace**2 - 4 * minors, 0))
    large = (trace + root) / 2
    return minors / large if large else mp.mpf(0), large
