"""The proved lower bound on radii of curvature of harmonic shapes."""

import numpy as np
import pytest

import tangency as tg
from manufactured import unit
from tangency.geometry.extreme_radii import extreme_radius
from tangency.geometry.least_radius import covering, from_coefficients, least_radius


@pytest.mark.parametrize("d", [0.3, 0.11])
def test_every_direction_has_a_sample_nearby(d):
    rng = np.random.default_rng(0)
    n = unit(rng.normal(size=(4000, 3)))
    n[:200] = unit(np.array([0, 0, 1]) + d * rng.normal(size=(200, 3)))
    nearest = (n @ covering(d).T).max(axis=1)
    assert np.arccos(nearest).max() <= 2.0 * np.arcsin(0.5 * d)


@pytest.mark.parametrize("degree", [0, 1, 5])
def test_bound_lies_below_the_smallest_radius(degree):
    """Balls with random harmonics, down to bodies that are almost sharp somewhere."""
    rng = np.random.default_rng(degree)
    degrees = np.repeat(np.arange(degree + 1), 2 * np.arange(degree + 1) + 1)
    wave = rng.normal(size=(4, len(degrees))) / (1.0 + degrees) ** 2
    wave[:, 0] = 1e3 * np.sqrt(4.0 * np.pi)
    # The radius of the ball that bears just these waves, and a little more
    ball = 1e3 - extreme_radius(tg.HarmonicShape(wave), 0)[0]
    wave[:, 0] = (np.maximum(ball, 1e-3) * [1.02, 1.2, 2.0, 5.0]) * np.sqrt(4.0 * np.pi)
    shape = tg.HarmonicShape(wave)
    exact, bound = extreme_radius(shape, 0)[0], least_radius(shape, degree)
    assert (bound <= exact).all()
    assert (bound[1:] >= 0.5 * exact[1:]).all()
    coarse = from_coefficients(shape.coefficients)
    assert (coarse <= exact).all()
    np.testing.assert_array_equal(shape.core_radius, np.maximum(bound, coarse))


@pytest.mark.parametrize("degree", [1, 2, 3, 6])
def test_the_bound_from_coefficients_is_attained(degree):
    """By the harmonics of one degree that lower the radius along one tangent as much as possible."""
    n = unit(np.array([0.3, 0.5, 0.8]))
    t = unit(np.cross(n, [0.0, 0.0, 1.0]))
    ball = np.zeros((degree + 1) ** 2)
    ball[0] = 1e6
    waves = np.eye(len(ball))[degree**2 :] + ball
    ball_radius = tg.HarmonicShape(ball).hessian(n) @ t @ t
    change = np.array([tg.HarmonicShape(wave).hessian(n) @ t @ t - ball_radius for wave in waves])
    most = np.linalg.norm(change) + 1e-3
    ball[0], ball[degree**2 :] = 2.0 * most * np.sqrt(4.0 * np.pi), -change / most
    assert from_coefficients(ball) == pytest.approx(tg.HarmonicShape(ball).hessian(n) @ t @ t, rel=1e-6)


@pytest.mark.parametrize("count", [80, pytest.param(300, marks=pytest.mark.full)])
def test_many_harmonic_shapes_have_cores(count):
    """Too many for samples: their coefficients alone prove a bound."""
    rng = np.random.default_rng(5)
    degrees = np.repeat(np.arange(7), 2 * np.arange(7) + 1)
    wave = 0.1 * rng.uniform(-1.0, 1.0, (count, 49)) / np.maximum(degrees, 1.0) ** 3
    wave[:, 0] = np.sqrt(4.0 * np.pi)
    shape = tg.HarmonicShape(wave)
    exact = np.concatenate([extreme_radius(shape[k : k + 100], 0)[0] for k in range(0, count, 100)])
    assert ((shape.core_radius > 0.7 * exact) & (shape.core_radius <= exact)).all()


def test_overlap_of_harmonic_shapes_costs_as_much_as_a_distance():
    egg = tg.HarmonicShape.from_shape(tg.Ellipsoid([1.0, 0.8, 0.7]), degree=8)
    n = unit(np.random.default_rng(2).normal(size=(100, 3)))
    c = tg.contact(egg, egg, None, (None, egg.point(n) - egg.point(-n) - 0.1 * n))
    assert (c.status == tg.Status.OVERLAP_PROVED).all()
    assert c.evaluations.mean() < 6
    np.testing.assert_allclose(c.distance, -0.1, atol=1e-12)
