"""Ratios: tangency against Coal on the same pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType

import numpy as np

import tangency as tg

from . import accuracy
from .engine import Engine, Missing, Query, Run
from .peers import tangency_
from .problems import Pairs, study_a, superellipsoids
from .table import Table, digits
from .timing import best

TOLERANCE = 1e-12
HEADER = ("what", "tangency, ns", "against", "ns", "ratio", "asked for", "worst error", "failures")
REMARKS = (
    "Per pair, tolerance 1e-12, best of five rounds in turns. Ratio: how many times as fast as the other tangency is, "
    "below 1 it is slower. Errors (in sizes) and failures are tangency's; without a known truth a failure is not to "
    "converge.",
)


def peer(name: str) -> ModuleType | None:
    """The module of an engine, or None if it cannot run."""
    try:
        module = import_module(f"{__package__}.peers.{name}")
        module.engines()
    except (ImportError, Missing):
        return None
    return module


def ratio(what: str, ours: Run, against: str, theirs: Run | None, asked: str = "", pairs: Pairs | None = None) -> tuple:
    """A row; if `pairs` is given, the truth is known."""
    assert ours.converged is not None
    failed = ~ours.converged if pairs is None else accuracy.failures(ours, pairs)
    worst = "" if pairs is None else accuracy.text(accuracy.errors(ours, pairs)[1])
    row = [what, digits(ours.nanoseconds), against, "", "", asked, worst, str(int(failed.sum()))]
    if theirs is not None:
        row[3:5] = digits(theirs.nanoseconds), digits(theirs.nanoseconds / ours.nanoseconds)
    return tuple(row)


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """Progress messages, then the table."""
    coal, native = peer("coal_"), peer("native_coal")
    rows: list[tuple[str, ...]] = []
    remarks = list(REMARKS)
    for part in (_stacks, _calls, _superellipsoids):
        yield f"speed: {part.__doc__}"
        rows += part(coal, native, remarks, quick)
    yield Table("speed", "Ratios", HEADER, rows, tuple(remarks))


def _with_coal(
    queries: dict[str, Query], pairs: Pairs, coal: ModuleType | None, native: ModuleType | None
) -> dict[str, Query]:
    """Coal runs on ellipsoids: `pairs` may differ from tangency's."""
    for name, module in (("coal", coal), ("native", native)):
        if module is not None:
            queries[name] = module.loop(pairs, TOLERANCE)
    return queries


def _stacks(coal: ModuleType | None, native: ModuleType | None, remarks: list[str], quick: bool) -> list[tuple]:
    """random ellipsoids, as one stack"""
    pairs = study_a(np.random.default_rng(0), 20_000 if quick else 100_000)
    queries = {
        "one": tangency_.stack(pairs, threads=1),
        "two": tangency_.stack(pairs, threads=2),
        "arrays": tangency_.stack_from_arrays(pairs),
    }
    _with_coal(queries, pairs, coal, native)
    if coal is not None:
        queries["nesterov"] = coal.loop(pairs, TOLERANCE, "NesterovAcceleration")
        queries["coal arrays"] = coal.loop_from_arrays(pairs, TOLERANCE)
    runs = best(queries)
    get: Callable[[str], Run | None] = runs.get
    python, cpp = "`coal.distance` from Python", "Coal, C++"
    one = runs["one"]
    assert one.lower is not None
    assert one.upper is not None
    width, overlapping = (one.upper - one.lower).max(), (one.distance < 0).mean()
    text = (
        f"Study A: {len(pairs):,} ellipsoid pairs, {100 * overlapping:.1f} % of them overlapping; the proved bounds of "
        f"tangency are at most {width:.0e} apart (semi-axes below 1)."
    )
    if (theirs := get("coal")) is not None:
        beside = np.maximum(one.lower - theirs.distance, theirs.distance - one.upper)[theirs.answered]
        text += (
            f" Coal's distances lie outside of these bounds by up to {beside.max():.0e}, by more than 1e-9 in "
            f"{int((beside > 1e-9).sum())} pairs; {int((~theirs.answered).sum())} pairs have no answer."
        )
    remarks.append(text)
    return [
        ratio("study A, stack, 1 thread", one, python, get("coal"), ">= 30"),
        ratio("study A, stack, 2 threads", runs["two"], python, get("coal"), ">= 55"),
        ratio("study A, stack, 1 thread", one, python + ", Nesterov", get("nesterov")),
        ratio("study A, stack, 1 thread", one, cpp, get("native")),
        ratio("study A, 1 thread, with construction of bodies", runs["arrays"], python + ", too", get("coal arrays")),
    ]


def _calls(coal: ModuleType | None, native: ModuleType | None, remarks: list[str], quick: bool) -> list[tuple]:
    """random ellipsoids, pair by pair"""
    pairs = study_a(np.random.default_rng(1), 300 if quick else 3000)
    queries = {form: tangency_.single(pairs, form) for form in tangency_.POSES}
    if hasattr(tg, "Pair"):
        queries["prepared"] = tangency_.prepared(pairs)
    _with_coal(queries, pairs, coal, None)
    runs = best(queries)
    theirs = runs.get("coal")
    rows = [
        ratio(f"study A, one `tg.contact` a pair, {form}", runs[form], "`coal.distance`", theirs, ">= 0.5")
        for form in tangency_.POSES
    ]
    if "prepared" in runs:
        rows.append(ratio("study A, prepared `tg.Pair`", runs["prepared"], "`coal.distance`", theirs, ">= 1.1"))
    return rows


def _superellipsoids(
    coal: ModuleType | None, native: ModuleType | None, remarks: list[str], quick: bool
) -> list[tuple]:
    """superellipsoids"""
    rows = []
    for near, name in ((False, "gaps 0 to 1"), (True, "gaps 0 and 1e-12 to 10")):
        ours, theirs = superellipsoids(np.random.default_rng(2), 4000 if quick else 20_000, near=near)
        queries = {"one": tangency_.stack(ours, threads=1), "two": tangency_.stack(ours, threads=2)}
        runs = best(_with_coal(queries, theirs, coal, native))
        python, cpp = "`coal.distance`, ellipsoids of the same radii and gaps", "Coal, C++, the same ellipsoids"
        what = f"superellipsoids, {name}"
        rows += [
            ratio(f"{what}, 1 thread", runs["one"], python, runs.get("coal"), ">= 5", ours),
            ratio(f"{what}, 1 thread", runs["one"], cpp, runs.get("native"), pairs=ours),
            ratio(f"{what}, 2 threads", runs["two"], python, runs.get("coal"), pairs=ours),
        ]
    return rows
