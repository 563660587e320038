"""Bodies from formulas of surfaces that are flat at points or along curves; concave ones are refused."""

import math
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg

pytest.importorskip("sympy")
AXES = np.concatenate([np.eye(3), -np.eye(3)])
PLANES = np.concatenate(
    [np.roll([[math.cos(a), math.sin(a), 0.0] for a in (0.3, 1.2, 2.5, 4.0)], k, 1) for k in range(3)]
)


def power_formula(radii, exponents, axes=None):
    """|x/a|^g1 + |y/b|^g2 + |z/c|^g3 - 1 as a polynomial, in axes that are the columns of a matrix."""
    names = ("x", "y", "z")
    if axes is not None:
        names = tuple(
            "(" + " + ".join(f"({float(v)!r})*{name}" for v, name in zip(column, names)) + ")" for column in axes.T
        )
    return " + ".join(f"({name}/{r!r})**{g}" for name, r, g in zip(names, radii, exponents)) + " - 1"


def agrees(body, exact, n, tolerance=1e-10):
    """Support, point and curvature; a radius of curvature multiplies errors of the normal."""
    found, wanted = body.jet(n), exact.jet(n)
    size = float(np.asarray(exact.bounding_radius))
    assert np.abs(found.support - wanted.support).max() < 1e-12 * size
    radius = np.abs(wanted.hessian).max(axis=(-2, -1))
    assert (np.abs(found.point - wanted.point).max(axis=-1) < tolerance * (size + 1e-3 * radius)).all()
    assert (np.abs(found.hessian - wanted.hessian).max(axis=(-2, -1)) < 10 * tolerance * (size + radius)).all()


def test_zero_curvature_along_a_plane():
    body = tg.from_implicit("(x/3)**4 + (y/2)**2 + z**2 - 1")
    exact = tg.PowerEllipsoid([3, 2, 1], [4, 2, 2])
    n = np.random.default_rng(0).normal(size=(300, 3))
    agrees(body, exact, n)
    near = n[:60] * [1e-4, 1.0, 1.0]  # close to the flat plane
    agrees(body, exact, near)
    # On the flat plane itself the radius of curvature is infinite; point and support are exact.
    flat = np.concatenate([AXES, PLANES])
    assert np.abs(body.point(flat) - exact.point(flat)).max() < 1e-10
    assert np.abs(body.support(flat) - exact.support(flat)).max() < 1e-14
    assert tg.check(body).ok
    c = tg.contact(body, tg.Sphere(0.5), pose_b=(None, [0.1, 3.0, 0.2]))
    d = tg.contact(exact, tg.Sphere(0.5), pose_b=(None, [0.1, 3.0, 0.2]))
    assert c.lower <= d.distance + 1e-12
    assert float(c.distance) == pytest.approx(float(d.distance), abs=1e-11)


def random_powers(rng):
    radii = [float(f"{r:.3g}") for r in rng.uniform(0.5, 3.0, 3)]
    return radii, [int(g) for g in rng.choice([2, 4, 6, 8], 3)]


def even_powers(seed):
    rng = np.random.default_rng(seed)
    radii, exponents = random_powers(rng)
    n = rng.normal(size=(100, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    exact = tg.PowerEllipsoid(radii, exponents)
    if seed % 2:
        axes = Rotation.random(rng=rng).as_matrix()
        body = tg.from_implicit(power_formula(radii, exponents, axes))
        # Flat places beside the coordinate planes: points lose digits like the cube root (or higher) of rounding.
        clear = np.abs(n @ axes).min(axis=1) > 0.02
        agrees(body, exact.affine(axes), n[clear], 1e-9)
        assert np.abs(body.support(n) - exact.affine(axes).support(n)).max() < 1e-12 * max(radii)
    else:
        body = tg.from_implicit(power_formula(radii, exponents))
        agrees(body, exact, n)
        assert np.abs(body.support(PLANES) - exact.support(PLANES)).max() < 1e-12 * max(radii)


# Of 141, Newton's method with whole steps missed the point of 2 % of all n.
@pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.full), 141])
def test_even_powers_at_random(seed):
    even_powers(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 180))
def test_many_even_powers(seed):
    even_powers(seed)


@pytest.mark.full
def test_flat_planes_at_45_degrees():
    # x^4 + 6 x^2 y^2 + y^4 is the mean of (x + y)^4 and (x - y)^4
    body = tg.from_implicit("x**4 + 6*x**2*y**2 + y**4 + z**2 - 1")
    turn = Rotation.from_euler("z", 45, degrees=True).as_matrix()
    exact = tg.PowerEllipsoid([2**-0.25, 2**-0.25, 1.0], [4, 4, 2]).affine(turn)
    n = np.random.default_rng(1).normal(size=(200, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    agrees(body, exact, n[np.abs(n @ turn).min(axis=1) > 0.02], 1e-9)
    assert np.abs(body.support(AXES) - exact.support(AXES)).max() < 1e-13


@pytest.mark.full
def test_a_flat_point_on_a_body_of_revolution():
    body = tg.from_implicit("(x**2 + y**2)**2 + z**2 - 1")
    for r in (1e-3, 0.05, 0.3, 0.8, 0.99):
        z = math.sqrt(1.0 - r**4)
        normal = np.array([4 * r**3 * 0.6, 4 * r**3 * 0.8, 2 * z])
        assert np.abs(body.point(normal) - [0.6 * r, 0.8 * r, z]).max() < 1e-10 / r**2 * 1e-2 + 1e-10
    assert body.point([0, 0, 1]) == pytest.approx([0, 0, 1], abs=1e-10)


@pytest.mark.parametrize("concave", [0.02, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_concave_ones_are_refused_with_the_place(seed, concave):
    rng = np.random.default_rng(seed)
    a, b = (float(f"{v:.3g}") for v in rng.uniform(1.0, 3.0, 2))
    with pytest.raises(tg.ShapeError, match="must describe a convex body, but its surface is concave") as error:
        tg.from_implicit(f"(x/{a})**4 - {concave}*(x/{a})**2 + (y/{b})**2 + z**2 - 1")
    place = [float(v) for v in re.search(r"point \[(.*?)\]", str(error.value))[1].split(",")]
    # F_xx < 0 for |x/a| < sqrt(concave / 6)
    assert abs(place[0] / a) < 1.05 * math.sqrt(concave / 6)
    value = (place[0] / a) ** 4 - concave * (place[0] / a) ** 2 + (place[1] / b) ** 2 + place[2] ** 2 - 1
    assert abs(value) < 1e-5


@pytest.mark.full
def test_mixed_terms_up_to_the_limit():
    for c in (0.0, 3.0, 5.9):
        tg.from_implicit("x**4 + c*x**2*y**2 + y**4 + z**2 - 1", c=c)


def test_a_little_too_much_of_a_mixed_term_is_concave():
    with pytest.raises(tg.ShapeError, match="its surface is concave at the point"):
        tg.from_implicit("x**4 + 6.3*x**2*y**2 + y**4 + z**2 - 1")


def test_a_small_dent_beside_the_axes_is_found():
    # A dent of one twentieth of the size, which the convex hull covers
    dent = "0.006*exp(-((x - 0.8)**2 + (y - 0.48)**2 + (z - 0.36)**2)/0.004)"
    with pytest.raises(tg.ShapeError, match="its surface is concave at the point"):
        tg.from_implicit(f"x**2 + y**2 + z**2 - 1 + {dent}")


def revolved(k, pole):
    """A body of revolution that is flat at the poles, or at the equator, for k = 1/2, and concave for larger k."""
    r, z = ("sin(u)", "cos(u)*(1 + k*sin(u)**2)") if pole else ("sin(u)*(1 + k*cos(u)**2)", "cos(u)")
    return tg.from_parametric((f"{r}*cos(v)", f"{r}*sin(v)", z), u=(0, math.pi), k=k)


@pytest.mark.parametrize("pole", [pytest.param(True, marks=pytest.mark.full), False])
def test_parametric_surfaces_with_flat_places(pole):
    revolved(0.45, pole)
    body = revolved(0.5, pole)
    u = np.linspace(0.02, math.pi - 0.02, 40)
    u = u[np.abs(np.cos(u)) > 0.01]
    s, c = np.sin(u), np.cos(u)
    if pole:
        r, z, normal = s, c * (1 + 0.5 * s**2), np.stack([1.5 * s**3, 0 * s, c], axis=1)
    else:
        r, z, normal = s * (1 + 0.5 * c**2), c, np.stack([s, 0 * s, 1.5 * c**3], axis=1)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    points = np.stack([r, 0 * s, z], axis=1)
    assert np.abs(body.point(normal) - points).max() < 1e-10
    assert np.abs(body.support(normal) - (points * normal).sum(axis=1)).max() < 1e-13
    assert body.support(AXES) == pytest.approx([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], abs=1e-13)


@pytest.mark.parametrize("pole", [True, False])
def test_parametric_surfaces_with_a_dent_are_refused(pole):
    with pytest.raises(tg.ShapeError, match="its surface is concave at the point") as error:
        revolved(0.56, pole)
    place = np.array([float(v) for v in re.search(r"point \[(.*?)\]", str(error.value))[1].split(",")])
    assert (np.hypot(place[0], place[1]) < 0.5) if pole else (abs(place[2]) < 0.5)
