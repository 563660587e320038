"""Random planar bodies of every kind, and contact problems with known answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tangency import planar


class Egg(planar.Shape):
    """A user's shape, by its potential."""

    class Kernel(NamedTuple):
        radius: float
        skew: float

        def potential(self, phi):
            c, s = math.cos(3 * phi), math.sin(3 * phi)
            return self.radius + self.skew * c, -3 * self.skew * s, -9 * self.skew * c


class Oval(planar.Shape):
    """A user's shape with nothing but its boundary point: the radius of curvature comes from differences."""

    class Kernel(NamedTuple):
        a: float
        b: float

        def point(self, n):
            h = math.sqrt((self.a * n[0]) ** 2 + (self.b * n[1]) ** 2)
            return (self.a * self.a * n[0] / h, self.b * self.b * n[1] / h)


def radii(rng, batch, low=0.2, high=2.0):
    return np.exp(rng.uniform(math.log(low), math.log(high), (*batch, 2)))


def matrices(rng, batch):
    angle, other = rng.uniform(0, 2 * np.pi, (2, *batch))
    stretch = np.exp(rng.uniform(-0.7, 0.7, (*batch, 2))) * np.where(rng.random((*batch, 1)) < 0.5, [1, 1], [1, -1])

    def turn(t):
        return np.stack([np.stack([np.cos(t), -np.sin(t)], -1), np.stack([np.sin(t), np.cos(t)], -1)], -2)

    return turn(angle) * stretch[..., None, :] @ turn(other)


def superellipse(low, high):
    def make(rng, batch):
        return planar.Superellipse(radii(rng, batch), np.exp(rng.uniform(math.log(low), math.log(high), batch)))

    return make


def round_polygon(rng, count):
    """Regular polygon with its corners shifted a little, so that all of them stay on the hull."""
    angle = (np.arange(count) + rng.uniform(-0.3, 0.3, count)) * 2 * np.pi / count
    return np.stack([1.5 * np.cos(angle), np.sin(angle)], axis=-1)


def many_sides(rng, batch):
    points = np.array([round_polygon(rng, 1000) for _ in range(math.prod(batch))])
    return planar.Polygon(points.reshape(*batch, 1000, 2))


def rounded(rng, batch):
    points = np.array([round_polygon(rng, 7) for _ in range(math.prod(batch))])
    return planar.Polygon(points.reshape(*batch, 7, 2), rng.uniform(0.02, 0.1, batch))


def fourier(rng, batch):
    k = np.arange(1, 5)
    size = 0.15 / np.maximum(k**2 - 1, 0.5)
    cosine, sine = (rng.uniform(-1, 1, (*batch, 4)) * size for _ in range(2))
    return planar.FourierShape(rng.uniform(0.8, 2.0, batch), cosine, sine)


def spline(rng, batch):
    # One potential, as many bodies as wanted by scaling its coefficients.
    phi = np.arange(20) * np.pi / 10
    one = planar.periodic_spline(phi, 1 + 0.05 * np.cos(2 * phi) + 0.01 * np.sin(3 * phi))
    scale = rng.uniform(0.5, 2.0, batch)[..., None, None]
    return planar.PiecewiseShape(np.broadcast_to(one.breaks, (*batch, 20)), scale * one.coefficients)


def formula(rng, batch):
    a, b = (rng.uniform(0.5, 1.5, batch) for _ in range(2))
    return planar.from_potential("sqrt(a**2*cos(phi)**2 + b**2*sin(phi)**2) + 0.1*b*cos(phi)", a=a, b=b)


def functions(rng, batch):
    return planar.from_potential(*POTENTIAL, a=rng.uniform(1, 2, batch), b=rng.uniform(-0.1, 0.1, batch))


POTENTIAL = (
    lambda phi, a, b: a + b * math.sin(3 * phi),
    lambda phi, b: 3 * b * math.cos(3 * phi),
    lambda phi, b: -9 * b * math.sin(3 * phi),
)


def nested(rng, batch):
    inner = superellipse(1.5, 4)(rng, batch) + planar.Ellipse(radii(rng, batch))
    return inner.affine(matrices(rng, batch), rng.normal(size=(*batch, 2))).offset(rng.uniform(0.1, 0.5, batch))


@dataclass(frozen=True)
class Family:
    """A kind of body and what may be expected of it."""

    make: Callable[[np.random.Generator, tuple[int, ...]], planar.Shape]
    strict: bool = True  # strictly convex: the boundary point is a continuous function of the normal
    exact: bool = True  # the radius of curvature to 12 digits


FAMILIES: dict[str, Family] = {
    "circle": Family(lambda rng, batch: planar.Circle(rng.uniform(0.1, 2.0, batch))),
    "ellipse": Family(lambda rng, batch: planar.Ellipse(radii(rng, batch))),
    "needle": Family(lambda rng, batch: planar.Ellipse(rng.permuted(np.ones((*batch, 2)) * [1.0, 0.001], axis=-1))),
    "superellipse": Family(superellipse(1.3, 5.0)),
    "superellipse flat": Family(superellipse(5.0, 20.0)),
    "superellipse sharp": Family(superellipse(1.05, 1.3)),
    "polygon": Family(lambda rng, batch: planar.Polygon(rng.normal(size=(*batch, 12, 2))), strict=False),
    "segment": Family(lambda rng, batch: planar.Polygon(rng.normal(size=(*batch, 2, 2))), strict=False),
    "many sides": Family(many_sides, strict=False),
    "rounded polygon": Family(rounded, strict=False),
    "fourier": Family(fourier),
    "foot": Family(lambda rng, batch: planar.foot_shape(rng.uniform(0.5, 2.0, batch))),
    "spline": Family(spline),
    "offset": Family(lambda rng, batch: planar.Ellipse(radii(rng, batch)).offset(rng.uniform(0.1, 1, batch))),
    "shrunk": Family(lambda rng, batch: planar.Ellipse(radii(rng, batch, 0.5, 1.0)).offset(-0.22)),
    "sum": Family(lambda rng, batch: planar.Ellipse(radii(rng, batch)) + rounded(rng, batch), strict=False),
    "affine": Family(lambda rng, batch: superellipse(1.3, 5)(rng, batch).affine(matrices(rng, batch), [0.3, -0.2])),
    "nested": Family(nested),
    "user's egg": Family(lambda rng, batch: Egg(radius=rng.uniform(1, 2, batch), skew=rng.uniform(-0.1, 0.1, batch))),
    "user's oval": Family(lambda rng, batch: Oval(*np.moveaxis(radii(rng, batch), -1, 0)), exact=False),
    "formula": Family(formula),
    "functions": Family(functions),
}

#: Bodies at the limits, for sweeps.
EXTREME: dict[str, Family] = {
    "box": Family(lambda rng, batch: box(rng, batch), strict=False),
    "point": Family(lambda rng, batch: planar.Polygon(rng.normal(size=(*batch, 1, 2))), strict=False),
    "thinner needle": Family(lambda rng, batch: planar.Ellipse(10.0 ** rng.uniform(-6, 0, (*batch, 2)))),
    "nearly a box": Family(superellipse(20.0, 1000.0)),
    "nearly a rhombus": Family(superellipse(1.001, 1.05)),
    "far from its origin": Family(
        lambda rng, batch: superellipse(1.3, 5)(rng, batch).translate(30 * rng.normal(size=(*batch, 2)))
    ),
}


def box(rng, batch):
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    return planar.Polygon(signs * radii(rng, batch)[..., None, :])


def directions(phi):
    return np.stack([np.cos(phi), np.sin(phi)], axis=-1)


@dataclass(frozen=True)
class Problem:
    """A stack of pairs: A at the origin, B at (angle, position); the answer is known."""

    a: planar.Shape
    b: planar.Shape
    angle: np.ndarray
    position: np.ndarray
    gap: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    size: np.ndarray

    def contact(self, **options):
        return planar.contact(self.a, self.b, None, (self.angle, self.position), **options)


def turned(angle, v):
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1]], axis=-1)


def place(a, b, gap, normal, angle):
    """Pairs with common unit normals `normal` and B turned by `angle`: x_B(-n) lies at x_A(n) + gap n."""
    point_a = a.point(normal)
    position = point_a + gap[..., None] * normal - turned(angle, b.point(turned(-angle, -normal)))
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, gap.shape)
    return Problem(a, b, angle, position, gap, normal, point_a, size)


def random_gaps(rng, size):
    """Touching, and gaps from 1e-12 to 10 sizes."""
    gap = 10.0 ** rng.uniform(-12.0, 1.0, size.shape) * size
    gap[rng.random(size.shape) < 0.1] = 0.0
    return gap


def random_pairs(rng, a, b, count):
    phi, angle = rng.uniform(0, 2 * np.pi, (2, count))
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, count)
    return place(a, b, random_gaps(rng, size), directions(phi), angle)
