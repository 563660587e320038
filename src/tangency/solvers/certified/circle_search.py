"""Proved maximum of the support function of a body over a circle of normals: its clearance from a round wall.

The normals of a cylinder or cone about z are n(phi) = s u(phi) + c e, with u a unit vector across the axis e.
With h the support function of the placed body's core, f(phi) = h(n(phi)) may have several maxima.  Between two
angles it is bounded because h is convex and homogeneous: u = p u_1 + q u_2 with p, q >= 0 and p + q >= 1 there,
so that n = p n_1 + q n_2 - (p + q - 1) c e and

    f(phi) + H <= p (f_1 + H) + q (f_2 + H),    H = h(-c e),

which is the sinusoid through both values.  It is exact for balls; for other bodies it exceeds f by at most an
eighth of the radius of curvature times the square of the angle.  Arcs are halved wherever the sinusoid is higher
than the best maximum found so far; maxima are found by Newton's method.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...compiled.jit import call_shape, element, jit
from ...kernels.jet import hessian_of, point_of
from ...kernels.vectors import add, axpy, dot, mat_mul, mat_t_mul, sym_mul

ARCS = 12  # initial number of arcs
ROOM = 1024  # maximum number of arcs
STEPS, CUTS, FARTHEST = 30, 12, 0.3  # maximum number of Newton steps, of halvings of each; maximum step [rad]


class PlacedBody(NamedTuple):
    """A body in the frame of a wall."""

    address: int
    row: Any  #: pointer to its parameters
    size: int  #: number of these parameters
    core: float
    rotation: Any
    position: Any


@jit
def value_at(body, n, jet):
    """Support value and point of the core at n, in the frame of the wall."""
    m = mat_t_mul(body.rotation, n)
    call_shape(body.address, body.row, body.size, m[0], m[1], m[2], element(jet, 0))
    x = add(axpy(mat_mul(body.rotation, point_of(jet, 0)), -body.core, n), body.position)
    return jet[0] - body.core + dot(n, body.position), x


@jit
def _on(angle, s, c):
    return (s * math.cos(angle), s * math.sin(angle), c)


@jit
def _climb(body, s, c, angle, tolerance, jet):
    """Local maximum near `angle`: (value, angle, evaluations)."""
    value, used = -1e300, 0
    for _ in range(STEPS):
        n = _on(angle, s, c)
        value, x = value_at(body, n, jet)
        used += 1
        t = (-n[1], n[0], 0.0)
        e, w = mat_t_mul(body.rotation, t), hessian_of(jet, 0)
        slope = dot(t, x)
        bend = dot(sym_mul(w, e), e) - body.core * s * s - (n[0] * x[0] + n[1] * x[1])
        if slope == 0.0 or not abs(slope) < 1e300:
            break
        step = math.copysign(FARTHEST, slope)
        if bend < 0.0 and abs(slope) < -FARTHEST * bend:
            step = -slope / bend
        if abs(slope * step) <= tolerance * 1e-4:
            # The remaining rise is negligible; the last step improves the direction.
            high, _ = value_at(body, _on(angle + step, s, c), jet)
            used += 1
            return (high, angle + step, used) if high >= value else (value, angle, used)
        better = False
        for _ in range(CUTS):
            high, _ = value_at(body, _on(angle + step, s, c), jet)
            used += 1
            if high > value:
                better = True
                break
            step *= 0.5
        if not better:
            break
        angle += step
    return value, angle, used


@jit
def _peak(f, g, width):
    """Maximum on an arc of this width of the sinusoid with the values f and g at its ends."""
    b = (g - f) / math.sin(width) + f * math.tan(0.5 * width)
    if b > 0.0 and b * math.cos(width) < f * math.sin(width):
        return math.hypot(f, b)
    return max(f, g)


@jit
def highest(body, s, c, guess, tolerance, room, jet):
    """Global maximum of f over the circle: (value, upper bound, angle, evaluations).

    The search starts at the angle `guess` and examines at most `room` arcs.
    """
    extra = 0.0
    if c != 0.0:
        extra, _ = value_at(body, (0.0, 0.0, math.copysign(1.0, -c)), jet)
        extra *= abs(c)
    starts, widths, first, last = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    width = 2.0 * math.pi / ARCS
    begin, _ = value_at(body, _on(guess, s, c), jet)
    best, angle = begin, guess
    for k in range(ARCS):
        starts[k], widths[k] = guess + k * width, width
        first[k] = begin
        if k > 0:
            first[k], _ = value_at(body, _on(starts[k], s, c), jet)
            last[k - 1] = first[k]
        if first[k] > best:
            best, angle = first[k], starts[k]
    last[ARCS - 1] = begin
    evaluations = ARCS + 1
    best, angle, used = _climb(body, s, c, angle, tolerance, jet)
    evaluations += used
    upper, count, k = best, ARCS, 0
    while k < count:
        bound = _peak(first[k] + extra, last[k] + extra, widths[k]) - extra
        if bound <= best + tolerance or count + 2 > room or widths[k] < 1e-12:
            upper = max(upper, bound)
        else:
            half = 0.5 * widths[k]
            middle = starts[k] + half
            value, _ = value_at(body, _on(middle, s, c), jet)
            evaluations += 1
            if value > best + 0.25 * tolerance:
                value_up, angle_up, used = _climb(body, s, c, middle, tolerance, jet)
                evaluations += used
                if value_up > best:
                    best, angle = value_up, angle_up
            starts[count], widths[count], first[count], last[count] = starts[k], half, first[k], value
            starts[count + 1], widths[count + 1], first[count + 1], last[count + 1] = middle, half, value, last[k]
            count += 2
        k += 1
    return best, max(upper, best), angle, evaluations
