"""A rolling foot.

A foot that rolls on the ground has one equation of motion; from it follow the contact forces and the friction that
rolling requires (Römer 2-D, section 6.1).  Here it is dropped: it bounces, slips, and rocks to rest on its sole.
"""

from pathlib import Path

from tangency import planar
from tangency.planar.draw import foot_picture

shape = planar.foot_shape(0.1)  # Eq. (85)
foot = planar.RollingFoot(shape, mass=1.2, centre_of_mass=shape.centroid, friction=0.25, restitution=0.4)
print("equilibria at alpha =", foot.balance().round(4).tolist())

run = foot.run(alpha=0.3, rate=-1.0, height=0.03, velocity=[0.4, 0.0], duration=1.5)
print(run.message)
for event in run.events[:4]:
    print(f"{event.time:.4f} s  {event.kind:8} at x = {event.position:.4f} m")
print(f"friction took {run.friction_loss[-1]:.4f} J, impacts {run.impact_loss[-1]:.4f} J")
print(f"error of the energy balance {run.balance_error:.0e} J")
Path("planar_foot.png").write_bytes(foot_picture(run))
