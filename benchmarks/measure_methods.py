"""Success, evaluations and time of every registered method on common problem sets, as a Markdown table.

    python benchmarks/measure_methods.py           2000 pairs per set
    python benchmarks/measure_methods.py 200       fewer pairs

The table is shown in docs/methods.md.  Problems come from tests/support/manufactured.py and families.py; the
general optimisers, which take milliseconds per pair, get a twentieth of them.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tangency as tg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from families import Egg
from manufactured import Problem, ellipsoids, random_pairs, superellipsoids


def eggs(rng: np.random.Generator, count: int) -> Problem:
    """Ovoid-like bodies written by a user."""
    a, b = (Egg(radius=rng.uniform(1.0, 2.0, count), skew=rng.uniform(-0.1, 0.1, count)) for _ in range(2))
    return random_pairs(rng, a, b, count)


SETS: dict[str, Callable[[np.random.Generator, int], Problem]] = {
    "ellipsoids, 5:1": lambda rng, n: ellipsoids(rng, n, aspect=5.0, surface=False),
    "ellipsoids, 100:1": lambda rng, n: ellipsoids(rng, n, aspect=100.0, surface=True),
    "superellipsoids, e 0.6-1.4": lambda rng, n: superellipsoids(rng, n, low=0.6, high=1.4),
    "superellipsoids, e 0.1-1.9": superellipsoids,
    "user-defined eggs": eggs,
}


def cell(problem: Problem, name: str) -> str:
    """Share that converged, evaluations of those, processor time per pair, one thread."""
    try:
        problem.contact(solver=name, threads=1)  # compiles
        start = time.process_time()
        c = problem.contact(solver=name, threads=1)
        took = time.process_time() - start
    except (TypeError, ImportError):
        return "not applicable"
    ok = c.converged
    mean = f"{c.evaluations[ok].mean():.1f}" if c.evaluations[ok].any() else "-"
    micro = 1e6 * took / len(problem.gap)
    shown = f"{1e-3 * micro:.0f} ms" if micro >= 3000 else f"{micro:.{0 if micro >= 10 else 1}f} µs"
    return f"{100 * ok.mean():.1f} %, {mean}, {shown}"


def main(count: int) -> None:
    print("| method |" + "".join(f" {name} |" for name in SETS))
    print("|---|" + "---|" * len(SETS))
    for name in (tg.solvers.DEFAULT, *tg.solvers.SOLVERS):
        method = tg.solvers.SOLVERS.get(name)
        pairs = count if method is None or method.parallel else max(count // 20, 5)
        cells = [cell(make(np.random.default_rng(seed), pairs), name) for seed, make in enumerate(SETS.values())]
        print(f"| `{name}` |" + "".join(f" {text} |" for text in cells), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
