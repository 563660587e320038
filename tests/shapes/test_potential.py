"""The generating potential of Römer 3-D: shapes from it, and the paper's formulas read out of shapes."""

import math

import numpy as np
import pytest
import sympy

import tangency as tg
from families import FAMILIES, POTENTIAL, normals
from tangency.shapes.formulas.potential import CAP, _caps, _potential_class
from tangency.shapes.formulas.support import parse, with_values
from tangency.shapes.shape import ShapeError

ELLIPSOID = "sqrt(a**2*sin(phi)**2*cos(theta)**2 + b**2*sin(phi)**2*sin(theta)**2 + c**2*cos(phi)**2)"  # Eq. (51)
RADII = {"a": 3.0, "b": 2.0, "c": 1.5}


def close(shape, other, n, tolerance=1e-13):
    for got, expected in zip(shape.jet(n), other.jet(n)):
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def around_the_poles():
    rng = np.random.default_rng(0)
    n = normals(rng, 400)
    n[:, :2] *= 10.0 ** rng.uniform(-12, 0, (400, 1))
    return np.concatenate([n, [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, -1, 0]]])


@pytest.mark.parametrize(
    "text",
    [
        ELLIPSOID,
        "sqrt(sin(phi)**2*(a**2*cos(theta)**2 + b**2*sin(theta)**2) + c**2*cos(phi)**2)",
        "sqrt((1 - cos(2*phi))/2*(a**2*(1 + cos(2*theta))/2 + b**2*sin(theta)**2) + c**2*cos(phi)**2)",
    ],
)
def test_ellipsoid_has_no_poles(text):
    close(tg.from_potential(text, **RADII), tg.Ellipsoid([3, 2, 1.5]), around_the_poles())


@pytest.mark.parametrize(
    "text",
    [pytest.param(ELLIPSOID, marks=pytest.mark.full), ELLIPSOID.replace("sin(phi)**2", "(1 - cos(2*phi))/2")],
)
def test_expansion_around_the_poles(text):
    """The same ellipsoid in spherical coordinates, also where sin(phi)^2 is hidden in a difference."""
    values = {name: np.array(value) for name, value in RADII.items()}
    cls = _potential_class(parse(text, "g", ("phi", "theta"), RADII), (*RADII, CAP))
    caps = _caps(cls, values)
    assert caps == 0.02
    shape, n = with_values(cls, {**values, CAP: caps}), around_the_poles()
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    other = tg.Ellipsoid([3, 2, 1.5])
    np.testing.assert_allclose(shape.support(n), other.support(n), rtol=1e-14)
    np.testing.assert_allclose(shape.point(n), other.point(n), atol=1e-13)
    np.testing.assert_allclose(shape.hessian(n), other.hessian(n), atol=1e-11)


def test_functions_with_derivatives():
    shape = tg.from_potential(*POTENTIAL, a=2.0, b=0.1)
    length = "sqrt(nx**2 + ny**2 + nz**2)"
    same = tg.from_support(f"a*{length} + b*(nx**2 - ny**2)/{length}", a=2.0, b=0.1)
    close(shape, same, around_the_poles(), 1e-10)


def test_superellipsoid_formula():
    """Eq. (52), away from the coordinate planes."""
    text = (
        "(((a*sin(phi)*cos(theta))**2)**(d/(2*(d-1))) + ((b*sin(phi)*sin(theta))**2)**(d/(2*(d-1))))"
        "**(e*(d-1)/(d*(e-1))) + ((c*cos(phi))**2)**(e/(2*(e-1)))"
    )
    values = {"a": 3, "b": 2, "c": 1, "d": 3.0, "e": 2.5}
    with pytest.raises(ShapeError, match=r"give no number at n = \(1.0, 0.0, 0.0\)"):
        tg.from_potential(f"({text})**((e-1)/e)", **values)
    shape = tg.from_potential(f"({text})**((e-1)/e)", check=False, **values)
    other = tg.Superellipsoid.from_exponents([3, 2, 1], [2.5, 3.0])
    close(shape, other, normals(np.random.default_rng(1), 200), 1e-11)


def test_sympy_expressions_and_stacks():
    nx, ny, nz, a = sympy.symbols("nx ny nz a", positive=True)  # other assumptions do not matter
    shape = tg.from_support(sympy.sqrt(a**2 * nx**2 + ny**2 + nz**2), a=[1.0, 2.0, 3.0])
    assert shape.support([1, 0, 0]).tolist() == [1.0, 2.0, 3.0]
    close(shape[1], tg.Ellipsoid([2, 1, 1]), normals(np.random.default_rng(2), 100))


def test_one_expression_compiles_once():
    shapes = [tg.from_support("sqrt(nx**2 + ny**2 + nz**2)*r", r=r) for r in (1.0, 2.0)]
    assert type(shapes[0]) is type(shapes[1])


def test_support_of_unit_vectors_is_extended():
    n = normals(np.random.default_rng(3), 50)
    close(tg.from_support("2 + nz/10"), tg.Sphere(2.0).translate([0, 0, 0.1]), n)


def test_kinks():
    """|nz| and max(nz, 0): their second derivatives are zero but for the kink."""
    n = normals(np.random.default_rng(4), 100)
    close(tg.from_support("sqrt(nx**2 + ny**2 + nz**2) + 2*Abs(nz)"), tg.capsule(1.0, 2.0), n)
    assert float(tg.from_support("Max(nx, ny, 2*nz) + Abs(nz)").kernel_at().jet((0.0, 0.0, 1.0))[0]) == 3.0


@pytest.mark.parametrize("name", ["ellipsoid", "superellipsoid round", "affine ellipsoid", "user's egg"])
def test_spherical_form_is_that_of_the_paper(name):
    shape = FAMILIES[name].make(np.random.default_rng(5), ())
    rng = np.random.default_rng(6)
    phi, theta = rng.uniform(0.2, np.pi - 0.2, 50), rng.uniform(-np.pi, np.pi, 50)
    got = tg.spherical(shape, phi, theta)
    s = np.sin(phi)
    frame = np.stack([got.e_phi, got.e_theta, got.e_n], axis=1)  # Eq. (14)
    np.testing.assert_allclose(frame @ np.swapaxes(frame, 1, 2), np.tile(np.eye(3), (50, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(got.potential, tg.potential(shape, phi, theta))
    # Eq. (16) with differences of the potential
    d = 1e-6
    g_phi = (tg.potential(shape, phi + d, theta) - tg.potential(shape, phi - d, theta)) / (2 * d)
    g_theta = (tg.potential(shape, phi, theta + d) - tg.potential(shape, phi, theta - d)) / (2 * d)
    np.testing.assert_allclose(got.potential_phi, g_phi, atol=1e-7)
    np.testing.assert_allclose(got.potential_theta, g_theta, atol=1e-7)
    point = (
        got.potential_phi[:, None] * got.e_phi
        + (got.potential_theta / s)[:, None] * got.e_theta
        + got.potential[:, None] * got.e_n
    )
    np.testing.assert_allclose(got.point, point, atol=1e-12)
    # Eq. (21c): e = g + d2g/dphi2, from the first derivative
    after, before = tg.spherical(shape, phi + d, theta), tg.spherical(shape, phi - d, theta)
    e = got.potential + (after.potential_phi - before.potential_phi) / (2 * d)
    np.testing.assert_allclose(got.e, e, rtol=1e-4, atol=1e-6)
    # Eqs. (26) and (27), third lines
    e, f, g = got.e, got.f, got.g
    root = np.sqrt((s**2 * e - g) ** 2 + 4 * s**2 * f**2)
    kappa = np.stack([s**2 * e + g + root, s**2 * e + g - root], axis=-1) / (2 * (e * g - f * f))[:, None]
    np.testing.assert_allclose(got.curvature.values, kappa, rtol=1e-9)
    for k in range(2):
        along, across = s * f, g - (e * g - f * f) * kappa[:, k]
        c = along[:, None] * got.e_phi + across[:, None] * got.e_theta
        parallel = np.abs((c * got.curvature.directions[:, k]).sum(axis=1)) / (np.linalg.norm(c, axis=1) + 1e-300)
        generic = (np.abs(kappa[:, 0] / kappa[:, 1] - 1) > 1e-3) & (np.abs(f) > 1e-6)
        np.testing.assert_allclose(parallel[generic], 1.0, atol=1e-6)
    plain = shape.curvature(got.e_n)
    np.testing.assert_allclose(plain.values, got.curvature.values, rtol=1e-9)


def test_spherical_form_at_the_poles():
    """Eqs. (16) and (18) at phi = 0 and pi, for every azimuth."""
    shape = tg.Ellipsoid([3, 2, 1]).affine([[1, 0.2, 0], [0, 1, 0.1], [0.3, 0, 1]], [0.1, 0.2, 0.3])
    theta = np.linspace(0, 6, 7)
    for phi in (0.0, np.pi):
        got = tg.spherical(shape, phi, theta)
        np.testing.assert_allclose(got.point, np.tile(shape.point([0, 0, math.cos(phi)]), (7, 1)), atol=1e-14)
        # second line of Eq. (16): the mixed derivative, by differences along theta of g_phi
        d = 1e-6
        after, before = tg.spherical(shape, phi, theta + d), tg.spherical(shape, phi, theta - d)
        mixed = (after.potential_phi - before.potential_phi) / (2 * d)
        point = (
            got.potential_phi[:, None] * got.e_phi
            + (mixed / math.cos(phi))[:, None] * got.e_theta
            + got.potential[:, None] * got.e_n
        )
        np.testing.assert_allclose(got.point, point, atol=1e-8)
        # Eq. (18): e(theta) = R1 cos^2(theta + theta_0) + R2 sin^2(theta + theta_0), so the first principal
        # direction has the azimuth -theta_0: Eqs. (27) and (44) print its sign the other way round.
        c = got.curvature
        first = c.directions[:, 0, :2]
        azimuth = np.arctan2(first[:, 1], first[:, 0])
        turn = theta - azimuth
        euler = c.radii[:, 0] * np.cos(turn) ** 2 + c.radii[:, 1] * np.sin(turn) ** 2
        np.testing.assert_allclose(got.e, euler, rtol=1e-12)
        assert np.ptp(c.values, axis=0).max() < 1e-13
        assert np.abs(got.f).max() < 1e-15


def test_umbilic():
    """Where the misprinted Eq. (32) says 1/(2e)."""
    got = tg.spherical(tg.Sphere(2.0), 1.0, 0.5)
    np.testing.assert_allclose(got.curvature.values, 1 / got.e, rtol=1e-14)
    assert float(got.f) == pytest.approx(0, abs=1e-15)
    assert float(got.g) == pytest.approx(math.sin(1.0) ** 2 * float(got.e))


def test_change_of_reference_point():
    """Eq. (47): r_BA = -v moves the body by v."""
    shape, v = tg.Ellipsoid([3, 2, 1]), np.array([0.3, -0.2, 0.5])
    phi, theta = 0.7, 2.1
    n = np.array([math.sin(phi) * math.cos(theta), math.sin(phi) * math.sin(theta), math.cos(phi)])
    moved = tg.potential(shape, phi, theta) + n @ v
    assert float(tg.potential(shape.translate(v), phi, theta)) == pytest.approx(float(moved))


def test_smallest_offset():
    """Eq. (50): the printed radicand lacks a term; with it the limit is the smallest principal radius."""
    shape = tg.Ellipsoid([3, 2, 1])
    phi, theta = np.meshgrid(np.linspace(0.01, np.pi - 0.01, 200), np.linspace(0, np.pi, 201))
    got = tg.spherical(shape, phi, theta)
    s2, e, f, g = np.sin(phi) ** 2, got.e, got.f, got.g
    right = (np.sqrt((s2 * e - g) ** 2 + 4 * s2 * f**2) - (s2 * e + g)) / (2 * s2)
    printed = (np.sqrt(np.maximum((s2 * e + g) ** 2 - 4 * s2 * f**2, 0)) - (s2 * e + g)) / (2 * s2)
    assert float(tg.offset_limit(shape)) == pytest.approx(-1 / 3, rel=1e-12)
    assert right.max() == pytest.approx(-1 / 3, rel=1e-3)
    assert printed.max() > -1e-6
    stack = tg.Ellipsoid([[3, 2, 1], [1, 1, 1], [10, 1, 1]])
    np.testing.assert_allclose(tg.offset_limit(stack), [-1 / 3, -1, -0.1], rtol=1e-9)
    assert tg.offset_limit(tg.Box([1, 2, 3])) == 0


@pytest.mark.parametrize(
    ("shape", "order", "strict"),
    [
        (tg.Sphere(1.0), "G2", True),
        (tg.Ellipsoid([3, 2, 1]), "G2", True),
        (tg.Ellipsoid([3, 2, 1]).offset(-0.3), "G2", True),
        (tg.Superellipsoid([1, 1, 1], (0.5, 0.5)), "G2", True),
        (tg.PowerEllipsoid([1, 2, 3], [2, 2, 4]), "G2", True),
        (tg.Superellipsoid([1, 1, 1], (1.5, 1.5)), "G1", True),
        (tg.capsule(1.0, 2.0), "G1", False),
        (tg.rounded_box([1, 2, 3], 0.2), "G1", False),
        (tg.Ellipsoid([3, 2, 1]) + tg.Segment(0.1), "G1", False),
        (tg.from_support("sqrt(nx**2 + ny**2 + nz**2) + Max(nz, 0)**2/4/sqrt(nx**2 + ny**2 + nz**2)"), "G1", True),
        (tg.Box([1, 2, 3]), "G0", False),
        (tg.Hull(normals(np.random.default_rng(0), 30)), "G0", False),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_continuity(shape, order, strict):
    report = tg.continuity(shape)
    assert (report.order, report.strictly_convex) == (order, strict)
    assert order in str(report)
    assert report.smallest_radius <= report.largest_radius
    radii = shape.curvature(normals(np.random.default_rng(7), 2000)).radii
    assert report.smallest_radius <= radii.min() + 1e-9
    assert report.largest_radius >= radii.max() * (1 - 1e-9)


def test_continuity_extremes():
    report = tg.continuity(tg.Ellipsoid([3, 2, 1]))
    assert report.smallest_radius == pytest.approx(1 / 3, rel=1e-12)
    assert report.largest_radius == pytest.approx(9.0, rel=1e-12)
    np.testing.assert_allclose(np.abs(report.smallest_normal), [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(np.abs(report.largest_normal), [0, 0, 1], atol=1e-6)
    with pytest.raises(ValueError, match="single body"):
        tg.continuity(tg.Sphere([1.0, 2.0]))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: tg.from_support("nx + q"), TypeError, "h contains q.*pass q=..."),
        (lambda: tg.from_support("nx +"), ValueError, "h must be a SymPy expression.*'nx +"),
        (lambda: tg.from_support("nx", a=1), TypeError, "does not contain a"),
        (lambda: tg.from_support("zeta(nx) + nz"), TypeError, "zeta"),
        (lambda: tg.from_support([1, 2]), TypeError, "h must be"),
        (lambda: tg.from_potential("phi*r"), TypeError, "g contains r"),
        (lambda: tg.from_potential(math.hypot), TypeError, "g_phi.*must be functions"),
        (lambda: tg.from_potential("2", math.sin), TypeError, "pass no derivatives"),
        (lambda: tg.from_potential(*POTENTIAL, a=1.0), TypeError, "takes b"),
        (lambda: tg.from_support("r*sqrt(nx**2 + ny**2 + nz**2)", r="x"), TypeError, "r must be a number"),
        (lambda: tg.potential(tg.Sphere(1), 4.0, 0.0), ValueError, "phi must lie between 0 and pi, got 4"),
    ],
)
def test_bad_input(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
