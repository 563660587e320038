"""Fits of synthetic clouds with noise, gaps and outliers: is everything that they report true?

python benchmarks/measure_clouds.py FIRST STOP [STEP]     seeds of the clouds; 0 500 are those of the tests

Every number is recomputed from the returned body by ``tests/support/fit_audit.py``, which uses no code of fits.
"""

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from fit_audit import audit


def main() -> None:
    seeds, failed, status = range(*map(int, sys.argv[1:])), 0, Counter()
    start = time.process_time()
    for seed in seeds:
        before = time.process_time()
        try:
            fits = audit(seed)
            for model, found in fits.items():
                status[model, found.status.name] += 1
            ends = " ".join(f"{model}:{found.status.name}" for model, found in fits.items())
        except Exception as error:
            failed += 1
            ends = f"FAILED {type(error).__name__}: {error}"
        print(f"{seed:4d} {time.process_time() - before:6.1f} s  {ends}", flush=True)
    print(f"{len(seeds)} clouds, {failed} failed, {time.process_time() - start:.0f} s of processor time")
    for (model, name), count in sorted(status.items()):
        print(f"  {model:<30} {name:<15} {count}")


if __name__ == "__main__":
    main()
