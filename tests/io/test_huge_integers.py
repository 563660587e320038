"""Integers of Python that no float64 holds are refused with an error that names the argument."""

import pytest

import tangency as tg

HUGE = 10**400
BALL = tg.Sphere(1.0)
CLOUD = BALL.point(
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1], [1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]]
)
PAST = tg.Drift((None, [3, 0, 0]), [1, 0, 0], [0, 0, 0])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("radius", lambda: tg.Sphere(HUGE)),
        ("radii", lambda: tg.Ellipsoid([1, 2, -HUGE])),
        ("n", lambda: BALL.point([HUGE, 0, 0])),
        ("distance", lambda: BALL.offset(HUGE)),
        ("translation", lambda: tg.Affine(BALL, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [HUGE, 0, 0])),
        (r"pose_b\[1\]", lambda: tg.contact(BALL, BALL, pose_b=(None, [HUGE, 0, 0]))),
        ("max_distance", lambda: tg.contact(BALL, BALL, max_distance=HUGE)),
        ("velocity", lambda: tg.Drift(None, [HUGE, 0, 0], [0, 0, 0])),
        ("t1", lambda: tg.impact(BALL, BALL, None, PAST, 0, HUGE)),
        (r"fixed\['a'\]", lambda: tg.fit(CLOUD, "ellipsoid", fixed={"a": HUGE})),
        (r"bounds\['a'\]", lambda: tg.fit(CLOUD, "ellipsoid", bounds={"a": (0.1, HUGE)})),
        # Python prints no integers of more than 4300 digits
        ("tol", lambda: tg.impact(BALL, BALL, None, PAST, 0, 1, tol=10**5000)),
    ],
)
def test_huge_integers(name, call):
    with pytest.raises(ValueError, match=rf"^{name} must be finite, got an integer beyond 1\.8e308$"):
        call()
