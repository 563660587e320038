"""Depths of overlapping superellipsoids against brute force that shares nothing with the library."""

import numpy as np
import pytest

import brute_force
import tangency as tg
from manufactured import unit


def check(count, seed):
    rng = np.random.default_rng(seed)
    pairs = brute_force.random_pairs(rng, count)
    a, b = tg.Superellipsoid(pairs.radii_a, pairs.epsilon_a), tg.Superellipsoid(pairs.radii_b, pairs.epsilon_b)
    c = tg.contact(a, b, None, (pairs.turn, pairs.place))
    assert (c.status == tg.Status.OVERLAP_PROVED).all(), np.bincount(c.status)
    true = brute_force.largest_gap(rng, pairs)
    # No direction separates with a shorter translation than proved, and the normal with no longer one.
    assert (true <= c.upper).all()
    assert (c.lower <= brute_force.gap_along(pairs, c.normal)).all()
    return np.abs(c.distance - true)


def test_depths_against_brute_force():
    assert check(150, 1).max() < 1e-9


@pytest.mark.full
def test_ten_thousand_depths_against_brute_force():
    beside = check(10_000, 2)
    assert (beside > 1e-9).mean() < 2e-3  # the search by random steps did not end at the maximum
    assert beside.max() < 1e-4


def test_the_brute_force_knows_superellipsoids():
    """Its support function is the largest n.x over points of the implicit surface."""
    rng, count = np.random.default_rng(3), 20_000
    ray = unit(rng.normal(size=(count, 3)))
    for _ in range(5):
        radii, epsilon = rng.uniform(0.3, 1.0, 3), rng.uniform(0.3, 1.6, 2)
        e1, e2 = epsilon
        x, y, z = np.abs(ray / radii).T
        # The implicit function without its outer root is homogeneous of degree 2 / e1.
        gauge = ((x ** (2 / e2) + y ** (2 / e2)) ** (e2 / e1) + z ** (2 / e1)) ** (e1 / 2)
        surface = ray / gauge[:, None]
        for n in unit(rng.normal(size=(20, 3))):
            h, sampled = brute_force.support(radii, epsilon, n), (surface @ n).max()
            assert sampled <= h * (1.0 + 1e-14)
            assert h - sampled < 2e-2 * h
            np.testing.assert_allclose(n @ brute_force.point(radii, epsilon, n), h, rtol=1e-13)
