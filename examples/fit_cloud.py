"""Fitting a body to a point cloud.

`tg.fit` finds the body that fits a cloud best, with its pose and standard errors.  The cloud is an egg, scanned from
one side with a noise of 0.1 mm.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg

rng = np.random.default_rng(0)
egg = tg.Ovoid([22e-3, 22e-3, 29e-3], taper_x=[1, 0.12, -0.03, 0], taper_y=[1, 0.12, -0.03, 0])
cloud = egg.point(rng.normal(size=(1500, 3))) + rng.normal(0, 0.1e-3, (1500, 3))
cloud = cloud[cloud[:, 0] < 8e-3]

figure, plots = plt.subplots(1, 2, figsize=(6.6, 4.0), sharey=True, layout="constrained")
for axes, model in zip(plots, ("ellipsoid", "ovoid")):
    found = tg.fit(cloud, model)
    print(f"{model}: {found.status.name}, RMS {1e3 * found.rms:.3f} mm")
    near = np.abs(cloud[:, 1]) < 8e-3  # a slice of the cloud
    x, z, off = 1e3 * np.column_stack([cloud[near][:, ::2], found.residuals[near]]).T
    marks = axes.scatter(x, z, c=off, s=9, cmap="coolwarm", vmin=-0.5, vmax=0.5)
    u = np.linspace(0, 2 * np.pi, 361)
    turn = found.pose.rotation.as_matrix()
    n = np.column_stack([np.cos(u), 0 * u, np.sin(u)])
    axes.plot(*1e3 * found.pose.apply(found.shape.point(n @ turn))[:, ::2].T, color="#1b2430", linewidth=1)
    axes.set(title=f"{model}, RMS {1e3 * found.rms:.2f} mm", xlabel="x [mm]", aspect="equal")
plots[0].set_ylabel("z [mm]")
figure.colorbar(marks, ax=plots, label="signed distance [mm]")
figure.savefig("fit_cloud.png")
