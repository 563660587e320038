"""Pressure between two bodies.

From the curvatures of the gap and a load, Hertz's theory gives the contact ellipse, the approach of the bodies and the
pressure.  Two steel ellipsoids are pressed together, with their long axes crossed at 30 degrees.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces

steel = forces.Material(young=210e9, poisson=0.3)
a, b, load = tg.Ellipsoid([0.10, 0.02, 0.02]), tg.Ellipsoid([0.10, 0.02, 0.02]), 2000.0
c = tg.contact(a, b, pose_b=(Rotation.from_euler("z", 30, degrees=True), [0, 0, 0.04]))
gap = c.relative_curvature
ellipse = forces.contact_ellipse(load, gap, forces.effective_modulus(steel))
long, short = 1e3 * ellipse.semi_axes
print(f"semi-axes {long:.4f} and {short:.4f} mm, approach {1e6 * ellipse.approach:.2f} um")
print(f"peak pressure {1e-9 * ellipse.peak_pressure:.3f} GPa")

# The long axis lies along the direction of the smaller curvature, the second one.
axis = gap.directions[1, :2]
x, y = np.meshgrid(np.linspace(-2.2, 2.2, 661), np.linspace(-1.5, 1.5, 451))
along, across = x * axis[0] + y * axis[1], y * axis[0] - x * axis[1]
inside = np.maximum(1 - (along / long) ** 2 - (across / short) ** 2, 0)
pressure = np.where(inside > 0, 1e-9 * ellipse.peak_pressure * np.sqrt(inside), np.nan)

figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
shown = axes.pcolormesh(x, y, pressure, cmap="magma_r", vmin=0)
for angle, name in ((0, "axis of A"), (30, "axis of B")):
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    axes.plot(*np.outer(direction, [-2, 2]), color="#8a94a0", linestyle="--", linewidth=1)
    axes.annotate(name, 2.0 * direction, xytext=(0, 5), textcoords="offset points", ha="right", color="#5b6673")
axes.set(xlabel="x [mm]", ylabel="y [mm]", aspect="equal", title=f"load {load:.0f} N")
figure.colorbar(shown, label="pressure [GPa]", shrink=0.8)
figure.savefig("contact_ellipse.png")
