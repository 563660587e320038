"""Tangent and binormal of a normal that need not be a unit vector, with their derivatives.

The two techniques of Lopes 2010, section 3.4: the Householder reflection (unit vectors) and the square plate
with an auxiliary vector (not normalised, as in the paper).  `rate` functions give the change of both for a change dn.
"""

from ..compiled.jit import jit
from . import tangent_frames as orthogonal
from .vectors import add, axpy, cross, dot, norm, scale, unit


@jit
def householder(n):
    """Columns of the Householder reflection of n (Lopes 2010, Eqs. 15-17)."""
    return orthogonal.householder(unit(n))


@jit
def householder_rate(n, dn):
    """Change of `householder(n)` for a change dn."""
    k = 1.0 / norm(n)
    u = scale(n, k)
    d = scale(axpy(dn, -dot(u, dn), u), k)
    s = 1.0 if u[0] >= 0.0 else -1.0
    i = 1.0 / (1.0 + s * u[0])
    e = -i * i * s * d[0]
    cross_term = -(d[1] * u[2] + u[1] * d[2]) * i - u[1] * u[2] * e
    return (
        (-s * d[1], -2.0 * u[1] * d[1] * i - u[1] * u[1] * e, cross_term),
        (-s * d[2], cross_term, -2.0 * u[2] * d[2] * i - u[2] * u[2] * e),
    )


@jit
def _corner(n):
    """Signs of |n| in the vector v of the square plate (Lopes 2010, Eq. 18 and Table 1): v2 or v1."""
    return (-1.0, 1.0) if n[0] * n[1] > 0.0 else (1.0, 1.0)


@jit
def plate(n):
    """t = n x v and b = n x t with an auxiliary vector v never parallel to n (Lopes 2010, Eq. 19)."""
    length = norm(n)
    c = _corner(n)
    t = cross(n, (n[0] + c[0] * length, n[1] + c[1] * length, n[2]))
    return t, cross(n, t)


@jit
def plate_rate(n, dn):
    """Change of `plate(n)` for a change dn (Lopes 2010, Eq. 20)."""
    length = norm(n)
    c = _corner(n)
    v = (n[0] + c[0] * length, n[1] + c[1] * length, n[2])
    e = dot(n, dn) / length
    dv = (dn[0] + c[0] * e, dn[1] + c[1] * e, dn[2])
    t = cross(n, v)
    dt = add(cross(dn, v), cross(n, dv))
    return dt, add(cross(dn, t), cross(n, dt))
