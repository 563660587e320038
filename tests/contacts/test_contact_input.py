"""contact() refuses bad input with a sentence that names the argument."""

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg

BALL = tg.Sphere(1.0)
SHEAR = [[1, 0.1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("error", "word", "arguments", "options"),
    [
        (TypeError, "a must be a Shape", (1.0, BALL), {}),
        (TypeError, "b must be a Shape", (BALL, "sphere"), {}),
        (ValueError, "pose_a", (BALL, BALL, SHEAR), {}),
        (ValueError, "pose_b.*reflection", (BALL, BALL, None, MIRROR), {}),
        (ValueError, "pose_b", (BALL, BALL, None, np.eye(5)), {}),
        (ValueError, "pose_b.*finite", (BALL, BALL, None, (None, [np.nan, 0, 0])), {}),
        (ValueError, r"pose_b\[1\]", (BALL, BALL, None, (Rotation.identity(), [0, 0])), {}),
        (TypeError, "pose_a", (BALL, BALL, "here"), {}),
        (ValueError, "pose_b.*finite", (BALL, BALL, None, RigidTransform.from_translation([np.nan, 0, 0])), {}),
        (ValueError, "choose other units", (BALL, tg.Sphere(1e-200)), {}),
        (ValueError, "choose other units", (BALL, BALL, None, (None, [1e100, 0, 0])), {}),
        (ValueError, "do not broadcast", (tg.Sphere(np.ones(2)), tg.Sphere(np.ones(3))), {}),
        (ValueError, "do not broadcast.*pose_b", (tg.Sphere(np.ones(2)), BALL, None, (None, np.zeros((3, 3)))), {}),
        (ValueError, "tol", (BALL, BALL), {"tol": 0.0}),
        (ValueError, "tol", (BALL, BALL), {"tol": np.nan}),
        (ValueError, "tol", (BALL, BALL), {"tol": [1e-6, 1e-8]}),
        (ValueError, "solver must be one of certified", (BALL, BALL), {"solver": "magic"}),
        (ValueError, "solver must be one of certified", (BALL, BALL), {"solver": ["certified"]}),
        (ValueError, "guess", (BALL, BALL), {"guess": [0, 0, 0]}),
        (ValueError, "guess", (BALL, BALL), {"guess": [1, 0]}),
        (ValueError, "max_distance", (BALL, BALL), {"max_distance": np.nan}),
        (ValueError, "threads", (BALL, BALL), {"threads": 0}),
        (ValueError, "threads", (BALL, BALL), {"threads": 1.5}),
    ],
)
def test_bad_input(error, word, arguments, options):
    with pytest.raises(error, match=word):
        tg.contact(*arguments, **options)


def test_a_contact_knows_how_it_ended():
    c = tg.contact(BALL, BALL, pose_b=(None, [3, 0, 0]))
    assert tg.Status(int(c.status)).message == c.message
    assert "proved" in c.message
    assert "distance     1" in repr(c)
    for status in tg.Status:
        assert status.message.endswith(".")
    with pytest.raises(TypeError):
        c[0]
    with pytest.raises(TypeError):
        len(c)
