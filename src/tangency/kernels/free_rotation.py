"""Free rotation of a rigid body: five rotations about its principal axes."""

import math
from typing import Any

from ..compiled.jit import jit, lane_part
from .quaternions import matrix, normalized
from .vectors import mat_t_mul

SHORT = 0.05  # angles below this need five terms of the series of sine and cosine [rad]


def _series(x):
    """Sine and cosine of a short angle, to rounding."""
    y = x * x
    s = x * (1.0 - y * (1.0 / 6.0 - y * (1.0 / 120.0 - y * (1.0 / 5040.0 - y * (1.0 / 362880.0)))))
    return s, 1.0 - y * (0.5 - y * (1.0 / 24.0 - y * (1.0 / 720.0 - y * (1.0 / 40320.0))))


_short = jit(_series)


@jit
def _sine_cosine(x):
    """Both functions of x, to rounding; by their series if x is short, as in one step of a motion."""
    if abs(x) > SHORT:
        return math.sin(x), math.cos(x)
    return _short(x)


def _rotation(compiled: Any, sine_cosine: Any, axes: Any, inward: Any, unit: Any) -> Any:
    """The rotation with functions for single bodies, or for lanes."""

    @compiled
    def about(q, l, axis, angle):
        """Rotate the body about its own axis by `angle`; its angular momentum l, in the body frame, rotates back."""
        s, c = sine_cosine(0.5 * angle)
        u, v = 2.0 * s * c, (c - s) * (c + s)
        x, y, z, w = q
        # The products of q with (s, 0, 0, c), (0, s, 0, c) and (0, 0, s, c).
        if axis == 0:
            return (w * s + x * c, y * c + z * s, z * c - y * s, w * c - x * s), (
                l[0], v * l[1] + u * l[2], v * l[2] - u * l[1],
            )  # fmt: skip
        if axis == 1:
            return (x * c - z * s, w * s + y * c, z * c + x * s, w * c - y * s), (
                v * l[0] - u * l[2], l[1], v * l[2] + u * l[0],
            )  # fmt: skip
        return (x * c + y * s, y * c - x * s, w * s + z * c, w * c - z * s), (
            v * l[0] + u * l[1], v * l[1] - u * l[0], l[2],
        )  # fmt: skip

    @compiled
    def turned(q, momentum, inverse, h):
        """Orientation after the time h of free rotation with the angular momentum `momentum` in the world.

        `inverse` holds the inverse principal moments of inertia; the frame of q is the principal one.  Five
        rotations about principal axes, symmetric in time (Dullweber, Leimkuhler & McLachlan 1997):
        symplectic, second order; the momentum in the world does not change at all.
        """
        l = inward(axes(q), momentum)
        q, l = about(q, l, 0, 0.5 * h * l[0] * inverse[0])
        q, l = about(q, l, 1, 0.5 * h * l[1] * inverse[1])
        q, l = about(q, l, 2, h * l[2] * inverse[2])
        q, l = about(q, l, 1, 0.5 * h * l[1] * inverse[1])
        q, l = about(q, l, 0, 0.5 * h * l[0] * inverse[0])
        return unit(q)

    return turned


turned_freely = _rotation(jit, _sine_cosine, matrix, mat_t_mul, normalized)
#: The same for loops over lanes, if h times the angular velocity is at most 2 SHORT.
turned_little = _rotation(
    lane_part,
    lane_part(_series),
    lane_part(matrix.py_func),
    lane_part(mat_t_mul.py_func),
    lane_part(normalized.py_func),
)
