"""Poses and options of stacks: all forms give the same bits, bad ones are refused."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from lane_pairs import same


def frames(rng, count):
    pose = np.tile(np.eye(4), (count, 1, 1))
    pose[:, :3, :3], pose[:, :3, 3] = Rotation.random(count, rng=rng).as_matrix(), 3.0 * rng.normal(size=(count, 3))
    return pose


def read_only(pose):
    pose = pose.copy()
    pose.flags.writeable = False
    return pose


@pytest.mark.parametrize(
    "form",
    [
        read_only,
        np.asfortranarray,
        np.ndarray.tolist,
        lambda p: np.repeat(p, 2, axis=0)[::2],
        lambda p: p[::-1].copy()[::-1],
        lambda p: p.astype(">f8"),
        lambda p: p.astype(object),
        lambda p: (p[:, :3, :3], p[:, :3, 3]),
        lambda p: (p[:, :3, :3].tolist(), p[:, :3, 3].tolist()),
    ],
)
def test_all_forms_of_poses_give_the_same_bits(form):
    a, b = tg.Ellipsoid([1, 0.5, 0.3]), tg.Superellipsoid([0.4, 0.6, 0.9], (0.8, 1.1))
    pose = frames(np.random.default_rng(17), 6)
    assert same(tg.contact(a, b, None, pose), tg.contact(a, b, None, form(pose)))


def test_slightly_skew_poses_are_brought_back():
    rng = np.random.default_rng(18)
    a, b = tg.Ellipsoid([1, 0.5, 0.3]), tg.Ellipsoid([0.4, 0.6, 0.9])
    pose = frames(rng, 100)
    skew = pose.copy()
    skew[:, :3, :3] += 1e-9 * rng.normal(size=(100, 3, 3))
    c, d = tg.contact(a, b, pose_b=pose), tg.contact(a, b, pose_b=skew)
    np.testing.assert_allclose(c.distance, d.distance, atol=1e-8)
    local = np.einsum("kji,kj->ki", pose[:, :3, :3], d.point_b - pose[:, :3, 3])
    np.testing.assert_allclose(b.implicit(local), 0.0, atol=1e-7)


@pytest.mark.parametrize(
    ("at", "value", "word"),
    [
        ((40, 0, 0), np.nan, "finite"),
        ((40, 1, 3), np.nan, "finite"),
        ((40, 2, 3), np.inf, "finite"),
        ((40, 3, 0), 1e-3, "last row"),
        ((40, 3, 3), np.nan, "last row"),
        ((40, 2, 3), 1e61, "1e60"),
        ((40, slice(0, 3), slice(0, 3)), np.diag([1, 1, -1]), "reflection"),
        ((40, slice(0, 3), slice(0, 3)), 0.0, "rotation"),
    ],
)
def test_one_bad_pose_in_a_stack_is_refused(at, value, word):
    pose = frames(np.random.default_rng(19), 70)
    pose[at] = value
    with pytest.raises(ValueError, match=word) as info:
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=pose)
    assert "pose_b" in str(info.value)


def test_messages_about_large_stacks_are_short():
    pose = np.tile(np.eye(4), (10_000, 1, 1))
    pose[3, 3, 0] = 1e-3
    with pytest.raises(ValueError, match="last row") as info:
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=pose)
    assert len(str(info.value)) < 5000


@pytest.mark.parametrize("threads", [0, -1, "all", 1.5, True])
def test_threads_are_checked_for_single_pairs_too(threads):
    for pose in (None, np.tile(np.eye(4), (5, 1, 1))):
        with pytest.raises(ValueError, match="threads"):
            tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=pose, threads=threads)


def test_changing_the_input_does_not_change_an_old_answer():
    rng = np.random.default_rng(20)
    radii, pose, guess, limit = rng.uniform(0.2, 1, (6, 3)), frames(rng, 6), rng.normal(size=(6, 3)), np.full(6, 100.0)
    b = tg.Ellipsoid([0.4, 0.6, 0.9])

    def ask():
        return tg.contact(tg.Ellipsoid(radii), b, None, pose, guess=guess, max_distance=limit)

    c, d = ask(), ask()
    before = [d.curvature_a, d.curvature_b, d.relative_curvature]
    for array in (radii, pose, guess, limit):
        array[...] = 7.0
    assert same(c, d)
    for now, then in zip([c.curvature_a, c.curvature_b, c.relative_curvature], before):
        for name in ("values", "radii", "directions"):
            assert np.array_equal(getattr(now, name), getattr(then, name))
