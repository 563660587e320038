"""Sums of real spherical harmonics with two derivatives, as polynomials in x, y, z: no angles, no poles.

On the unit sphere the harmonic of degree l and order m is, up to a factor,

    C_{l-m}^{(m+1/2)}(z) Re (x + i y)^m    and    C_{l-m}^{(m+1/2)}(z) Im (x + i y)^m

with Gegenbauer polynomials, whose recurrence in l is stable for |z| <= 1; it is differentiated term by
term.
"""

import numpy as np

from ..compiled.jit import entry, jit
from .homogeneous import homogeneous_jet

HIGHEST = 50  # largest degree
INVERSE = np.concatenate([[0.0], 1.0 / np.arange(1.0, HIGHEST + 1.0)])


@jit
def _next_polynomial(k, m, z, last):
    """(C_k, C_{k-1}) of the order m + 1/2, then their first and second derivatives, from those of k - 1 and k - 2."""
    f, g, df, dg, ddf, ddg = last
    # k C_k = 2 (k + m - 1/2) z C_{k-1} - (k + 2 m - 1) C_{k-2}
    s, t = (2.0 * (k + m) - 1.0) * INVERSE[k], (k + 2.0 * m - 1.0) * INVERSE[k]
    return (
        s * z * f - t * g,
        f,
        s * (f + z * df) - t * dg,
        df,
        s * (2.0 * df + z * ddf) - t * ddg,
        ddf,
    )


@jit
def harmonic_sum(c, degree, n):
    """Value, gradient and Hessian of the polynomial; `c` holds both coefficients for every m and every l >= m."""
    x, y, z = n
    p = 0.0
    px, py, pz = 0.0, 0.0, 0.0
    pxx, pxy, pxz, pyy, pyz, pzz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    # Re and Im of (x + i y)^m, and of the powers m - 1 and m - 2
    a, b, a1, b1, a2, b2 = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i = 0
    for m in range(degree + 1):
        # Sums over l for this m: u of the cosines, v of the sines, with derivatives by z
        u, du, ddu, v, dv, ddv = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        f, df, ddf, g, dg, ddg = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(degree - m + 1):
            if k > 0:
                f, g, df, dg, ddf, ddg = _next_polynomial(k, m, z, (f, g, df, dg, ddf, ddg))
            p1, p2 = c[i], c[i + 1]
            i += 2
            u += p1 * f
            du += p1 * df
            ddu += p1 * ddf
            v += p2 * f
            dv += p2 * df
            ddv += p2 * ddf
        w, ww = float(m), m * (m - 1.0)
        p += u * a + v * b
        px += w * (u * a1 + v * b1)
        py += w * (v * a1 - u * b1)
        pz += du * a + dv * b
        twice, mixed = ww * (u * a2 + v * b2), ww * (v * a2 - u * b2)
        pxx += twice
        pyy -= twice
        pxy += mixed
        pxz += w * (du * a1 + dv * b1)
        pyz += w * (dv * a1 - du * b1)
        pzz += ddu * a + ddv * b
        a2, b2, a1, b1 = a1, b1, a, b
        a, b = a * x - b * y, a * y + b * x
    return p, (px, py, pz), (pxx, pxy, pxz, pyy, pyz, pzz)


@entry
def harmonic_rows(degree, normals, rows):
    """Jets (J, 10, P) of every basis function at unit vectors, in the order of the coefficients."""
    for line in range(len(normals)):
        x, y, z = normals[line, 0], normals[line, 1], normals[line, 2]
        a, b, a1, b1, a2, b2 = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
        i = 0
        for m in range(degree + 1):
            w, ww = float(m), m * (m - 1.0)
            f, df, ddf, g, dg, ddg = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(degree - m + 1):
                if k > 0:
                    f, g, df, dg, ddf, ddg = _next_polynomial(k, m, z, (f, g, df, dg, ddf, ddg))
                for odd in range(2):
                    # The sine of an order is its cosine with (a, b) rotated by a right angle.
                    c, c1, d1, c2, d2 = (a, a1, b1, a2, b2) if odd == 0 else (b, b1, -a1, b2, -a2)
                    h, point, hessian = homogeneous_jet(
                        (x, y, z),
                        1.0,
                        f * c,
                        (w * f * c1, -w * f * d1, df * c),
                        (ww * f * c2, -ww * f * d2, w * df * c1, -ww * f * c2, -w * df * d1, ddf * c),
                    )
                    rows[line, 0, i] = h
                    for j in range(3):
                        rows[line, 1 + j, i] = point[j]
                    for j in range(6):
                        rows[line, 4 + j, i] = hessian[j]
                    i += 1
            a2, b2, a1, b1 = a1, b1, a, b
            a, b = a * x - b * y, a * y + b * x
