"""A block on a slope.

A block with a friction coefficient of 0.5 sticks on slopes up to 26.6 degrees and slides on steeper ones.  The bristle
law sticks without creeping; the dotted lines are g t^2 / 2 (sin - 0.5 cos) of the angle.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

law = Interaction(forces.Flores(stiffness=1e6, restitution=0.6), forces.Bristle(static=0.5, stiffness=1e5, damping=100))
figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
for degrees, color in ((20, "#3f8f4f"), (26, "#4c78a8"), (28, "#f58518"), (32, "#c2185b")):
    angle = np.radians(degrees)
    up, down = np.array([np.sin(angle), 0, np.cos(angle)]), np.array([np.cos(angle), 0, -np.sin(angle)])
    slope = Body("slope", tg.HalfSpace(up))
    block = Body("block", tg.Box([0.1, 0.1, 0.05]), (Rotation.from_euler("y", angle), 0.05 * up), mass=1)
    run = simulate(World([slope, block], interaction=law), 0.5, "fast", step=2e-4)
    slid = (run.position[:, 1] - run.position[0, 1]) @ down
    print(f"{degrees} degrees: {1e3 * slid[-1]:.2f} mm in {run.time[-1]} s")
    axes.plot(run.time, 1e3 * slid, color=color, label=f"{degrees}°")
    pull = 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    axes.plot(run.time, 500 * max(pull, 0) * run.time**2, color="#1b2430", linestyle=":", linewidth=1)
axes.set(xlabel="time [s]", ylabel="displacement down the slope [mm]")
axes.legend(frameon=False, title="slope")
figure.savefig("slope.png")
