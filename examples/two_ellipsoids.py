"""Two colliding ellipsoids.

Accurate mode takes variable steps and locates every impact.  An elastic collision conserves energy, momentum and
angular momentum; during the impact part of the energy is elastic.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

a = Body("A", tg.Ellipsoid([0.3, 0.15, 0.1]), (None, [0, 0, 0]), density=1000)
b = Body(
    "B",
    tg.Ellipsoid([0.2, 0.1, 0.1]),
    (Rotation.from_euler("z", 0.9), [0.5, 0.12, 0.02]),
    density=1000,
    velocity=[-1, 0, 0],
)
law = Interaction(forces.Hertz(stiffness=1e6))
run = simulate(World([a, b], gravity=[0, 0, 0], interaction=law), 0.4, "accurate", output_interval=1e-3)
energy = run.mechanical_energy
print(f"{len(run.impacts)} impact, energy conserved to {np.ptp(energy) / energy[0]:.0e}")

figure = plt.figure(figsize=(6.6, 4.4), layout="constrained")
axes = figure.subplot_mosaic([["scene", "scene"], ["energy", "spin"]], height_ratios=[1.4, 1])
u = np.linspace(0, 2 * np.pi, 181)
n = np.column_stack([np.cos(u), np.sin(u), 0 * u])
for body, color in ((0, "#4c78a8"), (1, "#f58518")):
    shape = (a, b)[body].shape
    for frame, alpha in ((0, 0.25), (int(1e3 * run.impacts.time[0]), 0.5), (len(run) - 1, 0.9)):
        turn = Rotation.from_quat(run.quaternion[frame, body]).as_matrix()
        silhouette = shape.point(n @ turn) @ turn.T + run.position[frame, body]
        axes["scene"].plot(*silhouette[:, :2].T, color=color, alpha=alpha)
    axes["spin"].plot(run.time, run.angular_velocity[:, body, 2], color=color, label="AB"[body])
axes["scene"].set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes["spin"].set(xlabel="time [s]", ylabel="spin about z [rad/s]")
axes["spin"].legend(frameon=False)
for kind in ("kinetic", "elastic"):
    axes["energy"].plot(run.time, run.energy[kind], label=kind)
axes["energy"].set(xlabel="time [s]", ylabel="energy [J]")
axes["energy"].legend(frameon=False)
figure.savefig("two_ellipsoids.png")
