"""Deep overlap of two ellipsoids: a common normal that a ball inside the sum of both bodies proves to be the best one.

Newton's method leads to a common normal, a local maximum of F.  The ball that touches the sum at this normal and is not
smaller than the depth proves it (``inner_ball.py``).  If it does not lie inside, it fails on some great circle through
the normal; from the best direction there a climb leads to another common normal, which is tried next if it is better.
"""

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ...kernels.vectors import axpy, dot, mat_mul, mat_t_mul, norm, scale, sub, sym_mul, unit
from .inner_ball import is_inside

NORMALS = 4  # maximum number of common normals tried
STEPS = 30  # maximum number of evaluations of a climb
RESIDUAL = 1e-12  # at the end of a climb, in units of length
DIRECTIONS, SAMPLES = 16, 12  # tried to find a better start: in all directions, on a great circle


class Ellipsoids(NamedTuple):
    """Two ellipsoids in the frame of A."""

    a: Any  #: semi-axes
    b: Any
    turn: Any  #: orientation of B, 9-tuple
    r: Any  #: position of B
    square: Any  #: matrix of B, symmetric 6-tuple


class Place(NamedTuple):
    """Evaluation in one direction."""

    normal: Any
    value: float  #: F
    gradient: Any  #: on the sphere
    point: Any  #: x_A
    h: float  #: support value of the sum of both bodies
    matrix: Any  #: K, symmetric 6-tuple


class Depth(NamedTuple):
    """Result of the search."""

    proved: bool
    place: Place
    rho: float  #: radius of the ball inside the sum
    evaluations: int


@jit
def _evaluate(pair, n):
    a, b, q = pair.a, pair.b, pair.square
    p = mat_t_mul(pair.turn, n)
    u, v = (a[0] * n[0], a[1] * n[1], a[2] * n[2]), (b[0] * p[0], b[1] * p[1], b[2] * p[2])
    h_a, h_b = norm(u), norm(v)
    i, j = 1.0 / h_a, 1.0 / h_b
    x = scale((a[0] * u[0], a[1] * u[1], a[2] * u[2]), i)
    y = scale(mat_mul(pair.turn, (b[0] * v[0], b[1] * v[1], b[2] * v[2])), j)
    f = dot(n, pair.r) - h_a - h_b
    k = (
        (a[0] * a[0] - x[0] * x[0]) * i + (q[0] - y[0] * y[0]) * j,
        (q[1] - y[0] * y[1]) * j - x[0] * x[1] * i,
        (q[2] - y[0] * y[2]) * j - x[0] * x[2] * i,
        (a[1] * a[1] - x[1] * x[1]) * i + (q[3] - y[1] * y[1]) * j,
        (q[4] - y[1] * y[2]) * j - x[1] * x[2] * i,
        (a[2] * a[2] - x[2] * x[2]) * i + (q[5] - y[2] * y[2]) * j,
    )
    return Place(n, f, axpy(sub(sub(pair.r, x), y), -f, n), x, h_a + h_b, k)


@jit
def _ascent(here):
    """Newton step |M|^-1 g, M = K + F: with the absolute values of the eigenvalues it leads away from saddles, too.

    By Cayley and Hamilton M^-1 g = (trace g - M g) / det on the tangent plane; if det < 0, M^2 - det is |M| times the
    difference of the eigenvalues, and likewise for the inverse.
    """
    k, f, g = here.matrix, here.value, here.gradient
    trace = k[0] + k[3] + k[5]
    minors = k[0] * k[3] - k[1] * k[1] + k[0] * k[5] - k[2] * k[2] + k[3] * k[5] - k[4] * k[4]
    adjoint = axpy(scale(g, trace + f), -1.0, sym_mul(k, g))
    det, trace = minors + f * (trace + f), trace + 2.0 * f
    if det > 0.0:
        d = scale(adjoint, math.copysign(1.0, trace) / det)
    else:
        root = math.sqrt(trace * trace - 4.0 * det + 1e-300)
        d = scale(axpy(scale(g, 2.0), trace / max(-det, 1e-300), adjoint), 1.0 / root)
    return scale(d, 1.0 / math.sqrt(1.0 + dot(d, d)))


@jit
def _climb(pair, n):
    """Newton's method from n to a local maximum of F: place and number of evaluations."""
    here = _evaluate(pair, n)
    evaluations = 1
    while evaluations < STEPS and norm(here.gradient) > RESIDUAL:
        d, part, there = _ascent(here), 1.0, here
        while evaluations < STEPS:
            there = _evaluate(pair, unit(axpy(here.normal, part, d)))
            evaluations += 1
            if there.value >= here.value + 1e-3 * part * dot(here.gradient, d) - 1e-14:
                break
            part *= 0.5
        here = there
    return here, evaluations


@jit
def _separation(pair, n):
    """F alone."""
    a, b, p = pair.a, pair.b, mat_t_mul(pair.turn, n)
    u, v = (a[0] * n[0], a[1] * n[1], a[2] * n[2]), (b[0] * p[0], b[1] * p[1], b[2] * p[2])
    return dot(n, pair.r) - norm(u) - norm(v)


@jit
def _best_on_circle(pair, n, e):
    """Direction with the largest F among samples on the great circle through n and e, without n."""
    best, found = -1e300, n
    for k in range(1, SAMPLES):
        t = 4.0 * k / SAMPLES  # around the square with the corners n, e, -n, -e
        m = unit(axpy(scale(n, abs(t - 2.0) - 1.0), 1.0 - abs(t - 1.0) if t < 2.0 else abs(t - 3.0) - 1.0, e))
        f = _separation(pair, m)
        if f > best:
            best, found = f, m
    return found


@jit
def _best_of_all(pair):
    """Direction with the largest F among the axes of both bodies and the edges and corners of a cube."""
    best, found, t = -1e300, pair.r, pair.turn
    for k in range(DIRECTIONS):
        n = (t[k % 3], t[3 + k % 3], t[6 + k % 3])
        if k < DIRECTIONS - 3:
            i = 14 + k  # in base 3: the digits of 14..26 are one of each pair of opposite directions
            n = unit((i // 9 - 1.0, i // 3 % 3 - 1.0, i % 3 - 1.0))
        n = n if dot(n, pair.r) >= 0.0 else scale(n, -1.0)
        f = _separation(pair, n)
        if f > best:
            best, found = f, n
    return found


@jit
def deepest(pair, n, followed, tol):
    """The best common normal found from n, and whether it is proved; if `followed`, only the one next to n is tried."""
    best, evaluations = _climb(pair, n)
    for k in range(NORMALS):
        depth, room = -best.value, best.h + best.value
        rho = min(depth + min(0.001 * depth, 0.01 * room), best.h - 0.1 * tol)
        verdict = is_inside(pair.a, pair.b, pair.turn, best.normal, rho)
        c, g2 = best.value + rho, dot(best.gradient, best.gradient)
        if verdict.inside:
            return Depth(math.sqrt(c * c + g2) - c <= tol, best, rho, evaluations)
        if followed:
            break
        start = _best_of_all(pair) if k == 0 else _best_on_circle(pair, best.normal, verdict.failed)
        other, used = _climb(pair, start)
        evaluations += used + (DIRECTIONS if k == 0 else SAMPLES - 1)
        if other.value > best.value + tol:
            best = other
        elif k > 0:
            break
    return Depth(False, best, 0.0, evaluations)
