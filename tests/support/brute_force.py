"""Depth of overlapping superellipsoids by brute force, from the definition of the support function in plain NumPy.

The signed distance is the largest value of F(n) = n.r - h_A(n) - h_B(-n) over all unit vectors n.  F is computed for
thousands of directions, then refined by random steps from the best of them.  Nothing is shared with the library.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manufactured import facing, random_radii, surface_normals, unit

AROUND = 2000  # directions all around
CROWDED = 500  # normals at random surface points of each body: they crowd the flat places, where F has narrow maxima
STARTS = 4
APART = 0.1  # smallest angle between two starts [rad]
STEPS = 1500  # of the search next to each
LONGEST, SHORTEST = 0.3, 1e-15  # of these steps [rad]


@dataclass(frozen=True)
class Pairs:
    """Superellipsoids: A at the origin, axis-aligned, B at (turn, place)."""

    radii_a: np.ndarray
    epsilon_a: np.ndarray
    radii_b: np.ndarray
    epsilon_b: np.ndarray
    turn: np.ndarray
    place: np.ndarray


def support(radii: np.ndarray, epsilon: np.ndarray, n: np.ndarray) -> np.ndarray:
    """h(n) of ((x/a)^(2/e2) + (y/b)^(2/e2))^(e2/e1) + (z/c)^(2/e1) = 1: the dual norms, exponents q = 2 / (2 - e)."""
    q1, q2 = np.moveaxis(2.0 / (2.0 - epsilon), -1, 0)
    x, y, z = np.moveaxis(np.abs(radii * n), -1, 0)
    return ((x**q2 + y**q2) ** (q1 / q2) + z**q1) ** (1.0 / q1)


def gap_along(pairs: Pairs, n: np.ndarray) -> np.ndarray:
    """F at the unit vectors n, of shape (..., pairs, 3)."""
    h_a = support(pairs.radii_a, pairs.epsilon_a, n)
    h_b = support(pairs.radii_b, pairs.epsilon_b, -np.einsum("kji,...kj->...ki", pairs.turn, n))
    return (n * pairs.place).sum(axis=-1) - h_a - h_b


def random_pairs(rng: np.random.Generator, count: int, low: float = 1e-4, high: float = 5e-2) -> Pairs:
    """Pairs with a common normal at depths from `low` to `high` longest semi-axes; e from 0.3 to 1.6, aspects up to 3.

    Half of them meet at random surface points, the others have uniform normals.  The manufactured depth is not always
    the smallest one.
    """
    radii = [random_radii(rng, count, 3.0) for _ in range(2)]
    epsilon = [rng.uniform(0.3, 1.6, (count, 2)) for _ in range(2)]
    crowded = rng.random(count) < 0.5
    n, m = (
        np.where(crowded[:, None], surface_normals(rng, r, e), unit(rng.normal(size=(count, 3))))
        for r, e in zip(radii, epsilon)
    )
    turn = facing(rng, n, m)
    depth = 10.0 ** rng.uniform(np.log10(low), np.log10(high), count)
    point_a, point_b = (point(r, e, v) for r, e, v in zip(radii, epsilon, (n, m)))
    place = point_a - depth[:, None] * n - np.einsum("kij,kj->ki", turn, point_b)
    return Pairs(radii[0], epsilon[0], radii[1], epsilon[1], turn, place)


def point(radii: np.ndarray, epsilon: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Boundary point with the normal n: the gradient of `support`, for normals in no coordinate plane."""
    q1, q2 = np.moveaxis(2.0 / (2.0 - epsilon), -1, 0)
    x, y, z = np.moveaxis(np.abs(radii * n), -1, 0)
    rho = (x**q2 + y**q2) ** (1.0 / q2)
    h = (rho**q1 + z**q1) ** (1.0 / q1)
    across = (rho / h) ** (q1 - 1.0)
    slopes = (across * (x / rho) ** (q2 - 1.0), across * (y / rho) ** (q2 - 1.0), (z / h) ** (q1 - 1.0))
    return np.sign(n) * radii * np.stack(slopes, axis=-1)


def _directions(rng: np.random.Generator, pairs: Pairs) -> np.ndarray:
    """Directions (AROUND + 2 CROWDED, pairs, 3)."""
    count = len(pairs.place)
    k = np.arange(AROUND) + 0.5
    z, angle = 1.0 - 2.0 * k / AROUND, np.pi * (1.0 + 5.0**0.5) * k
    rho = np.sqrt(1.0 - z * z)
    spiral = np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)
    parts = [np.broadcast_to(spiral[:, None], (AROUND, count, 3))]
    for radii, epsilon in ((pairs.radii_a, pairs.epsilon_a), (pairs.radii_b, pairs.epsilon_b)):
        many = (np.tile(v, (CROWDED, 1)) for v in (radii, epsilon))
        parts.append(surface_normals(rng, *many).reshape(CROWDED, count, 3))
    parts[2] = -np.einsum("kij,...kj->...ki", pairs.turn, parts[2])
    return np.concatenate(parts)


def _starts(n: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The best directions (STARTS, 3) of one pair, none close to a better one."""
    chosen: list[np.ndarray] = []
    for k in np.argsort(-f):
        if all(n[k] @ m < np.cos(APART) for m in chosen):
            chosen.append(n[k])
        if len(chosen) == STARTS:
            break
    return np.array(chosen)


def _climbed(rng: np.random.Generator, pairs: Pairs, n: np.ndarray) -> np.ndarray:
    """Largest F next to the directions (STARTS, pairs, 3), by random steps of three kinds.

    A step goes anywhere, or changes the components along the axes of A or of B by random factors: F has ridges where
    such a component is nearly zero, and these steps stay on them.  A step is as long as those of its kind that succeed,
    and one in four has any length.
    """
    turns = (np.broadcast_to(np.eye(3), pairs.turn.shape), pairs.turn)
    f, radii = gap_along(pairs, n), np.full((3, *n.shape[:-1]), LONGEST)
    for k in range(STEPS):
        kind, free = k % 3, k % 4 == 0
        length = 10.0 ** rng.uniform(np.log10(SHORTEST), np.log10(LONGEST), f.shape) if free else radii[kind]
        change = length[..., None] * rng.normal(size=n.shape)
        if kind < 2:
            local = np.einsum("kji,...kj->...ki", turns[kind], n)
            trial = unit(np.einsum("kij,...kj->...ki", turns[kind], local * (1.0 + change)))
        else:
            trial = unit(n + change)
        g = gap_along(pairs, trial)
        better = g > f
        n, f = np.where(better[..., None], trial, n), np.maximum(f, g)
        shorter = radii[kind] if free else np.maximum(0.8 * radii[kind], SHORTEST)
        radii[kind] = np.where(better, np.minimum(2.0 * length, LONGEST), shorter)
    return f


def largest_gap(rng: np.random.Generator, pairs: Pairs, block: int = 200) -> np.ndarray:
    """Largest F found for every pair: minus the penetration depth if bodies overlap."""
    result = []
    for start in range(0, len(pairs.place), block):
        some = Pairs(*(getattr(pairs, name)[start : start + block] for name in Pairs.__dataclass_fields__))
        n = _directions(rng, some)
        f = gap_along(some, n)
        starts = np.stack([_starts(n[:, k], f[:, k]) for k in range(len(some.place))], axis=1)
        result.append(_climbed(rng, some, starts).max(axis=0))
    return np.concatenate(result)
