"""The numbers of docs/planar.md on the solver: all pairs of the planar families of the tests.

python docs/measure_planar.py            a few minutes
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "planar"))

from planar_families import FAMILIES, random_pairs

from tangency import Status, planar


def apart(count: int) -> None:
    """Manufactured problems: the distance is known."""
    rng = np.random.default_rng(1)
    errors, evaluations, statuses = [], [], Counter()
    for one in FAMILIES.values():
        a = one.make(rng, (count,))
        for other in FAMILIES.values():
            problem = random_pairs(rng, a, other.make(rng, (count,)), count)
            c = problem.contact()
            errors.append(np.abs(c.distance - problem.gap) / (problem.size + problem.gap))
            evaluations.append(c.evaluations)
            statuses.update(c.status.tolist())
    print(f"apart: {sum(statuses.values())} problems, largest error {np.max(errors):.1e} of size plus distance")
    _tell(np.concatenate(evaluations), statuses)


def overlapping(count: int) -> None:
    """Bodies near each other's centres."""
    rng = np.random.default_rng(2)
    evaluations, statuses = [], Counter()
    for one in FAMILIES.values():
        a = one.make(rng, (count,))
        for other in FAMILIES.values():
            b = other.make(rng, (count,))
            angle = rng.uniform(0, 2 * np.pi, count)
            position = rng.normal(size=(count, 2)) * rng.choice([1e-3, 0.1, 0.5], count)[:, None]
            c = planar.contact(a, b, None, (angle, position))
            evaluations.append(c.evaluations)
            statuses.update(c.status.tolist())
    print(f"overlapping: {sum(statuses.values())} problems")
    _tell(np.concatenate(evaluations), statuses)


def _tell(evaluations: np.ndarray, statuses: Counter) -> None:
    print(f"  evaluations {evaluations.mean():.2f} on average, {evaluations.max()} at most")
    print("  " + ", ".join(f"{Status(code).name} {count}" for code, count in sorted(statuses.items())))


if __name__ == "__main__":
    apart(300)
    overlapping(25)
