"""Your own contact law.

One small class defines the force and the elastic energy of a contact; it is compiled like the built-in laws.  This law
has a cubic damper; a ball bounces on it in both modes of a simulation.  `forces.check` checks the law.
"""

from typing import NamedTuple

import matplotlib.pyplot as plt

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate


class Cubic(forces.NormalLaw):
    """F = K depth^(3/2) (1 + c (rate / impact speed)^3): damped at high rates only."""

    class Kernel(NamedTuple):
        stiffness: float
        damping: float

        def force(self, depth, rate, impact_speed):
            share = rate / max(impact_speed, 1e-3)
            return self.stiffness * depth**1.5 * (1.0 + self.damping * share**3)

        def energy(self, depth):  # integral of the force at rate 0
            return 0.4 * self.stiffness * depth**2.5


law = Cubic(stiffness=1e10, damping=0.8)
print(forces.check(law))  # finite, no attraction, no energy gain?
print(f"restitution {law.restitution_at(1.0):.4f}")

ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.2]), density=800.0)
world = World([Body("floor", tg.HalfSpace([0, 0, 1])), ball], interaction=Interaction(law))
figure, axes = plt.subplots(figsize=(6.6, 4.4), layout="constrained")
for mode, line in (("fast", "-"), ("accurate", ":")):
    run = simulate(world, 0.5, mode)
    first = run.impacts.chosen([0])
    restitution = float((1.0 - first.dissipated / first.energy)[0]) ** 0.5
    print(f"{mode}: first impact at {first.speed[0]:.4f} m/s, restitution {restitution:.4f}")
    axes.plot(run.time, 1e3 * (run.position[:, 1, 2] - 0.1), line, linewidth=2.5, label=mode)
axes.set(xlabel="time [s]", ylabel="gap under the ball [mm]")
axes.legend(frameon=False)
figure.savefig("own_law.png")
