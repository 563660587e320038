"""A cam for the highest speed.

The follower must rise by 8 mm and fall again, with a bound on the jerk.  Of all such motions, a linear programme finds
the one that keeps the follower on its cam up to the highest speed; with standard motion laws it leaves much earlier.
"""

import matplotlib.pyplot as plt
import numpy as np

from tangency import planar

task = planar.LiftTask(
    lift=0.008, rise=1.2, dwell=0.3, fall=1.2, start=0.03, mass=0.05, spring=6000.0, largest_jerk=0.6
)
best = planar.highest_jump_speed(task)
optimal = planar.cam_from_motion(best.motion, planar.Roller(0.01))
print(f"optimal        jump speed {best.jump_speed:6.1f} rad/s")

rest = 2 * np.pi - 2.7
motions = {"optimal": best.motion}
for law in ("3-4-5", "cycloidal"):
    steps = [(law, 1.2, 0.008), ("dwell", 0.3, 0.008), (law, 1.2, 0.0), ("dwell", rest, 0.0)]
    motions[law] = planar.lift_program([planar.Segment(*step) for step in steps], start=0.03)
    cam = planar.CamTappet(planar.cam_from_motion(motions[law], planar.Roller(0.01)), mass=0.05, spring=6000.0)
    print(f"{law:14} jump speed {cam.rigid_lift_off_speed():6.1f} rad/s")

angle = np.linspace(0, 3.0, 1201)
figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
for (name, motion), colour in zip(motions.items(), ("#c2185b", "#2f6f9f", "#8a95a3")):
    values = motion(angle)
    left.plot(np.degrees(angle), 1e3 * (values.value - 0.03), color=colour, label=name)
    right.plot(np.degrees(angle), 1e3 * values.second, color=colour, label=name)
left.set(xlabel="angle [deg]", ylabel="lift [mm]", title="lift")
right.set(xlabel="angle [deg]", ylabel="mm / rad$^2$", title="acceleration")
left.legend()
figure.savefig("optimal_cam.png")
