"""Forces on a Contact: balance, power, rates."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces

LAW = forces.Flores(materials=forces.Material(2e9, 0.3), restitution=0.6)
FRICTION = forces.Tanh(coefficient=0.3, speed=0.1)
A, B = tg.Ellipsoid([0.3, 0.2, 0.1]), tg.Ellipsoid([0.2, 0.15, 0.25])


def scene(count=20, seed=3):
    """Overlapping pairs and their motion."""
    rng = np.random.default_rng(seed)
    n = rng.normal(size=(count, 3))
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    turn_a, turn_b = Rotation.random(count, rng), Rotation.random(count, rng)
    x_a = turn_a.apply(A.point(turn_a.inv().apply(n)))
    x_b = turn_b.apply(B.point(turn_b.inv().apply(-n)))
    place_a = rng.normal(size=(count, 3))
    depth = rng.uniform(1e-4, 2e-3, size=count)
    pose_a, pose_b = (turn_a, place_a), (turn_b, place_a + x_a - depth[:, None] * n - x_b)
    twists = rng.normal(size=(2, 2, count, 3))
    return pose_a, pose_b, (twists[0, 0], twists[0, 1]), (twists[1, 0], twists[1, 1]), n, depth


def moved(pose, twist, dt):
    return (Rotation.from_rotvec(twist[1] * dt) * pose[0], pose[1] + twist[0] * dt)


def test_rate_is_the_derivative_of_the_depth():
    pose_a, pose_b, twist_a, twist_b, _, depth = scene()
    f = forces.on(tg.contact(A, B, pose_a, pose_b), twist_a, twist_b, normal=LAW, impact_speed=1.0)
    np.testing.assert_allclose(f.depth, depth, rtol=1e-9)
    h = 1e-5
    later, before = (-tg.contact(A, B, moved(pose_a, twist_a, s), moved(pose_b, twist_b, s)).distance for s in (h, -h))
    np.testing.assert_allclose(f.rate, (later - before) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("at", [0.0, 0.5, 1.0])
def test_balance_and_power(at):
    """Action is reaction, moments included; the power is that of the two laws, wherever the force acts."""
    pose_a, pose_b, twist_a, twist_b, n, _ = scene()
    c = tg.contact(A, B, pose_a, pose_b)
    rolling = forces.Rolling(rolling=0.01, spinning=0.02, speed=1.0)
    f = forces.on(c, twist_a, twist_b, normal=LAW, friction=FRICTION, rolling=rolling, impact_speed=1.0, at=at)
    np.testing.assert_allclose(f.point, (1 - at) * c.point_a + at * c.point_b, atol=1e-14)
    size = np.abs(f.force_a).max()
    np.testing.assert_allclose(f.force_a + f.force_b, 0, atol=1e-14 * size)
    about_world = np.cross(pose_a[1], f.force_a) + f.torque_a + np.cross(pose_b[1], f.force_b) + f.torque_b
    np.testing.assert_allclose(about_world, 0, atol=1e-12 * size)
    np.testing.assert_allclose((f.force_b * n).sum(-1), f.normal, rtol=1e-12)
    np.testing.assert_allclose((f.friction * n).sum(-1), 0, atol=1e-12 * size)

    power = sum(
        (u * v).sum(-1)
        for u, v in (
            (f.force_a, twist_a[0]),
            (f.torque_a, twist_a[1]),
            (f.force_b, twist_b[0]),
            (f.torque_b, twist_b[1]),
        )
    )
    couple = rolling.torque(f.normal, n, twist_b[1] - twist_a[1])
    expected = -f.normal * f.rate + (f.friction * f.slip).sum(-1) + (couple * (twist_b[1] - twist_a[1])).sum(-1)
    np.testing.assert_allclose(power, expected, atol=1e-12 * np.abs(expected).max())
    assert ((f.friction * f.slip).sum(-1) < 0).all()


def test_other_origins_and_points():
    pose_a, pose_b, twist_a, twist_b, _, _ = scene(5)
    c = tg.contact(A, B, pose_a, pose_b)
    given = {"normal": LAW, "friction": FRICTION, "impact_speed": 1.0}
    f = forces.on(c, twist_a, twist_b, **given)
    # The same motion told from another point of A.
    shift = np.array([0.1, -0.2, 0.3])
    told = (twist_a[0] + np.cross(twist_a[1], shift), twist_a[1])
    g = forces.on(c, told, twist_b, **given, origin_a=pose_a[1] + shift, at=f.point)
    np.testing.assert_allclose(g.force_a, f.force_a, rtol=1e-9)
    np.testing.assert_allclose(g.torque_a, f.torque_a - np.cross(shift, f.force_a), rtol=1e-8, atol=1e-6)


def test_bodies_apart_feel_nothing():
    c = tg.contact(A, B, pose_b=(None, [[1.0, 0, 0], [0.4999, 0, 0]]))
    f = forces.on(c, None, ([-1.0, 1.0, 0], [0, 0, 0]), normal=LAW, friction=FRICTION, impact_speed=1.0)
    assert (f.force_a[0] == 0).all()
    assert (f.torque_b[0] == 0).all()
    assert f.force_b[1, 0] > 0
    assert f.force_a[1, 0] < 0
    assert f.friction[1, 1] < 0


def test_a_prepared_pair_will_do():
    c = tg.Pair(A, B)(None, (None, [0.4999, 0, 0]))
    f = forces.on(c, normal=LAW, impact_speed=1.0)
    whole = forces.on(tg.contact(A, B, None, (None, [0.4999, 0, 0])), normal=LAW, impact_speed=1.0)
    np.testing.assert_allclose(f.force_b, whole.force_b, rtol=1e-9)


def test_bad_input():
    c = tg.contact(A, B, pose_b=(None, [0.4999, 0, 0]))
    with pytest.raises(TypeError, match="contact must be a Contact"):
        forces.on(3.0, normal=LAW)
    with pytest.raises(TypeError, match="twist_a must be None or"):
        forces.on(c, 1.0, normal=LAW, impact_speed=1.0)
    with pytest.raises(ValueError, match="at must lie between 0"):
        forces.on(c, normal=LAW, impact_speed=1.0, at=2.0)
    with pytest.raises(ValueError, match="impact_speed must be given"):
        forces.on(c, normal=LAW)
