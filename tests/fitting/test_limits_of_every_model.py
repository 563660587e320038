"""Bounds, fixed and tied parameters of every model: kept to the last digit, and never better than without them."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg

LENGTHS = {
    "ellipsoid": "abc", "superellipsoid": "abc", "power_ellipsoid": "abc", "ovoid": "abc", "superovoid": "abc",
    "box": "abc", "rounded_box": "abc", "capsule": ("radius", "half_length"), "cylinder": ("radius", "half_length"),
    "tapered_superellipsoid": "abc",
}  # fmt: skip
QUICK = ("ellipsoid", "superellipsoid", "power_ellipsoid", "ovoid", "box", "capsule", "cylinder")


def face_points(kind, rng, count):
    """Exact points on a box, a rounded box, a cylinder or a cone, spread over its faces, and its size."""
    half = np.exp(rng.uniform(-1, 1, 3))
    points = rng.uniform(-1, 1, (count, 3)) * half
    if kind in ("box", "rounded_box"):
        radius = 0.0 if kind == "box" else rng.uniform(0.1, 0.9) * half.min()
        points *= 1.0 / np.abs(points / half).max(axis=1, keepdims=True)
        inner = np.clip(points, radius - half, half - radius)
        away = points - inner
        if radius:
            points = inner + radius * away / np.linalg.norm(away, axis=1, keepdims=True)
        return points, half.max()
    turn, part = rng.uniform(0, 2 * np.pi, count), rng.uniform(-1, 1, count)
    radius, height, top = *half[:2], half[0] if kind == "cylinder" else 0.5 * half[0]
    ends = rng.random(count) < 0.4
    up = np.where(ends, np.sign(part), part)
    across = 0.5 * (radius + top) - 0.5 * up * (radius - top)
    across *= np.where(ends, np.sqrt(rng.random(count)), 1.0)
    return np.column_stack([across * np.cos(turn), across * np.sin(turn), height * up]), half.max()


def cloud(model):
    """A noisy cloud, of a box or a cylinder for the models with edges, in which they have one clear minimum."""
    rng = np.random.default_rng(1)
    points = tg.Superellipsoid([3, 2.4, 1.7], (0.7, 0.8)).point(rng.normal(size=(80, 3)))
    if model in ("box", "rounded_box", "cylinder"):
        points = face_points(model, rng, 120)[0]
    return Rotation.random(rng=rng).apply(points) + rng.normal(0, 0.02, points.shape)


@pytest.mark.parametrize(
    "model", [model if model in QUICK else pytest.param(model, marks=pytest.mark.full) for model in LENGTHS]
)
def test_limits_are_kept_exactly(model):
    points, rng = cloud(model), np.random.default_rng(2)
    free = tg.fit(points, model)
    names = [name for name in free.names if name not in ("x", "y", "z", "rx", "ry", "rz")]
    for name in rng.permutation(names)[:3]:
        value = free.parameters[name]
        inward = float(value * 0.93 if abs(value) > 0.02 else 0.03)
        cut = (inward, None) if inward > value else (None, inward)
        fixed, bounded = tg.fit(points, model, fixed={name: inward}), tg.fit(points, model, bounds={name: cut})
        assert fixed.parameters[name] == inward
        assert bounded.parameters[name] == inward or (bounded.parameters[name] > inward) == (inward > value)
        assert min(fixed.rms, bounded.rms) > free.rms * (1.0 - 1e-6)
    one, other = LENGTHS[model][:2]
    tied = tg.fit(points, model, ties=[f"{other} = 0.8 * {one}"])
    assert tied.parameters[other] == 0.8 * tied.parameters[one]
    assert tied.rms > free.rms * (1.0 - 1e-6)
    for found in (tied, fixed, bounded):
        assert np.array_equal(
            tg.signed_distance(found.shape, points, found.pose, certify=True).distance, found.residuals
        )


@pytest.mark.parametrize("kind", ["box", "rounded_box", "cylinder", "cone"])
def test_exact_points_of_simple_bodies_give_them_back(kind, pytestconfig):
    for seed in range(40 if pytestconfig.getoption("--full") else 6):
        rng = np.random.default_rng(seed + (20 if kind == "box" else 0))
        points, size = face_points(kind, rng, 60)
        found = tg.fit(Rotation.random(rng=rng).apply(points) + rng.normal(size=3), kind)
        assert found.rms < 1e-11 * size, (seed, found.message)
        assert found.converged, (seed, found.message)


@pytest.mark.parametrize("model", ["superovoid", "tapered_superellipsoid", "capsule"])
def test_where_branches_of_a_model_meet_exact_fits_converge(model):
    """An ellipsoid has g3 = 2 and e1 = 1: nothing is gained beyond these borders of the branches."""
    for seed in range(2):
        points = tg.Ellipsoid([3, 2, 2] if model == "capsule" else [3, 2, 1]).point(
            np.random.default_rng(seed).normal(size=(100, 3))
        )
        found = tg.fit(points, model)
        assert found.status.name == "CONVERGED", found.message
        assert model == "capsule" or found.rms < 1e-12


def test_a_capsule_of_no_length():
    points = tg.Sphere(2.0).point(np.random.default_rng(0).normal(size=(100, 3)))
    found = tg.fit(points, "capsule")
    assert found.status.name == "AT_BOUND"
    assert "half_length at the least value, where the body is a simpler one" in found.message
