"""Time against the number of pairs in a call, and against the number of threads."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from . import plots
from .engine import Engine
from .peers import tangency_
from .problems import Pairs, study_a
from .table import Table, digits
from .timing import ROUNDS, best

#: Other engines in the plot, and their largest number of pairs: their time per pair does not depend on it.
COMPARED = {"Coal, 1e-12": 10_000, "Coal, C++, 1e-12": 10_000, "MuJoCo, 1e-12": 10_000}


def batch_sizes(engines: list[Engine], pairs: Pairs, *, quick: bool) -> Iterator[str | plots.Figure]:
    cores = os.cpu_count() or 1
    curves: dict[str, dict[int, float]] = {}
    makers = {"tangency, 1 thread": (lambda p: tangency_.stack(p, threads=1), len(pairs))}
    if cores > 1:
        makers[f"tangency, {cores} threads"] = (lambda p: tangency_.stack(p, threads=cores), len(pairs))
    makers |= {e.name: (e.prepare, COMPARED[e.name]) for e in engines if e.name in COMPARED}
    sizes = [n for k in range(7) for n in (10**k, 3 * 10**k) if n <= len(pairs)]
    for count in sizes:
        yield f"plots: {count:,} pairs in a call"
        part = pairs.first(count)
        rounds = 3 if quick or count > 100_000 else ROUNDS if count > 1000 else 4 * ROUNDS
        runs = best({name: make(part) for name, (make, largest) in makers.items() if count <= largest}, rounds)
        for name, run in runs.items():
            curves.setdefault(name, {})[count] = run.nanoseconds
    rows = [
        (f"{count:,}", *(digits(curve[count]) if count in curve else "" for curve in curves.values()))
        for count in sizes
    ]
    table = Table("batch", "Nanoseconds per pair against the number of pairs in a call", ("pairs", *curves), rows)
    yield plots.Figure(table, plots.batch_sizes(curves))


def thread_numbers(pairs: Pairs) -> Iterator[str | plots.Figure]:
    cores = os.cpu_count() or 1
    yield "plots: threads"
    runs = best({n: tangency_.stack(pairs, threads=n) for n in range(1, max(2, cores) + 1)})
    alone = runs[1].nanoseconds
    rows = [(str(n), digits(run.nanoseconds), digits(alone / run.nanoseconds)) for n, run in runs.items()]
    same = all(np.array_equal(run.distance, runs[1].distance) for run in runs.values())
    remark = (
        f"{cores} cores. The distances are {'' if same else '**not** '}bit for bit the same for all numbers of threads."
    )
    table = Table("threads", "Threads", ("threads", "ns per pair", "times as fast as one"), rows, (remark,))
    yield plots.Figure(table, plots.thread_numbers({n: run.nanoseconds for n, run in runs.items()}, cores))


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | plots.Figure]:
    """Progress messages, then the figures."""
    pairs = study_a(np.random.default_rng(3), 30_000 if quick else 1_000_000)
    yield from batch_sizes(engines, pairs, quick=quick)
    yield from thread_numbers(pairs.first(30_000 if quick else 300_000))
