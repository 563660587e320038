"""Random contact queries over all families, sizes and placements, judged in extended precision.

    python tests/sweep.py 100000            # queries over random ordered pairs of families
    python tests/sweep.py 100000 --seed 3 --only superovoid,box

`tests/test_bounds.py` runs a short sweep.  A query fails if a proved bound is violated, if a status claims too
much, or if a field of the contact is not a finite number.  Queries that did not converge are counted.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

import extended
import tangency as tg
from extended import LONG
from families import FAMILIES
from manufactured import unit
from tangency.pose import Poses

POOL = 48  # bodies of each family
LENGTHS = {  # fields that are lengths, where they are not a, b, c
    "Sphere": "radius", "HarmonicShape": "scaled", "SplineShape": "flat", "Segment": "half_length",
    "Hull": "coordinates", "Offset": "distance", "MinkowskiSum": "", "Affine": "x y z", "Egg": "radius skew",
    "EggByPoint": "radius skew", "Cylinder": "radius half_length", "Cone": "radius half_length top_radius",
}  # fmt: skip
PLACEMENTS = ("touching", "near", "far", "overlapping", "nested", "concentric", "aligned", "identical")


def scaled(shape: tg.Shape, factor: np.ndarray) -> tg.Shape:
    """A stack (N,) of bodies, each as many times as large."""
    lengths = LENGTHS.get(type(shape).__name__, "a b c").split()
    fields = {}
    for name, value in shape._fields.items():
        if isinstance(value, tg.Shape):
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

    a: tg.Shape
    b: tg.Shape
    pose_a: tuple[np.ndarray, np.ndarray]
    pose_b: tuple[np.ndarray, np.ndarray]
    placement: np.ndarray

    def contact(self, **options) -> tg.Contact:
        return tg.contact(self.a, self.b, self.pose_a, self.pose_b, **options)


def pools(rng: np.random.Generator, count: int = POOL) -> dict[str, tg.Shape]:
    """So many bodies of each family."""
    return {name: family.make(rng, (count,)) for name, family in FAMILIES.items()}


def rotations(rng: np.random.Generator, count: int) -> np.ndarray:
    """Random, half of them; else quarter turns and the identity."""
    random = Rotation.random(count, rng=rng).as_matrix()
    quarter = np.round(Rotation.create_group("O").as_matrix())[rng.integers(0, 24, count)]
    kind = rng.integers(0, 4, count)[:, None, None]
    return np.where(kind < 2, random, np.where(kind == 2, quarter, np.eye(3)))


def draw(rng: np.random.Generator, body_a: tg.Shape, body_b: tg.Shape, count: int, *, decades: float = 30.0) -> Queries:
    """Pairs of bodies from two pools; sizes between 10^-decades and 10^decades."""
    same = body_a is body_b
    i, j = rng.integers(0, len(body_a), count), rng.integers(0, len(body_b), count)
    placement = rng.integers(0, len(PLACEMENTS) - (0 if same else 1), count)
    identical = placement == PLACEMENTS.index("identical")
    j = np.where(identical, i, j)
    scale_a = 10.0 ** rng.uniform(-decades, decades, count)
    ratio = np.choose(rng.integers(0, 3, count), [np.ones(count), 10.0 ** rng.uniform(-4, 4, count),
                                                  10.0 ** rng.uniform(-decades, decades, count) / scale_a])  # fmt: skip
    scale_b = scale_a * np.where(identical, 1.0, ratio)
    a, b = scaled(body_a.take(i), scale_a), scaled(body_b.take(j), scale_b)
    r_a, r_b = rotations(rng, count), rotations(rng, count)
    r_b = np.where((identical | (placement == PLACEMENTS.index("aligned")))[:, None, None], r_a, r_b)
    size_a, size_b = (np.broadcast_to(s.bounding_radius, count) for s in (a, b))
    size = size_a + size_b

    slanted = np.where(rng.random((count, 1)) < 0.3, rng.uniform(-12, 0, (count, 3)), 0)
    n = unit(rng.normal(size=(count, 3)) * 10.0**slanted)
    point_a = np.einsum("kij,kj->ki", r_a, a.point(np.einsum("kji,kj->ki", r_a, n)))
    point_b = np.einsum("kij,kj->ki", r_b, b.point(-np.einsum("kji,kj->ki", r_b, n)))
    tiny = 10.0 ** rng.uniform(-17, -9, count) * rng.choice([-1.0, 0.0, 1.0], count)
    near, far = 10.0 ** rng.uniform(-9, 1, count), 10.0 ** rng.uniform(1, 12, count)
    gap = np.choose(np.minimum(placement, 2), [tiny, near, far])
    manufactured = point_a - point_b + (gap * size)[:, None] * n
    inside = n * (size * rng.uniform(0, 0.8, count))[:, None]
    small = n * (size * 10.0 ** rng.uniform(-20, -1, count))[:, None]
    axis = np.eye(3)[rng.integers(0, 3, count)] * (size * rng.choice([0.0, 0.3, 1.0, 1.5], count))[:, None]
    same_place = n * (size * 10.0 ** rng.uniform(-18, 0, count) * (rng.random(count) < 0.7))[:, None]
    places = [manufactured, manufactured, manufactured, inside, small, 0 * n, axis, same_place]
    between = np.choose(placement[:, None], places)
    away = size * 10.0 ** rng.uniform(-3, 3, count) * (rng.random(count) < 0.5)
    home = rng.normal(size=(count, 3)) * away[:, None]
    return Queries(a, b, (r_a, home), (r_b, home + between), placement)


def gap_along(queries: Queries, contact: tg.Contact, n: np.ndarray) -> np.ndarray:
    """F(n) of the bodies where the contact has put them: a lower bound on the distance, in extended precision."""
    poses = [Poses(rows, leading) for _, rows, leading in contact._bodies]
    (r_a, t_a), (r_b, t_b) = ((np.asarray(p.rotation, LONG), np.asarray(p.translation, LONG)) for p in poses)
    n = n / extended.length(n)[..., None]
    h_a = extended.support(queries.a, (r_a * n[..., :, None]).sum(axis=-2))
    h_b = extended.support(queries.b, -(r_b * n[..., :, None]).sum(axis=-2))
    return (n * (t_b - t_a)).sum(axis=-1) - h_a - h_b


def part(queries: Queries, contact: tg.Contact, index: np.ndarray) -> tuple[Queries, tg.Contact]:
    poses = [(r[index], t[index]) for r, t in (queries.pose_a, queries.pose_b)]
    some = Queries(queries.a.take(index), queries.b.take(index), *poses, queries.placement[index])
    return some, contact[index]


def climbed(rng: np.random.Generator, queries: Queries, contact: tg.Contact) -> np.ndarray:
    """Largest F next to the contact's normal, by random steps of all lengths; kinks lie along axes of the bodies."""
    n = np.asarray(contact.normal, LONG)
    best, radius = gap_along(queries, contact, n), np.full(len(n), LONG(1e-3))
    for r in (queries.pose_a[0], queries.pose_b[0]):
        local = np.einsum("kji,kj->ki", r, contact.normal)
        for least in 10.0 ** np.arange(-16, -2):
            trial = np.einsum("kij,kj->ki", r, np.where(abs(local) < least, 0.0, local))
            f = gap_along(queries, contact, trial.astype(LONG))
            n, best = np.where((f > best)[:, None], trial, n), np.maximum(best, f)
    for _ in range(400):
        trial = n + radius[:, None] * rng.normal(size=n.shape)
        f = gap_along(queries, contact, trial)
        better = f > best
        n, best = np.where(better[:, None], trial, n), np.maximum(best, f)
        radius = np.where(better, radius * 2, np.maximum(radius * LONG(0.8), LONG(1e-21)))
        radius = np.where(rng.random(len(n)) < 0.05, 10.0 ** rng.uniform(-19, -2, len(n)), radius)
    return best


@dataclass
class Report:
    """What a sweep found."""

    queries: int = 0
    status: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unconverged: Counter = field(default_factory=Counter)
    cases: list[tuple[str, Queries, int]] = field(default_factory=list)  # failures and what did not converge


def judge(rng: np.random.Generator, name: str, queries: Queries, report: Report, **options) -> tg.Contact:
    """Ask for the contacts, and judge every bound, status and number."""
    c = queries.contact(**options)
    count = len(c)
    report.queries += count
    for code, number in zip(*np.unique(c.status, return_counts=True)):
        report.status[tg.Status(int(code)).name] += int(number)

    def complain(what: str, wrong: np.ndarray, amount: np.ndarray | None = None) -> None:
        for k in np.flatnonzero(wrong)[:5]:
            note = "" if amount is None else f" by {float(amount[k] / size[k]):.3g} sizes"
            where = PLACEMENTS[queries.placement[k]]
            report.cases.append((what, queries, k))
            report.failures.append(f"{name} [{k}] {where} {tg.Status(int(c.status[k])).name}: {what}{note}")
        if wrong.sum() > 5:
            report.failures.append(f"{name}: {what}, {int(wrong.sum()) - 5} times more")

    poses = queries.pose_b[1] - queries.pose_a[1]
    size = queries.a.bounding_radius + queries.b.bounding_radius + np.linalg.norm(poses, axis=-1)
    fields = (c.distance, c.lower, c.upper, c.normal, c.point_a, c.point_b)
    finite = np.all([np.isfinite(v.reshape(count, -1)).all(axis=1) for v in fields], axis=0)
    complain("not a finite number", ~finite)
    complain("normal is no unit vector", np.abs(np.linalg.norm(c.normal, axis=-1) - 1.0) > 1e-14)
    complain("lower <= distance <= upper fails", ~((c.lower <= c.distance) & (c.distance <= c.upper)))
    for k in np.flatnonzero(~c.converged):
        report.unconverged[f"{name} {PLACEMENTS[queries.placement[k]]}"] += 1
        report.cases.append(("did not converge", queries, k))

    n = np.where(finite[:, None], c.normal, [0.0, 0.0, 1.0]).astype(LONG)
    f = gap_along(queries, c, n)
    doubtful = np.flatnonzero(finite & (f < c.lower))
    if len(doubtful):
        most = f.copy()
        most[doubtful] = climbed(rng, *part(queries, c, doubtful))
        complain("lower is violated", finite & (most < c.lower), c.lower - most)
    for spread in (0.0, 1e-4, 1e-1):
        g = f if spread == 0.0 else gap_along(queries, c, n + spread * rng.normal(size=n.shape))
        complain("upper is violated", finite & (g > c.upper), g - c.upper)
    return c


def sweep(
    count: int, seed: int = 1, only: list[str] | None = None, each: int = 250, decades: float = 30.0, pool: int = POOL,
    report_every: float = 60.0,
) -> Report:  # fmt: skip
    """Judge at least `count` queries, `each` of a pair of families at a time."""
    rng = np.random.default_rng(seed)
    bodies, report = pools(rng, pool), Report()
    names = list(FAMILIES)
    pairs = [(p, q) for p in names for q in names if not only or any(o in (p, q) for o in only)]
    order, said = [], time.monotonic()
    while report.queries < count:
        order = order or [pairs[k] for k in rng.permutation(len(pairs))]
        p, q = order.pop()
        judge(rng, f"{p} / {q}", draw(rng, bodies[p], bodies[q], each, decades=decades), report)
        if time.monotonic() - said > report_every:
            said = time.monotonic()
            print(report.queries, dict(report.status), len(report.failures), "failures", flush=True)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--each", type=int, default=250)
    parser.add_argument("--decades", type=float, default=30.0)
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    report = sweep(options.count, options.seed, only, options.each, options.decades)
    print(report.queries, "queries", dict(report.status))
    print(sum(report.unconverged.values()), "not converged")
    for name, number in report.unconverged.most_common(40):
        print("   ", number, name)
    print(len(report.failures), "failures")
    for line in report.failures[:200]:
        print("   ", line)


if __name__ == "__main__":
    main()
