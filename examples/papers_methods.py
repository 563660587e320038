"""Methods from the literature, step by step.

The solvers of Römer and Lopes are selected by name; `trace=True` records every step.  Their results are checked: here
`romer-2`, Newton's method, ends at another common normal, and the status says so.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

a, b = tg.Ellipsoid([1.4, 0.8, 0.4]), tg.Ellipsoid([0.3, 1.7, 1.9])
pose_b = (Rotation.from_euler("xy", [0.3, 1.2]), [0.5, 2.0, 1.0])
proved = tg.contact(a, b, pose_b=pose_b)
print(f"default: {float(proved.distance):.12f} m after {int(proved.evaluations)} evaluations")

figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
for name, mark in (("romer-2", "o"), ("romer-3", "s"), ("romer-4", "^"), ("lopes-implicit", "v")):
    c = tg.contact(a, b, pose_b=pose_b, solver=name, trace=True)
    steps = int(c.trace.count)
    status = tg.Status(int(c.status)).name
    print(f"{name}: {status} after {steps} steps, {int(c.evaluations)} evaluations")
    error = np.abs(c.trace.distance[:steps] - proved.distance)
    axes.semilogy(np.arange(1, steps + 1), np.maximum(error, 1e-16), marker=mark, label=f"{name}, {status}")
axes.axhspan(1e-17, float(proved.upper - proved.lower), color="#dfe8f0", label="width of the proved bounds")
axes.set(xlabel="step", ylabel="error of the distance [m]", ylim=(1e-16, 10))
axes.legend(frameon=False)
figure.savefig("papers_methods.png")
