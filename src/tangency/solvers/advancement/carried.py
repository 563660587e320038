"""Directions that turn at a constant rate, as the normal of a face or of a plane does with its body.

Let n turn with the angular velocity s, a constant vector of the world.  Seen from a body with angular velocity o, the
direction m = R'n has the second derivative R'[(s - o) x ((s - o) x n) + (s x o) x n], at most

    c = |s - o|^2 + |s x o|,

which vanishes if n turns with the body.  So m differs from its chord (1 - q) m0 + q m1, q = t / T, by a vector of at
most q (1 - q) / 2 T^2 c, and as a support function is subadditive and at most rho times the length of its argument,
with rho the largest distance of a point of the body from its reference point,

    h(m) <= (1 - q) h(m0) + q h(m1) + q (1 - q) / 2 T^2 c rho.

The distance n.r of the reference points is above its chord by at least -q (1 - q) / 2 T^2 times an upper bound on its
second derivative n''.r + 2 n'.r' + n.r'', where |n'| = |s x n| and |n''| = |s| |n'|: the sum of these lengths, or the
value at the beginning and T times a bound on the third derivative.  The latter is mostly negative for a body in front
of a face that turns.  Together they bound F(n(t), t) as for a fixed direction (``step.py``), for every convex body and
an angle of any size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...compiled.jit import jit
from ...kernels.steady_motion import acceleration_of, rotated
from ...kernels.vectors import cross, dot, mat_mul, norm, scale, sub, unit
from .moving_pair import plane_normal
from .turning import core_box

ROUNDED = 1e-9  # rounding errors of a second derivative, in parts of its largest value


@jit
def carried_to(moving, n, spin, begin, time):
    """The direction at `time` of one that is n at `begin` and turns with the angular velocity `spin`."""
    if moving.is_plane:
        return plane_normal(moving, time)
    rate = norm(spin)
    if not rate > 0.0:
        return n
    angle = rate * (time - begin)
    half = math.sin(0.5 * angle)
    return unit(rotated(n, scale(spin, 1.0 / rate), math.sin(angle), 2.0 * half * half))


@jit
def _turns(mover, spin):
    """c rho of a body."""
    own, bounds = mover.segment.spin, mover.bounds
    relative = sub(spin, own)
    square = dot(relative, relative) + norm(cross(spin, own))
    return square * (norm(core_box(bounds)) + norm(bounds.centre))


class _Pace(NamedTuple):
    """Bounds on the derivatives of the position of one reference point as seen from the other."""

    speed: float
    acceleration: float
    jerk: float


@jit
def _pace(moving):
    a, b = moving.a.segment, moving.b.segment
    by_a, by_b = a.screw * norm(cross(a.spin, a.velocity)), b.screw * norm(cross(b.spin, b.velocity))
    jerk = by_a * norm(a.spin) + by_b * norm(b.spin)
    if a.screw == 0.0 and b.screw == 0.0:
        return _Pace(norm(sub(b.velocity, a.velocity)), by_a + by_b, jerk)
    return _Pace(norm(a.velocity) + norm(b.velocity), by_a + by_b, jerk)


@jit
def _bend(moving, seen, spin, time):
    """Upper bound on the second derivative of n.r for up to `time` after a view."""
    speed, acceleration, jerk = _pace(moving)
    a, b = seen.stances
    rate, turn = norm(spin), cross(spin, seen.normal)
    tilt = norm(turn)
    r, velocity = mat_mul(a.turn, seen.pair.position), sub(b.velocity, a.velocity)
    apart = norm(r) + speed * time
    most = acceleration + tilt * (rate * apart + 2.0 * speed)
    now = dot(cross(spin, turn), r) + 2.0 * dot(turn, velocity)
    now += dot(seen.normal, acceleration_of(moving.b.segment, b.velocity))
    now -= dot(seen.normal, acceleration_of(moving.a.segment, a.velocity))
    change = jerk + tilt * (rate * (rate * apart + 3.0 * speed) + 3.0 * acceleration)
    return min(most, now + time * change + ROUNDED * most)


@jit
def carried_growth(moving, seen, spin, time):
    """M / T^2 for a direction that turns for up to `time` after a view."""
    total = _bend(moving, seen, spin, time) + _turns(moving.b, spin)
    return total if moving.is_plane else total + _turns(moving.a, spin)
