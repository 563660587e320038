"""Support functions in 80-digit arithmetic, from definitions and not from the library's code.

Gradient and Hessian are central differences of these functions with a step of 1e-20: good to about 38
digits, so any disagreement is the library's.
"""

from __future__ import annotations

import mpmath as mp

import tangency as tg
from families import DEFINITION_OF

DIGITS = 80
STEP = mp.mpf(10) ** -20


def support(shape: tg.Shape):
    """The function h(nx, ny, nz) of a single body, of mpf to mpf."""
    return globals()[DEFINITION_OF[type(shape)]](shape)


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


def tapered(shape):
    """Largest n.x, by a root of the slope along z; in each section a root of the multiplier (thesis, Eq. 2.19)."""
    f = {name: mp.mpf(float(value)) for name, value in shape._fields.items()}
    tx, ty = [f[f"x{k}"] for k in range(4)], [f[f"y{k}"] for k in range(4)]
    tol = mp.mpf(10) ** (-DIGITS // 2 - 5)  # quadratic: the next step would be 2 DIGITS small

    found, multiplier = [], []  # the last roots: neighbours of a normal need no new search

    def section(nx, ny, s):
        """x, y and the slope of nx x + ny y + nz z along zeta, at zeta = sign(s) (1 - 1/(1+|s|))."""
        zeta = s / (1 + abs(s))
        a = f["a"] * sum(c * zeta**k for k, c in enumerate(tx))
        b = f["b"] * sum(c * zeta**k for k, c in enumerate(ty))
        m = (1 - abs(zeta) ** f["g3"]) ** f["kappa"]
        v = (nx * a / f["g1"], ny * b / f["g2"])
        q = (f["g1"] / (f["g1"] - 1), f["g2"] / (f["g2"] - 1))

        # Falling and convex: Newton's method rises to the root from the left of it, or falls left of it first.
        if not multiplier:
            multiplier.append(min(mp.log(v[i]) - mp.log(m) / q[i] for i in range(2) if v[i] > 0))
        tau = multiplier[0]
        for _ in range(200):
            w = [(v[i] * mp.exp(-tau)) ** q[i] for i in range(2)]
            step = mp.log(sum(w) / m) * sum(w) / (q[0] * w[0] + q[1] * w[1])
            tau += step
            if abs(step) < tol:
                break
        multiplier[0] = tau
        lam = mp.exp(tau)
        x, y = a * (v[0] / lam) ** (q[0] - 1), b * (v[1] / lam) ** (q[1] - 1)
        slope_a = f["a"] * sum(k * c * zeta ** (k - 1) for k, c in enumerate(tx) if k)
        slope_b = f["b"] * sum(k * c * zeta ** (k - 1) for k, c in enumerate(ty) if k)
        fall = f["kappa"] * f["g3"] * abs(zeta) ** (f["g3"] - 1) * (1 - abs(zeta) ** f["g3"]) ** (f["kappa"] - 1)
        return x, y, zeta, nx * x * slope_a / a + ny * y * slope_b / b - lam * fall * mp.sign(zeta)

    def h(*n):
        nx, ny, nz = abs(n[0]), abs(n[1]), n[2]

        def slope(s):
            return f["c"] * nz + section(nx, ny, s)[3]

        if not found:
            with mp.workdps(20):
                low, high = mp.mpf(-1), mp.mpf(1)
                while slope(high) > 0:
                    high *= 4
                while slope(low) < 0:
                    low *= 4
                for _ in range(60):
                    middle = (low + high) / 2
                    low, high = (middle, high) if slope(middle) > 0 else (low, middle)
            found.append(low)
        s, before = found[-1], found[-1] * (1 + mp.mpf(10) ** -10)
        value, other = slope(s), slope(before)
        for _ in range(60):  # secants
            if value == other:
                break
            s, before, other = s - value * (s - before) / (value - other), s, value
            value = slope(s)
            if abs(s - before) <= abs(s) * mp.mpf(10) ** (-DIGITS // 2 - 5):
                break
        assert abs(s - before) <= abs(s) * mp.mpf(10) ** (-DIGITS // 2)
        found[0] = s
        x, y, zeta, _ = section(nx, ny, s)
        return nx * x + ny * y + nz * f["c"] * zeta

    return h


def harmonic(shape):
    """Sum of c_lm Y_lm |n|, with associated Legendre functions from derivatives of Rodrigues' polynomial."""
    degree, c = shape.degree, numbers(shape.coefficients)

    def legendre(l, m, z, rho):
        # rho^m times the m-th derivative of P_l = 2^-l sum (-1)^k C(l, k) C(2l - 2k, l) z^(l - 2k)
        total = mp.mpf(0)
        for k in range((l - m) // 2 + 1):
            power = l - 2 * k
            total += (-1) ** k * mp.binomial(l, k) * mp.binomial(2 * l - 2 * k, l) * mp.ff(power, m) * z ** (power - m)
        return rho**m * total / mp.mpf(2) ** l

    def h(*n):
        size = length(n)
        x, y, z = (v / size for v in n)
        rho, theta = mp.sqrt(x * x + y * y), mp.atan2(y, x)
        total = mp.mpf(0)
        for l in range(degree + 1):
            for m in range(-l, l + 1):
                k = abs(m)
                norm = mp.sqrt((2 * l + 1) / (4 * mp.pi) * mp.factorial(l - k) / mp.factorial(l + k) * (2 if k else 1))
                wave = mp.sin(k * theta) if m < 0 else mp.cos(k * theta)
                total += c[l * l + l + m] * norm * legendre(l, k, z, rho) * wave
        return size * total

    return h


def spline(shape):
    """Sum of c_ijk B(x) B(y) B(z) |n| with the cardinal cubic B-spline as a divided difference of cubes."""
    cells, c = shape.cells, shape.coefficients

    def bumps(v):
        """Values of all B-splines at v: B-spline i is centred at grid point i - 1."""
        place = (v + 1) * cells / 2
        cubes = [
            [mp.mpf(w), max(place - i + 3 - k, mp.mpf(0)) ** 3]
            for i in range(cells + 3)
            for k, w in enumerate((1, -4, 6, -4, 1))
        ]
        return [sum(w * q for w, q in cubes[5 * i : 5 * i + 5]) / 6 for i in range(cells + 3)]

    def h(*n):
        size = length(n)
        parts = [[(i, b) for i, b in enumerate(bumps(v / size)) if b] for v in n]
        total = mp.mpf(0)
        for i, a in parts[0]:
            for j, b in parts[1]:
                for k, d in parts[2]:
                    total += mp.mpf(float(c[i, j, k])) * a * b * d
        return size * total

    return h


def polytope(shape):
    corners = [numbers(p) for p in shape._vertices()]
    return lambda *n: max(sum(p[i] * n[i] for i in range(3)) for p in corners)


def cylinder(shape):
    """Sum of a disc and a segment."""
    r, l = mp.mpf(float(shape.radius)), mp.mpf(float(shape.half_length))
    return lambda *n: r * mp.sqrt(n[0] ** 2 + n[1] ** 2) + l * abs(n[2])


def cone(shape):
    """Hull of two discs."""
    l, ends = mp.mpf(float(shape.half_length)), ((-1, shape.radius), (1, shape.top_radius))
    return lambda *n: max(mp.mpf(float(r)) * mp.sqrt(n[0] ** 2 + n[1] ** 2) + s * l * n[2] for s, r in ends)


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
