"""The pairs: ellipsoids and superellipsoids with known answers, and the random ellipsoids of Römer's study A.

Answers are known by construction: B is placed so that its point with the normal -n lies at a gap s from the point of A
with the normal n (tests/support/manufactured.py).  For s >= 0 the distance is exactly s.  For s < 0 the depth is
exactly -s as long as it is smaller than the sum of the smallest radii of curvature of both bodies: a ball of that
radius rolls freely inside the Minkowski difference, so no other boundary point is nearer.  Other pairs are not used.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import tangency as tg
from tangency.studies.romer_pairs import random_ellipsoids

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from manufactured import facing, place, random_gaps, random_radii, surface_normals

ASPECT = 5.0  # of bodies with known answers: semi-axes between 0.2 and 1 sizes


@dataclass(frozen=True)
class Pairs:
    """A at the origin, axis-aligned; B at (rotation, position)."""

    size: float  #: longest semi-axis [m]
    radii_a: np.ndarray  #: (N, 3)
    radii_b: np.ndarray
    rotation: np.ndarray  #: (N, 3, 3)
    position: np.ndarray  #: (N, 3)
    distance: np.ndarray | None = None  #: (N,) the truth, if known
    epsilon_a: np.ndarray | None = None  #: (N, 2) superellipsoids: Barr's exponents
    epsilon_b: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.position)

    def first(self, count: int) -> Pairs:
        arrays: dict[str, Any] = {f.name: v for f in fields(self) if isinstance(v := getattr(self, f.name), np.ndarray)}
        return replace(self, **{name: array[:count] for name, array in arrays.items()})

    def bodies(self) -> tuple[tg.Shape, tg.Shape]:
        if self.epsilon_a is None:
            return tg.Ellipsoid(self.radii_a), tg.Ellipsoid(self.radii_b)
        return tg.Superellipsoid(self.radii_a, self.epsilon_a), tg.Superellipsoid(self.radii_b, self.epsilon_b)

    def poses(self) -> np.ndarray:
        """(N, 4, 4) poses of B."""
        poses = np.tile(np.eye(4), (len(self), 1, 1))
        poses[:, :3, :3], poses[:, :3, 3] = self.rotation, self.position
        return poses


def ellipsoids(rng: np.random.Generator, count: int, gap: float, size: float) -> Pairs:
    """Ellipsoids that meet at random surface points, `gap` sizes apart (negative: overlapping)."""
    radii_a, radii_b = (size * random_radii(rng, count, ASPECT) for _ in range(2))
    sharpest = sum(radii.min(axis=-1) ** 2 / radii.max(axis=-1) for radii in (radii_a, radii_b))
    assert (-gap * size < sharpest).all(), "the depth would not be known to be the smallest"
    ones = np.ones((count, 2))
    return _meeting(rng, radii_a, radii_b, None, None, np.full(count, gap * size), size, ones, ones)


def superellipsoids(rng: np.random.Generator, count: int, *, near: bool) -> tuple[Pairs, Pairs]:
    """Superellipsoids, e 0.2 to 1.6, that meet at random surface points; and ellipsoids of the same radii and gaps.

    Gaps are uniform between 0 and 1 sizes, or `near`: one in ten touches, the others are from 1e-12 to
    10 sizes apart, uniform in the logarithm.
    """
    radii_a, radii_b = (random_radii(rng, count, ASPECT) for _ in range(2))
    eps_a, eps_b = (rng.uniform(0.2, 1.6, (count, 2)) for _ in range(2))
    gap = random_gaps(rng, np.ones(count)) if near else rng.random(count)
    ones = np.ones((count, 2))
    return (
        _meeting(rng, radii_a, radii_b, eps_a, eps_b, gap, 1.0, eps_a, eps_b),
        _meeting(rng, radii_a, radii_b, None, None, gap, 1.0, ones, ones),
    )


def _meeting(
    rng: np.random.Generator,
    radii_a: np.ndarray,
    radii_b: np.ndarray,
    eps_a: np.ndarray | None,
    eps_b: np.ndarray | None,
    gap: np.ndarray,
    size: float,
    for_normals_a: np.ndarray,
    for_normals_b: np.ndarray,
) -> Pairs:
    n, m = surface_normals(rng, radii_a, for_normals_a), surface_normals(rng, radii_b, for_normals_b)
    turn = facing(rng, n, m)
    shapes = Pairs(size, radii_a, radii_b, turn, np.zeros_like(n), None, eps_a, eps_b)
    problem = place(*shapes.bodies(), gap, n, turn)
    return Pairs(size, radii_a, radii_b, turn, problem.position, gap, eps_a, eps_b)


def study_a(rng: np.random.Generator, count: int) -> Pairs:
    """Römer 3-D, section 5.2, study A: random semi-axes below 1 (including needles and plates), mostly apart."""
    return Pairs(1.0, *random_ellipsoids(rng, count))
