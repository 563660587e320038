"""An arm on joints that lifts an egg.

The arm is a URDF file, its dynamics are Pinocchio's.  The pads of its fingers are superellipsoids, the egg is fitted to
a noisy cloud of points.  The fingers close, and friction with memory carries the egg up and sideways; `run.animate`
makes a page of it.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pinocchio as pin
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, Mechanism, World, simulate

GRIP = 8.0  # force of the fingers [N]
CLOSE, LIFT, END = 0.15, 0.2, 0.9  # times at which closing and lifting begin, and the end [s]
LENGTH = 0.3  # of upper and lower arm [m]

rng = np.random.default_rng(0)
z = np.linspace(-0.029, 0.029, 40)[1:-1, None]  # an egg: an ellipse whose width changes along the axis
angle = rng.uniform(0, 2 * np.pi, (38, 12))
width = 0.022 * np.sqrt(1 - (z / 0.029) ** 2) * (1 + 3.0 * z)
cloud = np.stack([width * np.cos(angle), width * np.sin(angle), np.broadcast_to(z, angle.shape)], axis=-1).reshape(
    -1, 3
)
found = tg.fit(cloud + rng.normal(0, 5e-5, cloud.shape), "ovoid")
lying = Rotation.from_euler("y", 90, degrees=True)
rest = -float(found.shape.support(lying.inv().apply([0, 0, -1])))
egg = Body("egg", found.shape, (lying, [0.4, 0, -rest]), mass=0.06)
print(f"egg: {found.status.name}, RMS of the fit {1e3 * found.rms:.3f} mm")


def joints(x, height):
    """Angles of shoulder, elbow and wrist that hold the hand upright with its fingers at a place above the table."""
    x, z = np.asarray(x), np.asarray(height) + 0.12 - 0.3
    bend = np.arccos((x**2 + z**2 - 2 * LENGTH**2) / (2 * LENGTH**2))
    shoulder = np.arctan2(-z, x) - bend / 2
    return np.stack([shoulder, bend, -shoulder - bend], axis=-1)


time = np.linspace(0, END, 91)
way = np.clip((time - LIFT) / (END - LIFT - 0.1), 0, 1)
way = way**3 * (10 - 15 * way + 6 * way**2)
path = CubicSpline(time, joints(0.4 - 0.08 * way, 0.022 + 0.15 * way))


def torque(t, state):
    """Computed torque for the arm, a given force for the fingers."""
    wanted, rate = path(t), path(t, 1)
    a = np.zeros(5)
    a[:3] = path(t, 2) + 400 * (wanted - state.position[:3]) + 40 * (rate - state.velocity[:3])
    own = pin.rnea(model, data, state.position, state.velocity, a)
    push = 8 * (0.045 - state.position[3:]) if t < CLOSE else -GRIP
    own[3:] = push - 4 * state.velocity[3:]
    return own


pad = tg.Superellipsoid([0.012, 0.005, 0.016], (0.5, 0.5))
rod = tg.capsule(0.004, 0.03)
finger = [(pad, (None, [0, 0, -0.12])), (rod, (None, [0, 0, -0.075]))]
start = [*path(0), 0.045, 0.045]
file = Path(__file__).with_name("arm.urdf")
arm = Mechanism("arm", file, {"left": finger, "right": finger}, position=start, torque=torque, collisions=True)
model, data = arm.model, arm.model.createData()
law = Interaction(
    forces.HuntCrossley(stiffness=1e6, restitution=0.3), forces.Bristle(static=0.6, stiffness=2e4, damping=5.0)
)
world = World([Body("table", tg.HalfSpace([0, 0, 1])), egg], interaction=law, mechanisms=[arm])
run = simulate(world, END, "fast", step=2e-4, output_interval=0.01)

height = run.position[:, run.number("egg"), 2]
lifted = height[-1] - height[0]
pads = [run.number("arm/left"), run.number("arm/right")]
touching = np.isin(run.contacts.body_a, pads) | np.isin(run.contacts.body_b, pads)
print(f"the egg is lifted by {100 * lifted:.1f} cm with a grip of {GRIP:g} N")
print(f"deepest contact of a pad: {1e3 * run.contacts.depth[touching].max():.2f} mm")

figure = run.snapshots([0.0, 0.2, 0.5, 0.9], columns=4, width=330, height=380, view=(-55.0, 18.0))
figure.savefig("arm_grasp.png")
plt.close(figure)
