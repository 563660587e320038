"""Random planar contact queries over all families, sizes and placements, judged in extended precision.

    python tests/support/planar_sweep.py 100000
    python tests/support/planar_sweep.py 100000 --seed 3 --only polygon,needle

The counterpart of `sweep.py`; `tests/planar/test_planar_bounds.py` runs a short sweep.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import sweep as in_space
from judgement import Report
from planar_families import EXTREME, FAMILIES
from planar_judgement import judge
from queries import Body, draw, planar_rotations


def options_of(rng: np.random.Generator, count: int, size: np.ndarray) -> dict:
    """Options of a query: none, guesses, or distances beyond which nobody asks."""
    kind = rng.integers(0, 4)
    if kind == 0:
        return {"guess": rng.normal(size=(count, 2))}
    if kind == 1:
        return {"max_distance": size * 10.0 ** rng.uniform(-3, 3, count)}
    return {}


def judge_pairs(
    rng: np.random.Generator, name: str, bodies: tuple[Body, Body], count: int, report: Report, **options
) -> None:
    """Judge random queries between bodies of two pools; options of `draw`."""
    queries = draw(rng, *bodies, count, turns=planar_rotations, **options)
    size = queries.a.bounding_radius + queries.b.bounding_radius
    judge(rng, name, queries, report, **options_of(rng, count, size))


sweep = partial(in_space.sweep, judge_pairs=judge_pairs, families={**FAMILIES, **EXTREME})

if __name__ == "__main__":
    in_space.main(sweep, __doc__)
