"""A ball that falls onto a plane: how high it bounces with each law, against what was asked for."""

import tangency as tg
from tangency import forces

rubber, steel = forces.Material(young=5e6, poisson=0.49), forces.Material(young=210e9, poisson=0.3)
ball, floor = tg.Sphere(0.03), tg.HalfSpace([0, 0, 1])
mass, speed, wanted, dt = 0.12, 2.0, 0.8, 2e-5

print("law                  wanted  simulated  predicted  contact [ms]  depth [mm]")
for law in (
    forces.HuntCrossley(materials=(rubber, steel), restitution=wanted),
    forces.LankaraniNikravesh(materials=(rubber, steel), restitution=wanted),
    forces.Flores(materials=(rubber, steel), restitution=wanted),
    forces.Gonthier(materials=(rubber, steel), restitution=wanted),
    forces.CarvalhoMartins(materials=(rubber, steel), restitution=wanted),
):
    height, velocity, steps, deepest = 0.03, -speed, 0, 0.0
    while height <= 0.03 and steps < 10000:
        contact = tg.contact(ball, floor, (None, [0.0, 0.0, height]))
        twist = ([0.0, 0.0, velocity], [0.0, 0.0, 0.0])
        push = forces.on(contact, twist, normal=law, impact_speed=speed)
        velocity += float(push.force_a[2]) / mass * dt
        height += velocity * dt
        steps, deepest = steps + 1, max(deepest, 0.03 - height)
    seen = velocity / speed
    print(
        f"{type(law).__name__:20s} {wanted:6.2f} {seen:10.4f} {law.restitution_at(speed):10.4f} "
        f"{steps * dt * 1e3:13.3f} {1e3 * deepest:11.3f}"
    )
