"""Bodies from formulas of surfaces with infinite curvature: at planes, at tips, beside values of a parameter."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from surface_oracle import power_sum

pytest.importorskip("sympy")


def directions(rng, count):
    """Unit vectors at random, next to coordinate planes and axes, and in them."""
    n = rng.normal(size=(6, count, 3))
    for axis in range(3):
        n[1 + axis, :, axis] *= 10.0 ** rng.uniform(-14, -1, count)
    n[4] *= 10.0 ** rng.uniform(-14, 0, (count, 3))
    n[5] *= rng.permuted(np.tile([0.0, 1.0, 1.0], (count, 1)), axis=1)
    n[5, ::2] = np.eye(3)[rng.integers(0, 3, len(n[5, ::2]))]
    n = n.reshape(-1, 3)
    return n / np.linalg.norm(n, axis=1)[:, None]


def agrees(body, exact, n, tolerance=1e-12):
    """Support, point and curvature; a radius of curvature multiplies errors of the normal."""
    found, wanted = body.jet(n), exact.jet(n)
    size, radius = float(np.asarray(exact.bounding_radius)), np.abs(wanted.hessian).max(axis=(-2, -1))
    assert np.abs(found.support - wanted.support).max() < 1e-14 * size
    assert (np.abs(found.point - wanted.point).max(axis=-1) < tolerance * size + 1e-15 * radius).all()
    # In a plane of symmetry the radius is 0 or infinite; both classes return that of another normal beside it.
    beside = (np.abs(n).min(axis=1) > 1e-16) & (radius < 1e8 * size)
    error = np.abs(found.hessian - wanted.hessian).max(axis=(-2, -1))
    assert (error < 1e-4 * (size + radius))[beside].all()


def random_exponents(rng, low=1.05, high=4.0):
    return np.where(rng.random(3) < 0.7, rng.uniform(low, 2.0, 3), rng.uniform(2.0, high, 3)).round(3)


def sum_of_powers(radii, exponents, check):
    given = dict(zip(("a", "b", "c", "p", "q", "r"), map(float, (*radii, *exponents))))
    return tg.from_implicit("(Abs(x)/a)**p + (Abs(y)/b)**q + (Abs(z)/c)**r - 1", check=check, **given)


def powers(seed, count=15, check=False):
    rng = np.random.default_rng(seed)
    radii, exponents = rng.uniform(0.5, 3.0, 3).round(3), random_exponents(rng)
    body, n = sum_of_powers(radii, exponents, check), directions(rng, count)
    agrees(body, tg.PowerEllipsoid(radii, exponents), n)
    for m in n[:: max(1, len(n) // 12)]:
        support, point = power_sum(radii, exponents, m)
        assert float(body.support(m)) == pytest.approx(support, rel=1e-14)
        radius = np.abs(body.hessian(m)).max()
        assert np.abs(body.point(m) - point).max() < 1e-12 * radii.max() + 1e-15 * radius


# Newton's method with whole steps left the planes of both.
@pytest.mark.parametrize(
    ("radii", "exponents"), [([3.0, 2.0, 1.0], [1.4, 2.0, 2.0]), ([1.0, 1.0, 1.0], [1.2, 1.2, 1.2])]
)
def test_bodies_that_were_refused(radii, exponents):
    body = sum_of_powers(radii, exponents, True)
    agrees(body, tg.PowerEllipsoid(radii, exponents), directions(np.random.default_rng(1), 40))


@pytest.mark.parametrize("seed", range(30, 36))
def test_sums_of_powers_at_random(seed):
    powers(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_sums_of_powers(seed):
    powers(seed, 40, check=seed % 4 == 0)


def superellipsoid(seed, count):
    rng = np.random.default_rng(seed)
    radii, (e1, e2) = rng.uniform(0.5, 3.0, 3), map(float, rng.uniform(0.4, 1.85, 2))
    formula = "((Abs(x)/a)**(2/e2) + (Abs(y)/b)**(2/e2))**(e2/e1) + (Abs(z)/c)**(2/e1) - 1"
    body = tg.from_implicit(formula, check=False, a=radii[0], b=radii[1], c=radii[2], e1=e1, e2=e2)
    agrees(body, tg.Superellipsoid(radii, (e1, e2)), directions(rng, count))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(40))
def test_superellipsoids_at_random(seed):
    superellipsoid(seed, 60)


def spindle(seed):
    """A body of revolution with a tip at which the normal is that of a smooth body, and all curvatures are infinite."""
    rng = np.random.default_rng(seed)
    p, g, a, c = rng.uniform(1.05, 2.0), rng.uniform(1.05, 3.0), *rng.uniform(0.5, 3.0, 2)
    body = tg.from_implicit("((x**2 + y**2)/a**2)**(p/2) + Abs(z/c)**g - 1", check=False, p=p, g=g, a=a, c=c)
    for n in directions(rng, 8):
        wide = math.hypot(n[0], n[1])
        support, (r, z) = power_sum([a, c], [p, g], [wide, n[2]])
        x, y = (r * n[0] / wide, r * n[1] / wide) if wide else (0.0, 0.0)
        found = body.jet(n)
        assert found.support == pytest.approx(support, rel=1e-14)
        assert np.abs(found.point - [x, y, z]).max() < 1e-12 * max(a, c) + 1e-15 * np.abs(found.hessian).max()


def test_a_tip_of_revolution():
    spindle(0)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 30))
def test_tips_of_revolution(seed):
    spindle(seed)


def turned(seed, check=False):
    """Sharp across planes whose distance has no more digits than the point, beside a centre that is not the origin."""
    rng = np.random.default_rng(seed)
    axes, place = Rotation.random(rng=rng).as_matrix(), rng.uniform(-5, 5, 3).round(2)
    radii, exponents = rng.uniform(0.5, 3.0, 3).round(3), random_exponents(rng, 1.2, 3.0)
    forms = [
        "(" + " + ".join(f"({float(k)!r})*({v} - ({c}))" for k, v, c in zip(column, "xyz", place)) + ")"
        for column in axes.T
    ]
    terms = (f"Abs({form}/{a})**{g}" for form, a, g in zip(forms, radii, exponents))
    body = tg.from_implicit(" + ".join(terms) + " - 1", centre=place, check=check)
    local = directions(rng, 15)
    n, size = local @ axes.T, float(np.linalg.norm(place) + radii.max())
    exact = tg.PowerEllipsoid(radii, exponents).affine(axes, place)
    found, wanted = body.jet(n), exact.jet(n)
    radius = np.abs(wanted.hessian).max(axis=(-2, -1))
    assert np.abs(found.support - wanted.support).max() < 1e-14 * size
    assert (np.abs(found.point - wanted.point).max(axis=-1) < 1e-11 * size + 1e-14 * radius).all()


@pytest.mark.full
@pytest.mark.parametrize("seed", range(30))
def test_turned_and_moved_bodies(seed):
    turned(seed, check=seed % 5 == 0)


def profile(seed, check=False):
    """The curve |r/a|^q + |z/c|^p = 1, with z = c (u - s), revolved; its curvature is infinite at u = s."""
    rng = np.random.default_rng(seed)
    a, c, p, s = *rng.uniform(0.5, 3.0, 2), rng.uniform(1.05, 1.95), 0.3 if seed > 2 else 0.0
    r = f"a*sqrt(1 - Abs(u - {s})**p)"
    x, given = (f"{r}*cos(v)", f"{r}*sin(v)", f"c*(u - {s})"), {"a": a, "c": c, "p": p}
    body = tg.from_parametric(x, u=(s - 1.0, s + 1.0), check=check, **given)
    n = directions(rng, 12)
    for m in n[np.abs(n[:, 2]) < 0.8]:  # at the ends of u the formula cancels
        wide = math.hypot(m[0], m[1])
        support, (r, z) = power_sum([a, c], [2.0, p], [wide, m[2]])
        found = body.jet(m)
        assert found.support == pytest.approx(support, rel=1e-14)
        assert np.abs(found.point - [r * m[0] / wide, r * m[1] / wide, z]).max() < 1e-13 * max(a, c)


@pytest.mark.parametrize("seed", range(3))
def test_a_parametric_surface_with_infinite_curvature(seed):
    profile(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(3, 40))
def test_parametric_surfaces_with_infinite_curvature(seed):
    profile(seed)


@pytest.mark.parametrize(
    "text",
    ["Max(x**2 + y**2 + z**2 - 1, z - 0.5)", pytest.param("sqrt(x**2 + y**2) + z**2 - 1", marks=pytest.mark.full)],
)
def test_edges_and_tips_with_many_normals_are_refused(text):
    with pytest.raises(tg.ShapeError, match="F must have a point for every normal, but none was found at n = "):
        tg.from_implicit(text)
