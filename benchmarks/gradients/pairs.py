"""Random pairs of every family, at gaps from 1 to 1e-12 sizes, touching and overlapping."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

from families import FAMILIES, normals

#: Families of bodies whose parameters have derivatives
BODIES = [name for name in FAMILIES if not name.startswith(("user's", "potential"))]
WALLS = ["half-space", "cavity of an ellipsoid", "cavity of a superellipsoid"]
DEEPEST, SHALLOWEST = -1.0, -6.0  # log of the depth of overlaps, in sizes
OVERLAPS, TOUCHES = 0.25, 0.05  # shares of all pairs

Pose = tuple[np.ndarray, np.ndarray]


class Pairs(NamedTuple):
    """Two stacks of bodies and their poses (rotation, translation)."""

    a: tg.Shape
    b: tg.Shape
    pose_a: Pose
    pose_b: Pose
    size: np.ndarray  #: (N,) of both bodies


def random_pairs(rng: np.random.Generator, name: str, count: int, same: bool = False) -> Pairs:
    """Pairs of a family and ellipsoids, or of two bodies of the family."""
    if name in WALLS:
        return _at_walls(rng, name, count)
    a, b = FAMILIES[name].make(rng, (count,)), FAMILIES[name if same else "ellipsoid"].make(rng, (count,))
    size = a.bounding_radius + b.bounding_radius
    rotation = Rotation.random(count, rng=rng).as_matrix()
    # Half of them with uniform normals, half with uniform directions of the line of centres: these meet at edges, faces
    # and flat places as often as bodies do.
    n = normals(rng, count)
    apart = a.point(n) - np.einsum("kij,kj->ki", rotation, b.point(-np.einsum("kji,kj->ki", rotation, n)))
    position = np.where(np.arange(count)[:, None] < count // 2, apart, normals(rng, count) * size[:, None])
    return _shifted(rng, Pairs(a, b, (np.broadcast_to(np.eye(3), rotation.shape), np.zeros((count, 3))),
                               (rotation, position), size))  # fmt: skip


def _at_walls(rng: np.random.Generator, name: str, count: int) -> Pairs:
    b = FAMILIES["ellipsoid"].make(rng, (count,))
    rotation, turn = (Rotation.random(count, rng=rng).as_matrix() for _ in range(2))
    position = rng.uniform(-0.5, 0.5, (count, 3))
    if name == "half-space":
        a: tg.Shape = tg.HalfSpace(normals(rng, count), rng.uniform(-1.0, 1.0, count))
    else:
        radii = rng.uniform(3.0, 6.0, (count, 3))
        exponents = rng.uniform(0.6, 1.4, (count, 2))
        a = tg.Cavity(tg.Superellipsoid(radii, exponents) if "super" in name else tg.Ellipsoid(radii))
    return _shifted(rng, Pairs(a, b, (turn, np.zeros((count, 3))), (rotation, position), 2.0 * b.bounding_radius))


def _shifted(rng: np.random.Generator, pairs: Pairs) -> Pairs:
    """B moved along the common normal to a random gap, which keeps it the common normal; both moved at random."""
    a, b, pose_a, (rotation, position), size = pairs
    count = len(size)
    gap = 10.0 ** rng.uniform(-12.0, 0.0, count)
    kind = rng.random(count)
    gap = np.where(kind < OVERLAPS, -(10.0 ** rng.uniform(SHALLOWEST, DEEPEST, count)), gap)
    gap = np.where(kind > 1.0 - TOUCHES, 0.0, gap) * size
    c = tg.contact(a, b, pose_a, (rotation, position))
    position = position + (gap - c.distance)[:, None] * c.normal
    turn, place = Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3)) * size[:, None]
    moved = [(turn @ r, np.einsum("kij,kj->ki", turn, t) + place) for r, t in (pose_a, (rotation, position))]
    return Pairs(a, b, moved[0], moved[1], size)
