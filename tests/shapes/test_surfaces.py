"""Bodies from implicit and parametric surfaces against closed forms."""

import math
import pickle

import numpy as np
import pytest

import tangency as tg
from tangency.fitting import fitted_scene, shape_from_parameters
from tangency.fitting.spline_model import directions

pytest.importorskip("sympy")
RNG = np.random.default_rng(0)
N = RNG.normal(size=(300, 3))
ELLIPSOID = "(x/a)**2 + (y/b)**2 + z**2 - 1"  # compiled once for several tests
AXES = np.concatenate([np.eye(3), -np.eye(3)])


def agree(shape, exact, n, tolerance):
    found, wanted = shape.jet(n), exact.jet(n)
    assert np.abs(found.support - wanted.support).max() < tolerance
    assert np.abs(found.point - wanted.point).max() < tolerance
    size = np.abs(wanted.hessian).max(axis=(-2, -1))
    assert (np.abs(found.hessian - wanted.hessian).max(axis=(-2, -1)) < tolerance * (1.0 + size)).all()


def test_an_ellipsoid_from_its_equation():
    body = tg.from_implicit(ELLIPSOID, a=3, b=2)
    exact = tg.Ellipsoid([3, 2, 1])
    agree(body, exact, N, 1e-12)
    agree(body, exact, AXES, 1e-10)
    slopes, wanted = body.parameter_jet(N), exact.parameter_jet(N)
    assert np.abs(slopes.support - wanted.support[..., :2]).max() < 1e-12
    assert np.abs(slopes.point - wanted.point[..., :2, :]).max() < 1e-11
    assert np.array_equal(pickle.loads(pickle.dumps(body)).support(N), body.support(N))
    moved = tg.from_implicit("1 - ((x - 5)/3)**2 - y**2/4 - z**2", centre=[5.5, 0, 0])  # positive inside, elsewhere
    agree(moved, tg.Ellipsoid([3, 2, 1]).translate([5, 0, 0]), N, 1e-12)


def test_a_superellipsoid_from_its_equation():
    formula = "((Abs(x)/3)**(2/e2) + (Abs(y)/2)**(2/e2))**(e2/e1) + Abs(z)**(2/e1) - 1"
    body = tg.from_implicit(formula, e1=1.2, e2=0.8)
    agree(body, tg.Superellipsoid([3, 2, 1], (1.2, 0.8)), N, 1e-10)


def test_an_ellipsoid_from_its_parameters():
    body = tg.from_parametric(("a*sin(u)*cos(v)", "2*sin(u)*sin(v)", "cos(u)"), u=(0, math.pi), a=3)
    exact = tg.Ellipsoid([3, 2, 1])
    agree(body, exact, N, 1e-10)
    # Exact points at the poles, where the parameters are singular; the curvature by differences
    found = body.jet(AXES)
    assert np.abs(found.support - exact.support(AXES)).max() < 1e-12
    assert np.abs(found.point - exact.point(AXES)).max() < 1e-7
    assert np.abs(found.hessian - exact.hessian(AXES)).max() < 1e-6


@pytest.mark.full  # docs/fitting.md shows such a body
def test_a_bezier_of_revolution():
    # A quarter of a profile as a rational Bezier curve is exactly an ellipse; a cubic one is checked by its own points
    t = "u"
    r = f"3*{t}*(1 - {t})**2*1.0 + 3*{t}**2*(1 - {t})*1.0"
    z = f"-(1 - {t})**3 - 3*{t}*(1 - {t})**2*1.0 + 3*{t}**2*(1 - {t})*1.2 + {t}**3*1.2"
    body = tg.from_parametric((f"({r})*cos(v)", f"({r})*sin(v)", z), u=(0, 1))
    u = np.linspace(0.05, 0.95, 60)
    radius, height = 3 * u * (1 - u), -((1 - u) ** 3) - 3 * u * (1 - u) ** 2 + 3.6 * u**2 * (1 - u) + 1.2 * u**3
    dr = 3 - 6 * u
    dz = 3 * (1 - u) ** 2 - 3 * (1 - u) ** 2 + 6 * u * (1 - u) + 7.2 * u * (1 - u) - 3.6 * u**2 + 3.6 * u**2
    normal = np.column_stack([dz, np.zeros_like(u), -dr]) / np.hypot(dr, dz)[:, None]
    points = np.column_stack([radius, np.zeros_like(u), height])
    found = body.jet(normal)
    assert np.abs(found.point - points).max() < 1e-10
    assert np.abs(found.support - (points * normal).sum(axis=1)).max() < 1e-12


def test_contact_and_fit_with_such_a_body():
    body = tg.from_implicit(ELLIPSOID, a=3, b=2)
    plane = tg.contact(body, tg.HalfSpace([0, 0, 1], -2.0))
    assert float(plane.distance) == pytest.approx(1.0, abs=1e-12)
    points = tg.Ellipsoid([2.5, 1.5, 1.0]).point(RNG.normal(size=(60, 3)))
    found = tg.fit(points, body)
    assert sorted(np.abs(found.values[:2])) == pytest.approx([1.5, 2.5], abs=1e-7)  # the formula has a**2 and b**2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: tg.from_implicit("x**2 + y**2 - 1"), "must describe a bounded body"),
        (lambda: tg.from_implicit("x**2 + y**2 + z**2 - 1", centre=[1, 0, 0]), "nonzero at the centre"),
        (lambda: tg.from_implicit("(x - 5)**2 + y**2 + z**2 - 1"), "pass a centre inside it"),
        (lambda: tg.from_implicit("x**2 + y**2 + z**2 - 1 + w"), "pass w=..."),
        (lambda: tg.from_implicit("x**4 + y**4 + z**2 - x**2*1.5 - 1"), "must describe a convex body"),
        (lambda: tg.from_parametric(("cos(v)", "sin(v)", "u"), u=(0, 1)), "open rim"),
        (lambda: tg.from_parametric(("cos(v)", "sin(v)"), u=(0, 1)), "three expressions"),
        (lambda: tg.from_parametric(("sin(u)*cos(v)", "sin(u)*sin(v)", "cos(u)"), u=(1, 0)), "low < high"),
    ],
)
def test_mistakes(make, says):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert says in str(error.value)


def test_potentials_from_points_and_meshes():
    exact = tg.Ellipsoid([1.2, 1.0, 0.9])
    points = exact.point(N)
    for body in (tg.from_points(points, degree=8), tg.from_points(points, cells=4)):
        assert np.abs(body.support(N) - exact.support(N)).max() < 3e-3 * np.linalg.norm(N, axis=1).max()
    with pytest.raises(ValueError, match="either degree or cells"):
        tg.from_points(points, degree=3, cells=3)


def test_a_harmonic_potential_as_a_model():
    exact = tg.HarmonicShape.from_shape(tg.Ovoid([2, 2.2, 2.5], [1, 0.1, 0, 0], [1, 0.1, 0, 0]), 6)
    points = exact.point(RNG.normal(size=(400, 3))) + RNG.normal(0, 0.002, (400, 3))
    choice = tg.select_model(points, ["ellipsoid", "harmonic"])
    assert choice.recommended == "harmonic"
    found = choice.best
    assert isinstance(found.shape, tg.HarmonicShape)
    assert found.rms < 0.0025
    assert np.array_equal(tg.signed_distance(found.shape, points, found.pose).distance, found.residuals)


def test_a_spline_potential_as_a_model():
    rng = np.random.default_rng(2)
    n = directions()
    x, y, z = n.T  # equal at the ends of the axes: the origin is the middle of the bounding box
    height = 1.0 + 0.15 * x**2 + 0.05 * x * y * z + 0.04 * y**2 * z**2
    names = ("px", "mx", "py", "my", "pz", "mz", *(f"s{k}" for k in range(7, len(n) + 1)))
    exact = shape_from_parameters("spline", dict(zip(names, height)))
    assert np.abs(exact.support(n) - height).max() < 1e-9  # the parameters are support values
    assert tg.check(exact).ok
    points = 30.0 * exact.point(rng.normal(size=(500, 3))) + rng.normal(0, 0.02, (500, 3)) + [5.0, -3.0, 2.0]
    found = tg.fit(points, "spline")
    assert found.status.name == "CONVERGED", found.message
    assert isinstance(found.shape, tg.SplineShape)
    assert found.rms == pytest.approx(0.02 * math.sqrt(1 - 66 / 500), rel=0.15)
    # The same body; its own axes are those of the cloud.
    inside = n @ found.pose.rotation.as_matrix()
    support = found.shape.support(inside) + n @ (found.pose.translation - [5.0, -3.0, 2.0])
    assert np.abs(support - 30.0 * height).max() < 0.03
    assert np.array_equal(tg.signed_distance(found.shape, points, found.pose).distance, found.residuals)
    text = fitted_scene(found, "lump", unit=1e-3)
    assert 'shape = "spline_shape"' in text
    assert tg.select_model(points, ["sphere", "spline"], folds=2).recommended == "spline"
