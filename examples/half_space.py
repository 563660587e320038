"""Contact with a plane.

The distance to a half-space follows directly from the support function: one evaluation for any body.  Four
superellipsoids rotate with their centres 1.5 m above the ground; the rounder they are, the less the gap varies.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

ground = tg.HalfSpace([0, 0, 1])
exponents = np.array([0.1, 0.5, 1.0, 1.6])
bodies = tg.Superellipsoid([1, 1, 1], epsilon=np.column_stack([exponents, exponents]))
angles = np.linspace(0, 180, 361)
tilt = Rotation.from_rotvec(np.outer(angles, [0, 1, 0]), degrees=True).as_matrix()

c = tg.contact(ground, bodies, pose_b=(tilt[:, None], [0, 0, 1.5]))
print(f"{c.shape[0]} angles, {c.shape[1]} bodies: {c.distance.size} contacts, {c.evaluations.max()} evaluation each")

figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
for k, exponent in enumerate(exponents):
    axes.plot(angles, c.distance[:, k], label=f"e = {exponent:g}")
axes.set(xlabel="tilt [degrees]", ylabel="gap to the ground [m]", xlim=(0, 180), xticks=range(0, 181, 45))
axes.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
figure.savefig("half_space.png")
