"""A path between bodies, with exact derivatives.

An ellipsoid passes between three tall obstacles on the shortest path of 16 places.  SciPy gets the gaps as
constraints: once with exact Jacobians (`tangency.interop.optimize.Gaps`), once without, so that it takes differences.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import tangency as tg
from tangency.interop.optimize import Gaps, Placed

STEPS, MARGIN = 16, 0.02
obstacles = [tg.Ellipsoid([0.5, 0.3, 1.0]), tg.Superellipsoid([0.3, 0.5, 1.0], (0.6, 0.6)), tg.capsule(0.25, 1.0)]
middles = np.array([[1.0, 0.15, 0.0], [2.2, -0.4, 0.0], [2.3, 0.75, 0.0]])
mover, start, goal = tg.Ellipsoid([0.25, 0.15, 0.1]), np.array([0.0, 0, 0]), np.array([3.5, 0, 0])
bodies = tg.Bodies([*obstacles, *[mover] * STEPS])
pairs = [[i, 3 + k] for k in range(STEPS) for i in range(3)]
twists = np.zeros((3 + STEPS, 6, 3 * STEPS))
for k in range(STEPS):
    twists[3 + k, :3, 3 * k : 3 * k + 3] = np.eye(3)


def legs(x):
    return np.diff(np.vstack([start, x.reshape(-1, 3), goal]), axis=0)


def slope(x):
    return 2.0 * (legs(x)[:-1] - legs(x)[1:]).ravel()


gaps = Gaps(bodies, pairs, lambda x: Placed((None, np.vstack([middles, x.reshape(-1, 3)])), twists))
line = start + (goal - start) * np.linspace(0, 1, STEPS + 2)[1:-1, None]
first = (line - [0, 0.05, 0]).ravel()
for name, more in (("exact derivatives", {"jac": gaps.jacobian}), ("differences", {})):
    calls = []
    keep = {"type": "ineq", "fun": lambda x, calls=calls: calls.append(1) or gaps(x) - MARGIN, **more}
    found = minimize(lambda x: (legs(x) ** 2).sum(), first, jac=slope, constraints=keep, method="SLSQP")
    print(f"{name}: {len(calls)} evaluations of {len(pairs)} gaps, smallest {gaps(found.x).min():.4f}")

figure, axes = plt.subplots(figsize=(6.6, 4.0), layout="constrained")
n = np.column_stack([np.cos(u := np.linspace(0, 2 * np.pi, 361)), np.sin(u), 0 * u])
for body, middle in zip(obstacles, middles):
    axes.fill(*(body.point(n) + middle)[:, :2].T, facecolor="#dfe8f0", edgecolor="#4c78a8")
path = np.vstack([start, found.x.reshape(-1, 3), goal])
for place in path:
    axes.fill(*(mover.point(n) + place)[:, :2].T, facecolor="#c2185b22", edgecolor="#c2185b", linewidth=0.8)
axes.plot(*path[:, :2].T, ".-", color="#7b1040", linewidth=0.8, markersize=3)
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="section z = 0, in which the path lies")
figure.savefig("path_between_bodies.png")
