"""Deep overlaps of ellipsoids: a ball that is said to lie inside the sum of both bodies does, and proves the depth."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from lane_pairs import best_separation, contradictions, extended, robust, spiral
from manufactured import random_radii, unit
from tangency.contacts import dispatch
from tangency.solvers.lanes.inner_ball import is_inside


def supports(radii_a, radii_b, turn, m):
    return np.linalg.norm(radii_a * m, axis=-1) + np.linalg.norm(radii_b * (m @ turn), axis=-1)


def largest_ball(radii_a, radii_b, turn, n, x):
    """Radius of the largest ball that touches at x, by sampling: (h(m) - m.x) / (1 - m.n) is never smaller."""
    m = np.concatenate([spiral(20_000), unit(n + 0.3 * spiral(20_000)), unit(n + 0.01 * spiral(5000))])
    apart = 1.0 - m @ n
    m, apart = m[apart > 1e-9], apart[apart > 1e-9]
    return ((supports(radii_a, radii_b, turn, m) - m @ x) / apart).min()


@pytest.mark.parametrize("aspect", [1.5, 5.0, 30.0])
def test_balls_lie_inside(aspect):
    rng = np.random.default_rng(30)
    proved = []
    for _ in range(60):
        radii_a, radii_b = random_radii(rng, 1, aspect)[0], random_radii(rng, 1, aspect)[0] * 10.0 ** rng.uniform(-1, 1)
        turn, n = Rotation.random(rng=rng).as_matrix(), unit(rng.normal(size=3))
        if rng.random() < 0.3:  # at the end of an axis the ball may be as large as the body
            n = np.eye(3)[rng.integers(3)]
        x = tg.Ellipsoid(radii_a).point(n) + turn @ tg.Ellipsoid(radii_b).point(turn.T @ n)
        largest = largest_ball(radii_a, radii_b, turn, n, x)
        arguments = tuple(map(float, radii_a)), tuple(map(float, radii_b)), tuple(map(float, turn.ravel()))
        low, high = 0.0, supports(radii_a, radii_b, turn, n)
        for _ in range(40):  # the largest radius that is accepted
            rho = 0.5 * (low + high)
            low, high = (rho, high) if is_inside(*arguments, tuple(map(float, n)), rho).inside else (low, rho)
        assert low <= largest * (1.0 + 1e-9)
        proved.append(low / largest)
    assert np.median(proved) > 0.6


def test_spheres_have_the_largest_ball():
    eye, radius = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0)
    for n in np.random.default_rng(31).normal(size=(20, 3)):
        n = tuple(map(float, unit(n)))
        assert is_inside(radius, radius, eye, n, 2.0 - 1e-12).inside
        assert not is_inside(radius, radius, eye, n, 2.0).inside  # the ball itself: nothing is left for a centre


@pytest.mark.parametrize("aspect", [1.2, 3.0, 30.0])
@pytest.mark.parametrize("reach", [1e-8, 1e-2, 0.3])
def test_bodies_deep_inside_each_other(aspect, reach, monkeypatch):
    """Nearly concentric: many directions are almost equally good."""
    rng = np.random.default_rng(32)
    count = 300
    radii_a, radii_b = random_radii(rng, count, aspect), random_radii(rng, count, aspect)
    turn, position = Rotation.random(count, rng=rng).as_matrix(), reach * rng.normal(size=(count, 3))
    position[::20] = 0.0
    a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    c = tg.contact(a, b, None, (turn, position))
    assert (c.status <= tg.Status.OVERLAP_PROVED).mean() > 0.99
    assert (c.upper - c.lower <= 1e-11).mean() > 0.99
    best = best_separation(radii_a, radii_b, turn, position, 1500)
    assert (best <= c.upper + 1e-14).all()
    assert (c.lower <= extended(a, b, turn, position, c.normal)[0]).all()
    assert contradictions(c, robust(monkeypatch, a, b, None, (turn, position))) == 0
    np.testing.assert_allclose(c.point_b - c.point_a, c.distance[:, None] * c.normal, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(c.point_a / radii_a, axis=-1), 1.0, rtol=1e-9)


def test_few_pairs_are_left_to_the_robust_solver(monkeypatch):
    """The roundest ones of all overlaps are solved in lanes; a lost proof would show only in the time."""
    rng, left = np.random.default_rng(33), []
    monkeypatch.setattr(dispatch, "_finish", lambda query, pairs: left.append(len(pairs)))
    count = 4000
    radii_a, radii_b = random_radii(rng, count, 2.0), random_radii(rng, count, 2.0)
    turn, position = Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3)) * rng.random((count, 1))
    tg.contact(tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), None, (turn, position))
    assert sum(left) < 0.02 * count
