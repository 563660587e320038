"""Convexity where a profile is straight: how much the slopes of the tapers may differ at z = 0.

With g3 > 2 the profile does nothing for convexity at z = 0, and there the quadratic inequality of
``shapes/taper_convexity.py`` has a closed form, for tapers with second derivatives x'' and y'' there:

    |c1x - c1y| <= sqrt((g1 - 1) (-x'')) + sqrt((g2 - 1) (-y'')).

As a wall in this form it is nearly linear in the slopes.  The relative Q of which it is made is not: it says nothing of
the slopes where they are equal, and changes by its own size where the tapers are nearly straight.
"""

from __future__ import annotations

import numpy as np

from ..shapes.taper_convexity import NEAREST
from .parameter_layout import CX, CY, EXPONENTS


def middle_walls(forms: np.ndarray, margin: float, nest: np.ndarray | float = 1.0) -> np.ndarray:
    """How far the difference of the slopes is from its two limits, (bodies, 2): zero where relative Q is `margin`.

    `nest` is kappa of the kernel: e1/e2 for Barr's form, whose tapers are linear, otherwise one.
    """
    g = 2.0 / forms[:, EXPONENTS]
    g1, g2, g3 = g.T
    k1, k2 = 1.0 / (g1 - 1.0), 1.0 / (g2 - 1.0)
    q1, q2 = g1 * k1, g2 * k2
    apart = forms[:, CX] - forms[:, CY]
    round_x, round_y = -2.0 * g1 * forms[:, CX + 1], -2.0 * g2 * forms[:, CY + 1]
    # What is left of the profile's curvature at the lowest height that is tested: not nothing while g3 is close to 2.
    push = nest * g3 * (g3 - 1.0) * NEAREST ** (g3 - 2.0)
    skew = q1 * q2 * apart**2
    size = skew + (1.0 + k1 + k2) * np.sqrt(push**2 + round_x**2 + round_y**2)
    # Q E - margin size = (q1 x + q2 y) (a x + b y) - skew x y - margin size (x + y)^2 for shares x + y = 1
    a, b = push + round_x, push + round_y
    pure = np.sqrt(np.maximum((q1 * a - margin * size) * (q2 * b - margin * size), 0.0))
    most = np.sqrt(np.maximum(2.0 * pure + q1 * b + q2 * a - 2.0 * margin * size, 0.0) / (q1 * q2))
    return np.column_stack([most - apart, most + apart])
