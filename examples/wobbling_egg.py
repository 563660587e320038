"""A wobbling egg.

An egg, a superovoid, is laid on a table on its side, tilted and pushed: it rolls around its blunt end and wobbles.
Where the contact point goes, on the table and on the shell, follows from the support function of the egg alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.spatial.transform import Rotation

import tangency as tg

taper = [1, 0.16, -0.03, 0]
shell = tg.Superovoid([0.021, 0.021, 0.029], [2, 2, 2], taper_x=taper, taper_y=taper)
egg = tg.rolling.RollingBody(shell, density=1030)
print(f"{1e3 * egg.mass_properties.mass:.0f} g")

run = egg.simulate(Rotation.from_euler("y", 65, degrees=True), [2.0, 14.0, 6.0], 6.0, friction=0.5, samples=1501)
drift = abs(run.energy - run.energy[0]).max() / run.energy[0]
print(run.message, f"Energy kept to {drift:.0e}.")
print(f"contact force {run.normal_force.min():.2f} to {run.normal_force.max():.2f} N", end=", ")
print(f"friction coefficient required: {run.friction_demand.max():.3f}")

part = run.time <= 1.2
pictures = run.trajectory().snapshots([0.0, 0.2, 0.4], columns=3, width=440, height=300, view=(-70, 28))
canvas = FigureCanvasAgg(pictures)
canvas.draw()
figure = plt.figure(figsize=(6.6, 5.6), layout="constrained")
axes = figure.subplot_mosaic([["scene"] * 2, ["table", "shell"]], height_ratios=[1, 1.35])
axes["scene"].imshow(np.asarray(canvas.buffer_rgba()))
axes["scene"].set_axis_off()
axes["table"].plot(*(1e3 * run.contact[:, :2].T), color="#c2185b", linewidth=0.8)
axes["table"].set(xlabel="x [mm]", ylabel="y [mm]", title="contact on the table", aspect="equal")
on_shell = 1e3 * run.contact_on_body
outline = 1e3 * shell.point([[np.sin(u), 0, np.cos(u)] for u in np.linspace(0, 2 * np.pi, 181)])
axes["shell"].plot(outline[:, 2], outline[:, 0], color="#1b2430")
front = np.where(on_shell[:, 1] < 0, on_shell[:, 0], np.nan)
axes["shell"].plot(on_shell[:, 2], on_shell[:, 0], color="#f58518", linewidth=0.3, alpha=0.4)
axes["shell"].plot(on_shell[:, 2], front, color="#c2185b", linewidth=0.8)
axes["shell"].set(xlabel="z [mm]", title="contact on the shell", aspect="equal")
figure.savefig("wobbling_egg.png")
