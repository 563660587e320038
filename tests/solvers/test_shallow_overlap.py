"""Overlaps that inner balls prove: all of them proved, with the evaluations of a distance."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from manufactured import facing, place, random_radii, surface_normals, unit
from tangency.contacts import dispatch
from tangency.solvers.certified.shallow_overlap import bound_by_balls

DEPTHS = (1e-4, 1e-3, 1e-2, 5e-2)


def superellipsoids(rng, count, low, high, depth):
    radii = [random_radii(rng, count, 3.0) for _ in range(2)]
    eps = [rng.uniform(low, high, (count, 2)) for _ in range(2)]
    n, m = (surface_normals(rng, r, e) for r, e in zip(radii, eps))
    bodies = (tg.Superellipsoid(r, e) for r, e in zip(radii, eps))
    return place(*bodies, np.full(count, -depth), n, facing(rng, n, m))


def test_the_bound_is_the_distance_from_the_ball():
    """Wherever the origin is, and without a ball: then nothing but |w| is known, however small F is."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = unit(rng.normal(size=3))
        g = np.cross(n, rng.normal(size=3)) * 10.0 ** rng.uniform(-8, 0)
        f, rho = -(10.0 ** rng.uniform(-16, 0)), rng.choice([0.0, 10.0 ** rng.uniform(-3, 0)])
        w = f * n + g
        exact = np.linalg.norm(w + rho * n) - rho
        assert abs(bound_by_balls(f, tuple(w), tuple(n), rho) - exact) < 1e-15 + 1e-15 * np.linalg.norm(w)
    assert bound_by_balls(-1e-14, (0.0, 3e-14, -1e-14), (0.0, 0.0, 1.0), 0.0) > 3e-14


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("low", "high", "evaluations"), [(0.9, 1.1, 4), (0.3, 1.6, 7)])
def test_superellipsoids(low, high, evaluations, depth, monkeypatch):
    p = superellipsoids(np.random.default_rng(1), 1000, low, high, depth)
    c = p.contact()
    assert (c.status == tg.Status.OVERLAP_PROVED).all()
    assert c.evaluations.mean() < evaluations
    np.testing.assert_allclose(c.distance, -depth, atol=3e-12)
    np.testing.assert_allclose(c.point_a, p.point_a, atol=1e-7)
    # The robust solver, with the same balls, agrees.
    monkeypatch.setattr(dispatch, "_lanes", lambda a, b: None)
    d = p.contact()
    assert (d.status == tg.Status.OVERLAP_PROVED).all()
    assert d.evaluations.mean() < evaluations + 1
    np.testing.assert_allclose(d.distance, -depth, atol=3e-12)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scale_and_order_change_nothing(scale):
    p = superellipsoids(np.random.default_rng(2), 300, 0.3, 1.6, 0.02)
    c = p.contact()
    a, b = (tg.Superellipsoid(scale * body.radii, body.epsilon) for body in (p.a, p.b))
    large = tg.contact(a, b, None, (p.rotation, scale * p.position))
    swapped = tg.contact(p.b, p.a, (p.rotation, p.position), None)
    np.testing.assert_allclose(large.distance / scale, c.distance, rtol=1e-9)
    np.testing.assert_allclose(swapped.distance, c.distance, rtol=1e-9)
    np.testing.assert_array_equal(large.status, c.status)
    np.testing.assert_array_equal(swapped.status, c.status)


def test_a_guess_is_proved_with_two_evaluations():
    rng = np.random.default_rng(3)
    p = superellipsoids(rng, 1000, 0.9, 1.1, 0.02)
    before = p.contact()
    turn = Rotation.from_rotvec(1e-4 * rng.normal(size=(1000, 3))).as_matrix() @ p.rotation
    moved = (turn, p.position + 1e-4 * rng.normal(size=(1000, 3)))
    c = tg.contact(p.a, p.b, None, moved, guess=before.normal)
    assert (c.status == tg.Status.OVERLAP_PROVED).all()
    assert c.evaluations.mean() < 2.1
    np.testing.assert_allclose(c.distance, tg.contact(p.a, p.b, None, moved).distance, atol=1e-13)


@pytest.mark.parametrize("kind", ["power", "ovoid", "tapered"])
def test_other_smooth_bodies(kind):
    rng, count = np.random.default_rng(4), 200
    radii, taper = random_radii(rng, count, 3.0), [1.0, 0.15, 0.0, 0.0]
    a = {
        "power": lambda: tg.PowerEllipsoid(radii, 2.0 / rng.uniform(0.4, 1.3, (count, 3))),
        "ovoid": lambda: tg.Ovoid(radii, taper, taper),
        "tapered": lambda: tg.TaperedSuperellipsoid(radii, rng.uniform(0.4, 1.3, (count, 2)), (0.2, 0.2)),
    }[kind]()
    b = a.take(rng.permutation(count))
    n, turn = unit(rng.normal(size=(count, 3))), Rotation.random(count, rng=rng).as_matrix()
    for depth in (1e-3, 2e-2):
        c = place(a, b, np.full(count, -depth), n, turn).contact()
        assert (c.status == tg.Status.OVERLAP_PROVED).all()
        assert np.median(c.evaluations) < 7
        np.testing.assert_allclose(c.distance, -depth, atol=3e-12)


def test_the_ball_of_one_body_is_enough():
    # A sharp corner of a box in an ellipsoid: the ball of the ellipsoid proves alone.
    rng, count = np.random.default_rng(5), 300
    a, b = tg.Ellipsoid(random_radii(rng, count, 3.0)), tg.Box(random_radii(rng, count, 3.0))
    n = unit(rng.normal(size=(count, 3)))
    c = place(a, b, np.full(count, -0.05), n, Rotation.random(count, rng=rng).as_matrix()).contact()
    assert (c.status == tg.Status.OVERLAP_PROVED).all()
    assert c.evaluations.mean() < 8
