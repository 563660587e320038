"""A drum with lifters, made of triangles.

`tg.MeshWall` is a wall of triangles, such as `tg.MeshWall.from_file("drum.stl", scale=0.001)`.  Grains touch its faces
and its free edges, on both sides, but never the edges between triangles of a smooth part: they feel no bumps.
"""

import numpy as np

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, World, simulate, steady_motion

RADIUS, HALF, SECTORS, LIFTERS, DEPTH = 0.3, 0.1, 48, 6, 0.07  # [m]

angle = 2.0 * np.pi * np.arange(SECTORS) / SECTORS
rim = np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=1)
side = np.array([0.0, HALF, 0.0])
inner = (1.0 - DEPTH / RADIUS) * RADIUS * rim[:: SECTORS // LIFTERS]
points = np.concatenate([RADIUS * rim - side, RADIUS * rim + side, [-side, side], inner - side, inner + side])

k, n = np.arange(SECTORS), np.roll(np.arange(SECTORS), -1)
front, back = np.full(SECTORS, 2 * SECTORS), np.full(SECTORS, 2 * SECTORS + 1)
outside, edge = k[:: SECTORS // LIFTERS], 2 * SECTORS + 2 + np.arange(LIFTERS)
parts = [
    (k, n, k + SECTORS), (n, n + SECTORS, k + SECTORS),  # the shell
    (n, k, front), (k + SECTORS, n + SECTORS, back),  # both ends
    (outside, edge, outside + SECTORS), (edge, edge + LIFTERS, outside + SECTORS),  # the lifters
]  # fmt: skip
wall = tg.MeshWall(points, np.concatenate([np.stack(part, axis=1) for part in parts]))

rng = np.random.default_rng(1)
shape = tg.Ellipsoid(rng.uniform(0.016, 0.028, (60, 3)))
poses = tg.broadphase.scatter(shape, [-0.14, -0.09, -0.17], [0.14, 0.09, 0.17], seed=1)
grains = Group("grains", shape, poses, density=2500)
drum = Body("drum", wall, motion=steady_motion(angular_velocity=[0, -3.5, 0]))
law = Interaction(
    forces.KelvinVoigt(stiffness=2e4, damping=4.0), forces.Bristle(static=0.5, stiffness=1e4, damping=3.0)
)
run = simulate(World([drum, grains], interaction=law), 0.6, "fast", step=2e-4, output_interval=0.02)

inside = np.hypot(run.centre_of_mass[:, 1:, 0], run.centre_of_mass[:, 1:, 2]) < RADIUS
print(f"{len(wall.triangles)} triangles in {len(wall.patches)} smooth patches; all grains stay inside: {inside.all()}")
figure = run.snapshots([0, 0.2, 0.4, 0.6], contacts=False, columns=2, width=440, height=400, view=(-80, 12))
figure.savefig("mesh_drum.png")
