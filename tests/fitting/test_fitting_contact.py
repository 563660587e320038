"""From a cloud to a contact: a superovoid, a harmonic and a spline potential of clouds meet an ellipsoid, proved."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.geometry.moments import spread

SCANS = {
    "egg": "data/egg_gallus_gallus.npz",
    "asteroid": "data/asteroid_161989_cacus.npz",
    "stone": "data/stone_b77.npz",
}


def made(name):
    """A cloud like the scan, where scans are absent: an egg, a smooth lump, a brick with rounded edges."""
    rng = np.random.default_rng(7)
    n = rng.normal(size=(900, 3))
    if name == "egg":
        shape = tg.Ovoid([22.0, 22, 29], taper_x=[1, 0.12, -0.03, 0], taper_y=[1, 0.12, -0.03, 0])
    elif name == "asteroid":
        shape = tg.PowerEllipsoid([0.9, 0.6, 0.5], [2.0, 2.5, 3.0])
    else:
        shape = tg.Superellipsoid([60.0, 60, 45], (0.5, 0.5))
    return Rotation.random(rng=rng).apply(shape.point(n)) + shape.bounding_radius


def body_of(name, cloud):
    if name == "egg":
        found = tg.fit(cloud, "superovoid")
        return found.shape, found.pose
    kind, more = (tg.HarmonicShape, {"degree": 6}) if name == "asteroid" else (tg.SplineShape, {"cells": 3})
    return kind.from_points(cloud, hull=True, **more), None


def collide(name, cloud):
    shape, pose = body_of(name, cloud)
    hull = cloud[ConvexHull(cloud).vertices]
    middle, size = hull.mean(axis=0), np.ptp(cloud, axis=0).max()
    assert np.abs(tg.signed_distance(shape, hull, pose).distance).max() < 0.2 * size
    ball = tg.Ellipsoid(np.array([0.3, 0.2, 0.15]) * size)
    rng = np.random.default_rng(8)
    directions = rng.normal(size=(20, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for reach, sign in ((1.5, 1.0), (0.45, -1.0)):  # apart, and deep in each other
        places = middle + reach * size * directions
        turns = Rotation.random(20, rng=rng)
        c = tg.contact(shape, ball, pose, (turns, places))
        assert c.converged.all()
        assert (c.lower <= c.distance).all()
        assert (c.distance <= c.upper).all()
        assert (np.sign(c.distance) == sign).mean() > 0.7
        apart = c.distance > 0
        assert (c.upper - c.lower)[apart].max(initial=0.0) < 1e-9 * size
        # Many points of the fitted surface: none is nearer to the ellipsoid, and some nearly as near.
        surface = shape.point(spread(2000))
        surface = surface if pose is None else pose.apply(surface)
        for k in np.flatnonzero(apart)[:3]:
            near = tg.signed_distance(ball, surface, (turns[k], places[k])).distance.min()
            assert -1e-9 * size < near - c.distance[k] < 0.02 * size


@pytest.mark.parametrize("name", SCANS)
def test_a_body_of_a_cloud_collides_with_certificates(name):
    collide(name, made(name))


@pytest.mark.full
@pytest.mark.parametrize("name", SCANS)
def test_a_body_of_a_scan_collides_with_certificates(extra, name):
    data = np.load(extra(SCANS[name]))
    points = data["uniform_points"] if "uniform_points" in data and len(data["points"]) > 1500 else data["points"]
    collide(name, points[:900])
