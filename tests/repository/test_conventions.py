"""What docs/conventions.md says in words, statement by statement; lists on other pages that must be complete."""

import math
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.scene.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
BODIES = (tg.Sphere(1.0), tg.Ellipsoid([1, 2, 3]), tg.Superellipsoid([1, 2, 3], epsilon=(0.5, 0.8)), tg.Box([1, 2, 3]))


class NotEverywhere(tg.Shape):
    """A ball whose formula fails near the direction (1, 1, 1)."""

    class Kernel(NamedTuple):
        radius: float

        def point(self, n):
            r = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            k = self.radius / r
            if n[0] + n[1] + n[2] > 1.7 * r:
                k = math.nan
            return (k * n[0], k * n[1], k * n[2])


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_half_spaces_are_explicit(body):
    ground = tg.HalfSpace([0, 0, 1])
    for height, status in ((5.0, tg.Status.APART), (0.5, tg.Status.OVERLAP_PROVED)):
        for options in ({}, {"tol": 1e-3, "max_distance": 0.1, "guess": [1, 0, 0]}, {"solver": "romer-3"}):
            c = tg.contact(ground, body, pose_b=(None, [0, 0, height]), **options)
            assert (c.iterations, c.evaluations, c.status) == (1, 1, status)
            assert float(c.distance) == pytest.approx(height - float(body.support([0, 0, -1])), abs=1e-13)


def test_a_shape_that_returns_no_number():
    """Infinite bounds under NOT_A_NUMBER, and only there; the largest code of a stack gives its message."""
    ball, away = NotEverywhere(radius=1.0), np.array([9.0, 9.0, 9.0])
    c = tg.contact(ball, tg.Sphere(1.0), pose_b=(None, [away, -away]))
    assert c.status.tolist() == [tg.Status.NOT_A_NUMBER, tg.Status.APART]
    assert (c.lower[0], c.upper[0]) == (-np.inf, np.inf)
    assert c.lower[1] <= np.sqrt(243.0) - 2.0 <= c.upper[1]
    assert c.message == tg.Status(int(c.status.max())).message
    with pytest.raises(tg.ShapeError):
        ball.support([1, 1, 1])


def test_swapping_agrees_to_the_tolerance():
    rng = np.random.default_rng(2)
    a, b = BODIES[1], BODIES[2]
    pose = Rotation.random(200, rng=rng), 3.0 * rng.normal(size=(200, 3))
    c, d = tg.contact(a, b, None, pose), tg.contact(b, a, pose, None)
    np.testing.assert_allclose(c.distance, d.distance, atol=1e-12 * 8)
    np.testing.assert_allclose(c.normal, -d.normal, atol=1e-6)
    assert ((c.lower <= d.upper) & (d.lower <= c.upper)).all()


def test_beyond_says_that_the_solver_stopped_early():
    far = (None, [5.0, 4.0, 3.0])
    assert tg.contact(BODIES[0], BODIES[0], pose_b=far, max_distance=0.1).status == tg.Status.APART
    c = tg.contact(BODIES[1], BODIES[2], pose_b=far, max_distance=0.1)
    assert c.status == tg.Status.BEYOND
    assert 0.1 < c.lower <= tg.contact(BODIES[1], BODIES[2], pose_b=far).distance


def test_curvature_on_faces_edges_and_corners():
    found = tg.Box([1, 2, 3]).curvature([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert found.values.tolist() == [[0, 0], [np.inf, 0], [np.inf, np.inf]]
    assert found.radii.tolist() == [[np.inf, np.inf], [0, np.inf], [0, 0]]
    flat = tg.Superellipsoid([1, 1, 1], epsilon=(0.5, 0.5)).curvature([1, 0, 0])
    assert (flat.radii > 1e20).all()


@pytest.mark.parametrize("length", [1e61, 1e-61])
def test_the_range_of_lengths(length):
    with pytest.raises(ValueError, match="must lie between 1e-60 and 1e60"):
        tg.contact(tg.Sphere(length), tg.Sphere(length), pose_b=(None, [1.0, 0, 0]))
    with pytest.raises(ValueError, match="within 1e60"):
        tg.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [9e60, 0, 0]))


def test_a_wrong_rotation_at_the_end_of_a_large_stack():
    poses = np.tile(np.eye(4), (20_000, 1, 1))
    poses[:, 0, 3] = 5.0
    poses[-1, 0, 0] = 2.0
    with pytest.raises(ValueError, match="pose_b must be a rotation"):
        tg.contact(BODIES[1], BODIES[1], None, poses)


def test_nothing_can_be_changed():
    radii = np.array([1.0, 2.0, 3.0])
    body = tg.Ellipsoid(radii)
    radii[0] = 9.0
    body.radii[1] = 9.0  # a copy
    assert body.radii.tolist() == [1.0, 2.0, 3.0]
    c = tg.contact(body, body, pose_b=(None, [9, 0, 0]))
    assert not any(getattr(c, name).flags.writeable for name in ("distance", "normal", "point_a", "point_b", "lower"))
    assert f"{c.distance:.3f}" == "7.000"


def test_lists_are_complete():
    """Words for shapes in docs/scenes.md, extras in docs/start.md."""
    words = (ROOT / "docs" / "scenes.md").read_text(encoding="utf-8").split("## Shapes\n")[1].split(";")[0]
    assert set(re.findall(r"`(\w+)`", words)) == set(CATALOGUE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    start = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `tangency\[(\w+)\]`", start, flags=re.M)
    assert set(listed) == set(extras) - {"bench", "test"}
