"""Forces and motion."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg

from .drawing import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, RED, STATIC, plain, save


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


def rolling() -> None:
    """A rattleback at three instants, its spin in both directions, and the path of the contact point of an egg."""
    inertia = 1e-4 * np.array([[2, -0.2, 0], [-0.2, 16, 0], [0, 0, 17]])
    stone = tg.rolling.RollingBody(
        tg.Ellipsoid([0.2, 0.03, 0.02]), mass=1.0, inertia=inertia, centre_of_mass=[0, 0, -0.01]
    )
    start = Rotation.from_euler("xy", [0.5, 0.5], degrees=True)
    runs = [stone.simulate(start, [0, 0, spin], 20.0, samples=4001) for spin in (-5.0, 5.0)]
    taper = [1, 0.16, -0.03, 0]
    shell = tg.Superovoid([0.021, 0.021, 0.029], [2, 2, 2], taper_x=taper, taper_y=taper)
    egg = tg.rolling.RollingBody(shell, density=1030).simulate(
        Rotation.from_euler("y", 65, degrees=True), [2.0, 14.0, 6.0], 12.0, samples=3001
    )
    canvas = FigureCanvasAgg(
        runs[0].trajectory().snapshots([0.0, 1.5, 2.75], columns=3, width=480, height=260, view=(-60, 30))
    )
    canvas.draw()
    figure = Figure(figsize=(9.6, 6.0), layout="constrained")
    axes = figure.subplot_mosaic([["scene", "scene"], ["spin", "path"]], height_ratios=[1, 1.35], width_ratios=[1.7, 1])
    axes["scene"].imshow(np.asarray(canvas.buffer_rgba()))
    axes["scene"].set_axis_off()
    for run, color, label in zip(runs, (RED, BLUE), ("spun one way", "spun the other way")):
        axes["spin"].plot(run.time, run.spin, color=color, lw=0.9, label=label)
    axes["spin"].axhline(0.0, color=GREY, lw=0.8)
    axes["spin"].set(xlabel="time [s]", ylabel="spin of the rattleback [rad/s]")
    axes["spin"].legend(frameon=False, fontsize=9, loc="upper right")
    axes["path"].plot(*(1e3 * egg.contact[:, :2].T), color=ORANGE, lw=0.8)
    axes["path"].set(xlabel="x [mm]", ylabel="y [mm]", aspect="equal")
    axes["path"].set_title("path of the contact point of an egg", size=10, color=INK)
    plain(axes["spin"])
    plain(axes["path"])
    save(figure, "rolling")
