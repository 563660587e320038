"""A ball inside the Minkowski sum of two ellipsoids, touching its boundary from within where the normal is n.

The sum is centred at the origin; its support function is H(m) = |u| + |v|, u = L_A'm, v = L_B'm.  Let h = H(n), and x
the boundary point with the normal n.  A ball of radius rho that touches there has the centre c = x - rho n, and lies
inside if and only if H(m) >= m.c + rho |m| for all m.  Take a half great circle, m = n cos t + e sin t, e normal to n.

- For every orthogonal T, H(m) >= |M m| with M = L_A' + T L_B' (Kurzhanski & Vályi 1997).  Let T turn L_B'n into the
  direction of L_A'n, and q into the direction of p, the parts of L_B'e and L_A'e normal to L_B'n and L_A'n.
- With mu = n.c = h - rho > 0, (m.c + rho |m|)^2 <= (1 + rho / mu) (m.c)^2 + (rho^2 + rho mu) |m|^2.

The difference of |M m|^2 and this bound is a quadratic form of m.  Its value and its gradient vanish at m = n, because
both sides touch there.  What is left is sin^2 t times its value at e,

    G(e) = (|p| + |q|)^2 - rho h - (rho / mu) (x.e)^2.

*The ball lies inside if G(e) >= 0 for all unit vectors e normal to n.*  Here |p|^2 / h_A and |q|^2 / h_B are the radii
of curvature of both bodies along e, so it is a condition on what is known at n.

Between two directions, e = t_1 e_1 + t_2 e_2 with t >= 0, |p|^2 = sum t_j t_k p_j.p_k, and if all these products are
positive |p| |q| >= sum t_j t_k sqrt(p_j.p_k q_j.q_k), by the inequality of Cauchy and Schwarz.  So |e|^2 G(e / |e|) is
at least sum t_j t_k G_jk with numbers G_jk, and that is >= 0 if G_12 >= -sqrt(G_11 G_22).  An interval in which this
fails is halved.
"""

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...kernels.vectors import axpy, dot, frame, mat_t_mul, norm, scale

FIRST_INTERVAL = 1.0  # a quarter of a half circle
INTERVALS = 60  # maximum number of intervals tried
ALLOWANCE = 1e-15  # for rounding errors of products, relative to the longest semi-axis


class Verdict(NamedTuple):
    """Whether a ball lies inside."""

    inside: bool
    failed: Any  #: if not, a direction e in which the test failed


class Ray(NamedTuple):
    """A direction e normal to n, with all that G depends on."""

    p: Any
    q: Any
    x: float  #: x.e
    e: Any


class Ball(NamedTuple):
    """A ball to be tested."""

    rho: float
    h: float
    longest_a: float  #: semi-axis
    longest_b: float


@jit
def _image(radii, m, length, e):
    """L'e in the frame of the body: its part normal to L'm, which has the given length, and its part along it, x.e."""
    along = scale((radii[0] * m[0], radii[1] * m[1], radii[2] * m[2]), 1.0 / length)
    image = (radii[0] * e[0], radii[1] * e[1], radii[2] * e[2])
    part = dot(along, image)
    return axpy(image, -part, along), part


@jit
def _combined(first, second, t, u):
    """The direction t e_1 + u e_2, not of unit length."""
    p = axpy(scale(first.p, t), u, second.p)
    q = axpy(scale(first.q, t), u, second.q)
    return Ray(p, q, t * first.x + u * second.x, axpy(scale(first.e, t), u, second.e))


@jit
def _entry(ball, first, second):
    """The number G_jk of two directions; very negative if nothing is known."""
    p, q = dot(first.p, second.p), dot(first.q, second.q)
    p -= ALLOWANCE * ball.longest_a * (norm(first.p) + norm(second.p))
    q -= ALLOWANCE * ball.longest_b * (norm(first.q) + norm(second.q))
    if not (p > 0.0 and q > 0.0):
        return -1e300
    straight = ball.h * dot(first.e, second.e) + first.x * second.x / (ball.h - ball.rho)
    return p + q + 2.0 * math.sqrt(p * q) - ball.rho * straight


@jit
def is_inside(a, b, turn, n, rho):
    """Whether the ball of radius rho lies inside the sum; 'no' may mean that the test is too coarse.

    a, b : semi-axes; turn : orientation of B relative to A (9-tuple); n : unit vector in the frame of A.
    """
    t, s = frame(n)
    m = mat_t_mul(turn, n)
    h_a = norm((a[0] * n[0], a[1] * n[1], a[2] * n[2]))
    h_b = norm((b[0] * m[0], b[1] * m[1], b[2] * m[2]))
    ball = Ball(rho, h_a + h_b, max(a[0], a[1], a[2]), max(b[0], b[1], b[2]))
    if not rho < ball.h:
        return Verdict(False, t)
    (pt, at), (ps, au) = _image(a, n, h_a, t), _image(a, n, h_a, s)
    (qt, bt), (qs, bu) = _image(b, m, h_b, mat_t_mul(turn, t)), _image(b, m, h_b, mat_t_mul(turn, s))
    first, second = Ray(pt, qt, at + bt, t), Ray(ps, qs, au + bu, s)
    low, start, position, width = first, _entry(ball, first, first), 0.0, FIRST_INTERVAL
    for _ in range(INTERVALS):
        # From e_1 around three corners of a square to -e_1: positions 0 to 4.
        end = min(position + width, 4.0)
        high = _combined(first, second, min(max(2.0 - end, -1.0), 1.0), min(end, 4.0 - end, 1.0))
        there = _entry(ball, high, high)
        if start < 0.0 or there < 0.0:
            return Verdict(False, low.e if start < 0.0 else high.e)
        if _entry(ball, low, high) >= -math.sqrt(start * there):
            if end == 4.0:
                return Verdict(True, high.e)
            low, start, position, width = high, there, end, 2.0 * width
        else:
            width *= 0.5
    return Verdict(False, low.e)
