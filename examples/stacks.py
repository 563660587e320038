"""A hundred thousand pairs in one call.

Array parameters make stacks: radii of shape (N, 3) are N ellipsoids, and poses broadcast against them.  The result
holds one distance, normal and status per pair.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

rng = np.random.default_rng(1)
count = 100_000
a = tg.Ellipsoid(rng.uniform(0.1, 1.0, (count, 3)))
b = tg.Ellipsoid(rng.uniform(0.1, 1.0, (count, 3)))
rotation, position = Rotation.random(count, rng=rng), rng.uniform(-3, 3, (count, 3))

tg.contact(a[:10], b[:10], pose_b=(rotation[:10], position[:10]))  # loads the compiled code
start = time.perf_counter()
c = tg.contact(a, b, pose_b=(rotation, position))
seconds = time.perf_counter() - start

apart = c.distance > 0
print(f"{count} pairs in {seconds:.2f} s, {seconds / count * 1e9:.0f} ns per pair")
print(f"{apart.sum()} apart, {(~apart).sum()} overlapping, {c.converged.sum()} converged")
print(f"largest width of the bounds, bodies apart: {(c.upper - c.lower)[apart].max():.1e} m")

figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
bins = np.linspace(-1.5, 4.5, 121)
axes.hist(c.distance[apart], bins, color="#4c78a8", label=f"apart: {apart.sum()}")
axes.hist(c.distance[~apart], bins, color="#c2185b", label=f"overlapping: {(~apart).sum()}")
axes.set(xlabel="signed distance [m]", ylabel="pairs", title="100 000 random pairs of ellipsoids")
axes.legend(frameon=False)
figure.savefig("stacks.png")
