"""Edges, rims and corners that touch, cross or lie in the middle of something: every query converges."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import queries
import tangency as tg
from families import FAMILIES

COUNT = 1500
NAMES = ("cylinder", "cone", "box", "rounded box", "hull", "needle", "ellipsoid", "capsule", "segment")
PLACES = {name: k for k, name in enumerate(queries.PLACEMENTS)}


@pytest.fixture(scope="module")
def bodies():
    rng = np.random.default_rng(11)
    return {name: FAMILIES[name].make(rng, (16,)) for name in NAMES}


def drawn(rng, a, b, count, *places):
    """Queries of some placements only."""
    q = queries.draw(rng, a, b, 4 * count, decades=6.0)
    k = np.flatnonzero(np.isin(q.placement, [PLACES[p] for p in places]))[:count]
    poses = [(r[k], t[k]) for r, t in (q.pose_a, q.pose_b)]
    return queries.Queries(q.a.take(k), q.b.take(k), *poses, q.placement[k])


def resized(q, factor):
    """The same queries with B so many times as large, and as far from A in units of its size."""
    away = (q.pose_b[1] - q.pose_a[1]) * np.minimum(factor, 1.0)[:, None]
    return queries.Queries(q.a, queries.scaled(q.b, factor), q.pose_a, (q.pose_b[0], q.pose_a[1] + away), q.placement)


def unconverged(q):
    c = q.contact()
    return [(int(k), tg.Status(int(c.status[k])).name) for k in np.flatnonzero(~c.converged)]


@pytest.mark.parametrize("other", ["box", "hull", "needle", "ellipsoid"])
@pytest.mark.parametrize("round_body", ["cylinder", "cone"])
def test_rims_that_touch(round_body, other, bodies):
    """A rim has no curvature across: Newton's step across it may be of any length, that along it counts."""
    rng = np.random.default_rng(12)
    assert not unconverged(drawn(rng, bodies[round_body], bodies[other], COUNT, "touching"))


@pytest.mark.parametrize("small", ["box", "rounded box", "hull", "capsule", "cone"])
def test_small_bodies_at_long_segments(small, bodies):
    """The simplex is a needle as long as the segment and as thin as the small body."""
    rng = np.random.default_rng(13)
    q = drawn(rng, bodies[small], bodies["segment"], COUNT, "nested", "concentric")
    assert not unconverged(resized(q, 10.0 ** rng.uniform(6, 12, COUNT) / q.b.bounding_radius * q.a.bounding_radius))


@pytest.mark.parametrize("small", ["rounded box", "segment", "hull", "capsule"])
@pytest.mark.parametrize("round_body", ["cylinder", "cone"])
def test_small_bodies_in_the_middle(round_body, small, bodies):
    """F changes by the size of the small body along a whole circle of normals, and has kinks there."""
    rng = np.random.default_rng(14)
    q = drawn(rng, bodies[round_body], bodies[small], 25, "concentric", "aligned")
    sizes = 10.0 ** rng.uniform(-12, -7, len(q.placement))
    assert not unconverged(resized(q, sizes / q.b.bounding_radius * q.a.bounding_radius))


@pytest.mark.parametrize(
    ("shape", "apart", "overlapping"),
    [(tg.Box([0.5, 0.4, 0.3]), 9, 11), (tg.capsule(0.3, 0.5), 6, 7), (tg.Cylinder(0.4, 0.5), 9, 10)],
)
def test_edges_against_an_ellipsoid_take_few_evaluations(shape, apart, overlapping):
    """Kink steps are made; with plane, model and Newton steps alone, boxes take 12 evaluations, touching ones 18."""
    rng = np.random.default_rng(0)
    body, turn, way = tg.Ellipsoid([0.7, 0.5, 0.4]), Rotation.random(400, rng=rng), rng.normal(size=(400, 3))
    way *= 2.5 / np.linalg.norm(way, axis=1)[:, None]
    c = tg.contact(body, shape, pose_b=(turn, way))
    assert c.converged.all()
    assert c.evaluations.mean() < apart
    touching = tg.contact(body, shape, pose_b=(turn, way - (c.distance + 0.01)[:, None] * c.normal))
    assert (touching.status == tg.Status.OVERLAP_PROVED).all()
    assert touching.evaluations.mean() < overlapping
    np.testing.assert_allclose(touching.distance, -0.01, atol=1e-12)
