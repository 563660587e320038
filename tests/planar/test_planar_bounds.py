"""Planar contacts judged in extended precision: bounds, statuses, points, normals, curvatures."""

import numpy as np
import pytest

import extended
from judgement import Report
from planar_families import radii
from planar_judgement import judge
from planar_sweep import sweep
from queries import draw, planar_rotations
from tangency import planar

pytestmark = pytest.mark.skipif(not extended.HAS_LONG_DOUBLES, reason="long double is no longer than double here")
pytest.importorskip("sympy")


def test_all_families_sizes_and_placements():
    report = sweep(3000, seed=4, each=20, pool=8)
    assert not report.failures, report.failures
    assert not report.unconverged, report.unconverged


@pytest.mark.full
def test_all_families_at_length():
    report = sweep(1_000_000, seed=5)
    assert not report.failures, report.failures
    assert sum(report.unconverged.values()) <= 10


def flat_and_sharp(rng, count):
    """Superellipses with flat places and nearly corners, and squares."""
    kind = rng.integers(0, 3)
    if kind == 0:
        return planar.Superellipse(radii(rng, (count,)), rng.uniform(3.0, 30.0, count))
    if kind == 1:
        return planar.Superellipse(radii(rng, (count,)), rng.uniform(1.01, 1.3, count))
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    return planar.Polygon(signs * radii(rng, (count,))[:, None])


@pytest.mark.parametrize("guess", [False, True], ids=["no guess", "guess"])
def test_points_lie_on_their_bodies_at_flat_places(guess):
    """Once they were those of a normal not yet accurate: up to 1e-5 sizes off, with a guess a whole size.

    Where a body is flat, its point runs far for a small turn of the normal: the distance is proved long before.
    """
    rng, report = np.random.default_rng(11), Report()
    for _ in range(12):
        bodies = flat_and_sharp(rng, 60), flat_and_sharp(rng, 60)
        queries = draw(rng, *bodies, 200, decades=3.0, turns=planar_rotations)
        options = {"guess": rng.normal(size=(200, 2))} if guess else {}
        judge(rng, "flat and sharp", queries, report, **options)
    assert not report.failures, report.failures
