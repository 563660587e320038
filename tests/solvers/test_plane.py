"""Half-spaces in closed form, and the curvature of the gap."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES
from manufactured import unit


@pytest.mark.parametrize("name", FAMILIES)
def test_the_lowest_point_of_every_shape(name):
    rng = np.random.default_rng(0)
    body = FAMILIES[name].make(rng, (5,))
    turn, position = Rotation.random(5, rng=rng), rng.normal(size=(5, 3))
    plane, pose = tg.HalfSpace([0.3, -0.5, 2.0], 0.25), (Rotation.random(rng=rng), rng.normal(size=3))
    c = tg.contact(plane, body, pose, (turn, position))
    # Heights of many boundary points above the plane; none is lower than the answer.
    n = unit(rng.normal(size=(2000, 1, 3)))
    world = np.einsum("kij,mkj->mki", turn.as_matrix(), body.point(n)) + position
    height = plane.implicit(pose[0].inv().apply((world - pose[1]).reshape(-1, 3))).reshape(2000, 5)
    assert (height >= c.distance - 1e-12).all()
    assert (np.abs(plane.implicit(pose[0].inv().apply(c.point_b - pose[1])) - c.distance) < 1e-12).all()
    np.testing.assert_allclose(c.point_b, c.point_a + c.distance[:, None] * c.normal, atol=1e-14)
    flipped = tg.contact(body, plane, (turn, position), pose)
    np.testing.assert_allclose(flipped.distance, c.distance)
    np.testing.assert_allclose(flipped.normal, -c.normal)
    np.testing.assert_allclose(flipped.point_a, c.point_b)


def test_superellipsoid_on_a_plane_by_its_implicit_function():
    # Lopes thesis, Eqs. 5.11-5.15: where the gradient of the implicit function is antiparallel to the
    # plane's normal.
    rng = np.random.default_rng(1)
    shape = tg.Superellipsoid(rng.uniform(0.3, 1.0, (50, 3)), rng.uniform(0.4, 1.6, (50, 2)))
    normal = unit(rng.normal(size=(50, 3)))
    c = tg.contact(tg.HalfSpace(normal, 0.0), shape, pose_b=(None, 3.0 * normal))
    x = c.point_b - 3.0 * normal
    step = 1e-6 * np.eye(3)[:, None, :]  # noise of the second derivative at flat places: 1e-4
    gradient = ((shape.implicit(x + step) - shape.implicit(x - step)) / 2e-6).T
    np.testing.assert_allclose(unit(gradient), -normal, atol=1e-4)


def test_relative_curvature_has_both_limits_of_hertz():
    spheres = tg.contact(tg.Sphere(2.0), tg.Sphere(0.5), pose_b=(None, [3, 1, 0.5]))
    np.testing.assert_allclose(spheres.relative_curvature.values, [2.5, 2.5], rtol=1e-12)
    ground = tg.contact(tg.HalfSpace([0, 0, 1], 0.0), tg.Sphere(0.5), pose_b=(None, [0, 0, 0.4]))
    np.testing.assert_allclose(ground.relative_curvature.values, [2.0, 2.0], rtol=1e-12)
    assert (ground.curvature_a.values == 0).all()


def test_relative_curvature_of_crossed_ellipsoids():
    a, b = tg.Ellipsoid([3, 1, 1]), tg.Ellipsoid([1, 3, 1])
    c = tg.contact(a, b, pose_b=(None, [0, 0, 2.5]))
    # Curvature at the pole of (p, q, c): c/p^2 and c/q^2; crossed, the sums are equal.
    np.testing.assert_allclose(c.relative_curvature.values, [1 + 1 / 9, 1 + 1 / 9], rtol=1e-12)
    same = tg.contact(a, a, pose_b=(None, [0, 0, 2.5]))
    np.testing.assert_allclose(same.relative_curvature.values, [2.0, 2 / 9], rtol=1e-12)
    np.testing.assert_allclose(np.abs(same.relative_curvature.directions), [[0, 1, 0], [1, 0, 0]], atol=1e-12)


def test_curvature_turns_with_the_body():
    turn = Rotation.from_euler("xyz", [0.4, 0.5, 0.6])
    shape = tg.Ellipsoid([3, 2, 1])
    c = tg.contact(tg.Sphere(1.0), shape, pose_b=(turn, turn.apply([0, 0, 4.0])))
    np.testing.assert_allclose(c.curvature_b.values, [1 / 4, 1 / 9], rtol=1e-10)
    along = np.abs(turn.inv().apply(c.curvature_b.directions))
    np.testing.assert_allclose(along, [[0, 1, 0], [1, 0, 0]], atol=1e-8)


def test_two_half_spaces_are_refused():
    with pytest.raises(TypeError, match="HalfSpace"):
        tg.contact(tg.HalfSpace([0, 0, 1]), tg.HalfSpace([0, 0, -1]))


@pytest.mark.parametrize("kind", ["sphere", "ellipsoid", "superellipsoid"])
@pytest.mark.parametrize("many_planes", [False, True])
def test_stacks_on_packed_instructions_agree_with_the_support_function(kind, many_planes):
    rng, count = np.random.default_rng(5), 200
    radii = rng.uniform(0.2, 1.0, (count, 3))
    body = {
        "sphere": tg.Sphere(radii[:, 0]),
        "ellipsoid": tg.Ellipsoid(radii),
        "superellipsoid": tg.Superellipsoid(radii, rng.uniform(0.2, 1.8, (count, 2))),
    }[kind]
    rotation, position = Rotation.random(count, rng=rng).as_matrix(), 2.0 * rng.normal(size=(count, 3))
    normal, offset, pose, turn = np.array([0.0, 0.6, 0.8]), np.array(0.3), None, np.eye(3)
    if many_planes:
        normal, offset = rng.normal(size=(count, 3)), rng.normal(size=count)
        turn = Rotation.random(count, rng=rng).as_matrix()
        pose = (turn, rng.normal(size=(count, 3)))
    plane = tg.HalfSpace(normal, offset)
    world = np.broadcast_to(np.einsum("...ij,...j->...i", turn, plane.normal), (count, 3))
    height = plane.offset + (0.0 if pose is None else (world * pose[1]).sum(axis=1))
    down = -np.einsum("nji,nj->ni", rotation, world)
    truth = (world * position).sum(axis=1) - body.support(down) - height
    c = tg.contact(plane, body, pose, (rotation, position))
    assert abs(c.distance - truth).max() < 1e-14
    assert ((c.lower <= truth) & (truth <= c.upper)).all()
    assert abs((c.point_a * world).sum(axis=1) - height).max() < 1e-13  # on the plane
    lowest = np.einsum("nij,nj->ni", rotation, body.point(down)) + position
    assert abs(c.point_b - lowest).max() < 1e-13
    assert ((c.status == tg.Status.APART) == (truth >= 0)).all()
    swapped = tg.contact(body, plane, (rotation, position), pose)
    np.testing.assert_array_equal(swapped.distance, c.distance)
    np.testing.assert_array_equal(swapped.normal, -c.normal)
    assert abs(swapped.point_b - c.point_a).max() < 1e-14
