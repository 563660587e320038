"""Lopes thesis, Tables 4.3 and 4.4: time and accuracy of the vector orthogonalisations, for random unit vectors.

The thesis measured interpreted MATLAB, vector by vector; here the techniques are compiled loops over blocks of
vectors, so only the arithmetic counts.  Duff's branch-free formula (2017) is added.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import trim_mean

from ..io.progress import Progress
from ..kernels import tangent_frames as kernel
from . import picture
from .study import Result, Study, Table

VECTORS_AT_ONCE = 1000  # vectors timed together
SAMPLES = 40  # smallest number of times measured per technique
LABELS = ("Householder", "Eberly", "square plate", "projection matrix", "branch-free")
PRINTED_RATIO = (1.0, 1.017, 2.795, 7.527, None)
PRINTED_IQR = (3.49e-7, 3.48e-7, 1.05e-6, 2.79e-6, None)
#: Table 4.4: trimmed means and interquartile ranges of n.t, n.b and t.b.
PRINTED_MEAN = {
    "n.t": (1.69e-19, -1.71e-20, -1.95e-18, -3.51e-18, None),
    "n.b": (1.15e-19, -2.91e-19, 1.83e-18, 2.36e-19, None),
    "t.b": (-5.92e-20, 1.62e-20, -2.41e-19, 7.86e-19, None),
}
PRINTED_RANGE = {
    "n.t": (8.33e-17, 0.0, 3.47e-18, 1.11e-16, None),
    "n.b": (1.11e-16, 5.55e-17, 2.47e-19, 1.11e-16, None),
    "t.b": (2.78e-17, 0.0, 1.39e-18, 1.11e-16, None),
}
_PLATE = (
    "Table C.3 states the condition of the square plate with absolute values; the signs of Table 5.1 are used here. "
    "Table C.4 uses the columns of n n', which are all parallel to n; its steps are correct for the orthogonal "
    "matrix I - 2 n n', which is used here."
)


def unit_vectors(size: int, seed: int) -> np.ndarray:
    """Random unit vectors, uniform on the sphere."""
    n = np.random.default_rng(seed).normal(size=(size, 3))
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


def spread(x: np.ndarray) -> float:
    """Interquartile range."""
    low, high = np.quantile(x, [0.25, 0.75])
    return float(high - low)


def run_times(size: int, seed: int, progress: Progress) -> Result:
    """Times per vector, from blocks of vectors with the techniques in alternation."""
    n = unit_vectors(size, seed)
    blocks = [np.ascontiguousarray(n[k : k + VECTORS_AT_ONCE]) for k in range(0, size, VECTORS_AT_ONCE)]
    times: list[list[float]] = [[] for _ in LABELS]
    t, b = np.empty((VECTORS_AT_ONCE, 3)), np.empty((VECTORS_AT_ONCE, 3))
    progress.step("timing")
    for turn in range(1 + max(2, math.ceil(SAMPLES / len(blocks)))):  # the first is a warm-up
        for block in blocks:
            for technique in range(len(LABELS)):
                start = perf_counter()
                for _ in range(10):
                    kernel.tangents(technique, block, t, b)
                if turn:
                    times[technique].append((perf_counter() - start) / (10 * len(block)))
    means = [float(trim_mean(x, 0.25)) for x in times]
    ranges = [spread(np.array(x)) for x in times]
    rows, records = [], []
    for k, label in enumerate(LABELS):
        ratio = means[k] / means[0]
        rows.append(
            [
                label,
                PRINTED_RATIO[k],
                f"{ratio:.3f}",
                _power(PRINTED_IQR[k]),
                _power(ranges[k]),
                f"{means[k] * 1e9:.1f}",
            ]
        )
        records.append([label, PRINTED_RATIO[k], ratio, PRINTED_IQR[k], ranges[k], means[k]])
    header = (
        "technique",
        "time ratio, printed",
        "time ratio",
        "interquartile range, printed [s]",
        "interquartile range [s]",
        "time per vector [ns]",
    )
    columns = ("technique", "printed_ratio", "ratio", "printed_interquartile_range", "interquartile_range", "mean_time")
    notes = [
        "Times depend on the machine and its load. The thesis measured interpreted MATLAB, vector by vector, where "
        "the number of statements determines the time; in compiled code, the square root in Eberly's formula and "
        "the two normalisations of the square plate dominate. Times are means of the middle half of all blocks.",
        _PLATE,
    ]
    return Result([Table(header, rows)], notes, columns, records, lambda: _figure(means))


def run_errors(size: int, seed: int, progress: Progress) -> Result:
    """Trimmed mean (10 %) and interquartile range of the three scalar products."""
    n = unit_vectors(size, seed)
    rows: list[list[Any]] = []
    records: list[list[Any]] = []
    for k, label in enumerate(LABELS):
        progress.step(label)
        t, b = np.empty_like(n), np.empty_like(n)
        kernel.tangents(k, n, t, b)
        for name, p, q in (("n.t", n, t), ("n.b", n, b), ("t.b", t, b)):
            product = p[:, 0] * q[:, 0] + p[:, 1] * q[:, 1] + p[:, 2] * q[:, 2]
            mean, width, worst = float(trim_mean(product, 0.05)), spread(product), float(np.abs(product).max())
            rows.append(
                [
                    label,
                    name,
                    _power(PRINTED_MEAN[name][k]),
                    _power(mean),
                    _power(PRINTED_RANGE[name][k]),
                    _power(width),
                    _power(worst),
                ]
            )
            records.append([label, name, PRINTED_MEAN[name][k], mean, PRINTED_RANGE[name][k], width, worst])
    header = (
        "technique",
        "product",
        "trimmed mean, printed",
        "trimmed mean",
        "interquartile range, printed",
        "interquartile range",
        "largest",
    )
    columns = (
        "technique",
        "product",
        "printed_mean",
        "mean",
        "printed_interquartile_range",
        "interquartile_range",
        "largest",
    )
    notes = [
        "The means are residues of rounding errors that cancel; they are zero to within the spread divided by the "
        "square root of the number of vectors, so their digits and signs have no meaning.",
        "The interquartile ranges show the rounding errors of each formula, 3e-16 or less for all of them. Those "
        "printed for the square plate, 3e-18 and less, are not reproduced: the rounding errors of its products are "
        "ten times as large.",
        _PLATE,
    ]
    return Result([Table(header, rows)], notes, columns, records)


def _power(value: float | None) -> str | None:
    return None if value is None else f"{value:.2e}"


def _figure(means: list[float]) -> Any:
    made = picture.figure(8.0, 3.6)
    axes = made.subplots()
    axes.bar(LABELS, [mean / means[0] for mean in means], color=picture.BODY, label="compiled")
    axes.plot(LABELS[:4], PRINTED_RATIO[:4], "x", color=picture.MARK, label="printed")
    picture.plain(axes, "", "time / Householder", "Lopes thesis, Table 4.3")
    axes.legend(frameon=False)
    return made


TABLE43_STUDY = Study(
    "lopes-table4.3",
    "Lopes thesis, Table 4.3: time of vector orthogonalisations",
    run_times,
    100_000,
    "unit vectors",
    duration="1 s",
)
TABLE44_STUDY = Study(
    "lopes-table4.4",
    "Lopes thesis, Table 4.4: accuracy of vector orthogonalisations",
    run_errors,
    100_000,
    "unit vectors",
    duration="1 s",
)
