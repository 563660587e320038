"""tg.Bodies: contacts between pairs of many bodies of many kinds."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import Egg

FIELDS = ("distance", "lower", "upper", "normal", "point_a", "status", "evaluations")


def zoo():
    """Stacks of all sorts, and their bodies one by one."""
    rng = np.random.default_rng(0)
    shapes = [
        tg.Sphere([1.0, 2.0]),
        tg.Ellipsoid([1, 0.5, 0.3]),
        tg.HalfSpace([0, 0, 1]),
        tg.Superellipsoid([1, 0.5, 0.3], (0.7, 1.2)),
        Egg(radius=1.0, skew=0.05),
        tg.Box([1, 1, 1]),
        tg.Ellipsoid([1, 1, 0.2]) + tg.Sphere(0.3),
        tg.Ellipsoid(rng.uniform(0.2, 1, (2, 3, 3))),
        tg.HalfSpace([[0, 0, 1]]),
        tg.Ellipsoid(np.ones((0, 3))),
        Egg(radius=[1.0, 1.5], skew=0.02),
        tg.Ellipsoid([1, 1, 1]).affine(np.diag([1.0, 2.0, 3.0])),
    ]
    single = []
    for shape in shapes:
        count = int(np.prod(shape.batch_shape))
        single += [shape.take(np.array([k]))[0] for k in range(count)] if shape.batch_shape else [shape]
    planes = [k for k, shape in enumerate(single) if isinstance(shape, tg.HalfSpace)]
    turn, position = Rotation.random(len(single), rng=rng).as_matrix(), 3.0 * rng.normal(size=(len(single), 3))
    position[:, 2] += 4.0
    turn[planes], position[planes] = np.eye(3), 0.0
    pairs = [
        (i, j) for i in range(len(single)) for j in range(len(single)) if i != j and not (i in planes and j in planes)
    ]
    return tg.Bodies(shapes), single, turn, position, np.array(pairs), planes


BODIES, SINGLE, TURN, POSITION, PAIRS, PLANES = zoo()
POSES = (TURN, POSITION)


def same(c, d, index=slice(None)):
    return all(np.array_equal(getattr(c, name)[index], getattr(d, name)) for name in FIELDS)


def test_every_pair_is_answered_as_alone():
    c = BODIES.contact(PAIRS, POSES)
    assert c.shape == (len(PAIRS),)
    assert c.converged.all()
    for k in range(0, len(PAIRS), 3):
        i, j = PAIRS[k]
        d = tg.contact(SINGLE[i], SINGLE[j], (TURN[i], POSITION[i]), (TURN[j], POSITION[j]))
        assert abs(d.distance - c.distance[k]) < 1e-11
        assert d.lower <= c.upper[k]
        assert c.lower[k] <= d.upper
        if d.distance > 0:
            np.testing.assert_allclose(c.curvature_a.radii[k], d.curvature_a.radii, rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(c.curvature_b.radii[k], d.curvature_b.radii, rtol=1e-6, atol=1e-9)


def test_swapped_pairs():
    c, d = BODIES.contact(PAIRS, POSES), BODIES.contact(PAIRS[:, ::-1], POSES)
    np.testing.assert_allclose(c.distance, d.distance, atol=1e-11)
    np.testing.assert_allclose(c.normal, -d.normal, atol=1e-5)
    assert ((c.lower <= d.upper) & (d.lower <= c.upper)).all()


def test_order_and_threads_do_not_change_a_bit():
    rng = np.random.default_rng(1)
    pairs = np.concatenate([PAIRS] * 20)
    c = BODIES.contact(pairs, POSES, threads=1)
    for threads in (2, 3, 8):
        assert same(c, BODIES.contact(pairs, POSES, threads=threads))
    order = rng.permutation(len(pairs))
    assert same(c, BODIES.contact(pairs[order], POSES), order)


def test_one_kind_is_answered_as_a_stack():
    rng = np.random.default_rng(2)
    shape = tg.Ellipsoid(rng.uniform(0.2, 1, (50, 3)))
    turn, position = Rotation.random(50, rng=rng).as_matrix(), 2.0 * rng.normal(size=(50, 3))
    pairs = rng.integers(0, 50, (400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    i, j = pairs.T
    guess, limit = rng.normal(size=(len(pairs), 3)), rng.uniform(0, 3, len(pairs))
    for options in ({}, {"guess": guess}, {"max_distance": limit}, {"guess": guess, "max_distance": 1.0}):
        c = tg.Bodies(shape).contact(pairs, (turn, position), **options)
        d = tg.contact(shape[i], shape[j], (turn[i], position[i]), (turn[j], position[j]), **options)
        assert same(c, d)
        assert np.array_equal(c.curvature_b.directions, d.curvature_b.directions)


def test_limits_and_guesses_reach_their_pairs():
    c = BODIES.contact(PAIRS, POSES)
    bounded = np.array([i not in PLANES and j not in PLANES for i, j in PAIRS])
    limit = np.where(np.arange(len(PAIRS)) % 2 == 0, c.distance - 0.1, np.inf)
    d = BODIES.contact(PAIRS, POSES, max_distance=limit)
    beyond = d.status == tg.Status.BEYOND
    assert not beyond[1::2].any()
    assert (d.lower[beyond] >= limit[beyond] - 1e-12).all()
    assert beyond[bounded & (c.distance > 0)][::2].any()
    warm = BODIES.contact(PAIRS, POSES, guess=c)
    apart = c.distance > 1e-9
    np.testing.assert_allclose(warm.distance[apart], c.distance[apart], atol=1e-11)
    assert warm.evaluations.sum() < c.evaluations.sum()


@pytest.mark.parametrize("pairs", [[], np.zeros((0, 2), int), np.zeros((0, 2))])
def test_no_pairs(pairs):
    for bodies in (BODIES, tg.Bodies([]), tg.Bodies(tg.Sphere(np.ones(0)))):
        c = bodies.contact(pairs)
        assert c.shape == (0,)
        assert c.curvature_a.values.shape == (0, 2)
        assert c.point_b.shape == (0, 3)


@pytest.mark.parametrize(
    ("word", "pairs"),
    [
        ("between 0 and", [[0, -1]]),
        ("between 0 and", [[0, len(SINGLE)]]),
        ("between 0 and", np.array([[0, 2**64 - 1]], np.uint64)),
        ("whole numbers", [[0, 1.0]]),
        ("whole numbers", [[False, True]]),
        ("whole numbers", [0, 1]),
        ("whole numbers", [[0, 1, 2]]),
        ("whole numbers", "ab"),
        ("whole numbers", None),
        ("two different bodies", [[0, 1], [1, 1]]),
        ("half-spaces", [PLANES]),
    ],
)
def test_wrong_pairs(word, pairs):
    with pytest.raises(ValueError, match=word):
        BODIES.contact(pairs)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"poses": np.tile(np.eye(4), (3, 1, 1))}, "poses"),
        ({"poses": np.full((4, 4), np.nan)}, "poses"),
        ({"guess": np.ones((4, 3))}, "guess"),
        ({"guess": np.zeros(3)}, "guess"),
        ({"max_distance": np.ones(5)}, "max_distance"),
        ({"max_distance": np.nan}, "max_distance"),
        ({"tol": -1.0}, "tol"),
        ({"threads": 0}, "threads"),
        ({"solver": "magic"}, "solver"),
    ],
)
def test_wrong_options(options, word):
    with pytest.raises(ValueError, match=word):
        BODIES.contact(PAIRS[:6], **{"poses": POSES, **options})


@pytest.mark.parametrize(
    ("count", "options"),
    [
        (6, {"guess": np.ones((2, 6, 3))}),
        (6, {"guess": np.ones((6, 1, 3))}),
        (6, {"max_distance": np.ones((6, 1))}),
        (1, {"guess": np.ones((5, 3))}),
        (1, {"max_distance": np.ones(5)}),
    ],
)
def test_options_that_are_not_one_per_pair(count, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        BODIES.contact(PAIRS[:count], POSES, **options)


@pytest.mark.parametrize("shapes", [[5], "abc", [tg.Sphere], [tg.Sphere(1.0), None]])
def test_wrong_shapes(shapes):
    with pytest.raises(TypeError, match="must be a Shape"):
        tg.Bodies(shapes)


def test_sizes_out_of_range_are_refused():
    bodies = tg.Bodies(tg.Sphere(np.full(6, 1e-300)))
    with pytest.raises(ValueError, match="between 1e-60 and 1e60"):
        bodies.contact([[0, 1], [1, 2], [2, 3], [3, 4]], (None, np.arange(6.0)[:, None] * [1e-299, 0, 0]))


def test_one_pose_for_all():
    pose = np.eye(4)
    pose[:3, 3] = 1.0, 2.0, 3.0
    pairs = [[0, 1], [1, 3], [4, 5]]
    alone = BODIES.contact(pairs, pose)
    assert same(alone, BODIES.contact(pairs, pose[None]))
    assert same(alone, BODIES.contact(pairs, np.tile(pose, (len(SINGLE), 1, 1))))
    np.testing.assert_allclose(BODIES.contact(pairs).distance, alone.distance, atol=1e-11)


def test_changing_the_input_does_not_change_an_old_answer():
    pairs, turn, position = PAIRS.copy(), TURN.copy(), POSITION.copy()
    c, d = BODIES.contact(pairs, (turn, position)), BODIES.contact(PAIRS, POSES)
    pairs[:], turn[:], position[:] = 0, 9.0, 9.0
    assert same(c, d)
    assert np.array_equal(c.curvature_a.values, d.curvature_a.values)
    assert np.array_equal(c.curvature_b.directions, d.curvature_b.directions)


def test_parts_of_an_answer():
    c = BODIES.contact(PAIRS, POSES)
    for index in (5, [3, 5, 5], slice(2, 9, 3), c.distance > 1.0, ...):
        part = c[index]
        assert np.array_equal(part.distance, c.distance[index])
        np.testing.assert_allclose(part.curvature_b.radii, c.curvature_b.radii[index], rtol=1e-9)
        assert np.array_equal(part.point_b, c.point_b[index])
