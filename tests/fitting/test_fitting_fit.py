"""fit(): known bodies come back, whatever the pose, the unit, the noise and the outliers."""

import traceback

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from recovery import MODELS, cloud, errors, random_truth
from tangency.fitting import FitStatus
from tangency.fitting.models import MODELS as ENTRIES
from tangency.fitting.problem import Problem, State


@pytest.mark.parametrize("model", MODELS)
def test_exact_clouds_give_exact_bodies(model):
    rng = np.random.default_rng(11)
    truth = random_truth(rng, model)
    points = cloud(rng, truth, 500, 0.0, 0.3)
    found = tg.fit(points, model)
    assert found.converged
    assert max(abs(e) for e in errors(truth, found).values()) < 1e-8
    assert found.rms < 1e-11


def test_where_only_rounding_is_left_fits_converge():
    """The sphere is one of the starts of the ellipsoid: what is left is rounding, which no step reduces reliably."""
    for seed in range(29):
        rng = np.random.default_rng(seed)
        points = rng.uniform(0.3, 2) * tg.Sphere(1.0).point(rng.normal(size=(100, 3))) + rng.normal(size=3)
        found = tg.fit(points, "ellipsoid")
        assert found.converged, (seed, found.message)
        assert found.rms < 1e-14


def recovered(model, count, points, seed):
    """Errors in units of the standard errors, for all parameters of random bodies; failures have a status."""
    rng = np.random.default_rng(seed)
    ratios = []
    for _ in range(count):
        truth = random_truth(rng, model)
        found = tg.fit(cloud(rng, truth, points, 0.005, 0.3), model)
        known = dict(zip(found.names, found.standard_errors))
        if not found.converged:
            assert found.status == FitStatus.NOT_CONVERGED
            assert found.message
        one = [abs(e) / known[name] if known[name] > 0 else np.inf for name, e in errors(truth, found).items()]
        ratios.append(one)
    return ratios


@pytest.mark.parametrize("model", [pytest.param(m, marks=pytest.mark.full) if m == "superovoid" else m for m in MODELS])
def test_noisy_clouds_within_standard_errors(model):
    ratios = recovered(model, 4, 1000 if model in ("sphere", "ellipsoid") else 300, 21)
    every = np.concatenate(ratios)
    assert (every <= 3.0).mean() >= 0.95
    assert np.median(every) > 0.3  # errors that are far too large would pass the test above


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
def test_two_hundred_noisy_clouds(model):
    ratios = recovered(model, 200, 2000, 22)
    every = np.concatenate(ratios)
    assert (every <= 3.0).mean() >= 0.97
    assert np.mean([max(one) <= 3.0 for one in ratios]) >= 0.9  # all parameters of a body at once


@pytest.mark.parametrize("model", MODELS)
def test_derivatives_are_those_of_the_distances(model):
    rng = np.random.default_rng(31)
    for entry in ENTRIES[model]:
        truth = random_truth(rng, model)
        points = cloud(rng, truth, 40, 0.05, 0.3) - truth.position
        s = np.array([0.1, -0.1, 0.05, 0.9, 0.95, 1.05])[: len(entry.names)]
        s = np.concatenate([s, np.full(len(entry.names) - len(s), 0.02)])
        if entry.branch == "g3 >= 2, equal slopes":
            s[5], s[7], s[9] = 0.8, -0.03, -0.02
        elif entry.branch == "g3 >= 2":
            s[5], s[7], s[9], s[10] = 0.8, -0.03, 0.05, -0.02
        elif entry.branch == "g3 <= 2":
            s[5], s[7], s[9] = 1.05, 0.03, 0.05
        elif model == "ovoid":
            s[3:] = [0.02, 0.03, -0.01, 0.05, 0.01, 0.02]
        problem = Problem(entry, points, np.ones(40), State(s, np.zeros(3), truth.rotation))
        z = problem.vector() + (0.05 if entry.turns else 0.0)
        slopes = problem.slopes(z)
        for k, step in enumerate(1e-6 * np.eye(len(z))):
            ahead, behind = problem.residuals(z + step), problem.residuals(z - step)
            assert np.abs((ahead - behind) / 2e-6 - slopes[:, k]).max() < 2e-5


@pytest.mark.parametrize("model", ["ellipsoid", "superellipsoid", "ovoid"])
def test_moving_turning_scaling_moves_the_fit_and_nothing_else(model):
    rng = np.random.default_rng(41)
    truth = random_truth(rng, model)
    points = cloud(rng, truth, 500, 0.01, 0.3)
    turn, shift, scale = Rotation.random(rng=rng), np.array([30.0, -20.0, 5.0]), 1000.0
    one, two = tg.fit(points, model), tg.fit(turn.apply(points) * scale + shift, model)
    size = float(one.shape.bounding_radius)
    assert np.abs(one.residuals - two.residuals / scale).max() < 1e-7 * size
    assert np.abs(turn.apply(one.foot) * scale + shift - two.foot).max() < 1e-5 * size * scale
    lengths = np.array([name in "abcr" for name in one.names])
    shape = np.array([name not in ("x", "y", "z", "rx", "ry", "rz") for name in one.names])
    expected = np.where(lengths, one.values * scale, one.values)
    assert np.allclose(two.values[shape], expected[shape], rtol=1e-5, atol=1e-6)
    errors_expected = np.where(lengths, one.standard_errors * scale, one.standard_errors)
    assert np.allclose(two.standard_errors[shape], errors_expected[shape], rtol=1e-3)


def test_outliers_need_a_robust_loss():
    rng = np.random.default_rng(51)
    truth = random_truth(rng, "ellipsoid")
    points = cloud(rng, truth, 800, 0.003, 0.3)
    wild = rng.random(800) < 0.15
    points[wild] += rng.normal(size=(int(wild.sum()), 3)) * 0.8
    plain = max(abs(e) for e in errors(truth, tg.fit(points, "ellipsoid")).values())
    for loss in ("soft_l1", "cauchy"):
        found = tg.fit(points, "ellipsoid", loss=loss)
        assert found.converged
        assert found.loss == loss
        assert max(abs(e) for e in errors(truth, found).values()) < 0.3 * plain
    assert max(abs(e) for e in errors(truth, found).values()) < 0.03


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_caps_of_a_sphere(share):
    """A humeral head is 30 % of a sphere, a femoral head 80 %; normals help, and change nothing in the end."""
    rng = np.random.default_rng(61)
    z = rng.uniform(1 - 2 * share, 1, 600)
    angle = rng.uniform(0, 2 * np.pi, 600)
    u = np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], axis=1)
    points = 23.0 * u + rng.normal(0, 0.1, (600, 3)) + [10, 20, 30]
    found, helped = tg.fit(points, "sphere"), tg.fit(points, "sphere", normals=u)
    for name, exact in {"r": 23.0, "x": 10.0, "y": 20.0, "z": 30.0}.items():
        k = found.names.index(name)
        assert abs(found.values[k] - exact) < 4 * found.standard_errors[k]
        assert abs(helped.values[k] - found.values[k]) < 1e-6


def test_weights_undo_uneven_sampling():
    """A body that the model cannot be: where most points lie decides, unless weights say otherwise."""
    rng = np.random.default_rng(71)
    shape = tg.Superellipsoid([1, 1, 1], (0.4, 0.4))
    n = rng.normal(size=(3000, 3))
    points = shape.point(n / np.linalg.norm(n, axis=1, keepdims=True))
    even = tg.fit(points, "sphere", weights="sampling")
    double = np.concatenate([points, points[points[:, 2] > 0.5] + 1e-9])
    weights = np.concatenate([np.where(points[:, 2] > 0.5, 0.5, 1.0), np.full((points[:, 2] > 0.5).sum(), 0.5)])
    assert abs(tg.fit(double, "sphere", weights=weights).values[3] - tg.fit(points, "sphere").values[3]) < 1e-6
    assert abs(tg.fit(double, "sphere").values[3] - tg.fit(points, "sphere").values[3]) > 1e-3
    assert even.converged


def test_symmetric_bodies_leave_turns_undetermined():
    rng = np.random.default_rng(81)
    n = rng.normal(size=(400, 3))
    found = tg.fit(tg.Ellipsoid([2, 1, 1]).point(n), "ellipsoid")
    assert found.rms < 1e-9
    assert found.status in (FitStatus.CONVERGED, FitStatus.UNDETERMINED)
    assert np.allclose(found.shape.radii, [2, 1, 1], atol=1e-8)
    turning = found.standard_errors[found.names.index("rx")]
    assert turning > 1e3 * found.standard_errors[found.names.index("ry")]


def test_hollow_clouds_give_the_best_convex_body():
    """A pear: the profile wants to be hollow; the fit stops at the limit of convexity and says so."""
    rng = np.random.default_rng(91)
    z, angle = rng.uniform(-0.99, 0.99, 200), rng.uniform(0, 2 * np.pi, 200)
    r = 0.5 * (1 + 0.75 * z + 0.2 * z**3) * np.sqrt(1 - z * z)
    points = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    found = tg.fit(points, "ovoid")
    # At walls with kinks least squares may stall, and say so.
    assert found.status in (FitStatus.AT_CONVEXITY, FitStatus.NOT_CONVERGED)
    assert "convex" in found.message
    assert tg.check(found.shape).ok


def test_every_model_takes_its_own_result_as_start():
    rng = np.random.default_rng(121)
    points = cloud(rng, random_truth(rng, "superovoid"), 250, 0.01, 0.2)
    once = tg.fit(points, "superovoid")
    again = tg.fit(points, "superovoid", start=once)
    assert again.rms <= once.rms * (1.0 + 1e-9)


def test_many_far_outliers():
    """Two fifths of the points scattered farther than the body is wide: only a loss that forgets them will do."""
    rng = np.random.default_rng(131)
    truth = random_truth(rng, "ellipsoid")
    points = cloud(rng, truth, 600, 0.003, 0.2)
    wild = rng.random(600) < 0.4
    size = float(np.abs(truth.shape.aabb()).max())
    points[wild] += 1.5 * size * rng.normal(size=(int(wild.sum()), 3))
    found = tg.fit(points, "ellipsoid", loss="cauchy")
    assert found.converged
    assert max(abs(e) for name, e in errors(truth, found).items() if name in "abc") < 0.01 * size


def test_global_search_and_start():
    rng = np.random.default_rng(101)
    truth = random_truth(rng, "superellipsoid")
    points = cloud(rng, truth, 300, 0.002, 0.0)
    wide = tg.fit(points, "superellipsoid", global_search=True)
    again = tg.fit(points, "superellipsoid", start=wide)
    assert wide.rms == pytest.approx(again.rms, rel=1e-6)
    with pytest.raises(ValueError, match="start must be a FitResult of the model 'ovoid'"):
        tg.fit(points, "ovoid", start=wide)


def test_richer_models_are_never_worse_and_the_right_one_is_chosen():
    rng = np.random.default_rng(111)
    truth = random_truth(rng, "ovoid")
    choice = tg.select_model(cloud(rng, truth, 500, 0.005, 0.2))
    rms = {name: found.rms for name, found in choice.fits.items()}
    assert rms["sphere"] >= rms["ellipsoid"] >= rms["power_ellipsoid"] >= rms["superovoid"]
    assert rms["ellipsoid"] >= rms["ovoid"] >= rms["superovoid"] - 1e-6 * rms["ovoid"]
    assert choice.recommended == "ovoid"
    assert "ovoid" in choice.reason
    assert min(choice.bic, key=choice.bic.get) == "ovoid"
    assert choice.best is choice.fits["ovoid"]


@pytest.mark.parametrize("model", ["superellipsoid", pytest.param("ovoid", marks=pytest.mark.full)])
def test_a_turned_cap_is_fitted_alike(model):
    """A third of a blunt body has several local minima: the same one must be found, wherever the cloud is."""
    rng = np.random.default_rng(5)
    points = tg.Superellipsoid([1.0, 0.9, 0.95], (0.85, 0.9)).point(rng.normal(size=(600, 3)))
    points = points[points @ [0.3, 0.5, 0.8] > 0.3] + 0.0
    points += 0.003 * rng.normal(size=points.shape)
    first = tg.fit(points, model)
    for seed in range(1 if model == "superellipsoid" else 2):
        turn = Rotation.random(rng=np.random.default_rng(seed))
        again = tg.fit(7.0 * turn.apply(points) + [3, 2, 1], model)
        assert again.rms / 7.0 == pytest.approx(first.rms, rel=1e-6)
        place = again.pose.translation
        assert np.allclose(place, 7.0 * turn.apply(first.pose.translation) + [3, 2, 1], atol=1e-3)
        k = again.names.index("x")
        block = again.covariance[k : k + 3, k : k + 3] / 49.0
        matrix = turn.as_matrix()
        assert np.allclose(block, matrix @ first.covariance[k : k + 3, k : k + 3] @ matrix.T, rtol=1e-2, atol=1e-9)


@pytest.mark.parametrize("model", ["ellipsoid", "superellipsoid"])
@pytest.mark.parametrize("scale", [1e-30, 1e-12, 1e12])
def test_what_a_cloud_determines_does_not_depend_on_its_unit(model, scale):
    rng = np.random.default_rng(11)
    points = cloud(rng, random_truth(rng, model), 300, 0.001, 0.0)
    one, two = tg.fit(points, model), tg.fit(points * scale, model)
    assert one.status is two.status is FitStatus.CONVERGED
    lengths = np.isin(one.names, ["a", "b", "c", "x", "y", "z"])
    units = np.where(lengths, scale, 1.0)
    assert np.isfinite(two.standard_errors).all()
    assert np.allclose(two.values / units, one.values, rtol=1e-6, atol=1e-6)
    assert np.allclose(two.standard_errors / units, one.standard_errors, rtol=1e-3)


def test_the_angle_about_an_axis_of_revolution_is_not_determined_in_any_unit():
    n = np.random.default_rng(12).normal(size=(200, 3))
    for scale in (1e-30, 1e-12, 1.0, 1e12):
        found = tg.fit(scale * tg.Ellipsoid([2.0, 2.0, 1.0]).point(n), "ellipsoid", ties=["b = a"])
        assert found.status is FitStatus.CONVERGED
        assert "angle" in found.message


def test_messages_name_the_cause():
    rng = np.random.default_rng(13)
    points = tg.Ellipsoid([3.0, 2.0, 1.0]).point(rng.normal(size=(60, 3)))
    with pytest.raises(ValueError, match=r"at least 4 different points for this model, got 3$"):
        tg.fit(points[:3], "sphere")
    with pytest.raises(ValueError, match="at least 9 different points for this model, got 8: use a simpler model"):
        tg.fit(points[:8], "ellipsoid")
    few = tg.fit(tg.Sphere(1.0).point(rng.normal(size=(4, 3))), "sphere")
    assert few.status is FitStatus.UNDETERMINED
    assert "4 points are not more than its 4 free parameters" in few.message
    for bounds, said in (({"c": (3.1, None)}, "c = 3.1"), ({"c": (None, 0.9)}, "c = 0.9")):
        held = tg.fit(points, "ellipsoid", bounds=bounds)
        assert held.status is FitStatus.AT_BOUND
        assert f"at the given bound {said}." in held.message


def test_a_missing_attribute_is_suggested_once():
    with pytest.raises(AttributeError, match="did you mean 'capsule'") as caught:
        tg.capsul  # noqa: B018
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.lower().count("did you mean") == 1
