"""Implicit surfaces.

A surface f(x) = 0 need be neither closed nor convex.  `tg.implicit.contact` finds a common normal of two surfaces and
classifies it.  Here, for a ball near the waist of a hyperboloid, it is a local minimum of the distance.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg
from tangency.viz.implicit import draw_surface

tower = tg.implicit.hyperboloid_one_sheet([1.0, 1.0, 1.5]).patch([-2, -2, -1.8], [2, 2, 1.8])
ball, centre = tg.Sphere(0.4), np.array([1.2, -1.5, 0.5])
c = tg.implicit.contact(tower, ball, pose_b=(None, centre))
status = tg.implicit.SurfaceStatus(int(c.status))
print(f"{status.name}: distance {float(c.distance):.9f} m, residual {float(c.residual):.0e}")
print(f"curvatures of the hyperboloid {c.curvature_a.values.round(4).tolist()} 1/m")

figure = plt.figure(figsize=(6.6, 4.4), layout="constrained")
axes = figure.add_subplot(projection="3d", computed_zorder=False)
draw_surface(axes, tower, 1.8, count=40, color="#9dbad8")
u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 33), np.linspace(0, np.pi, 17))
n = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], axis=-1)
axes.plot_surface(*np.moveaxis(ball.point(n) + centre, -1, 0), color="#f58518")
axes.plot(*np.stack([c.point_a, c.point_b]).T, "o-", color="#c2185b", markersize=4)
axes.set_axis_on()
axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
axes.view_init(15, 15)
figure.savefig("implicit_surfaces.png")
