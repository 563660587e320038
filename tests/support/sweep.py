"""Random contact queries over all families, sizes and placements, judged in extended precision.

    python tests/support/sweep.py 100000            # queries over random ordered pairs of families
    python tests/support/sweep.py 100000 --seed 3 --only superovoid,box
    python tests/support/sweep.py 100000 --overlapping    # placements that overlap, most of them

`tests/solvers/test_bounds.py` runs a short sweep.  A query fails if a proved bound is violated, if a status claims too
much, or if a field of the contact is not a finite number.  Queries that did not converge are counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np

from families import FAMILIES
from judgement import Report, judge
from queries import ALL, OVERLAPPING, POOL, Body, draw, pools


def judge_pairs(
    rng: np.random.Generator, name: str, bodies: tuple[Body, Body], count: int, report: Report, **options
) -> None:
    """Judge random queries between bodies of two pools; options of `draw`."""
    judge(rng, name, draw(rng, *bodies, count, **options), report)


def sweep(
    count: int,
    seed: int = 1,
    only: list[str] | None = None,
    each: int = 250,
    decades: float = 30.0,
    pool: int = POOL,
    report_every: float = 60.0,
    judge_pairs: Callable[..., object] = judge_pairs,
    families: dict = FAMILIES,
    kinds: Sequence[str] = ALL,
) -> Report:
    """Judge at least `count` queries, `each` of a pair of families at a time."""
    rng = np.random.default_rng(seed)
    bodies, report = pools(rng, pool, families), Report()
    names = list(families)
    pairs = [(p, q) for p in names for q in names if not only or any(o in (p, q) for o in only)]
    order, said = [], time.monotonic()
    while report.queries < count:
        order = order or [pairs[k] for k in rng.permutation(len(pairs))]
        p, q = order.pop()
        judge_pairs(rng, f"{p} / {q}", (bodies[p], bodies[q]), each, report, decades=decades, kinds=kinds)
        if time.monotonic() - said > report_every:
            said = time.monotonic()
            print(report.queries, dict(report.status), len(report.failures), "failures", flush=True)
    return report


def main(sweep: Callable[..., Report] = sweep, description: str | None = __doc__) -> None:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--each", type=int, default=250)
    parser.add_argument("--decades", type=float, default=30.0)
    parser.add_argument("--overlapping", action="store_true")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    kinds = OVERLAPPING if options.overlapping else ALL
    report = sweep(options.count, options.seed, only, options.each, options.decades, kinds=kinds)
    print(report.queries, "queries", dict(report.status))
    print(sum(report.missed.values()), "not the shortest way out, status OVERLAP")
    print(sum(report.unconverged.values()), "not converged")
    for name, number in report.unconverged.most_common(40):
        print("   ", number, name)
    print(len(report.failures), "failures")
    for line in report.failures[:200]:
        print("   ", line)


if __name__ == "__main__":
    main()
