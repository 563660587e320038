"""The default solver on manufactured problems: it must not fail, and its bounds must hold."""

import functools

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from families import FAMILIES
from manufactured import ellipsoids, place, random_pairs, superellipsoids, unit


def assert_exact(problem, c, error, points=None):
    """Converged, the truth between the bounds, the error as stated, the conventions kept."""
    assert c.converged.all(), np.bincount(c.status)
    assert (c.status == tg.Status.APART).all()
    assert (c.lower <= problem.gap).all()
    assert (problem.gap <= c.upper).all()
    assert (c.lower <= c.distance).all()
    assert (c.distance <= c.upper).all()
    assert (np.abs(c.distance - problem.gap) / problem.size).max() <= error
    # Adding a small distance to a large coordinate rounds.
    rounding = 4e-16 * (np.abs(c.point_a).max(axis=-1) + np.abs(c.point_b).max(axis=-1))
    assert (np.abs(c.point_b - c.point_a - c.distance[:, None] * c.normal).max(axis=-1) <= rounding).all()
    np.testing.assert_allclose(np.linalg.norm(c.normal, axis=-1), 1.0, rtol=0, atol=1e-15)
    if points is not None:
        off = np.linalg.norm(c.point_a - problem.point_a, axis=-1) / problem.size
        assert off.max() <= points


@pytest.mark.parametrize("surface", [False, True], ids=["uniform normals", "surface points"])
def test_ellipsoids(surface):
    problem = ellipsoids(np.random.default_rng(1), 20_000, aspect=1000.0, surface=surface)
    assert_exact(problem, problem.contact(), 1e-12, points=1e-8)


@pytest.mark.full
@pytest.mark.parametrize("surface", [False, True], ids=["uniform normals", "surface points"])
def test_a_million_ellipsoids(surface):
    for seed in range(5):
        problem = ellipsoids(np.random.default_rng(seed), 100_000, aspect=1000.0, surface=surface)
        assert_exact(problem, problem.contact(), 1e-12)


def test_superellipsoids_at_surface_points():
    problem = superellipsoids(np.random.default_rng(2), 10_000)
    c = problem.contact()
    assert_exact(problem, c, 1e-12)
    assert c.evaluations.mean() < 15


@pytest.mark.full
def test_a_hundred_thousand_superellipsoids():
    problem = superellipsoids(np.random.default_rng(3), 100_000)
    c = problem.contact()
    assert_exact(problem, c, 1e-10)
    assert c.evaluations.mean() < 15


def test_flat_faces_meet():
    problem = superellipsoids(np.random.default_rng(4), 5_000, low=0.1, high=0.5)
    assert_exact(problem, problem.contact(), 1e-12)


@functools.cache
def forty(family, place):
    """Bodies of a family, first or second in all its pairs: reading formulas takes longer than contacts."""
    return FAMILIES[family].make(np.random.default_rng([list(FAMILIES).index(family), place]), (40,))


@pytest.mark.parametrize("second", FAMILIES)
@pytest.mark.parametrize("first", FAMILIES)
def test_every_pair_of_families(first, second):
    rng = np.random.default_rng([list(FAMILIES).index(first), list(FAMILIES).index(second)])
    a, b = forty(first, 0).take(rng.permutation(40)), forty(second, 1).take(rng.permutation(40))
    problem = random_pairs(rng, a, b, 40)
    assert_exact(problem, problem.contact(), 1e-12)


def test_box_on_box_face_to_face():
    gap = np.array([0.0, 1e-12, 1e-6, 1.0])
    n = np.tile([0.0, 0.0, 1.0], (4, 1))
    turn = Rotation.from_euler("z", [[0.0], [10.0], [45.0], [90.0]], degrees=True).as_matrix()
    problem = place(tg.Box([1, 2, 3]), tg.Box([3, 2, 1]), gap, n, turn)
    c = problem.contact()
    assert_exact(problem, c, 1e-12)
    np.testing.assert_allclose(np.abs(c.normal[:, 2]), 1.0, atol=1e-6)


def test_flush_boxes_in_closed_form():
    # Faces in one plane, edges above edges, corners above corners, gaps down to rounding.
    rng = np.random.default_rng(0)
    a, b, r = rng.integers(1, 20, (5000, 3)) / 10, rng.integers(1, 20, (5000, 3)) / 10, rng.normal(size=(5000, 3)) * 0.1
    k, axis = np.arange(5000), rng.integers(0, 3, 5000)
    r[k, axis] = a[k, axis] + b[k, axis] + 10 ** rng.uniform(-13, -1, 5000)
    for other in (1, 2):
        flush = rng.random(5000) < 0.5
        across = (axis + other) % 3
        r[k[flush], across[flush]] = (a - b)[k[flush], across[flush]]
    c = tg.contact(tg.Box(a), tg.Box(b), None, (None, r))
    truth = np.linalg.norm(np.maximum(np.abs(r) - a - b, 0.0), axis=-1)
    assert c.converged.all()
    assert ((c.lower <= truth) & (truth <= c.upper)).all()
    np.testing.assert_allclose(c.distance, truth, atol=1e-11)


def test_superellipsoids_exactly_face_to_face():
    # Coaxial and aligned: the contact point is not unique to rounding, the distance is.
    for e in (0.1, 0.5, 1.0, 1.9):
        shape = tg.Superellipsoid([1, 2, 3], (e, e))
        for axis in range(3):
            for gap in (0.0, 1e-12, 1e-3, 2.0):
                position = np.eye(3)[axis] * (2.0 * shape.radii[axis] + gap)
                c = tg.contact(shape, shape, pose_b=(None, position))
                assert c.converged
                assert abs(c.distance - gap) <= 1e-12 * 6


def test_swapping_a_and_b_swaps_the_answer():
    problem = random_pairs(np.random.default_rng(5), *_mixed(5), 200)
    c = problem.contact()
    inverse = np.swapaxes(problem.rotation, -1, -2)
    back = np.einsum("kij,kj->ki", inverse, -problem.position)
    s = tg.contact(problem.b, problem.a, None, (inverse, back))
    np.testing.assert_allclose(s.distance, c.distance, atol=2e-12 * problem.size.max())
    turned = np.einsum("kij,kj->ki", problem.rotation, s.normal)
    np.testing.assert_allclose(turned, -c.normal, atol=1e-5)


def test_moving_both_moves_the_answer():
    rng = np.random.default_rng(6)
    problem = random_pairs(rng, *_mixed(6), 200)
    c = problem.contact()
    pose = RigidTransform.from_components(rng.normal(size=3), Rotation.random(rng=rng))
    both = RigidTransform.from_components(problem.position, Rotation.from_matrix(problem.rotation))
    m = tg.contact(problem.a, problem.b, pose, pose * both)
    np.testing.assert_allclose(m.distance, c.distance, atol=3e-12 * problem.size.max())
    np.testing.assert_allclose(m.point_a, pose.apply(c.point_a), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1e6, 2.0**-40])
def test_scaling_both_scales_the_answer(scale):
    rng = np.random.default_rng(7)
    radii, epsilon = rng.uniform(0.2, 1.0, (2, 100, 3)), rng.uniform(0.3, 1.7, (2, 100, 2))

    def shapes(k):
        return (tg.Superellipsoid(k * radii[i], epsilon[i]) for i in range(2))

    problem = random_pairs(np.random.default_rng(8), *shapes(1.0), 100)
    c = problem.contact()
    s = tg.contact(*shapes(scale), None, (problem.rotation, scale * problem.position))
    np.testing.assert_allclose(s.distance / scale, c.distance, atol=4e-12)
    assert (s.converged == c.converged).all()


def test_threads_do_not_change_a_bit():
    problem = superellipsoids(np.random.default_rng(9), 6_000)
    one = problem.contact(threads=1)
    for threads in (2, 3, 7):
        many = problem.contact(threads=threads)
        for name in ("distance", "normal", "point_a", "point_b", "lower", "upper", "status", "evaluations"):
            assert np.array_equal(getattr(one, name), getattr(many, name)), name


def test_broadcasting_gives_the_same_as_single_calls():
    rng = np.random.default_rng(10)
    a, b = tg.Ellipsoid(rng.uniform(0.5, 1, (3, 1, 3))), tg.Sphere(rng.uniform(0.5, 1, (4,)))
    positions = unit(rng.normal(size=(5, 1, 1, 3))) * 4.0
    c = tg.contact(a, b, pose_b=(None, positions))
    assert c.shape == (5, 3, 4)
    assert c.normal.shape == (5, 3, 4, 3)
    for i in np.ndindex(5, 3, 4):
        single = tg.contact(a[i[1], 0], b[i[2]], pose_b=(None, positions[i[0], 0, 0]))
        assert abs(single.distance - c.distance[i]) <= 2e-15 * abs(c.distance[i])
        assert single.shape == ()
        assert c[i].distance == c.distance[i]
    assert c.curvature_a.values.shape == (5, 3, 4, 2)
    assert c[1].curvature_b.values.shape == (3, 4, 2)


def test_an_ellipsis_picks_contacts_not_components():
    c = tg.contact(tg.Sphere(1.0), tg.Sphere([1.0, 2.0, 3.0]), pose_b=(None, [5, 1, 0]))
    np.testing.assert_array_equal(c[..., 0].normal, c[0].normal)
    assert c[..., None].normal.shape == (3, 1, 3)
    assert c[c.distance > 3].shape == (1,)
    hulls = tg.Hull(np.random.default_rng(0).normal(size=(3, 9, 3)))
    assert hulls[..., 0].batch_shape == ()
    assert hulls[..., 0].points.shape == (9, 3)


def test_bounds_know_of_cancellation():
    ball = tg.Sphere(1.0).translate([1e8, 3e7, 1e7])
    c = tg.contact(ball + (-ball), tg.Sphere(1.0), pose_b=(None, [3.3, 1.1, 0.7]))
    truth = np.linalg.norm([3.3, 1.1, 0.7]) - 3.0
    assert c.lower <= truth <= c.upper


def test_points_keep_their_digits_far_away():
    c = tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [1e17, 0, 0]))
    np.testing.assert_allclose(c.point_a, [1, 0, 0], atol=1e-15)


def test_an_empty_stack_has_an_empty_answer():
    c = tg.contact(tg.Sphere(np.ones(0)), tg.Sphere(1.0), pose_b=(None, [3, 0, 0]))
    assert c.shape == (0,)
    assert c.converged.all()


def test_a_guess_saves_work():
    rng = np.random.default_rng(11)
    problem = random_pairs(rng, *_mixed(11), 500)
    first = problem.contact()
    moved = problem.position + 1e-3 * rng.normal(size=(500, 3))
    cold = tg.contact(problem.a, problem.b, None, (problem.rotation, moved))
    warm = tg.contact(problem.a, problem.b, None, (problem.rotation, moved), guess=first)
    again = tg.contact(problem.a, problem.b, None, (problem.rotation, moved), guess=first.normal)
    apart = cold.distance > 1e-3
    np.testing.assert_allclose(warm.distance[apart], cold.distance[apart], atol=1e-11)
    np.testing.assert_allclose(again.distance, warm.distance, rtol=0, atol=2e-12 * problem.size.max())
    assert warm.evaluations[apart].mean() < 0.75 * cold.evaluations[apart].mean()


def test_max_distance_returns_early_with_a_bound():
    problem = random_pairs(np.random.default_rng(12), *_mixed(12), 500)
    full, early = problem.contact(), problem.contact(max_distance=0.5)
    far = problem.gap > 0.6
    assert (early.status[far] == tg.Status.BEYOND).mean() > 0.5
    assert (early.lower[early.status == tg.Status.BEYOND] > 0.49).all()
    assert (early.lower <= problem.gap).all()
    assert (early.upper >= problem.gap).all()
    assert early.evaluations[far].mean() < full.evaluations[far].mean()
    near = problem.gap < 0.4
    assert np.array_equal(early.distance[near], full.distance[near])


def test_points_lie_on_both_surfaces():
    problem = superellipsoids(np.random.default_rng(13), 2_000, low=0.5, high=1.5)
    c = problem.contact()
    local = np.einsum("kji,kj->ki", problem.rotation, c.point_b - problem.position)
    assert np.abs(problem.a.implicit(c.point_a)).max() < 1e-9
    assert np.abs(problem.b.implicit(local)).max() < 1e-9


def test_normals_and_points_have_all_digits_on_smooth_bodies():
    problem = ellipsoids(np.random.default_rng(14), 5_000, aspect=5.0, surface=False)
    c = problem.contact()
    near = problem.gap < 1e-3 * problem.size
    assert np.abs(c.normal - problem.normal)[near].max() < 1e-9
    assert (np.linalg.norm(c.point_a - problem.point_a, axis=-1) / problem.size).max() < 1e-9


def test_ellipsoids_against_fifty_digits():
    # The stationary point of F with |n| = 1, solved by mpmath from the two shape matrices.
    mpmath.mp.dps = 50
    rng = np.random.default_rng(15)
    for _ in range(5):
        radii_a, radii_b, turn = rng.uniform(0.2, 1, 3), rng.uniform(0.2, 1, 3), Rotation.random(rng=rng).as_matrix()
        r = unit(rng.normal(size=3)) * rng.uniform(0.9, 3.0)
        c = tg.contact(tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), None, (turn, r))
        s_a = mpmath.diag([mpmath.mpf(v) ** 2 for v in radii_a])
        m = mpmath.matrix(turn.tolist())
        s_b = m * mpmath.diag([mpmath.mpf(v) ** 2 for v in radii_b]) * m.T
        position = mpmath.matrix(r.tolist())

        def stationary(x, y, z, d, s_a=s_a, s_b=s_b, position=position):
            n = mpmath.matrix([x, y, z])
            p, q = s_a * n, s_b * n
            w = position - p / mpmath.sqrt((n.T * p)[0]) - q / mpmath.sqrt((n.T * q)[0]) - d * n
            return [w[0], w[1], w[2], x * x + y * y + z * z - 1]

        *n, d = mpmath.findroot(stationary, [*c.normal.tolist(), float(c.distance)])
        assert c.converged
        assert c.lower <= d <= c.upper
        assert abs(c.distance - d) < 1e-14
        np.testing.assert_allclose(c.normal, np.array(n, dtype=float), atol=1e-12)


def test_the_answer_of_a_user_shape_that_breaks_is_a_status():
    from typing import NamedTuple

    class Broken(tg.Shape):
        class Kernel(NamedTuple):
            radius: float

            def point(self, n):
                bad = self.radius / (n[0] - n[0])
                return (bad, bad, bad)

            def hessian(self, n):
                return (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)

    with pytest.raises(tg.ShapeError, match="Broken"):
        tg.contact(Broken(radius=1.0), tg.Sphere(1.0), pose_b=(None, [3, 0, 0]))


def _mixed(seed):
    rng = np.random.default_rng(seed)
    return tg.Superellipsoid([1.0, 0.7, 0.4], (0.7, 1.2)), tg.Ellipsoid(rng.uniform(0.3, 1.0, 3))


def test_rims_that_touch_corners():
    """An edge is round along itself and not at all across: a step along it must not suffer from the one across."""
    rng, left = np.random.default_rng(12), 0
    for first in ("cylinder", "cone"):
        a, b = FAMILIES[first].make(rng, (1500,)), FAMILIES["hull"].make(rng, (1500,))
        left += int((~random_pairs(rng, a, b, 1500).contact().converged).sum())
    assert left <= 3


def test_points_of_bodies_with_lines_and_faces_lie_on_them():
    """Where a side is straight the normal does not tell where the contact is: both points must be on their bodies."""
    rng = np.random.default_rng(17)
    makers = [
        lambda: tg.Segment(rng.uniform(0.3, 2.0)),
        lambda: tg.Box(rng.uniform(0.2, 1.0, 3)),
        lambda: tg.Cylinder(rng.uniform(0.2, 1.0), rng.uniform(0.2, 1.5)),
        lambda: tg.Cone(rng.uniform(0.2, 1.0), rng.uniform(0.2, 1.5)),
        lambda: tg.capsule(rng.uniform(0.1, 0.5), rng.uniform(0.3, 1.5)),
        lambda: tg.Ellipsoid(rng.uniform(0.05, 1.0, 3)),
    ]
    around = rng.normal(size=(400, 3))
    for k in range(300):
        a, b = makers[k % 6](), makers[k // 6 % 6]()
        turns = Rotation.random(2, rng=rng)
        place = rng.normal(size=3)
        place *= 3.5 / np.linalg.norm(place)
        c = tg.contact(a, b, turns[0], (turns[1], place))
        if float(c.distance) < 0.0:
            continue
        n = np.array(c.normal)
        for body, turn, point, sign in ((a, turns[0], c.point_a, 1.0), (b, turns[1], c.point_b - place, -1.0)):
            m = np.concatenate([around, sign * turn.inv().apply(n) + 0.02 * around])
            beyond = (m @ turn.inv().apply(np.array(point)) - body.support(m)) / np.linalg.norm(m, axis=1)
            assert beyond.max() < 3e-6, (k, a, b)  # the root of the tolerance
