"""A shape for a wanted motion: derivatives by shape parameters.

A cam turns about y under a roller, whose centre should move as a given function of the angle: the gap must vanish at
all angles.  The coefficients of the cam's potential, spherical harmonics of degree 8, follow by the method of Gauss and
Newton, with the derivative of the gap by each of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

angle = np.linspace(0.0, 2 * np.pi, 61)[:-1]
height = 0.04 + 0.004 * np.cos(angle) + 0.0004 * np.cos(2 * angle)  # of the roller's centre [m]
places = np.column_stack([0 * angle, 0 * angle, height])
turns = Rotation.from_rotvec(angle[:, None] * np.array([0.0, 1.0, 0.0]))
roller = tg.Sphere(0.01)

cam = tg.HarmonicShape.from_shape(tg.Sphere(0.03), degree=8)
degree = np.repeat(np.arange(9), 2 * np.arange(9) + 1)
weight = 1.0 / (1.0 + degree * (degree + 1.0)) ** 2  # smooth changes rather than ripples
for step in range(8):
    c = tg.contact(cam, roller, (turns, None), (None, places))
    print(f"step {step}: largest gap {1e6 * abs(c.distance).max():.3f} um")
    if abs(c.distance).max() < 1e-9:
        break
    slope = c.jacobian("distance", "shape_a") * weight
    change = np.linalg.lstsq(slope, c.distance, rcond=1e-9)[0] * weight
    cam = cam.with_parameters(cam.parameters - change)

figure, (left, right) = plt.subplots(1, 2, figsize=(6.6, 3.4), layout="constrained")
n = np.column_stack([np.cos(angle), 0 * angle, np.sin(angle)])
left.fill(*1e3 * cam.point(n)[:, ::2].T, facecolor="#dfe8f0", edgecolor="#4c78a8")
left.fill(*1e3 * (roller.point(n) + places[0])[:, ::2].T, facecolor="white", edgecolor="#c2185b")
left.set(xlabel="x [mm]", ylabel="z [mm]", aspect="equal", title="cam and roller")
right.plot(np.degrees(angle), 1e3 * height, color="#1b2430", label="wanted")
right.plot(np.degrees(angle)[::3], 1e3 * (height - c.distance)[::3], "o", color="#c2185b", markersize=4, label="found")
right.set(xlabel="angle [deg]", ylabel="centre of the roller [mm]")
right.legend()
figure.savefig("cam_by_shape.png")
