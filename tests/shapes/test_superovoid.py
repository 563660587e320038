"""Tapered bodies: shapes they contain, where convexity fails, contact, volume."""

import numpy as np
import pytest

import tangency as tg
from families import FAMILIES, normals, radii
from manufactured import facing, place, random_gaps, unit
from tangency.geometry.polytope import moments_by_polytopes
from tangency.shapes.taper_convexity import dent, thinnest

FLAT = [1.0, 0.0, 0.0, 0.0]
EGG = [1.0, 0.2, 0.0, 0.0]


def random_superovoids(rng, count):
    """Convex superovoids; thin tips and flat belts among them."""
    drawn = 4 * count + 100
    g = 1.0 + np.exp(rng.uniform(-1.5, 1.8, (drawn, 3)))
    taper = [
        np.concatenate([rng.uniform(0.7, 1, (drawn, 1)), rng.uniform(-0.5, 0.5, (drawn, 3)) * [1, 0.3, 0.3]], axis=1)
        for _ in range(2)
    ]
    tx, ty = taper
    straight = g[:, 2] > 2.0
    tx[straight, 2] = -abs(tx[straight, 2])
    ty[straight, 2] = -abs(ty[straight, 2])
    ty[straight, 1] = (tx[:, 1] / tx[:, 0] * ty[:, 0])[straight]
    positive = (thinnest(tx)[0] > 0.02) & (thinnest(ty)[0] > 0.02)
    kept = np.flatnonzero(positive)
    kept = kept[dent(g[kept], np.ones(len(kept)), tx[kept], ty[kept])[0] > 0][:count]
    assert len(kept) == count
    return tg.Superovoid(radii(rng, (count,), 0.2, 1.0), g[kept], tx[kept], ty[kept])


def surface_normals(rng, shape):
    """Normals at random points of the surface, by differences of the implicit function."""
    ray = unit(rng.normal(size=(*shape.batch_shape, 3)))
    low, high = np.zeros(shape.batch_shape), 1.001 * shape.bounding_radius
    for _ in range(60):
        middle = 0.5 * (low + high)
        inside = shape.implicit(middle[:, None] * ray) < 0
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    x = low[:, None] * ray
    step = 1e-6 * np.diag([1.0, 1.0, 1.0])
    slope = [
        (shape.implicit(x + d * shape.radii) - shape.implicit(x - d * shape.radii)) / shape.radii[:, i]
        for i, d in enumerate(step)
    ]
    return unit(np.stack(slope, axis=-1))


@pytest.mark.parametrize("exponents", [[2, 2, 2], [1.5, 4, 3], [3, 1.2, 8]])
def test_without_taper_it_is_a_power_ellipsoid(exponents):
    n = normals(np.random.default_rng(0), 300)
    for mine, other in zip(
        tg.Superovoid([3, 2, 1], exponents, FLAT, FLAT).jet(n), tg.PowerEllipsoid([3, 2, 1], exponents).jet(n)
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-11)


def test_without_taper_it_is_a_superellipsoid():
    n = normals(np.random.default_rng(1), 300)
    epsilon = [[0.5, 1.5], [1.4, 0.6], [0.2, 0.3]]
    a, b = tg.TaperedSuperellipsoid([3, 2, 1], epsilon), tg.Superellipsoid([3, 2, 1], epsilon)
    for mine, other in zip(a.jet(n[:, None]), b.jet(n[:, None])):
        np.testing.assert_allclose(mine, other, rtol=1e-10)
    assert a.epsilon == pytest.approx(np.array(epsilon))
    np.testing.assert_allclose(a.volume, b.volume, rtol=1e-13)


def test_linear_taper_as_the_benchmark_of_the_field_writes_it():
    """(|x/(a (1 + Tx z/c))|^(2/e2) + ...)^(e2/e1) + |z/c|^(2/e1), term by term."""
    shape = tg.TaperedSuperellipsoid([0.3, 0.2, 0.4], (1.2, 0.7), taper=(0.3, -0.2))
    n = normals(np.random.default_rng(2), 200)
    x, y, z = (shape.point(n) / [0.3, 0.2, 0.4]).T
    e1, e2 = 1.2, 0.7
    inner = abs(x / (1 + 0.3 * z)) ** (2 / e2) + abs(y / (1 - 0.2 * z)) ** (2 / e2)
    np.testing.assert_allclose(inner ** (e2 / e1) + abs(z) ** (2 / e1), 1.0, rtol=1e-12)
    assert shape.taper.tolist() == [0.3, -0.2]


def test_ends_and_axes_are_exact():
    shape = tg.Superovoid([3, 2, 1], [3, 4, 2], EGG, EGG)
    assert shape.point([[0, 0, 1], [0, 0, -1]]).tolist() == [[0, 0, 1], [0, 0, -1]]
    assert float(shape.point([1, 0, 0.3])[1]) == 0.0
    flat = tg.Superovoid([3, 2, 1], [2, 2, 30], FLAT, FLAT)
    np.testing.assert_allclose(flat.point([1, 0, 0]), [3, 0, 0], rtol=1e-15)


@pytest.mark.parametrize(
    ("exponents", "taper_x", "taper_y"),
    [
        ([2, 2, 2], [1, 0, 1.2, 0], FLAT),  # waist at z = 0
        ([2, 2, 4], EGG, FLAT),  # twisted belt on a straight profile
        ([2, 2, 2], [1, 0, -0.5, 0.45], [1, 0, 0, 0]),
        ([2, 2, 1.3], [1, 0.8, 0, 0], [1, 0.8, 0, 0]),  # a thin end
        ([8, 8, 1.5], [1, 0.9, 0, 0], [1, -0.9, 0, 0]),
    ],
)
def test_hollow_bodies_are_rejected_where_they_are_hollow(exponents, taper_x, taper_y):
    with pytest.raises(tg.ShapeError, match="concave at the height z =") as caught:
        tg.Superovoid([0.3, 0.2, 0.5], exponents, taper_x, taper_y)
    # The surface near the named point, from the definition: some chord leaves the body.
    words = str(caught.value).split("around the point (")[1].split(")")[0]
    point = np.array([float(word) for word in words.split(",")])

    # Support function of the sections in the direction of that point's normal, by brute force over the boundary:
    # a chord between the heights z - d and z + d leaves the body.
    def sections(zeta):
        width, depth = (r * np.polyval(t[::-1], zeta) for r, t in ((0.3, taper_x), (0.2, taper_y)))
        return width, depth, 1 - abs(zeta) ** exponents[2]

    width, depth, m = sections(point[2] / 0.5)
    g1, g2 = exponents[:2]
    assert (point[0] / width) ** g1 + (point[1] / depth) ** g2 == pytest.approx(m, rel=1e-4)
    nx, ny = g1 * point[0] ** (g1 - 1) / width**g1, g2 * point[1] ** (g2 - 1) / depth**g2
    share = np.sin(np.linspace(0, np.pi / 2, 40001)) ** 2

    def support(zeta):
        width, depth, m = sections(zeta)
        return (nx * width * (share * m) ** (1 / g1) + ny * depth * ((1 - share) * m) ** (1 / g2)).max()

    zeta = point[2] / 0.5
    chords = [support(zeta - d) + support(zeta + d) - 2 * support(zeta) for d in (0.1, 0.03, 0.01) if abs(zeta) + d < 1]
    assert max(chords) > 1e-7 * support(zeta)


def test_messages_name_the_taper_and_the_body():
    with pytest.raises(
        tg.ShapeError, match=r"taper_x must be > 0 between z = -c and c, but it falls to -0\.2 at z = -0\.5"
    ):
        tg.Ovoid([0.3, 0.2, 0.5], [1, 1.2, 0, 0], FLAT)
    with pytest.raises(tg.ShapeError, match="but for body 1 the surface is concave"):
        tg.Ovoid([0.3, 0.2, 0.5], [[1, 0.1, 0, 0], [1, 0, 2, 0]], FLAT)
    with pytest.raises(ValueError, match="exponents must lie between 1 and inf"):
        tg.Superovoid([1, 1, 1], [1, 2, 2], FLAT, FLAT)
    with pytest.raises(ValueError, match=r"taper_y must have shape \(..., 4\)"):
        tg.Ovoid([1, 1, 1], FLAT, [1, 0, 0])


def test_bodies_called_convex_are_convex():
    """Midpoints of surface points lie inside, for bodies as the constructor accepts them."""
    rng = np.random.default_rng(4)
    shapes = random_superovoids(rng, 200)
    x = shapes.point(normals(rng, 400, 200))
    middle = 0.5 * (x + x[rng.permutation(400)])
    assert shapes.implicit(middle).max() < 1e-12


def test_the_thesis_own_femoral_and_humeral_heads_are_convex():
    """Tables 3.5 and 3.6."""
    tg.Ovoid([1, 1, 1], [0.9972, 2.686e-5, 9.999e-2, 6.589e-2], [0.9812, 5.923e-2, 5.501e-2, 9.848e-2])
    tg.Ovoid([1, 1, 1], [0.9270, 6.470e-3, 7.522e-2, 5.040e-2], [0.9704, 5.040e-2, 3.941e-2, 8.976e-2])
    tg.Superovoid(
        [1, 1, 1],
        [2.00011, 2.00219, 2.02288],
        [0.9749, 1.709e-2, 9.992e-2, 5.628e-2],
        [0.9672, 1.299e-1, 9.995e-2, 6.226e-2],
    )


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.full)])
def test_manufactured_contacts(count):
    """Uniform normals and normals of surface points: all converge, to 1e-10 of the size."""
    rng = np.random.default_rng(5)
    a, b = random_superovoids(rng, count), random_superovoids(rng, count)
    size = a.bounding_radius + b.bounding_radius
    for surface in (False, True):
        n = surface_normals(rng, a) if surface else normals(rng, count)
        m = surface_normals(rng, b) if surface else normals(rng, count)
        problem = place(a, b, random_gaps(rng, size), n, facing(rng, n, m))
        c = problem.contact()
        assert c.converged.all()
        assert (abs(c.distance - problem.gap) <= 1e-10 * size).all()
        slack = 1e-13 * (size + problem.gap)
        assert (c.lower <= problem.gap + slack).all()
        assert (c.upper >= problem.gap - slack).all()


def test_closed_moments_against_polytopes():
    for name in ("superovoid", "ovoid", "tapered superellipsoid"):
        shape = FAMILIES[name].make(np.random.default_rng(6), ())
        exact, numerical = shape.moments(), moments_by_polytopes(shape)
        tolerance = 5 * float(numerical.error)
        assert tolerance < 5e-3
        assert float(exact.volume) == pytest.approx(float(numerical.volume), rel=tolerance)
        assert abs(exact.centroid - numerical.centroid).max() <= tolerance * float(shape.bounding_radius)
        np.testing.assert_allclose(exact.inertia, numerical.inertia, atol=tolerance * np.trace(exact.inertia))


def support_by_search(radii, exponents, taper, normal):
    """max over the height of c nz zeta + support function of the section, by dividing intervals."""
    (a, b, c), (g1, g2, g3) = radii, exponents
    nx, ny, nz = np.abs(normal[0]), np.abs(normal[1]), normal[2]

    def value(zeta):
        width = np.polynomial.polynomial.polyval(zeta, taper)
        rest = 1.0 - np.abs(zeta) ** g3
        # Hölder's inequality, for g1 = g2
        q = g1 / (g1 - 1.0)
        return c * nz * zeta + width * rest ** (1.0 / g1) * ((a * nx) ** q + (b * ny) ** q) ** (1.0 / q)

    assert g1 == g2
    grid = np.linspace(-1.0, 1.0, 4001)
    k = int(value(grid).argmax())
    low, high = grid[max(k - 1, 0)], grid[min(k + 1, 4000)]
    for _ in range(120):
        x, y = low + (high - low) / 3, high - (high - low) / 3
        low, high = (x, high) if value(x) < value(y) else (low, y)
    return value(0.5 * (low + high))


def test_support_next_to_the_belt():
    """Normals of the sloping side, for which the middle decides, with exponents up to 100 (nearly prisms)."""
    rng = np.random.default_rng(11)
    count = 0
    while count < 150:
        radii, g = rng.uniform(0.3, 1.0, 3), rng.uniform(1.2, 6.0)
        g3 = rng.choice([1.05, 1.3, 2.0, 5.0, 20.0, 50.0, 100.0])
        taper = [1.0, rng.uniform(-0.6, 0.6), rng.choice([0.0, -0.15]), 0.0]
        try:
            body = tg.Superovoid(radii, [g, g, g3], taper, taper)
        except tg.ShapeError:
            continue
        count += 1
        n = np.array([*rng.normal(size=2), 0.0]) if count % 3 else np.eye(3)[count % 2]
        flat = tg.Superovoid(radii, [g, g, 2.0], [1, 0, 0, 0], [1, 0, 0, 0]).support([n[0], n[1], 0.0])
        for away in (0.0, 1e-15, 1e-9, 1e-4, -1e-2):
            n[2] = -taper[1] * flat / radii[2] * (1.0 + away) + away
            assert body.support(n) == pytest.approx(support_by_search(radii, (g, g, g3), taper, n), rel=3e-15)
