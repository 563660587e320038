"""Open models: families of bodies, shapes of a user, bounds, fixed and tied parameters, priors."""

import math
import typing

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.fitting import FitStatus, shape_from_parameters


class Egg(tg.Shape):
    """h = r + s nz^3 on the unit sphere: convex for |s| <= r / 2."""

    class Kernel(typing.NamedTuple):
        radius: float
        skew: float

        def point(self, n):
            length = math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
            z = n[2] / length
            g = (self.radius - 2 * self.skew * z**3) / length
            return (g * n[0], g * n[1], g * n[2] + 3 * self.skew * z * z)


def placed(points, rng, noise):
    return Rotation.random(rng=rng).apply(points) + rng.normal(size=3) + rng.normal(0, noise, points.shape)


def on_box(half, rng, count):
    p = rng.uniform(-1, 1, (count, 3))
    k = rng.integers(0, 3, count)
    p[np.arange(count), k] = np.sign(p[np.arange(count), k])
    return p * half


def on_cone(radius, half, top, rng, count):
    angle, z = rng.uniform(0, 2 * np.pi, count), rng.uniform(-half, half, count)
    r = radius + (top - radius) * (z + half) / (2 * half)
    cap = rng.uniform(size=count) < 0.3
    z[cap] = np.where(rng.uniform(size=cap.sum()) < 0.5, half, -half)
    r[cap] = np.where(z[cap] > 0, top, radius) * np.sqrt(rng.uniform(size=cap.sum()))
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def errors_of(found):
    return dict(zip(found.names, found.standard_errors))


CASES = {
    "capsule": (tg.capsule(1.0, 2.0), {"radius": 1.0, "half_length": 2.0}),
    "rounded_box": (tg.rounded_box([1, 2, 3], 0.3), {"a": 1.0, "b": 2.0, "c": 3.0, "r": 0.3}),
    "cylinder": (1.0, {"radius": 1.0, "half_length": 2.0}),
    "cone": (0.3, {"radius": 1.0, "half_length": 2.0, "top_radius": 0.3}),
    "box": (None, {"a": 1.0, "b": 2.0, "c": 3.0}),
    "tapered_superellipsoid": (
        tg.TaperedSuperellipsoid([2, 3, 1.5], (0.6, 0.7), (0.2, 0.2)),
        {"c": 1.5, "e1": 0.6, "e2": 0.7},
    ),
}


@pytest.mark.parametrize(
    "model", [pytest.param(m, marks=pytest.mark.full) if m in ("cone", "rounded_box") else m for m in CASES]
)
def test_families_are_recovered(model):
    rng = np.random.default_rng(5)
    kind, truth = CASES[model]
    if model == "box":
        points = on_box(np.array([1.0, 2.0, 3.0]), rng, 300)
    elif isinstance(kind, float):
        points = on_cone(1.0, 2.0, kind, rng, 300)
    else:
        points = kind.point(rng.normal(size=(150, 3)))
    points = placed(points, rng, 0.01)
    found = tg.fit(points, model)
    assert found.status == FitStatus.CONVERGED, found.message
    spread, p = errors_of(found), dict(found.parameters)
    if model == "cone" and p["top_radius"] > p["radius"]:  # the same body upside down
        p["radius"], p["top_radius"] = p["top_radius"], p["radius"]
    if model.endswith("box"):  # axes in any order
        p.update(zip("abc", sorted(p[name] for name in "abc")))
    for name, value in truth.items():
        assert abs(p[name] - value) < 4 * max(spread[name], spread.get("top_radius", 0.0)), name
    assert found.rms == pytest.approx(0.01, rel=0.15)
    again = tg.signed_distance(shape_from_parameters(model, found.parameters), points, found.pose).distance
    assert np.array_equal(again, found.residuals)


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_shape_of_a_user_by_class_and_by_instance(long):
    rng = np.random.default_rng(0)
    points = placed(Egg(2.0, 0.4).point(rng.normal(size=(60, 3))), rng, 0.01)
    for model in (Egg(1.0, 0.05), Egg) if long else (Egg,):
        found = tg.fit(points, model)
        assert found.status == FitStatus.CONVERGED
        spread = errors_of(found)
        assert abs(found.parameters["radius"] - 2.0) < 4 * spread["radius"]
        assert abs(abs(found.parameters["skew"]) - 0.4) < 4 * spread["skew"]
        assert isinstance(found.shape, Egg)


def test_convexity_is_a_constraint_of_a_users_shape():
    rng = np.random.default_rng(0)
    n = rng.normal(size=(60, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    s, z = 0.7, n[:, 2:]  # beyond the limit of convexity: the formula folds over itself
    points = (1.0 - 2 * s * z**3) * n + np.concatenate([0 * n[:, :2], 3 * s * z * z], axis=1)
    found = tg.fit(points, Egg(1.0, 0.3))
    assert found.status == FitStatus.AT_CONVEXITY
    assert abs(found.parameters["skew"]) <= 0.5 * found.parameters["radius"] * (1 + 1e-6)
    assert tg.check(found.shape).ok


def test_affine_images():
    rng = np.random.default_rng(1)
    body = tg.PowerEllipsoid([3, 2, 1.5], [2.5, 3, 2])
    image = body.affine([[1, 0.3, 0], [0, 1, 0.1], [0.1, 0, 1.2]])
    points = placed(image.point(rng.normal(size=(400, 3))), rng, 0.01)
    found = tg.fit(points, body.affine(np.eye(3)))
    assert found.rms == pytest.approx(0.01, rel=0.15)
    assert float(found.shape.volume) == pytest.approx(float(image.volume), rel=5e-3)


def test_bounds_fixed_and_ties():
    rng = np.random.default_rng(2)
    points = placed(tg.Ellipsoid([3, 2, 1]).point(rng.normal(size=(300, 3))), rng, 0.005)
    free = tg.fit(points, "ellipsoid")
    bounded = tg.fit(points, "ellipsoid", bounds={name: (1.2, None) for name in "abc"})
    assert bounded.status == FitStatus.AT_BOUND
    assert min(bounded.parameters[name] for name in "abc") == pytest.approx(1.2)
    assert bounded.rms > free.rms
    fixed = tg.fit(points, "ellipsoid", fixed={"b": 3.0})  # another axis than the first
    assert fixed.parameters["b"] == 3.0
    assert errors_of(fixed)["b"] == 0.0
    assert fixed.rms == pytest.approx(free.rms, rel=0.01)
    tied = tg.fit(points, "ellipsoid", ties=["b = 2 * a"])
    assert tied.parameters["b"] == pytest.approx(2 * tied.parameters["a"], rel=1e-12)
    assert tied.rms == pytest.approx(free.rms, rel=0.01)
    for found in (bounded, fixed, tied):
        assert np.array_equal(tg.signed_distance(found.shape, points, found.pose).distance, found.residuals)


def test_the_limits_of_the_thesis():
    rng = np.random.default_rng(3)
    egg = tg.Superovoid([2, 2, 3], [2, 2, 1.8], [1, 0.3, -0.2, 0], [1, 0.3, -0.2, 0])
    points = placed(egg.point(rng.normal(size=(120, 3))), rng, 0.005)
    found = tg.fit(points, "superovoid", bounds="thesis")
    p = found.parameters
    assert min(p["g1"], p["g2"], p["g3"]) >= 2.0 - 1e-12
    assert max(abs(p[name]) for name in ("c2x", "c3x", "c2y", "c3y")) <= 0.1 + 1e-12
    assert found.status in (FitStatus.AT_BOUND, FitStatus.AT_CONVEXITY)


def test_priors():
    rng = np.random.default_rng(4)
    cap = tg.Sphere(2.0).point(rng.normal(size=(400, 3)))
    cap = cap[cap[:, 2] > 1.8] + rng.normal(0, 0.01, (int((cap[:, 2] > 1.8).sum()), 3))
    free = tg.fit(cap, "sphere")
    sharp = tg.fit(cap, "sphere", priors={"r": (2.0, 1e-4)})
    wide = tg.fit(cap, "sphere", priors={"r": (5.0, 1e6)})
    assert sharp.parameters["r"] == pytest.approx(2.0, abs=5e-4)
    assert errors_of(sharp)["r"] == pytest.approx(1e-4, rel=0.05)
    assert wide.parameters["r"] == pytest.approx(free.parameters["r"], rel=1e-6)
    # As many standard deviations from the prior as from the data: the mean of both, and an error smaller by sqrt(2)
    error = errors_of(free)["r"]
    both = tg.fit(cap, "sphere", priors={"r": (free.parameters["r"] + error, error)})
    assert both.parameters["r"] == pytest.approx(free.parameters["r"] + 0.5 * error, abs=0.15 * error)
    assert errors_of(both)["r"] == pytest.approx(error / math.sqrt(2), rel=0.1)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"bounds": {"g1": (2, None)}}, "bounds must name parameters of the model (a, b, c), got 'g1'"),
        ({"bounds": {"a": (3, 2)}}, "low <= high"),
        ({"bounds": "these"}, "one of thesis"),
        ({"fixed": {"a": -1}}, "fixed['a'] must be > 0"),
        ({"ties": ["a = a"]}, "must join two parameters"),
        ({"ties": ["a is b"]}, "'b = a'"),
        ({"ties": ["b = a"], "fixed": {"b": 1}}, "either fixed or tied"),
        ({"priors": {"a": (1, 0)}}, "standard deviation > 0"),
        ({"priors": {"a": (1, 0.1)}, "fixed": {"a": 2}}, "either fixed or have a prior"),
        ({"ties": ["b = -1 * a"]}, "a factor > 0"),
        ({"ties": ["b = 2 * a", "a = 2 * b"]}, "must leave bodies"),
        ({"bounds": {"a": (1, 2)}, "fixed": {"a": 3}}, "must lie within"),
    ],
)
def test_wrong_limits_are_refused(more, says):
    points = tg.Ellipsoid([3, 2, 1]).point(np.random.default_rng(0).normal(size=(50, 3)))
    with pytest.raises((TypeError, ValueError)) as error:
        tg.fit(points, "ellipsoid", **more)
    assert says in str(error.value)


def test_wrong_models_are_refused():
    points = tg.Ellipsoid([3, 2, 1]).point(np.random.default_rng(0).normal(size=(50, 3)))
    with pytest.raises(TypeError, match="a bounded body"):
        tg.fit(points, tg.HalfSpace([0, 0, 1]))
    with pytest.raises(TypeError, match="a name, a Shape or a class"):
        tg.fit(points, 3)
    with pytest.raises(ValueError, match="did you mean 'capsule'"):
        tg.fit(points, "capsul")


def covered(trials, seed):
    """Share of parameters of Egg within 1.96 standard errors."""
    rng = np.random.default_rng(seed)
    inside = []
    for _ in range(trials):
        points = placed(Egg(2.0, 0.5).point(rng.normal(size=(200, 3))), rng, 0.02)
        found = tg.fit(points, Egg(1.8, 0.3))
        spread = errors_of(found)
        inside += [abs(found.parameters["radius"] - 2.0) < 1.96 * spread["radius"]]
        inside += [abs(abs(found.parameters["skew"]) - 0.5) < 1.96 * spread["skew"]]
    return np.mean(inside)


@pytest.mark.full
def test_covariance_of_a_users_shape():
    # 24 of 24 to 18 of 24: with the right covariance fewer than 18 come once in 5000 seeds
    assert covered(12, 7) >= 18 / 24


@pytest.mark.full
def test_coverage_of_a_users_shape():
    assert 0.925 <= covered(200, 11) <= 0.975


class Lens(tg.Shape):
    """An ellipsoid of revolution by formulas that divide by c and take its root."""

    class Kernel(typing.NamedTuple):
        a: float
        c: float

        def point(self, n):
            q = self.a / math.sqrt(self.c) ** 2
            s = math.sqrt(q * q * (n[0] ** 2 + n[1] ** 2) + n[2] ** 2)
            return (self.a * q * n[0] / s, self.a * q * n[1] / s, self.c * n[2] / s)


def test_parameters_without_a_body_are_rejected_like_bad_steps():
    from tangency.fitting.limits import Limits
    from tangency.fitting.open_model import open_models
    from tangency.fitting.own_family import family_of

    (model,) = open_models(family_of(Lens(2.0, 0.3), 1.0), Limits(bounds={"c": (0.0, math.inf)}), 1.0)
    rng = np.random.default_rng(61)
    for a in rng.uniform(0.5, 3.0, 5):
        assert model.margins(np.array([a, 0.0])) is None
        assert not model.is_convex(np.array([a, 0.0]))
        assert model.is_convex(np.array([a, 0.3]))
        slopes = model.distance_slopes(np.array([a, 1e-10]), np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]))
        assert slopes[0] == pytest.approx([0.0, -1.0], abs=1e-3)  # differences to one side


def test_a_fit_goes_on_after_steps_without_a_body():
    rng = np.random.default_rng(63)
    points = tg.Ellipsoid([2.0, 2.0, 0.4]).point(rng.normal(size=(40, 3))) + rng.normal(0.0, 0.01, (40, 3))
    found = tg.fit(points, Lens(2.0, 1.5), bounds={"c": (0, None)})
    assert found.parameters["c"] == pytest.approx(0.4, abs=0.02)


def test_a_start_without_a_body_names_the_parameters():
    points = tg.Ellipsoid([2.0, 2.0, 1.0]).point(np.random.default_rng(62).normal(size=(60, 3)))
    said = r"a fit of Lens cannot start from a = .*, c = 0: the formulas of Lens .* by a bound"
    with pytest.raises(tg.ShapeError, match=said):
        tg.fit(points, Lens(2.0, 0.0))
    with pytest.raises(tg.ShapeError, match=said):
        tg.fit(points, Lens(2.0, 1.0), fixed={"c": 0.0})
