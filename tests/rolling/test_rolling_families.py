"""Every round family of shapes rolls: laws of motion by differences, and energy, for random bodies and starts."""

import math
import typing

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import rolling


class Egg(tg.Shape):
    """A user-defined egg without a formula for its Hessian: h = sqrt(a^2 (x^2 + y^2) + c^2 z^2) + skew z^2 / |n|."""

    class Kernel(typing.NamedTuple):
        a: float
        c: float
        skew: float

        def point(self, n):
            x, y, z = n
            h = math.sqrt(self.a**2 * (x * x + y * y) + self.c**2 * z * z)
            r = math.sqrt(x * x + y * y + z * z)
            k, s = self.a**2 / h, self.skew * z * z / r**3
            return (k * x - s * x, k * y - s * y, self.c**2 / h * z - s * z + 2 * self.skew * z / r)


TAPERS = [1, 0.15, -0.05, 0.0], [1, 0.2, 0.0, 0.0]
FAMILIES = {
    "sphere": (tg.Sphere(0.3), 1e-11),
    "ellipsoid": (tg.Ellipsoid([0.3, 0.25, 0.2]), 1e-11),
    "ovoid": (tg.Ovoid([0.2, 0.25, 0.3], *TAPERS), 1e-11),
    "superovoid": (tg.Superovoid([0.2, 0.25, 0.3], [2.2, 1.9, 2], *TAPERS), 1e-9),
    "superellipsoid": (tg.Superellipsoid([0.2, 0.25, 0.3], epsilon=(0.95, 1.1)), 1e-9),
    "power ellipsoid": (tg.PowerEllipsoid([0.2, 0.25, 0.3], [1.8, 2.0, 2.2]), 1e-9),
    "offset": (tg.Superellipsoid([0.2, 0.25, 0.3], epsilon=(1.2, 1.1)).offset(0.1), 1e-9),
    "sum": (tg.Ellipsoid([0.3, 0.2, 0.1]) + tg.Ellipsoid([0.1, 0.2, 0.2]), 1e-11),
    "affine": (tg.Ovoid([0.2, 0.25, 0.3], *TAPERS).affine([[1, 0.3, 0], [0, 1, 0.1], [0, 0, 1]], [0.1, 0, 0.2]), 1e-11),
    "harmonics": (tg.HarmonicShape.from_shape(tg.Ellipsoid([0.3, 0.25, 0.2]), 6), 1e-11),
    "splines": (tg.SplineShape.from_shape(tg.Ellipsoid([0.3, 0.25, 0.2]), 4), 1e-9),
    "user-defined": (Egg(a=0.2, c=0.25, skew=0.02), 1e-9),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_laws_of_motion(name):
    shape, lost = FAMILIES[name]
    rng = np.random.default_rng(list(FAMILIES).index(name))
    size = float(shape.bounding_radius)
    # Three different moments of inertia about axes of their own, and a centre of mass off the centroid
    axes = Rotation.random(rng=rng).as_matrix()
    inertia = 0.3 * size**2 * axes @ np.diag([1.0, 1.2, 1.5]) @ axes.T
    normal = np.array([0.1, 0.2, 1.0])
    body = rolling.RollingBody(
        shape, mass=2.0, inertia=inertia, centre_of_mass=shape.centroid + 0.1 * size * rng.normal(size=3), normal=normal
    )
    for _ in range(5):
        start, spin = Rotation.random(rng=rng), rng.normal(size=3)
        run = body.simulate(start, spin, 0.2, samples=201)
        if run.end == "time":
            break
    assert run.end == "time"
    assert np.abs(run.energy - run.energy[0]).max() < lost * run.energy[0]
    h = run.time[1]

    def rate(values):
        return (values[:-2] - values[2:]) / (-2 * h)

    velocity = run.centre_velocity
    turn = run.orientation.as_matrix()
    spin_momentum = np.einsum("tij,jk,tlk,tl->ti", turn, inertia, turn, run.angular_velocity)
    moment = np.cross(run.contact - run.centre_of_mass, run.force)
    typical = np.median  # where the curvature is not smooth, differences are wrong for a few instants
    assert typical(np.abs(rate(run.centre_of_mass) - velocity[1:-1])) < 1e-4
    assert typical(np.abs(2.0 * rate(velocity) - (run.force + 2.0 * body.gravity)[1:-1])) < 1e-3
    assert typical(np.abs(rate(spin_momentum) - moment[1:-1])) < 1e-4
    touching = tg.contact(tg.HalfSpace(normal), shape, None, (run.orientation[::50], run.reference[::50]))
    assert touching.distance == pytest.approx(0.0, abs=1e-13)
