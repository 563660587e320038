"""Poses in every form that the border accepts."""

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from tangency.geometry.pose import as_pose

ROTATION = Rotation.from_rotvec([0.3, -0.5, 0.7])
MOVE = np.array([1.0, 2.0, 3.0])
MATRIX = np.eye(4)
MATRIX[:3, :3], MATRIX[:3, 3] = ROTATION.as_matrix(), MOVE


@pytest.mark.parametrize(
    "pose",
    [
        RigidTransform.from_components(MOVE, ROTATION),
        MATRIX,
        MATRIX.tolist(),
        (ROTATION, MOVE),
        [ROTATION.as_matrix(), MOVE.tolist()],
    ],
)
def test_equal_forms(pose):
    rotation, translation = as_pose(pose)
    np.testing.assert_allclose(rotation, ROTATION.as_matrix(), atol=1e-15)
    np.testing.assert_allclose(translation, MOVE)
    low, high = tg.Ellipsoid([3, 2, 1]).aabb(pose)
    np.testing.assert_allclose((low + high) / 2, MOVE, atol=1e-14)


def test_identity_and_pure_parts():
    for pose in (None, np.eye(4), (None, [0, 0, 0]), Rotation.identity()):
        rotation, translation = as_pose(pose)
        np.testing.assert_array_equal(rotation, np.eye(3))
        np.testing.assert_array_equal(translation, np.zeros(3))


def test_stacks_broadcast():
    rng = np.random.default_rng(0)
    turns, moves = Rotation.random(4, rng=rng), rng.normal(size=(4, 3))
    for pose in ((turns, moves), RigidTransform.from_components(moves, turns)):
        rotation, translation = as_pose(pose)
        assert rotation.shape == (4, 3, 3)
        assert translation.shape == (4, 3)
    rotation, translation = as_pose((ROTATION, moves))
    assert rotation.shape == (4, 3, 3)
    low, high = tg.Box([1, 2, 3]).aabb((turns, moves))
    for k in range(4):
        np.testing.assert_allclose(high[k], tg.Box([1, 2, 3]).aabb((turns[k], moves[k]))[1])
    assert (low < high).all()


def test_nine_digits_stay_rigid():
    """A pose read from a file is brought back to the nearest rotation."""
    rotation, _ = as_pose(MATRIX.round(9))
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(rotation, ROTATION.as_matrix(), atol=1e-8)


def test_rotations_have_the_bits_of_their_matrices():
    """Stacks of them are copied as quaternions."""
    rng = np.random.default_rng(2)
    for turns in (Rotation.random(1000, rng=rng), Rotation.from_rotvec(rng.normal(size=(50, 3)) * 1e-9)):
        places = rng.normal(size=(len(turns), 3))
        for given, written in (((turns, places), (turns.as_matrix(), places)), (turns, turns.as_matrix())):
            for one, other in zip(as_pose(given), as_pose(written), strict=True):
                np.testing.assert_array_equal(one, other)
    one, other = as_pose((turns[3], places)), as_pose((turns[3].as_matrix(), places))
    np.testing.assert_array_equal(one[0], other[0])
    with pytest.raises(ValueError, match=r"pose\[1\] must be finite, got pose\[1\]\[2\] = "):
        as_pose((turns, np.where(np.arange(50)[:, None] == 2, np.nan, places)))


def test_rotations_alone():
    """One or a stack of them, as a Rotation or as matrices, wherever a pose may stand."""
    turns = Rotation.random(4, rng=np.random.default_rng(1))
    for pose in (turns, turns.as_matrix(), turns.as_matrix().tolist(), (turns, None), (turns, [0.0, 0, 0])):
        rotation, translation = as_pose(pose)
        np.testing.assert_allclose(rotation, turns.as_matrix(), atol=1e-15)
        assert translation.shape == (4, 3)
        assert not translation.any()
    for pose in (ROTATION, ROTATION.as_matrix(), ROTATION.as_matrix().tolist(), (ROTATION, None)):
        rotation, translation = as_pose(pose)
        np.testing.assert_allclose(rotation, ROTATION.as_matrix(), atol=1e-15)
        np.testing.assert_array_equal(translation, np.zeros(3))
    grid = np.broadcast_to(turns.as_matrix(), (2, 4, 3, 3))
    assert as_pose(grid)[1].shape == (2, 4, 3)
    egg, ball = tg.Ellipsoid([3, 2, 1]), tg.Sphere(1.0)
    for pose in (turns, turns.as_matrix()):
        c = tg.contact(egg, ball, pose, (None, [5.0, 0, 0]))
        assert c.shape == (4,)
        for k in range(4):
            assert abs(c.distance[k] - tg.contact(egg, ball, turns[k], (None, [5.0, 0, 0])).distance) < 1e-12
    placed = tg.Bodies([egg, ball, ball, ball]).contact([[0, 1]], turns)
    assert placed.shape == (1,)
    np.testing.assert_allclose(
        tg.Pair(egg, ball)(ROTATION.as_matrix(), (None, [5.0, 0, 0])).distance,
        tg.contact(egg, ball, ROTATION, (None, [5.0, 0, 0])).distance,
        atol=1e-12,
    )


def test_what_is_no_rotation_is_refused():
    with pytest.raises(ValueError, match="pose must be a rotation, but R R' is 3 away"):
        as_pose(np.diag([1.0, 1, 2]))
    with pytest.raises(ValueError, match="must not be a list of two 3x3 arrays"):
        as_pose([np.eye(3), np.eye(3)])
    assert as_pose((np.eye(3), np.eye(3)))[1].shape == (3, 3)  # three translations
