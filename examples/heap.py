"""A heap of grains.

Fast mode takes fixed steps and considers only grains that are close to each other, so hundreds of bodies can be
simulated.  A column of superellipsoids and ellipsoids collapses into a heap.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

rng = np.random.default_rng(3)
shapes = [tg.Ellipsoid([0.05, 0.035, 0.03]), tg.Superellipsoid([0.04, 0.04, 0.03], epsilon=(0.5, 0.5))]
bodies = [Body("ground", tg.HalfSpace([0, 0, 1]))]
grid = np.array([(x, y, z) for z in range(5) for x in range(-1, 2) for y in range(-1, 2)])
for k, (place, turn) in enumerate(zip(grid, Rotation.random(len(grid), rng=rng))):
    bodies.append(Body(f"grain {k}", shapes[k % 2], (turn, 0.1 * place + [0, 0, 0.06]), density=2000))

law = Interaction(
    forces.Flores(stiffness=1e6, restitution=0.3),
    forces.Tanh(coefficient=0.6, speed=0.02),
    forces.Rolling(rolling=5e-3, speed=0.1),
)
run = simulate(World(bodies, interaction=law), 0.6, "fast", step=2e-5)
print(f"{len(grid)} grains, {len(run.impacts)} impacts, {len(run.contacts.at(-1))} contacts at the end")
figure = run.snapshots([0, 0.2, 0.35, 0.6], contacts=False, columns=2, width=440, height=290, view=(-70, 28))
figure.savefig("heap.png")
