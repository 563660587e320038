"""Random contact queries over all families of bodies, in space or in the plane: sizes, placements, orientations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES
from manufactured import unit
from tangency import planar
from tangency.shapes.stack import Stack

Body = tg.Shape | planar.Shape
POOL = 48  # bodies of each family
LENGTHS = {  # fields that are lengths, where they are not a, b, c
    "Sphere": "radius",
    "HarmonicShape": "scaled",
    "SplineShape": "flat",
    "Segment": "half_length",
    "Hull": "coordinates",
    "Offset": "distance",
    "MinkowskiSum": "",
    "Affine": "x y z",
    "Egg": "radius skew",
    "EggByPoint": "radius skew",
    "Cylinder": "radius half_length",
    "Cone": "radius half_length top_radius",
    "Circle": "radius",
    "Polygon": "coordinates radius",
    "FourierShape": "mean cosine sine",
    "PiecewiseShape": "coefficients",
}
PLACEMENTS = ("touching", "near", "far", "overlapping", "nested", "concentric", "aligned", "identical", "shallow")
ALL = PLACEMENTS[:-1]  # "shallow" is for sweeps over overlaps alone
OVERLAPPING = ("overlapping", "nested", "concentric", "identical", "shallow", "shallow")  # most pairs of them overlap


def scaled(shape: Body, factor: np.ndarray) -> Body:
    """A stack (N,) of bodies, each as many times as large."""
    lengths = LENGTHS.get(type(shape).__name__, "a b c").split()
    fields = {}
    for name, value in shape._fields.items():
        if isinstance(value, Stack):
            fields[name] = scaled(value, factor)
        elif name in lengths:
            fields[name] = np.array(value * (factor if value.ndim == factor.ndim else factor[:, None]))
        else:
            fields[name] = np.array(value)
    new = object.__new__(type(shape))
    new._set(**fields)
    return new


@dataclass(frozen=True)
class Queries:
    """A stack of pairs with poses (rotation, translation)."""

    a: Body
    b: Body
    pose_a: tuple[np.ndarray, np.ndarray]
    pose_b: tuple[np.ndarray, np.ndarray]
    placement: np.ndarray

    @property
    def dimension(self) -> int:
        return self.pose_a[1].shape[-1]

    def contact(self, **options) -> tg.Contact | planar.Contact:
        query = planar.contact if self.dimension == 2 else tg.contact
        return query(self.a, self.b, self.pose_a, self.pose_b, **options)


def pools(rng: np.random.Generator, count: int = POOL, families: dict = FAMILIES) -> dict[str, Body]:
    """So many bodies of each family."""
    return {name: family.make(rng, (count,)) for name, family in families.items()}


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """Random, half of them; else quarter turns and the identity."""
    random = Rotation.random(count, rng=rng).as_matrix()
    quarter = np.round(Rotation.create_group("O").as_matrix())[rng.integers(0, 24, count)]
    kind = rng.integers(0, 4, count)[:, None, None]
    return np.where(kind < 2, random, np.where(kind == 2, quarter, np.eye(3)))


def planar_rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """The same in the plane."""
    angle = rng.uniform(-np.pi, np.pi, count)
    quarter = rng.integers(0, 4, count)
    c = np.where(rng.random(count) < 0.5, np.cos(angle), np.array([1.0, 0.0, -1.0, 0.0])[quarter])
    s = np.where(c == np.cos(angle), np.sin(angle), np.array([0.0, 1.0, 0.0, -1.0])[quarter])
    c, s = np.where(rng.random(count) < 0.25, [[1.0], [0.0]], [c, s])
    return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)


def draw(
    rng: np.random.Generator,
    body_a: Body,
    body_b: Body,
    count: int,
    *,
    decades: float = 30.0,
    turns: Callable[[np.random.Generator, int], np.ndarray] = rotations,
    kinds: Sequence[str] = ALL,
) -> Queries:
    """Pairs of bodies from two pools; sizes between 10^-decades and 10^decades, rotations by `turns`.

    `kinds` are the placements to choose from; a placement "identical" needs bodies of the same pool.
    """
    same = body_a is body_b
    i, j = rng.integers(0, len(body_a), count), rng.integers(0, len(body_b), count)
    possible = np.array([PLACEMENTS.index(kind) for kind in kinds if same or kind != "identical"])
    placement = possible[rng.integers(0, len(possible), count)]
    identical = placement == PLACEMENTS.index("identical")
    j = np.where(identical, i, j)
    scale_a = 10.0 ** rng.uniform(-decades, decades, count)
    ratio = np.choose(
        rng.integers(0, 3, count),
        [np.ones(count), 10.0 ** rng.uniform(-4, 4, count), 10.0 ** rng.uniform(-decades, decades, count) / scale_a],
    )
    scale_b = scale_a * np.where(identical, 1.0, ratio)
    a, b = scaled(body_a.take(i), scale_a), scaled(body_b.take(j), scale_b)
    r_a, r_b = turns(rng, count), turns(rng, count)
    dimension = r_a.shape[-1]
    r_b = np.where((identical | (placement == PLACEMENTS.index("aligned")))[:, None, None], r_a, r_b)
    size_a, size_b = (np.broadcast_to(s.bounding_radius, count) for s in (a, b))
    size = size_a + size_b

    slanted = np.where(rng.random((count, 1)) < 0.3, rng.uniform(-12, 0, (count, dimension)), 0)
    n = unit(rng.normal(size=(count, dimension)) * 10.0**slanted)
    point_a = np.einsum("kij,kj->ki", r_a, a.point(np.einsum("kji,kj->ki", r_a, n)))
    point_b = np.einsum("kij,kj->ki", r_b, b.point(-np.einsum("kji,kj->ki", r_b, n)))
    tiny = 10.0 ** rng.uniform(-17, -9, count) * rng.choice([-1.0, 0.0, 1.0], count)
    near, far = 10.0 ** rng.uniform(-9, 1, count), 10.0 ** rng.uniform(1, 12, count)
    gap = np.choose(np.minimum(placement, 2), [tiny, near, far])
    manufactured = point_a - point_b + (gap * size)[:, None] * n
    depth = 10.0 ** (0.8 * np.log10(near) - 1.8) * np.minimum(size_a, size_b)  # 1e-9 to 0.1 sizes of the smaller body
    shallow = point_a - point_b - depth[:, None] * n
    inside = n * (size * rng.uniform(0, 0.8, count))[:, None]
    small = n * (size * 10.0 ** rng.uniform(-20, -1, count))[:, None]
    axis = (
        np.eye(dimension)[rng.integers(0, dimension, count)] * (size * rng.choice([0.0, 0.3, 1.0, 1.5], count))[:, None]
    )
    same_place = n * (size * 10.0 ** rng.uniform(-18, 0, count) * (rng.random(count) < 0.7))[:, None]
    places = [manufactured, manufactured, manufactured, inside, small, 0 * n, axis, same_place, shallow]
    between = np.choose(placement[:, None], places)
    away = size * 10.0 ** rng.uniform(-3, 3, count) * (rng.random(count) < 0.5)
    home = rng.normal(size=(count, dimension)) * away[:, None]
    return Queries(a, b, (r_a, home), (r_b, home + between), placement)
