"""Contact problems with known solutions: B is placed so that the solution is the chosen one.

Choose a normal n and a gap s, and place B so that x_B(-n) lies at x_A(n) + s n.  For s >= 0 the distance is
exactly s, for any two convex bodies; for small s < 0, n is a common normal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg


@dataclass(frozen=True)
class Problem:
    """A stack of pairs: A at the origin, B at (rotation, position)."""

    a: tg.Shape
    b: tg.Shape
    rotation: np.ndarray
    position: np.ndarray
    gap: np.ndarray
    normal: np.ndarray
    point_a: np.ndarray
    size: np.ndarray  # sum of both bounding radii

    def contact(self, **options) -> tg.Contact:
        return tg.contact(self.a, self.b, None, (self.rotation, self.position), **options)


def place(a: tg.Shape, b: tg.Shape, gap: np.ndarray, normal: np.ndarray, rotation: np.ndarray) -> Problem:
    """Pairs with common unit normals `normal` and B turned by `rotation`."""
    local = -np.einsum("kji,kj->ki", rotation, normal)
    point_a = a.point(normal)
    position = point_a + gap[:, None] * normal - np.einsum("kij,kj->ki", rotation, b.point(local))
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, gap.shape)
    return Problem(a, b, rotation, position, gap, normal, point_a, size)


def random_gaps(rng: np.random.Generator, size: np.ndarray) -> np.ndarray:
    """Touching, and gaps from 1e-12 to 10 sizes."""
    gap = 10.0 ** rng.uniform(-12.0, 1.0, size.shape) * size
    gap[rng.random(size.shape) < 0.1] = 0.0
    return gap


def random_pairs(rng: np.random.Generator, a: tg.Shape, b: tg.Shape, count: int) -> Problem:
    """Uniform normals, random orientations."""
    n = unit(rng.normal(size=(count, 3)))
    size = np.broadcast_to(a.bounding_radius + b.bounding_radius, count)
    return place(a, b, random_gaps(rng, size), n, Rotation.random(count, rng=rng).as_matrix())


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def facing(rng: np.random.Generator, normal_a: np.ndarray, normal_b: np.ndarray) -> np.ndarray:
    """Rotations that turn the local normal of B against that of A, with a random spin."""

    def frames(z: np.ndarray) -> np.ndarray:
        # The axis with the smallest component is never nearly parallel to z.
        helper = np.eye(3)[np.abs(z).argmin(axis=-1)]
        x = unit(np.cross(helper, z))
        angle = rng.uniform(0, 2 * np.pi, len(z))[:, None]
        x = np.cos(angle) * x + np.sin(angle) * np.cross(z, x)
        return np.stack([x, np.cross(z, x), z], axis=-1)

    return frames(-normal_a) @ np.swapaxes(frames(normal_b), -1, -2)


def surface_normals(rng: np.random.Generator, radii: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """Normals of superellipsoids at random surface points (from the implicit function, not the support).

    They crowd the flat places: most of a box-like surface has almost the same normal.
    """
    p1, p2 = 2.0 / epsilon[:, 0], 2.0 / epsilon[:, 1]
    ray = rng.normal(size=radii.shape)
    x, y, z = np.abs(ray / radii).T
    top = np.maximum(x, y)
    rho = top * ((x / top) ** p2 + (y / top) ** p2) ** (1 / p2)
    top = np.maximum(rho, z)
    gauge = top * ((rho / top) ** p1 + (z / top) ** p1) ** (1 / p1)
    x, y, z, rho = x / gauge, y / gauge, z / gauge, rho / gauge
    slope = np.stack([rho ** (p1 - p2) * x ** (p2 - 1), rho ** (p1 - p2) * y ** (p2 - 1), z ** (p1 - 1)], axis=-1)
    return unit(slope / radii * np.sign(ray))


def random_radii(rng: np.random.Generator, count: int, aspect: float) -> np.ndarray:
    """Semi-axes, the longest 1, the ratio up to `aspect`."""
    radii = np.exp(rng.uniform(-np.log(aspect), 0.0, (count, 3)))
    return radii / radii.max(axis=-1, keepdims=True)


def ellipsoids(rng: np.random.Generator, count: int, *, aspect: float, surface: bool) -> Problem:
    """Ellipsoid pairs of all sizes from 1e-6 to 1e6; normals uniform or of random surface points."""
    scale = 10.0 ** rng.uniform(-6.0, 6.0, (count, 1))
    radii_a, radii_b = (random_radii(rng, count, aspect) * scale for _ in range(2))
    a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    if not surface:
        return random_pairs(rng, a, b, count)
    one = np.ones((count, 2))
    n, m = surface_normals(rng, radii_a, one), surface_normals(rng, radii_b, one)
    return place(a, b, random_gaps(rng, a.bounding_radius + b.bounding_radius), n, facing(rng, n, m))


def superellipsoids(rng: np.random.Generator, count: int, *, low: float = 0.1, high: float = 1.9) -> Problem:
    """Superellipsoid pairs that touch at random surface points of both bodies."""
    radii_a, radii_b = (random_radii(rng, count, 5.0) for _ in range(2))
    eps_a, eps_b = (rng.uniform(low, high, (count, 2)) for _ in range(2))
    a, b = tg.Superellipsoid(radii_a, eps_a), tg.Superellipsoid(radii_b, eps_b)
    n, m = surface_normals(rng, radii_a, eps_a), surface_normals(rng, radii_b, eps_b)
    return place(a, b, random_gaps(rng, a.bounding_radius + b.bounding_radius), n, facing(rng, n, m))
