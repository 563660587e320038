"""Offsets, sums and affine images.

Support functions can be added: an offset adds a ball, a Minkowski sum adds another body.  These and affine images are
shapes like any other, with exact curvature and contact.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg

wedge = tg.Hull([[-1, -0.6, 0], [1, -0.6, 0], [0.2, 0.8, 0], [0, 0, 0.5], [0, 0, -0.5]])
ellipsoid = tg.Ellipsoid([0.6, 0.2, 0.3])
rows = {
    "offset": [wedge, wedge.offset(0.2), wedge.offset(0.4)],
    "Minkowski sum": [wedge, ellipsoid, wedge + ellipsoid],
    "affine image": [wedge.offset(0.2), wedge.offset(0.2).affine([[1, 0.5, 0], [0, 0.6, 0], [0, 0, 1]])],
}
for shape in (shape for shapes in rows.values() for shape in shapes):
    c = tg.contact(shape, tg.Sphere(1.0), pose_b=(None, [3, 1, 0]))
    print(f"volume {float(shape.volume):.4f} m3, distance to a ball {float(c.distance):.6f} m, converged {c.converged}")

u = np.linspace(0, 2 * np.pi, 1441)
n = np.column_stack([np.cos(u), np.sin(u), 0 * u])
figure, plots = plt.subplots(1, 3, figsize=(6.6, 3.0), sharey=True, layout="constrained")
for axes, (title, shapes) in zip(plots, rows.items()):
    for shape, color in zip(shapes, ("#1b2430", "#4c78a8", "#f58518")):
        axes.plot(*shape.point(n)[:, :2].T, color=color)
    axes.set(title=title, xlabel="x [m]", aspect="equal", xlim=(-1.75, 1.75))
plots[0].set_ylabel("y [m]")
figure.savefig("offsets_and_sums.png")
