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
angles = np.arange(0, 121)
turn = Rotation.from_rotvec(np.outer(angles, [0, 0, 1]), degrees=True).as_matrix()
below = 0.6 - tg.contact(floor, body, pose_b=(turn, [0, 0, 0])).distance
above = 0.6 - tg.contact(ceiling, body, pose_b=(turn, [0, 0, 0])).distance
print("width:", (below + above)[::20].round(12).tolist())

u = np.linspace(0, 2 * np.pi, 721)
section = body.point(np.column_stack([np.cos(u), np.sin(u), 0 * u]))
figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.6, 4.4), height_ratios=(5, 6), layout="constrained")
for place, k in enumerate((0, 20, 40, 60)):
    centre = [1.15 * place, below[k], 0]
    top.fill(*(section @ turn[k].T + centre)[:, :2].T, facecolor="#dfe8f0", edgecolor="#4c78a8")
    top.plot(*np.stack([centre, centre + 0.4 * turn[k][:, 0]])[:, :2].T, color="#c2185b")
    top.text(centre[0], 1.06, f"{k}°", ha="center")
for height in (0, 1):
    top.axhline(height, color="#1b2430")
top.set(aspect="equal", ylim=(-0.05, 1.25))
top.axis("off")
bottom.plot(angles, below + above, color="#1b2430", label="distance of the plates")
bottom.plot(angles, below, color="#4c78a8", label="height of the centre")
bottom.set(xlabel="angle [degrees]", ylabel="[m]", xlim=(0, 120), ylim=(0, 1.45))
bottom.legend(frameon=False, ncols=2, loc="upper left")
figure.savefig("formula_shape.png")
