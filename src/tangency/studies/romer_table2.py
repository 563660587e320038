"""Römer 3-D, Table 2: iterations that Algorithms I to IV need for a given accuracy.

The numbers of the table are not legible, but its caption and rows are: the iterations within which
40, 50, ... 95 per cent of *all* pairs, failures included, reach an accuracy of 1e-4 ... 1e-14.  Accuracy is
taken to be the left side of Eq. (90), | |n.w| - |w| |, on the way to the correct solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contacts.query import contact
from ..io.progress import Progress
from ..solvers import RomerFour, RomerOne, RomerThree, RomerTwo
from ..solvers.method import Method
from . import picture
from .romer_pairs import random_ellipsoids, random_normals
from .study import Result, Study, Table

MAX_ITERATIONS = 200  # most iterations; pairs that need more count as failures
ALGORITHMS: dict[str, Method] = {
    "I": RomerOne(MAX_ITERATIONS),
    "II": RomerTwo(MAX_ITERATIONS),
    "III": RomerThree(MAX_ITERATIONS),
    "IV": RomerFour(MAX_ITERATIONS),
}
ACCURACIES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14)
SHARES = (40, 50, 60, 70, 80, 90, 95)
PAIRS_AT_ONCE = 2000  # pairs whose traces are held in memory at a time
NEVER = np.iinfo(np.int64).max


def needed(a: Any, b: Any, pose: Any, method: Method, guess: np.ndarray | None) -> np.ndarray:
    """(pairs, accuracies) iterations to reach each accuracy; NEVER for pairs that do not end at the correct normal."""
    c = contact(a, b, None, pose, solver=method, guess=guess, tol=1e-15, trace=True)
    assert c.trace is not None
    f, g = np.abs(c.trace.distance), c.trace.residual
    with np.errstate(invalid="ignore"):
        gap = np.where(g > 0.0, g * g / (np.hypot(f, g) + f), 0.0)  # Eq. (90) without its cancellation
    kept = np.arange(gap.shape[1]) < c.iterations[:, None]
    result = np.full((len(gap), len(ACCURACIES)), NEVER)
    for k, accuracy in enumerate(ACCURACIES):
        below = kept & (gap <= accuracy)
        # If rounding errors of w hide an accuracy, the last iteration counts.
        result[:, k] = np.where(below.any(axis=1), below.argmax(axis=1) + 1, c.iterations)
    result[~c.converged] = NEVER
    return result


def run(size: int, seed: int, progress: Progress) -> Result:
    """Table 2 for `size` pairs, the same in both studies."""
    rng = np.random.default_rng(seed)
    pairs, random_start = random_ellipsoids(rng, size), random_normals(rng, size)
    a, b = pairs.bodies()
    rows, means, records = [], [], []
    curves = {}
    for study in "AB":
        for name, method in ALGORITHMS.items():
            progress.step(f"study {study}, algorithm {name}")
            parts = []
            for first in range(0, size, PAIRS_AT_ONCE):
                at = slice(first, first + PAIRS_AT_ONCE)
                guess = None if study == "A" else random_start[at]
                parts.append(needed(a[at], b[at], (pairs.rotation[at], pairs.position[at]), method, guess))
            counts = np.concatenate(parts)
            curves[study, name] = counts
            for k, accuracy in enumerate(ACCURACIES):
                column = np.sort(counts[:, k])
                # The smallest number of iterations within which a share of all pairs converges.
                at_share = [int(column[int(np.ceil(share / 100 * size)) - 1]) for share in SHARES]
                cells: list[int | None] = [None if value == NEVER else value for value in at_share]
                rows.append((study, name, f"{accuracy:.0e}", *("-" if v is None else v for v in cells)))
                records.append((study, name, accuracy, *cells))
            done = counts[counts[:, 4] < NEVER, 4]
            texts = [f"{done.mean():.1f}", f"{np.median(done):.0f}"] if done.size else ["-", "-"]
            overall = np.minimum(counts[:, 4], MAX_ITERATIONS).mean()
            means.append((study, name, f"{100 * done.size / size:.1f}", *texts, f"{overall:.1f}"))
    tables = [
        Table(
            ("study", "algorithm", "successful %", "mean", "median", "mean of all"),
            means,
            "Iterations to 1e-12 for the pairs that succeed, and for all pairs (a failure counts as 200); the "
            "printed values are not legible.",
        ),
        Table(
            ("study", "algorithm", "accuracy", *(f"{share} %" for share in SHARES)),
            rows,
            "Iterations within which a share of all pairs reaches an accuracy (the printed values are not legible); "
            "- means never.",
        ),
    ]
    notes = [
        "According to the paper, II and IV need about the same number of iterations, III about twice as many, and I "
        "by far the most.",
        "Accuracy is the left-hand side of Eq. (90) in metres, with semi-axes up to 1 m; 1e-14 is the limit set by "
        "rounding.",
        "I is the worst over all pairs, because so few succeed; those that do converge quadratically and need fewer "
        "iterations than III. The paper finds by far the most iterations for them too, and fewer successes, which "
        "suggests that the second derivatives in its Algorithm I are not those of Eq. (81).",
    ]
    columns = ("study", "algorithm", "accuracy", *(f"iterations_{share}" for share in SHARES))
    return Result(tables, notes, columns, records, lambda: _figure(curves))


def _figure(curves: dict[tuple[str, str], np.ndarray]) -> Any:
    made = picture.figure(11.0, 4.6)
    colors = dict(zip(ALGORITHMS, (picture.MARK, picture.SECOND, picture.BODY, picture.THIRD)))
    for axes, study in zip(made.subplots(1, 2, sharey=True), "AB"):
        for name, color in colors.items():
            counts = curves[study, name][:, 4]
            steps = np.arange(1, 41)
            axes.step(steps, [100 * float((counts <= k).mean()) for k in steps], color=color, label=name, where="post")
        axes.set_ylim(0, 101)
        picture.plain(axes, "iterations", "per cent at 1e-12" if study == "A" else "", f"Study {study}")
    made.legend(*axes.get_legend_handles_labels(), frameon=False, fontsize=9, loc="outside lower center", ncols=4)
    return made


STUDY = Study(
    "romer-table2",
    "Römer 3-D, Table 2: iterations of Algorithms I to IV",
    run,
    100_000,
    "random pairs of ellipsoids",
    duration="12 s",
)
