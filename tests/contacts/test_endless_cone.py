"""Boxes in cones with and without ends: bounds that hold, also past the tip and past the base."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from boxes_in_cones import beyond_closed, beyond_endless, random_boxes


@pytest.mark.parametrize("ends", [True, False])
def test_boxes_stick_out_by_their_farthest_corner(ends):
    # Rims are searched, tips seldom.
    cone, box, pose, corners = random_boxes(np.random.default_rng([5, ends]), 200 if ends else 2000)
    cavity = tg.Cavity(tg.Cone(*cone), ends=ends)
    c = tg.contact(cavity, tg.Box(box), None, pose)
    beyond = beyond_closed if ends else beyond_endless
    true = -beyond(corners, *cone).max(axis=1)
    size = np.abs(corners).max(axis=(1, 2)) + sum(cone)
    assert c.converged.all()
    assert (c.lower <= true + 1e-14 * size).all()
    assert (c.upper >= true - 1e-14 * size).all()
    np.testing.assert_allclose(c.distance / size, true / size, atol=1e-12)
    # The foot lies on the wall, and beyond it is the corner, along the normal.
    foot = np.array(c.point_a)
    np.testing.assert_allclose(beyond(foot[:, None], *cone)[:, 0] / size, 0.0, atol=1e-9)
    np.testing.assert_allclose(foot + c.distance[:, None] * c.normal, c.point_b, atol=1e-12 * size.max())
    back = tg.contact(tg.Box(box), cavity, pose, None)
    np.testing.assert_allclose(back.distance, c.distance, rtol=0, atol=1e-12 * size.max())


def test_one_body_and_bodies_of_several_stacks_past_the_tip():
    """The ways to ask that the stack above does not take."""
    cone, box, (turn, place), corners = random_boxes(np.random.default_rng(6), 400)
    true = -beyond_endless(corners, *cone).max(axis=1)
    some = np.flatnonzero((true < -0.5) & (corners[..., 2].max(axis=1) > cone[1]))[:8]
    walls = [tg.Cavity(tg.Cone(*(v[k] for v in cone)), ends=False) for k in some]
    bodies = tg.Bodies([*walls, *(tg.Box(box[k]) for k in some)])
    far = np.concatenate([np.zeros((8, 3)), place[some]]), Rotation.concatenate([Rotation.identity(8), turn[some]])
    c = bodies.contact([[k, 8 + k] for k in range(8)], (far[1], far[0]))
    np.testing.assert_allclose(c.distance, true[some], atol=1e-11)
    for k, wall in zip(some, walls):
        one = tg.contact(wall, tg.Box(box[k]), None, (turn[k], place[k]))
        assert one.lower <= true[k] <= one.upper
        assert one.distance == pytest.approx(true[k], abs=1e-11)


def test_a_point_of_an_endless_cone_is_inside_beyond_its_base():
    cone = (np.array([1.0, 0.5]), np.array([1.0, 0.7]), np.array([0.0, 1.5]))
    cavity = tg.Cavity(tg.Cone(*cone), ends=False)
    x = np.random.default_rng(7).normal(size=(500, 1, 3)) * 3.0
    beyond = np.stack([beyond_endless(x[:, 0][None], *(v[k : k + 1] for v in cone))[0] for k in range(2)], axis=1)
    assert ((cavity.implicit(x) < 0) == (beyond > 0)).all()
    tube = tg.Cavity(tg.Cylinder(1.0, 0.5), ends=False)
    assert ((tube.implicit(x[:, 0]) < 0) == (np.hypot(x[:, 0, 0], x[:, 0, 1]) > 1.0)).all()


def test_the_tip_has_no_finite_curvature():
    """Beyond the tip of an endless cone the wall is sharp in every direction; on its side the radius is that of x."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        base, half, top = rng.uniform(0.5, 2.0), rng.uniform(0.5, 2.0), rng.uniform(0.0, 0.4)
        wall, ball = tg.Cavity(tg.Cone(base, half, top), ends=False), tg.Sphere(rng.uniform(0.05, 0.2))
        tip, slope = half + 2.0 * half * top / (base - top), (base - top) / (2.0 * half)
        above = rng.uniform(0.01, 1.0)  # the tip is nearest for centres within its cone of normals
        past = tg.contact(wall, ball, None, (None, [0.9 * rng.uniform(-1.0, 1.0) * above / slope, 0.0, tip + above]))
        assert past.curvature_a.values.tolist() == [-np.inf, -np.inf]
        assert past.curvature_a.radii.tolist() == [0.0, 0.0]
        assert past.relative_curvature.values.max() == -np.inf
        z = rng.uniform(-3.0 * half, half)
        side = tg.contact(wall, ball, None, (None, [0.9 * slope * (tip - z), 0.0, z]))
        radius = np.hypot(*side.point_a[:2]) * np.hypot(1.0, slope)
        np.testing.assert_allclose(side.curvature_a.values, [0.0, -1.0 / radius], rtol=1e-9)
