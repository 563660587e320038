"""Every engine on the same pairs with known answers: time, errors, failures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .engine import Engine, Run
from .problems import Pairs, ellipsoids
from .table import Table, digits
from .timing import best

GAPS = {"1": 1.0, "1e-4": 1e-4, "0": 0.0, "overlap 1e-4": -1e-4, "overlap 0.05": -0.05}
SIZES = {"1 m": 1.0, "1 mm": 1e-3}

#: Ten times the loosest default tolerance of the engines (1e-6), in sizes.
ALLOWED = 1e-5
#: Rounding error of the truth itself, from placing B, in sizes.
ROUNDED = 8 * np.finfo(float).eps

HEADER = ("size", "gap", "engine", "ns per pair", "median error", "worst error", "failures", "no answer")
REMARKS = (
    "Gaps and errors in sizes; size: longest semi-axis of each body. Errors: of the pairs that were answered. "
    f"Failure: no answer, or an error above {ALLOWED:g} (at these gaps every wrong sign is one); for "
    "tangency also not converged, or a truth outside of the proved bounds. Times: one thread, best of five rounds in "
    "turns.",
    "The tolerances of Coal, MuJoCo and FCL are lengths: 1e-6 m is a thousandth of a body of 1 mm, so that "
    "failures of their default rows at 1 mm with errors up to some 1e-3 are as configured. Their users would choose "
    "other units or a smaller tolerance.",
)


def failures(run: Run, pairs: Pairs) -> np.ndarray:
    """(N,) bool."""
    truth = pairs.distance
    assert truth is not None
    wrong = ~run.answered | ~(np.abs(run.distance - truth) <= ALLOWED * pairs.size)
    if run.converged is not None:
        wrong |= ~run.converged
    if run.lower is not None and run.upper is not None:
        slack = ROUNDED * pairs.size
        wrong |= ~((run.lower - slack <= truth) & (truth <= run.upper + slack))
    return wrong


def errors(run: Run, pairs: Pairs) -> tuple[float, float]:
    """Median and largest error of the pairs with a result, in sizes."""
    assert pairs.distance is not None
    answered = run.answered
    if not answered.any():
        return np.nan, np.nan
    error = np.abs(run.distance - pairs.distance)[answered] / pairs.size
    return float(np.median(error)), float(error.max())


def row(size: str, gap: str, name: str, run: Run, pairs: Pairs) -> tuple[str, ...]:
    median, worst = errors(run, pairs)
    count, silent = int(failures(run, pairs).sum()), int((~run.answered).sum())
    return (
        size,
        gap,
        name,
        digits(run.nanoseconds),
        text(median),
        text(worst),
        f"{count} of {len(pairs)}",
        str(silent),
    )


def text(value: float) -> str:
    return "" if np.isnan(value) else "0" if value == 0 else f"{value:.0e}"


def measure(engines: list[Engine], *, quick: bool) -> Iterator[str | Table]:
    """Progress messages, then the table."""
    many = 200 if quick else 4000
    rows = []
    for seed, (size_name, size) in enumerate(SIZES.items()):
        for gap_name, gap in GAPS.items():
            yield f"accuracy: size {size_name}, gap {gap_name}"
            pairs = ellipsoids(np.random.default_rng(seed), many, gap, size)
            given = {engine.name: pairs.first(many // engine.slow) for engine in engines}
            runs = best({engine.name: engine.prepare(given[engine.name]) for engine in engines})
            rows += [row(size_name, gap_name, name, run, given[name]) for name, run in runs.items()]
    yield Table("accuracy", "Time, errors and failures", HEADER, rows, REMARKS)
