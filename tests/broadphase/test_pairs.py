"""Candidate pairs of many bodies: the same as by comparing all of them, in linear time, in a fixed order."""

from time import process_time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES
from tangency.broadphase import overlapping_boxes, pairs


def brute_force(low, high):
    i, j = np.triu_indices(len(low), 1)
    meet = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
    return np.stack([i[meet], j[meet]], axis=1)


def boxes(rng, kind, n):
    """Corners of boxes at random, of the kinds that a hash of cells might get wrong."""
    place, half = rng.uniform(-1, 1, (n, 3)), rng.uniform(0.01, 0.1, (n, 3))
    if kind == "sizes 1:100":
        half = 0.003 * 10 ** rng.uniform(0, 2, (n, 1)) * rng.uniform(0.5, 1, (n, 3))
    elif kind == "clustered":
        place = rng.normal(size=(5, 3))[rng.integers(5, size=n)] * 1e3 + rng.normal(size=(n, 3)) * 0.2
    elif kind == "equal positions":
        place[:] = rng.uniform(-1, 1, (10, 3))[rng.integers(10, size=n)]
    elif kind == "points":
        place, half = rng.integers(3, size=(n, 3)).astype(float), np.zeros((n, 3))
    elif kind == "on the cells' borders":
        place, half = 0.25 * rng.integers(-4, 5, (n, 3)), np.full((n, 3), 0.125)
    elif kind == "far and tiny":
        place, half = place * 10.0 ** rng.integers(-6, 30, (n, 1)), half * 10.0 ** rng.integers(-30, 6, (n, 1))
    elif kind == "unbounded":
        half[rng.random((n, 3)) < 0.02] = np.inf
    elif kind == "flat and long":
        half *= 10.0 ** rng.integers(-3, 2, (n, 3))
    return place - half, place + half


KINDS = (
    "similar", "sizes 1:100", "clustered", "equal positions", "points", "on the cells' borders", "far and tiny",
    "unbounded", "flat and long",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_against_all_pairs(kind):
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 3, 50, 300):
        for _ in range(5):
            low, high = boxes(rng, kind, n)
            assert overlapping_boxes(low, high).tolist() == brute_force(low, high).tolist()


def test_order_of_the_boxes_does_not_matter():
    rng = np.random.default_rng(2)
    low, high = boxes(rng, "sizes 1:100", 400)
    order = rng.permutation(400)
    found = order[overlapping_boxes(low[order], high[order])]
    found = np.sort(found, axis=1)
    assert found[np.lexsort(found.T[::-1])].tolist() == overlapping_boxes(low, high).tolist()


@pytest.mark.parametrize("within", [0.0, 0.3])
def test_no_close_pair_is_missed(within):
    """Against the distances of all pairs; and few pairs are listed in vain."""
    rng = np.random.default_rng(3)
    stacks = [tg.HalfSpace([[0, 0, 1], [1, 2, 0.5]], [-3.0, -4.0])]
    stacks += [FAMILIES[name].make(rng, (30,)) for name in ("sphere", "ellipsoid", "box", "capsule", "nested")]
    bodies = tg.Bodies(stacks)
    n = len(bodies)
    poses = (Rotation.random(n, rng=rng), rng.uniform(-5, 5, (n, 3)))
    everything = np.stack(np.triu_indices(n, 1), axis=1)[1:]  # without the two half-spaces
    distance = bodies.contact(everything, poses).distance
    close = everything[distance <= within]
    found = pairs(bodies, poses, within=within)
    assert {tuple(p) for p in close.tolist()} <= {tuple(p) for p in found.tolist()}
    assert len(close) < len(found) < 3 * len(close)
    assert (found[:, 0] < found[:, 1]).all()
    assert (np.diff(found @ [n, 1]) > 0).all()


def test_boxes_of_turned_bodies_are_tight():
    """Every listed pair has smallest boxes along the axes of the world that overlap."""
    rng = np.random.default_rng(6)
    shapes = [FAMILIES[name].make(rng, (40,)) for name in ("ellipsoid", "superellipsoid flat", "box", "segment")]
    poses = Rotation.random(160, rng=rng), rng.uniform(-4, 4, (160, 3))
    corners = [shape.aabb((poses[0][k : k + 40], poses[1][k : k + 40])) for k, shape in zip(range(0, 160, 40), shapes)]
    low, high = (np.concatenate(part) for part in zip(*corners))
    found = pairs(tg.Bodies(shapes), poses)
    i, j = found.T
    assert len(found) > 50
    assert (low[i] <= high[j] + 1e-9).all()
    assert (low[j] <= high[i] + 1e-9).all()


def test_pairs_of_spheres_are_exact():
    rng = np.random.default_rng(4)
    place, radius = rng.uniform(-1, 1, (500, 3)), rng.uniform(0.02, 0.2, 500)
    i, j = np.triu_indices(500, 1)
    gap = np.linalg.norm(place[i] - place[j], axis=1) - radius[i] - radius[j]
    want = np.stack([i, j], axis=1)[gap <= 0.05]
    assert pairs(tg.Sphere(radius), (None, place), within=0.05).tolist() == want.tolist()


def test_cavities_meet_every_bounded_body():
    bodies = tg.Bodies([tg.Sphere([0.1, 0.1]), tg.Cavity(tg.Sphere(3.0)), tg.HalfSpace([0, 0, 1])])
    poses = (None, [[0, 0, 1], [1, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert pairs(bodies, poses).tolist() == [[0, 2], [1, 2]]


def test_arguments():
    ball = tg.Sphere([1.0, 2.0])
    with pytest.raises(ValueError, match="within must be a single number >= 0, got -1"):
        pairs(ball, within=-1.0)
    with pytest.raises(ValueError, match=r"poses must be one pose, or one per body \(2\), got shape \(3,\)"):
        pairs(ball, (None, np.zeros((3, 3))))
    assert pairs([]).shape == (0, 2)


def test_many_boxes_are_not_tested_pair_by_pair():
    """1e5 bodies of sizes 1:100 at a constant density take a quarter of a second, all pairs more than ten."""
    rng, n, seconds = np.random.default_rng(5), 100_000, []
    half = 0.5 * 100.0 ** -rng.power(0.3, (n, 1))
    place = rng.uniform(0, 4.0 * np.cbrt((half**3).sum()), (n, 3))
    for _ in range(2):
        start = process_time()
        overlapping_boxes(place - half, place + half)
        seconds.append(process_time() - start)
    assert min(seconds) < 3.0
