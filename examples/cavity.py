"""A head in its socket.

`tg.Cavity` is everything outside a convex body: the wall of a socket, a drum, a bowl.  The distance is the clearance of
a body inside, negative if the body penetrates the wall.  The map shows the clearance for all positions of the head.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg

socket, head = tg.Ellipsoid([28e-3, 26e-3, 25e-3]), tg.Ellipsoid([22e-3, 23e-3, 23e-3])
x, z = np.meshgrid(np.linspace(-8e-3, 8e-3, 41), np.linspace(-5e-3, 5e-3, 27))
positions = np.stack([x, 0 * x, z], axis=-1)
c = tg.contact(tg.Cavity(socket), head, pose_b=(None, positions))
best = np.unravel_index(c.distance.argmax(), c.shape)
print(f"largest clearance {1e3 * c.distance[best]:.3f} mm, at {(1e3 * positions[best]).round(3).tolist()} mm")

place = np.array([3e-3, 0, -1e-3])
here = tg.contact(tg.Cavity(socket), head, pose_b=(None, place))
u = np.linspace(0, 2 * np.pi, 721)
n = np.column_stack([np.cos(u), 0 * u, np.sin(u)])

figure, (left, right) = plt.subplots(1, 2, figsize=(6.6, 3.2), width_ratios=(4, 5), layout="constrained")
left.plot(*1e3 * socket.point(n)[:, ::2].T, color="#1b2430")
left.fill(*1e3 * (head.point(n) + place)[:, ::2].T, facecolor="#dfe8f0", edgecolor="#4c78a8")
left.plot(*1e3 * np.stack([here.point_a, here.point_b])[:, ::2].T, "o-", color="#c2185b", markersize=4)
left.set(xlabel="x [mm]", ylabel="z [mm]", aspect="equal", title=f"clearance {1e3 * here.distance:.2f} mm")
levels = right.contourf(1e3 * x, 1e3 * z, 1e3 * c.distance, np.arange(-4, 2.6, 0.5), cmap="RdBu", vmin=-4, vmax=4)
right.contour(levels, levels=[0], colors="#1b2430")
right.plot(*1e3 * place[::2], "o", color="#c2185b", markersize=4)
right.set(xlabel="centre of the head, x [mm]", ylabel="z [mm]", aspect="equal", title="clearance [mm]")
figure.colorbar(levels, ax=right, shrink=0.6)
figure.savefig("cavity.png")
