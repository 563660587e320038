"""What every shape must satisfy; a new shape is tested by its line in families.py."""

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from families import FAMILIES, normals
from tangency.shapes.checks.formula import _differences, jets

SEEDS = (0, 1)
every = pytest.mark.parametrize("name", FAMILIES)


def body(name: str, seed: int, batch: tuple[int, ...] = ()) -> tg.Shape:
    return FAMILIES[name].make(np.random.default_rng([seed, len(name)]), batch)


@every
def test_support_is_homogeneous(name):
    n = normals(np.random.default_rng(5), 200)
    for seed in SEEDS:
        shape = body(name, seed)
        h, x, w = jets(shape, (), n)
        scale = np.abs(h).max()
        for t in (1e-3, 0.7, 50.0):
            ht, xt, wt = jets(shape, (), t * n)
            assert np.abs(ht - t * h).max() <= 1e-14 * t * scale
            assert np.abs(xt - x).max() <= (1e-12 if FAMILIES[name].exact else 1e-10) * scale
            loose = 1e-12 if FAMILIES[name].exact else 1e-8
            assert (np.abs(t * wt - w) <= loose * np.abs(w).max(axis=(1, 2), keepdims=True)).all()
        for got, expected in zip(shape.jet(3.0 * n), (3.0 * h, x, w / 3.0)):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@every
def test_point_attains_support_and_lies_on_surface(name):
    n = normals(np.random.default_rng(6), 300)
    for seed in SEEDS:
        shape = body(name, seed)
        h, x, _ = shape.jet(n)
        assert np.abs((x * n).sum(axis=-1) - h).max() <= 1e-13 * np.abs(x).max()
        if hasattr(shape, "implicit"):
            # The gradient of the implicit function is of the order of its largest exponent.
            assert np.abs(shape.implicit(x)).max() <= 1e-11
            inner = x + 1e-3 * (shape.centroid - x)
            assert (shape.implicit(inner) < 0).all()


@every
def test_no_point_lies_beyond_a_tangent_plane(name):
    n = normals(np.random.default_rng(7), 300)
    for seed in SEEDS:
        x = body(name, seed).point(n)
        heights = x @ n.T  # [point, normal]
        assert (heights - np.diag(heights)).max() <= 1e-12 * np.abs(x).max()


@every
def test_hessian_is_derivative_of_point(name):
    n = normals(np.random.default_rng(8), 100)
    for seed in SEEDS:
        shape = body(name, seed)
        h, x, w = jets(shape, (), n)
        size = np.abs(h).max()
        radius = np.maximum(np.abs(w).max(axis=(-2, -1)), size)
        slope, bend = _differences(shape, (), n, x, w, size, radius)
        assert slope.max() <= 1e-5
        assert bend.max() <= 1e-4
        assert np.median(bend) <= 1e-7


@every
def test_hessian_is_symmetric_positive_with_the_normal_in_its_kernel(name):
    n = normals(np.random.default_rng(9), 300)
    for seed in SEEDS:
        shape = body(name, seed)
        w = shape.hessian(n)
        scale = np.abs(w).max(axis=(-2, -1)) + 1e-300
        assert (w == np.swapaxes(w, -1, -2)).all()
        wn = np.einsum("kij,kj->ki", w, n)
        assert (np.abs(wn).max(axis=-1) / scale).max() <= (1e-13 if FAMILIES[name].exact else 1e-8)
        assert (np.linalg.eigvalsh(w)[:, 0] >= -1e-13 * scale).all() or not FAMILIES[name].exact
        assert (shape.curvature(n).radii >= 0).all()


@every
def test_curvature_directions_are_orthonormal_and_tangent(name):
    n = normals(np.random.default_rng(10), 50)
    c = body(name, 0).curvature(n)
    frame = np.concatenate([c.directions, n[:, None]], axis=1)
    np.testing.assert_allclose(frame @ np.swapaxes(frame, 1, 2), np.tile(np.eye(3), (50, 1, 1)), atol=1e-13)
    assert (c.values[:, 0] >= c.values[:, 1]).all()


@every
def test_stack_equals_its_bodies(name):
    rng = np.random.default_rng(11)
    stack = body(name, 3, (2, 3))
    assert stack.batch_shape == (2, 3)
    assert len(stack) == 2
    n = normals(rng, 2, 3)
    together = stack.jet(n)
    for i in range(2):
        for j in range(3):
            single = stack[i, j]
            assert single.batch_shape == ()
            for whole, part in zip(together, single.jet(n[i, j])):
                np.testing.assert_array_equal(whole[i, j], part)
    # one direction for all bodies, many directions for all bodies, many for one
    np.testing.assert_array_equal(stack.support(n[0, 0])[1, 2], stack[1, 2].support(n[0, 0]))
    many = normals(rng, 5, 1, 1)
    assert stack.point(many).shape == (5, 2, 3, 3)
    np.testing.assert_array_equal(stack.point(many)[4, 1, 0], stack[1, 0].point(many[4, 0, 0]))
    np.testing.assert_array_equal(stack[1].support(n[1]), together.support[1])
    assert stack[0, 0].point(normals(rng, 4, 2)).shape == (4, 2, 3)


@every
def test_plain_python_gives_the_compiled_numbers(name):
    shape = body(name, 4, (2,))
    n = normals(np.random.default_rng(12), 20, 1)
    h, x, w = shape.jet(n)
    for k in range(20):
        plain = shape.kernel_at((1,)).jet(tuple(n[k, 0].tolist()))
        np.testing.assert_allclose(h[k, 1], plain[0], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(x[k, 1], plain[1], rtol=1e-10, atol=1e-12)
        upper = w[k, 1][np.triu_indices(3)]
        np.testing.assert_allclose(upper, plain[2], rtol=1e-6, atol=1e-8 * np.abs(upper).max() + 1e-300)


@every
def test_boxes_and_spheres_contain_the_body(name):
    rng = np.random.default_rng(13)
    shape = body(name, 5)
    x = shape.point(normals(rng, 500))
    assert (np.linalg.norm(x, axis=-1) <= shape.bounding_radius * (1 + 1e-12)).all()
    rotation, move = Rotation.random(rng=rng), rng.normal(size=3)
    low, high = shape.aabb(RigidTransform.from_components(move, rotation))
    world = rotation.apply(x) + move
    slack = 1e-12 * (np.abs(world).max() + 1)
    assert (world >= low - slack).all()
    assert (world <= high + slack).all()
    # and touch it
    touch = rotation.apply(shape.point(rotation.inv().apply(np.eye(3)))) + move
    np.testing.assert_allclose(np.diag(touch), high, atol=slack)


@every
def test_check_finds_nothing(name):
    assert tg.check(body(name, 7, (1,)), samples=100).ok


def test_reflection_and_translation():
    n = normals(np.random.default_rng(15), 50)
    shape = FAMILIES["affine ellipsoid"].make(np.random.default_rng(0), ())
    np.testing.assert_allclose((-shape).support(n), shape.support(-n), rtol=1e-12)
    moved = shape.translate([1.0, -2.0, 3.0])
    np.testing.assert_allclose(moved.support(n), shape.support(n) + n @ [1.0, -2.0, 3.0], atol=1e-13)


def test_nested_maps_and_offsets_are_merged():
    shape = tg.Ellipsoid([3, 2, 1]).translate([1, 0, 0]).affine(2 * np.eye(3), [0, 0, 1])
    assert isinstance(shape.body, tg.Ellipsoid)
    assert shape.point([1, 0, 0]).tolist() == [8.0, 0.0, 1.0]
    twice = tg.Box([1, 1, 1]).offset(0.5).offset(-0.25)
    assert isinstance(twice.body, tg.Box)
    assert float(twice.distance) == 0.25


def test_ties_take_the_positive_side():
    assert tg.Box([3, 2, 1]).point([0.0, -0.0, 1]).tolist() == [3, 2, 1]
    assert tg.Segment(2).point([1, 0, -0.0]).tolist() == [0, 0, 2]
    square = tg.Hull([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
    assert square.point([0, 0, 1]).tolist() == [1, 1, 0]


def test_axis_points_are_exact():
    """On a coordinate plane of the normal the coordinate is exactly zero, also for flat bodies."""
    for shape in (tg.PowerEllipsoid([3, 2, 1], [50, 1.1, 7]), tg.Ellipsoid([3, 2, 1])):
        np.testing.assert_allclose(shape.point(np.eye(3)), np.diag([3.0, 2.0, 1.0]), rtol=1e-15, atol=0)


def test_extreme_directions_give_numbers():
    """No overflow, no NaN, no warning, whatever the direction."""
    n = [[1e-200, 1e-320, 0], [1e200, 1, 1e-200], [0, 0, -1e-300], [1, 1e-150, 1e-17], [-1e300, 1e300, 1e300]]
    for name in FAMILIES:
        jet = body(name, 8).jet(n)
        assert all(np.isfinite(part).all() for part in jet[:2]), name
        assert not np.isnan(jet.hessian).any(), name
