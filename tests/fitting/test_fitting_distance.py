"""signed_distance(): against manufactured points, against mpmath, against the certified solver."""

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES, normals

STRICT = [name for name, family in FAMILIES.items() if family.strict and "formula" not in name]


@pytest.mark.parametrize("name", FAMILIES)
def test_outside_points_on_known_normals(name):
    """x(n) + d n with d >= 0 has the distance d, the foot x(n) and the normal n, for every convex body."""
    rng = np.random.default_rng(3)
    shape = FAMILIES[name].make(rng, ())
    n = normals(rng, 200)
    size = float(shape.bounding_radius)
    d = np.concatenate([np.zeros(20), 10.0 ** rng.uniform(-9, 1, 180)]) * size
    x = shape.point(n)
    found = tg.signed_distance(shape, x + d[:, None] * n)
    assert found.converged.all()
    assert np.abs(found.distance - d).max() < 1e-11 * (size + d.max())
    assert ((found.lower <= d + 1e-14 * d) & (d - 1e-14 * d <= found.upper)).all()
    far = d > 0.01 * size
    assert np.abs(found.foot - x)[far].max() < 2e-6 * size


@pytest.mark.parametrize("name", STRICT)
def test_inside_agrees_with_the_certified_solver(name):
    rng = np.random.default_rng(4)
    shape = FAMILIES[name].make(rng, ())
    inner = shape.point(normals(rng, 60)) * rng.uniform(0.3, 0.99, (60, 1)) + 0.05 * shape.point(normals(rng, 60))
    fast, proved = tg.signed_distance(shape, inner), tg.signed_distance(shape, inner, certify=True)
    size = float(shape.bounding_radius)
    assert fast.converged.all()
    assert np.abs(fast.distance - proved.distance).max() < 1e-8 * size
    assert (fast.lower <= proved.distance + 1e-12 * size).all()
    assert (proved.distance <= fast.upper + 1e-12 * size).all()
    step = np.abs(fast.foot + fast.distance[:, None] * fast.normal - inner).max()
    assert step < 1e-6 * size


def test_ellipsoid_against_mpmath():
    """The foot point of an ellipsoid solves sum (a_i p_i / (t + a_i^2))^2 = 1; the largest root is the nearest."""
    radii, rng = [3.0, 2.0, 1.0], np.random.default_rng(5)
    points = rng.normal(size=(25, 3)) * 2.0
    found = tg.signed_distance(tg.Ellipsoid(radii), points)
    with mpmath.workdps(40):
        for p, distance in zip(points, found.distance):
            terms = [(mpmath.mpf(a) * mpmath.mpf(float(x)), mpmath.mpf(a) ** 2) for a, x in zip(radii, p)]

            def equation(t, terms=terms):
                return sum((ax / (t + aa)) ** 2 for ax, aa in terms) - 1

            low = -mpmath.mpf(1) + mpmath.mpf(10) ** -30
            t = mpmath.findroot(
                equation, (low, mpmath.mpf(1000)), solver="anderson", tol=1e-60, maxsteps=500, verify=False
            )
            foot = [mpmath.mpf(float(x)) * aa / (t + aa) for x, (_, aa) in zip(p, terms)]
            exact = mpmath.sqrt(sum((mpmath.mpf(float(x)) - y) ** 2 for x, y in zip(p, foot))) * mpmath.sign(t)
            assert abs(float(exact) - distance) < 1e-12


def test_pose_and_shape_of_the_answer():
    rng = np.random.default_rng(6)
    shape, pose = (
        tg.Superovoid([1, 0.8, 1.3], [2, 2.2, 1.8], [1, 0.2, 0, 0], [1, 0.1, 0, 0]),
        (Rotation.random(rng=rng), [3, 4, 5]),
    )
    points = rng.normal(size=(4, 5, 3)) + np.array([3.0, 4.0, 5.0])
    found = tg.signed_distance(shape, points, pose)
    local = pose[0].inv().apply(points.reshape(-1, 3) - pose[1])
    at_home = tg.signed_distance(shape, local)
    assert found.distance.shape == (4, 5)
    assert found.foot.shape == (4, 5, 3)
    assert np.allclose(found.distance.ravel(), at_home.distance, atol=1e-13)
    assert np.allclose(found.foot.reshape(-1, 3), pose[0].apply(at_home.foot) + pose[1], atol=1e-8)
    back = pose[0].inv().apply(found.foot.reshape(-1, 3) - pose[1])
    assert np.abs(shape.implicit(back)).max() < 1e-7


def test_half_space_and_bodies_with_corners():
    plane = tg.signed_distance(tg.HalfSpace([0, 0, 2], 1.0), [[5, 5, 3], [0, 0, -1]])
    assert np.allclose(plane.distance, [2.0, -2.0])
    assert np.allclose(plane.foot, [[5, 5, 1], [0, 0, 1]])
    box = tg.signed_distance(tg.Box([3, 2, 1]), [[0, 0, 0.5], [4, 3, 0], [2.9, 0, 0]])
    assert np.allclose(box.distance, [-0.5, np.sqrt(2), -0.1])


def test_nothing_and_nonsense():
    assert tg.signed_distance(tg.Sphere(1.0), np.empty((0, 3))).distance.shape == (0,)
    with pytest.raises(ValueError, match=r"shape must be a single body, got a stack of shape \(2,\)"):
        tg.signed_distance(tg.Sphere([1.0, 2.0]), [0, 0, 0])
    with pytest.raises(TypeError, match="shape must be a Shape, got str"):
        tg.signed_distance("ball", [0, 0, 0])
    with pytest.raises(ValueError, match="points must be finite"):
        tg.signed_distance(tg.Sphere(1.0), [0, 0, np.nan])
