"""Bodies fitted to clouds."""

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.geometry.moments import spread

from .drawing import BLUE, GREEN, GREY, INK, RED, plain, save, sheet


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
