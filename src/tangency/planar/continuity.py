"""Smoothness of a planar body: Proposition 1 of Römer 3-D, by sampling all normals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.seams import bisect
from ..geometry.seams import largest as most_different
from ..shapes.checks.continuity import FLAT, ZERO
from .radii import direction, extreme_radius, sample_angles
from .shape import Shape, bounded


@dataclass(frozen=True)
class Continuity:
    """Smoothness of one planar body; ``str()`` describes it in words.

    Attributes
    ----------
    order : str
        "G2" (continuous curvature), "G1" (continuous normal) or "G0" (corners, or not convex).
    strictly_convex : bool
        False if the boundary has straight pieces, or if the body is not convex.
    smallest_radius, largest_radius : float
        Extreme radii of curvature [m]; inf at flat places, negative if the body is not convex.
    smallest_angle, largest_angle : float
        Angles phi of the outward normals at which they occur [rad].
    """

    order: str
    strictly_convex: bool
    smallest_radius: float
    smallest_angle: float
    largest_radius: float
    largest_angle: float
    name: str

    def __str__(self) -> str:
        if self.smallest_radius < 0:
            return (
                f"{self.name} is not convex: g + g'' falls to {self.smallest_radius:.6g} m at "
                f"phi = {self.smallest_angle:.4g} (Römer 3-D, Eq. 3)."
            )
        start = {
            "G2": "has continuous curvature (G2)",
            "G1": "has a unique normal everywhere, but its curvature is not continuous and finite (G1)",
            "G0": "has corners, where one point has many normals (G0)",
        }[self.order]
        strict = "is strictly convex" if self.strictly_convex else "has straight pieces"
        text = (
            f"{self.name} {start} and {strict}. Its radius of curvature ranges from {self.smallest_radius:.6g} m at "
            f"phi = {self.smallest_angle:.4g} to {self.largest_radius:.6g} m at phi = {self.largest_angle:.4g}"
        )
        if self.smallest_radius > 0:
            return f"{text}; it can be offset inwards by less than {self.smallest_radius:.6g} m."
        return f"{text}; it cannot be offset inwards."


def continuity(shape: Shape) -> Continuity:
    """Geometric continuity of a planar body according to Proposition 1 of Römer 3-D.

    Parameters
    ----------
    shape : Shape
        A single body.

    Returns
    -------
    Continuity

    Notes
    -----
    Eq. (3), g + g'' > 0, distinguishes corners from a unique normal.  The paper's third statement, G2
    whenever G1, holds for a continuous g''; if g'' jumps where pieces join, the result is G1.
    Jumps are located by bisection between neighbouring samples: numerical evidence, not a proof.

    Examples
    --------
    >>> from tangency import planar
    >>> planar.continuity(planar.Ellipse([2, 1])).order
    'G2'
    >>> print(planar.continuity(planar.Polygon([[0, 0], [1, 0], [0, 1]], radius=0.1)))
    Polygon has a unique normal everywhere, but its curvature is not continuous and finite (G1) and has straight ...
    """
    if bounded(shape, "shape").batch_shape:
        raise ValueError(f"shape must be a single body, got a stack of {shape.batch_shape}: index it")
    smallest, phi_small = (float(v) for v in extreme_radius(shape, 0))
    largest, phi_large = (float(v) for v in extreme_radius(shape, 1))
    n = direction(sample_angles(shape))
    _, x, radius = shape.jet(n)
    size = float(np.linalg.norm(x - x.mean(axis=0), axis=-1).max()) or 1.0
    smallest = 0.0 if abs(smallest) <= ZERO * size else smallest
    largest = largest if largest < FLAT * size else float("inf")

    def point(m: np.ndarray) -> np.ndarray:
        return shape.point(m) / size

    def bend(m: np.ndarray) -> np.ndarray:
        # Bounded and continuous for radii of any sign.
        radius = shape.radius_of_curvature(m)[:, None]
        return radius / (size + np.abs(radius))

    left, right = n, np.roll(n, -1, axis=0)
    straight, broken = (
        bisect(value, left[worst], right[worst]) is not None
        for value in (point, bend)
        for worst in [most_different(np.linalg.norm(value(right) - value(left), axis=-1))]
    )
    dent = smallest < 0.0
    # A zero radius at isolated normals is an infinite curvature; over an arc of normals it is a corner.
    corner = (radius <= ZERO * size).mean() > 1e-2
    if corner or dent:
        order = "G0"
    elif smallest == 0.0 or straight or broken:
        order = "G1"
    else:
        order = "G2"
    strict = not (straight or dent)
    return Continuity(order, strict, smallest, phi_small, largest, phi_large, type(shape).__name__)
