"""Motions against SciPy: rotation vectors, matrix exponentials of twists, slerp."""

import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import RigidTransform, Rotation, Slerp

import tangency as tg


def random_pose(rng):
    return Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)


@pytest.mark.parametrize("turns", [0.0, 1e-6, 0.3, 40.0])
def test_drift_is_a_rotation_vector_and_a_line(turns):
    rng = np.random.default_rng(1)
    turn, place = random_pose(rng)
    v, spin = rng.normal(size=3), turns * 2.0 * math.pi * np.array([0.6, 0.0, 0.8])
    motion = tg.Drift((turn, place), v, spin, time=2.0)
    for t in (-1.0, 2.0, 2.9):
        rotation, translation = motion.pose(t)
        expected = Rotation.from_rotvec(spin * (t - 2.0)).as_matrix() @ turn
        np.testing.assert_allclose(rotation, expected, atol=1e-13 * (1.0 + turns))
        np.testing.assert_allclose(translation, place + v * (t - 2.0), atol=1e-14)


@pytest.mark.parametrize("rate", [0.0, 1e-9, 1e-3, 0.1, 3.0, 200.0])
def test_screw_is_the_exponential_of_its_twist(rate):
    rng = np.random.default_rng(2)
    turn, place = random_pose(rng)
    v, spin = rng.normal(size=3), rate * np.array([0.0, 0.6, -0.8])
    motion = tg.Screw((turn, place), v, spin)
    x, y, z = spin
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    twist[:3, 3] = v - np.cross(spin, place)
    start = np.eye(4)
    start[:3, :3], start[:3, 3] = turn, place
    for t in (-0.7, 0.5, 1.3):
        expected = expm(twist * t) @ start
        moment = motion.moment(t)
        np.testing.assert_allclose(moment.rotation, expected[:3, :3], atol=1e-12)
        np.testing.assert_allclose(moment.translation, expected[:3, 3], atol=1e-12)
        np.testing.assert_allclose(moment.velocity, (twist @ expected)[:3, 3], atol=1e-12 * (1.0 + rate))


def test_path_is_linear_and_slerp():
    rng = np.random.default_rng(3)
    times, turns, places = np.array([0.0, 0.5, 2.0, 2.5]), Rotation.random(4, rng=rng), rng.normal(size=(4, 3))
    path = tg.PosePath(times, (turns, places))
    at = np.linspace(0.0, 2.5, 41)
    rotation, translation = path.pose(at)
    np.testing.assert_allclose(rotation, Slerp(times, turns)(at).as_matrix(), atol=1e-13)
    expected = np.stack([np.interp(at, times, places[:, k]) for k in range(3)], axis=-1)
    np.testing.assert_allclose(translation, expected, atol=1e-13)


def test_path_of_screws_joins_the_poses_by_constant_twists():
    rng = np.random.default_rng(4)
    times, turns, places = np.array([0.0, 1.0, 3.0]), Rotation.random(3, rng=rng), rng.normal(size=(3, 3))
    path = tg.PosePath(times, (turns, places), kind="screw")
    frames = RigidTransform.from_components(places, turns)
    for k, part in ((0, 0.25), (0, 1.0), (1, 0.6)):
        expected = frames[k] * RigidTransform.from_exp_coords(part * (frames[k].inv() * frames[k + 1]).as_exp_coords())
        rotation, translation = path.pose(times[k] + part * (times[k + 1] - times[k]))
        np.testing.assert_allclose(rotation, expected.rotation.as_matrix(), atol=1e-12)
        np.testing.assert_allclose(translation, expected.translation, atol=1e-12)


def test_stacks_broadcast():
    drifts = tg.Drift((None, np.zeros((4, 1, 3))), np.ones((5, 3)), time=np.zeros(5))
    assert drifts.batch_shape == (4, 5)
    assert drifts.pose(np.zeros((3, 1, 1)))[1].shape == (3, 4, 5, 3)
    paths = tg.PosePath([0.0, 1.0], (None, np.zeros((6, 2, 3))))
    assert paths.batch_shape == (6,)


def test_speeds_bound_the_motion():
    path = tg.PosePath([0, 1, 2, 3], (None, [[0, 0, 0], [1, 0, 0], [9, 0, 0], [9, 2, 0]]))
    zero = np.zeros(1, int)
    assert [
        float(path.speeds(zero, np.array([a]), np.array([b]))[0][0]) for a, b in ((0, 0.5), (0.5, 1.5), (2.5, 3))
    ] == [
        1.0,
        8.0,
        2.0,
    ]


CASES = [
    (lambda: tg.Drift(velocity=[1, 2]), ValueError, r"velocity must have shape \(..., 3\)"),
    (lambda: tg.Drift(angular_velocity=[1, 2, math.nan]), ValueError, "angular_velocity must be finite"),
    (lambda: tg.Drift(velocity=[1e200, 0, 0]), ValueError, "velocity must be smaller than"),
    (lambda: tg.Drift(time="now"), TypeError, "time must be a number"),
    (lambda: tg.Screw(np.ones((3, 3))), ValueError, "pose must be a rotation"),
    (lambda: tg.Drift(velocity=np.zeros((2, 3)), angular_velocity=np.zeros((3, 3))), ValueError, "do not broadcast"),
    (lambda: tg.PosePath([0.0], (None, np.zeros((1, 3)))), ValueError, "times must have shape.*at least two"),
    (lambda: tg.PosePath([0, 0], (None, np.zeros((2, 3)))), ValueError, "times must increase"),
    (lambda: tg.PosePath([0, 1], (None, np.zeros((3, 3)))), ValueError, r"poses must have shape \(..., 2\)"),
    (lambda: tg.PosePath([0, 1], (None, np.zeros((2, 3))), kind="cubic"), ValueError, "kind must be one of"),
    (lambda: tg.PosePath([0, 1], (None, np.zeros((2, 3)))).pose(2.0), ValueError, "time must lie between 0 and 1"),
    (lambda: tg.BoundedMotion([1, 2], 1.0, 0.0), TypeError, "pose must be a function of time"),
    (lambda: tg.BoundedMotion(lambda t: None), TypeError, "speed must be given"),
    (lambda: tg.BoundedMotion(lambda t: None, 1.0), TypeError, "angular_speed must be given"),
    (lambda: tg.BoundedMotion(lambda t: None, -1.0, 0.0), ValueError, "speed must be a finite bound >= 0, got -1"),
    (lambda: tg.BoundedMotion(lambda t: None, "fast", 0.0), TypeError, "speed must be a number"),
    (lambda: tg.BoundedMotion(lambda t: 3, 1.0, 0.0).pose(0.0), ValueError, r"pose\(t\) must be"),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_bad_input_is_named(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_bound_beyond_the_range_of_floats():
    with pytest.raises(ValueError, match="speed must be a finite bound >= 0, got inf"):
        tg.BoundedMotion(lambda t: None, 10**400, 0.0)
