"""Elastoplastic bristle (after Dupont et al. 2002), in compiled code.

The law is passive for any history of load and slip: the elastic part never exceeds the limit, any stretch cut off is
purely plastic, and the damping part uses only the remaining margin.
"""

import math
from typing import NamedTuple

from ..compiled.jit import inside
from ..kernels.elementary import exp
from ..kernels.vectors import add, axpy, dot, norm, scale


@inside
def _limit(self, load, speed):
    """Largest friction force [N], with the Stribeck transition from static to dynamic."""
    if self.static == self.dynamic:
        return load * self.dynamic
    x = speed / self.stribeck_speed
    return load * (self.dynamic + (self.static - self.dynamic) * exp(-x * x))


class BristleKernel(NamedTuple):
    """Parameters as in :class:`~tangency.forces.Bristle`."""

    static: float
    dynamic: float
    stribeck_speed: float
    stiffness: float
    damping: float
    breakaway: float  # fraction of the limit below which it is purely elastic

    def force(self, load, slip, stretch):
        limit = _limit(self, load, norm(slip))
        length = norm(stretch)
        # Without branches: all values are computed, so divisors that do not count are replaced by 1.
        elastic = self.stiffness * length
        some, below, above = length > 0.0, elastic < limit, elastic > limit
        way = length if some else 1.0
        forward = dot(stretch, slip) / way
        x = max(elastic / (limit if below else 1.0) - self.breakaway, 0.0) / (1.0 - self.breakaway)
        give = x * x * (3.0 - 2.0 * x) if below else 1.0
        rate = axpy(slip, -give * forward / way if forward > 0.0 else 0.0, stretch)
        hold = limit / (elastic if above else 1.0) if above else 1.0
        spring = scale(stretch, hold * self.stiffness)
        damper = scale(rate, self.damping)
        # The largest share <= 1 of the damper with |spring + share damper| <= limit.
        total = add(spring, damper)
        dd, sd = dot(damper, damper), dot(spring, damper)
        room = max(limit * limit - dot(spring, spring), 0.0)
        root = math.sqrt(sd * sd + dd * room)
        part = (room if sd > 0.0 else root - sd) / (root + sd if sd > 0.0 else (dd if dd > 0.0 else 1.0))
        share = min(part, 1.0) if dd > 0.0 and dot(total, total) > limit * limit else 1.0
        return scale(axpy(spring, share, damper), -1.0), rate

    def stretch_after(self, load, slip, stretch, dt):
        stretch = axpy(stretch, dt, slip)
        elastic, limit = self.stiffness * norm(stretch), _limit(self, load, norm(slip))
        above = elastic > limit
        return scale(stretch, limit / (elastic if above else 1.0) if above else 1.0)

    def energy(self, stretch):
        return 0.5 * self.stiffness * dot(stretch, stretch)

    def power(self, stretch, rate):
        return self.stiffness * dot(stretch, rate)
