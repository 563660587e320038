"""Everything broadcasts: the call for one pair answers a hundred thousand."""

import time

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

rng = np.random.default_rng(1)
count = 100_000
a = tg.Ellipsoid(rng.uniform(0.1, 1.0, (count, 3)))
b = tg.Ellipsoid(rng.uniform(0.1, 1.0, (count, 3)))
pose_b = (Rotation.random(count, rng=1), rng.uniform(-6, 6, (count, 3)))

tg.contact(a[:10], b[:10], None, (pose_b[0][:10], pose_b[1][:10]))  # compile before the clock runs
start = time.perf_counter()
c = tg.contact(a, b, pose_b=pose_b)
seconds = time.perf_counter() - start

apart = c.distance > 0
print(f"{count} pairs in {seconds:.2f} s, {seconds / count * 1e9:.0f} ns a pair")
print(f"{apart.sum()} apart, {(~apart).sum()} overlapping, {c.converged.sum()} converged")
print(f"widest bounds of those apart: {(c.upper - c.lower)[apart].max():.1e} m")
print(f"evaluations: mean {c.evaluations.mean():.1f}, largest {c.evaluations.max()}")
