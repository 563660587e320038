"""Your own shape.

One small class defines the support function h(n) and its gradient, the boundary point.  It is compiled like the
built-in shapes, can be stacked, and works with every other shape.  `tg.check` checks the formulas.
"""

from pathlib import Path
from typing import NamedTuple

import tangency as tg
from tangency.scene import Body, Scene, all_contacts
from tangency.viz import picture


class Egg(tg.Shape):
    """Ball that is blunt at one end and pointed at the other: h(n) = r |n| + s nz^3 / |n|^2."""

    class Kernel(NamedTuple):
        radius: float
        skew: float

        def support(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            return self.radius * q**0.5 + self.skew * z**3 / q

        def point(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            k = self.radius / q**0.5 - 2.0 * self.skew * z**3 / (q * q)
            return (k * x, k * y, k * z + 3.0 * self.skew * z * z / q)

        # Without a method hessian(), the Hessian is computed by differences of point().


print(tg.check(Egg(radius=0.3, skew=0.05)))

eggs = [Egg(radius=0.3, skew=skew) for skew in (0.0, 0.03, 0.06)]
table = Body("table", tg.HalfSpace([0, 0, 1]))
placed = [Body(f"s = {egg.skew:g}", egg, (None, [0.8 * k, 0, 0.4])) for k, egg in enumerate(eggs)]
scene = Scene((table, *placed), title="Eggs of constant width")
pairs = all_contacts(scene)
for pair in pairs:
    print(f"{pair.a.name} to {pair.b.name}: {float(pair.contact.distance):.6f} m")
Path("own_shape.png").write_bytes(picture(scene, pairs, width=960, height=640))
