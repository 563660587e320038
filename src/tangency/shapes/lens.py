"""A planar body in space: the body of which it is the section in the plane z = 0.

With the gauge |x|_K of the planar body K, the lens is |x|_K^2 + (z / c)^2 <= 1, an ellipsoid if K is an ellipse.  Its
support function is sqrt(g^2 + c^2 n_z^2), where g is that of K.  It is symmetric about z = 0, so that lenses whose
middle planes coincide touch in that plane, where their contact is the planar one: every product with n_z = 0 is exactly
0, and stays 0.  With c at least as large as K, an overlap is never shallower across the plane than in it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..geometry.moments import Moments
from ..kernels.jet import jet
from .shape import Shape


class Lens(Shape):
    """The body of space whose section in the plane z = 0 is a planar shape.

    Parameters
    ----------
    section : tangency.planar.Shape
        A planar body, or a stack; its origin must lie inside.
    half_thickness : float, optional
        Extent along z in both directions, c [m]; default the size of the section.

    Examples
    --------
    >>> from tangency import planar
    >>> from tangency.shapes.lens import Lens
    >>> Lens(planar.Ellipse([3, 2]), 4.0).point([[1, 0, 0], [0, 0, 1]]).tolist()     # an ellipsoid
    [[3.0, 0.0, 0.0], [0.0, 0.0, 4.0]]
    """

    class Kernel(NamedTuple):
        section: Any
        half_thickness: float

        def jet(self, n):
            c, z = self.half_thickness, n[2]
            square = n[0] * n[0] + n[1] * n[1]
            if square <= 1e-300:
                # The pole: the point is exact; the radii of curvature depend on the direction, any will do.
                g, _, radius = jet(self.section, (1.0, 0.0))
                flat = g * g / (c * abs(z))
                return c * abs(z), (0.0, 0.0, math.copysign(c, z)), (flat, 0.0, 0.0, flat, 0.0, 0.0)
            g, x, radius = jet(self.section, (n[0], n[1]))
            h = math.sqrt(g * g + c * c * z * z)
            i = 1.0 / h
            across = c * c * z * z * i * i * i
            # Hess g = R / |n| t t', with t the direction of (n_x, n_y) turned by 90 degrees
            along = g * i * radius / (square * math.sqrt(square))
            k = -g * c * c * z * i * i * i
            return (
                h,
                (g * x[0] * i, g * x[1] * i, c * c * z * i),
                (
                    x[0] * x[0] * across + along * n[1] * n[1],
                    x[0] * x[1] * across - along * n[0] * n[1],
                    k * x[0],
                    x[1] * x[1] * across + along * n[0] * n[0],
                    k * x[1],
                    c * c * g * g * i * i * i,
                ),
            )

    def __init__(self, section: Any, half_thickness: Any = None) -> None:
        from ..io import validate

        size = np.asarray(section.bounding_radius)
        thick = 1.0 * size if half_thickness is None else validate.array(half_thickness, "half_thickness")
        thick = validate.positive(np.array(thick), "half_thickness")
        angle = np.arange(360) * (np.pi / 180)
        n = np.stack([np.cos(angle), np.sin(angle)], axis=-1).reshape(360, *(1,) * len(section.batch_shape), 2)
        least = section.support(n).min(axis=0)
        if not (least > 1e-3 * size).all():
            raise ValueError(
                "section must contain its origin well inside, but its boundary comes as close as "
                f"{float(np.min(least)):.6g} m: use section.seen_from(section.centroid)"
            )
        self._set(section=section, half_thickness=thick)

    @property
    def section(self) -> Any:
        return self._fields["section"]

    @property
    def half_thickness(self) -> np.ndarray:
        return self._fields["half_thickness"]

    @property
    def smooth(self) -> bool:
        """False: radii of curvature are not continuous at the poles."""
        return False

    @property
    def bounding_radius(self) -> np.ndarray:
        return np.maximum(self.section.bounding_radius, self.half_thickness)

    def moments(self) -> Moments:
        """From those of the section: at the height z it is scaled by sqrt(1 - (z / c)^2)."""
        flat, c = self.section.moments(), self.half_thickness
        area = flat.area
        volume = 4.0 / 3.0 * c * area
        first = 3.0 * np.pi / 8.0 * (c * area)[..., None] * flat.centroid
        second = np.zeros((*np.shape(volume), 3, 3))
        second[..., :2, :2] = 16.0 / 15.0 * c[..., None, None] * flat.second
        second[..., 2, 2] = 4.0 / 15.0 * c**3 * area
        centroid = np.concatenate([first, np.zeros((*np.shape(volume), 1))], axis=-1) / volume[..., None]
        return Moments(volume, centroid, second, np.broadcast_to(flat.error, np.shape(volume)))
