"""Stacks of spheres, ellipsoids and superellipsoids: bounds hold in extended precision, at any size and distance."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from lane_pairs import extended
from manufactured import ellipsoids, place, random_pairs, random_radii, superellipsoids, unit


def check_bounds(problem, **options):
    c = problem.contact(**options)
    lower, upper = extended(problem.a, problem.b, problem.rotation, problem.position, c.normal)
    assert (c.lower <= upper).all()
    assert (c.upper >= lower).all()
    assert (c.lower <= c.distance).all()
    assert (c.distance <= c.upper).all()
    assert c.converged.all(), np.bincount(c.status)
    np.testing.assert_allclose(np.linalg.norm(c.normal, axis=-1), 1.0, atol=1e-15)
    assert (abs(c.distance - problem.gap) <= 2e-12 * (problem.size + problem.gap)).all()
    return c


needs_extended = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="this platform has no numbers longer than float64"
)


@needs_extended
@pytest.mark.parametrize("surface", [False, True])
@pytest.mark.parametrize("aspect", [1.0001, 5.0, 1e3, 1e6])
def test_bounds_of_ellipsoids_hold_in_extended_precision(aspect, surface):
    check_bounds(ellipsoids(np.random.default_rng(1), 2000, aspect=aspect, surface=surface))


@needs_extended
@pytest.mark.parametrize(
    ("low", "high"), [(0.6, 1.4), (1e-3, 0.1), (1e-6, 1e-3), (1.9, 1.999), (1.9999, 1.999999), (0.999999, 1.000001)]
)
def test_bounds_of_superellipsoids_hold_in_extended_precision(low, high):
    rng = np.random.default_rng(2)
    a, b = (tg.Superellipsoid(random_radii(rng, 1000, 5.0), rng.uniform(low, high, (1000, 2))) for _ in range(2))
    check_bounds(random_pairs(rng, a, b, 1000))


@needs_extended
@pytest.mark.parametrize("swapped", [False, True])
def test_bounds_of_ellipsoids_against_superellipsoids(swapped):
    rng = np.random.default_rng(3)
    a = tg.Ellipsoid(random_radii(rng, 2000, 100.0))
    b = tg.Superellipsoid(random_radii(rng, 2000, 100.0), rng.uniform(0.05, 1.95, (2000, 2)))
    check_bounds(random_pairs(rng, *((b, a) if swapped else (a, b)), 2000))


@needs_extended
@pytest.mark.parametrize("tol", [1e-3, 1e-9, 1e-15])
def test_bounds_hold_at_any_tolerance(tol):
    rng = np.random.default_rng(4)
    check_bounds(ellipsoids(rng, 1000, aspect=10.0, surface=True), tol=tol)
    problem = superellipsoids(rng, 1000, low=0.4, high=1.6)
    c = problem.contact(tol=tol)
    lower, upper = extended(problem.a, problem.b, problem.rotation, problem.position, c.normal)
    assert c.converged.all()
    assert ((c.lower <= upper) & (c.upper >= lower)).all()
    assert (c.upper - c.lower <= 2.0 * tol * problem.size + 3e-14 * (problem.size + problem.gap)).all()


@pytest.mark.parametrize("scale", [1e-59, 1e-30, 1e30, 1e59])
@pytest.mark.parametrize("epsilon", [None, (0.7, 1.2)])
def test_any_unit_of_length(scale, epsilon):
    rng = np.random.default_rng(5)
    radii = [random_radii(rng, 500, 5.0) * scale for _ in range(2)]
    a, b = (tg.Ellipsoid(r) if epsilon is None else tg.Superellipsoid(r, epsilon) for r in radii)
    gap, n = 10.0 ** rng.uniform(-12.0, 0.0, 500) * scale, unit(rng.normal(size=(500, 3)))
    problem = place(a, b, gap, n, Rotation.random(500, rng=rng).as_matrix())
    c = problem.contact()
    assert (c.status == tg.Status.APART).all()
    np.testing.assert_allclose(c.distance / scale, gap / scale, atol=1e-14)


@pytest.mark.parametrize("far", [1e4, 1e8, 1e16, 1e59])
@pytest.mark.parametrize("epsilon", [None, (0.7, 1.2)])
def test_any_distance(far, epsilon):
    rng = np.random.default_rng(6)
    radii = [random_radii(rng, 500, 5.0) for _ in range(2)]
    a, b = (tg.Ellipsoid(r) if epsilon is None else tg.Superellipsoid(r, epsilon) for r in radii)
    n = unit(rng.normal(size=(500, 3)))
    problem = place(a, b, np.full(500, far), n, Rotation.random(500, rng=rng).as_matrix())
    c = problem.contact()
    assert (c.status == tg.Status.APART).all()
    np.testing.assert_allclose(c.distance, far, rtol=2e-15)
    np.testing.assert_allclose(c.normal, n, atol=1e-12 + 10 / far)


@pytest.mark.parametrize("ratio", [1e6, 1e12, 1e30])
def test_a_grain_at_a_planet(ratio):
    rng = np.random.default_rng(7)
    a, b = tg.Ellipsoid(random_radii(rng, 500, 5.0)), tg.Ellipsoid(random_radii(rng, 500, 5.0) * ratio)
    n = unit(rng.normal(size=(500, 3)))
    problem = place(a, b, rng.uniform(0.0, 1.0, 500), n, Rotation.random(500, rng=rng).as_matrix())
    c = problem.contact()
    assert (c.status == tg.Status.APART).all()
    assert (abs(c.distance - problem.gap) <= 1e-15 * problem.size).all()


def test_sizes_out_of_range_are_refused_in_stacks_of_any_number():
    for radius in (1e-300, 1e-200, 1e-100, 1e-61, 1e61, 1e100, 1e300):
        for count in (3, 4):
            position = np.zeros((count, 3))
            position[:, 0] = min(3.0 * radius, 1e59)
            with pytest.raises(ValueError, match="between 1e-60 and 1e60"):
                tg.contact(tg.Sphere(radius), tg.Sphere(radius), pose_b=(None, position))
