"""A cam throws its roller tappet; another roller on the same cam (Römer 2-D, section 6.2)."""

from tangency import planar

pitch = planar.cam_pitch(0.01)  # Eq. (90), for a roller of 10 mm
print(pitch.uniqueness())

cam = planar.CamTappet(pitch, speed=100.0)
run = planar.run_cam(cam, revolutions=2.0)
print(f"{len(run.lift_offs)} lift-offs in 2 revolutions, largest gap {1e3 * run.highest_gap:.2f} mm")
print(f"a rigid roller would leave the cam above {cam.rigid_lift_off_speed():.2f} rad/s")

smaller = planar.CamTappet(pitch.change_radius(0.006), speed=100.0)
print(f"with a roller of 6 mm above {smaller.rigid_lift_off_speed():.2f} rad/s")
