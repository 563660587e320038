"""Inner balls: the radius that a kernel returns belongs to a ball inside the body, touching it."""

import numpy as np
import pytest

import tangency as tg
from manufactured import random_radii, surface_normals, unit
from tangency.compiled.jit import call_shape, element, jit
from tangency.kernels.jet import INNER_BALL, JET


@jit
def _radii(address, rows, normals, out):
    result, size = np.empty(JET), rows.shape[1]
    for k in range(len(out)):
        n = normals[k]
        for question in (size, size + INNER_BALL):
            call_shape(address, element(rows, k * size), question, n[0], n[1], n[2], element(result, 0))
        out[k] = result[0]


def inner_radii(shape, normals):
    out = np.empty(len(normals))
    _radii(shape.address, shape.rows, np.ascontiguousarray(normals), out)
    return out


def normals(rng, radii, epsilon):
    """Uniform, of surface points, next to coordinate planes, in them, and along axes."""
    count = len(radii)
    n = unit(rng.normal(size=(count, 3)))
    n[::2] = surface_normals(rng, radii, epsilon)[::2]
    n[::5] *= 10.0 ** rng.uniform(-12, 0, (len(n[::5]), 3))
    n[::7, rng.integers(3)] = 0.0
    n[::11] = np.eye(3)[rng.integers(3, size=len(n[::11]))]
    return unit(n)


def directions(rng, n, count):
    """Spread over the sphere, and crowded around n: (count, bodies, 3)."""
    m = unit(rng.normal(size=(count, *n.shape)))
    return unit(n + 10.0 ** rng.uniform(-4, 1, (count, len(n), 1)) * m)


def outside(shape, n, r, m):
    """Largest value of the implicit function on the ball of radius r that touches at n, over directions m."""
    y = shape.point(n) + r[:, None] * (m - n)
    return np.asarray(shape.implicit(y)).max(axis=0)


def check(rng, shape, n, sample):
    r = inner_radii(shape, n)
    assert np.isfinite(r).all()
    assert (r >= 0.0).all()
    assert (outside(shape, n, r, directions(rng, n, sample)) < 1e-11).all()
    return r


@pytest.mark.parametrize(("low", "high"), [(0.3, 1.6), (0.02, 1.98), (0.9, 1.1), (1.0, 1.0)])
def test_superellipsoids(low, high):
    rng = np.random.default_rng(1)
    radii, epsilon = random_radii(rng, 400, 8.0), rng.uniform(low, high, (400, 2))
    epsilon[::9, 0], epsilon[::8, 1] = 1.0, 1.0
    shape, n = tg.Superellipsoid(radii, epsilon), normals(rng, radii, epsilon)
    r = check(rng, shape, n, 400)
    round_ones = (epsilon == 1.0).all(axis=1)
    exact = radii.min(axis=1) ** 2 / shape.support(n)
    np.testing.assert_allclose(r[round_ones], exact[round_ones], rtol=2e-6)
    if low == high:  # the largest ball is known: a larger one must be seen to leave the body
        assert (outside(shape, n, 1.1 * r, directions(rng, n, 400)) > 1e-11).mean() > 0.9


def test_power_ellipsoids():
    rng = np.random.default_rng(2)
    radii, exponents = random_radii(rng, 400, 8.0), 2.0 / rng.uniform(0.05, 1.95, (400, 3))
    shape = tg.PowerEllipsoid(radii, exponents)
    check(rng, shape, normals(rng, radii, np.ones((400, 2))), 400)


def test_composites():
    """Affine images of ellipsoids and offsets of spheres have known inner balls."""
    rng = np.random.default_rng(3)
    matrix, radii = rng.normal(size=(200, 3, 3)), random_radii(rng, 200, 4.0)
    n = unit(rng.normal(size=(200, 3)))
    image = tg.Ellipsoid(radii).affine(matrix)
    stretch = np.linalg.svd(matrix * radii[:, None, :], compute_uv=False)
    exact = stretch[:, 2] ** 2 / image.support(n)
    r = inner_radii(image, n)
    assert (r <= exact).all()
    assert (r > 0.0).all()
    a, b = tg.Ellipsoid(radii), tg.Superellipsoid(radii, np.tile((0.7, 1.2), (200, 1)))
    parts = inner_radii(a, n) + inner_radii(b, n) + 0.1
    np.testing.assert_allclose(inner_radii(a + b.offset(0.1), n), parts, rtol=1e-12)
    assert (inner_radii(tg.Box(radii), n) == 0.0).all()


def test_tapered():
    rng = np.random.default_rng(4)
    count = 300
    radii, slope = random_radii(rng, count, 4.0), rng.uniform(-0.3, 0.3, (count, 2))
    one, bow = np.ones(count), rng.uniform(-0.1, 0.0, count)
    tapers = [np.stack([one, slope[:, k], bow, 0.1 * bow], axis=-1) for k in range(2)]
    straight = np.stack([one, slope[:, 0], 0.0 * one, 0.0 * one], axis=-1)
    n = normals(rng, radii, np.ones((count, 2)))
    shapes = [
        tg.Ovoid(radii, straight, straight),
        tg.Superovoid(
            radii, 2.0 / np.stack([*rng.uniform(0.3, 1.6, (1, count)).repeat(2, 0), one], axis=-1), straight, straight
        ),
        tg.Ovoid(radii, *tapers),
        tg.Superovoid(radii, 2.0 / np.stack([*rng.uniform(0.3, 1.6, (2, count)), one], axis=-1), tapers[0], tapers[0]),
        tg.TaperedSuperellipsoid(radii, rng.uniform(0.3, 1.6, (count, 2)), slope[:, [0, 0]]),
    ]
    for shape in shapes:
        r = check(rng, shape, n, 300)
        assert np.median(r) > 0.02
