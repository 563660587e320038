"""The solver measurements in docs/planar.md: all pairs of the planar families of the tests, and Römer's methods.

python benchmarks/measure_planar.py            a few minutes
python benchmarks/measure_planar.py methods    Römer's methods alone
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from planar_families import FAMILIES, Problem, random_pairs
from tangency import Status, planar
from tangency.planar.methods import SOLVERS


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
    """Bodies placed near each other's centres."""
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


def study(rng: np.random.Generator, count: int) -> Problem:
    """Römer 3-D, section 5.2, in the plane: ellipses with random semi-axes next to each other, 14 % overlap."""
    a, b, gap = rng.uniform(0, 1, (3, count, 2))
    angle, none = rng.uniform(0, 2 * np.pi, count), np.zeros(count)
    size = np.linalg.norm(a, axis=-1) + np.linalg.norm(b, axis=-1)
    return Problem(planar.Ellipse(a), planar.Ellipse(b), angle, a + gap, none, np.zeros((count, 2)), a, size)


def methods(count: int) -> None:
    """Table of success and iterations: share that converged, mean iterations of those."""
    rng = np.random.default_rng(3)
    random = rng.normal(size=(count, 2))
    random /= np.linalg.norm(random, axis=-1)[:, None]
    ellipses = study(rng, count)
    problems = {"ellipses, study A": (ellipses, None), "ellipses, study B": (ellipses, random)}
    for name in ("superellipse", "foot", "rounded polygon", "polygon"):
        a, b = (FAMILIES[name].make(rng, (count // 10,)) for _ in range(2))
        problems[name] = (random_pairs(rng, a, b, count // 10), None)
    print("| method |" + "".join(f" {name} |" for name in problems))
    print("|---|" + "---|" * len(problems))
    for solver in ("certified", *SOLVERS):
        cells = []
        for problem, guess in problems.values():
            c = problem.contact(solver=solver, guess=guess)
            ok = c.converged
            cells.append(f" {100 * ok.mean():.1f} %" + (f", {c.iterations[ok].mean():.1f} |" if ok.any() else " |"))
        print(f"| `{solver}` |" + "".join(cells), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["methods"]:
        apart(100)
        overlapping(25)
    methods(20_000)
