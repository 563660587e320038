"""Fits of synthetic clouds with noise, gaps and outliers, or of scans: is everything that they report true?

python benchmarks/measure_clouds.py FIRST STOP [STEP]     seeds of the clouds; 0 500 are those of the tests
python benchmarks/measure_clouds.py FOLDER                all clouds of a folder, every model, at most 2000 points each

Every number is recomputed from the returned body by ``tests/support/fit_audit.py``, which uses no code of fits.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from fit_audit import FAMILIES, audit, audit_cloud

POINTS = 2000


def scans(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Names and clouds of the files of a folder; one array may hold several clouds."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as held:
            if "points" not in held:
                continue
            clouds = held["points"]
        several = clouds.ndim == 3
        for k, points in enumerate(clouds if several else [clouds]):
            some = np.random.default_rng(0).permutation(len(points))[:POINTS]
            yield f"{path.stem}{f' {k}' if several else ''}", points[np.sort(some)]


def main() -> None:
    if len(sys.argv) == 2:
        jobs = [(name, partial(audit_cloud, cloud, "linear", FAMILIES, 0)) for name, cloud in scans(Path(sys.argv[1]))]
    else:
        jobs = [(str(seed), partial(audit, seed)) for seed in range(*map(int, sys.argv[1:]))]
    failed, status = 0, Counter()
    start = time.process_time()
    for name, job in jobs:
        before = time.process_time()
        try:
            fits = job()
            for model, found in fits.items():
                status[model, found.status.name] += 1
            ends = " ".join(f"{model}:{found.status.name}" for model, found in fits.items())
        except Exception as error:
            failed += 1
            ends = f"FAILED {type(error).__name__}: {error}"
        print(f"{name:>4} {time.process_time() - before:6.1f} s  {ends}", flush=True)
    print(f"{len(jobs)} clouds, {failed} failed, {time.process_time() - start:.0f} s of processor time")
    for (model, name), count in sorted(status.items()):
        print(f"  {model:<30} {name:<15} {count}")


if __name__ == "__main__":
    main()
