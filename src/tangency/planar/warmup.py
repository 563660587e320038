"""Compile the planar solver and shapes into the cache ahead of use."""

from __future__ import annotations

import numpy as np

from .cam.run import run_cam
from .cam.tappet import CamTappet
from .query import contact
from .shape import Shape
from .shapes import (
    Circle,
    Ellipse,
    Polygon,
    Superellipse,
    foot_shape,
    periodic_spline,
)


def builtin_shapes() -> list[Shape]:
    """One of each built-in planar shape that has formulas to compile."""
    ellipse, phi = Ellipse([3.0, 2.0]), np.arange(12) * np.pi / 6
    triangle = Polygon([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    plain = [Circle(1.0), ellipse, Superellipse([1.0, 1.0], 3.0), triangle, foot_shape(1.0)]
    made = [ellipse.offset(0.1), ellipse + ellipse, ellipse.affine([[1.0, 0.5], [0.0, 1.0]])]
    return [*plain, *made, periodic_spline(phi, np.ones(12)), plain[4].seen_from([0.1, 0.0])]


def warm() -> int:
    """Compile everything; returns the number of shapes compiled."""
    shapes = builtin_shapes()
    for shape in shapes:
        shape.aabb()
    for solver in ("certified", "romer-1"):  # the spatial methods have their own loops
        contact(shapes[0], shapes[1], pose_b=(0.0, [9.0, 0.0]), solver=solver)
    run_cam(CamTappet(), revolutions=0.01)
    return len(shapes)
