"""Convex planar fits: Fourier and spline potentials to points with noise and gaps, parametric and implicit curves."""

import numpy as np
import pytest

from planar_families import directions
from tangency import planar

RNG = np.random.default_rng(11)
PHI = np.linspace(0, 2 * np.pi, 721)


def random_body(rng, order=4):
    """A convex Fourier body about the size 1, with random harmonics."""
    k = np.arange(1, order + 1)
    a, b = rng.normal(size=(2, order)) / k**3
    a[0] = b[0] = 0.0
    worst = np.abs(np.array([a, b]) * (k * k - 1)).sum()
    return planar.FourierShape(1.0, *(np.array([a, b]) * rng.uniform(0.3, 0.95) / max(worst, 1e-9)))


def points_of(shape, count, noise, rng, gap=0.0):
    angle = rng.uniform(gap, 2 * np.pi, count)
    return shape.point(directions(angle)) + noise * rng.normal(size=(count, 2))


def error(found, shape):
    n = directions(PHI)
    return float(np.sqrt(np.mean((found.support(n) - shape.support(n)) ** 2)))


def test_fourier_errors_fall_like_the_root_of_the_number_of_points():
    """1 % noise: an error of noise * sqrt(parameters / points), for every number of points."""
    rng = np.random.default_rng(3)
    ratios = []
    for count in (125, 500, 2000):
        for _ in range(3):
            body = random_body(rng)
            fit = planar.fit_fourier(points_of(body, count, 0.01, rng), 4)
            ratios.append(error(fit.shape, body) / (0.01 * np.sqrt(9 / count)))
            assert fit.scatter == pytest.approx(0.01, rel=0.25)
    assert 0.6 < np.median(ratios) < 1.4
    assert max(ratios) < 2.5
    # the same at the last count as at the first: no slower rate
    assert np.median(ratios[-3:]) < 1.8 * np.median(ratios[:3])


def test_fourier_standard_errors():
    """Deviations of the coefficients over repeated measurements are those stated."""
    rng = np.random.default_rng(4)
    body = random_body(rng, 3)
    fits = [planar.fit_fourier(points_of(body, 200, 0.01, rng), 3) for _ in range(40)]
    found = np.array([[float(f.shape.mean), *f.shape.cosine, *f.shape.sine] for f in fits])
    stated = np.mean([f.standard_errors for f in fits], axis=0)
    assert found.std(axis=0) == pytest.approx(stated, rel=0.4)
    exact = np.array([float(body.mean), *body.cosine, *body.sine])
    assert np.abs(found.mean(axis=0) - exact).max() < 4 * stated.max() / np.sqrt(40) + 1e-3


def test_exact_points_are_reproduced():
    body = random_body(np.random.default_rng(5))
    fit = planar.fit_fourier(points_of(body, 100, 0.0, RNG), 4)
    assert error(fit.shape, body) < 1e-9
    assert "convex body with 4 harmonics" in str(fit)


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.full)])
def test_always_convex(long):
    """Points with 1 % noise of round, flat and cornered bodies, too many harmonics: convex every time."""
    rng = np.random.default_rng(6)
    bodies = [random_body(rng), planar.Polygon([[-1, -0.6], [1.1, -0.5], [0.2, 0.9]])]
    if long:
        bodies += [*(random_body(rng) for _ in range(4)), planar.Superellipse([1.0, 0.7], 6.0)]
    noise, count = 0.01, 500 if long else 150
    for body in bodies:
        points = points_of(body, count, noise, rng)
        if isinstance(body, planar.Polygon):  # directions of a polygon reach its corners only: walk along its sides
            corner = body.point(directions(np.array([0.3, 2.0, 4.2])))
            side, along = rng.integers(0, 3, count), rng.random((count, 1))
            points = corner[side] * along + corner[(side + 1) % 3] * (1 - along) + noise * rng.normal(size=(count, 2))
        for fit in (planar.fit_fourier(points, 10).shape, planar.smooth_shape(points).shape):
            assert fit.radius_of_curvature(directions(PHI)).min() > 0
            assert abs(float(fit.area) / float(body.area) - 1) < 0.1


@pytest.mark.full
def test_splines_converge():
    """The smoothing spline of an ellipse, not a Fourier body: the error falls, at least like the root of the count."""
    rng = np.random.default_rng(7)
    body = planar.Ellipse([1.0, 0.6])
    errors = []
    for count in (125, 500, 2000):
        found = [error(planar.smooth_shape(points_of(body, count, 0.01, rng)).shape, body) for _ in range(3)]
        errors.append(np.median(found))
    assert errors[1] < 0.004  # of 1 % noise
    assert errors[2] < 0.45 * errors[0]


def test_gaps():
    """60 degrees without points: both fits stay convex and close, and the stated error is largest there."""
    rng = np.random.default_rng(8)
    body = random_body(rng)
    points = points_of(body, 250, 0.01, rng, gap=np.pi / 3)
    fit = planar.fit_fourier(points, 4)
    assert error(fit.shape, body) < 0.01
    assert error(planar.smooth_shape(points).shape, body) < 0.01
    inside, outside = fit.error_at(np.pi / 6), fit.error_at(np.pi)
    assert inside > 2 * outside
    n = directions(np.array(np.pi / 6))
    assert abs(float(fit.shape.support(n) - body.support(n))) < 5 * inside


CURVES = {
    "ellipse": ("3*cos(t)", "2*sin(t)", "(x/3)**2 + (y/2)**2 - 1", planar.Ellipse([3, 2])),
    "circle off the origin": (
        "r*cos(t) + 0.3",
        "r*sin(t)",
        "(x - 0.3)**2 + y**2 - r**2",
        planar.Circle(1.2).translate([0.3, 0]),
    ),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves_against_closed_forms(name):
    pytest.importorskip("sympy")
    x, y, f, exact = CURVES[name]
    r = {"r": 1.2} if "r" in x else {}
    n = directions(PHI)
    for found in (planar.shape_from_curve(x, y, **r), planar.shape_from_implicit(f, **r)):
        assert found.error < 1e-12
        assert found.shape.support(n) == pytest.approx(exact.support(n), abs=1e-12)
        assert found.shape.radius_of_curvature(n) == pytest.approx(exact.radius_of_curvature(n), rel=1e-7)


def test_parameters_of_one_coordinate():
    """A parameter may be in one coordinate only, as text or as an expression; others are refused."""
    sympy = pytest.importorskip("sympy")
    t, b = sympy.symbols("t b")
    for found in (
        planar.shape_from_curve("3*cos(t)", "b*sin(t)", b=2),
        planar.shape_from_curve(3 * sympy.cos(t), b * sympy.sin(t), b=2),
    ):
        assert found.shape.point([0, 1]) == pytest.approx([0, 2], abs=1e-12)
    with pytest.raises(TypeError, match="x and y do not contain c"):
        planar.shape_from_curve("3*cos(t)", "b*sin(t)", b=2, c=1)


def test_curve_without_a_closed_form():
    """x^4 + y^4 + x^2 + y^2 = 2 by its maximum of n.x, found by a search on the curve."""
    pytest.importorskip("sympy")
    found = planar.shape_from_implicit("x**4 + y**4 + x**2 + y**2 - 2").shape
    t = np.linspace(0, 2 * np.pi, 200001)
    u = np.stack([np.cos(t), np.sin(t)])
    fourth, second = (u**4).sum(axis=0), 1.0
    curve = u * np.sqrt((-second + np.sqrt(second + 8 * fourth)) / (2 * fourth))
    for phi in (0.0, 0.4, 1.1, 3.0):
        n = directions(np.array(phi))
        assert float(found.support(n)) == pytest.approx((n @ curve).max(), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: planar.fit_fourier(np.zeros((10, 3)), 3), "points must have shape"),
        (lambda: planar.fit_fourier(points_of(planar.Circle(1.0), 100, 0.0, RNG, gap=2.0), 3), "got a gap of"),
        (lambda: planar.fit_fourier(points_of(planar.Circle(1.0), 30, 0.0, RNG), 20), "at least 41"),
        (lambda: planar.shape_from_curve("cos(t)", "t"), "closed curve"),
        (lambda: planar.shape_from_curve("cos(t)", "-sin(t)"), "runs clockwise"),
        (
            lambda: planar.shape_from_curve("(1 + 0.5*cos(3*t))*cos(t)", "(1 + 0.5*cos(3*t))*sin(t)"),
            "not strictly convex",
        ),
        (lambda: planar.shape_from_implicit("x**2 + y**2 + 1"), "negative at the origin"),
        (lambda: planar.shape_from_implicit("x**2 - y**2 - 1"), "positive far from the origin"),
    ],
)
def test_bad_input(call, sentence):
    pytest.importorskip("sympy")
    with pytest.raises(ValueError, match=sentence):
        call()
