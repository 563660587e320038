"""One minute with tangency: two bodies, one call, an answer with a proof."""

from scipy.spatial.transform import Rotation

import tangency as tg

a = tg.Ellipsoid([0.3, 0.2, 0.1])
b = tg.Superellipsoid([0.3, 0.1, 0.1], epsilon=(0.8, 1.0))
pose_b = (Rotation.from_euler("z", 30, degrees=True), [0.5, 0.2, 0.1])

c = tg.contact(a, b, pose_b=pose_b)
print(f"distance    {float(c.distance):.12f} m")
print(f"certified   {float(c.lower):.12f} <= distance <= {float(c.upper):.12f}")
print(f"normal      {c.normal.round(6).tolist()}")
print(f"on A        {c.point_a.round(6).tolist()}")
print(f"on B        {c.point_b.round(6).tolist()}")
print(f"curvatures  A {c.curvature_a.values.round(4).tolist()}, B {c.curvature_b.values.round(4).tolist()} 1/m")
print(f"effort      {int(c.evaluations)} evaluations of both shapes")
