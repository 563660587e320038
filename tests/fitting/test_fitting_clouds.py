"""Clouds thinned and cleaned; what cannot be fitted is refused with a reason."""

import numpy as np
import pytest

import tangency as tg
from tangency.fitting import poisson_disk, sampling_weights, without_duplicates, without_outliers

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_poisson_disks_keep_their_distance():
    rng = np.random.default_rng(1)
    points = rng.uniform(size=(3000, 3)) * [1, 1, 0.01]
    kept = poisson_disk(points, 0.05)
    from scipy.spatial.distance import cdist, pdist

    assert pdist(points[kept]).min() > 0.05
    assert cdist(points, points[kept]).min(axis=1).max() <= 0.05  # nothing is left uncovered
    assert abs(len(poisson_disk(points, count=400)) - 400) <= 8
    assert len(poisson_disk(points, count=10**6)) == 3000
    for wrong in ({}, {"radius": 1, "count": 2}, {"radius": -1}, {"count": 0}):
        with pytest.raises(ValueError, match=r"radius|count"):
            poisson_disk(points, **wrong)


def test_duplicates_outliers_and_weights():
    rng = np.random.default_rng(2)
    n = rng.normal(size=(500, 3))
    points = n / np.linalg.norm(n, axis=1, keepdims=True)
    assert without_duplicates(np.concatenate([points, points[:100]])).tolist() == list(range(500))
    assert len(without_duplicates(np.concatenate([points, points + 1e-6]), 1e-3)) <= 500
    kept = without_outliers(np.concatenate([points, [[5, 5, 5], [-4, 0, 9]]]))
    assert kept.max() < 500
    assert len(kept) > 480
    dense = np.concatenate([points, points[points[:, 2] > 0] + rng.normal(0, 0.02, (int((points[:, 2] > 0).sum()), 3))])
    weights = sampling_weights(dense)
    assert weights.mean() == pytest.approx(1.0)
    assert weights[dense[:, 2] < -0.2].mean() > 1.4 * weights[dense[:, 2] > 0.2].mean()


LINE = np.outer(np.linspace(0, 1, 30), [1, 2, 3])
PLANE = np.random.default_rng(3).normal(size=(30, 3)) * [1, 1, 0]


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (np.empty((0, 3)), "must not be empty"),
        (np.eye(3), "at least 9 different points for this model, got 3"),
        (np.tile(CORNERS, (20, 1)), "got 80, 76 of them duplicates"),
        (LINE, "they lie on a straight line"),
        (PLANE, "they lie in a plane"),
        (np.full((30, 3), np.nan), "points must be finite, but 30 are not"),
        (np.zeros((30, 2)), r"points must have shape \(N, 3\)"),
    ],
)
def test_clouds_that_cannot_be_fitted(points, sentence):
    with pytest.raises(ValueError, match=sentence):
        tg.fit(points, "ellipsoid")


def test_wrong_options():
    points = np.random.default_rng(4).normal(size=(30, 3))
    for wrong, sentence in (
        ({"model": "cube"}, "model must be one of sphere, ellipsoid"),
        ({"loss": "absolute"}, "loss must be one of linear, huber"),
        ({"weights": "even"}, "weights must be an array or 'sampling'"),
        ({"weights": np.ones(3)}, r"weights must have shape \(30,\)"),
        ({"weights": -np.ones(30)}, "weights must be >= 0"),
        ({"normals": np.ones((3, 3))}, r"normals must have shape \(30, 3\)"),
    ):
        with pytest.raises(ValueError, match=sentence):
            tg.fit(points, **{"model": "sphere", **wrong})
    for wrong, kind, sentence in (
        (["cube"], ValueError, "models must be some of sphere, ellipsoid"),
        ([3], TypeError, "models must be names, shapes or classes of shapes, got 3"),
        ([tg.HalfSpace], TypeError, "models must hold a shape instead of the class HalfSpace"),
    ):
        with pytest.raises(kind, match=sentence):
            tg.select_model(points, wrong)
    with pytest.raises(TypeError, match="points must be a number or an array"):
        tg.fit("cloud.ply", "sphere")
