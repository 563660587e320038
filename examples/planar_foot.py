"""A rolling foot.

A foot that rolls on the ground has one equation of motion; from it follow the contact forces and the friction that
rolling requires (Römer 2-D, section 6.1).  Here the friction is not sufficient, and the foot starts to slip.
"""

from pathlib import Path

from tangency import planar
from tangency.planar.draw import foot_picture

shape = planar.foot_shape(0.1)  # Eq. (85)
foot = planar.RollingFoot(shape, mass=1.2, centre_of_mass=shape.centroid, friction=0.27)
print("equilibria at alpha =", foot.balance().round(4).tolist())

run = foot.run(alpha=0.3, rate=-1.0, duration=5.0)
print(run.message)
drift = abs(run.energy - run.energy[0]).max() / run.energy[0]
print(f"normal force {run.force[:, 1].min():.3f} to {run.force[:, 1].max():.3f} N, energy drift {drift:.0e}")
Path("planar_foot.png").write_bytes(foot_picture(run))
