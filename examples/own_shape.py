"""A shape of your own is one small class: formulas of h(n), its gradient and, if you like, its Hessian."""

from typing import NamedTuple

import tangency as tg


class Egg(tg.Shape):
    """Ball whose radius grows toward +z: h(n) = r |n| + s nz^3 / |n|^2, an egg of constant width."""

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
            ball, bend = self.radius / q**0.5, self.skew * z * z / (q * q)
            return (
                ball * x - 2.0 * bend * x * z,
                ball * y - 2.0 * bend * y * z,
                ball * z + bend * (3.0 * q - 2.0 * z * z),
            )

        # without a method hessian() it is taken from differences of point(): a little slower, as safe


egg = Egg(radius=0.3, skew=0.05)
print(tg.check(egg))  # are the formulas consistent, is the body convex?

c = tg.contact(egg, tg.Ellipsoid([0.3, 0.2, 0.1]), pose_b=(None, [0.4, 0.1, 0.6]))
print(f"distance {float(c.distance):.12f} m, between bounds {float(c.upper - c.lower):.1e} m apart")

# The same body from a formula: SymPy derives the gradient and the Hessian.
same = tg.from_support("r*sqrt(nx**2 + ny**2 + nz**2) + s*nz**3/(nx**2 + ny**2 + nz**2)", r=0.3, s=0.05)
d = tg.contact(same, tg.Ellipsoid([0.3, 0.2, 0.1]), pose_b=(None, [0.4, 0.1, 0.6]))
print(f"by formula {float(d.distance):.12f} m")
assert abs(c.distance - d.distance) < 1e-12
