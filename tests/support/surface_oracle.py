"""Support values and points of surfaces with multiple precision; nothing is shared with the library."""

import math

import mpmath
import numpy as np
import sympy


def power_sum(radii, exponents, n, digits=40):
    """Support value and point of sum |x_i / a_i|^g_i = 1, for any number of coordinates.

    Where n.x is largest, g_i / a_i |x_i / a_i|^(g_i - 1) = n_i / t; the sum falls with t, which bisection finds.
    """
    with mpmath.workdps(digits):
        a, g, m = ([mpmath.mpf(float(v)) for v in row] for row in (radii, exponents, n))

        def ratios(log_t):
            return [
                (abs(k) * r / e) ** (1 / (e - 1)) * mpmath.exp(-log_t / (e - 1)) if k else mpmath.mpf(0)
                for k, r, e in zip(m, a, g)
            ]

        low, high = mpmath.mpf(-1), mpmath.mpf(1)
        while sum(q**e for q, e in zip(ratios(low), g)) < 1:
            low *= 2
        while sum(q**e for q, e in zip(ratios(high), g)) > 1:
            high *= 2
        for _ in range(int(digits * 3.5) + 10):
            middle = (low + high) / 2
            if sum(q**e for q, e in zip(ratios(middle), g)) > 1:
                low = middle
            else:
                high = middle
        x = [mpmath.sign(k) * r * q for k, r, q in zip(m, a, ratios(low))]
        return float(sum(k * c for k, c in zip(m, x))), np.array([float(c) for c in x])


class Implicit:
    """The body F <= 0, for a formula in x, y, z without parameters; `centre` lies inside."""

    def __init__(self, formula, centre=(0.0, 0.0, 0.0), rays=20_000, digits=40):
        self.digits = digits
        variables = sympy.symbols("x y z", real=True)
        f = sympy.sympify(formula, locals=dict(zip("xyz", variables)))
        gradient = [f.diff(v) for v in variables]
        table = [f, *gradient, *(g.diff(v) for g in gradient for v in variables)]
        table = [sympy.sympify(e).replace(sympy.DiracDelta, lambda *_: sympy.Integer(0)) for e in table]
        self.table = sympy.lambdify(variables, table, "mpmath", cse=True)
        value = sympy.lambdify(variables, f, "numpy")
        d = np.random.default_rng(0).normal(size=(rays, 3))
        d /= np.linalg.norm(d, axis=1)[:, None]
        centre, sign = np.asarray(centre, float), math.copysign(1.0, float(value(*map(float, centre))))
        low, high = np.zeros(rays), np.full(rays, 1e-3)
        with np.errstate(all="ignore"):
            for _ in range(40):
                inside = value(*(centre + high[:, None] * d).T) * sign > 0
                high[inside] *= 2.0
            for _ in range(60):
                middle = 0.5 * (low + high)
                inside = value(*(centre + middle[:, None] * d).T) * sign > 0
                low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        self.points = centre + low[:, None] * d

    def support_and_point(self, n):
        """By Newton's method for grad F = t n, F = 0 from the best of many points of the surface."""
        x = self.points[(self.points @ n).argmax()]
        with mpmath.workdps(self.digits):
            m = mpmath.matrix([mpmath.mpf(float(k)) for k in n])
            x = mpmath.matrix([mpmath.mpf(float(k)) for k in x])
            g = mpmath.matrix(self.table(*x)[1:4])
            t = (g.T * m)[0] / (m.T * m)[0]
            for _ in range(60):
                flat = self.table(*x)
                g, h = mpmath.matrix(flat[1:4]), mpmath.matrix(3, 3)
                system, rest = mpmath.zeros(4), mpmath.zeros(4, 1)
                for i in range(3):
                    for j in range(3):
                        h[i, j] = flat[4 + 3 * i + j]
                        system[i, j] = h[i, j]
                    system[i, 3], system[3, i] = -m[i], g[i]
                    rest[i] = t * m[i] - g[i]
                rest[3] = -flat[0]
                step = mpmath.lu_solve(system, rest)
                length = mpmath.norm(step[:3])
                share = min(mpmath.mpf(1), mpmath.norm(x) / 20 / length) if length else mpmath.mpf(1)
                x, t = x + share * step[:3], t + share * step[3]
                if length < mpmath.mpf(10) ** (-self.digits // 2 - 5):
                    break
            else:
                raise ArithmeticError(f"no point found for n = {n}")
            h = float((m.T * x)[0])
            if h < (self.points @ n).max() - 1e-12 * abs(h):
                raise ArithmeticError(f"not the largest value for n = {n}")
            return h, np.array([float(c) for c in x])
