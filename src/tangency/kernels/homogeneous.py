"""Homogeneous extension h(n) = |n| p(n / |n|) of a smooth function on the unit sphere to a support function."""

from ..compiled.jit import jit
from .vectors import axpy, dot, sub, sym_mul


@jit
def homogeneous_jet(n, length, p, g, s):
    """(h, x, W) at `length` n, for a unit vector n, from value, gradient and Hessian of p at n.

    Values of p off the sphere have no influence: with T = I - n n' and the radial slope r = n.g

        x = p n + T g,   W = T s T + (p - r) T
    """
    r = dot(n, g)
    k = p - r
    a = sym_mul(s, n)
    b = dot(n, a) - k
    x = axpy(sub(g, (r * n[0], r * n[1], r * n[2])), p, n)
    i = 1.0 / length
    return (
        length * p,
        x,
        (
            (s[0] - 2.0 * n[0] * a[0] + b * n[0] * n[0] + k) * i,
            (s[1] - n[0] * a[1] - a[0] * n[1] + b * n[0] * n[1]) * i,
            (s[2] - n[0] * a[2] - a[0] * n[2] + b * n[0] * n[2]) * i,
            (s[3] - 2.0 * n[1] * a[1] + b * n[1] * n[1] + k) * i,
            (s[4] - n[1] * a[2] - a[1] * n[2] + b * n[1] * n[2]) * i,
            (s[5] - 2.0 * n[2] * a[2] + b * n[2] * n[2] + k) * i,
        ),
    )
