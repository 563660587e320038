"""Compile everything built in ahead of time, for the cache and for wheels.

Every function is compiled by calling it once.  Anything not called here is compiled at first use.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from .. import broadphase, dynamics, fitting, forces, implicit, planar, rolling
from ..broadphase.overlapping_boxes import overlapping_boxes
from ..contacts.dispatch import MIN_PAIRS_FOR_LANES
from ..contacts.pair import Pair
from ..contacts.query import contact
from ..contacts.time_of_impact import impact
from ..geometry import orthogonal
from ..interop.lammps.warmup import warm as warm_ranks
from ..io.progress import Progress
from ..motions import Drift
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
from ..solvers import GJK, SOLVERS, Portal

_APART, _INSIDE = (None, [9.0, 0.0, 0.0]), (None, [0.5, 0.0, 0.0])


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
        Segment(1.0),
        *(pointed := [Cylinder(1.0, 1.0), Cone(1.0, 1.0), Hull(np.eye(4, 3))]),
    ]
    made = [capsule(0.5, 1.0), rounded_box([1.0, 1.0, 1.0], 0.5), MinkowskiSum(egg, egg)]
    made += [shape.offset(0.1) for shape in (egg, pill, *pointed)]
    shear = [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    return [*plain, *made, *(Affine(shape, shear) for shape in (ball, egg, pill))]


def _egg_and_pill() -> tuple[Shape, Shape]:
    return Ellipsoid([3.0, 2.0, 1.0]), Superellipsoid([1.0, 1.0, 1.0], epsilon=(0.5, 0.5))


def _shapes() -> None:
    for shape in builtin_shapes():
        shape.aabb()


def _default_solver() -> None:
    egg, pill = _egg_and_pill()
    for pose in (_APART, _INSIDE, np.eye(4), np.stack([np.eye(4)] * 2)):  # single and stacked poses
        contact(egg, pill, None, pose)
        contact(HalfSpace([0, 0, 1]), pill, None, pose)
    contact(egg, pill, Rotation.identity(2))
    Pair(egg, pill)(None, np.eye(4))


def _cavities() -> None:
    for hollow in (Sphere(9.0), Cylinder(9.0, 9.0)):
        contact(Cavity(hollow), _egg_and_pill()[0])


def _lanes() -> None:
    poses, frames = (None, np.full((MIN_PAIRS_FOR_LANES, 3), 9.0)), np.stack([np.eye(4)] * MIN_PAIRS_FOR_LANES)
    for shape in _egg_and_pill():
        for pose in (poses, frames):
            contact(shape, shape, None, pose)
            contact(HalfSpace([0, 0, 1]), shape, None, pose)


def _derivatives() -> None:
    for shape in (*_egg_and_pill(), Box([1.0, 1.0, 1.0])):
        c = contact(Ellipsoid([3.0, 2.0, 1.0]), shape, None, _APART)
        c.rates()
        c.hessian()
        for by in ("pose_b", "shape_a"):
            c.jacobian("distance", by)
            c.jacobian("normal", by)
        _ = c.differentiable, c.curvature_a, shape.curvature([0.0, 0.0, 1.0])
    contact(shape, shape, None, (None, [1.9, 0.1, 0.2]))  # faces: normal and points are refined


def _methods() -> None:
    egg, pill = _egg_and_pill()
    for solver in SOLVERS.values():
        if not isinstance(solver, GJK | Portal):  # not compiled
            contact(egg, pill, None, _APART, solver=solver)


def _impacts() -> None:
    egg, pill = _egg_and_pill()
    for body in (egg, HalfSpace([-1, 0, 0])):
        _ = impact(body, pill, None, Drift(_APART, [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), 0.0, 10.0).contact


def _implicit_surfaces() -> None:
    bowl = implicit.elliptic_paraboloid([1, 1]).patch([-2, -2, -1], [2, 2, 3])
    for shape in (Sphere(1.0), *_egg_and_pill()):
        implicit.contact(bowl, shape, pose_b=(None, [0, 0, -9]))


def _proximity() -> None:
    egg, low = _egg_and_pill()[0], np.zeros((2, 3))
    for ask in (
        broadphase.ellipsoids,
        broadphase.characteristic_quartic,
        broadphase.boxes_apart,
        broadphase.spheres_apart,
    ):
        ask(egg, egg, None, _APART)
    overlapping_boxes(low, low + 1.0)
    broadphase.pairs(egg)
    for make in (
        orthogonal.householder,
        orthogonal.eberly,
        orthogonal.square_plate,
        orthogonal.projection_matrix,
        orthogonal.branch_free,
    ):
        make([0.0, 0.0, 1.0])


def _fits() -> None:
    cloud = Ellipsoid([1.0, 0.9, 0.8]).point(np.random.default_rng(0).normal(size=(60, 3)))
    for model in ("sphere", "ellipsoid", "superellipsoid", "power_ellipsoid", "ovoid", "superovoid"):
        fitting.fit(cloud, model)
    HarmonicShape.from_shape(Sphere(1.0), 2)


def _renderer() -> None:
    from ..viz.shade import warm_renderer

    warm_renderer()


Steps = dict[str, Callable[[], object]]

#: Steps in two parts that take about as long, for two processes.  Functions that share much code are in the same part:
#: what one process has compiled, it does not compile again inside another function.
PARTS: tuple[Steps, Steps] = (
    {
        "the default solver (the longest step)": _default_solver,
        "the loops of the simulation": dynamics.warm,
        "the steps inside LAMMPS": warm_ranks,
        "times of impact": _impacts,
        "cavities": _cavities,
    },
    {
        "the built-in shapes": _shapes,
        "the planar solver and shapes": planar.warm,
        "the force laws": forces.warm,
        "the broad phase": _proximity,
        "rolling bodies": rolling.warm,
        "the renderer": _renderer,
        "the vectorised loops for stacks": _lanes,
        "implicit surfaces": _implicit_surfaces,
        "derivatives": _derivatives,
        "the methods of the papers": _methods,
        "fits": _fits,
    },
)


def warm(progress: Progress) -> None:
    """Compile everything in this process."""
    steps = PARTS[0] | PARTS[1]
    for k, (text, step) in enumerate(steps.items(), 1):
        progress.step(f"compiling, {k} of {len(steps)}: {text}")
        step()
