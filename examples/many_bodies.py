"""Many bodies, few close pairs.

1800 bodies of three types make 1.6 million pairs, almost all of them far apart.  Bounding boxes find those that may be
close, and `tg.Bodies` solves only these, whatever their types.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

rng = np.random.default_rng(5)
count, margin = 600, 0.05
kinds = [
    tg.Ellipsoid(rng.uniform(0.1, 0.4, (count, 3))),
    tg.Sphere(rng.uniform(0.1, 0.4, count)),
    tg.Superellipsoid(rng.uniform(0.1, 0.4, (count, 3)), epsilon=(0.4, 0.4)),
]
bodies = tg.Bodies(kinds)
turns, positions = Rotation.random(len(bodies), rng=rng), rng.uniform(0, 12, (len(bodies), 3))

own = [slice(k * count, (k + 1) * count) for k in range(len(kinds))]
boxes = [kind.aabb((turns[part], positions[part])) for kind, part in zip(kinds, own)]
low, high = (np.concatenate(corner) for corner in zip(*boxes))
near = tg.broadphase.overlapping_boxes(low - margin / 2, high + margin / 2)
c = bodies.contact(near, (turns, positions), max_distance=margin)
beyond, overlap = c.status == tg.Status.BEYOND, c.distance < 0
print(f"{len(bodies) * (len(bodies) - 1) // 2} pairs, {len(near)} with overlapping boxes")
close = ~overlap & ~beyond
print(f"{overlap.sum()} overlap, {close.sum()} within {margin} m, {beyond.sum()} proved to be farther apart")

figure, axes = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
layer = positions[:, 2] < 1.5  # the picture shows the lowest layer
axes.plot(*positions[layer][:, :2].T, "o", color="#c3cad2", markersize=4, label="bodies")
for mask, color, name in ((overlap, "#c2185b", "overlap"), (close, "#4c78a8", f"gap below {1e3 * margin:.0f} mm")):
    ends = positions[near[mask & layer[near].all(axis=1)]][:, :, :2]
    axes.plot(*np.insert(ends, 2, np.nan, axis=1).reshape(-1, 2).T, color=color, linewidth=1.8, label=name)
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
figure.legend(*axes.get_legend_handles_labels(), frameon=False, ncols=3, loc="outside upper center")
figure.savefig("many_bodies.png")
