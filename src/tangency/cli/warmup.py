"""Compile the default solver and the built-in shapes into the cache, before they are needed."""

from __future__ import annotations

import numpy as np

from .. import dynamics, forces, planar
from ..contacts.dispatch import FEW
from ..contacts.query import contact
from ..io.progress import Progress
from ..shapes import (
    Affine,
    Box,
    Cavity,
    Cone,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HarmonicShape,
    Hull,
    MinkowskiSum,
    Ovoid,
    PowerEllipsoid,
    Segment,
    Sphere,
    SplineShape,
    Superellipsoid,
    capsule,
    rounded_box,
)
from ..shapes.shape import Shape


def builtin_shapes() -> list[Shape]:
    """One of each built-in shape that has formulas to compile."""
    ball, egg = Sphere(1.0), Ellipsoid([3.0, 2.0, 1.0])
    pill = Superellipsoid([1.0, 1.0, 1.0], epsilon=(0.5, 0.5))
    plain = [
        ball,
        egg,
        pill,
        PowerEllipsoid([1.0, 1.0, 1.0], [2.0, 3.0, 4.0]),
        Ovoid([1.0, 1.0, 1.5], [1.0, 0.2, 0.0, 0.0], [1.0, 0.2, 0.0, 0.0]),
        HarmonicShape([1.0]),
        SplineShape.from_shape(ball, 3),
        Box([1.0, 1.0, 1.0]),
        Cylinder(1.0, 1.0),
        Cone(1.0, 1.0),
        Segment(1.0),
        Hull([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]),
    ]
    made = [capsule(0.5, 1.0), rounded_box([1.0, 1.0, 1.0], 0.5), egg.offset(0.1), MinkowskiSum(egg, egg)]
    return [*plain, *made, Affine(egg, [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])]


def warm(progress: Progress) -> int:
    """Compile everything; the number of shapes compiled."""
    shapes = builtin_shapes()
    for k, shape in enumerate(shapes, 1):
        progress.step(f"compiling shape {k} of {len(shapes)}, {type(shape).__name__}")
        shape.aabb()
    progress.step("compiling the default solver (the longest step, once per version)")
    apart, inside = (None, [9.0, 0.0, 0.0]), (None, [0.5, 0.0, 0.0])
    for pose in (apart, inside):
        contact(shapes[1], shapes[2], None, pose)
    contact(HalfSpace([0, 0, 1], 0.0), shapes[1], None, apart)
    progress.step("compiling cavities")
    for hollow in (Sphere(9.0), Cylinder(9.0, 9.0)):
        contact(Cavity(hollow), shapes[1])
    contact(shapes[1], shapes[2], pose_b=np.eye(4))  # single poses go another way
    contact(shapes[1], shapes[2], pose_b=np.stack([np.eye(4)] * 2))
    for k, name in ((1, "ellipsoids"), (2, "superellipsoids")):
        progress.step(f"compiling the packed loops for stacks of {name}")
        contact(shapes[k], shapes[k], None, (None, np.full((FEW, 3), 9.0)))
    contact(HalfSpace([0, 0, 1]), shapes[1], None, (None, np.full((FEW, 3), 9.0)))
    progress.step("compiling distances of points, for fits")
    from ..fitting import fit

    fit(shapes[1].point(np.random.default_rng(0).normal(size=(60, 3))), "ellipsoid")
    progress.step("compiling the planar solver and shapes")
    planar.warm()
    progress.step("compiling the force laws")
    forces.warm()
    progress.step("compiling the loops of the simulation")
    dynamics.warm()
    progress.step("compiling the renderer")
    from ..viz.shade import warm_renderer

    warm_renderer()
    return len(shapes)
