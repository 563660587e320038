"""From two scans to a hip joint.

The head of a femur and its socket are fitted to noisy scans of parts of their surfaces.  The leg is then bent by 100
degrees under body weight: at every angle the head sinks into the cartilage until Hertz' force carries the load, and the
contact moves over both surfaces.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces

rng = np.random.default_rng(1)
LOAD = 700.0  # [N], upwards
law = forces.Hertz(materials=forces.Material(12e6, 0.42))  # cartilage on both sides


def scan(shape, keep, noise=0.15e-3, count=1500):
    """Noisy points on a part of a surface."""
    n = rng.normal(size=(count, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    points = shape.point(n[keep(n)])
    return points + rng.normal(0, noise, points.shape)


# The neck hides the lower part of the head; the socket is open below.
head_scan = scan(tg.Ellipsoid([23.4e-3, 23.0e-3, 22.6e-3]), lambda n: n[:, 2] > -0.6)
socket_scan = scan(tg.Ellipsoid([24.6e-3, 24.9e-3, 24.4e-3]), lambda n: n[:, 2] > -0.1)
head = tg.fit(head_scan, "ellipsoid")
socket = tg.fit(socket_scan, "ellipsoid")
for name, fit in (("head", head), ("socket", socket)):
    radii = ", ".join(f"{1e3 * value:.2f}" for value in fit.values[:3])
    print(f"{name}: semi-axes {radii} mm, RMS {1e3 * fit.rms:.2f} mm, {fit.status.name}")

cup = tg.Cavity(socket.shape)


def placed(flexion, lift):
    """Pose of the head: bent by `flexion` about x, moved upwards by `lift` [m]."""
    turn = Rotation.from_euler("x", flexion) * head.pose.rotation
    return turn, socket.pose.translation + np.array([0.0, 0.0, lift])


def force(flexion, lift):
    """The contact, and the upward force of the cartilage on the head."""
    c = tg.contact(cup, head.shape, socket.pose, placed(flexion, lift))
    return c, forces.on(c, normal=law).force_b


angles = np.radians(np.linspace(0, 100, 41))
on_cup, on_head, depth = [], [], []
for angle in angles:
    lift = brentq(lambda d, a=angle: force(a, d)[1][2] + LOAD, 0.0, 6e-3, xtol=1e-9)
    c, _ = force(angle, lift)
    turn, place = placed(angle, lift)
    on_cup.append(socket.pose.inv().apply(c.point_a))
    on_head.append(turn.inv().apply(c.point_b - place))
    depth.append(-float(c.distance))
on_cup, on_head, depth = np.array(on_cup), np.array(on_head), np.array(depth)
length = np.linalg.norm(np.diff(on_head, axis=0), axis=1).sum()
print(f"the cartilage gives way by {1e3 * depth.min():.2f} to {1e3 * depth.max():.2f} mm")
print(f"the contact moves {1e3 * length:.0f} mm over the head")

figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4), width_ratios=(5, 4), layout="constrained")
u = np.linspace(0, 2 * np.pi, 361)
n = np.column_stack([0 * u, np.cos(u), np.sin(u)])
upper = n[:, 2] > -0.1
for fit, path, color, part in ((head, on_head, "#4c78a8", slice(None)), (socket, on_cup, "#1b2430", upper)):
    turn = fit.pose.rotation.as_matrix()
    edge = fit.pose.rotation.apply(fit.shape.point(n @ turn))[part]
    left.plot(*1e3 * edge[:, 1:].T, ".", color=color, markersize=1)
    moved = fit.pose.rotation.apply(path)
    left.plot(*1e3 * moved[:, 1:].T, color="#c2185b" if fit is head else "#e8a13a", linewidth=2.5)
left.set(xlabel="y [mm]", ylabel="z [mm]", aspect="equal", title="contact path on head (red) and socket (yellow)")
left.title.set_fontsize(9)
right.plot(np.degrees(angles), 1e3 * depth, color="#c2185b")
right.set(xlabel="flexion [degree]", ylabel="depth in the cartilage [mm]", ylim=(0, None))
figure.savefig("hip_joint.png")
