"""Forces and motion."""

import numpy as np
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
