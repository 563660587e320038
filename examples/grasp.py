"""A grasp with three fingers.

Three fingertips hold an egg of 400 g.  Whichever of six directions its weight has, each force must lie in the friction
cone about the normal of its contact.  SciPy moves the fingertips over the egg until the largest normal force is as
small as possible.  The Jacobians of the normals and the contact points tell it how the cones follow.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

import tangency as tg
from tangency.scene import Body, Scene
from tangency.viz.raster import Camera
from tangency.viz.shade import render
from tangency.viz.stage import prepare

FRICTION, TAPER = 0.5, [1, 0.25, -0.05, 0]
egg = tg.Superovoid([3.6, 2.8, 5.0], [2, 2, 2], taper_x=TAPER, taper_y=TAPER)  # lengths in cm
tip, middle = tg.Sphere(0.9), egg.moments().centroid
loads = 0.4 * 9.81 * np.vstack([np.eye(3), -np.eye(3)])  # weight along x, y, z, -x, -y, -z [N]
# The 64 variables: places of the tips, their forces on the egg for each load, the largest normal force
PLACE, FORCE, LARGEST = np.arange(9).reshape(3, 3), np.arange(9, 63).reshape(6, 3, 3), 63


def conditions(v):
    """What must be zero, what must not be negative, and their derivatives by the variables."""
    f, c = v[FORCE], tg.contact(egg, tip, None, (None, v[PLACE]))
    by_place = {of: c.jacobian(of, by="pose_b")[..., :3] for of in ("distance", "point_a", "normal")}
    arm, normal = c.point_a - middle, -np.einsum("ia,kia->ki", c.normal, f)
    lever = np.cross(arm[:, None], np.eye(3))
    moved = np.cross(by_place["point_a"].swapaxes(1, 2), f[:, :, None])  # torques, as the contact points move
    gap, force, torque, press, square = (np.zeros((*s, 64)) for s in ((3,), (6, 3), (6, 3), (6, 3), (6, 3)))
    for k, i in np.ndindex(6, 3):  # load, finger
        gap[i, PLACE[i]] = by_place["distance"][i]
        force[k][:, FORCE[k, i]] = np.eye(3)
        torque[k][:, FORCE[k, i]] = lever[i].T
        torque[k][:, PLACE[i]] = moved[k, i].T
        press[k, i, FORCE[k, i]] = -c.normal[i]
        press[k, i, PLACE[i]] = -f[k, i] @ by_place["normal"][i]
        square[k, i, FORCE[k, i]] = 2 * f[k, i]
    steep = 1 + FRICTION**2  # in the cone, the square of the force is at most this times that of its normal part
    zero = [c.distance, f.sum(axis=1) + loads, np.cross(arm, f).sum(axis=1)]
    positive = [normal, steep * normal**2 - (f**2).sum(axis=-1), v[LARGEST] - normal]
    positive_slopes = [press, 2 * steep * normal[..., None] * press - square, np.eye(64)[LARGEST] - press]
    values = [np.concatenate([np.ravel(part) for part in parts]) for parts in (zero, positive)]
    return *values, np.vstack([gap, *force, *torque]), np.concatenate(positive_slopes).reshape(-1, 64)


def hold(v, fixed):
    """Smallest normal force that holds the egg, with the tips where they are or wherever is best."""
    rules = [
        {"type": kind, "fun": lambda v, i=i: conditions(v)[i], "jac": lambda v, i=i: conditions(v)[i + 2]}
        for i, kind in enumerate(("eq", "ineq"))
    ]
    limits = [(a, a) if fixed and k in PLACE else (None, None) for k, a in enumerate(v)]
    unit, more = np.eye(64)[LARGEST], {"maxiter": 300}
    return minimize(lambda v: v @ unit, v, jac=lambda v: unit, bounds=limits, constraints=rules, options=more)


angle = np.radians([20, 130, 250])
n = np.column_stack([np.cos(angle), np.sin(angle), [0.3, 0.25, 0.0]])
n /= np.linalg.norm(n, axis=1)[:, None]
place, arm, grip = egg.point(n) + 0.9 * n, egg.point(n) - middle, -15 * n.ravel()
wrench = np.hstack([np.vstack([np.eye(3), np.cross(a, np.eye(3)).T]) for a in arm])  # forces of the tips to their sum
push = [grip - np.linalg.pinv(wrench) @ (wrench @ grip + [*load, 0, 0, 0]) for load in loads]  # firm and in balance
first = hold(np.concatenate([place.ravel(), *push, [20.0]]), True)
best = hold(first.x, False)
print(f"largest normal force: {first.fun:.3f} N at first, {best.fun:.3f} N after {best.nit} iterations")
at, errors = conditions(first.x), []
for i in (0, 1):
    steps = [(conditions(first.x + e)[i] - conditions(first.x - e)[i]) / 2e-5 for e in 1e-5 * np.eye(64)]
    errors.append(abs(at[i + 2] - np.transpose(steps)).max())
print(f"derivatives agree with differences to {max(errors):.0e}")

figure, both = plt.subplots(1, 2, figsize=(8.4, 4.3), layout="constrained")
camera = Camera(np.array([5.0, -14.0, 27.0]), np.array([0.2, 0, 1.2]), np.array([0.0, 0, 1]), 0.53)
around = np.linspace(0, 2 * np.pi, 61)[:, None]
for axes, found, title in ((both[0], first, "first guess"), (both[1], best, "optimised")):
    c = tg.contact(egg, tip, None, (None, found.x[PLACE]))
    items = [Body("egg", egg, None, "#e8d3b0")]
    items += [Body(f"tip {i}", tip, (None, found.x[PLACE][i]), "#4c78a8") for i in range(3)]
    axes.imshow(render(prepare(Scene(tuple(items)), [], 24), camera, 800, 760, "#ffffff")[0])
    for i in range(3):
        p, t = c.point_a[i], np.linalg.svd(c.normal[i : i + 1])[2][1:]
        rim = p + 4 * (c.normal[i] + FRICTION * (np.cos(around) * t[0] + np.sin(around) * t[1]))
        flat = camera.project(np.vstack([p, rim]), 800, 760)[0]
        axes.fill(*flat[ConvexHull(flat).vertices].T, color="#f58518", alpha=0.25)
        axes.plot(*camera.project(rim, 800, 760)[0].T, color="#f58518", linewidth=0.8)
        for f in found.x[FORCE][:, i]:
            axes.plot(*camera.project(np.array([p, p - 0.6 * f]), 800, 760)[0].T, color="#c2185b", linewidth=1.2)
        axes.plot(*flat[0], "o", color="#1b2430", markersize=3)
    axes.set(xlim=(0, 800), ylim=(760, 0))
    axes.set_axis_off()
    axes.set_title(f"{title}: normal forces up to {found.fun:.1f} N", fontsize=11)
figure.supxlabel("orange: friction cones; red: forces for six directions of the weight", fontsize=9)
figure.savefig("grasp.png")
