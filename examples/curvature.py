"""Curvature of a body and of a gap.

A shape gives the principal curvatures at each point of its surface; a contact gives those of both bodies and of the gap
between them, which Hertz's theory needs.  The egg is coloured by its mean curvature.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg

egg = tg.Ovoid([22e-3, 22e-3, 29e-3], taper_x=[1, -0.15, -0.02, 0], taper_y=[1, -0.15, -0.02, 0])
c = tg.contact(tg.HalfSpace([0, 0, 1]), egg, pose_b=(None, [0, 0, 30e-3]))
print(f"curvature of the gap under the egg: {c.relative_curvature.values.round(3).tolist()} 1/m")

polar, around = np.meshgrid(np.linspace(0, np.pi, 61), np.linspace(0, 2 * np.pi, 81), indexing="ij")
n = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
mean = egg.curvature(n).values.mean(axis=-1)
points = 1e3 * egg.point(n)

figure = plt.figure(figsize=(6.6, 4.4), layout="constrained")
axes = figure.add_subplot(projection="3d")
shade = plt.Normalize(mean.min(), mean.max())
colors = plt.cm.viridis(shade(mean))
axes.plot_surface(*np.moveaxis(points, -1, 0), rstride=1, cstride=1, facecolors=colors, shade=False)
axes.set(xlabel="x [mm]", ylabel="y [mm]", zlabel="z [mm]", aspect="equal")
figure.colorbar(plt.cm.ScalarMappable(shade), ax=axes, label="mean curvature [1/m]", shrink=0.8, pad=0.12)
figure.savefig("curvature.png")
