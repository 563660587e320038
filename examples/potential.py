"""A shape from its generating potential.

Römer, Fidlin and Seemann describe a convex body by a potential g of the two angles of its normal.  `tg.from_potential`
takes that formula; the boundary point is its gradient.  The lines on the right are normals, drawn every 15 degrees.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg

body = tg.from_potential("a + b*cos(phi)**3 + c*sin(phi)**4*cos(2*theta)", a=0.4, b=0.12, c=0.03)
print(tg.check(body))
c = tg.contact(body, tg.Sphere(0.2), pose_b=(None, [0.5, 0.1, 0.5]))
print(f"distance to a ball {float(c.distance):.12f} m")

phi = np.linspace(0, 2 * np.pi, 721)  # through both poles, in the plane y = 0
n = np.column_stack([np.sin(phi), 0 * phi, np.cos(phi)])
points = body.point(n)

figure, (left, right) = plt.subplots(1, 2, figsize=(6.6, 3.6), layout="constrained")
left.plot(np.degrees(phi), body.support(n), color="#4c78a8")
left.set(xlabel="angle of the normal phi [degrees]", ylabel="potential g [m]", xticks=range(0, 361, 90))
right.fill(points[:, 0], points[:, 2], facecolor="#dfe8f0", edgecolor="#1b2430")
for x, normal in zip(points[::30], n[::30]):
    right.plot(*np.stack([x, x + 0.12 * normal])[:, ::2].T, color="#c2185b", linewidth=1)
right.set(xlabel="x [m]", ylabel="z [m]", aspect="equal")
figure.savefig("potential.png")
