"""Evaluations, bounds and errors of the default solver on problems with known answers, as a Markdown table.

    python benchmarks/measure_solver.py            20,000 pairs per row, about a minute
    python benchmarks/measure_solver.py 1000       fewer pairs

The table is shown in docs/solver.md.  Problems come from tests/support/manufactured.py.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from manufactured import Problem, ellipsoids, place, random_pairs, random_radii, superellipsoids, unit

HEADER = """\
| pairs | converged | proved | mean | median | 99 % | largest | error | bounds |
|---|---|---|---|---|---|---|---|---|"""


def boxes(rng: np.random.Generator, radii: np.ndarray) -> tg.Shape:
    return tg.Box(radii)


def round_boxes(rng: np.random.Generator, radii: np.ndarray) -> tg.Shape:
    return tg.rounded_box(radii, 0.2 * radii.min(axis=-1))


def eggs(rng: np.random.Generator, radii: np.ndarray) -> tg.Shape:
    return tg.Ellipsoid(radii)


def pills(rng: np.random.Generator, radii: np.ndarray) -> tg.Shape:
    return tg.Superellipsoid(radii, rng.uniform(0.1, 1.9, (len(radii), 2)))


def apart(make_a: Callable, make_b: Callable) -> Callable:
    """Aspect up to 5, uniform normals, touching or apart."""

    def problem(rng: np.random.Generator, count: int) -> Problem:
        a, b = make_a(rng, random_radii(rng, count, 5.0)), make_b(rng, random_radii(rng, count, 5.0))
        return random_pairs(rng, a, b, count)

    return problem


def overlapping(make_a: Callable, make_b: Callable, deepest: float) -> Callable:
    """Aspect up to 5, uniform normals, a common normal of depth up to `deepest` times the smallest radius."""

    def problem(rng: np.random.Generator, count: int) -> Problem:
        radii_a, radii_b = random_radii(rng, count, 5.0), random_radii(rng, count, 5.0)
        depth = rng.uniform(0.0, deepest, count) * np.minimum(radii_a.min(axis=-1), radii_b.min(axis=-1))
        turn = Rotation.random(count, rng=rng).as_matrix()
        return place(make_a(rng, radii_a), make_b(rng, radii_b), -depth, unit(rng.normal(size=(count, 3))), turn)

    return problem


FAMILIES: dict[str, Callable[[np.random.Generator, int], Problem]] = {
    "ellipsoids up to 1000:1, uniform normals": lambda rng, n: ellipsoids(rng, n, aspect=1000.0, surface=False),
    "ellipsoids up to 1000:1, surface points": lambda rng, n: ellipsoids(rng, n, aspect=1000.0, surface=True),
    "superellipsoids, e 0.1-1.9, surface points": superellipsoids,
    "superellipsoids, e 0.1-0.5 (flat), surface points": lambda rng, n: superellipsoids(rng, n, low=0.1, high=0.5),
    "rounded boxes": apart(round_boxes, round_boxes),
    "superellipsoids and rounded boxes": apart(pills, round_boxes),
    "boxes": apart(boxes, boxes),
    "ellipsoids, overlap up to 1/3 radius": overlapping(eggs, eggs, 1 / 3),
    "ellipsoids, overlap up to 2 radii": overlapping(eggs, eggs, 2.0),
    "rounded boxes, overlap up to 1/3 radius": overlapping(round_boxes, round_boxes, 1 / 3),
    "superellipsoids, overlap up to 1/3 radius": overlapping(pills, pills, 1 / 3),
    "boxes, overlap up to 1/3 radius": overlapping(boxes, boxes, 1 / 3),
}


def row(name: str, problem: Problem, c: tg.Contact) -> str:
    size = problem.size
    proved = c.status <= tg.Status.OVERLAP_PROVED
    # A prescribed overlap is a common normal, but not always the shallowest, so there is no reference to compare with.
    known = bool((problem.gap >= 0).all())
    error = f"{(np.abs(c.distance - problem.gap) / size).max():.0e}" if known else ""
    width = ((c.upper - c.lower) / size)[proved].max()
    e = c.evaluations
    return (
        f"| {name} | {percent(c.converged)} | {percent(proved)} | {e.mean():.1f} | {np.median(e):.0f} | "
        f"{np.percentile(e, 99):.0f} | {e.max()} | {error} | {width:.0e} |"
    )


def percent(part: np.ndarray) -> str:
    if part.all():
        return "all"
    return f"{100 * part.mean():.3f} %"


def main(count: int) -> None:
    print(HEADER)
    for seed, (name, make) in enumerate(FAMILIES.items()):
        problem = make(np.random.default_rng(seed), count)
        print(row(name, problem, problem.contact()), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
