"""tg.Pair: the answers of tg.contact, for one pair asked many times."""

import threading

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from tangency.geometry.direct_pose import _holds_quaternion, direct_pose

FIELDS = ("distance", "lower", "upper", "normal", "point_a", "point_b", "status", "evaluations")
A, B = tg.Ellipsoid([1, 0.5, 0.3]), tg.Superellipsoid([0.4, 0.6, 0.9], (0.8, 1.2))


def frame(x=3.0, y=1.0, z=0.5):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def same(c, d):
    return all(np.array_equal(getattr(c, name), getattr(d, name)) for name in FIELDS)


FORMS = {
    "frame": lambda p: p,
    "list": lambda p: p.tolist(),
    "read-only": lambda p: np.broadcast_to(p, (4, 4)),
    "Fortran order": np.asfortranarray,
    "float32": lambda p: p.astype(np.float32),
    "parts": lambda p: (p[:3, :3], p[:3, 3]),
    "list of parts": lambda p: [p[:3, :3].tolist(), p[:3, 3].tolist()],
    "translation": lambda p: (None, p[:3, 3]),
    "Rotation": lambda p: (Rotation.from_matrix(p[:3, :3]), p[:3, 3]),
    "RigidTransform": RigidTransform.from_matrix,
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_poses(form):
    pair = tg.Pair(A, B)
    pose = FORMS[form](frame())
    assert same(pair(None, pose), pair(None, frame()))
    assert same(pair(None, pose), tg.contact(A, B, None, pose))
    assert same(pair(pose), tg.contact(A, B, pose))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (tg.Sphere(1.0), tg.Sphere(2.0)),
        (tg.Box([1, 2, 3]), A),
        (A + tg.Sphere(0.1), B),
        (tg.HalfSpace([0, 0, 1], -2.0), A),
        (A, tg.HalfSpace([0, 0, 1], -2.0)),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_it_answers_as_contact_does(a, b):
    rng = np.random.default_rng(0)
    pair = tg.Pair(a, b)
    for scale in (0.1, 1.0, 4.0):
        poses = [np.eye(4), np.eye(4)]
        for pose in poses:
            pose[:3, :3], pose[:3, 3] = Rotation.random(rng=rng).as_matrix(), scale * rng.normal(size=3)
        c, d = pair(*poses), tg.contact(a, b, *poses)
        assert c.shape == ()
        assert same(c, d)
        assert same(c, tg.contact(a, b, *[(pose[:3, :3], pose[:3, 3]) for pose in poses]))
        stack = tg.contact(a, b, *[np.tile(pose, (4, 1, 1)) for pose in poses])
        np.testing.assert_allclose(stack.distance, c.distance, atol=1e-11)


@pytest.mark.parametrize(
    ("error", "word", "arguments"),
    [
        (ValueError, "pose_b must be single", (None, np.eye(4)[None])),
        (ValueError, "pose_a must be single", (np.tile(np.eye(4), (2, 1, 1)), None)),
        (ValueError, "pose_b must be None", (None, np.eye(5))),
        (TypeError, "pose_b must be None", (None, "here")),
        (ValueError, "last row", (None, np.full((4, 4), np.nan))),
        (ValueError, "finite", (None, (None, [np.nan, 0, 0]))),
        (ValueError, "reflection", (None, np.diag([1.0, 1.0, -1.0, 1.0]))),
        (ValueError, "rotation", (None, np.diag([1.0, 1.0, 2.0, 1.0]))),
        (ValueError, "1e60", (None, frame(1e61))),
        (ValueError, "guess must be single", (None, None, np.ones((1, 3)))),
        (ValueError, "zero vector", (None, None, np.zeros(3))),
        (ValueError, "guess must have shape", (None, None, [1.0, 2.0])),
    ],
)
def test_wrong_questions(error, word, arguments):
    with pytest.raises(error, match=word):
        tg.Pair(A, B)(*arguments)


@pytest.mark.parametrize(
    ("error", "word", "arguments", "options"),
    [
        (ValueError, "a must be single", (tg.Ellipsoid(np.ones((2, 3))), B), {}),
        (ValueError, "b must be single", (A, tg.Sphere([1.0])), {}),
        (ValueError, "max_distance must be single", (A, B), {"max_distance": [1.0, 2.0]}),
        (TypeError, "a must be a Shape", (tg.Ellipsoid, B), {}),
        (TypeError, "both be a HalfSpace", (tg.HalfSpace([0, 0, 1]), tg.HalfSpace([0, 0, 1])), {}),
        (ValueError, "tol", (A, B), {"tol": 0.0}),
        (ValueError, "between 1e-60 and 1e60", (tg.Sphere(1e-100), B), {}),
    ],
)
def test_wrong_pairs(error, word, arguments, options):
    with pytest.raises(error, match=word):
        tg.Pair(*arguments, **options)


def test_options_are_kept():
    assert tg.Pair(A, B, max_distance=0.1)(None, frame()).status == tg.Status.BEYOND
    rough, fine = tg.Pair(A, B, tol=1e-2)(None, frame()), tg.Pair(A, B)(None, frame())
    assert rough.lower <= fine.upper
    assert fine.lower <= rough.upper
    assert rough.evaluations <= fine.evaluations


def test_a_pose_that_moves_on_does_not_change_old_answers():
    pair, pose = tg.Pair(A, B), frame()
    c, expected = pair(None, pose), pair(None, frame())
    single, directions = tg.contact(A, B, None, pose), expected.curvature_b.directions
    pose[:] = 9.0
    assert same(c, expected)
    assert same(single, expected)
    for answer in (c, single):
        assert np.array_equal(answer.curvature_b.directions, directions)


def test_a_guess_saves_work():
    pair = tg.Pair(A, B)
    c = pair(None, frame())
    for guess in (c, c.normal, c.normal.tolist(), 5.0 * c.normal):
        d = pair(None, frame(3.0001), guess)
        assert d.evaluations < c.evaluations
        assert d.converged


def test_many_threads_share_a_pair():
    pair = tg.Pair(A, B)
    x = np.linspace(1.5, 4.0, 300)
    expected = [float(pair(None, frame(value)).distance) for value in x]
    wrong = []

    def work():
        for value, distance in zip(x, expected):
            if float(pair(None, frame(value)).distance) != distance:
                wrong.append(value)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_rotations_have_the_bits_of_their_matrices():
    """Quaternions are taken from SciPy's objects as they are stored."""
    rng = np.random.default_rng(31)
    turns, places = Rotation.random(200, rng=rng), rng.normal(size=(200, 3)) * 3.0
    for k in range(200):
        matrix = tg.contact(A, B, None, (turns[k].as_matrix(), places[k]))
        assert same(tg.contact(A, B, None, (turns[k], places[k].tolist())), matrix)


@pytest.mark.parametrize("stored", [[[0.7, 0.1, -0.3, 0.5]], [0.1, -0.3, 0.5, 0.7], None])
def test_rotations_that_are_stored_otherwise_are_asked_for_their_matrix(stored):
    """As another version of SciPy may do it: scalar first, without the axis of a stack, or not at all."""

    class Other:
        single, _quat = True, None if stored is None else np.array(stored)

        @classmethod
        def from_quat(cls, quaternion):
            return cls()

        def as_quat(self):
            return np.array([0.1, -0.3, 0.5, 0.7])

        def as_matrix(self):
            return np.eye(3)

    Other.__name__, Other.__module__ = "Rotation", "scipy.spatial.transform"
    assert not _holds_quaternion(Other)
    assert np.array_equal(direct_pose((Other(), [1.0, 2.0, 3.0]))[0], np.eye(3))


def test_transforms_have_the_bits_of_their_matrices_alone_and_in_stacks():
    rng = np.random.default_rng(32)
    box, hull = tg.Box([1.0, 0.7, 0.4]), tg.Hull(rng.normal(size=(12, 3)))
    moves = RigidTransform.from_components(rng.normal(size=(60, 3)) * 3.0, Rotation.random(60, rng=rng))
    stack = tg.contact(box, hull, None, moves)
    assert same(stack, tg.contact(box, hull, None, moves.as_matrix()))
    for k in range(60):
        assert same(tg.contact(box, hull, None, moves[k]), stack[k])
