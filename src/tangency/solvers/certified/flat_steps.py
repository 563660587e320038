"""Exact normal and contact point at a flat place, where the points of a body move far with its normal.

There the normal tells little about the point, but the point, which is that of the other body, tells the normal.  The
Newton step accounts for both.  It is short if the normal is right, however far apart the points of both bodies are.
"""

from __future__ import annotations

from ...compiled.jit import uncounted
from ...kernels.vectors import add, frame, norm, scale, unit
from .edge_steps import Place
from .pair import evaluate, moved, newton_step
from .places import is_flat, is_level

SETTLED = 1e-13  # Newton step after which normal and points are exact [rad]
STIFF = 1e11  # times the radius of a flat place: its rounding error hides all other radii of curvature
ASIDE = 1e-13  # angle to a normal next to such a place where this is not so [rad]
BESIDE = 1e-11  # Newton step from there that leads back [rad]
STEPS = 6  # maximum number of these steps


@uncounted
def is_settled(step, f, size):
    """Whether a Newton step leads to the common normal and its points without an evaluation."""
    return norm(step) * max(1.0, abs(f) / size) <= SETTLED


@uncounted
def settle_beside(pair, n, lengths, work):
    """Maximum of F at a flat place next to n: (whether it is known, place); evaluated next to n, not at n itself."""
    size = lengths.size
    t, s = frame(n)
    n = unit(add(n, scale(add(t, s), ASIDE)))
    before, used = 1e300, 0
    while True:
        value, w, x = evaluate(pair, n, work.jets)
        used += 1
        turn, _, shift_a, concave, _ = newton_step(pair, work.jets, n, value, w)
        length, stiff = norm(turn) * max(1.0, abs(value) / size), is_flat(work.jets, STIFF * size)
        known = concave and length <= BESIDE and not stiff and is_level(pair, work.jets, size)
        if known or used == STEPS or not length <= 0.5 * before:
            break
        n, before = moved(pair, n, turn, work.scratch), length
        if stiff:
            n, before = unit(add(n, scale(add(t, s), ASIDE))), 1e300
    if known:
        # The step may cross an edge of the other body, where F falls: the normal must prove its own value.
        n, best = moved(pair, n, turn, work.scratch), value
        value, _, _ = evaluate(pair, n, work.jets)
        used, known = used + 1, value >= best - lengths.rounding
    return known, Place(value, n, add(x, shift_a), used, False)
