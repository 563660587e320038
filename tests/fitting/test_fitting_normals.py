"""Normals of clouds: those that point inwards are turned around or refused, at random."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.fitting import Cloud, fit_bodies, outward_normals, sample_mesh, surface_mesh
from tangency.fitting.compound import AROUND
from tangency.fitting.orientation import enclosed

SHAPES = (
    tg.Ellipsoid([3, 2, 1]),
    tg.Box([2, 1, 0.3]),
    tg.Cylinder(0.4, 2.0),
    tg.Superellipsoid([1, 1.5, 2], (0.3, 0.8)),
    tg.Cone(1.0, 1.0),
)
SHIFT = np.array([0.8, 0.0, 0.0])


def closed(seed, count=900):
    """Points of a closed body, of one part or two that overlap, with outward normals and noise."""
    rng = np.random.default_rng(seed)
    first, second = (SHAPES[k] for k in rng.integers(0, len(SHAPES), 2))
    mesh = sample_mesh(surface_mesh(first), count, seed=seed)
    points, normals = mesh.points, mesh.normals
    if seed % 2:
        place = (Rotation.random(rng=rng), rng.uniform(-1.0, 1.0, 3))
        other = sample_mesh(surface_mesh(second), count, seed=seed)
        moved = place[0].apply(other.points) + place[1]
        out, far = (
            tg.signed_distance(second, points, place).distance > 0,
            tg.signed_distance(first, moved).distance > 0,
        )
        points = np.concatenate([points[out], moved[far]])
        normals = np.concatenate([normals[out], place[0].apply(other.normals)[far]])
    scale = 10.0 ** rng.uniform(-4, 4)
    turn, noise = Rotation.random(rng=rng), rng.normal(0, 0.01, points.shape)
    return scale * (turn.apply(points + noise) + rng.normal(size=3)), turn.apply(normals), rng


def refused(points, normals):
    """Whether normals are not accepted as outward ones, by outward_normals or by fit_bodies."""
    try:
        found = outward_normals(Cloud(points, normals))
    except ValueError as error:
        return "normals must all point out of the body, but" in str(error)
    return enclosed(points, found) < AROUND


def judged(seed):
    points, normals, rng = closed(seed)
    assert enclosed(points, normals) > 0.8
    assert np.allclose(outward_normals(Cloud(points, normals)), normals, atol=1e-12)
    assert np.allclose(outward_normals(Cloud(points, -normals)), normals, atol=1e-12)
    share = rng.uniform(0.2, 0.8)
    with pytest.raises(ValueError, match="normals must all point out of the body, but"):
        outward_normals(Cloud(points, np.where(rng.random((len(points), 1)) < share, -normals, normals)))
    # A whole side may look like an open cloud; it is refused where normals must point outwards.
    away = (points - points.mean(axis=0)) @ rng.normal(size=3)
    mixed = np.where((away < np.quantile(away, share))[:, None], -normals, normals)
    assert refused(points, mixed)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full), 2])
def test_normals_of_closed_clouds(seed):
    judged(seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_closed_clouds(seed):
    judged(seed)


@pytest.mark.parametrize("cap", [0.2, 0.5])
def test_the_side_of_an_open_cloud_is_not_guessed(cap):
    n = np.random.default_rng(0).normal(size=(3000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    n = n[n[:, 2] > 1.0 - 2.0 * cap]
    for normals in (n, -n):  # a head, and a socket, whose normals point to the centre
        assert np.allclose(outward_normals(Cloud(20.0 * n, normals)), normals, atol=1e-12)


def test_bodies_from_normals_that_point_inwards():
    rng = np.random.default_rng(0)
    ball = tg.Sphere(1.0).point(rng.normal(size=(600, 3)))
    left, right = ball[ball[:, 0] < 0.8], ball[ball[:, 0] > -0.8]
    points, normals = np.concatenate([left - SHIFT, right + SHIFT]), np.concatenate([left, right])
    found = [fit_bodies(points, models=["sphere"], normals=sign * normals) for sign in (1.0, -1.0)]
    assert [len(one) for one in found] == [2, 2]
    assert np.array_equal(found[0].labels, found[1].labels)
    mixed = normals * np.where(rng.random(len(points)) < 0.5, 1.0, -1.0)[:, None]
    with pytest.raises(ValueError, match="normals must all point out of the body"):
        fit_bodies(points, models=["sphere"], normals=mixed)
    with pytest.raises(ValueError, match="points must lie all around a body"):
        fit_bodies(left[left[:, 0] < -0.8], models=["sphere"])
    body = tg.from_points(Cloud(points[: len(left)], -normals[: len(left)]), degree=4)
    assert float(body.support([-1, 0, 0])) == pytest.approx(1.8, abs=0.02)
