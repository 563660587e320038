"""Inside a body, the reported depth is the distance to the nearest surface point: beside dense samples of the surface.

Every surface point is at least as far away as the depth, so that one nearer sample disproves it.
"""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import tangency as tg
from families import FAMILIES, normals
from fit_audit import fibonacci

SAMPLES, NEAREST, ROUNDS = 8000, 12, 18


def roughly_flat(rng):
    """A random body with sides that are nearly flat, where one point has several foot points."""
    if rng.random() < 0.5:
        return tg.Superellipsoid(rng.uniform(0.5, 3.0, 3), rng.uniform(0.15, 1.2, 2))
    return tg.Hull(rng.normal(size=(12, 3)))


BODIES = {
    "spline": lambda rng: tg.SplineShape.from_shape(roughly_flat(rng), cells=int(rng.integers(4, 9))),
    "harmonic": lambda rng: tg.HarmonicShape.from_shape(roughly_flat(rng), degree=int(rng.integers(4, 14))),
    **{
        name: lambda rng, name=name: FAMILIES[name].make(rng, ())
        for name in ("superellipsoid flat", "superellipsoid sharp", "power ellipsoid", "superovoid", "ovoid")
    },
    "tapered superellipsoid": lambda rng: FAMILIES["tapered superellipsoid"].make(rng, ()),
    "user's egg": lambda rng: FAMILIES["user's egg"].make(rng, ()),
}


def inner_points(shape, rng, count):
    """Points inside a body: half of them close to its surface, the others anywhere."""
    x = shape.point(normals(rng, count, 3))
    inner = np.einsum("kj,kji->ki", rng.dirichlet(np.full(3, 0.7), count), x)
    near = rng.random(count) < 0.5
    return np.where(near[:, None], x[:, 0] + 0.1 * rng.random((count, 1)) * (inner - x[:, 0]), inner)


def nearest_samples(shape, points, samples=SAMPLES):
    """Distances to the nearest of many surface points; the best ones are improved within smaller and smaller caps."""
    grid = fibonacci(samples)
    surface = shape.point(grid)
    best, k = cKDTree(surface).query(points, NEAREST)
    # Foot points may also lie where the normal is nearly that of a supporting plane, between two samples.
    heights = points @ grid.T - (grid * surface).sum(axis=1)
    k = np.concatenate([k, np.argpartition(heights, -NEAREST, axis=1)[:, -NEAREST:]], axis=1)
    n, reach, ring = grid[k], 2.5 / np.sqrt(samples), fibonacci(8)
    best = np.linalg.norm(surface[k] - points[:, None], axis=2)
    for _ in range(ROUNDS):
        trial = n[:, :, None] + reach * ring
        trial /= np.linalg.norm(trial, axis=-1, keepdims=True)
        length = np.linalg.norm(shape.point(trial.reshape(-1, 3)).reshape(trial.shape) - points[:, None, None], axis=-1)
        j = length.argmin(axis=2)[..., None]
        shorter = np.take_along_axis(length, j, 2)[..., 0]
        n = np.where((shorter < best)[..., None], np.take_along_axis(trial, j[..., None], 2)[:, :, 0], n)
        best, reach = np.minimum(best, shorter), 0.7 * reach
    return best.min(axis=1)


def assert_nearest(shape, points, distance, foot, normal):
    size = float(np.asarray(shape.bounding_radius))
    assert (distance <= 1e-12 * size).all()
    assert (-distance <= nearest_samples(shape, points) + 1e-9 * size).all(), "a nearer surface point exists"
    # The foot is a surface point at that distance.
    assert np.abs(np.linalg.norm(points - foot, axis=1) + distance).max() < 1e-9 * size
    assert np.abs((foot * normal).sum(axis=1) - shape.support(normal)).max() < 1e-9 * size


@pytest.mark.parametrize("name", BODIES)
def test_global_search(name):
    rng = np.random.default_rng(11)
    shape = BODIES[name](rng)
    points = inner_points(shape, rng, 40)
    found = tg.signed_distance(shape, points, certify=True)
    assert_nearest(shape, points, found.distance, found.foot, found.normal)


@pytest.mark.full
@pytest.mark.parametrize("name", BODIES)
def test_global_search_of_many(name):
    rng = np.random.default_rng(12)
    for _ in range(30):
        shape = BODIES[name](rng)
        points = inner_points(shape, rng, 200)
        found = tg.signed_distance(shape, points, certify=True)
        assert_nearest(shape, points, found.distance, found.foot, found.normal)


@pytest.mark.full
@pytest.mark.parametrize("model", ["spline", "harmonic", "superovoid", "tapered_superellipsoid", "rounded_box"])
def test_fits_end_with_the_nearest_feet(model):
    """A noisy cloud of a body that the model only resembles has points deep inside."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        cloud = roughly_flat(rng).point(rng.normal(size=(300, 3)))
        cloud += rng.normal(0.0, 0.05 * np.ptp(cloud), cloud.shape)
        found = tg.fit(cloud, model)
        turn = found.pose.rotation.as_matrix()
        inside = found.residuals < 0.0
        assert inside.any()
        assert_nearest(
            found.shape,
            (cloud - found.pose.translation)[inside] @ turn,
            found.residuals[inside],
            (found.foot - found.pose.translation)[inside] @ turn,
            found.normal[inside] @ turn,
        )
