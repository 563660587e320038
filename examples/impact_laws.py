"""Force laws for impacts.

A rubber ball falls onto steel at 2 m/s.  Each law computes a force from depth and speed, with a prescribed coefficient
of restitution of 0.5.  Most of them give a different one, which `law.restitution_at` predicts.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency as tg
from tangency import forces

rubber, steel = forces.Material(young=5e6, poisson=0.49), forces.Material(young=210e9, poisson=0.3)
radius, mass, speed, dt = 0.03, 0.12, 2.0, 2e-5
ball, floor = tg.Sphere(radius), tg.HalfSpace([0, 0, 1])

figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
for kind in (forces.HuntCrossley, forces.LankaraniNikravesh, forces.Flores, forces.CarvalhoMartins):
    law = kind(materials=(rubber, steel), restitution=0.5)
    height, velocity, loop = radius, -speed, [(0.0, 0.0)]
    while height <= radius:
        contact = tg.contact(ball, floor, (None, [0.0, 0.0, height]))
        push = forces.on(contact, ([0.0, 0.0, velocity], [0.0, 0.0, 0.0]), normal=law, impact_speed=speed)
        velocity += float(push.force_a[2]) / mass * dt
        height += velocity * dt
        loop.append((float(push.depth), float(push.normal)))
    print(f"{kind.__name__:20s} restitution {velocity / speed:.4f}, predicted {law.restitution_at(speed):.4f}")
    axes.plot(*(np.array(loop) * [1e3, 1]).T, label=f"{kind.__name__}: {velocity / speed:.3f}")
axes.set(xlabel="depth [mm]", ylabel="force [N]", xlim=(0, None), ylim=(0, None))
axes.legend(frameon=False, title="restitution")
figure.savefig("impact_laws.png")
