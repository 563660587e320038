"""The pictures of the documentation, drawn with the library itself into docs/_static.

python docs/figures.py                   all of them
python docs/figures.py support cores     some of them
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.compiled.jit import jit
from tangency.geometry.moments import spread
from tangency.geometry.pose import draft
from tangency.planar.draw import cam_picture, foot_picture
from tangency.scene import Body, Scene, all_contacts, demo_scene
from tangency.shapes.bounds import half_diagonals
from tangency.solvers.certified.pair import first_normal, place
from tangency.solvers.certified.separation import room_to_work, separate
from tangency.solvers.question import ONE, Side
from tangency.solvers.scales import Scales, scales
from tangency.viz import picture
from tangency.viz.implicit import draw_surface

STATIC = Path(__file__).parent / "_static"
INK, GREY = "#1b2430", "#8a94a0"
BLUE, ORANGE, GREEN, RED, PURPLE = "#4c78a8", "#f58518", "#3f8f4f", "#c2185b", "#8e5ea2"


# ---- helpers ----------------------------------------------------------------------------------------
def directions(angle: np.ndarray) -> np.ndarray:
    """Unit vectors in the plane of the paper, z = 0."""
    return np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)


def outline(shape: tg.Shape, angle: float = 0.0, centre: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """Cross-section at z = 0 of a body with that symmetry plane, turned by `angle` about z."""
    n = directions(np.linspace(0, 2 * np.pi, 1441))
    turn = Rotation.from_euler("z", angle).as_matrix()
    return (shape.point(n @ turn) @ turn.T)[:, :2] + centre


def sheet(axes: Axes) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()


def plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GREY)
    axes.tick_params(colors=INK, length=3)


def arrow(axes: Axes, start: np.ndarray, end: np.ndarray, color: str) -> None:
    style = {"arrowstyle": "-|>,head_width=0.2,head_length=0.45", "lw": 1.6, "color": color, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end[:2], start[:2], arrowprops=style)


def save(figure: Figure, name: str) -> None:
    figure.savefig(STATIC / f"{name}.png", dpi=130, facecolor="white", metadata={"Software": "tangency"})


# ---- the pictures -----------------------------------------------------------------------------------
def demo() -> None:
    """The built-in scene."""
    scene = demo_scene()
    (STATIC / "demo.png").write_bytes(picture(scene, all_contacts(scene), width=1200, height=800))


def support() -> None:
    """A body is its support function: h(n), x(n), the radius of curvature."""
    shape = tg.Superellipsoid([1.5, 1.0, 1.0], epsilon=(1.0, 0.62)) + tg.Ellipsoid([0.1, 0.1, 0.1])
    angle = np.radians(52.0)
    n, t = directions(np.array(angle)), directions(np.array(angle + np.pi / 2))
    h, x = float(shape.support(n)), shape.point(n)
    figure = Figure(figsize=(9.2, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])

    sheet(left)
    edge = outline(shape)
    left.fill(*edge.T, color=BLUE, alpha=0.16, lw=0)
    left.plot(*edge.T, color=BLUE, lw=2)
    line = h * n[:2] + np.outer([-1.45, 1.0], t[:2])
    left.plot(*line.T, color=GREY, lw=1.2)
    left.plot([0, h * n[0]], [0, h * n[1]], color=RED, lw=1.6)
    left.plot([0, x[0]], [0, x[1]], color=INK, lw=1.0, ls=(0, (4, 3)))
    arrow(left, x, x + 0.55 * n, RED)
    left.plot(*x[:2], "o", color=INK, ms=6)
    left.plot(0, 0, "o", color=INK, ms=5)
    left.text(-0.1, -0.2, "origin", color=INK, ha="center")
    left.text(*(0.5 * h * n[:2] + [-0.1, 0.05]), "h(n)", color=RED, ha="right", size=12)
    left.text(x[0] + 0.2, x[1] - 0.06, "x(n) = ∇h(n)", color=INK, size=12)
    left.text(*(x[:2] + 0.6 * n[:2] + [0.05, -0.02]), "n", color=RED, size=12)
    left.text(*(line[1] + [-0.05, 0.1]), "tangent plane  n·x = h(n)", color=GREY, ha="center", size=10)
    left.set(xlim=(-1.75, 2.65), ylim=(-1.2, 1.95))

    plain(right)
    grid = np.linspace(0, 2 * np.pi, 721)
    jet = shape.jet(directions(grid))
    slope = (jet.point * directions(grid + np.pi / 2)).sum(axis=-1)
    degrees = np.degrees(grid)
    right.plot(degrees, jet.support, color=RED, lw=2, label="h")
    right.plot(degrees, slope, color=BLUE, lw=2, label="h′  (x along the tangent)")
    right.plot(np.degrees(angle), h, "o", color=RED)
    right.plot(np.degrees(angle), x @ t, "o", color=BLUE)
    right.axvline(np.degrees(angle), color=GREY, lw=0.8, ls=(0, (4, 3)))
    right.axhline(0, color=GREY, lw=0.8)
    right.set(xticks=range(0, 361, 90), xlim=(0, 360), xlabel="direction of n [degrees]", ylabel="[m]")
    right.set_ylim(-1.15, 2.5)
    right.legend(frameon=False, loc="upper right", ncols=2)
    save(figure, "support")


def cores() -> None:
    """Two bodies overlap, their cores do not: F of bodies and cores differ by a constant."""
    a, b = tg.Ellipsoid([0.8, 0.62, 0.62]), tg.Ellipsoid([0.75, 0.55, 0.55])
    turn, centre = np.radians(35.0), (1.15, 0.42)
    core_a, core_b = (s.offset(-float(s.core_radius)) for s in (a, b))
    c = tg.contact(a, b, None, (Rotation.from_euler("z", turn), [*centre, 0.0]))
    total = float(a.core_radius + b.core_radius)
    figure = Figure(figsize=(9.2, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])

    sheet(left)
    for shape, core, spot, color in (
        (a, core_a, (0.0, (0.0, 0.0)), BLUE),
        (b, core_b, (turn, centre), ORANGE),
    ):
        body, inner = outline(shape, *spot), outline(core, *spot)
        left.fill(*body.T, color=color, alpha=0.14, lw=0)
        left.plot(*body.T, color=color, lw=2)
        left.fill(*inner.T, color=color, alpha=0.35, lw=0)
        left.plot(*inner.T, color=color, lw=1.2, ls=(0, (4, 2)))
    n = c.normal
    inner_a = c.point_a - float(a.core_radius) * n
    inner_b = c.point_b + float(b.core_radius) * n
    left.plot(*np.stack([inner_a, inner_b])[:, :2].T, color=RED, lw=1.4)
    for p, fill in ((inner_a, "white"), (inner_b, "white"), (c.point_a, RED), (c.point_b, RED)):
        left.plot(*p[:2], "o", ms=5.5, color=RED, mfc=fill)
    left.text(-0.55, 0.0, "A", color=BLUE, size=15, ha="center", va="center")
    left.text(1.62, 0.72, "B", color=ORANGE, size=15, ha="center", va="center")
    left.text(
        0.62, -0.78, "filled points: contact between the bodies,\nopen points: between their cores", color=INK, size=9.5
    )
    left.set(xlim=(-0.95, 2.0), ylim=(-0.85, 1.3))

    plain(right)
    grid = np.linspace(-np.pi, np.pi, 1441)
    m = directions(grid)
    back = Rotation.from_euler("z", turn).as_matrix()
    f = m @ [*centre, 0.0] - a.support(m) - b.support(-(m @ back))
    degrees = np.degrees(grid)
    right.axhline(0, color=GREY, lw=0.8)
    right.plot(degrees, f, color=INK, lw=2, label="bodies")
    right.plot(degrees, f + total, color=PURPLE, lw=2, label="cores")
    right.fill_between(degrees, 0, f + total, where=f + total > 0, color=PURPLE, alpha=0.15, lw=0)
    best = np.degrees(np.arctan2(n[1], n[0]))
    right.plot([best, best], [float(c.distance), float(c.distance) + total], color=RED, lw=1.4)
    right.plot(best, float(c.distance), "o", color=RED, ms=6)
    right.plot(best, float(c.distance) + total, "o", color=RED, mfc="white", ms=6)
    leader = {"arrowstyle": "-", "color": RED, "lw": 0.7}
    spot = (best, float(c.distance) + 0.6 * total)
    right.annotate("sum of both\ncore radii", spot, (-165, 0.75), color=RED, size=9.5, arrowprops=leader)
    right.text(best, float(c.distance) - 0.95, f"−depth = −{-float(c.distance):.3f}", color=RED, size=9.5, ha="center")
    right.set(xticks=range(-180, 181, 90), xlim=(-180, 180), xlabel="direction of n [degrees]", ylabel="F(n) [m]")
    right.set_ylim(-3.0, 1.55)
    right.legend(frameon=False, loc="upper right", ncols=2)
    save(figure, "cores")


@jit
def _after(a, b, out):
    """Bounds on the distance of the cores after 1, 2, ... evaluations."""
    placed, work = place(a, b, 0), room_to_work()
    pair, start = placed.pair, first_normal(placed)
    rounding = scales(placed.bounds_a, placed.bounds_b, pair.position, 0.0).rounding
    for k in range(len(out)):
        found = separate(pair, start, Scales(1.0, rounding, 0.0), 1e300, k + 1, work)
        out[k, 0], out[k, 1], out[k, 2] = found.lower, found.upper, found.end


def history(a: tg.Shape, b: tg.Shape, rotation: np.ndarray, position: np.ndarray, count: int) -> np.ndarray:
    """Width of the bounds after each evaluation, in units of the bodies' size."""
    out = np.empty((count, 3))
    size = float(sum(half_diagonals(shape.bounds)[0] for shape in (a, b)))
    poses = (draft(None).poses, draft((rotation, position)).filled())
    bodies = (Side(shape, ONE, pose.rows, ONE).body() for shape, pose in zip((a, b), poses))
    _after(*bodies, out)
    return np.maximum((out[:, 1] - out[:, 0]) / size, 1e-16)


def bounds() -> None:
    """The certificate closes: upper - lower after each evaluation."""
    turn = Rotation.from_euler("ZYX", [0.5, -0.8, 1.1]).as_matrix()
    n = np.array([0.48, 0.60, 0.64])
    n /= np.linalg.norm(n)
    rows = [
        ("ellipsoids, apart", tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([2, 1, 0.5]), 0.5, BLUE, "o"),
        ("ellipsoids, overlap (cores)", tg.Ellipsoid([1.2, 1, 0.8]), tg.Ellipsoid([1, 0.9, 0.7]), -0.3, GREEN, "s"),
        ("ellipsoid and box", tg.Ellipsoid([3, 2, 1]), tg.Box([2, 1, 0.5]), 0.5, ORANGE, "D"),
        (
            "superellipsoids, e = 1.5 (sharp)",
            tg.Superellipsoid([3, 2, 1], (1.5, 1.5)),
            tg.Superellipsoid([2, 1, 0.5], (1.5, 1.5)),
            0.5,
            PURPLE,
            "v",
        ),
        (
            "superellipsoids, e = 0.3, flat on flat",
            tg.Superellipsoid([3, 2, 1], (0.3, 0.3)),
            tg.Superellipsoid([2, 1, 0.5], (0.3, 0.3)),
            0.5,
            RED,
            "^",
        ),
    ]
    figure = Figure(figsize=(8.2, 4.3), layout="constrained")
    axes = figure.subplots()
    plain(axes)
    for name, a, b, gap, color, mark in rows:
        rotation, m = turn, n
        if "flat" in name:
            # Most of such a surface is flat: the normals of its points lie close to the axes.
            m = np.array([1e-3, 2e-3, 1.0])
            m /= np.linalg.norm(m)
            rotation = Rotation.from_euler("ZYX", [0.5, 1e-3, 2e-3]).as_matrix()
        position = a.point(m) + gap * m - rotation @ b.point(-rotation.T @ m)
        width = history(a, b, rotation, position, 40)
        done = int(np.argmax(width < 1e-15)) + 1 if (width < 1e-15).any() else len(width)
        axes.semilogy(np.arange(1, done + 1), width[:done], marker=mark, ms=4.5, lw=1.5, color=color, label=name)
    axes.axhline(1e-12, color=GREY, lw=0.9, ls=(0, (4, 3)))
    axes.text(0.6, 1.5e-12, "default tol", color=GREY, size=9)
    axes.set(xlabel="evaluations of both shapes", ylabel="(upper − lower) / size", ylim=(4e-17, 30), xlim=(0.5, None))
    axes.legend(frameon=False, loc="upper right")
    save(figure, "bounds")


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


def fitting() -> None:
    """A scanned superovoid with one side missing: residuals on the surface, histograms with Gaussians."""
    rng = np.random.default_rng(4)
    body = tg.Superovoid([1, 0.85, 1.3], [2.4, 2.2, 1.9], [1, 0.22, -0.08, 0.0], [1, 0.15, -0.05, 0.02])
    points = body.point(rng.normal(size=(2600, 3)))
    points = points[points @ [0.6, 0.7, -0.4] < 0.62] + 0.0
    points = points + 0.012 * rng.normal(size=points.shape)
    choice = tg.select_model(points, ["sphere", "ellipsoid", "superovoid"], folds=2)
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left = figure.add_subplot(1, 2, 1, projection="3d")
    best = choice.fits["superovoid"]
    marks = left.scatter(*points.T, c=best.residuals, cmap="RdYlBu", vmin=-0.03, vmax=0.03, s=5)
    angle, height = np.meshgrid(np.linspace(0, 2 * np.pi, 37), np.linspace(0, np.pi, 25))
    n = np.stack([np.sin(height) * np.cos(angle), np.sin(height) * np.sin(angle), np.cos(height)], axis=-1)
    surface = best.pose.apply(best.shape.point(n).reshape(-1, 3)).reshape(n.shape)
    left.plot_wireframe(*np.moveaxis(surface, -1, 0), color=GREY, lw=0.4)
    left.set_box_aspect(np.ptp(points, axis=0), zoom=1.4)
    left.set_axis_off()
    figure.colorbar(marks, ax=left, shrink=0.7, label="signed distance from the superovoid [m]")
    right = figure.add_subplot(1, 2, 2)
    plain(right)
    edges = np.linspace(-0.25, 0.25, 81)
    grid = np.linspace(-0.25, 0.25, 801)
    for name, color in (("sphere", RED), ("ellipsoid", GREEN), ("superovoid", INK)):
        residuals = choice.fits[name].residuals
        right.hist(residuals, edges, density=True, color=color, alpha=0.25)
        s = choice.fits[name].statistics
        bell = np.exp(-0.5 * ((grid - s.mu) / s.sigma) ** 2) / (s.sigma * np.sqrt(2 * np.pi))
        right.plot(grid, bell, color=color, lw=1.6, label=f"{name}, RMS {s.rms:.3f} m")
    right.set(xlabel="signed distance [m]", ylabel="density [1/m]", xlim=(-0.25, 0.25))
    right.legend(frameon=False, loc="upper left", fontsize=8)
    save(figure, "fitting")


def fitting_motion() -> None:
    """An egg fitted to a cloud falls on a table, on its end, and tips over: silhouettes."""
    from scipy.spatial import ConvexHull

    from tangency import dynamics, forces

    rng = np.random.default_rng(0)
    egg = tg.Ovoid([22e-3, 22e-3, 29e-3], taper_x=[1, 0.12, -0.03, 0], taper_y=[1, 0.12, -0.03, 0])
    cloud = egg.point(rng.normal(size=(1500, 3))) + rng.normal(0, 0.1e-3, (1500, 3))
    cloud = cloud[cloud[:, 0] < 12e-3]
    found = tg.fit(cloud, "ovoid")
    law = dynamics.Interaction(forces.Flores(stiffness=1e5, restitution=0.3), forces.Tanh(coefficient=0.4, speed=0.05))
    bodies = [
        dynamics.Body("table", tg.HalfSpace([0, 0, 1], -40e-3)),
        dynamics.Body("egg", found.shape, found.pose, density=1050),
    ]
    run = dynamics.simulate(dynamics.World(bodies, interaction=law), 2.0, "fast", step=1e-4)
    turns = Rotation.from_quat(run.quaternion[:, 1])
    surface = found.shape.point(spread(1500))
    axis = turns.as_matrix()[:, :, 2]
    flat = axis[int(np.argmin(np.abs(axis[:, 2])))][:2]  # the direction in which it falls
    aside = flat / np.linalg.norm(flat)
    tilt = np.degrees(np.arccos(axis[:, 2]))
    frames = [0, 4] + [int(np.argmax(tilt > angle)) for angle in (15.0, 45.0, 75.0, 100.0)]
    figure = Figure(figsize=(9.6, 2.4), layout="constrained")
    axes = figure.subplots()
    for k, frame in enumerate(frames):
        points = turns[frame].apply(surface) + run.position[frame, 1]
        side = np.column_stack([points[:, :2] @ aside - run.position[frame, 1, :2] @ aside + 0.075 * k, points[:, 2]])
        edge = side[ConvexHull(side).vertices]
        axes.fill(*edge.T, facecolor=BLUE, alpha=0.25, edgecolor=INK, lw=1.2)
        axes.text(0.075 * k, 0.036, f"{run.time[frame]:.2f} s", ha="center", fontsize=9, color=INK)
    axes.plot([-0.04, 0.075 * (len(frames) - 1) + 0.045], [-0.04, -0.04], color=GREY, lw=1.5)
    sheet(axes)
    save(figure, "fitting_motion")


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


def force_loops() -> None:
    """Force against depth during free impacts, and the actual restitution of each law."""
    forces, stiffness, mass, speed, wanted = tg.forces, 1e8, 1.0, 1.0, 0.5
    exact = forces.CarvalhoMartins(stiffness=stiffness, restitution=wanted)
    laws = [
        ("Hertz", forces.Hertz(stiffness=stiffness), GREY),
        ("Hunt-Crossley", forces.HuntCrossley(stiffness=stiffness, restitution=wanted), BLUE),
        ("Lankarani-Nikravesh", forces.LankaraniNikravesh(stiffness=stiffness, restitution=wanted), GREEN),
        ("Flores et al.", forces.Flores(stiffness=stiffness, restitution=wanted), ORANGE),
        ("Gonthier et al.", forces.Gonthier(stiffness=stiffness, restitution=wanted), PURPLE),
        ("Carvalho-Martins (exact)", exact, RED),
    ]
    figure = Figure(figsize=(9.6, 4.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    plain(left)
    plain(right)
    grid = np.linspace(0.02, 1.0, 99)
    for name, law, color in laws:
        depth, rate, loop = 0.0, speed, [(0.0, 0.0)]
        while depth > 0.0 or rate > 0.0:
            # Leapfrog with a step far below the time of contact.
            rate -= float(law.force(depth, rate, speed)) / mass * 1e-6
            depth += rate * 1e-6
            loop.append((max(depth, 0.0), float(law.force(depth, rate, speed))))
        left.plot(*(np.array(loop) * [1e3, 1e-3]).T, color=color, lw=1.7, label=name)
        if name != "Hertz":
            real = [type(law)(stiffness=1.0, restitution=e).restitution_at(1.0) for e in grid]
            right.plot(grid, real, color=color, lw=1.7)
    left.set(xlabel="depth [mm]", ylabel="force [kN]", xlim=(0, None), ylim=(0, None))
    left.set_title(f"impacts at 1 m/s, prescribed restitution {wanted}", size=10, color=INK)
    right.legend(*left.get_legend_handles_labels(), frameon=False, loc="lower right", fontsize=9)
    right.set(xlabel="prescribed restitution e", ylabel="actual restitution", xlim=(0, 1), ylim=(0, 1))
    right.set_aspect("equal")
    save(figure, "force_loops")


def motion() -> None:
    """Two ellipsoids in a box of five planes: instants, energies and forces."""
    dynamics, walls = tg.dynamics, ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0])
    bodies = [dynamics.Body("floor", tg.HalfSpace([0, 0, 1]))]
    bodies += [dynamics.Body(f"wall {k + 1}", tg.HalfSpace(n, -0.6)) for k, n in enumerate(walls)]
    bodies.append(
        dynamics.Body(
            "I", tg.Ellipsoid([0.3, 0.2, 0.15]), (Rotation.from_euler("y", 0.3), [-0.2, 0.1, 0.9]), velocity=[1, 0.5, 0]
        )
    )
    bodies.append(
        dynamics.Body(
            "II",
            tg.Ellipsoid([0.2, 0.2, 0.1]),
            (Rotation.from_euler("x", 0.5), [0.2, -0.1, 0.5]),
            velocity=[-1, 0.3, 0],
        )
    )
    law = dynamics.Interaction(
        tg.forces.Flores(stiffness=1e6, restitution=0.8), tg.forces.Tanh(coefficient=0.3, speed=0.01)
    )
    world = dynamics.World(bodies, interaction=law)
    run = dynamics.simulate(world, 2.0, "fast", output_interval=0.005, step=1e-4)
    run.snapshots([0, 0.3, 0.4, 0.6, 1.0, 2.0], width=400, height=340).savefig(
        STATIC / "motion.png", metadata={"Software": "tangency"}
    )
    figure = Figure(figsize=(9.6, 5.4), layout="constrained")
    left, right = figure.subfigures(1, 2)
    run.plot_energy(left.subplots())
    run.plot_forces(right.subplots(2, 1, sharex=True))
    save(figure, "motion_plots")


FIGURES: dict[str, Callable[[], None]] = {
    "demo": demo,
    "support": support,
    "cores": cores,
    "bounds": bounds,
    "fitting": fitting,
    "fitting_motion": fitting_motion,
    "planar_foot": planar_foot,
    "planar_cam": planar_cam,
    "ovoids": ovoids,
    "resolution": resolution,
    "implicit": implicit,
    "force_loops": force_loops,
    "motion": motion,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
        print(f"wrote docs/_static/{name}.png")
