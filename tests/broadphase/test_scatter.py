"""Random places of bodies that do not overlap."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.broadphase import scatter


def apart(shape, poses, gap=0.0):
    """All pairs, without the broad phase."""
    stack = shape if shape.batch_shape else shape.broadcast_to((len(poses),))
    i, j = np.triu_indices(len(poses), 1)
    return (tg.contact(stack.take(i), stack.take(j), poses[i], poses[j]).distance > gap).all()


@pytest.mark.parametrize("kind", ["one", "stack", "off-centre"])
def test_bodies_are_apart_and_inside(kind):
    rng = np.random.default_rng(0)
    shape = {
        "one": tg.Ellipsoid([0.2, 0.1, 0.05]),
        "stack": tg.Superellipsoid(rng.uniform(0.03, 0.15, (40, 3)), epsilon=(0.5, 1.5)),
        "off-centre": tg.Box([0.1, 0.05, 0.05]).translate([0.5, 0.2, 0.0]),
    }[kind]
    poses = scatter(shape, [-0.5, 0, 0], [0.5, 1, 1.5], None if shape.batch_shape else 40, gap=0.01, seed=4)
    assert len(poses) == 40
    assert apart(shape, poses, 0.01)
    low, high = shape.aabb(poses)
    assert (low >= np.array([-0.5, 0, 0]) - 1e-12).all()
    assert (high <= np.array([0.5, 1, 1.5]) + 1e-12).all()
    again = scatter(shape, [-0.5, 0, 0], [0.5, 1, 1.5], None if shape.batch_shape else 40, gap=0.01, seed=4)
    assert np.array_equal(poses.as_matrix(), again.as_matrix())


def test_one_orientation():
    turn = Rotation.from_euler("z", 45, degrees=True)
    poses = scatter(tg.Box([0.3, 0.02, 0.02]), [0, 0, 0], [1, 1, 1], 50, orientation=turn)
    assert np.allclose(poses.rotation.as_matrix(), turn.as_matrix())
    assert apart(tg.Box([0.3, 0.02, 0.02]), poses)


def test_no_room():
    with pytest.raises(ValueError, match=r"leave room for 30 bodies, found places for [0-9]+; use a larger box"):
        scatter(tg.Sphere(0.2), [0, 0, 0], [1, 1, 1], 30)
    with pytest.raises(ValueError, match="found places for 0"):
        scatter(tg.Sphere(0.6), [0, 0, 0], [1, 1, 1], 1)
    with pytest.raises(ValueError, match="count must be given for one shape"):
        scatter(tg.Sphere(0.1), [0, 0, 0], [1, 1, 1])
    with pytest.raises(TypeError, match="bounded Shape"):
        scatter(tg.HalfSpace([0, 0, 1]), [0, 0, 0], [1, 1, 1], 3)
    with pytest.raises(ValueError, match="high must be larger than low"):
        scatter(tg.Sphere(0.1), [0, 0, 0], [1, 0, 1], 3)
