"""Time of impact.

A bullet flies through the plane in which a blade spins.  `tg.impact` proves when it hits first; sampling the distance
at ten times sees nothing.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

blade, bullet = tg.Ellipsoid([1.0, 0.12, 0.05]), tg.Sphere(0.04)
spin = tg.Drift(angular_velocity=[0, 0, 5.0])  # [rad/s]
flight = tg.Drift((None, [-3.0, 0.45, 0.0]), velocity=[9.0, 0.0, 0.0])
hit = tg.impact(blade, bullet, spin, flight, 0.0, 0.7)
print(f"first contact at {hit.time:.9f} s: {tg.ImpactStatus(int(hit.status)).name}")
print(f"proved within {hit.upper - hit.lower:.1e} s, by {int(hit.evaluations)} evaluations of both shapes")

times = np.linspace(0.0, 0.7, 1401)
distance = tg.contact(blade, bullet, spin.pose(times), flight.pose(times)).distance
samples = np.linspace(0.0, 0.7, 10)
seen = tg.contact(blade, bullet, spin.pose(samples), flight.pose(samples)).distance
print(f"smallest distance at ten sampled times: {seen.min():.3f} m, between them {distance.min():.3f} m")


def outline(time):
    """Section of the blade at z = 0."""
    u = np.linspace(0, 2 * np.pi, 361)
    points = blade.point(np.column_stack([np.cos(u), np.sin(u), 0 * u]))
    return Rotation.from_matrix(spin.pose(time)[0]).apply(points)[:, :2]


figure, (left, right) = plt.subplots(1, 2, figsize=(6.8, 3.0), layout="constrained")
for part in np.linspace(0.0, 1.0, 6):
    time = part * float(hit.time)
    color = plt.cm.Blues(0.25 + 0.7 * part)
    left.plot(*outline(time).T, color=color, linewidth=1)
    left.add_patch(plt.Circle(flight.pose(time)[1][:2], 0.04, color=color))
left.plot(*hit.contact.point_a[:2], "o", color="#f58518", markersize=4)
left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", xlim=(-3.1, 1.2), ylim=(-1.1, 1.1))
right.axhline(0, color="#b0b7c0", linewidth=1)
right.plot(times, distance, color="#1b2430", label="distance")
right.plot(samples, seen, "s", color="#4c78a8", markersize=4, label="ten samples")
right.plot(float(hit.time), 0, "o", color="#f58518", label="first contact")
right.set(xlabel="time [s]", ylabel="distance [m]", ylim=(-0.7, 1.5))
right.legend(frameon=False, fontsize=8, loc="lower right")
figure.savefig("time_of_impact.png")
