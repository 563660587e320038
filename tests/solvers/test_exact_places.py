"""Normals are right to 1e-10 where `differentiable` is True, and mostly elsewhere; at rims it never is.

All contacts are known by construction.  F has a maximum there that is known to the square root of its rounding error
only, so the solver's own normal is off by up to 1e-5.
"""

import numpy as np
import pytest

import tangency as tg
from exact_places import PLACES, facing

GAPS = [0.3, 1e-2]
RIGHT = 1e-10
ENDS = ("end at rim", "side at rim", "side at end", "side at tip", "face at edge", "face at corner", "edge at corner")
AT_ENDS = [name for name in PLACES if name.endswith(ENDS)]
EDGES = ["box: corner at corner", "box: edge at inside", "segment: end at end", "cone: tip at tip",
         "cylinder: rim at rim", "cylinder: side at inside", "superellipsoid"]  # fmt: skip
FLAT = [name for name in PLACES if "flat" in name or "sharp" in name]


def misses(first, second, seed, count):
    """Errors of the normal, errors of the points, and `differentiable`, of contacts whose bounds have been checked."""
    p = facing(np.random.default_rng(seed), first, second, count, GAPS)
    c = p.contact()
    assert (c.status == tg.Status.APART).all()
    assert (c.lower <= p.gap + 1e-14).all()
    assert (p.gap - 1e-14 <= c.upper).all()
    points = np.maximum(np.linalg.norm(c.point_a - p.point_a, axis=1), np.linalg.norm(c.point_b - p.point_b, axis=1))
    return np.linalg.norm(c.normal - p.normal, axis=1), points, c


@pytest.mark.parametrize("other", ["ellipsoid", "superellipsoid", "box: corner at corner", "box: edge at inside"])
@pytest.mark.parametrize("name", AT_ENDS)
def test_ends_of_faces_and_edges(name, other):
    """With the normal of a face or edge, exactly at its end: derivatives of one side only, so there are none."""
    for order in ((name, other), (other, name)):
        off, _, c = misses(*order, 3, 40)
        assert not c.differentiable.any()
        assert (off > RIGHT).mean() <= 0.15
        assert off.max() < 1e-4


@pytest.mark.parametrize("other", EDGES)
@pytest.mark.parametrize("name", FLAT)
def test_flat_and_sharp_places_against_edges_and_corners(name, other):
    """In planes of symmetry of superellipsoids, and next to them."""
    off, points, c = misses(name, other, 4, 60)
    assert (off[c.differentiable] < RIGHT * np.maximum(c.condition[c.differentiable], 1.0)).all()
    assert (points[c.differentiable] < 1e-8 * np.maximum(c.condition[c.differentiable], 1.0)).all()
    assert (off > 1e-9).mean() <= 0.2
    assert off.max() < 1e-5


@pytest.mark.parametrize("kind", ["cylinder", "cone"])
def test_beside_a_rim(kind):
    """On both sides of the rim of an end, at distances from 1e-15 to 1e-2: the normal is that of the end, or tilted."""
    rng, count = np.random.default_rng(5), 400
    body = tg.Cylinder(0.6, 0.5) if kind == "cylinder" else tg.Cone(0.6, 0.5)
    around, beyond = rng.uniform(0.0, 2.0 * np.pi, count), 10.0 ** rng.uniform(-15.0, -2.0, count)
    beyond *= rng.choice([-1.0, 1.0], count)
    out = np.stack([np.cos(around), np.sin(around), np.zeros(count)], axis=1)
    height, radius = rng.uniform(0.1, 0.5, count), 0.3
    down = np.array([0.0, 0.0, -1.0])
    centre = (0.6 + beyond)[:, None] * out + (0.5 + radius + height)[:, None] * down
    c = tg.contact(body, tg.Sphere(radius), None, (None, centre))
    tilt = np.maximum(beyond, 0.0)[:, None] * out + (radius + height)[:, None] * down
    off = np.linalg.norm(c.normal - tilt / np.linalg.norm(tilt, axis=1)[:, None], axis=1)
    assert (off[c.differentiable] < RIGHT).all()
    assert (off > RIGHT).mean() < 0.1
    assert not c.differentiable[np.abs(beyond) < 1e-10].any()
    assert c.differentiable[np.abs(beyond) > 1e-5].all()
