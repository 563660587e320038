"""A rattleback.

A slender ellipsoid whose axes of inertia are turned by 0.8 degrees against its own rolls without slipping.  Spun the
wrong way, it starts to rattle, stops and turns back; nothing but the plane touches it, and its energy stays the same.
The numbers are those of Kane and Levinson (1982).
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.spatial.transform import Rotation

import tangency as tg

stone = tg.rolling.RollingBody(
    tg.Ellipsoid([0.2, 0.03, 0.02]),
    mass=1.0,
    inertia=1e-4 * np.array([[2, -0.2, 0], [-0.2, 16, 0], [0, 0, 17]]),
    centre_of_mass=[0, 0, -0.01],
)
start = Rotation.from_euler("xy", [0.5, 0.5], degrees=True)
run = stone.simulate(start, [0, 0, -5.0], 6.0, samples=3001)
turns = run.time[np.flatnonzero(np.diff(np.sign(run.spin)))[0]]
drift = abs(run.energy - run.energy[0]).max() / run.energy[0]
print(f"spin {run.spin[0]:.2f} rad/s, zero at {turns:.2f} s, then up to {run.spin.max():.2f} rad/s")
print(f"friction coefficient required: {run.friction_demand.max():.2f}; energy kept to {drift:.0e}")
other = stone.simulate(start, [0, 0, 5.0], 6.0, samples=3001)

pictures = run.trajectory().snapshots([0.0, 2.5, 2.8], columns=3, width=440, height=300, view=(-60, 30))
canvas = FigureCanvasAgg(pictures)
canvas.draw()
figure, (top, middle, bottom) = plt.subplots(
    3, 1, figsize=(6.6, 6.2), height_ratios=[1.25, 1.2, 1], layout="constrained"
)
top.imshow(np.asarray(canvas.buffer_rgba()))
top.set_axis_off()
middle.axhline(0, color="#8a94a0", linewidth=0.8)
middle.plot(run.time, run.spin, color="#c2185b", label="spun the wrong way")
middle.plot(other.time, other.spin, color="#4c78a8", label="spun the other way")
middle.set_ylabel("spin [rad/s]")
middle.legend(frameon=False, fontsize=9)
up = run.orientation.inv().apply([0, 0, 1])
bottom.plot(run.time, np.degrees(np.arcsin(-up[:, 0])), color="#54a24b", linewidth=0.8, label="pitch")
bottom.plot(run.time, np.degrees(np.arcsin(up[:, 1])), color="#f58518", linewidth=0.8, label="roll")
bottom.set(xlabel="time [s]", ylabel="angle [degrees]")
bottom.legend(frameon=False, fontsize=9)
figure.savefig("rattleback.png")
