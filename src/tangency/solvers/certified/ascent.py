"""Local maxima of F: Newton's method where both bodies are smooth, `kink` at edges and corners.

Where F changes little along a curve and much across it, as around the middle of a body of revolution, a long step along
the tangent loses more by leaving the curve than it gains; such a step is accepted or rejected after it has been moved
back to the curve.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...compiled.jit import uncounted
from ...kernels.vectors import add, axpy, dot, frame, norm, scale, sym_mul, unit
from .flat_steps import STIFF, is_settled
from .kink import Climb, climb_kink
from .kink_ascent import climb_parts
from .pair import curvature, evaluate, from_jets, moved, newton_step
from .places import all_radii, has_edge, has_no_curvature, is_flat, is_level
from .separation import is_straight, is_sure

CLIMBING = 60  # maximum number of evaluations of a climb
ACROSS = 3  # maximum number of steps back to a curve
NARROW = 0.05  # maximum ratio of the curvatures of F along and across such a curve


@uncounted
def _back(pair, n, f, w, jets):
    """Newton step from n across the curve: (whether there is such a curve, the new direction)."""
    t, s = frame(n)
    k = curvature(pair, n, jets)
    kt, ks = sym_mul(k, t), sym_mul(k, s)
    half, mixed, mean = 0.5 * (dot(kt, t) - dot(ks, s)), dot(kt, s), 0.5 * (dot(kt, t) + dot(ks, s)) + f
    root = math.hypot(half, mixed)
    if not (mean + root > 0.0 and mean - root < NARROW * (mean + root)):
        return False, n
    angle = 0.5 * math.atan2(mixed, half)
    e = axpy(scale(t, math.cos(angle)), math.sin(angle), s)
    return True, unit(axpy(n, dot(w, e) / (mean + root), e))


class Stop(NamedTuple):
    """End of a climb: the last direction evaluated, and the Newton step from there."""

    found: bool  #: whether it is a maximum, to the tolerance
    close: bool  #: whether the step, not yet made, leads to the maximum and needs no evaluation
    normal: Any
    value: float  #: F
    w: Any
    point: Any  #: x_A
    step: Any
    gain: float
    shift: Any  #: change of x_A in this step
    evaluations: int


@uncounted
def climb_from(pair, n, lengths, enough, budget, work):
    """Climb from n, whose jets are in `work`, to a local maximum of F or until F > `enough`; for smooth places."""
    size, rounding, tolerance = lengths
    jets, scratch = work.jets, work.scratch
    f, w, x = from_jets(pair, n, jets)
    evaluations, d, gain, shift_a = 0, (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0)
    before, radii = 1e300, (0.0, all_radii(jets))  # residual before the last step, radii before and after it
    while evaluations < budget and f <= enough:
        g = norm(axpy(w, -dot(n, w), n))
        d, gain, shift_a, concave, _ = newton_step(pair, jets, n, f, w)
        sure = (is_sure(before, g, size) and not has_edge(pair, jets)) or g <= rounding
        close = g <= 1e-6 * size and norm(d) < 1e-5 and sure and is_straight(pair, n, d, radii, scratch)
        if not close and is_settled(d, f, size) and is_level(pair, jets, size) and not is_flat(jets, STIFF * size):
            close, d, gain = True, (0.0, 0.0, 0.0), 0.0  # only the points move
        if close and concave and gain <= tolerance:
            return Stop(True, True, n, f, w, x, d, gain, shift_a, evaluations)
        if g <= max(tolerance, rounding) or has_no_curvature(jets, size):
            # Stationary, or a corner against a corner, where Newton steps have no curvature to use.
            found = g <= max(tolerance, rounding) and concave
            return Stop(found, False, n, f, w, x, d, gain, shift_a, evaluations)
        length = 1.0
        accepted = False
        while evaluations < budget and length > 1e-4:
            trial = moved(pair, n, scale(d, length), scratch)
            ft, wt, xt = evaluate(pair, trial, jets)
            evaluations += 1
            gt = norm(axpy(wt, -dot(trial, wt), trial))
            if ft > f + 1e-4 * length * gain or (ft > f - rounding and gt < 0.5 * g):
                accepted = True
                break
            for _ in range(ACROSS):
                narrow, trial = _back(pair, trial, ft, wt, jets)
                if not narrow:
                    break
                ft, wt, xt = evaluate(pair, trial, jets)
                evaluations += 1
                if ft > f + 1e-4 * length * gain:
                    accepted = True
                    break
            if accepted:
                break
            length *= 0.2
        if not accepted:
            break
        n, f, w, x, before = trial, ft, wt, xt, g
        radii = (radii[1], all_radii(jets))
    return Stop(False, False, n, f, w, x, d, gain, shift_a, evaluations)


@uncounted
def climb(pair, n, lengths, budget, work):
    """Climb from n to a local maximum of F; for smooth places."""
    evaluate(pair, n, work.jets)
    stop = climb_from(pair, n, lengths, math.inf, budget - 1, work)
    n, f, w, x, evaluations = stop.normal, stop.value, stop.w, stop.point, stop.evaluations + 1
    if stop.close:
        return Climb(True, f, f + stop.gain, unit(add(n, stop.step)), add(x, stop.shift), evaluations)
    return Climb(stop.found, f, f, n, axpy(x, 0.5, axpy(w, -dot(n, w), n)), evaluations)


@uncounted
def _better(best, other, evaluations, tolerance):
    """The better of two climbs, and the sum of the evaluations."""
    evaluations += other.evaluations
    if other.value > best.value or (other.found and other.value >= best.value - tolerance):
        best = other
    return best, evaluations


@uncounted
def ascend(pair, n, lengths, work):
    """As `climb`, also where the maximum is at a kink."""
    evaluate(pair, n, work.jets)
    evaluations = 1
    if has_edge(pair, work.jets):
        best = climb_parts(pair, n, lengths, work)
        if best.found:
            return best
        n, evaluations = best.normal, best.evaluations
    best = climb(pair, n, lengths, CLIMBING, work)
    evaluations += best.evaluations
    if not best.found:
        best = climb_kink(pair, best.normal, lengths, work)
        evaluations += best.evaluations
    if not best.found:
        # The Newton steps may have led away from the kink.
        best, evaluations = _better(best, climb_kink(pair, n, lengths, work), evaluations, lengths.tolerance)
    if not best.found:
        # They may have been stuck on a flat place that has now been left.
        best, evaluations = _better(
            best, climb(pair, best.normal, lengths, CLIMBING, work), evaluations, lengths.tolerance
        )
    return Climb(best.found, best.value, best.distance, best.normal, best.foot, evaluations)
