"""A rolling ellipsoid.

An ellipsoid rolls down a slope without slipping.  Its support function gives the contact point, the velocity, the
equations of motion and the contact force.  The faster it rolls, the more friction it needs, until it slips.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.spatial.transform import Rotation

import tangency as tg

slope = np.radians(8)
pebble = tg.rolling.RollingBody(
    tg.Ellipsoid([0.12, 0.105, 0.09]), density=2600, normal=[np.sin(slope), 0, np.cos(slope)]
)
start, push = Rotation.from_euler("zx", [0.5, 0.3]), [0.0, 9.0, 0.0]
run = pebble.simulate(start, push, 3.0, friction=0.6, samples=601)
print(run.message)
print(f"normal force {run.normal_force.min():.1f} to {run.normal_force.max():.1f} N")
drift = abs(run.energy - run.energy[0]).max() / run.kinetic_energy.max()
print(f"{run.centre_of_mass[-1, 0]:.2f} m down the slope, energy kept to {drift:.0e}")

times = run.end_time * np.array([0.02, 0.5, 0.98])
pictures = run.trajectory().snapshots(times, columns=3, width=440, height=260, view=(-80, 22))
canvas = FigureCanvasAgg(pictures)
canvas.draw()
figure, axes = plt.subplots(3, 1, figsize=(6.6, 6.2), height_ratios=[1.15, 1, 1], layout="constrained")
axes[0].imshow(np.asarray(canvas.buffer_rgba()))
axes[0].set_axis_off()
axes[1].plot(*run.contact[:, :2].T, color="#c2185b", label="contact point")
axes[1].plot(*run.centre_of_mass[:, :2].T, color="#4c78a8", label="centre")
axes[1].set(xlabel="x [m]", ylabel="y [m]")
axes[1].legend(frameon=False, fontsize=9)
axes[2].plot(run.time, run.friction_demand, color="#f58518")
axes[2].axhline(0.6, color="#8a94a0", linestyle=":")
axes[2].set(xlabel="time [s]", ylabel="friction required")
figure.savefig("rolling_ellipsoid.png")
