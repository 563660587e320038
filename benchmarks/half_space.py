"""A half-space against very many bodies: is the speed limited by memory or by powers?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import tangency as tg

from .clock import seconds
from .engine import Engine, Query, Run
from .table import Table, digits
from .timing import best

#: Powers in the support function and point of one superellipsoid: two norms (u^q + v^q)^(1/q), each one power of
#: the ratio and one root.
POWERS = 4
HEADER = ("bodies", "ns per body", "bytes per body", "GB/s", "of a copy", "powers", "ns per power", "of NumPy's")


def contact(body: tg.Shape, threads: int | None) -> Query:
    plane = tg.HalfSpace([0.0, 0.0, 1.0], 0.0)
    count = len(body)
    rng = np.random.default_rng(0)
    pose = (Rotation.random(count, rng=rng).as_matrix(), rng.random((count, 3)))

    def query() -> Run:
        start = seconds()
        c = tg.contact(plane, body, None, pose, threads=threads)
        return Run(seconds() - start, c.distance, c.lower, c.upper, c.converged)

    return query


def traffic(body: tg.Shape, parameters: int) -> float:
    """Unavoidable bytes per body: poses and parameters in, the arrays of the result out."""
    few = body[:1000]
    pose = (np.tile(np.eye(3), (1000, 1, 1)), np.ones((1000, 3)))
    c = tg.contact(tg.HalfSpace([0.0, 0.0, 1.0], 0.0), few, None, pose)
    names = ("distance", "normal", "point_a", "point_b", "lower", "upper", "status", "iterations", "evaluations")
    # Arrays that share memory count once; one row for all bodies does not count.
    results = {array.ctypes.data: array.nbytes for name in names if (array := getattr(c, name)).strides[0]}
    return 8 * parameters + (sum(v.nbytes for v in pose) + sum(results.values())) / 1000


def copy(count: int) -> Query:
    """One thread, NumPy, eight bytes in and eight out."""
    source, target = np.ones(count), np.zeros(count)

    def query() -> Run:
        start = seconds()
        np.copyto(target, source)
        return Run(seconds() - start, target)

    return query


def power(count: int) -> Query:
    """One thread, NumPy, bases between 0 and 1, exponents as superellipsoids have them."""
    rng = np.random.default_rng(0)
    base, exponent = rng.random(count), rng.uniform(1.1, 5.0, count)

    def query() -> Run:
        start = seconds()
        found = base**exponent
        return Run(seconds() - start, found)

    return query


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """Progress messages, then the table."""
    count = 100_000 if quick else 1_000_000
    yield f"half-space: {count:,} bodies"
    rng = np.random.default_rng(0)
    radii = rng.uniform(0.2, 1.0, (count, 3))
    bodies = {
        "ellipsoids": (tg.Ellipsoid(radii), 3, 0),
        "superellipsoids, e 0.2-1.6": (tg.Superellipsoid(radii, rng.uniform(0.2, 1.6, (count, 2))), 5, POWERS),
    }
    queries = {
        (name, label): contact(body, threads)
        for name, (body, *_) in bodies.items()
        for label, threads in (("1 thread", 1), ("all cores", None))
    }
    runs = best({**queries, "copy": copy(20_000_000), "power": power(count)})
    bandwidth, one_power = 16.0 / runs["copy"].nanoseconds, runs["power"].nanoseconds
    rows = []
    for name, label in queries:
        run, (body, parameters, powers) = runs[name, label], bodies[name]
        moved = traffic(body, parameters)
        rate = moved / run.nanoseconds
        row = [f"{name}, {label}", digits(run.nanoseconds), f"{moved:.0f}", digits(rate), f"{rate / bandwidth:.0%}"]
        if powers:
            each = run.nanoseconds / powers
            row += [str(powers), digits(each), digits(each / one_power)]
        rows.append((*row, *[""] * (len(HEADER) - len(row))))
    yield Table(
        "half_space",
        f"Half-space against {count:,} bodies",
        HEADER,
        rows,
        (
            f"A NumPy copy moves {bandwidth:.1f} GB/s here (read and written, one thread), a NumPy power of doubles "
            f"takes {one_power:.1f} ns. Bytes: poses and parameters in, results out, intermediate arrays not counted.",
        ),
    )
