"""Scans of bones, eggs, stones and boxes, where they are at hand: every model fits without hand-tuning."""

import numpy as np
import pytest

import tangency as tg
from recovery import MODELS, distances_by_force
from tangency.fitting import shape_from_parameters
from tangency.fitting.fit_body import prepare, run

BONES = ("bp3d_femur_r", "bp3d_humerus_r")
OTHERS = (
    "bp3d_hip_r_acetabulum",
    "bp3d_talus_r",
    "bp3d_calcaneus_r",
    "egg_strix_uralensis",
    "egg_gallus_gallus",
    "egg_dromaius_novaehollandiae",
    "egg_uria_aalge",
    "asteroid_161989_cacus",
    "asteroid_43_ariadne",
    "stone_a55",
    "stone_b77",
    "stone_c42",
    "ycb_002_master_chef_can",
    "ycb_003_cracker_box",
    "ycb_008_pudding_box",
)
SPHERES = {"bp3d_femur_r": (23.003, 0.464), "bp3d_humerus_r": (21.908, 0.229)}  # stated with the data


def points_of(path, count):
    data = np.load(path)
    points = data["uniform_points"] if "uniform_points" in data and len(data["points"]) > 1500 else data["points"]
    return points[np.random.default_rng(0).permutation(len(points))[:count]]


def falls(rms):
    """As in Table 3.3 of the thesis, whose superellipsoid has three exponents."""
    slack = 1.0 + 1e-6
    assert rms["ellipsoid"] <= rms["sphere"] * slack
    assert rms["power_ellipsoid"] <= rms["ellipsoid"] * slack
    assert rms["ovoid"] <= rms["ellipsoid"] * slack
    assert rms["superovoid"] <= min(rms["ovoid"], rms["power_ellipsoid"]) * slack


@pytest.mark.parametrize("name", BONES)
def test_bones(extra, name):
    points = np.load(extra(f"data/{name}.npz"))["points"]
    sphere = tg.fit(points, "sphere")
    radius, rms = SPHERES[name]
    assert float(sphere.shape.radius) == pytest.approx(radius, abs=6e-4)
    assert sphere.rms == pytest.approx(rms, abs=6e-4)
    assert tg.fit(points, "ellipsoid").rms < sphere.rms


@pytest.mark.full
@pytest.mark.parametrize("name", BONES)
def test_error_falls_along_the_hierarchy_on_bones(extra, name):
    points = np.load(extra(f"data/{name}.npz"))["points"]
    falls({model: found.rms for model, found in tg.select_model(points, folds=2).fits.items()})


@pytest.mark.full
def test_eighteen_femurs(extra):
    for head in np.load(extra("data/gias2_femurs_18.npz"))["points"]:
        fits = tg.select_model(head, folds=2).fits
        falls({model: found.rms for model, found in fits.items()})
        assert 19.0 < float(fits["sphere"].shape.radius) < 26.0


@pytest.mark.full
@pytest.mark.parametrize("name", [*BONES, *OTHERS])
def test_every_number_belongs_to_the_body(extra, name):
    points = points_of(extra(f"data/{name}.npz"), 1000)
    search, frame = prepare(points, None, None, "linear", *MODELS)
    fits = {model: run(search, frame, model) for model in MODELS}
    falls({model: found.rms for model, found in fits.items()})
    for model, found in fits.items():
        same = shape_from_parameters(model, found.parameters)
        assert np.array_equal(tg.signed_distance(same, points, found.pose).distance, found.residuals)
        some = np.argsort(-np.abs(found.residuals))[::50]
        miss = distances_by_force(found, points[some]) - found.residuals[some]
        assert np.abs(miss).max() < 2e-5 * same.bounding_radius
