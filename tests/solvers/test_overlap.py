"""Penetration depth: the global one, with bounds."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from manufactured import random_radii, unit


def ellipsoids(rng, radii):
    return tg.Ellipsoid(radii)


def superellipsoids(rng, radii):
    return tg.Superellipsoid(radii, rng.uniform(0.1, 1.9, (len(radii), 2)))


def boxes(rng, radii):
    return tg.Box(radii)


def hulls(rng, radii):
    return tg.Hull(unit(rng.normal(size=(len(radii), 30, 3))) * radii[:, None])


def rounded_boxes(rng, radii):
    return tg.Box(0.8 * radii).offset(0.2 * radii.min(axis=-1))


def sums(rng, radii):
    return tg.Superellipsoid(0.5 * radii, rng.uniform(0.1, 1.9, (len(radii), 2))) + tg.Ellipsoid(0.5 * radii)


def overlapping(rng, count, make_a, make_b):
    """Pairs that share a normal with a depth of up to a third of the smallest radius."""
    radii_a, radii_b = random_radii(rng, count, 5.0), random_radii(rng, count, 5.0)
    a, b = make_a(rng, radii_a), make_b(rng, radii_b)
    turn = Rotation.random(count, rng=rng).as_matrix()
    n = unit(rng.normal(size=(count, 3)))
    depth = rng.uniform(0.0, 1.0 / 3.0, count) * np.minimum(radii_a.min(axis=-1), radii_b.min(axis=-1))
    x_b = b.point(-np.einsum("kji,kj->ki", turn, n))
    return a, b, turn, a.point(n) - depth[:, None] * n - np.einsum("kij,kj->ki", turn, x_b)


def best_of_sample(a, b, turn, position, directions):
    """Largest F(n) over a sample: minus the shortest separating translation that it knows."""
    best = np.full(len(position), -np.inf)
    for n in directions:
        f = position @ n - a.support(n) - b.support(-np.einsum("kji,j->ki", turn, n))
        best = np.maximum(best, f)
    return best


def spiral(count):
    """Evenly spread directions."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    rho = np.sqrt(1.0 - z * z)
    return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)


PAIRS = [
    (ellipsoids, ellipsoids),
    (superellipsoids, superellipsoids),
    (boxes, boxes),
    (hulls, hulls),
    (rounded_boxes, boxes),
    (rounded_boxes, superellipsoids),
    (sums, hulls),
    (boxes, ellipsoids),
]


def run(count, sample, make_a, make_b, seed=0):
    a, b, turn, position = overlapping(np.random.default_rng(seed), count, make_a, make_b)
    c = tg.contact(a, b, None, (turn, position))
    assert c.converged.all(), np.bincount(c.status)
    # No sampled direction separates with a shorter translation.
    assert (best_of_sample(a, b, turn, position, spiral(sample)) <= c.distance + 1e-12).all()
    # The normal separates with just this translation: F(normal) = distance.
    local = -np.einsum("kji,kj->ki", turn, c.normal)
    f = np.einsum("ki,ki->k", position, c.normal) - a.support(c.normal) - b.support(local)
    np.testing.assert_allclose(f, c.distance, atol=1e-10)
    assert (c.lower <= c.distance).all()
    assert (c.distance <= c.upper).all()
    # Both points lie on their bodies: on the tangent plane, and not beyond any other plane.
    point_b = np.einsum("kji,kj->ki", turn, c.point_b - position)
    for shape, n, x in ((a, c.normal, c.point_a), (b, local, point_b)):
        np.testing.assert_allclose((n * x).sum(axis=-1), shape.support(n), atol=1e-8)
        sample = spiral(50)[:, None]
        assert ((sample * x).sum(axis=-1) <= shape.support(sample) + 1e-6).all()
    # The bounds of the swapped query cannot contradict.
    swapped = tg.contact(b, a, (turn, position), None)
    assert (np.maximum(c.lower - swapped.upper, swapped.lower - c.upper) <= 0).all()
    return c


@pytest.mark.parametrize(("make_a", "make_b"), PAIRS)
def test_no_direction_separates_with_a_shorter_translation(make_a, make_b):
    c = run(300, 1000, make_a, make_b)
    proved = (c.status == tg.Status.OVERLAP_PROVED) | (c.status == tg.Status.APART)
    assert proved.mean() > 0.97


@pytest.mark.full
@pytest.mark.parametrize(("make_a", "make_b"), PAIRS)
def test_ten_thousand_overlaps(make_a, make_b):
    run(10_000, 4000, make_a, make_b, seed=1)


def test_shallow_overlap_of_ellipsoids_is_as_cheap_as_a_distance():
    c = run(2000, 10, ellipsoids, ellipsoids, seed=2)
    assert (c.status == tg.Status.OVERLAP_PROVED).all()
    assert c.evaluations.mean() < 6


def test_deep_overlap_is_global_too():
    rng = np.random.default_rng(3)
    a, b = tg.Ellipsoid(random_radii(rng, 300, 5.0)), tg.Superellipsoid(random_radii(rng, 300, 5.0), (0.4, 1.3))
    turn, position = Rotation.random(300, rng=rng).as_matrix(), 0.1 * rng.normal(size=(300, 3))
    c = tg.contact(a, b, None, (turn, position))
    assert c.converged.all()
    assert (best_of_sample(a, b, turn, position, spiral(2000)) <= c.distance + 1e-12).all()


def test_box_in_box_by_hand():
    c = tg.contact(tg.Box([1, 2, 3]), tg.Box([1, 1, 1]), pose_b=(None, [1.5, 0.3, -0.2]))
    assert c.status == tg.Status.OVERLAP_PROVED
    assert abs(c.distance + 0.5) < 1e-14
    np.testing.assert_allclose(c.normal, [1, 0, 0], atol=1e-14)


@pytest.mark.parametrize(
    ("a", "b", "depth"),
    [
        (tg.Sphere(1.0), tg.Sphere(2.0), 3.0),
        (tg.Ellipsoid([3, 2, 1]), tg.Ellipsoid([3, 2, 1]), 2.0),
        (tg.Box([1, 2, 3]), tg.Box([1, 2, 3]), 2.0),
        (tg.Superellipsoid([3, 2, 1], (0.2, 0.2)), tg.Sphere(1.0), 2.0),
        (tg.PowerEllipsoid([3, 2, 1], [4, 3, 2]), tg.Box([1, 1, 0.5]), 1.5),
        (tg.capsule(0.5, 1.0), tg.Segment(2.0), 0.5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_concentric_bodies(a, b, depth):
    c = tg.contact(a, b)
    assert c.converged
    assert abs(c.distance + depth) < 1e-12
    assert np.isfinite(c.normal).all()
    assert np.isfinite(c.point_a).all()


def test_spheres_in_closed_form():
    rng = np.random.default_rng(4)
    ra, rb, r = rng.uniform(0.1, 1, 1000), rng.uniform(0.1, 1, 1000), rng.normal(size=(1000, 3)) * 0.7
    c = tg.contact(tg.Sphere(ra), tg.Sphere(rb), pose_b=(None, r))
    length = np.linalg.norm(r, axis=-1)
    np.testing.assert_allclose(c.distance, length - ra - rb, atol=1e-14)
    np.testing.assert_allclose(c.normal, r / length[:, None], atol=1e-13)
    assert c.converged.all()


def test_a_guess_follows_the_common_normal():
    # Two crossed needles, deep inside each other: the guess decides which way out is followed.
    a, b = tg.Ellipsoid([5, 0.5, 1]), tg.Ellipsoid([0.5, 5, 1])
    free = tg.contact(a, b, pose_b=(None, [0.1, 0.2, 0.3]))
    led = tg.contact(a, b, pose_b=(None, [0.1, 0.2, 0.3]), guess=[0.01, 0.02, -1.0])
    assert free.distance >= led.distance
    assert led.converged
    assert led.normal[2] < 0
    assert free.normal[2] > 0


def test_results_are_continuous_through_touching():
    a, b = tg.Superellipsoid([1, 0.8, 0.6], (0.6, 1.4)), tg.Ellipsoid([0.5, 0.9, 0.7])
    n = unit(np.array([0.3, 0.5, 0.8]))
    turn = Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix()
    touch = a.point(n) - turn @ b.point(-turn.T @ n)
    s = np.linspace(-1e-6, 1e-6, 2001)
    c = tg.contact(a, b, None, (turn, touch + s[:, None] * n))
    assert c.converged.all()
    np.testing.assert_allclose(c.distance, s, atol=1e-11)


@pytest.mark.parametrize(
    ("a", "b", "pose", "depth"),
    [
        (tg.Sphere(1.0), tg.capsule(0.5, 2.0), (None, [0, 0, 0.3]), 1.5),
        (tg.capsule(0.5, 2.0), tg.capsule(0.5, 2.0), (Rotation.from_euler("x", 30, degrees=True), [0, 0.3, 0.2]), 1.0),
        (tg.capsule(0.5, 2.0), tg.capsule(0.5, 2.0), (None, [0, 0, 1.0]), 1.0),
        (tg.Segment(1.0), tg.Segment(1.0), (Rotation.from_euler("x", 40, degrees=True), [0, 0.1, 0.2]), 0.0),
    ],
)
def test_cores_that_meet_in_a_plane(a, b, pose, depth):
    c = tg.contact(a, b, None, pose)
    assert c.converged
    assert abs(c.distance + depth) < 1e-12
    assert abs(c.normal @ c.point_a - a.support(c.normal)) < 1e-12


def test_a_guess_at_a_corner():
    box, pose = tg.Box([1, 1, 1]), (Rotation.from_euler("z", 20, degrees=True), [1.8, 0.1, 0.2])
    c = tg.contact(box, box, None, pose)
    again = tg.contact(box, box, None, pose, guess=c)
    assert again.converged
    assert abs(again.distance - c.distance) < 1e-12


def test_points_of_edges_that_cross():
    """Bodies that touch where edges cross: any normal of the pair holds, the point is the one they have in common."""
    rng = np.random.default_rng(5)
    for k in range(150):
        turn_a, turn_b = Rotation.random(2, rng=rng)
        share_a, share_b = rng.uniform(-0.9, 0.9, 2)
        along_a, along_b = turn_a.apply([0, 0, 1]), turn_b.apply([0, 0, 1])
        place = rng.normal(size=3) * (k % 2)
        other = place + share_a * along_a - share_b * along_b
        c = tg.contact(tg.Segment(1.0), tg.Segment(1.0), (turn_a, place), (turn_b, other))
        wanted = place + share_a * along_a
        assert abs(c.distance) < 1e-13
        assert np.abs(np.array([c.point_a, c.point_b]) - wanted).max() < 1e-9


FLAT = {
    "cylinder": lambda rng, count: tg.Cylinder(*rng.uniform(0.3, 1.5, (2, count))),
    "cone": lambda rng, count: tg.Cone(*rng.uniform(0.3, 1.5, (2, count))),
    "box": lambda rng, count: tg.Box(random_radii(rng, count, 5.0)),
    "sphere": lambda rng, count: tg.Sphere(rng.uniform(0.3, 1.5, count)),
    "power ellipsoid": lambda rng, count: tg.PowerEllipsoid(
        random_radii(rng, count, 5.0), 1.0 + np.exp(rng.uniform(-2.0, 2.3, (count, 3)))
    ),
    "affine superellipsoid": lambda rng, count: tg.Superellipsoid(
        random_radii(rng, count, 5.0), rng.uniform(0.1, 0.6, (count, 2))
    ).affine(np.eye(3) + 0.3 * rng.normal(size=(count, 3, 3))),
}


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("cylinder", "power ellipsoid"),
        ("affine superellipsoid", "sphere"),
        ("cone", "power ellipsoid"),
        ("box", "affine superellipsoid"),
        ("cylinder", "box"),
        ("cone", "cylinder"),
    ],
)
def test_points_of_deep_overlaps_at_flat_places(first, second, aligned):
    """The normal does not tell where flat places meet: both points must lie on their bodies, opposite each other."""
    rng, count = np.random.default_rng(6), 100
    a, b = FLAT[first](rng, count), FLAT[second](rng, count)
    turns = np.eye(3) + np.zeros((2, count, 3, 3))
    if not aligned:
        turns = Rotation.random(2 * count, rng=rng).as_matrix().reshape(2, count, 3, 3)
    small = np.minimum(a.bounding_radius, b.bounding_radius)
    place = unit(rng.normal(size=(count, 3))) * (small * rng.uniform(0.0, 0.3, count))[:, None]
    c = tg.contact(a, b, (turns[0], np.zeros((count, 3))), (turns[1], place))
    assert c.converged.all()
    room = 1e-9 * (a.bounding_radius + b.bounding_radius)
    assert (np.abs(np.linalg.norm(c.point_a - c.point_b, axis=1) - np.abs(c.distance)) < room).all()
    for body, turn, x, sign in ((a, turns[0], c.point_a, 1.0), (b, turns[1], c.point_b - place, -1.0)):
        x, n = (np.einsum("kji,kj->ki", turn, v) for v in (x, sign * c.normal))
        assert (np.abs((n * x).sum(axis=1) - body.support(n)) < room).all()
        assert (tg.contact(body, tg.Sphere(1e-40), None, (None, x)).distance < room).all()
