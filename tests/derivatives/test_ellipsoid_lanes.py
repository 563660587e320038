"""Derivatives of ellipsoids, many at a time: the same as those of the general loop, whatever the neighbours."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.derivatives import loops, methods


def contacts(count, slender=1.0, scale=1.0):
    rng = np.random.default_rng(5)
    a, b = (tg.Ellipsoid(scale * rng.uniform(0.3, 1.0, (count, 3)) ** slender) for _ in range(2))
    poses = [(Rotation.random(count, rng=rng).as_matrix(), scale * r * rng.normal(size=(count, 3))) for r in (0.2, 1.5)]
    return tg.contact(a, b, *poses)


def general(c, of, by):
    out = np.empty((c.shape[0], 18))
    methods.run(c, loops.jacobians, (methods.QUANTITIES[of], methods.POSES.index(by)), (out,))
    return out.reshape(-1, 3, 6)


@pytest.mark.parametrize("of", ["normal", "point_a", "point_b"])
@pytest.mark.parametrize("by", ["pose_a", "pose_b"])
@pytest.mark.parametrize("slender", [0.0, 1.0, 6.0])
def test_the_same_as_one_by_one(of, by, slender):
    c = contacts(300, slender)
    j, expected = c.jacobian(of, by), general(c, of, by)
    size = np.abs(expected).max(axis=(1, 2)) + c.condition
    assert (np.abs(j - expected).max(axis=(1, 2))[c.differentiable] <= 1e-12 * size[c.differentiable]).all()
    assert np.isfinite(j).all()


def test_the_same_for_any_neighbours():
    c = contacts(101)
    whole = c.jacobian("normal", "pose_b")
    assert (c[37:].jacobian("normal", "pose_b") == whole[37:]).all()
    assert (c[64].jacobian("normal", "pose_b") == whole[64]).all()


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_any_scale(scale):
    small, unit = contacts(64, scale=scale), contacts(64)
    ratio = small.jacobian("point_a", "pose_b") / unit.jacobian("point_a", "pose_b")
    assert np.allclose(ratio[:, :, :3], 1.0, rtol=1e-6)
    assert np.allclose(ratio[:, :, 3:], scale, rtol=1e-6)
