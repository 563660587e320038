"""Nearly flat places, where the rounding of the normal moves its point: derivatives against those of 32-digit contacts.

Radii of curvature reach 1e9 sizes there.  Derivatives by shape at a fixed normal are as large, and cancel in the end.
"""

import numpy as np
import pytest
from benchmarks.gradients import audit
from benchmarks.gradients.pairs import Pairs
from scipy.spatial.transform import Rotation

import tangency as tg
from families import convex, matrices, normals, radii

PAIRS = 12


def superellipsoid(rng, batch):
    return tg.Superellipsoid(radii(rng, batch), rng.uniform(0.2, 0.8, (*batch, 2)))


def tapered(rng, batch):
    def draw():
        return radii(rng, ()), rng.uniform(0.2, 0.8, 2), rng.uniform(-0.4, 0.4) * np.ones(2)

    return convex(tg.TaperedSuperellipsoid, draw, batch)


def superovoid(rng, batch):
    def draw():
        taper = np.array([rng.uniform(0.7, 1.0), rng.uniform(-0.3, 0.3), 0.0, 0.0])
        return radii(rng, ()), rng.uniform(2.3, 7.0, 3), taper, taper

    return convex(tg.Superovoid, draw, batch)


CORES = {
    "superellipsoid": superellipsoid,
    "power ellipsoid": lambda rng, batch: tg.PowerEllipsoid(radii(rng, batch), rng.uniform(2.3, 8.0, (*batch, 3))),
    "tapered superellipsoid": tapered,
    "superovoid": superovoid,
}
IMAGES = {
    "itself": lambda rng, body: body,
    "affine image": lambda rng, body: tg.Affine(
        body, matrices(rng, body.batch_shape), rng.normal(size=(*body.batch_shape, 3))
    ),
    "offset": lambda rng, body: body.offset(rng.uniform(0.1, 0.5, body.batch_shape)),
    "sum": lambda rng, body: tg.Ellipsoid(radii(rng, body.batch_shape)) + body,
}


def normals_of_flat_places(rng, body):
    """Normals of a body 1e-12 to 0.1 beside those of its flat places."""
    count = body.batch_shape[0]
    n = normals(rng, count)
    beside = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-12.0, -1.0, count)
    if isinstance(body, tg.Superellipsoid | tg.PowerEllipsoid):
        n[np.arange(count), rng.integers(0, 3, count)] = beside
    else:  # the flat belt at z = 0 is inclined
        n[:, 2] = 0.0
        n /= np.linalg.norm(n, axis=-1, keepdims=True)
        low, high = np.full((2, count), [[-3.0], [3.0]])
        for _ in range(60):
            n[:, 2] = 0.5 * (low + high)
            above = body.point(n)[:, 2] > 0.0
            low, high = np.where(above, low, n[:, 2]), np.where(above, n[:, 2], high)
        n[:, 2] += beside
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


def octahedron(rng, count):
    """Superellipsoids with sharp edges that are nearly straight, and normals of these edges."""
    size, e = radii(rng, (count,)), rng.uniform(1.5, 1.98, (count, 2))
    p, z = 2.0 / e[:, 0], rng.uniform(0.1, 0.9, count)
    y = (1.0 - z**p) ** (1.0 / p)
    n = np.stack([np.zeros(count), y ** (p - 1.0) / size[:, 1], z ** (p - 1.0) / size[:, 2]], axis=-1)
    return tg.Superellipsoid(size, e), n


def prism(rng, count):
    e = np.stack([rng.uniform(0.1, 0.8, count), rng.uniform(1.3, 1.98, count)], axis=-1)
    n = np.stack([np.zeros(count), np.ones(count), 10.0 ** rng.uniform(-12.0, -1.0, count)], axis=-1)
    return tg.Superellipsoid(radii(rng, (count,)), e), n


def power_prism(rng, count):
    p = np.stack([rng.uniform(1.02, 1.6, count), rng.uniform(1.02, 3.0, count), rng.uniform(2.5, 12.0, count)], axis=-1)
    n = np.stack([np.zeros(count), np.ones(count), 10.0 ** rng.uniform(-12.0, -1.0, count)], axis=-1)
    return tg.PowerEllipsoid(radii(rng, (count,)), p), n


EDGES = {"octahedron": octahedron, "prism": prism, "power prism": power_prism}


def pairs_on_edges(rng, make, image, count):
    """Bodies that touch ellipsoids with a sharp edge: a coordinate of the contact point may be 1e-20."""
    body, n = make(rng, count)
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)
    n[:, 0] = 10.0 ** rng.uniform(-3.0, 0.0, count)
    n *= rng.choice([-1.0, 1.0], (count, 3))
    return beside_ellipsoids(rng, *imaged(rng, body, n, image))


def pairs_on_flat_places(rng, core, image):
    body = CORES[core](rng, (PAIRS,))
    return beside_ellipsoids(rng, *imaged(rng, body, normals_of_flat_places(rng, body), image))


def imaged(rng, body, n, image):
    """The image of a body, and the unit normals that belong to its normals n."""
    a = IMAGES[image](rng, body)
    if image == "affine image":
        n = np.linalg.solve(np.swapaxes(a.matrix, -1, -2), n[:, :, None])[:, :, 0]
    return a, n / np.linalg.norm(n, axis=-1, keepdims=True)


def beside_ellipsoids(rng, a, n):
    """Bodies A and ellipsoids with the common normals n of A."""
    count = len(n)
    b, rotation = tg.Ellipsoid(radii(rng, (count,))), Rotation.random(count, rng=rng).as_matrix()
    size = a.bounding_radius + b.bounding_radius
    on_b = np.einsum("kij,kj->ki", rotation, b.point(-np.einsum("kji,kj->ki", rotation, n)))
    gap = np.where(rng.random(count) < 0.3, -1.0, 1.0) * 10.0 ** rng.uniform(-12.0, -1.0, count) * size
    place = a.point(n) - on_b + gap[:, None] * n
    turn, away = Rotation.random(count, rng=rng).as_matrix(), rng.normal(size=(count, 3)) * size[:, None]
    return Pairs(a, b, (turn, away), (turn @ rotation, np.einsum("kij,kj->ki", turn, place) + away), size)


@pytest.fixture(autouse=True)
def strict_oracle(monkeypatch):
    monkeypatch.setattr(audit, "SURE", 1e-8)  # derivatives change quickly there
    monkeypatch.setattr(audit, "SURE_SECOND", 1e-6)
    monkeypatch.setattr(audit, "KINDS", ())  # no oracle with 60 digits


def assert_right(found):
    known = found.decided & ~found.flagged & (found.condition < 1e4)
    assert known.sum() >= len(known) // 3
    for order in audit.ORDERS:
        wanted = audit.FIRST if order.startswith("first") else audit.SECOND
        assert found.errors[order][known].max() < wanted


@pytest.mark.parametrize(
    "image", [name if name == "affine image" else pytest.param(name, marks=pytest.mark.full) for name in IMAGES]
)
@pytest.mark.parametrize("core", CORES)
def test_nearly_flat_places(core, image):
    rng = np.random.default_rng([list(CORES).index(core), list(IMAGES).index(image)])
    assert_right(audit.examine(rng, pairs_on_flat_places(rng, core, image)))


@pytest.mark.parametrize("image", [pytest.param("itself", marks=pytest.mark.full), "affine image"])
@pytest.mark.parametrize("name", EDGES)
def test_sharp_edges_that_are_nearly_straight(name, image):
    rng = np.random.default_rng([list(EDGES).index(name), list(IMAGES).index(image)])
    assert_right(audit.examine(rng, pairs_on_edges(rng, EDGES[name], image, 60)))
