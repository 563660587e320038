"""Contracts that every planar body fulfils, and what is known of single ones from elsewhere."""

import math

import mpmath
import numpy as np
import pytest

from planar_families import FAMILIES, directions, superellipse
from tangency import planar

NAMES = sorted(FAMILIES)


def bodies(name, count=6, seed=0):
    if name == "formula":
        pytest.importorskip("sympy")
    return FAMILIES[name].make(np.random.default_rng(seed), (count,))


@pytest.mark.parametrize("name", NAMES)
def test_support_function(name):
    shape = bodies(name)
    rng = np.random.default_rng(1)
    n = directions(rng.uniform(-np.pi, np.pi, (40, 1)))
    h, x, radius = shape.jet(n)
    size = shape.bounding_radius
    assert (abs((n * x).sum(-1) - h) <= 4e-15 * shape.magnitude).all()
    for t in (1e-3, 7.0):
        moved = shape.jet(t * n)
        assert (abs(moved.support - t * h) <= 1e-14 * t * size).all()
        assert (abs(moved.point - x) <= 1e-13 * size[:, None]).all()
    # No boundary point lies beyond the tangent at another; the body lies within its bounding circle.
    beyond = np.einsum("kbi,lbi->klb", n + 0 * x, x) - h[:, None]
    assert (beyond <= 1e-14 * shape.magnitude).all()
    assert (np.linalg.norm(x, axis=-1) <= size * (1 + 1e-14)).all()
    assert (radius >= 0).all()
    assert (radius >= shape.core_radius * (1 - 1e-12)).all()


@pytest.mark.parametrize("name", NAMES)
def test_radius_is_the_derivative_of_the_point(name):
    shape = bodies(name)
    phi = np.random.default_rng(2).uniform(-np.pi, np.pi, (60, 1))
    _, _, radius = shape.jet(directions(phi))
    best = np.full(radius.shape, np.inf)
    for step in (1e-3, 1e-4, 1e-5):
        n = directions(phi + step * np.array([-2, -1, 1, 2]).reshape(4, 1, 1))
        x = np.einsum("k,klbi->lbi", np.array([1, -8, 8, -1]) / (12 * step), shape.point(n))
        slope = (x * directions(phi + np.pi / 2)).sum(-1)
        best = np.minimum(best, abs(slope - radius) / (radius + shape.bounding_radius))
    # Next to a corner of a polygon, or a flat place, differences tell nothing.
    assert np.median(best) < 1e-9
    assert (best < 1e-5).mean() > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_one_of_a_stack_is_the_same(name):
    shape = bodies(name)
    n = directions(np.linspace(-3, 3, 7))
    for k in (0, 3):
        assert np.array_equal(shape[k].point(n), shape.point(n[:, None])[:, k])
    assert shape[1:3].batch_shape == (2,)
    assert shape.broadcast_to((2, 6)).batch_shape == (2, 6)


@pytest.mark.parametrize("p", [1.05, 1.5, 2.0, 3.0, 7.0, 20.0])
def test_superellipse_maximises_on_its_own_curve(p):
    """Against the implicit curve, in 50 digits: x(n) lies on it and its gradient is along n."""
    a, b = 3.0, 2.0
    shape = planar.Superellipse([a, b], p)
    with mpmath.workdps(50):
        for phi in (0.1, 0.9, 2.0, -0.7, 1.5707, 3.1):
            nx, ny = mpmath.cos(phi), mpmath.sin(phi)
            q = mpmath.mpf(p) / (p - 1)
            h = (abs(a * nx) ** q + abs(b * ny) ** q) ** (1 / q)  # Eq. (13)
            x = mpmath.sign(nx) * a * (abs(a * nx) / h) ** (q - 1)
            y = mpmath.sign(ny) * b * (abs(b * ny) / h) ** (q - 1)
            gx, gy = mpmath.sign(x) * abs(x / a) ** (p - 1) / a, mpmath.sign(y) * abs(y / b) ** (p - 1) / b
            assert abs(abs(x / a) ** p + abs(y / b) ** p - 1) < 1e-40
            assert abs(gx * ny - gy * nx) < 1e-40 * abs(gx + gy)

            def g(t, q=q):
                return (abs(a * mpmath.cos(t)) ** q + abs(b * mpmath.sin(t)) ** q) ** (1 / q)

            radius = mpmath.diff(g, phi, 2) + h
            found = shape.jet([math.cos(phi), math.sin(phi)])
            assert found.support == pytest.approx(float(h), rel=1e-14)
            assert found.point == pytest.approx([float(x), float(y)], rel=1e-12, abs=1e-14)
            assert found.radius == pytest.approx(float(radius), rel=1e-11)


def test_superellipse_on_its_axes():
    flat, sharp = planar.Superellipse([3, 2], 20.0), planar.Superellipse([3, 2], 1.05)
    for shape in (flat, sharp):
        assert shape.point([[1, 0], [0, 1], [-1, 0], [0, -1]]).tolist() == [[3, 0], [0, 2], [-3, 0], [0, -2]]
        assert np.isfinite(shape.jet([[1, 0], [0, 1]]).radius).all()
    assert flat.radius_of_curvature([0, 1]) > 1e80
    assert sharp.radius_of_curvature([0, 1]) == 0


@pytest.mark.parametrize("count", [1, 2, 3, 30, 1000])
def test_polygon_against_all_its_corners(count):
    rng = np.random.default_rng(count)
    angle = np.sort(rng.uniform(0, 2 * np.pi, count))
    points = np.stack([0.3 + np.cos(angle), 0.1 + 2 * np.sin(angle)], -1)
    shape = planar.Polygon(rng.permutation(points))
    phi = np.concatenate([rng.uniform(-np.pi, np.pi, 500), shape._breaks(), [0, np.pi, -np.pi, np.pi / 2]])
    n = directions(phi)
    assert shape.support(n) == pytest.approx((points @ n.T).max(axis=0), abs=4e-16 * 3)


def test_rounded_corners():
    square = planar.Polygon([[1, 1], [-1, 1], [-1, -1], [1, -1], [0.5, 0.5]], radius=0.25)
    assert len(square.points) == 4
    assert square.area == pytest.approx(4 - (4 - math.pi) * 0.25**2, rel=1e-14)
    assert square.arc_length == pytest.approx(8 - 8 * 0.25 + 2 * math.pi * 0.25, rel=1e-13)
    disc = planar.Polygon([[1, 1], [-1, 1], [-1, -1], [1, -1]], radius=1.0)
    assert disc.support([1, 1]) == pytest.approx(math.sqrt(2))
    with pytest.raises(ValueError, match=r"radius must not exceed 1, so that its arcs fit"):
        planar.Polygon([[1, 1], [-1, 1], [-1, -1], [1, -1]], radius=1.01)


def test_foot_of_the_paper():
    """Eq. (85), term by term."""
    alpha = np.linspace(-np.pi, np.pi, 50)
    b = alpha - np.pi / 5
    f = 0.3 * (1 + 0.9 * np.cos(b) + np.sin(2 * b) / 6 + np.sin(3 * b) / 15)
    f1 = 0.3 * (-0.9 * np.sin(b) + np.cos(2 * b) / 3 + np.cos(3 * b) / 5)
    f2 = 0.3 * (-0.9 * np.cos(b) - 2 / 3 * np.sin(2 * b) - 0.6 * np.sin(3 * b))
    for found, exact in zip(planar.foot_shape(0.3).potential(alpha - np.pi / 2), (f, f1, f2)):
        assert found == pytest.approx(exact, abs=1e-15)
    assert (f + f2 > 0).all()  # Eq. (37): the coefficients make a convex foot


def test_example_4_has_two_kinks():
    """Römer 3-D, Example 4: the ellipse offset by -b^2/a has the radius 0 at phi = 0 and pi, Eq. (9)."""
    ellipse = planar.Ellipse([2.0, 1.0])
    assert planar.offset_limit(ellipse) == pytest.approx(-0.5, abs=1e-12)
    for distance in (-0.5, -0.5 + 1e-12):
        shrunk = ellipse.offset(distance)
        assert shrunk.radius_of_curvature([[1, 0], [-1, 0]]) == pytest.approx([0, 0], abs=2e-12)
        assert shrunk.support([0.6, 0.8]) == pytest.approx(math.sqrt(4 * 0.36 + 0.64) - 0.5)  # Eq. (8)
        found = planar.contact(shrunk, planar.Circle(0.5), pose_b=(0.0, [3.0, 0.0]))
        assert found.distance == pytest.approx(1.0, abs=2e-12)
        assert found.point_a == pytest.approx([1.5, 0.0], abs=1e-9)
    with pytest.raises(ValueError, match=r"distance must be > -0.5, .*Remark 8"):
        ellipse.offset(-0.5 - 1e-9)


def test_change_of_reference_point():
    """Römer 3-D, Eq. (10): r_BA = (d cos psi, -d sin psi)."""
    shape, d, psi = planar.foot_shape(1.0), 0.4, 0.7
    moved = shape.seen_from([d * math.cos(psi), -d * math.sin(psi)])
    phi = np.linspace(-3, 3, 20)
    assert moved.potential(phi)[0] == pytest.approx(shape.potential(phi)[0] - d * np.cos(phi + psi), abs=1e-15)
    # Römer 2-D, Eq. (42): Q at r_PQ = r (sin(alpha + delta), cos(alpha + delta)) in the frame of the line
    alpha, r, delta = phi + np.pi / 2, 0.3, 1.1
    q = shape.seen_from(r * np.array([math.sin(delta), math.cos(delta)]))
    assert q.potential(phi)[0] == pytest.approx(shape.potential(phi)[0] + r * np.cos(alpha + delta), abs=1e-15)


def test_spline_and_pieces():
    phi = np.sort(np.random.default_rng(0).uniform(0, 2 * np.pi, 40))
    g = 1 + 0.05 * np.cos(2 * phi) + 0.02 * np.sin(3 * phi)
    for degree in (3, 5):
        shape = planar.periodic_spline(phi, g, degree=degree)
        assert shape.potential(phi)[0] == pytest.approx(g, abs=1e-14)
        h = 1e-7
        jump = np.array(shape.potential(phi + h)) - np.array(shape.potential(phi - h))
        assert abs(jump).max() < 1e-4
    with pytest.raises(ValueError, match="g prime jumps"):
        planar.PiecewiseShape([0.0, np.pi], [[1.0, 0.1], [1.0 + 0.1 * np.pi, -0.1]])
    with pytest.raises(ValueError, match=r"g \+ g'' falls to"):
        planar.periodic_spline(np.arange(20) * np.pi / 10, 1 + 0.5 * np.cos(2 * np.arange(20) * np.pi / 10))


def test_formula_is_the_built_in():
    pytest.importorskip("sympy")
    n = directions(np.linspace(-3, 3, 31))
    formula = planar.from_potential("sqrt((a*cos(phi))**2 + (b*sin(phi))**2)", a=3, b=2)
    for mine, built in zip(formula.jet(n), planar.Ellipse([3, 2]).jet(n)):
        assert mine == pytest.approx(built, abs=1e-13)
    import pickle

    again = pickle.loads(pickle.dumps(formula))
    assert again.support([1, 0]) == formula.support([1, 0])


def test_piecewise_formula():
    """A SymPy Piecewise, the kind of Eq. (90), against the same pieces as polynomials."""
    pytest.importorskip("sympy")
    k = 0.01
    formula = planar.from_potential("Piecewise((1 + k*(phi**2 - pi**2/4)**2, Abs(phi) < pi/2), (1, True))", k=k)
    pieces = planar.PiecewiseShape([-np.pi / 2, np.pi / 2], [[1, 0, k * np.pi**2, -2 * k * np.pi, k], [1, 0, 0, 0, 0]])
    n = directions(np.linspace(-3, 3, 101))
    for mine, known in zip(formula.jet(n), pieces.jet(n)):
        assert mine == pytest.approx(known, abs=1e-14)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_size_does_not_matter(scale):
    small = planar.Ellipse([1.0, 0.4]) + planar.Polygon([[0, 0], [1, 0.2], [0.3, 1]])
    large = planar.Ellipse([scale, 0.4 * scale]) + planar.Polygon(scale * np.array([[0, 0], [1, 0.2], [0.3, 1]]))
    assert large.area / scale**2 == pytest.approx(float(small.area), rel=1e-12)
    assert planar.continuity(large).order == planar.continuity(small).order
    assert superellipse(2, 3)(np.random.default_rng(0), ()).affine(scale * np.eye(2)).area > 0


def test_points_on_the_sides_of_a_polygon_are_no_corners():
    rng = np.random.default_rng(3)
    angle = np.linspace(0, 2 * np.pi, 361)
    n = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    clouds = [np.array([[0, 0], [0.1, 0.12], [0.9, 1.08], [1.1, 1.32]])]
    for _ in range(60):
        corners, between = rng.normal(size=(3, 2)), np.linspace(0, 1, rng.integers(2, 30))[:, None]
        clouds.append(np.concatenate([a + between * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0))]))
        clouds.append(np.outer(rng.random(7), rng.normal(size=2)) + rng.normal(size=2))  # on a line
        clouds.append(rng.normal(size=(20, 2)) * [10.0 ** rng.integers(-16, 0), 1.0])  # nearly so
    for cloud in clouds:
        support = planar.Polygon(cloud).support(n)
        assert abs(support - (n @ cloud.T).max(axis=1)).max() < 2e-14 * abs(cloud).max()
    with pytest.raises(ValueError, match="radius must be 0"):
        planar.Polygon(np.outer(np.linspace(0, 1, 7), [0.1, 0.3]), radius=0.01)
