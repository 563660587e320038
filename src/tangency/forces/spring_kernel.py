"""Elastic parts of normal laws, F = K depth^n: with a given stiffness, or from Hertz's theory."""

import math
from typing import NamedTuple

from ..compiled.jit import jit
from .ellipse_kernel import elliptic_factor


@jit
def _power(depth, n):
    if n == 1.5:
        return depth * math.sqrt(depth)
    return depth if n == 1.0 else depth**n


@jit
def _hertz(modulus, least, largest, k1, k2):
    """Römer 3-D, Eq. (96): 4/3 E* (k1 k2)^(-1/4); and the ratio of the curvatures, clipped to the limits."""
    low = min(max(min(k1, k2), least), largest)
    high = min(max(max(k1, k2), least), largest)
    return 4.0 / 3.0 * modulus / math.sqrt(math.sqrt(low) * math.sqrt(high)), low / high


class PowerSpring(NamedTuple):
    """Spring with given K and n."""

    stiffness: float
    exponent: float

    def response(self, depth, rate, impact_speed, k1, k2):
        force = self.stiffness * _power(depth, self.exponent)
        return force, force, force * depth / (self.exponent + 1.0)


class MeanSpring(NamedTuple):
    """Spring with K from the geometric mean of the curvatures (Römer 3-D, Eq. 96)."""

    modulus: float
    least: float  # curvatures are clipped to this range [1/m]
    largest: float

    def response(self, depth, rate, impact_speed, k1, k2):
        k, _ = _hertz(self.modulus, self.least, self.largest, k1, k2)
        force = k * _power(depth, 1.5)
        return force, force, force * depth / 2.5


class EllipticSpring(NamedTuple):
    """Spring with K from the true contact ellipse."""

    modulus: float
    least: float
    largest: float

    def response(self, depth, rate, impact_speed, k1, k2):
        k, ratio = _hertz(self.modulus, self.least, self.largest, k1, k2)
        force = k * elliptic_factor(ratio) * _power(depth, 1.5)
        return force, force, force * depth / 2.5
