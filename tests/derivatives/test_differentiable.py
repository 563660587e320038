"""Where derivatives do not exist, `differentiable` is False, and all numbers are finite."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES

BALL, BOX, CAN, PILL = tg.Sphere(1.0), tg.Box([1, 1, 1]), tg.Cylinder(1, 2), tg.capsule(1, 2)
BLOCK = tg.Superellipsoid([1, 1, 1], (0.5, 0.5))
ACROSS = Rotation.from_euler("x", 90, degrees=True)

CASES = {  # a, b, place of B, rotation of B, differentiable
    "spheres apart": (BALL, BALL, [0, 0, 3], None, True),
    "spheres touching": (BALL, BALL, [0, 0, 2], None, True),
    "spheres overlapping deeply": (BALL, BALL, [0, 0, 0.1], None, True),
    "concentric spheres": (BALL, BALL, [0, 0, 0], None, False),
    "concentric ellipsoids: two normals": (tg.Ellipsoid([1, 2, 3]), tg.Ellipsoid([1, 2, 3]), [0, 0, 0], None, False),
    "nearly concentric ellipsoids": (tg.Ellipsoid([1, 2, 3]), tg.Ellipsoid([1, 2, 3]), [0.01, 0, 0], None, True),
    "sphere in the middle of a box": (BOX, tg.Sphere(0.2), [0, 0, 0], None, False),
    "two faces equally near": (BOX, tg.Sphere(0.2), [0.1, 0.1, 0], None, False),
    "one face nearer": (BOX, tg.Sphere(0.2), [0.1, 0.11, 0], None, True),
    "over a face": (BOX, BALL, [3, 0.2, 0.1], None, True),
    "over the rim of a face": (BOX, BALL, [3, 1, 0], None, False),
    "over an edge": (BOX, BALL, [3, 3, 0], None, True),
    "over the end of an edge": (BOX, BALL, [3, 3, 1], None, False),
    "over a corner": (BOX, BALL, [3, 3, 3], None, True),
    "face on face": (BOX, BOX, [3, 0, 0], None, False),
    "parallel edges": (BOX, BOX, [3, 3, 0], None, False),
    "crossed edges": (BOX, BOX, [3, 3, 0], Rotation.from_euler("x", 0.3) * Rotation.from_euler("z", 0.0), True),
    "corner at corner": (BOX, BOX, [3, 3, 3], None, True),
    "corners touching": (BOX, BOX, [2, 2, 2], None, False),
    "parallel cylinders": (CAN, CAN, [3, 0, 0], None, False),
    "crossed cylinders": (CAN, CAN, [3, 0, 0], ACROSS, True),
    "side of a cylinder": (CAN, BALL, [3, 0, 0.5], None, True),
    "end of a cylinder": (CAN, BALL, [0.5, 0, 4], None, True),
    "over the rim of a cylinder's end": (CAN, BALL, [1, 0, 4], None, False),
    "over the rim of a cylinder's side": (CAN, BALL, [3, 0, 2], None, False),
    "rim of a cylinder": (CAN, BALL, [3, 0, 4], None, True),
    "parallel capsules": (PILL, PILL, [3, 0, 1], None, False),
    "crossed capsules": (PILL, PILL, [3, 0, 1], ACROSS, True),
    "where cap and side of a capsule meet": (PILL, BALL, [3, 0, 2], None, False),
    "flat place on a sphere": (BLOCK, BALL, [0, 0, 4], None, True),
    "two flat places": (BLOCK, BLOCK, [0, 0, 4], None, False),
    "ground and sphere": (tg.HalfSpace([0, 0, 1]), BALL, [0, 0, 3], None, True),
    "ground and face": (tg.HalfSpace([0, 0, 1]), BOX, [0, 0, 3], None, False),
    "ground and corner": (tg.HalfSpace([1, 1, 1]), BOX, [3, 3, 3], None, True),
    "middle of a bowl": (tg.Cavity(tg.Sphere(3.0)), BALL, [0, 0, 0], None, False),
    "in a bowl": (tg.Cavity(tg.Sphere(3.0)), BALL, [0, 0, 1], None, True),
    "bar across a bowl": (tg.Cavity(tg.Ellipsoid([3, 3, 2])), tg.Ellipsoid([2.9, 0.1, 0.1]), [0, 0, 0], None, False),
    "middle of a room": (tg.Cavity(tg.Box([2, 2, 2])), BALL, [0, 0, 0], None, False),
    "near a wall of a room": (tg.Cavity(tg.Box([2, 2, 2])), BALL, [0, 0, 0.5], None, True),
    "axis of a pipe": (tg.Cavity(CAN, ends=False), tg.Ellipsoid([0.5, 0.3, 0.3]), [0, 0, 9], None, False),
    "in a pipe": (tg.Cavity(CAN, ends=False), tg.Ellipsoid([0.5, 0.3, 0.3]), [0.1, 0, 9], None, True),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    a, b, place, rotation, expected = CASES[name]
    for c in (tg.contact(a, b, None, (rotation, place)), tg.contact(b, a, (rotation, place), None)):
        assert bool(c.differentiable) is expected
        assert c.condition >= 0.0
        assert (c.condition < 1e10) or not expected
        for by in ("pose_a", "pose_b"):
            for of in ("distance", "normal", "point_a", "point_b"):
                for frame in ("hybrid", "body", "spatial"):
                    assert np.isfinite(c.jacobian(of, by, frame)).all()
            assert np.isfinite(c.hessian((by, "pose_a"))).all()
        r = c.rates([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1])
        assert all(np.isfinite(value).all() for value in vars(r).values())


def test_contacts_without_result():
    """Beyond max_distance nothing is known; so the flag is False."""
    c = tg.contact(PILL, BLOCK, None, (None, [[5, 4, 9], [0.1, 0.2, 4.5]]), max_distance=2.0)
    assert c.status.tolist() == [tg.Status.BEYOND, tg.Status.APART]
    assert c.differentiable.tolist() == [False, True]


def test_focal_point():
    """A small ball deep in a large one: the normal turns faster, the nearer the centres are."""
    place = np.array([[0.0, 0.0, z] for z in (1e-1, 1e-4, 1e-7)])
    c = tg.contact(tg.Sphere(2.0), tg.Sphere(1.0), None, (None, place))
    assert c.differentiable.all()
    # The distance has an error of 1e-12 sizes, which the condition number multiplies.
    assert (abs(c.jacobian("normal")[:, 0, 0] * place[:, 2] - 1.0) < 1e-10 * c.condition).all()
    np.testing.assert_allclose(c.condition, 3.0 / place[:, 2], rtol=1e-2)


def test_rolling_wheel():
    """Rolling without sliding moves both contact points alike; spinning moves none."""
    c = tg.contact(tg.HalfSpace([0, 0, 1]), tg.Ellipsoid([0.5, 0.5, 0.5]), None, (None, [0, 0, 0.5]))
    r = c.rates(None, [1, 0, 0, 0, 2, 3])
    np.testing.assert_allclose(r.sliding, 0.0, atol=1e-15)
    np.testing.assert_allclose(r.surface_a, [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(r.surface_b, [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(r.rolling, [0, 2, 0], atol=1e-15)
    assert (r.gap, r.spinning) == (0.0, 3.0)


def test_montana():
    """Motion of the contact points on both surfaces against sliding and rolling (Montana 1988)."""
    rng = np.random.default_rng(1)
    a, b = tg.Ellipsoid([0.5, 0.4, 0.3]), tg.Ellipsoid([0.2, 0.3, 0.25])
    n = np.array([0.6, 0.48, 0.64])
    c = tg.contact(a, b, None, (None, a.point(n) - b.point(-n)))
    twist = rng.normal(size=6)
    r = c.rates(None, twist)
    pseudo = [np.linalg.pinv(w) for w in (a.hessian(n), b.hessian(-n))]
    # Touching bodies that stay in touch: W_A^-1 s_A = n', W_B^-1 s_B = omega x n - n'
    np.testing.assert_allclose(pseudo[0] @ r.surface_a, r.normal, atol=1e-9)
    np.testing.assert_allclose(pseudo[1] @ r.surface_b, np.cross(twist[3:], n) - r.normal, atol=1e-9)
    np.testing.assert_allclose(r.surface_a - r.surface_b, r.sliding, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["ellipsoid", "superellipsoid round", "superellipsoid flat", "box", "cylinder", "capsule"]
)
def test_bodies_in_the_middle_of_each_other(name):
    """Bodies with a centre of symmetry, one in the middle of the other: the opposite normal has the same depth."""
    rng = np.random.default_rng(9)
    count = 30
    a, b = FAMILIES[name].make(rng, (count,)), FAMILIES["ellipsoid"].make(rng, (count,))
    poses = [(Rotation.random(count, rng=rng), np.zeros((count, 3))) for _ in range(2)]
    c = tg.contact(a, b, *poses)
    assert not c.differentiable.any()
    away = 0.05 * c.normal * b.bounding_radius[:, None]
    assert tg.contact(a, b, poses[0], (poses[1][0], away), guess=c).differentiable.mean() > 0.7


@pytest.mark.parametrize(
    ("half", "place"),
    [([1, 1, 1], [0.8, 0.8, 0.1]), ([1, 1, 1], [0.9, 0.9, -0.3]), ([2, 1, 0.7], [1.8, 0.8, 0.1])],
)
def test_ties_between_two_faces(half, place):
    """A ball in a box, equally far from two faces, however the box is turned; where one face is nearer, no tie."""
    turn = Rotation.random(200, rng=np.random.default_rng(7)).as_matrix()
    box, ball = tg.Box(half), tg.Sphere(0.5)
    assert not tg.contact(box, ball, (turn, None), (None, turn @ np.array(place))).differentiable.any()
    aside = np.array(place) - [0.0, 0.05, 0.0]
    assert tg.contact(box, ball, (turn, None), (None, turn @ aside)).differentiable.all()


@pytest.mark.parametrize("exponents", [(0.2, 0.9), (0.9, 0.999), (1.001, 1.05)])
@pytest.mark.parametrize("ground", ["half-space", "box", "cylinder"])
def test_places_in_planes_of_symmetry_that_lie_on_faces(ground, exponents):
    """Where a radius of curvature is zero or infinite, the points have no derivative by rotations, or it is not known.

    Tilted a little, they have one.
    """
    rng, count = np.random.default_rng(5), 60
    body = tg.Superellipsoid(rng.uniform(0.3, 1.0, (count, 3)), rng.uniform(*exponents, (count, 2)))
    floor = {"half-space": tg.HalfSpace([0, 0, 1]), "box": tg.Box([5, 5, 1]), "cylinder": tg.Cylinder(5, 1)}[ground]
    m = rng.normal(size=(count, 3))
    m[:, 2] = 0.0
    m[::3, 1] = 0.0
    m /= np.linalg.norm(m, axis=1)[:, None]
    turn = Rotation.random(count, rng=rng).as_matrix()
    up = np.einsum("kij,kj->ki", turn, -m)  # the normal of the floor
    across = np.cross(up, rng.normal(size=(count, 3)))
    across /= np.linalg.norm(across, axis=1)[:, None]
    pose_a = np.stack([across, np.cross(up, across), up], axis=2), np.zeros((count, 3))
    place = up * (3.0 + rng.uniform(size=(count, 1)))
    assert not tg.contact(floor, body, pose_a, (turn, place)).differentiable.any()
    assert not tg.contact(body, floor, (turn, place), pose_a).differentiable.any()
    tilted = Rotation.from_rotvec(0.2 * across + 0.1 * np.cross(up, across)).as_matrix() @ turn
    c = tg.contact(floor, body, pose_a, (tilted, place))
    assert c.differentiable.mean() > 0.9
