"""A cam with a roller tappet.

Above a certain speed the spring cannot keep the roller on the cam: it lifts off and strikes the cam again (Römer 2-D,
section 6.2).  A smaller roller on the same cam changes that speed.
"""

from pathlib import Path

from tangency import planar
from tangency.planar.draw import cam_picture

pitch = planar.cam_pitch(0.01)  # Eq. (90), for a roller of 10 mm
print(pitch.uniqueness())

cam = planar.CamTappet(pitch, speed=100.0)
run = planar.run_cam(cam, revolutions=2.0)
print(f"{len(run.lift_offs)} lift-offs in 2 revolutions, largest gap {1e3 * run.highest_gap:.2f} mm")
print(f"a rigid roller would leave the cam above {cam.rigid_lift_off_speed():.2f} rad/s")

smaller = planar.CamTappet(pitch.change_radius(0.006), speed=100.0)
print(f"with a roller of 6 mm: above {smaller.rigid_lift_off_speed():.2f} rad/s")
Path("planar_cam.png").write_bytes(cam_picture(run))
