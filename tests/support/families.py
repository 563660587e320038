"""Random bodies of every kind, one generator per family: contracts run over all of them.

A family's ``make(rng, batch)`` returns a stack of the given batch shape, ``()`` for a single body.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg


class Egg(tg.Shape):
    """A user-defined shape, as in the documentation: a ball with one end more pointed."""

    class Kernel(NamedTuple):
        radius: float
        skew: float

        def support(self, n):
            q = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
            return self.radius * math.sqrt(q) + self.skew * n[2] ** 3 / q

        def point(self, n):
            q = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
            i, z = self.radius / math.sqrt(q), n[2]
            k = i - 2.0 * self.skew * z**3 / (q * q)
            return (k * n[0], k * n[1], k * z + 3.0 * self.skew * z * z / q)

        def hessian(self, n):
            x, y, z = n
            q = x * x + y * y + z * z
            r3 = self.radius / (q * math.sqrt(q))
            a = self.radius / math.sqrt(q) - 2.0 * self.skew * z**3 / (q * q)
            b = 8.0 * self.skew * z**3 / q**3 - r3
            c = -6.0 * self.skew * z * z / (q * q)
            return (
                a + b * x * x,
                b * x * y,
                b * x * z + c * x,
                a + b * y * y,
                b * y * z + c * y,
                a + b * z * z + 2.0 * c * z + 6.0 * self.skew * z / q,
            )


class EggByPoint(tg.Shape):
    """The same egg with the boundary point only; its Hessian is computed by differences."""

    class Kernel(NamedTuple):
        radius: float
        skew: float

        point = Egg.Kernel.point


@dataclass(frozen=True)
class Family:
    """A kind of body and its expected properties."""

    make: Callable[[np.random.Generator, tuple[int, ...]], tg.Shape]
    strict: bool = True  # strictly convex: the boundary point is a continuous function of the normal
    exact: bool = True  # point and Hessian to 13 digits
    reference: bool = True  # tests/support/reference.py knows its support function


def radii(rng: np.random.Generator, batch: tuple[int, ...], low: float = 0.2, high: float = 2.0) -> np.ndarray:
    return np.exp(rng.uniform(math.log(low), math.log(high), (*batch, 3)))


def matrices(rng: np.random.Generator, batch: tuple[int, ...]) -> np.ndarray:
    """Matrices that rotate, stretch by up to 2 and rotate again; half of them also reflect."""
    count = int(np.prod(batch))
    left, right = (Rotation.random(count, rng=rng).as_matrix() for _ in range(2))
    stretch = np.exp(rng.uniform(-0.7, 0.7, (count, 3))) * np.where(rng.random((count, 1)) < 0.5, 1.0, -1.0)
    return (left * stretch[:, None, :] @ right).reshape(*batch, 3, 3)


def superellipsoid(low: float, high: float) -> Callable:
    return lambda rng, batch: tg.Superellipsoid(radii(rng, batch), rng.uniform(low, high, (*batch, 2)))


def needle(rng, batch):
    r = np.ones((*batch, 3)) * [1.0, 0.03, 0.001]
    return tg.Ellipsoid(rng.permuted(r, axis=-1))


def power(rng, batch):
    return tg.PowerEllipsoid(radii(rng, batch), 1.0 + np.exp(rng.uniform(-2.0, 2.3, (*batch, 3))))


def tapers(rng, batch, high):
    """Coefficients c0..c3 of both tapers, bounded about as in the thesis."""
    c0 = rng.uniform(0.7, 1.0, (*batch, 1))
    return np.concatenate([c0, rng.uniform(-high, high, (*batch, 3)) * [1.0, 0.3, 0.3]], axis=-1)


def convex(kind, draw, batch):
    """A stack of random bodies, each redrawn until its constructor accepts it as convex."""
    rows: list[tuple] = []
    while len(rows) < int(np.prod(batch)):
        arguments = draw()
        try:
            kind(*arguments)
        except tg.ShapeError:
            continue
        rows.append(arguments)
    return kind(*(np.stack(column).reshape(*batch, -1) for column in zip(*rows)))


def superovoid(rng, batch):
    def draw():
        g = 1.0 + np.exp(rng.uniform(-1.5, 1.8, 3))
        tx, ty = tapers(rng, (), 0.4), tapers(rng, (), 0.4)
        if g[2] > 2.0:  # straight at z = 0: both tapers must lean alike there and not bulge
            tx[2], ty[1:3] = -abs(tx[2]), (tx[1] / tx[0] * ty[0], -abs(ty[2]))
        return radii(rng, ()), g, tx, ty

    return convex(tg.Superovoid, draw, batch)


def ovoid(rng, batch):
    return convex(tg.Ovoid, lambda: (radii(rng, ()), tapers(rng, (), 0.4), tapers(rng, (), 0.4)), batch)


def tapered_superellipsoid(rng, batch):
    def draw():
        epsilon, taper = rng.uniform(0.2, 1.5, 2), rng.uniform(-0.4, 0.4, 2)
        return radii(rng, ()), epsilon, taper if epsilon[0] >= 1.0 else taper[:1] * np.ones(2)

    return convex(tg.TaperedSuperellipsoid, draw, batch)


def harmonic(rng, batch):
    """Degree 6; the ripples shrink fast enough to stay convex."""
    l = np.repeat(np.arange(7), 2 * np.arange(7) + 1)
    ripple = 0.15 * rng.uniform(-1.0, 1.0, (*batch, 49)) / np.maximum(l, 1.0) ** 3
    ripple[..., 0] = math.sqrt(4 * math.pi)
    return tg.HarmonicShape(ripple * rng.uniform(0.5, 2.0, (*batch, 1)))


def spline(rng, batch):
    """Coefficients of |x| at the B-splines' centres, disturbed."""
    centre = np.linspace(-1.5, 1.5, 7)
    ball = np.sqrt(sum(v * v for v in np.meshgrid(centre, centre, centre)) + 0.05)
    ball = ball + 0.03 * rng.uniform(-1.0, 1.0, (*batch, 7, 7, 7))
    return tg.SplineShape(ball * rng.uniform(0.5, 2.0, (*batch, 1, 1, 1)))


def hull(rng, batch):
    return tg.Hull(rng.normal(size=(*batch, 20, 3)))


def cone(rng, batch):
    """Whole cones and frustums."""
    a, l, b = rng.uniform(0.1, 2.0, (3, *batch))
    return tg.Cone(a, l, b * (rng.random(batch) < 0.5))


def shrunk(rng, batch):
    r = radii(rng, batch, 0.5, 1.0)
    return tg.Offset(tg.Ellipsoid(r), -0.9 * r.min(axis=-1) ** 2 / r.max(axis=-1))


def nested(rng, batch):
    inner = superellipsoid(0.6, 1.4)(rng, batch) + tg.Ellipsoid(radii(rng, batch))
    return tg.Affine(inner, matrices(rng, batch), rng.normal(size=(*batch, 3))).offset(rng.uniform(0.1, 0.5, batch))


def formula(rng, batch):
    a, b, c = (rng.uniform(0.5, 1.5, batch) for _ in range(3))
    return tg.from_support("sqrt(a**2*nx**2 + b**2*ny**2 + c**2*nz**2) + 0.1*b*nz", a=a, b=b, c=c)


def spherical_formula(rng, batch):
    # phi outside of a trigonometric function: cannot be written in nx, ny, nz.
    return tg.from_potential(
        "a + 0.05*b*cos(phi)**2*cos(phi + 0*theta) + 0*phi**2 + c*log(2 + cos(phi))",
        a=rng.uniform(1.0, 2.0, batch),
        b=rng.uniform(0.5, 1.0, batch),
        c=rng.uniform(-0.1, 0.1, batch),
    )


def potential_functions(rng, batch):
    return tg.from_potential(*POTENTIAL, a=rng.uniform(1.0, 2.0, batch), b=rng.uniform(-0.1, 0.1, batch))


# a + b sin(phi)^2 cos(2 theta): the harmonic (nx^2 - ny^2) / |n|, by hand
POTENTIAL = (
    lambda phi, theta, a, b: a + b * math.sin(phi) ** 2 * math.cos(2 * theta),
    lambda phi, theta, b: b * math.sin(2 * phi) * math.cos(2 * theta),
    lambda phi, theta, b: -2 * b * math.sin(phi) ** 2 * math.sin(2 * theta),
    lambda phi, theta, b: 2 * b * math.cos(2 * phi) * math.cos(2 * theta),
    lambda phi, theta, b: -2 * b * math.sin(2 * phi) * math.sin(2 * theta),
    lambda phi, theta, b: -4 * b * math.sin(phi) ** 2 * math.cos(2 * theta),
)

FAMILIES: dict[str, Family] = {
    "sphere": Family(lambda rng, batch: tg.Sphere(rng.uniform(0.1, 2.0, batch))),
    "ellipsoid": Family(lambda rng, batch: tg.Ellipsoid(radii(rng, batch))),
    "needle": Family(needle),
    "superellipsoid round": Family(superellipsoid(0.6, 1.4)),
    "superellipsoid flat": Family(superellipsoid(0.1, 0.6)),
    "superellipsoid sharp": Family(superellipsoid(1.4, 1.9)),
    "power ellipsoid": Family(power),
    "superovoid": Family(superovoid),
    "ovoid": Family(ovoid),
    "tapered superellipsoid": Family(tapered_superellipsoid),
    "harmonic": Family(harmonic),
    "spline": Family(spline),
    "box": Family(lambda rng, batch: tg.Box(radii(rng, batch)), strict=False),
    "segment": Family(lambda rng, batch: tg.Segment(rng.uniform(0.1, 2.0, batch)), strict=False),
    "hull": Family(hull, strict=False),
    "offset ellipsoid": Family(lambda rng, batch: tg.Ellipsoid(radii(rng, batch)).offset(rng.uniform(0.1, 1, batch))),
    "shrunk ellipsoid": Family(shrunk),
    "capsule": Family(
        lambda rng, batch: tg.capsule(rng.uniform(0.1, 1, batch), rng.uniform(0.1, 2, batch)), strict=False
    ),
    "rounded box": Family(lambda rng, batch: tg.rounded_box(radii(rng, batch), 0.15), strict=False),
    "sum of ellipsoids": Family(lambda rng, batch: tg.Ellipsoid(radii(rng, batch)) + tg.Ellipsoid(radii(rng, batch))),
    "ellipsoid plus box": Family(
        lambda rng, batch: tg.Ellipsoid(radii(rng, batch)) + tg.Box(radii(rng, batch)), strict=False
    ),
    "affine ellipsoid": Family(
        lambda rng, batch: tg.Ellipsoid(radii(rng, batch)).affine(matrices(rng, batch), rng.normal(size=(*batch, 3)))
    ),
    "nested": Family(nested),
    "user's egg": Family(lambda rng, batch: Egg(radius=rng.uniform(1, 2, batch), skew=rng.uniform(-0.1, 0.1, batch))),
    "user's egg by point": Family(
        lambda rng, batch: EggByPoint(radius=rng.uniform(1, 2, batch), skew=rng.uniform(-0.1, 0.1, batch)), exact=False
    ),
    "support formula": Family(formula, reference=False),
    "potential formula": Family(spherical_formula, exact=False, reference=False),
    "potential functions": Family(potential_functions, exact=False, reference=False),
    "cylinder": Family(lambda rng, batch: tg.Cylinder(*rng.uniform(0.1, 2.0, (2, *batch))), strict=False),
    "cone": Family(cone, strict=False),
}


def normals(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random unit vectors."""
    n = rng.normal(size=(*shape, 3))
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


#: The function of `reference.py` and `extended.py` that defines a body of each kind.
DEFINITION_OF = {
    tg.Sphere: "sphere",
    tg.Ellipsoid: "ellipsoid",
    tg.Superellipsoid: "superellipsoid",
    tg.PowerEllipsoid: "power_ellipsoid",
    tg.Superovoid: "tapered",
    tg.Ovoid: "tapered",
    tg.TaperedSuperellipsoid: "tapered",
    tg.HarmonicShape: "harmonic",
    tg.SplineShape: "spline",
    tg.Box: "polytope",
    tg.Segment: "polytope",
    tg.Cylinder: "cylinder",
    tg.Cone: "cone",
    tg.Hull: "polytope",
    tg.Offset: "offset",
    tg.MinkowskiSum: "minkowski",
    tg.Affine: "affine",
    Egg: "egg",
    EggByPoint: "egg",
}
