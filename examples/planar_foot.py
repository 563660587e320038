"""A rolling foot: one equation of motion, contact forces, and when rolling fails (Römer 2-D, section 6.1)."""

from tangency import planar

shape = planar.foot_shape(0.1)  # Eq. (85)
foot = planar.RollingFoot(shape, mass=1.2, centre_of_mass=shape.centroid, friction=0.27)
print("it can rest at alpha =", foot.balance().round(4).tolist())

run = foot.run(alpha=0.3, rate=-1.0, duration=5.0)
print(run.message)
drift = abs(run.energy - run.energy[0]).max() / run.energy[0]
print(f"normal force {run.force[:, 1].min():.3f} to {run.force[:, 1].max():.3f} N")
print(f"energy drift below 1e-9: {drift < 1e-9}")
