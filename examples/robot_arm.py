"""A path for a robot arm.

Eight ellipsoids cover an arm with six joints.  With three obstacles around it, they make 24 pairs.  SciPy finds the
smoothest path from one posture to another on which all gaps are at least 3 cm, at 20 times that are solved in one call:
first by differences, then with exact derivatives.  `tg.impact` proves that the path is free between these times, too.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_hex
from scipy.interpolate import BSpline
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.interop.optimize import Gaps, Placed
from tangency.scene import Body, Scene
from tangency.viz.raster import Camera
from tangency.viz.shade import render
from tangency.viz.stage import prepare

# The arm: axes of the joints, steps from joint to joint along z [m]; parts with link, height on it and radii
AXES, STEPS = np.eye(3)[[2, 1, 1, 2, 1, 2]], np.array([0.0, 0.4, 0.45, 0.2, 0.22, 0.1])
LINKS, HEIGHTS = np.array([0, 1, 1, 2, 3, 3, 4, 5]), np.array([0.17, 0.11, 0.34, 0.08, 0.05, 0.17, 0.05, 0.12])
WIDTHS, LENGTHS = [0.11, 0.08, 0.07, 0.065, 0.055, 0.05, 0.045], [0.2, 0.16, 0.15, 0.13, 0.11, 0.09, 0.07]
PARTS = [*(tg.Ellipsoid([w, w, h]) for w, h in zip(WIDTHS, LENGTHS)), tg.Ellipsoid([0.09, 0.035, 0.1])]
OBSTACLES = [tg.Ellipsoid([0.3, 0.16, 0.42]), tg.Superellipsoid([0.12, 0.6, 0.1], (0.3, 0.3)), tg.capsule(0.06, 0.7)]
PLACES = np.array([[0.75, 0.0, 0.1], [0.28, 0.0, 0.985], [0.79, 0.43, 0.35]])
START, GOAL = np.array([-0.8, 0.9, 0.9, 0.0, 0.7, 0.0]), np.array([0.95, 0.5, 1.3, 0.0, 0.7, 1.2])  # angles [rad]
# The path: a cubic spline through the space of angles with seven control points, of which the outer two are fixed
SPLINE, COUNT = BSpline([0, 0, 0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1], np.eye(7), 3), 20
BASIS, RATES = (f(np.linspace(0, 1, COUNT)) for f in (SPLINE, SPLINE.derivative()))


def arm(q):
    """Rotations, centres and twists by the angles of the eight parts, for angles q (n, 6)."""
    turn, joint, found = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3)), []
    for axis, step, angle in zip(AXES, STEPS, q.T):
        joint, line = joint + step * turn[:, :, 2], turn @ axis
        turn = turn @ Rotation.from_rotvec(angle[:, None] * axis).as_matrix()
        found.append((turn, joint, line))
    turns, joints, lines = (np.stack(each, axis=1) for each in zip(*found))
    centres = joints[:, LINKS] + HEIGHTS[:, None] * turns[..., 2][:, LINKS]
    moved = np.arange(6)[:, None] <= LINKS[:, None, None]  # a joint turns the links behind it
    angular = np.where(moved, lines[:, None], 0.0)
    linear = np.cross(angular, centres[:, :, None] - joints[:, None])
    return turns[:, LINKS], centres, np.concatenate([linear, angular], axis=-1).swapaxes(-1, -2)


def controls(x):
    return np.vstack([START, x.reshape(5, 6), GOAL])


def motion(x):
    """Poses of all bodies at all times, and their twists by the 30 variables."""
    counter.append(x)
    turns, centres, twists = arm(BASIS @ controls(x))
    twists = np.einsum("nbkj,ni->nbkij", twists, BASIS[:, 1:-1]).reshape(-1, 6, 30)
    poses = np.concatenate([[np.eye(3)] * 3, turns.reshape(-1, 3, 3)]), np.vstack([PLACES, centres.reshape(-1, 3)])
    return Placed(poses, np.concatenate([np.zeros((3, 6, 30)), twists]))


bodies, counter = tg.Bodies([*OBSTACLES, *PARTS * COUNT]), []
gaps = Gaps(bodies, [[i, 3 + k] for k in range(8 * COUNT) for i in range(3)], motion)
straight = (START + np.outer([1 / 12, 0.25, 0.5, 0.75, 11 / 12], GOAL - START)).ravel()
print(f"straight path: overlap of {-100 * gaps(straight).min():.1f} cm")
print("derivatives of {} gaps by {} variables".format(*gaps.jacobian(straight).shape))
evaluations = {}
for name, more in (("differences", {}), ("exact", {"jac": gaps.jacobian})):
    counter.clear()
    began = time.process_time()
    best = minimize(
        lambda x: np.mean((RATES @ controls(x)) ** 2),
        straight,
        jac=lambda x: (RATES.T @ RATES @ controls(x) / (3 * COUNT))[1:-1].ravel(),
        constraints={"type": "ineq", "fun": lambda x: gaps(x) - 0.03, **more},
        method="SLSQP",
    )
    spent = time.process_time() - began
    evaluations[name] = len(counter)
    print(f"{name}: {best.nit} iterations, {len(counter)} evaluations of {24 * COUNT} gaps, {spent:.2f} s")
closest = 100 * gaps(best.x).reshape(-1, 3).min(axis=0)
print(f"smallest gap of each obstacle: {(closest + 0.0).round(2).tolist()} cm")

# Proof: the derivative of a spline is bounded by that of its control points, the speed of a part by those of the joints
slopes = 3 * np.diff(controls(best.x), axis=0) / (SPLINE.t[4:10] - SPLINE.t[1:7])[:, None]
spin, free = abs(slopes).max(axis=0), 0
for k, (part, link) in enumerate(zip(PARTS, LINKS)):
    arms = [STEPS[j + 1 : link + 1].sum() + HEIGHTS[k] for j in range(link + 1)]
    along = tg.BoundedMotion(
        lambda t, k=k: [each[:, k] for each in arm(SPLINE(t) @ controls(best.x))[:2]],
        speed=spin[: link + 1] @ arms,
        angular_speed=spin[: link + 1].sum(),
        vectorized=True,
    )
    hits = [tg.impact(body, part, (None, place), along, 0, 1) for body, place in zip(OBSTACLES, PLACES)]
    free += sum(int(hit.status == tg.ImpactStatus.FREE) for hit in hits)
print(f"{free} of 24 pairs are proved to be free on the whole path")

figure, both = plt.subplots(1, 2, figsize=(8.4, 3.9), layout="constrained")
camera = Camera(np.array([3.4, -2.4, 2.6]), np.array([0.42, 0.05, 0.46]), np.array([0.0, 0, 1]), 0.36)
cases = (straight, "straight line of the angles: overlap (red)"), (best.x, "optimised: gaps of 3 cm and more")
for axes, (x, title) in zip(both, cases):
    turns, centres, _ = arm(BASIS[::3] @ controls(x))
    deepest = gaps(x).reshape(COUNT, 8, 3).min(axis=-1)[::3]
    items = [Body("ground", tg.HalfSpace([0, 0, 1], 0.0))]
    items += [Body(f"obstacle {i}", OBSTACLES[i], (None, PLACES[i]), "#7f8a96") for i in range(3)]
    for n, k in np.ndindex(deepest.shape):
        color = "#c2185b" if deepest[n, k] < 0 else to_hex(plt.cm.YlGnBu(0.25 + 0.1 * n))
        items += [Body(f"{n}, {k}", PARTS[k], (turns[n, k], centres[n, k]), color)] if k or not n else []
    axes.imshow(render(prepare(Scene(tuple(items)), [], 16), camera, 800, 720, "#ffffff")[0])
    tool = arm(SPLINE(np.linspace(0, 1, 99)) @ controls(x))[1][:, 7]
    axes.plot(*camera.project(tool, 800, 720)[0].T, color="#f58518")
    axes.set_axis_off()
    axes.set_title(title, fontsize=11)
figure.savefig("robot_arm.png")
