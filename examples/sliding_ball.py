"""From sliding to rolling.

`tg.forces.on` computes the force and torque on each body from a contact and the velocities.  A ball thrown along the
ground without spin slides, is slowed down by friction and starts to roll at 5/7 of its initial speed.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg
from tangency import forces

radius, mass, dt = 0.05, 0.5, 1e-3
inertia = 0.4 * mass * radius**2
normal, friction = forces.Hertz(stiffness=1e6), forces.Tanh(coefficient=0.3, speed=1e-2)
ground, ball = tg.HalfSpace([0, 0, 1]), tg.Sphere(radius)

depth = (mass * 9.81 / 1e6) ** (2 / 3)  # balances the weight
velocity, spin, history = np.array([2.0, 0.0, 0.0]), np.zeros(3), []
for step in range(400):
    contact = tg.contact(ground, ball, pose_b=(None, [0, 0, radius - depth]))
    push = forces.on(contact, None, (velocity, spin), normal=normal, friction=friction)
    velocity = velocity + push.friction / mass * dt
    spin = spin + push.torque_b / inertia * dt
    history.append((step * dt, velocity[0], radius * spin[1], -push.friction[0]))
time, speed, rolled, force = np.array(history).T
print(f"rolls at {speed[-1]:.4f} m/s; 5/7 of 2 m/s is {10 / 7:.4f} m/s")

figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.6, 4.4), sharex=True, layout="constrained")
top.plot(time, speed, color="#4c78a8", label="speed of the centre")
top.plot(time, rolled, color="#f58518", label="radius times spin")
top.axhline(10 / 7, color="#8a94a0", linestyle=":")
top.set_ylabel("speed [m/s]")
top.legend(frameon=False, loc="lower right")
bottom.plot(time, force, color="#c2185b")
bottom.set(xlabel="time [s]", ylabel="friction [N]", ylim=(0, None))
figure.savefig("sliding_ball.png")
