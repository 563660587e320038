"""Volume, centroid and inertia: known values, and two independent ways for every closed form."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.spatial import ConvexHull

import tangency as tg
from families import FAMILIES, normals
from tangency.geometry.moments import moments_by_quadrature
from tangency.geometry.polytope import moments_by_polytopes

CUBE = [[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def agree(a, b, tolerance):
    np.testing.assert_allclose(a.volume, b.volume, rtol=tolerance)
    size = np.cbrt(b.volume)[..., None]
    np.testing.assert_allclose(a.centroid / size, b.centroid / size, atol=tolerance)
    scale = np.trace(b.second, axis1=-2, axis2=-1)[..., None, None]
    np.testing.assert_allclose(a.second / scale, b.second / scale, atol=tolerance)


def test_sphere_and_its_disguises():
    exact = tg.Sphere(0.5).moments()
    assert float(exact.volume) == pytest.approx(math.pi / 6, rel=1e-15)
    np.testing.assert_allclose(tg.Sphere(0.5).inertia(2.0), np.eye(3) * 0.4 * math.pi / 3 * 0.25, rtol=1e-15)
    for same in (
        tg.Ellipsoid([0.5, 0.5, 0.5]),
        tg.Superellipsoid([0.5, 0.5, 0.5], (1, 1)),
        tg.PowerEllipsoid([0.5, 0.5, 0.5], [2, 2, 2]),
        tg.Sphere(0.3).offset(0.2),
        tg.Sphere(0.3) + tg.Sphere(0.2),
        tg.Sphere(1.0).affine(0.5 * np.eye(3)),
    ):
        agree(same.moments(), exact, 1e-12)


@pytest.mark.parametrize("exponents", [[1.2, 2, 6], [4, 3, 1.5], [20, 20, 20]])
def test_power_ellipsoid(exponents):
    shape = tg.PowerEllipsoid([0.3, 0.2, 0.5], exponents)
    numerical = moments_by_polytopes(shape)
    agree(shape.moments(), numerical, 5 * float(numerical.error))
    assert float(numerical.error) < 3e-4


def test_power_ellipsoid_is_a_superellipsoid_where_they_meet():
    a = tg.PowerEllipsoid([0.3, 0.2, 0.5], [3, 3, 3]).moments()
    agree(a, tg.Superellipsoid.from_exponents([0.3, 0.2, 0.5], [3, 3]).moments(), 1e-13)


def test_superellipsoid():
    shape = tg.Superellipsoid([0.3, 0.2, 0.5], (0.4, 1.5))
    numerical = moments_by_polytopes(shape)
    agree(shape.moments(), numerical, float(numerical.error))


def test_box_and_hull():
    box = tg.Box([0.5, 0.5, 0.5])
    agree(tg.Hull(CUBE).moments(), box.translate([0.5, 0.5, 0.5]).moments(), 1e-14)
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(3, 50, 3))
    hulls = tg.Hull(cloud)
    np.testing.assert_allclose(hulls.volume, [ConvexHull(c).volume for c in cloud], rtol=1e-12)
    assert hulls.moments().second.shape == (3, 3, 3)
    # Monte Carlo, five standard deviations
    hull = ConvexHull(cloud[0])
    low, high = cloud[0].min(axis=0), cloud[0].max(axis=0)
    points = rng.uniform(low, high, (200_000, 3))
    inside = (points @ hull.equations[:, :3].T + hull.equations[:, 3] <= 0).all(axis=1)
    sample = np.einsum("ki,kj->kij", points[inside], points[inside])
    estimate = sample.sum(axis=0) / len(points) * np.prod(high - low)
    np.testing.assert_allclose(hulls[0].moments().second, estimate, atol=0.05 * np.trace(estimate))
    np.testing.assert_allclose(hulls[0].centroid, points[inside].mean(axis=0), atol=0.02)


@pytest.mark.parametrize(
    "points", [[[1, 2, 3]], [[0, 0, 0], [1, 1, 1]], CUBE[:4], [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]]
)
def test_hulls_without_volume(points):
    hull = tg.Hull(points)
    assert float(hull.volume) == 0.0
    assert not hull.inertia().any()
    np.testing.assert_allclose(hull.centroid, np.mean(points, axis=0))
    rounded = hull.offset(0.5)
    assert float(rounded.volume) > math.pi / 6 * 0.999


def test_segment_has_no_volume():
    assert float(tg.Segment(2.0).volume) == 0.0


def test_capsule_by_hand():
    r, half = 0.3, 0.7
    m = tg.capsule(r, half).moments()
    cylinder, ball = 2 * half * math.pi * r**2, 4 / 3 * math.pi * r**3
    assert float(m.volume) == pytest.approx(cylinder + ball, rel=1e-14)
    about_axis = cylinder * r * r / 2 + ball * 0.4 * r * r
    across = cylinder * (r * r / 4 + half * half / 3) + ball * (0.4 * r * r + half * half + 0.75 * r * half)
    np.testing.assert_allclose(np.diag(m.inertia), [across, across, about_axis], rtol=1e-14)


def test_cylinder_and_cone():
    """Against a hull of many points on the rims, and by hand."""
    r, l, top = 0.3, 0.5, 0.1
    m = tg.Cylinder(r, l).moments()
    assert float(m.volume) == pytest.approx(2 * math.pi * r * r * l, rel=1e-15)
    np.testing.assert_allclose(np.diag(m.inertia) / m.volume, [r * r / 4 + l * l / 3] * 2 + [r * r / 2], rtol=1e-14)
    agree(tg.Cone(r, l, r).moments(), m, 1e-15)
    whole = tg.Cone(r, l).moments()
    height = 2 * l
    across = 3 / 20 * r * r + 3 / 80 * height**2
    np.testing.assert_allclose(np.diag(whole.inertia) / whole.volume, [across, across, 0.3 * r * r], rtol=1e-14)
    np.testing.assert_allclose(whole.centroid, [0, 0, -l / 2], rtol=1e-15)
    angle = np.arange(2000) * math.pi / 1000
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    many = tg.Hull(np.concatenate([r * ring - [0, 0, l], top * ring + [0, 0, l]]))
    agree(tg.Cone(r, l, top).moments(), many.moments(), 1e-5)


def test_offset_polytopes_against_steiner():
    half, d = np.array([0.5, 0.3, 0.2]), 0.1
    a, b, c = 2 * half
    steiner = a * b * c + 2 * d * (a * b + b * c + c * a) + math.pi * d * d * (a + b + c) + 4 / 3 * math.pi * d**3
    box = tg.Box(half)
    assert float(box.offset(d).volume) == pytest.approx(steiner, rel=1e-14)
    numerical = (tg.Hull(box._vertices()) + tg.Sphere(d)).moments()
    agree(box.offset(d).moments(), numerical, float(numerical.error))
    agree(tg.rounded_box(half + d, d).moments(), box.offset(d).moments(), 1e-14)
    hull = FAMILIES["hull"].make(np.random.default_rng(1), ())
    numerical = hull.offset(d).moments()
    qhull = ConvexHull(hull.points)
    edges = _edge_sum(qhull)
    steiner = qhull.volume + d * qhull.area + d * d / 2 * edges + 4 / 3 * math.pi * d**3
    assert float(numerical.volume) == pytest.approx(steiner, rel=float(numerical.error))


def _edge_sum(hull):
    """Sum over the edges of length times the angle between the two facets' normals."""
    total = 0.0
    for f, neighbours in enumerate(hull.neighbors):
        for k, g in enumerate(neighbours):
            a, b = np.delete(hull.simplices[f], k)
            angle = math.acos(np.clip(hull.equations[f, :3] @ hull.equations[g, :3], -1, 1))
            total += 0.5 * np.linalg.norm(hull.points[a] - hull.points[b]) * angle
    return total


def test_sums_of_polytopes_are_exact():
    total = tg.Box([1, 2, 3]) + tg.Box([0.5, 0.5, 0.5]).translate([1, 0, 0])
    agree(total.moments(), tg.Box([1.5, 2.5, 3.5]).translate([1, 0, 0]).moments(), 1e-13)
    assert float(total.moments().error) == 0.0


def test_affine_images_are_exact():
    rng = np.random.default_rng(3)
    matrix, move = rng.normal(size=(4, 3, 3)), rng.normal(size=(4, 3))
    image = tg.Box([1, 2, 3]).affine(matrix, move)
    agree(image.moments(), tg.Hull(image._vertices()).moments(), 1e-12)
    ellipsoid = tg.Sphere(1.0).affine(np.diag([3.0, 2.0, 1.0]), [1, 2, 3])
    agree(ellipsoid.moments(), tg.Ellipsoid([3, 2, 1]).moments().moved(np.array([1.0, 2.0, 3.0])), 1e-14)


def test_inertia_is_about_the_centroid_and_turns_with_the_body():
    shape = tg.Ellipsoid([3, 2, 1])
    moved = shape.translate([5, 6, 7])
    np.testing.assert_allclose(moved.inertia(), shape.inertia(), rtol=1e-9)
    np.testing.assert_allclose(moved.centroid, [5, 6, 7], rtol=1e-14)
    swap = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1.0]])
    np.testing.assert_allclose(np.diag(shape.affine(swap).inertia()), np.diag(shape.inertia())[[1, 0, 2]])


def test_quadrature_states_its_error():
    good = moments_by_quadrature(tg.Ellipsoid([3, 2, 1]))
    agree(good, tg.Ellipsoid([3, 2, 1]).moments(), 1e-12)
    poor = moments_by_quadrature(tg.Ellipsoid([100, 1, 1]))
    assert float(poor.error) > 1e-3
    # Slender bodies fall back to polytopes.
    slender = (tg.Ellipsoid([100, 1, 1]) + tg.Sphere(1e-6)).moments()
    assert float(slender.volume) == pytest.approx(400 / 3 * math.pi, rel=float(slender.error) + 1e-5)
    assert float(slender.error) < 1e-3


@pytest.mark.parametrize("name", ["ellipsoid plus box", "user's egg", "potential functions", "shrunk ellipsoid"])
def test_stacks_and_the_two_ways(name):
    stack = FAMILIES[name].make(np.random.default_rng(4), (2,))
    m = stack.moments()
    assert m.volume.shape == m.error.shape == (2,)
    assert m.second.shape == (2, 3, 3)
    assert stack.inertia(2.0).shape == (2, 3, 3)
    # The divergence theorem on a fine polytope, of the surface points themselves.
    points = stack[1].point(normals(np.random.default_rng(5), 4000))
    inner = ConvexHull(points).volume
    assert inner <= m.volume[1] * (1 + 1e-9)
    assert inner >= m.volume[1] * 0.97


def test_user_shapes_can_say_that_they_are_not_smooth():
    assert tg.Ellipsoid([1, 2, 3]).smooth
    assert not tg.Superellipsoid([1, 2, 3], (0.5, 1)).smooth
    assert not (tg.Ellipsoid([1, 2, 3]) + tg.Box([1, 1, 1])).smooth
    assert tg.Ellipsoid([1, 2, 3]).offset(1).translate([1, 0, 0]).smooth


@pytest.mark.parametrize(("a", "l", "b", "d"), [(0.3, 0.5, 0.3, 0.1), (0.3, 0.5, 0.0, 0.4), (0.2, 0.7, 0.9, 0.05)])
def test_offset_cylinders_and_cones(a, l, b, d):
    """Steiner's formula, and integrals over discs along the axis."""
    m = (tg.Cylinder(a, l) if a == b else tg.Cone(a, l, b)).offset(d).moments()
    side, angle = math.hypot(2 * l, a - b), math.atan2(a - b, 2 * l)
    area = math.pi * (a * a + b * b + (a + b) * side)
    # Integral of the mean curvature: half the angles between the faces along both rims, and the side.
    mean = math.pi * (a * (math.pi / 2 + angle) + b * (math.pi / 2 - angle) + side * math.cos(angle))
    volume = math.pi * 2 * l * (a * a + a * b + b * b) / 3 + area * d + mean * d * d + 4 / 3 * math.pi * d**3
    assert float(m.volume) == pytest.approx(volume, rel=1e-14)
    assert float(m.error) == 0.0
    start, end = -l + d * math.sin(angle), l + d * math.sin(angle)

    def rho(z):
        if z < start:
            return a + math.sqrt(max(d * d - (z + l) ** 2, 0.0))
        if z > end:
            return b + math.sqrt(max(d * d - (z - l) ** 2, 0.0))
        return a + (b - a) * (z - start) / (2 * l) + d * math.cos(angle)

    def total(f):
        parts = ((-l - d, start), (start, end), (end, l + d))
        return sum(integrate.quad(f, *part, epsabs=1e-12, epsrel=1e-11)[0] for part in parts)

    assert float(m.centroid[2] * m.volume) == pytest.approx(math.pi * total(lambda z: z * rho(z) ** 2), abs=1e-11)
    assert float(m.second[0, 0]) == pytest.approx(math.pi / 4 * total(lambda z: rho(z) ** 4), rel=1e-9)
    assert float(m.second[2, 2]) == pytest.approx(math.pi * total(lambda z: (z * rho(z)) ** 2), rel=1e-9)
