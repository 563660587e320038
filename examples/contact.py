"""Contact between two bodies.

One call returns the distance, the common normal, a contact point on each body, the curvatures there, and proved bounds
on the distance.  The arrow in the picture is the normal, from A to B.
"""

from pathlib import Path

from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.scene import Body, Scene, all_contacts
from tangency.viz import picture

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

scene = Scene((Body("A", a), Body("B", b, pose_b)), title="Contact between two bodies")
Path("contact.png").write_bytes(picture(scene, all_contacts(scene), width=960, height=640))
