"""Overlap beside separation, for every family of shapes: time per pair, and the share of proved depths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

from .engine import Engine, Query, Run
from .problems import facing, place, random_radii, surface_normals
from .table import Table, digits
from .timing import best

GAPS = {"apart": 0.1, "1e-4": -1e-4, "1e-3": -1e-3, "1e-2": -1e-2, "0.05": -0.05, "0.2": -0.2}
SHALLOW = ("1e-4", "1e-3", "1e-2", "0.05")
HEADER = ("A", "B", *(f"{name}, us" if name == "apart" else f"depth {name}" for name in GAPS), "ratio", "proved")
REMARKS = (
    "Pairs with a common normal at the given depth, in units of the longest semi-axis; aspect ratios up to 3, one "
    "thread, microseconds of processor time per pair. Superellipsoids with an interval of exponents e meet at random "
    "surface points, all others have uniform normals. Ratio: the slowest depth up to 0.05 to the same pairs apart. "
    "Proved: all depths.",
)
TAPER = [1.0, 0.15, 0.0, 0.0]
FORMULA = "sqrt(a**2*nx**2 + b**2*ny**2 + c**2*nz**2) + 0.1*b*nz"
SHEAR = [[1.0, 0.3, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]]

Make = Callable[[np.random.Generator, np.ndarray], tg.Shape]
FAMILIES: dict[str, Make] = {
    "ellipsoid": lambda rng, r: tg.Ellipsoid(r),
    "superellipsoid": lambda rng, r: tg.Superellipsoid(r, rng.uniform(0.3, 1.6, (len(r), 2))),
    "power ellipsoid": lambda rng, r: tg.PowerEllipsoid(r, 2.0 / rng.uniform(0.3, 1.6, (len(r), 3))),
    "ovoid": lambda rng, r: tg.Ovoid(r, TAPER, TAPER),
    "superovoid": lambda rng, r: tg.Superovoid(r, [2.5, 2.2, 2.0], TAPER, TAPER),
    "tapered superellipsoid": lambda rng, r: tg.TaperedSuperellipsoid(r, (0.8, 0.7), (0.2, 0.2)),
    "harmonic shape": lambda rng, r: tg.HarmonicShape.from_shape(tg.Ellipsoid([1.0, 0.8, 0.7]), degree=8),
    "spline": lambda rng, r: tg.SplineShape.from_shape(tg.Ellipsoid([1.0, 0.8, 0.7]), cells=6),
    "formula": lambda rng, r: tg.from_support(FORMULA, a=r[:, 0], b=r[:, 1], c=r[:, 2]),
    "affine superellipsoid": lambda rng, r: FAMILIES["superellipsoid"](rng, r).affine(SHEAR),
    "Minkowski sum": lambda rng, r: tg.Ellipsoid(0.5 * r) + tg.Superellipsoid(0.5 * r, (0.7, 1.2)),
    "capsule": lambda rng, r: tg.capsule(0.5 * r[:, 0], r[:, 1]),
    "rounded box": lambda rng, r: tg.Box(0.8 * r).offset(0.2 * r.min(axis=-1)),
    "box": lambda rng, r: tg.Box(r),
    "hull": lambda rng, r: tg.Hull(tg.Ellipsoid(r[:, None]).point(rng.normal(size=(len(r), 30, 3)))),
    "cylinder": lambda rng, r: tg.Cylinder(r[:, 0], r[:, 1]),
}


def contact(problem: object) -> Query:
    def query() -> Run:
        start = process_time()
        c = problem.contact(threads=1)  # type: ignore[attr-defined]
        seconds = process_time() - start
        proved = (c.status == tg.Status.APART) | (c.status == tg.Status.OVERLAP_PROVED)
        return Run(seconds, c.distance, c.lower, c.upper, proved)

    return query


def row(name_a: str, name_b: str, problems: dict[str, object]) -> tuple[str, ...]:
    runs = best({gap: contact(problem) for gap, problem in problems.items()})
    slowest = max(runs[gap].seconds for gap in SHALLOW) / runs["apart"].seconds
    proved = np.mean([run.converged.mean() for run in runs.values() if run.converged is not None])
    times = (digits(1e-3 * run.nanoseconds) for run in runs.values())
    return (name_a, name_b, *times, digits(slowest), f"{100.0 * proved:.4g} %")


def meeting(low: float, high: float, count: int) -> dict[str, object]:
    """Superellipsoids that meet at random surface points."""
    rng = np.random.default_rng(1)
    radii = [random_radii(rng, count, 3.0) for _ in range(2)]
    epsilon = [rng.uniform(low, high, (count, 2)) for _ in range(2)]
    n, m = (surface_normals(rng, r, e) for r, e in zip(radii, epsilon))
    turn = facing(rng, n, m)
    a, b = (tg.Superellipsoid(r, e) for r, e in zip(radii, epsilon))
    return {name: place(a, b, np.full(count, gap), n, turn) for name, gap in GAPS.items()}


def uniform(make_a: Make, make_b: Make, count: int) -> dict[str, object]:
    """Bodies with uniform normals and random orientations."""
    rng = np.random.default_rng(2)
    a, b = (make(rng, random_radii(rng, count, 3.0)) for make in (make_a, make_b))
    n, turn = rng.normal(size=(count, 3)), Rotation.random(count, rng=rng).as_matrix()
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    return {name: place(a, b, np.full(count, gap), n, turn) for name, gap in GAPS.items()}


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """What happens next, as text; the table last."""
    rows = []
    for low, high in ((0.9, 1.1), (0.3, 1.6)):
        name = f"superellipsoid, e {low} to {high}"
        yield f"overlap: {name}"
        rows.append(row(name, "the same", meeting(low, high, 200 if quick else 4000)))
    for name, make in FAMILIES.items():
        for other in dict.fromkeys(("ellipsoid", "superellipsoid", name)):
            yield f"overlap: {name} and {other}"
            rows.append(row(name, other, uniform(make, FAMILIES[other], 50 if quick else 1000)))
    yield Table("overlap", "Overlap beside separation", HEADER, rows, REMARKS)
