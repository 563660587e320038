"""Moving pairs whose contact is known: both bodies are put into contact at a time, and their motion is traced back.

At the time `contact` the bodies touch with a common normal, or miss each other by a known gap when the approach is zero
there.  What happened before is not constructed: a search may find an earlier contact, which is then checked by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

Make = Callable[[np.random.Generator, int], tg.Shape]


class MovingPairs(NamedTuple):
    """A stack of problems."""

    a: tg.Shape
    b: tg.Shape
    motion_a: tg.Drift | tg.Screw
    motion_b: tg.Drift | tg.Screw
    begin: np.ndarray
    end: np.ndarray
    contact: np.ndarray  # time of the constructed contact
    gap: np.ndarray  # distance at that time
    approach: np.ndarray  # speed of approach there
    size: np.ndarray  # half diagonals of both boxes


def _unit(rng: np.random.Generator, count: int) -> np.ndarray:
    n = rng.normal(size=(count, 3))
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def radii(rng: np.random.Generator, count: int, low: float = 0.2, high: float = 2.0) -> np.ndarray:
    return np.exp(rng.uniform(np.log(low), np.log(high), (count, 3)))


def ellipsoids(rng: np.random.Generator, count: int) -> tg.Shape:
    return tg.Ellipsoid(radii(rng, count))


def superellipsoids(rng: np.random.Generator, count: int) -> tg.Shape:
    return tg.Superellipsoid(radii(rng, count), rng.uniform(0.3, 1.7, (count, 2)))


def boxes(rng: np.random.Generator, count: int) -> tg.Shape:
    return tg.Box(radii(rng, count))


def cylinders(rng: np.random.Generator, count: int) -> tg.Shape:
    return tg.Cylinder(radii(rng, count)[:, 0], radii(rng, count)[:, 1])


def cones(rng: np.random.Generator, count: int) -> tg.Shape:
    return tg.Cone(radii(rng, count)[:, 0], radii(rng, count)[:, 1])


class Touched(NamedTuple):
    """Where a body is touched: outward normals and points, in its own frame."""

    normal: np.ndarray
    point: np.ndarray


def _touched(rng: np.random.Generator, shape: tg.Shape, count: int) -> Touched:
    """Random places of bodies; of boxes, on a face, an edge or at a corner, in equal parts."""
    m = _unit(rng, count)
    if not isinstance(shape, tg.Box):
        return Touched(m, shape.point(m))
    half, order, kind = shape._box()[0], np.abs(m).argsort(axis=1).argsort(axis=1), rng.integers(3, size=(count, 1))
    m = np.where(order >= kind, m, 0.0)
    m /= np.linalg.norm(m, axis=1, keepdims=True)
    return Touched(m, half * np.where(m != 0.0, np.sign(m), rng.uniform(-0.95, 0.95, (count, 3))))


def _turned_to(rng: np.random.Generator, m: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Random rotations that map m to n."""
    start = Rotation.random(len(m), rng=rng)
    now = start.apply(m)
    axis = np.cross(now, n)
    sine, cosine = np.linalg.norm(axis, axis=1), (now * n).sum(axis=1)
    return (Rotation.from_rotvec(axis * (np.arctan2(sine, cosine) / sine)[:, None]) * start).as_matrix()


def size_of(*shapes: tg.Shape) -> np.ndarray:
    return sum(np.linalg.norm(shape._box()[0], axis=-1) for shape in shapes)  # type: ignore[return-value]


def moving_pairs(
    rng: np.random.Generator,
    count: int,
    make_a: Make = ellipsoids,
    make_b: Make = ellipsoids,
    *,
    turns: float = 1.0,
    scale_b: float = 1.0,
    grazing: float | None = None,
    duration: float = 1.0,
    motion: type[tg.Drift | tg.Screw] = tg.Drift,
) -> MovingPairs:
    """Random problems: speeds such that the bodies come from a few sizes away.

    `turns` is the largest number of turns of each body; `scale_b` shrinks B (a bullet); `grazing` is the gap, in sizes,
    of an encounter without approach.
    """
    a, b = make_a(rng, count), make_b(rng, count)
    if scale_b != 1.0:
        b = b.affine(scale_b * np.eye(3)) if not isinstance(b, tg.Ellipsoid) else tg.Ellipsoid(scale_b * b.radii)
    size, n = size_of(a, b), _unit(rng, count)
    at_a, at_b = _touched(rng, a, count), _touched(rng, b, count)
    turn_a, turn_b = _turned_to(rng, at_a.normal, n), _turned_to(rng, at_b.normal, -n)
    arm_a, arm_b = (np.einsum("kij,kj->ki", turn, at.point) for turn, at in ((turn_a, at_a), (turn_b, at_b)))
    gap = np.full(count, 0.0 if grazing is None else grazing) * size
    place_a = rng.normal(size=(count, 3))
    place_b = place_a + arm_a + gap[:, None] * n - arm_b
    spins = [_unit(rng, count) * (2.0 * np.pi * turns / duration * rng.random((count, 1))) for _ in range(2)]
    speed = rng.uniform(0.5, 5.0, (count, 1)) * size[:, None] / duration
    v_a, v_b = 0.3 * speed * rng.normal(size=(count, 3)), speed * _unit(rng, count)
    # The approach of the two points that touch.
    rate = ((v_b + np.cross(spins[1], arm_b) - v_a - np.cross(spins[0], arm_a)) * n).sum(axis=1)
    wanted = np.zeros(count) if grazing is not None else -speed[:, 0] * 10.0 ** rng.uniform(-2.0, 0.0, count)
    v_b += (wanted - rate)[:, None] * n
    # Both are the faster the more they turn: start where the spheres about them are apart.
    contact = rng.uniform(0.4, 1.0, count) * duration
    motions = [
        motion((turn, place), v, spin, time=contact)
        for turn, place, v, spin in ((turn_a, place_a, v_a, spins[0]), (turn_b, place_b, v_b, spins[1]))
    ]
    end = contact + 0.3 * duration
    return MovingPairs(a, b, motions[0], motions[1], np.zeros(count), end, contact, gap, -wanted, size)


class Score(NamedTuple):
    """Numbers of problems."""

    problems: int
    at_start: int  # touching or overlapping at the start: no problem
    earlier: int  # with another contact before the constructed one, checked by itself
    missed: int
    late: int
    wrong: int  # a claim that does not hold
    not_converged: int
    evaluations: float  # mean
    most: int


def judged(problems: MovingPairs, found: tg.Impact, rng: np.random.Generator, samples: int = 20) -> Score:
    """Score of results, checked by contacts at single times."""
    status, delta = found.status, found.tolerance
    start = np.isin(status, [tg.ImpactStatus.TOUCHING_AT_START, tg.ImpactStatus.OVERLAPPING_AT_START])
    failed = ~found.converged
    hit = found.hit & ~start
    touched = problems.gap <= 0.0
    # Rounding errors of the construction, as times; a grazing contact lies at the very time at which it was made.
    transversal = problems.approach > 0.0
    slack = np.where(transversal, 1e-13 * problems.size / np.where(transversal, problems.approach, 1.0), 0.0) + 1e-15
    missed = touched & (status == tg.ImpactStatus.FREE)
    late = touched & ~start & ~failed & ~missed & (found.lower > problems.contact + slack)
    late |= (
        hit
        & touched
        & (problems.approach > 0.0)
        & (found.time > problems.contact + delta / np.maximum(problems.approach, 1e-30) + slack)
    )
    wrong = np.zeros(len(status), bool)
    # What upper claims.
    at = np.where(hit, found.upper, problems.begin)
    there = tg.contact(problems.a, problems.b, problems.motion_a.pose(at), problems.motion_b.pose(at))
    wrong |= (status == tg.ImpactStatus.IMPACT) & ~(there.lower <= 0.0)
    wrong |= (status == tg.ImpactStatus.TOUCH) & ~(there.lower <= delta)
    # What lower claims.
    for k in range(samples + 1):
        part = rng.random(len(status)) if k else 1.0
        at = problems.begin + part * (found.lower - problems.begin)
        there = tg.contact(problems.a, problems.b, problems.motion_a.pose(at), problems.motion_b.pose(at))
        wrong |= ~start & ~(there.upper > 0.0)
    impact = status == tg.ImpactStatus.IMPACT
    earlier = hit & (found.upper < problems.contact - slack) & ((problems.gap == 0.0) | (problems.approach > 0.0))
    early = earlier & impact if problems.approach.any() else earlier
    return Score(
        len(status), int(start.sum()), int(early.sum()), int(missed.sum()), int(late.sum()), int(wrong.sum()),
        int(failed.sum()), float(found.evaluations[~start].mean()), int(found.evaluations.max(initial=0)),
    )  # fmt: skip
