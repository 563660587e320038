"""How two moving bodies A and B move against each other at a point: the rate of their gap, and their slip."""

from typing import Any, NamedTuple

from ..compiled.jit import entry, jit
from .vectors import add, axpy, cross, dot, sub


class RelativeMotion(NamedTuple):
    """Motion of B relative to A at a point of contact."""

    velocity: Any
    rate: float  #: its part along the normal from A to B: the rate of the gap
    slip: Any  #: its part in the tangent plane


@jit
def material_velocity(velocity, omega, arm):
    """Velocity of the point of a body that is at `arm` from its reference point, which moves with `velocity`."""
    return add(velocity, cross(omega, arm))


@jit
def relative_motion(n, v_a, v_b):
    """The motion, from the velocities of both bodies.

    On the line of the common normal n all points of a body have the same velocity along n, and the normal's own
    rotation does not change the gap to first order: so `rate` is that of the distance, at any point of the line
    (envelope theorem).
    """
    velocity = sub(v_b, v_a)
    rate = dot(velocity, n)
    return RelativeMotion(velocity, rate, axpy(velocity, -rate, n))


@entry
def relative_motions(n, arms, twists, rates, slips):
    """`rates` (N,) and `slips` (N, 3) for normals (N, 3), arms (N, 6) of A and B, and their twists (N, 12)."""
    for k in range(rates.size):
        a, w = arms[k], twists[k]
        v_a = material_velocity((w[0], w[1], w[2]), (w[3], w[4], w[5]), (a[0], a[1], a[2]))
        v_b = material_velocity((w[6], w[7], w[8]), (w[9], w[10], w[11]), (a[3], a[4], a[5]))
        found = relative_motion((n[k, 0], n[k, 1], n[k, 2]), v_a, v_b)
        rates[k], slips[k, 0], slips[k, 1], slips[k, 2] = (
            found.rate,
            found.slip[0],
            found.slip[1],
            found.slip[2],
        )
