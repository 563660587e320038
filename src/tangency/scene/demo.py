"""The built-in scene: seven bodies above a plane, one of them with a user-defined shape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from .. import shapes
from ..shapes.shape import Shape
from .bodies import Body, Scene


class Roller(Shape):
    """Body of constant width with the symmetry of a tetrahedron: h(n) = r |n| + s nx ny nz / |n|^2.

    The second term is odd, so h(n) + h(-n) = 2 r for every unit n: like a sphere, the body can rotate freely between
    two parallel plates.  The class is written like a user-defined shape.

    Parameters
    ----------
    radius : (...) array_like
        Half the width [m], > 0.
    skew : (...) array_like
        s / r, between -1 and 1 (where a radius of curvature becomes zero); 0 is the sphere.

    Examples
    --------
    >>> from tangency.scene import Roller
    >>> roller = Roller(radius=0.5, skew=0.8)
    >>> (roller.support([1, 2, 2]) + roller.support([-1, -2, -2])).round(12).tolist()  # width 1, |n| = 3
    3.0
    """

    class Kernel(NamedTuple):
        radius: float
        skew: float

        def support(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            return self.radius * (q**0.5 + self.skew * x * y * z / q)

        def point(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            r, s = self.radius, self.radius * self.skew
            ball, bend = r / q**0.5, -2.0 * s * x * y * z / (q * q)
            return (
                ball * x + s * y * z / q + bend * x,
                ball * y + s * z * x / q + bend * y,
                ball * z + s * x * y / q + bend * z,
            )

        def hessian(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            p = x * y * z
            r, s = self.radius / q**0.5, self.radius * self.skew / q
            k = 8.0 * p / (q * q)
            return (
                r * (1.0 - x * x / q) + s * (k * x * x - 6.0 * p / q),
                -r * x * y / q + s * (k * x * y + z * (z * z - x * x - y * y) / q),
                -r * x * z / q + s * (k * x * z + y * (y * y - x * x - z * z) / q),
                r * (1.0 - y * y / q) + s * (k * y * y - 6.0 * p / q),
                -r * y * z / q + s * (k * y * z + x * (x * x - y * y - z * z) / q),
                r * (1.0 - z * z / q) + s * (k * z * z - 6.0 * p / q),
            )


def _standing(shape: Shape, x: float, y: float, gap: float, rotation: Rotation) -> tuple[Rotation, list[float]]:
    """Pose of a shape whose lowest point is `gap` above the plane z = 0."""
    low, _ = shape.aabb((rotation, np.zeros(3)))
    return rotation, [x, y, gap - float(low[2])]


def demo_scene() -> Scene:
    """Seven bodies above a plane; some are close, one touches, one pair overlaps."""
    turn = Rotation.from_euler
    ball = shapes.Sphere(0.5)
    egg = shapes.Ellipsoid([0.72, 0.36, 0.30])
    pill = shapes.Superellipsoid([0.5, 0.5, 0.6], epsilon=(0.35, 0.5))
    cushion = shapes.MinkowskiSum(shapes.Ellipsoid([0.5, 0.22, 0.15]), shapes.Ellipsoid([0.12, 0.36, 0.2]))
    roller = Roller(radius=0.45, skew=0.85)
    brick = shapes.rounded_box([0.48, 0.34, 0.24], 0.08)
    rod = shapes.capsule(0.17, 0.5)
    return Scene(
        (
            Body("plane", shapes.HalfSpace([0, 0, 1], 0.0)),
            Body("sphere", ball, _standing(ball, -1.75, -0.25, 0.0, turn("z", 0))),
            Body("ellipsoid", egg, _standing(egg, -0.55, -0.95, 0.02, turn("ZY", [18, -12], degrees=True))),
            Body("superellipsoid", pill, _standing(pill, -0.35, 0.55, 0.0, turn("z", 25, degrees=True))),
            Body("Minkowski sum", cushion, (turn("ZXY", [20, 18, -14], degrees=True), [-1.35, 0.15, 1.45])),
            Body("roller", roller, _standing(roller, 0.85, -0.45, 0.03, turn("ZX", [40, 25], degrees=True))),
            Body("rounded box", brick, (turn("ZYX", [-30, 20, 15], degrees=True), [0.42, 0.15, 1.42])),
            Body("capsule", rod, (turn("ZY", [-12, 54], degrees=True), [1.74, -0.5, 0.68])),
        ),
        title="tangency demo",
    )
