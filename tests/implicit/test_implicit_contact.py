"""Contact of surfaces that are neither closed nor convex: closed forms, second-order test, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import implicit
from tangency.implicit import SurfaceStatus as Status

BALL = tg.Sphere(0.5)


def place_ball(surface, x, gap):
    """Centre of the ball whose nearest point of the surface is x, if the gap is small enough."""
    return np.asarray(x) + (0.5 + gap) * implicit.frame(surface, x).normal


OPEN = {
    "paraboloid": (implicit.elliptic_paraboloid([1, 2]), 2.0, Status.SEPARATED),
    "saddle": (implicit.hyperbolic_paraboloid([3, 3]), 2.0, Status.LOCAL),
    "one sheet": (implicit.hyperboloid_one_sheet([2, 2, 3]), 3.0, Status.LOCAL),
    "two sheets": (implicit.hyperboloid_two_sheets([1, 2, 1]), 3.0, Status.SEPARATED),
    "super one sheet": (implicit.Superquadric([2, 2, 3], [2.5, 3], (1, 1, -1)), 2.0, Status.LOCAL),
    "super two sheets": (implicit.Superquadric([1, 2, 2], [2.5, 2.5], (1, -1, -1)), 2.0, Status.SEPARATED),
    "supertoroid": (implicit.Supertoroid([1, 1, 1], [2.5, 2.5], 3.0), 0.0, Status.LOCAL),
}


@pytest.mark.parametrize("name", OPEN)
def test_ball_beside_a_surface(name):
    """The ball is put on the normal of a point of the surface: that point is the contact, the gap the distance."""
    surface, reach, status = OPEN[name]
    rng = np.random.default_rng(4)
    sheet = surface.sheets(reach, 40)[0].reshape(-1, 3)
    x = sheet[rng.integers(len(sheet), size=30)]
    gap = rng.uniform(-0.05, 0.3, 30)
    convex = status == Status.SEPARATED
    near = x + 0.05 * rng.normal(size=x.shape)
    centre = place_ball(surface, x, gap[:, None])
    world = Rotation.random(rng=rng), rng.normal(size=3)
    c = implicit.contact(
        surface, BALL, world, (None, world[0].apply(centre) + world[1]), start=(near, world[0].apply(near - centre))
    )
    good = c.status <= Status.LOCAL
    assert good.mean() > 0.8
    np.testing.assert_allclose(c.distance[good], gap[good], atol=1e-9)
    np.testing.assert_allclose(c.local_a[good], x[good], atol=1e-8)
    assert (c.residual[good] < 1e-9).all()
    assert (c.status[good] == np.where(convex & (gap[good] >= 0), Status.SEPARATED, Status.LOCAL)).all()


def test_all_tangents_and_default_start_agree():
    bowl = implicit.elliptic_paraboloid([1, 2]).patch([-3, -3, -2], [3, 3, 8])
    for tangents in ("householder", "auxiliary"):
        c = implicit.contact(bowl, BALL, pose_b=(None, [1.5, 0.3, -2.0]), tangents=tangents)
        assert c.status == Status.SEPARATED
        np.testing.assert_allclose(c.point_b - c.point_a, c.distance * c.normal, atol=1e-10)
        assert float(c.distance) == pytest.approx(paraboloid_distance([1.5, 0.3, -2.0]) - 0.5, abs=1e-9)


def paraboloid_distance(p):
    from scipy.optimize import minimize

    def square(v):
        x, y = v
        return (x - p[0]) ** 2 + (y - p[1]) ** 2 + (x * x + y * y / 4.0 - 1.0 - p[2]) ** 2

    return minimize(square, [1.0, 0.3], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-16}).fun ** 0.5


def test_agreement_with_the_default_solver_on_closed_shapes():
    a, b = tg.Ellipsoid([3, 2, 1]), tg.PowerEllipsoid([1, 1, 2], [2.5, 3, 2])
    rng = np.random.default_rng(5)
    where = 6.0 * rng.normal(size=(20, 3)) / 1.0
    where *= np.maximum(1.0, 6.5 / np.linalg.norm(where, axis=-1, keepdims=True))
    exact = tg.contact(a, b, None, (None, where))
    c = implicit.contact(a, b, None, (None, where))
    assert c.converged.mean() > 0.9
    np.testing.assert_allclose(c.distance[c.converged], exact.distance[c.converged], atol=1e-9)


def test_saddle_point_of_the_distance_is_told():
    # From inside a bowl's axis above the focus of its vertex the vertex is a maximum, not the nearest point.
    bowl = implicit.Quadric([-1, -1, 0], [0, 0, 1], side=1.0)  # z = 1 + x^2 + y^2, the body below
    c = implicit.contact(bowl, BALL, pose_b=(None, [0, 0, 6.0]), start=([0, 0, 1.0], [0, 0, -0.5]))
    assert c.status == Status.SADDLE
    assert "nearer" in c.message
    low = implicit.contact(bowl, tg.Sphere(0.1), pose_b=(None, [0, 0, 1.2]), start=([0, 0, 1.0], [0, 0, -0.1]))
    assert low.status == Status.LOCAL
    assert float(low.distance) == pytest.approx(0.1, abs=1e-12)


def test_outside_of_the_patch_is_told():
    bowl = implicit.elliptic_paraboloid([1, 1]).patch([-0.5, -0.5, -1], [0.5, 0.5, 0])
    c = implicit.contact(bowl, BALL, pose_b=(None, [3.0, 0.0, -1.0]))
    assert c.status == Status.OUTSIDE
    assert not c.converged


def test_parallel_normals_are_told():
    c = implicit.contact(tg.Sphere(1.0), tg.Sphere(1.0), pose_b=(None, [5, 0, 0]), start=([1, 0, 0], [1, 0, 0]))
    assert c.status == Status.SAME_SIDE


def test_failures_are_data():
    c = implicit.contact(tg.Sphere(1.0), BALL, pose_b=(None, [5, 0, 0]), start=([0, 0, 0], [0, 0, 0]))
    assert c.status == Status.BROKE_DOWN
    assert all(np.isfinite(v).all() for v in (c.distance, c.normal, c.point_a, c.point_b, c.residual))
    c = implicit.contact(tg.Ellipsoid([3, 2, 1]), BALL, pose_b=(None, [5, 1, 1]), max_iterations=1)
    assert c.status == Status.NOT_CONVERGED


def test_bad_questions():
    with pytest.raises(TypeError, match=r"b must have an implicit function.*Box"):
        implicit.contact(BALL, tg.Box([1, 1, 1]))
    with pytest.raises(ValueError, match="start must be given, or a be a patch"):
        implicit.contact(implicit.elliptic_paraboloid([1, 1]), BALL)
    with pytest.raises(ValueError, match="tangents must be one of"):
        implicit.contact(BALL, BALL, tangents="eberly")


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e6])
def test_the_default_tolerance_follows_the_size(scale):
    a, b = tg.Ellipsoid(scale * np.array([3.0, 2, 1])), tg.Sphere(scale)
    pose = (None, scale * np.array([5.0, 1, 2]))
    c, d = implicit.contact(a, b, pose_b=pose), tg.contact(a, b, pose_b=pose)
    assert c.status == implicit.SurfaceStatus.SEPARATED
    assert abs(c.distance - d.distance) < 1e-9 * scale
    deep = implicit.contact(a, b, pose_b=(None, scale * np.array([3.5, 0.2, 0])))
    assert deep.status != implicit.SurfaceStatus.SEPARATED


def test_empty_stacks_stacks_of_patches_and_large_closed_surfaces():
    assert implicit.contact(tg.Ellipsoid(np.ones((0, 3))), BALL).distance.shape == (0,)
    two = implicit.elliptic_paraboloid([[1, 1], [2, 2]]).patch([[-2, -2, -1]] * 2, [[2, 2, 3]] * 2)
    np.testing.assert_allclose(
        implicit.contact(two, tg.Sphere(1.0), pose_b=(None, [0, 0, -4])).distance, 3 - 1, atol=1e-9
    )
    large = implicit.Supertoroid([1e3] * 3, [2, 2], hole=3)
    assert np.isfinite(implicit.contact(large, tg.Sphere(1e3), pose_b=(None, [6e3, 0, 0])).distance)


@pytest.mark.parametrize(
    ("word", "options"),
    [
        ("max_iterations", {"max_iterations": "a"}),
        ("max_iterations", {"max_iterations": 0}),
        ("start", {"start": 3}),
        ("start", {"start": [[1, 0, 0]]}),
        ("tol", {"tol": [1e-3, 1.0]}),
        ("tangents", {"tangents": ["householder"]}),
    ],
)
def test_wrong_options_are_named(word, options):
    with pytest.raises(ValueError, match=word):
        implicit.contact(BALL, BALL, pose_b=(None, [5, 0, 0]), **options)
