"""Fits of superovoids of all kinds: none is worse than the body that the points come from."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from recovery import surface_points
from tangency.fitting import FitStatus
from tangency.fitting.convexity import BULGE, is_convex
from tangency.fitting.middle_walls import middle_walls
from tangency.fitting.models import MODELS
from tangency.shapes.taper_convexity import NEAREST, bulges

BRANCHES = {model.branch: model for model in MODELS["superovoid"]}


def random_parameters(rng):
    """Parameters of a convex superovoid within the limits of the model, its exponents g and tapers of any size."""
    while True:
        e = rng.uniform(0.05, 1.9, 3)
        if rng.random() < 0.5:
            e[2] = rng.uniform(0.05, 1.0)
        tapers = rng.uniform(0.05, 1.0) * rng.uniform(-1.0, 1.0, (2, 3)) * [0.9, 0.5, 0.5]
        if rng.random() < 0.2:
            tapers[:, 1] = 0.0  # straight at z = 0: convex with equal slopes
            tapers[1, 0] = tapers[0, 0]
        s = np.concatenate([rng.uniform(-0.7, 0.7, 3), e, tapers.ravel()])
        if is_convex(BRANCHES["g3 >= 2" if e[2] <= 1.0 else "g3 <= 2"], s):
            return s


def cloud_of(seed, count, noise):
    """Points of a random superovoid in a random pose, the RMS distance from it, and its size."""
    rng = np.random.default_rng([seed, 17])
    s = random_parameters(rng)
    shape = tg.Superovoid(np.exp(s[:3]), 2.0 / s[3:6], [1, *s[6:9]], [1, *s[9:]])
    size = float(shape.bounding_radius)
    points = surface_points(rng, shape, count)
    points = points + noise * size * rng.normal(size=points.shape)
    rms = float(np.sqrt((tg.signed_distance(shape, points).distance ** 2).mean()))
    return Rotation.random(rng=rng).apply(points) + rng.normal(size=3), rms, size


def as_good_as_the_body(seed, count, noise):
    points, rms, size = cloud_of(seed, count, noise)
    found = tg.fit(points, "superovoid")
    if found.status != FitStatus.NOT_CONVERGED:
        assert found.rms <= rms * (1.0 + 1e-6) + 1e-6 * size, seed
    return found


def test_tapers_that_curve_inward_may_have_different_slopes():
    shape = tg.Superovoid([3, 2, 2.5], [2, 2, 3], taper_x=[1, 0.2, -0.3, 0], taper_y=[1, -0.1, -0.3, 0])
    points = shape.point(np.random.default_rng(0).normal(size=(500, 3)))
    for model in ("superovoid", tg.Superovoid):
        found = tg.fit(points, model)
        assert found.status == FitStatus.CONVERGED
        assert found.rms < 1e-9
        assert found.parameters["g3"] == pytest.approx(3.0, abs=1e-6)
        assert abs(found.parameters["c1x"] - found.parameters["c1y"]) == pytest.approx(0.3, abs=1e-6)


def test_straight_tapers_with_equal_slopes_are_still_found():
    shape = tg.Superovoid([3, 2, 2.5], [2.5, 2, 3], taper_x=[1, 0.2, 0, 0], taper_y=[1, 0.2, 0, 0])
    found = tg.fit(shape.point(np.random.default_rng(0).normal(size=(300, 3))), "superovoid")
    assert found.rms < 1e-9
    assert abs(found.parameters["c1x"]) == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_no_fit_is_worse_than_the_body(seed):
    as_good_as_the_body(seed, 300, 0.0)


@pytest.mark.full
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_no_fit_of_many_is_worse_than_the_body(noise):
    lost = 0
    for seed in range(100, 200):
        lost += as_good_as_the_body(seed, 400, noise).status == FitStatus.NOT_CONVERGED
    assert lost <= 5


def test_the_limit_of_the_slopes_is_that_of_the_shape():
    """Beside the quadratic inequality at the lowest height, for parameters of which some are close to the limit."""
    rng = np.random.default_rng(3)
    count = 4000
    forms = np.zeros((count, 12))
    forms[:, 3:5] = rng.uniform(0.05, 1.9, (count, 2))
    forms[:, 5] = np.where(rng.random(count) < 0.4, rng.uniform(0.85, 1.0, count), rng.uniform(0.05, 1.0, count))
    forms[:, [7, 10]] = -(10.0 ** rng.uniform(-8, -0.3, (count, 2)))
    forms[:, 6] = rng.uniform(-0.9, 0.9, count)
    forms[:, 9] = forms[:, 6] + 4.0 * rng.normal(size=count) * np.sqrt(-forms[:, 7] / forms[:, 3])
    forms[:, [8, 11]] = rng.uniform(-0.5, 0.5, (count, 2))
    tx, ty = np.ones((count, 4)), np.ones((count, 4))
    tx[:, 1:], ty[:, 1:] = forms[:, 6:9], forms[:, 9:]
    for margin in (0.0, BULGE):
        room = middle_walls(forms, margin).min(axis=1)
        heights = np.full((count, 1), NEAREST)
        at_ends, at_once, least = bulges(2.0 / forms[:, 3:6], np.ones(count), tx, ty, heights)[0][..., 0] - margin
        known = least > 0.0
        within = (room > 0.0) & (at_ends > 0.0) & (at_once > 0.0)
        clear = np.abs(least) > 1e-6
        assert (known == within)[clear].all()
        assert 0.1 < known.mean() < 0.9
