"""Local maxima of F in overlap: normal, depth and contact points at smooth places, corners and straight sides.

At a smooth maximum t.w vanishes; where a body is straight or flat it jumps, and the contact points are mixtures of
points on both sides of the jump.
"""

import math
from typing import Any, NamedTuple

from ...compiled.jit import jit
from ..vectors import axpy, cross, dot, quarter, unit
from .pair import evaluate
from .separation import CHORD, MIDDLE, NEWTON, chord, foot_between, inside, newton


class End(NamedTuple):
    """One end of an arc of normals, and what was evaluated there."""

    n: Any
    f: float
    w: Any
    x: Any
    g: float  #: t.w
    k: float


@jit
def narrow(pair, left, right, tolerance, rounding, budget, jets):
    """Contact at a maximum of F between two normals: F rises from one of them, and is lower or falls at the other.

    Returns (normal, foot, F, evaluations); the foot lies on A, and its counterpart on B, to the tolerance.
    """
    used, kind, residual = 0, NEWTON, 1e300
    while True:
        best = left if left.f >= right.f else right
        foot, error = foot_between(best.n, best.f, left.w, left.x, right.w, right.x)
        if error <= tolerance or used >= budget:
            break
        m = best.n
        if kind == NEWTON:
            m = newton(best.n, best.f, best.w, best.k)
        elif kind == CHORD:
            m = chord(left.w, right.w, best.n)
        if not inside(left.n, m, right.n):
            m = unit((left.n[0] + right.n[0], left.n[1] + right.n[1]))
            if not inside(left.n, m, right.n):
                break
        f, w, x, k = evaluate(pair, m, jets)
        used += 1
        g = dot(quarter(m), w)
        if not (kind == NEWTON and abs(g) <= 0.5 * residual):
            kind = CHORD if kind == NEWTON else (MIDDLE if kind == CHORD else NEWTON)
        residual = abs(g)
        # F has a maximum next to the end from which it rises, whatever it does farther on.
        if left.g > 0.0 and (right.g >= 0.0 or left.f >= right.f):
            to_left = g >= 0.0 and f >= left.f - rounding
        else:
            to_left = g > 0.0 or f < right.f - rounding
        if to_left:
            left = End(m, f, w, x, g, k)
        else:
            right = End(m, f, w, x, g, k)
    return best.n, foot, best.f, used


@jit
def follow(pair, n, tolerance, rounding, budget, jets):
    """The local maximum of F near n: (found, F, normal, foot, evaluations)."""
    f, w, x, k = evaluate(pair, n, jets)
    g, step, evaluations = dot(quarter(n), w), 0.1, 1
    left = right = End(n, f, w, x, g, k)
    while evaluations < budget:
        if abs(g) <= 2.0 * rounding:
            return True, f, n, axpy(x, 0.5 * g, quarter(n)), evaluations
        if g > 0.0:
            left = End(n, f, w, x, g, k)
        else:
            right = End(n, f, w, x, g, k)
        if left.g > 0.0 > right.g:
            n, foot, f, used = narrow(pair, left, right, tolerance, rounding, budget - evaluations, jets)
            return True, f, n, foot, evaluations + used
        m = newton(n, f, w, k)
        ahead = cross(n, m)
        if not (ahead * g > 0.0 and abs(ahead) < step):
            m = unit(axpy(n, math.copysign(step, g), quarter(n)))
        n = m
        f, w, x, k = evaluate(pair, n, jets)
        g = dot(quarter(n), w)
        evaluations += 1
        step = min(1.5 * step, 0.5)
    return False, f, n, axpy(x, 0.5 * g, quarter(n)), evaluations
