"""Contact points of slender and flat bodies, 1:100 to 1:1000, on faces, ends, edges and planes, known by construction.

Their points move by up to a thousand sizes per radian, so a normal that is right to 1e-11 is not enough for the points.
"""

import numpy as np
import pytest

import tangency as tg
from exact_places import PLACES, facing

RIGHT = 1e-10  # of the size
GAPS = [0.3, 1e-2, 1e-4, 0.0]
OTHERS = ["box: face at inside", "box: edge at inside", "box: corner at corner", "cylinder: end at inside",
          "cylinder: side at inside", "cylinder: rim at rim", "cone: end at inside", "cone: side at inside",
          "frustum: rim at rim", "segment: side at inside", "ellipsoid"]  # fmt: skip
THIN = [f"{kind} {family}" for kind in ("slender", "flat") for family in ("ellipsoid", "superellipsoid", "ovoid")]


def check(c, normal, point_a, point_b, size):
    assert (c.status <= tg.Status.OVERLAP).all()
    right = c.differentiable
    off = np.linalg.norm(c.normal - normal, axis=1)
    points = np.maximum(np.linalg.norm(c.point_a - point_a, axis=1), np.linalg.norm(c.point_b - point_b, axis=1)) / size
    # The problems themselves are rounded, and react to that by their condition number; normals at sharp ends by more.
    assert (off <= np.maximum(RIGHT, 1e-12 * c.condition))[right].all()
    assert (points <= np.maximum(RIGHT, 1e-14 * c.condition))[right].all()
    return right.mean()


def check_facing(name, other, seed, count, gaps):
    rng = np.random.default_rng(seed)
    for order in ((name, other), (other, name)):
        p = facing(rng, *order, count, gaps)
        size = p.a.bounding_radius + p.b.bounding_radius
        assert check(p.contact(), p.normal, p.point_a, p.point_b, size) > 0.8


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", THIN)
def test_on_other_bodies(name, other):
    check_facing(name, other, 6, 30, GAPS)


@pytest.mark.full
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", THIN)
def test_many_on_other_bodies(name, other):
    check_facing(name, other, 7, 3000, [1.0, 1e-1, 1e-3, 1e-6, 1e-9, 0.0])


@pytest.mark.parametrize("name", THIN)
def test_on_a_plane(name):
    """Also in overlap."""
    rng, count = np.random.default_rng(8), 60
    body, m, x = PLACES[name](rng, count)
    gap = rng.choice([0.3, 1e-3, 0.0, -1e-4], count)
    n = -m
    plane = tg.HalfSpace(n, (n * x).sum(axis=1) - gap)
    c = tg.contact(plane, body)
    assert check(c, n, x - gap[:, None] * n, x, body.bounding_radius) == 1.0
