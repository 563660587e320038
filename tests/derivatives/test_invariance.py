"""What derivatives must not depend on: frames, order of the bodies, place, scale, and the form of the query."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from differences import by_stencil, moved
from families import FAMILIES, normals, radii

QUANTITIES = ("distance", "normal", "point_a", "point_b")


def stack(seed, count=12):
    rng = np.random.default_rng(seed)
    a, b = tg.Ellipsoid(radii(rng, (count,))), FAMILIES["superellipsoid round"].make(rng, (count,))
    poses = [(Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3))) for _ in range(2)]
    poses[1] = poses[1][0], poses[0][1] + 0.8 * normals(rng, count) * (a.bounding_radius + b.bounding_radius)[:, None]
    return a, b, poses


def test_moving_both_bodies_changes_nothing_but_the_place():
    a, b, poses = stack(1)
    c = tg.contact(a, b, *poses)
    total = c.jacobian("distance", "pose_a", "spatial") + c.jacobian("distance", "pose_b", "spatial")
    np.testing.assert_allclose(total, 0.0, atol=1e-13)
    spin = np.array([0.3, -0.2, 0.5])
    twist = np.concatenate([[1.0, 2.0, 3.0], spin])
    r = c.rates(twist, twist, frame="spatial")
    np.testing.assert_allclose(r.normal, np.cross(spin, c.normal), atol=1e-12)
    np.testing.assert_allclose(r.point_a, twist[:3] + np.cross(spin, c.point_a), atol=1e-11)
    for rate in (r.gap, r.sliding, r.rolling, r.spinning, r.surface_a, r.surface_b):
        np.testing.assert_allclose(rate, 0.0, atol=1e-11)


def test_swapping_the_bodies():
    a, b, poses = stack(2)
    c, d = tg.contact(a, b, *poses), tg.contact(b, a, poses[1], poses[0])
    np.testing.assert_array_equal(c.differentiable, d.differentiable)
    for by, yb in (("pose_a", "pose_b"), ("pose_b", "pose_a")):
        np.testing.assert_allclose(c.jacobian("distance", by), d.jacobian("distance", yb), atol=1e-9)
        np.testing.assert_allclose(c.jacobian("normal", by), -d.jacobian("normal", yb), atol=1e-8)
        np.testing.assert_allclose(c.jacobian("point_a", by), d.jacobian("point_b", yb), atol=1e-8)
    np.testing.assert_allclose(c.hessian(("pose_a", "pose_b")), d.hessian(("pose_b", "pose_a")), atol=1e-8)


@pytest.mark.parametrize("factor", [1e-9, 1e6])
def test_scale(factor):
    a, b, poses = stack(3)
    big = [(r, factor * t) for r, t in poses]
    large = tg.Ellipsoid(factor * a.radii), tg.Superellipsoid(factor * b.radii, b.epsilon)
    c, d = tg.contact(a, b, *poses), tg.contact(*large, *big)
    units = np.array([1.0, 1.0, 1.0, factor, factor, factor])
    np.testing.assert_allclose(d.jacobian("distance"), c.jacobian("distance") * units, rtol=1e-7, atol=1e-9 * factor)
    np.testing.assert_allclose(d.jacobian("normal") * factor, c.jacobian("normal") * units, atol=1e-8 * max(factor, 1))
    np.testing.assert_array_equal(c.differentiable, d.differentiable)
    np.testing.assert_allclose(c.condition, d.condition, rtol=1e-6)


def test_frames_agree():
    a, b, poses = stack(4)
    c, rng = tg.contact(a, b, *poses), np.random.default_rng(0)
    rotation, place = poses[1]
    hybrid = rng.normal(size=(12, 6))
    v, omega = hybrid[:, :3], hybrid[:, 3:]
    body = np.concatenate([np.einsum("kji,kj->ki", rotation, u) for u in (v, omega)], axis=-1)
    spatial = np.concatenate([v - np.cross(omega, place), omega], axis=-1)
    for of in QUANTITIES:
        expected = c.jvp(of, pose_b=hybrid)
        for frame, twist in (("body", body), ("spatial", spatial)):
            np.testing.assert_allclose(c.jvp(of, pose_b=twist, frame=frame), expected, atol=1e-11)
            weights = np.ones(12) if of == "distance" else rng.normal(size=(12, 3))
            back = c.vjp(weights, of, "pose_b", frame)
            both = weights * expected if of == "distance" else (weights * expected).sum(axis=-1)
            np.testing.assert_allclose((back * twist).sum(axis=-1), both, atol=1e-10)


@pytest.mark.parametrize("frame", ["hybrid", "body", "spatial"])
def test_hessians_are_second_derivatives_along_constant_twists(frame):
    a, b, poses = stack(5, 4)
    c = tg.contact(a, b, *poses)

    def at(twist):
        rigid = RigidTransform.from_components(poses[1][1], Rotation.from_matrix(poses[1][0]))
        if frame == "hybrid":
            return tg.contact(a, b, poses[0], moved(poses[1], twist), guess=c).distance
        # SciPy's exponential coordinates are (omega, v)
        screw = RigidTransform.from_exp_coords(np.concatenate([twist[3:], twist[:3]]))
        placed = rigid * screw if frame == "body" else screw * rigid
        return tg.contact(a, b, poses[0], placed, guess=c).distance

    np.testing.assert_allclose(c.jacobian(frame=frame), by_stencil(at, 6, 2e-3), atol=1e-9)
    xi = np.random.default_rng(1).normal(size=6)
    step = 1e-2
    weights = (8 / 5, -1 / 5, 8 / 315, -1 / 560)
    values = [at(k * step * xi) + at(-k * step * xi) - 2 * c.distance for k in (1, 2, 3, 4)]
    second = sum(w * v for w, v in zip(weights, values)) / step**2
    np.testing.assert_allclose(xi @ c.hessian(frame=frame) @ xi, second, rtol=1e-6, atol=1e-6)


def test_stacks_singles_pairs_bodies_and_selections():
    """All forms of a query give the same derivatives."""
    rng = np.random.default_rng(6)
    shapes = [tg.Ellipsoid(radii(rng, (3,))), tg.HalfSpace([0, 0, 1], -3.0), tg.Box([1, 1, 1]), tg.Sphere([0.3, 0.4])]
    bodies = tg.Bodies(shapes)
    poses = Rotation.random(7, rng=rng).as_matrix(), 4.0 * rng.normal(size=(7, 3))
    poses[0][3], poses[1][3] = np.eye(3), 0.0
    pairs = np.array([[0, 1], [3, 2], [4, 5], [6, 0], [2, 4], [5, 3], [1, 6]])
    c = bodies.contact(pairs, poses)
    flat = [shape.take(np.array([k]))[0] for shape in shapes if shape.batch_shape for k in range(len(shape))]
    single = [*flat[:3], shapes[1], shapes[2], *flat[3:]]
    for k, (i, j) in enumerate(pairs):
        frames = [np.block([[poses[0][m], poses[1][m][:, None]], [np.zeros(3), 1.0]]) for m in (i, j)]
        for other in (tg.contact(single[i], single[j], *frames), tg.Pair(single[i], single[j])(*frames), c[k : k + 1]):
            for of in QUANTITIES:
                found = np.squeeze(other.jacobian(of, "pose_a"))
                np.testing.assert_allclose(found, c.jacobian(of, "pose_a")[k], atol=1e-8)
            np.testing.assert_allclose(np.squeeze(other.hessian()), c.hessian()[k], atol=1e-8)
            assert np.squeeze(other.differentiable) == c.differentiable[k]


def test_broadcasting_and_pickling():
    a, b = tg.Ellipsoid([3, 2, 1]), tg.Sphere([0.5, 0.6, 0.7])
    place = np.array([[5.0, 1.0, 0.5], [0.0, 4.0, 0.3]])[:, None, :]
    c = tg.contact(a, b, (Rotation.from_rotvec([[0.1, 0, 0], [0.2, 0, 0], [0.3, 0, 0]]), None), (None, place))
    assert c.jacobian("normal").shape == (2, 3, 3, 6)
    assert c.jacobian("distance", "pose_a", "body").shape == (2, 3, 6)
    assert c.hessian(("pose_a", "pose_b"), "spatial").shape == (2, 3, 6, 6)
    assert c.rates(np.ones((3, 6)), np.ones((2, 1, 6))).normal.shape == (2, 3, 3)
    again = pickle.loads(pickle.dumps(c))
    for frame in ("hybrid", "body", "spatial"):
        np.testing.assert_array_equal(again.hessian(frame=frame), c.hessian(frame=frame))
        np.testing.assert_array_equal(c[1, 2].hessian(frame=frame), c.hessian(frame=frame)[1, 2])
    empty = tg.contact(a, b, None, (None, np.zeros((0, 1, 3))))
    assert empty.jacobian().shape == (0, 3, 6)
    assert empty.differentiable.shape == (0, 3)


def test_large_stacks_are_shared_by_threads():
    rng = np.random.default_rng(7)
    count = 10_000
    a, place = tg.Ellipsoid(radii(rng, (count,))), 3.0 * rng.normal(size=(count, 3))
    c = tg.contact(a, tg.Sphere(0.5), None, (None, place))
    some = rng.integers(0, count, 20)
    part = c[some]
    for of in QUANTITIES:
        np.testing.assert_array_equal(c.jacobian(of)[some], part.jacobian(of))
    np.testing.assert_array_equal(c.hessian()[some], part.hessian())


def test_what_is_refused():
    c = tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), None, (None, [0, 0, 3]))
    for call, words in (
        (lambda: c.jacobian("depth"), "of must be one of distance, normal, point_a, point_b, got 'depth'"),
        (lambda: c.jacobian(by="pose"), "by must be one of pose_a"),
        (lambda: c.jacobian(frame="world"), "frame must be one of hybrid, body, spatial, got 'world'"),
        (lambda: c.hessian("pose_b"), "by must be two variables"),
        (lambda: c.rates([1, 2, 3]), "twist_a"),
        (lambda: c.rates(np.ones((4, 6))), "twists must broadcast"),
        (lambda: c.vjp([1.0, 2.0], "normal"), "cotangent"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
