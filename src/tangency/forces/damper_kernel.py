"""Dampers of normal laws, for use with any spring."""

from typing import Any, NamedTuple

from .normal_kernel import respond


class ViscousDamper(NamedTuple):
    """F = elastic + damping rate."""

    spring: Any
    damping: float

    def response(self, depth, rate, impact_speed, k1, k2):
        _, elastic, energy = respond(self.spring, depth, 0.0, impact_speed, k1, k2)
        return elastic + self.damping * rate, elastic, energy


class ImpactDamper(NamedTuple):
    """F = elastic (1 + (ratio / impact speed + fixed) rate)."""

    spring: Any
    ratio: float
    fixed: float  # [s/m]
    slowest: float  # lower limit of the impact speed [m/s]

    def response(self, depth, rate, impact_speed, k1, k2):
        _, elastic, energy = respond(self.spring, depth, 0.0, impact_speed, k1, k2)
        return elastic * (1.0 + (self.ratio / max(impact_speed, self.slowest) + self.fixed) * rate), elastic, energy
