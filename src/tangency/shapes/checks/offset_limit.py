"""Limit of parallel surfaces: minus the smallest principal radius."""

from __future__ import annotations

import numpy as np

from ...geometry.extreme_radii import extreme_radius, flat_stack
from ..shape import Shape, bounded


def offset_limit(shape: Shape) -> np.ndarray:
    """Lower bound of admissible offset distances: minus the smallest principal radius (Römer 3-D, Eq. 50).

    Parameters
    ----------
    shape : Shape
        One body or a stack.

    Returns
    -------
    (...) array
        ``shape.offset(d)`` is convex for d above this limit [m].  It is 0 for bodies with edges or corners, and
        positive if the formulas do not describe a convex body.  Found by sampling and local search; accurate to
        nine digits in tests with aspect ratios up to 10:1.

    Notes
    -----
    The radicand printed in Eq. (50) lacks a term: the smaller root of Eq. (49) is
    ``(s^2 e + g - sqrt((s^2 e - g)^2 + 4 s^2 f^2)) / (2 s^2)``, the smaller principal radius.

    Examples
    --------
    >>> import tangency as tg
    >>> round(float(tg.offset_limit(tg.Ellipsoid([2, 1, 1]))), 9)
    -0.5
    """
    bounded(shape, "shape")
    blocks = flat_stack(shape)
    limit = np.concatenate([-extreme_radius(block, 0)[0] for block in blocks]) if blocks else np.zeros(0)
    return limit.reshape(shape.batch_shape) + 0.0
