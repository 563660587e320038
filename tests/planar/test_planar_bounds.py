"""Planar contacts judged in extended precision: bounds, statuses, points, normals, curvatures."""

import numpy as np
import pytest

import extended
import tangency as tg
from judgement import Report
from planar_families import EXTREME, FAMILIES, radii
from planar_judgement import excess, judge
from planar_sweep import sweep
from queries import draw, planar_rotations, scaled
from tangency import planar
from tangency.kernels.rounding import ROUNDING

pytestmark = pytest.mark.skipif(not extended.HAS_LONG_DOUBLES, reason="long double is no longer than double here")
pytest.importorskip("sympy")
EVERY = {**FAMILIES, **EXTREME}


def test_all_families_sizes_and_placements():
    report = sweep(600, seed=4, each=10, pool=4)
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


@pytest.mark.parametrize("name", sorted(EVERY))
def test_lines_and_all_families(name):
    """The closed form: distance, bounds and points, by the definition in extended precision."""
    rng, count = np.random.default_rng(12), 300
    pool = EVERY[name].make(rng, (8,))
    body = scaled(pool.take(rng.integers(0, 8, count)), 10.0 ** rng.uniform(-30, 30, count))
    size = np.broadcast_to(body.bounding_radius, count)
    r, r_line = planar_rotations(rng, count), planar_rotations(rng, count)
    home = size[:, None] * rng.normal(size=(count, 2)) * 10.0 ** rng.uniform(-3, 3, (count, 1))
    position = home + size[:, None] * rng.normal(size=(count, 2))
    line = planar.Line(rng.normal(size=(count, 2)), size * rng.normal(size=count))
    c = planar.contact(line, body, (r_line, home), (r, position))
    # The same poses and normals as given, in extended precision.
    turns = [np.asarray(m / np.hypot(m[:, 0, 0], m[:, 1, 0])[:, None, None], extended.LONG) for m in (r, r_line)]
    up = (turns[1] * line.normal[:, None, :]).sum(axis=-1)
    n = -(turns[0] * up[:, :, None]).sum(axis=-2)
    distance = (up * (position - home)).sum(axis=-1) - line.offset - extended.support(body, n)
    assert (c.lower <= distance).all()
    assert (distance <= c.upper).all()
    lengths = np.linalg.norm([home, position], axis=-1).sum(axis=0) + np.abs(line.offset)
    assert (c.upper - c.lower <= 2.5 * (ROUNDING * lengths + body.rounding)).all()
    overlap = c.status == tg.Status.OVERLAP_PROVED
    assert (distance[overlap] < 0).all()
    assert (distance[~overlap] > -(c.upper - c.lower)[~overlap]).all()
    room = c.upper - c.lower
    height, outside = excess(body, (turns[0] * (c.point_b - position)[:, :, None]).sum(axis=-2), n)
    assert (np.abs(height) <= room).all()
    assert (outside <= room).all()
    assert (np.abs((up * (c.point_a - home)).sum(axis=-1) - line.offset) <= room).all()
