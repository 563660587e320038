"""Overlap of boxes, segments and their offsets: fifteen directions are enough."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from test_contact_points import OFF, off_the_planes, outside

import tangency as tg
from queries import Queries, rotations

COUNT = 200


def half_lengths(rng, kind):
    r = 10.0 ** rng.uniform(-1.0, 0.3, (COUNT, 3))
    return r * ([0.0, 0.0, 1.0] if kind in ("segment", "capsule") else [1.0, 1.0, 1.0])


def body(kind, half, radius):
    if kind in ("segment", "capsule"):
        core = tg.Segment(half[:, 2])
    else:
        core = tg.Box(half)
    return core.offset(radius) if kind in ("capsule", "rounded box") else core


def corners(half, turn, centre):
    signs = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(-1, 3)
    return (signs * half) @ turn.T + centre


def depth(half_a, half_b, turn, centre):
    """Distance of the origin from the faces of the Minkowski difference of two boxes."""
    a, b = corners(half_a, np.eye(3), 0.0), corners(half_b, turn, centre)
    return -ConvexHull((b[:, None] - a).reshape(-1, 3)).equations[:, 3].max()


@pytest.mark.parametrize("nearly", [False, True])
@pytest.mark.parametrize(
    "kinds", [("box", "box"), ("rounded box", "box"), ("box", "capsule"), ("segment", "rounded box")]
)
def test_depth_is_that_of_the_minkowski_difference(kinds, nearly):
    """Random and aligned boxes, and boxes turned against each other by an angle of any size."""
    rng = np.random.default_rng(1)
    half_a, half_b = (half_lengths(rng, kind) for kind in kinds)
    radius = 0.1 * rng.uniform(0.1, 1.0, COUNT)
    a, b = (body(kind, half, radius) for kind, half in zip(kinds, (half_a, half_b)))
    turn = rotations(rng, COUNT)
    if nearly:
        small = 10.0 ** rng.uniform(-17.0, -1.0, (COUNT, 1)) * rng.normal(size=(COUNT, 3))
        quarter = np.round(Rotation.create_group("O").as_matrix())[rng.integers(0, 24, COUNT)]
        turn = Rotation.from_rotvec(small).as_matrix() @ quarter
    centre = rng.uniform(-1.0, 1.0, (COUNT, 3)) * (half_a + np.einsum("kij,kj->ki", abs(turn), half_b))
    of_cores = np.array([depth(*row) for row in zip(half_a, half_b, turn, centre)])
    exact = of_cores + sum(radius for kind in kinds if kind in ("capsule", "rounded box"))
    still = np.broadcast_to(np.eye(3), (COUNT, 3, 3)), np.zeros((COUNT, 3))
    q = Queries(a, b, still, (turn, centre), np.zeros(COUNT, int))
    c, deep = q.contact(), of_cores > 1e-3
    size = a.bounding_radius + b.bounding_radius
    assert deep.mean() > 0.3
    assert (c.status[deep] == tg.Status.OVERLAP_PROVED).all()
    assert (abs(c.distance + exact) <= 1e-12 * size)[deep].all()
    assert (off_the_planes(q, c) <= OFF * size).all()
    assert (outside(a, still, c.point_a) <= OFF * size).all()
    assert (outside(b, (turn, centre), c.point_b) <= OFF * size).all()


def test_overlap_of_boxes_takes_few_evaluations():
    rng = np.random.default_rng(2)
    a, b = (tg.Box(10.0 ** rng.uniform(-0.5, 0.5, (COUNT, 3))) for _ in range(2))
    pose = Rotation.random(COUNT, rng=rng).as_matrix(), 0.3 * rng.normal(size=(COUNT, 3))
    c = tg.contact(a, b, None, pose)
    assert (c.status == tg.Status.OVERLAP_PROVED).mean() > 0.95
    assert c.evaluations.mean() < 8
    # With a guess, the common normal near the guess is followed.
    followed = tg.contact(a, b, None, pose, guess=-c.normal)
    assert (followed.status == tg.Status.OVERLAP_FOLLOWED).mean() > 0.5
