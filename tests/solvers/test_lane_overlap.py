"""Stacks of spheres, ellipsoids and superellipsoids that overlap: depths are proved only if they are right."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from lane_pairs import best_separation, contradictions, robust
from manufactured import place, random_radii, unit


def overlaps(rng, count, aspect):
    """Ellipsoids that overlap by anything from 1e-14 to concentric; some aligned, some nearly so."""
    radii_a = random_radii(rng, count, aspect)
    radii_b = random_radii(rng, count, aspect) * 10.0 ** rng.uniform(-1.0, 1.0, (count, 1))
    small = Rotation.from_rotvec(rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-8.0, 0.0, (count, 1))).as_matrix()
    kind = rng.random(count)[:, None, None]
    turn = np.where(kind < 0.6, Rotation.random(count, rng=rng).as_matrix(), np.where(kind < 0.9, small, np.eye(3)))
    n = unit(rng.normal(size=(count, 3)) / np.where(rng.random((count, 1)) < 0.5, 1.0, radii_a))
    x_b = tg.Ellipsoid(radii_b).point(np.einsum("kji,kj->ki", turn, n))
    reach = tg.Ellipsoid(radii_a).point(n) + np.einsum("kij,kj->ki", turn, x_b)
    deep = np.where(rng.random(count) < 0.5, 1.0 - 10.0 ** rng.uniform(-14.0, 0.0, count), rng.random(count))
    along = np.eye(3)[rng.integers(0, 3, count)] * (radii_a + radii_b)
    return radii_a, radii_b, turn, np.where(rng.random((count, 1)) < 0.15, along, reach) * deep[:, None]


def check_overlaps(monkeypatch, rng, count, aspect, directions):
    radii_a, radii_b, turn, position = overlaps(rng, count, aspect)
    a, b = tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b)
    c = tg.contact(a, b, None, (turn, position))
    size = radii_a.max(axis=-1) + radii_b.max(axis=-1)
    for k in range(0, count, 1000):
        part = slice(k, k + 1000)
        best = best_separation(radii_a[part], radii_b[part], turn[part], position[part], directions)
        # No direction separates with a shorter translation than is proved.
        assert (best <= c.upper[part] + 1e-14 * size[part]).all()
    assert contradictions(c, robust(monkeypatch, a, b, None, (turn, position))) == 0
    assert c.converged.mean() > 0.999
    assert (c.status <= tg.Status.OVERLAP_PROVED).mean() > 0.99


@pytest.mark.parametrize("aspect", [2.0, 30.0, 300.0])
def test_proved_depths_hold_against_all_directions(aspect, monkeypatch):
    check_overlaps(monkeypatch, np.random.default_rng(12), 1000, aspect, 2000)


@pytest.mark.full
@pytest.mark.parametrize(
    "aspect",
    [2.0, 5.0, 30.0, 300.0, 1e4, 1e6],
)
def test_thousands_of_proved_depths(aspect, monkeypatch):
    check_overlaps(monkeypatch, np.random.default_rng(13), 10_000, aspect, 2500)


def test_no_proof_at_a_saddle_of_flat_needles():
    # Moved along the middle axis: that axis is a common normal, but the short one is the way out.
    for radii in ([1.0, 1e-4, 1e-6], [1.0, 3e-5, 1e-6], [1.0, 1e-5, 1e-6], [1.0, 1e-4, 1e-5]):
        a = tg.Ellipsoid(radii)
        part = np.array([0.1, 0.5, 0.75, 0.9, 0.99])
        c = tg.contact(a, a, None, (None, 2.0 * radii[1] * part[:, None] * [0.0, 1.0, 0.0]))
        assert (c.upper >= -2.0 * radii[2] - 1e-14).all()


@pytest.mark.parametrize(
    ("a", "b", "turn", "position", "separation"),
    [
        (
            [0.0004073967571314883, 0.000636669599036008, 1.0],
            [0.0012433349662998657, 0.0010438233485513657, 0.6114533635052329],
            [0.022522671516891198, -0.0042777735049883865, 0.013071702392242706],
            [3.171022461290586e-05, 0.00017321291155473597, -0.020245055365835207],
            -0.0016531588,
        ),
        (
            [2.1099254560817906e-05, 1.0, 1.4995071988941609e-05],
            [0.00032846430677812227, 7.587785780886633, 0.00011353781414816025],
            [-1.486250061498283, 0.48735121110352453, -0.019674733186643076],
            [2.1360071186409946, -1.7814749243956636, 7.238871303560634],
            -6.16e-08,
        ),
    ],
)
def test_no_proof_excludes_a_known_separation(a, b, turn, position, separation):
    pose = (Rotation.from_rotvec(np.tile(turn, (4, 1))), np.tile(position, (4, 1)))
    c = tg.contact(tg.Ellipsoid(a), tg.Ellipsoid(b), None, pose)
    assert (c.upper >= separation).all()


@pytest.mark.parametrize("aspect", [3.0, 1e3, 1e6])
def test_shallow_overlaps_and_touching(aspect):
    rng = np.random.default_rng(14)
    radii_a, radii_b = random_radii(rng, 2000, aspect), random_radii(rng, 2000, aspect)
    depth = 10.0 ** rng.uniform(-16.0, -1.0, 2000) * np.minimum(radii_a.min(axis=-1), radii_b.min(axis=-1))
    depth[::7] = 0.0
    n, turn = unit(rng.normal(size=(2000, 3))), Rotation.random(2000, rng=rng).as_matrix()
    c = place(tg.Ellipsoid(radii_a), tg.Ellipsoid(radii_b), -depth, n, turn).contact()
    assert c.converged.all()
    # The manufactured normal separates with this translation.
    assert (c.upper >= -depth - 4e-15).all()
    assert (c.status <= tg.Status.OVERLAP_PROVED).mean() > 0.99


@pytest.mark.parametrize(
    ("a", "b", "depth"),
    [
        (tg.Ellipsoid([1, 0.5, 0.3]), tg.Ellipsoid([1, 0.5, 0.3]), 0.6),
        (tg.Sphere(1.0), tg.Sphere(1.0), 2.0),
        (tg.Sphere(1.0), tg.Ellipsoid([1, 2, 3]), 2.0),
        (tg.Superellipsoid([1, 0.5, 0.3], (0.5, 0.5)), tg.Superellipsoid([1, 0.5, 0.3], (0.5, 0.5)), 0.6),
        (tg.Ellipsoid([1, 1, 1e-6]), tg.Ellipsoid([1, 1, 1e-6]), 2e-6),
    ],
    ids=lambda value: type(value).__name__,
)
def test_concentric_bodies_in_stacks(a, b, depth):
    position = np.zeros((7, 3))
    position[1:4, 0], position[4:7, 1] = [1e-300, 1e-16, 1e-14], [1e-300, 1e-16, 1e-14]
    c = tg.contact(a, b, None, (None, position))
    assert c.converged.all()
    np.testing.assert_allclose(c.distance, -depth, atol=1e-13)
    for array in (c.normal, c.point_a, c.point_b, c.lower, c.upper):
        assert np.isfinite(array).all()
