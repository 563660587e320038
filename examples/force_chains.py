"""Force chains under a lid.

A lid presses on a layer of ellipsoids until they carry a given force (`Servo`).  The picture shows the contacts as
lines, as wide as their forces are large: few chains carry most of the load.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, Servo, World, measures, simulate

rng = np.random.default_rng(2)
width, depth, rows = 14, 0.044, 9
grid = np.array([(x + 0.51 + 0.48 * (z % 2), 0.5, z + 0.6) for z in range(rows) for x in range(width - z % 2)])
places = grid * [0.044, depth, 0.05] + rng.uniform(-1e-3, 1e-3, grid.shape) * [0.2, 0, 1]
turn = Rotation.from_euler("y", rng.uniform(0, 180, (len(grid), 1)), degrees=True)
radii = rng.uniform([0.014, 0.018, 0.014], [0.021, 0.021, 0.021], (len(grid), 3))
walls = [
    Body("floor", tg.HalfSpace([0, 0, 1])),
    Body("left", tg.HalfSpace([1, 0, 0])),
    Body("right", tg.HalfSpace([-1, 0, 0], -width * 0.044)),
    Body("front", tg.HalfSpace([0, 1, 0])),
    Body("back", tg.HalfSpace([0, -1, 0], -depth)),
]
press = Servo([0, 0, -1], force=60.0, speed=0.4)
lid = Body("lid", tg.HalfSpace([0, 0, -1]), (None, [0, 0, 0.05 * rows + 0.02]), motion=press)
law = Interaction(
    forces.KelvinVoigt(stiffness=2e4, damping=15.0), forces.Bristle(static=0.3, stiffness=1e4, damping=5.0)
)
grains = Group("grains", tg.Ellipsoid(radii), (turn, places), density=2000)
run = simulate(World([*walls, lid, grains], interaction=law, local_damping=0.1), 1.2, "fast", step=2e-4)

last = measures.network(run)
carried = last.normal_force[(last.body_a == 5) | (last.body_b == 5)].sum()
share = np.sort(last.normal_force)[::-1].cumsum() / last.normal_force.sum()
print(
    f"the lid presses with {carried:.1f} N; half of all force is in {100 * np.mean(share < 0.5):.0f} % of the contacts"
)
axes = Figure(figsize=(7.2, 4.2), layout="constrained").subplots()
run.plot_force_chains(axes=axes)
axes.figure.savefig("force_chains.png", dpi=110)
