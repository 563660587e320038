"""A shape from a formula.

`tg.from_support` takes the support function as text; SymPy derives the gradient and the Hessian.  This body has
constant width, so the distance between two plates that touch it does not change while it rolls between them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

body = tg.from_support("r*sqrt(nx**2 + ny**2 + nz**2) + s*(nx**3 - 3*nx*ny**2)/(nx**2 + ny**2 + nz**2)", r=0.5, s=0.05)
print(tg.check(body))
floor, ceiling = tg.HalfSpace([0, 1, 0], -0.6), tg.HalfSpace([0, -1, 0], -0.6)
angles = [0, 20, 40, 60]
turn = Rotation.from_rotvec(np.outer(angles, [0, 0, 1]), degrees=True).as_matrix()
below = tg.contact(floor, body, pose_b=(turn, [0, 0, 0])).distance
above = tg.contact(ceiling, body, pose_b=(turn, [0, 0, 0])).distance
print("width:", (1.2 - below - above).round(12).tolist())

u = np.linspace(0, 2 * np.pi, 721)
section = body.point(np.column_stack([np.cos(u), np.sin(u), 0 * u]))
figure, axes = plt.subplots(figsize=(6.6, 3.0), layout="constrained")
for k in range(len(angles)):
    centre = [1.15 * k, -below[k], 0]
    axes.fill(*(section @ turn[k].T + centre)[:, :2].T, facecolor="#dfe8f0", edgecolor="#4c78a8")
    axes.plot(*np.stack([centre, centre + 0.4 * turn[k][:, 0]])[:, :2].T, color="#c2185b")
for height in (-0.6, 0.4):
    axes.axhline(height, color="#1b2430")
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
figure.savefig("formula_shape.png")
