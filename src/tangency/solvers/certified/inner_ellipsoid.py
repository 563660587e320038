"""A large ball inside the Minkowski sum of two ellipsoids, touching its boundary from within where the normal is n.

For every orthogonal T the ellipsoid E with the support function |(L_A' + T L_B') m| lies inside A + B, because
|(L_A' + T L_B') m| <= |L_A' m| + |L_B' m| (Kurzhanski & Vályi 1997); it touches the boundary of the sum at n if
T turns L_B'n into the direction of L_A'n.  This leaves a rotation about that direction and a reflection; among
these, the roundest E is chosen.  The ball that touches E at n from within has the radius (smallest semi-axis
squared) / h(n); see ``lanes/ellipsoids.py``.
"""

import math

from ...compiled.jit import jit
from ...kernels.linear import least_eigenvalue
from ...kernels.vectors import add, axpy, dot, frame, mat_mul, mat_t_mul, scale, unit

TURNS, ROUNDS = 12, 2


@jit
def inner_radius(a, b, turn, n, wanted):
    """Radius of the ball; the search ends as soon as it exceeds `wanted`.

    a, b : semi-axes; turn : orientation of B relative to A (9-tuple); n : unit vector in the frame of A.
    """
    p = mat_t_mul(turn, n)
    u, v = (a[0] * n[0], a[1] * n[1], a[2] * n[2]), (b[0] * p[0], b[1] * p[1], b[2] * p[2])
    h = math.sqrt(dot(u, u)) + math.sqrt(dot(v, v))
    u, v = unit(u), unit(v)
    # Rows of L_A' in the frame (u, tu, su) and of L_B' in (v, tv, sv); T maps one frame to the other.
    tu, su = frame(u)
    tv, sv = frame(v)
    a0, a1, a2 = _row(a, u), _row(a, tu), _row(a, su)
    b0, b1, b2 = mat_mul(turn, _row(b, v)), mat_mul(turn, _row(b, tv)), mat_mul(turn, _row(b, sv))
    first = add(a0, b0)
    best = 0.0
    for sign in (1.0, -1.0):
        centre, width = 0.0, math.pi
        for _ in range(ROUNDS):
            # The best of TURNS angles, then of angles between its neighbours.
            middle = centre
            for k in range(TURNS):
                angle = middle + width * (2.0 * k / TURNS - 1.0)
                c, s = math.cos(angle), math.sin(angle)
                second = add(a1, axpy(scale(b1, c), -sign * s, b2))
                third = add(a2, axpy(scale(b1, s), sign * c, b2))
                radius = least_eigenvalue(first, second, third) / h
                if radius > best:
                    best, centre = radius, angle
                if best > wanted:
                    return best
            width *= 2.0 / TURNS
    return best


@jit
def _row(a, v):
    return (a[0] * v[0], a[1] * v[1], a[2] * v[2])
