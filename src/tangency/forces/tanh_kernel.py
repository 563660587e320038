"""tanh(x) / x, for forces that oppose a velocity and vanish at rest."""

import math

from ..compiled.jit import jit


@jit
def tanh_over(speed, k):
    """tanh(speed / k) / speed; its limit 1/k at rest (Römer 3-D, Eq. 97, first case)."""
    x = speed / k
    return (1.0 - x * x / 3.0) / k if x < 1e-4 else math.tanh(x) / speed
