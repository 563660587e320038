"""Bodies in space and in the plane."""

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.geometry.moments import spread
from tangency.planar.draw import cam_picture, foot_picture
from tangency.scene import Body, Scene, all_contacts, demo_scene
from tangency.viz import picture
from tangency.viz.implicit import draw_surface

from .drawing import BLUE, GREEN, INK, ORANGE, RED, STATIC, plain, save


def demo() -> None:
    """The built-in scene."""
    scene = demo_scene()
    (STATIC / "demo.png").write_bytes(picture(scene, all_contacts(scene), width=1200, height=800))


def planar_foot() -> None:
    """A rocking foot, with its evolute, forces and required friction."""
    shape = tg.planar.foot_shape(0.1)
    run = tg.planar.RollingFoot(shape, centre_of_mass=shape.centroid, friction=0.5).run(alpha=0.35, duration=3.0)
    (STATIC / "planar_foot.png").write_bytes(foot_picture(run))


def planar_cam() -> None:
    """The cam with the paper's parameters: distance, gap and force over three revolutions."""
    (STATIC / "planar_cam.png").write_bytes(cam_picture(tg.planar.run_cam(tg.planar.CamTappet(), 3.0)))


def ovoids() -> None:
    """Tapered bodies and fitted potentials, standing on a plane."""
    upright = Rotation.identity()
    egg = tg.Ovoid([0.4, 0.4, 0.55], [1, -0.18, -0.02, 0], [1, -0.18, -0.02, 0])
    bodies = {
        "ovoid": egg,
        "superovoid": tg.Superovoid([0.45, 0.4, 0.5], [4, 3, 2], [1, -0.25, 0, 0], [1, -0.25, -0.1, 0]),
        "tapered superellipsoid": tg.TaperedSuperellipsoid([0.45, 0.45, 0.5], (0.5, 0.4), (-0.35, -0.35)),
        "box in harmonics, degree 10": tg.HarmonicShape.from_shape(tg.Box([0.45, 0.4, 0.45]), 10),
        "capsule in splines, 6 cells": tg.SplineShape.from_shape(tg.capsule(0.25, 0.35), 6),
    }
    placed = [Body("plane", tg.HalfSpace([0, 0, 1], 0.0))]
    for k, (name, shape) in enumerate(bodies.items()):
        low = shape.aabb()[0]
        placed.append(Body(name, shape, (upright, [1.25 * (k - 2), 0.25 * (k % 2), 0.02 - float(low[2])])))
    scene = Scene(tuple(placed), title="tapered bodies and potentials")
    (STATIC / "ovoids.png").write_bytes(picture(scene, all_contacts(scene), width=1200, height=640))


def resolution() -> None:
    """Error against resolution of an ellipsoid's potential."""
    exact, n = tg.Ellipsoid([1.2, 1.0, 0.8]), spread(2000)
    figure = Figure(figsize=(9.2, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    degrees, cells = [2, 4, 8, 12, 16, 20, 24, 28, 32], [4, 6, 8, 12, 16, 20]
    rows = (
        (left, degrees, [tg.HarmonicShape.from_shape(exact, d) for d in degrees], "degree L"),
        (right, cells, [tg.SplineShape.from_shape(exact, c) for c in cells], "cells along an edge"),
    )
    for axes, steps, shapes, label in rows:
        plain(axes)
        gaps = np.array([[np.abs(a - b).max() for a, b in zip(s.jet(n), exact.jet(n))] for s in shapes])
        for k, (name, color, mark) in enumerate((("h", RED, "o"), ("point", BLUE, "s"), ("radii", GREEN, "^"))):
            axes.semilogy(steps, gaps[:, k], marker=mark, ms=4.5, lw=1.5, color=color, label=name)
            if axes is right:
                slope = gaps[-1, k] * (np.array(steps) / steps[-1]) ** (k - 4.0)
                axes.plot(steps, slope, color=color, lw=0.9, ls=(0, (4, 3)))
        axes.set(xlabel=label, ylabel="largest error [m]")
        axes.legend(frameon=False)
    right.set_xscale("log")
    right.set_xticks(cells, [str(c) for c in cells])
    right.minorticks_off()
    left.set_title("spherical harmonics: spectral", size=10)
    right.set_title("splines; dashed: orders 4, 3, 2", size=10)
    save(figure, "resolution")


def implicit() -> None:
    """The implicit surfaces of Lopes' papers."""
    surfaces = tg.implicit
    rows = [
        ("hyperboloid, one sheet", surfaces.hyperboloid_one_sheet([1, 1, 1]), 1.6),
        ("hyperboloid, two sheets", surfaces.hyperboloid_two_sheets([1, 1, 0.7]), 2.0),
        ("elliptic paraboloid", surfaces.elliptic_paraboloid([1, 1]), 1.4),
        ("hyperbolic paraboloid", surfaces.hyperbolic_paraboloid([1, 1]), 1.3),
        ("superellipsoid", surfaces.Superquadric([1, 1, 1.3], [4, 4]), 1.0),
        ("superhyperboloid, one sheet", surfaces.Superquadric([1, 1, 1], [3, 4], (1, 1, -1)), 1.5),
        ("superhyperboloid, two sheets", surfaces.Superquadric([0.7, 1, 1], [3, 3], (1, -1, -1)), 2.0),
        ("supertoroid", surfaces.Supertoroid([1, 1, 1.2], [4, 4], 2.5), 1.0),
    ]
    figure = Figure(figsize=(10.4, 5.6), layout="constrained")
    for k, (name, surface, reach) in enumerate(rows):
        axes = figure.add_subplot(2, 4, k + 1, projection="3d")
        draw_surface(axes, surface, reach, count=40, color=BLUE if k < 4 else ORANGE)
        axes.set_title(name, color=INK, size=10, y=0.98)
        axes.view_init(22, -55)
    save(figure, "implicit")
