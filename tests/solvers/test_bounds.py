"""Proved bounds hold, judged in extended precision; no field of a contact is ever NaN (see `sweep.py`)."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import extended
import judgement
import queries
import sweep
import tangency as tg
from families import FAMILIES
from manufactured import unit

pytestmark = pytest.mark.skipif(not extended.HAS_LONG_DOUBLES, reason="long double is no longer than double here")


@pytest.fixture(scope="module")
def bodies():
    return queries.pools(np.random.default_rng(1), 8)


def slanted(rng, count):
    """Unit vectors, also next to the coordinate planes and the axes, and in them."""
    n = rng.normal(size=(count, 3)) * 10.0 ** (rng.uniform(-18, 0, (count, 3)) * rng.integers(0, 2, (count, 1)))
    n = np.where(rng.random((count, 3)) < 0.05, 0.0, n)
    n[(n == 0).all(axis=1)] = [0.0, 0.0, 1.0]
    return unit(n)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_shape_knows_the_error_of_its_support_value(name, bodies):
    """Support values and points in all sizes err by much less than `rounding`, most of which belongs to solvers."""
    rng, count = np.random.default_rng(2), 300
    shape = queries.scaled(bodies[name].take(rng.integers(0, 8, count)), 10.0 ** rng.uniform(-30, 30, count))
    n = slanted(rng, count)
    out = shape._evaluate(shape.address, n, "n")
    true = extended.support(shape, n.astype(extended.LONG))
    allowed = 0.25 * shape.rounding
    assert (np.abs(out[:, 0] - true) <= allowed).all()
    assert (np.abs((n * out[:, 1:4].astype(extended.LONG)).sum(axis=-1) - true) <= allowed).all()
    for step in (1.0, 1e-3, 1e-6):
        m = n + step * rng.normal(size=n.shape).astype(extended.LONG)
        # No point lies outside of its body.
        outside = (m * out[:, 1:4]).sum(axis=-1) - extended.support(shape, m)
        assert (outside <= allowed * extended.length(m)).all()


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)])
def test_tapered_bodies_next_to_their_ends(axis):
    """A wrong slope once ended the search for the height far from its root, with points off by 1e-3 sizes."""
    rng, count = np.random.default_rng(3), 2000
    shape = tg.Superovoid(
        [1.82, 0.52, 0.59], [4.16, 6.28, 1.295], taper_x=[0.72, 0.21, 0.0, -0.02], taper_y=[0.89, 0.21, -0.1, 0.11]
    ).broadcast_to((count,))
    n = unit(np.array(axis) + 10.0 ** rng.uniform(-14, -2, (count, 3)) * rng.normal(size=(count, 3)))
    error = shape._evaluate(shape.address, n, "n")[:, 0] - extended.support(shape, n.astype(extended.LONG))
    assert (np.abs(error) <= 0.25 * shape.rounding).all()


def test_tapered_bodies_next_to_their_belt():
    """Newton's method for the height once went to and fro, and the support value was wrong by 1e-4 sizes."""
    rng, count = np.random.default_rng(9), 3000
    shape = tg.Superovoid(
        [2.489119423093543, 1.1491771647937066, 5.039161428893758],
        [2.072180628889461, 4.935757143263501, 4.427736900132935],
        [0.7719181638904625, -0.07083019335779417, -0.017031057963865136, 0.07242387585745247],
        [0.7762702617240412, -0.07122953611909258, -0.06639052055184179, 0.11402482308853568],
    ).broadcast_to((count,))
    n = unit(
        np.array([0.21357611320126074, 0.9766762292685128, 0.022108528935271304]) + 1e-3 * rng.normal(size=(count, 3))
    )
    error = shape._evaluate(shape.address, n, "n")[:, 0] - extended.support(shape, n.astype(extended.LONG))
    assert (np.abs(error) <= 0.25 * shape.rounding).all()


def test_bounds_over_all_families_and_sizes():
    report = sweep.sweep(1000, seed=4, each=20, pool=8)
    assert not report.failures, report.failures
    assert sum(report.unconverged.values()) <= 2


@pytest.mark.full
def test_bounds_at_length():
    report = sweep.sweep(400_000, seed=5)
    assert not report.failures, report.failures
    assert sum(report.unconverged.values()) <= 40


@pytest.mark.parametrize("name", ["sphere", "affine ellipsoid", "box", "user's egg", "rounded box"])
def test_no_field_is_nan_where_cores_are_points_and_lines(name, bodies):
    """Concentric bodies, one of them without curvature: a Newton step that divided by zero."""
    rng, count = np.random.default_rng(6), 400
    other = bodies[name].take(rng.integers(0, 8, count))
    other = queries.scaled(other, 10.0 ** rng.uniform(-30, 30, count))
    for line in (tg.Segment(np.ones(count)), tg.capsule(0.5 * np.ones(count), np.ones(count))):
        line = queries.scaled(line, 10.0 ** rng.uniform(-30, 30, count))
        poses = [(queries.rotations(rng, count), np.zeros((count, 3))) for _ in range(2)]
        for a, b in ((line, other), (other, line)):
            c = tg.contact(a, b, *poses)
            for value in (c.distance, c.lower, c.upper, c.normal, c.point_a, c.point_b):
                assert np.isfinite(value).all()
            assert np.allclose(np.linalg.norm(c.normal, axis=-1), 1.0, rtol=0, atol=1e-14)
            np.testing.assert_array_equal(c.point_b, c.point_a + c.distance[:, None] * c.normal)
            radii = np.concatenate([c.curvature_a.radii, c.curvature_b.radii])
            assert not np.isnan(radii).any()  # infinite along lines and on faces


class Cancelling(tg.Shape):
    """A ball of radius 1, with nine digits that cancel."""

    class Kernel(NamedTuple):
        far: float

        def support(self, n):
            length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            return (self.far + 1.0) * length - self.far * length

        def point(self, n):
            k = 1.0 / math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            return (k * n[0], k * n[1], k * n[2])


@pytest.mark.parametrize("far", [1e3, 1e7])
def test_errors_of_a_users_formula_are_measured(far):
    rng, count = np.random.default_rng(7), 300
    ball = Cancelling(far=far)
    n = unit(rng.normal(size=(count, 3)))
    error = np.abs(ball._evaluate(ball.address, 1.1 * n, "n")[:, 0] - 1.1 * np.linalg.norm(n, axis=-1)).max()
    assert error < ball.rounding < 100 * error
    assert ball.offset(1.0).rounding > ball.rounding
    assert (ball + ball).rounding == 2 * ball.rounding
    assert tg.Sphere(2.0).affine(2 * np.eye(3)).rounding == 2 * tg.Sphere(2.0).rounding
    gap = 10.0 ** rng.uniform(-12, 0, count)
    pose = Rotation.random(count, rng=rng).as_matrix(), (2.0 + gap)[:, None] * n
    c = tg.contact(ball, tg.Sphere(1.0), None, pose)
    true = np.linalg.norm(pose[1].astype(extended.LONG), axis=-1) - 2
    assert (c.lower <= true).all()
    assert (true <= c.upper).all()


def test_maxima_at_kinks_are_found():
    """A segment inside a smooth body: the shortest way out is a normal of the segment, where F has a kink."""
    rng, count = np.random.default_rng(8), 300
    segment = tg.Segment(rng.uniform(0.01, 2.0, count))
    body = tg.Ellipsoid(np.exp(rng.uniform(-0.5, 0.5, (count, 3)))) + tg.Sphere(0.1)
    c = tg.contact(segment, body, (Rotation.random(count, rng=rng).as_matrix(), 0.05 * rng.normal(size=(count, 3))))
    assert c.converged.all()
    short = segment.half_length < 0.05
    assert (c.distance[short] < -0.5).all()


@pytest.mark.parametrize("name", ["ellipsoid", "box", "affine ellipsoid"])
def test_a_line_next_to_a_small_body(name, bodies):
    """Tetrahedra as thin as needles were taken to hold the origin: overlap was proved where there is a gap."""
    rng, count = np.random.default_rng(10), 200
    body = bodies[name].take(rng.integers(0, 8, count))
    body = queries.scaled(body, 10.0 ** rng.uniform(-14, -2, count))
    line = tg.Segment(rng.uniform(0.3, 3.0, count))
    aside = rng.normal(size=(count, 2)) * body.bounding_radius[:, None]
    place = np.concatenate([aside, rng.uniform(-0.3, 0.3, (count, 1))], axis=1)
    turns = [Rotation.random(count, rng=rng).as_matrix() for _ in range(2)]
    poses = (turns[0], np.einsum("kij,kj->ki", turns[1], place)), (turns[1], np.zeros((count, 3)))
    report = judgement.Report()
    judgement.judge(rng, name, queries.Queries(body, line, *poses, np.zeros(count, int)), report)
    assert not report.failures, report.failures


def test_long_ways_along_a_curved_kink():
    """A ball next to the axis of a cone: the shortest way out lies on the circle of normals of its side.

    The opposite place of the circle, where F is stationary along the kink and lowest, was once taken for the answer.
    """
    rng, count = np.random.default_rng(11), 100
    cone = tg.Cone(rng.uniform(0.5, 1.0, count), rng.uniform(1.0, 2.0, count))
    aside = 10.0 ** rng.uniform(-5, -2, count)
    turn = rng.uniform(0.0, 2.0 * np.pi, count)
    c = tg.contact(
        cone, tg.Sphere(0.1), None, (None, np.stack([aside * np.cos(turn), aside * np.sin(turn), 0 * turn], 1))
    )
    side = cone.radius * cone.half_length / np.hypot(cone.radius, 2.0 * cone.half_length)
    true = -side - 0.1 + aside * np.cos(cone.half_angle)
    assert c.converged.all()
    assert (np.abs(c.distance - true) < 1e-11).all()
    assert (c.lower <= true).all()
    assert (true <= c.upper).all()


def test_long_ways_along_a_smooth_ridge():
    """The same for a body of revolution without kinks: Newton's steps along the tangent left the circle."""
    rng, count = np.random.default_rng(12), 200
    radii = np.stack([np.ones(count), np.ones(count), rng.uniform(1.5, 3.0, count)], axis=1)
    body = tg.Superellipsoid(radii, np.stack([rng.uniform(0.6, 0.95, count), np.ones(count)], axis=1))
    aside, turn = 10.0 ** rng.uniform(-10, -4, count), rng.uniform(0.0, 2.0 * np.pi, count)
    place = np.stack([aside * np.cos(turn), aside * np.sin(turn), rng.uniform(0.2, 0.4, count)], axis=1)
    c = tg.contact(body, tg.Sphere(0.01), None, (None, place))
    assert c.converged.all()

    def f(latitude):
        n = np.stack([np.cos(turn) * np.cos(latitude), np.sin(turn) * np.cos(latitude), np.sin(latitude)], axis=1)
        return (n * place).sum(axis=1) - body.support(n) - 0.01

    grid = np.linspace(-1.2, 1.2, 400)
    middle = grid[np.argmax([f(np.full(count, v)) for v in grid], axis=0)]
    low, high = middle - 0.01, middle + 0.01
    for _ in range(80):  # golden section
        a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
        rises = f(a) < f(b)
        low, high = np.where(rises, a, low), np.where(rises, high, b)
    assert (np.abs(c.distance - f(0.5 * (low + high))) < 2e-9).all()


def test_small_bodies_around_a_line():
    """Needles of simplices and polytopes: products of long edges lost their digits."""
    rng, count, left = np.random.default_rng(1), 400, 0
    for name in ("ellipsoid", "box", "hull", "superovoid", "cone"):
        body = FAMILIES[name].make(rng, (8,)).take(rng.integers(0, 8, count))
        body = queries.scaled(body, 10.0 ** rng.uniform(-13, -3, count))
        line, turns = tg.Segment(rng.uniform(0.3, 3.0, count)), Rotation.random(2 * count, rng=rng).as_matrix()
        place = 0.1 * body.bounding_radius[:, None] * rng.normal(size=(count, 3))
        c = tg.contact(body, line, (turns[:count], place), (turns[count:], np.zeros((count, 3))))
        left += int((~c.converged).sum())
    assert left <= 40  # of 2000


def test_proved_bounds_are_close():
    """A face on the boundary of the set of differences once proved the depth although others were nearer."""
    rng, count = np.random.default_rng(13), 1500
    sharp = tg.Superellipsoid(np.exp(rng.uniform(-1.6, 0.7, (count, 3))), rng.uniform(1.4, 1.9, (count, 2)))
    line = tg.Segment(rng.uniform(0.1, 5.0, count))
    turn = np.round(Rotation.create_group("O").as_matrix())[rng.integers(0, 24, count)]
    c = tg.contact(line, sharp, None, (turn, 10.0 ** rng.uniform(-18, -1, (count, 1)) * rng.normal(size=(count, 3))))
    size = sum(np.linalg.norm(body.bounds[:, :3], axis=1) for body in (line, sharp))
    proved = c.status <= tg.Status.OVERLAP_PROVED
    assert ((c.upper - c.lower)[proved] <= 1.05e-12 * size[proved]).all()


def test_small_ellipsoids_deep_inside_large_ones():
    """A local maximum that was found to the tolerance only, not to rounding, once gave its value as the bound."""
    rng, count = np.random.default_rng(1), 8000
    a, b = (
        rng.uniform(0.3, 1.0, (count, 3)),
        10.0 ** (rng.uniform(-12, 0.3, (count, 1)) + rng.uniform(-3, 0, (count, 3))),
    )
    turn = Rotation.random(count, rng).as_matrix()
    place = unit(rng.normal(size=(count, 3))) * a * np.sqrt(rng.random((count, 1)))
    place *= rng.choice([1.0, 1e-3, 1e-6], (count, 1))
    place[rng.random(count) < 0.3] *= [0.0, 0.0, 1.0]
    c = tg.contact(tg.Ellipsoid(a), tg.Ellipsoid(b), None, (turn, place))
    stretched = [r.astype(extended.LONG) for r in (a, b)]

    def gap(n):
        n = n / extended.length(n)[:, None]
        m = (turn * n[:, :, None]).sum(axis=1)
        return (n * place).sum(axis=1) - extended.length(stretched[0] * n) - extended.length(stretched[1] * m)

    n = c.normal.astype(extended.LONG)
    best, radius = gap(n), np.full(count, 1e-3)
    for _ in range(150):
        trial = n + radius[:, None] * rng.normal(size=n.shape)
        f = gap(trial)
        better = f > best
        n, best = np.where(better[:, None], trial, n), np.maximum(best, f)
        radius = np.where(better, 2.0 * radius, np.maximum(0.7 * radius, 1e-12))
    proved = c.status == tg.Status.OVERLAP_PROVED
    assert proved.mean() > 0.97
    assert (best <= c.upper)[proved].all()


@pytest.mark.parametrize("count", [10, pytest.param(30, marks=pytest.mark.full)])
def test_small_bodies_next_to_the_axis_of_a_cone(count):
    """F hardly changes along the circle of the side's normals, and small edges cut it: climbs did not end there."""
    rng, left = np.random.default_rng(14), 0
    for name in ("box", "hull", "capsule"):
        body = FAMILIES[name].make(rng, (8,)).take(rng.integers(0, 8, count))
        body = queries.scaled(body, 10.0 ** rng.uniform(-12, -4, count))
        cone = tg.Cone(rng.uniform(0.5, 1.0, count), rng.uniform(1.0, 2.0, count))
        place = 10.0 ** rng.uniform(-12, -3, (count, 1)) * rng.normal(size=(count, 3))
        c = tg.contact(body, cone, (Rotation.random(count, rng=rng).as_matrix(), place))
        left += int((~c.converged).sum())
    assert left <= 3 * count // 45
