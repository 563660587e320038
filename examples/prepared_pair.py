"""One pair, many queries.

`tg.Pair` prepares two bodies once and then takes a few microseconds per query, for loops over single poses.  Here a
superellipsoid rotates near an ellipsoid; every query is warm-started from the previous one.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg

a, b = tg.Ellipsoid([1.5, 1.0, 1.0]), tg.Superellipsoid([1.2, 0.4, 0.4], epsilon=(1.0, 0.4))
pair = tg.Pair(a, b)
angles = np.linspace(0, np.pi, 361)
pose, last, contacts = np.eye(4), None, []
for angle in angles:
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[:3, 3] = [2.7, 1.2, 0.0]
    last = pair(None, pose, guess=last)
    contacts.append(last)
distance = np.array([float(c.distance) for c in contacts])
evaluations = sum(int(c.evaluations) for c in contacts)
print(f"distance from {distance.min():.4f} to {distance.max():.4f} m")
print(f"{evaluations / len(angles):.1f} evaluations per query")


def outline(shape, angle=0.0, centre=(0.0, 0.0)):
    """Section at z = 0, rotated about z."""
    u = np.linspace(0, 2 * np.pi, 721)
    points = shape.point(np.column_stack([np.cos(u), np.sin(u), 0 * u]))[:, :2]
    return points @ [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]] + centre


figure, (left, right) = plt.subplots(1, 2, width_ratios=[1.6, 1], figsize=(6.6, 3.2), layout="constrained")
left.fill(*outline(a).T, facecolor="#dfe8f0", edgecolor="#1b2430")
right.plot(np.degrees(angles), distance, color="#1b2430")
for k, color in ((20, "#4c78a8"), (150, "#f58518"), (270, "#3f8f4f")):
    left.plot(*outline(b, angles[k], (2.7, 1.2)).T, color=color)
    left.plot(*np.stack([contacts[k].point_a, contacts[k].point_b])[:, :2].T, "o-", color=color, markersize=4)
    right.plot(np.degrees(angles[k]), distance[k], "o", color=color)
left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
right.set(xlabel="angle of B [degrees]", ylabel="distance [m]", ylim=(0, None))
figure.savefig("prepared_pair.png")
