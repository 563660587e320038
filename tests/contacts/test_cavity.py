"""Bodies in cavities: exact problems, a brute search of directions, bounds that hold, invariances, refusals."""

import mpmath as mp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from families import FAMILIES, normals, radii
from tangency import forces

ROUND = 2 * np.pi * np.arange(4000) / 4000


def hollows(rng, batch):
    """Stacks of empty spaces, of about the size 3."""
    r = 2.0 + radii(rng, batch)
    return {
        "sphere": tg.Sphere(r[..., 0]),
        "ellipsoid": tg.Ellipsoid(r),
        "superellipsoid": tg.Superellipsoid(r, rng.uniform(0.4, 1.4, (*batch, 2))),
        "box": tg.Box(r),
        "capsule": tg.capsule(r[..., 0], r[..., 1]),
        "cylinder": tg.Cylinder(r[..., 0], r[..., 1]),
        "cone": tg.Cone(2.0 * r[..., 0], 2.0 * r[..., 1]),
        "frustum": tg.Cone(r[..., 0], r[..., 1], r[..., 2]),
    }


BODIES = ("sphere", "ellipsoid", "superellipsoid flat", "superovoid", "box", "hull", "capsule", "cylinder", "cone")


def clearance(hollow, body, turn, place, n):
    """G(n) of one pair, for many n."""
    return hollow.support(n) - body.support(turn.inv().apply(n)) - n @ place


def smallest(hollow, body, turn, place, rng, d):
    """Smallest clearance by brute force: many directions, the best of them refined."""
    best = d[np.argsort(clearance(hollow, body, turn, place, d))[:6]]
    width = 0.1
    for _ in range(40):
        near = np.concatenate([best, (best[:, None] + width * normals(rng, 6, 8)).reshape(-1, 3)])
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        best = near[np.argsort(clearance(hollow, body, turn, place, near))[:6]]
        width *= 0.7
    return clearance(hollow, body, turn, place, best).min()


def random_places(rng, hollow, body, count, far=1.05):
    """Turns and places at which bodies are inside, near the wall, or stick out a little."""
    turn, n = Rotation.random(count, rng=rng), normals(rng, count)
    room = hollow.support(n) - body.support(np.asarray(turn.inv().apply(n)))
    return turn, (rng.uniform(0.3, far, count) * np.maximum(room, 0.1))[:, None] * n


@pytest.mark.parametrize("name", hollows(np.random.default_rng(0), ()))
def test_no_direction_is_nearer(name):
    rng, count = np.random.default_rng([7, len(name)]), 4
    d = normals(rng, 3000)
    searched = 0
    for kind in BODIES:
        hollow, body = hollows(rng, (count,))[name], FAMILIES[kind].make(rng, (count,))
        turn, place = random_places(rng, hollow, body, count)
        c = tg.contact(tg.Cavity(hollow), body, None, (turn, place))
        assert c.converged.all()
        searched += int((c.status == tg.Status.SEARCHED).sum())
        size = hollow.bounding_radius + body.bounding_radius
        assert (c.lower <= c.distance).all()
        assert (c.distance <= c.upper).all()
        for k in range(count):
            one, inner, m = hollow[k], body[k], -np.array(c.normal[k])[None]
            least = smallest(one, inner, turn[k], place[k], rng, d)
            assert c.lower[k] <= least
            assert c.distance[k] <= least + 1e-12 * size[k]
            # The normal sees this clearance; each point lies on its own surface, at a distance along the normal.
            assert clearance(one, inner, turn[k], place[k], m)[0] == pytest.approx(c.distance[k], abs=1e-13 * size[k])
            local = np.array(c.point_b[k]) - place[k]
            height = float(inner.support(turn[k].inv().apply(m))[0])
            assert float(m[0] @ local) == pytest.approx(height, abs=1e-13 * size[k])
            assert (one.support(d) - d @ c.point_a[k]).min() >= -1e-6 * size[k]  # the foot is in the hollow
    assert searched <= 3


def test_a_ball_in_a_box_a_drum_and_beyond_the_rim():
    rng, count = np.random.default_rng(1), 200
    place = rng.uniform(-1.0, 1.0, (count, 3)) * [1.1, 1.2, 1.3]
    box = tg.contact(tg.Cavity(tg.Box([1, 1.1, 1.2])), tg.Sphere(0.1), None, (None, place))
    beyond = np.abs(place) - [1, 1.1, 1.2]
    out = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    np.testing.assert_allclose(box.distance, np.where(out > 0, -out, -beyond.max(axis=1)) - 0.1, atol=1e-12)
    drum = tg.contact(tg.Cavity(tg.Cylinder(0.9, 1.0)), tg.Sphere(0.1), None, (None, place))
    beyond = np.stack([np.hypot(place[:, 0], place[:, 1]) - 0.9, np.abs(place[:, 2]) - 1.0], axis=1)
    out = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    true = np.where(out > 0, -out, -beyond.max(axis=1)) - 0.1
    np.testing.assert_allclose(drum.distance, true, atol=1e-12)
    assert (drum.lower <= true).all()
    assert (drum.upper >= true).all()
    tube = tg.contact(tg.Cavity(tg.Cylinder(0.9, 1.0), ends=False), tg.Sphere(0.1), None, (None, place))
    np.testing.assert_allclose(tube.distance, -beyond[:, 0] - 0.1, atol=1e-14)
    assert (tube.status != tg.Status.SEARCHED).all()


def test_an_ellipsoid_in_a_tube_and_a_hopper_in_50_digits():
    """The largest support value on the circle of normals, by Newton's method in mpmath from the best of many angles."""
    rng = np.random.default_rng(2)
    for hollow in (tg.Cylinder(2.0, 2.0), tg.Cone(2.0, 2.0, 0.5), tg.Cone(1.0, 2.0, 2.5)):
        for _ in range(6):
            r, place, turn = rng.uniform(0.1, 0.6, 3), rng.normal(size=3) * 0.4, Rotation.random(rng=rng)
            c = tg.contact(tg.Cavity(hollow, ends=False), tg.Ellipsoid(r), None, (turn, place))
            with mp.workdps(50):
                base, tip, half = (mp.mpf(float(v)) for v in (hollow.radius, getattr(hollow, "top_radius", 2.0), 2.0))
                angle = mp.atan2(base - tip, 2 * half)
                matrix = [[mp.mpf(float(v)) for v in row] for row in (turn.as_matrix() * r)]

                def seen(phi, angle=angle, matrix=matrix, place=place):
                    n = (mp.cos(angle) * mp.cos(phi), mp.cos(angle) * mp.sin(phi), mp.sin(angle))
                    m = [sum(matrix[i][j] * n[i] for i in range(3)) for j in range(3)]
                    return mp.sqrt(sum(v * v for v in m)) + sum(mp.mpf(float(p)) * v for p, v in zip(place, n))

                start = max(range(0, 4000, 20), key=lambda k: float(seen(mp.mpf(ROUND[k]))))
                phi = mp.findroot(lambda p: mp.diff(seen, p), mp.mpf(ROUND[start]))
                true = (base + tip) / 2 * mp.cos(angle) - seen(phi)
            assert abs(float(true - mp.mpf(float(c.distance)))) < 1e-14
            assert c.lower <= float(true) <= c.upper


def test_swapping_moving_and_scaling_change_nothing():
    rng, count = np.random.default_rng(3), 8
    for name in ("superellipsoid", "cylinder", "frustum"):
        hollow, body = hollows(rng, ())[name], FAMILIES["ellipsoid"].make(rng, ())
        turn, place = random_places(rng, hollow, body, count)
        cavity = tg.Cavity(hollow)
        c = tg.contact(cavity, body, None, (turn, place))
        back = tg.contact(body, cavity, (turn, place), None)
        np.testing.assert_allclose(back.distance, c.distance, atol=1e-13)
        np.testing.assert_allclose(back.normal, -c.normal, atol=1e-7)
        np.testing.assert_allclose(back.point_a, c.point_b, atol=1e-7)
        whole, shift = Rotation.random(rng=rng), rng.normal(size=3)
        moved = tg.contact(cavity, body, (whole, shift), (whole * turn, whole.apply(place) + shift))
        np.testing.assert_allclose(moved.distance, c.distance, atol=1e-12)
        np.testing.assert_allclose(moved.normal, whole.apply(np.array(c.normal)), atol=1e-6)
    for scale in (1e-25, 1e25):
        turn, place = random_places(rng, tg.Cylinder(2.0, 3.0), tg.Ellipsoid([0.3, 0.2, 0.1]), count)
        c = tg.contact(tg.Cavity(tg.Cylinder(2.0, 3.0)), tg.Ellipsoid([0.3, 0.2, 0.1]), None, (turn, place))
        big = tg.Cavity(tg.Cylinder(2.0 * scale, 3.0 * scale))
        d = tg.contact(big, tg.Ellipsoid(scale * np.array([0.3, 0.2, 0.1])), None, (turn, scale * place))
        np.testing.assert_allclose(d.distance / scale, c.distance, atol=1e-12)
        assert d.converged.all()


def test_stacks_bodies_and_guesses():
    rng = np.random.default_rng(4)
    walls, ball, egg = tg.Cavity(tg.Cylinder([1.0, 2.0], 1.5)), tg.Sphere(0.2), tg.Ellipsoid([0.3, 0.2, 0.1])
    bowl = tg.Cavity(tg.Ellipsoid([1.0, 1.2, 0.9]))
    place = rng.uniform(-0.4, 0.4, (3, 1, 3))
    grid = tg.contact(walls, egg, None, (None, place))
    assert grid.shape == (3, 2)
    assert walls[1].hollow.radius == 2.0
    for i in range(3):
        for j in range(2):
            one = tg.contact(walls[j], egg, None, (None, place[i, 0]))
            assert one.distance == grid.distance[i, j]
            again = tg.contact(walls[j], egg, None, (None, place[i, 0]), guess=one)
            assert again.distance == pytest.approx(float(one.distance), abs=1e-13)
    assert grid[1].curvature_a.values.shape == (2, 2)
    bodies = tg.Bodies([walls, ball, egg, bowl])
    poses = np.concatenate([np.zeros((2, 3)), place[:2, 0], np.zeros((1, 3))])
    c = bodies.contact([[0, 2], [2, 1], [3, 0], [4, 3], [2, 4]], (None, poses))
    pairs = [(walls[0], ball), (ball, walls[1]), (egg, walls[0]), (bowl, egg), (ball, bowl)]
    for k, ((a, b), (i, j)) in enumerate(zip(pairs, [[0, 2], [2, 1], [3, 0], [4, 3], [2, 4]])):
        one = tg.contact(a, b, (None, poses[i]), (None, poses[j]))
        assert c.distance[k] == pytest.approx(float(one.distance), abs=1e-14)
        np.testing.assert_allclose(c.relative_curvature.values[k], one.relative_curvature.values, rtol=1e-6)


def test_curvature_of_the_wall_counts_negative_and_forces_follow():
    steel = forces.Material(young=2e11, poisson=0.3)
    law = forces.Hertz(materials=(steel, steel))
    bowl = tg.contact(tg.Cavity(tg.Sphere(1.0)), tg.Sphere(0.9), None, (None, [0, 0, -0.1001]))
    np.testing.assert_allclose(bowl.curvature_a.values, -1.0)
    np.testing.assert_allclose(bowl.relative_curvature.values, 1 / 0.9 - 1.0)
    same = tg.contact(tg.Sphere(9.0), tg.HalfSpace([0, 0, 1]), (None, [0, 0, 8.9999]))  # 1 / 9 = 1 / 0.9 - 1
    force = forces.on(bowl, normal=law)
    np.testing.assert_allclose(force.normal, forces.on(same, normal=law).normal, rtol=1e-9)
    assert force.force_b[2] > 0.0
    tube = tg.contact(tg.Cavity(tg.Cylinder(2.0, 5.0)), tg.Sphere(0.5), None, (None, [1.4, 0, 0]))
    np.testing.assert_allclose(tube.relative_curvature.values, [2.0, 1.5])
    np.testing.assert_allclose(np.abs(tube.relative_curvature.directions), [[0, 0, 1], [0, 1, 0]], atol=1e-9)
    # On the side of a cone the radius of curvature grows with the distance from the axis.
    hopper = tg.Cavity(tg.Cone(1.0, 2.0, 5.0), ends=False)
    c = tg.contact(hopper, tg.Sphere([0.1, 0.1]), None, (None, [[1.0, 0, -1], [3.0, 0, 1]]))
    rho = np.hypot(c.point_a[:, 0], c.point_a[:, 1])
    np.testing.assert_allclose(c.curvature_a.values, np.stack([0 * rho, -np.cos(np.pi / 4) / rho], axis=-1), rtol=1e-9)


def test_where_a_whole_ring_is_nearest_the_bounds_still_hold():
    """A lens in the middle of a ball touches along a circle: nothing is proved beyond `lower`, and that is said."""
    c = tg.contact(tg.Cavity(tg.Sphere(1.0)), tg.Ellipsoid([0.7, 0.7, 0.2]))
    assert c.status == tg.Status.SEARCHED
    assert c.converged
    assert "excluded only down to the bound lower" in c.message
    assert c.distance == pytest.approx(0.3, abs=1e-12)
    assert 0.299 < c.lower <= 0.3
    piston = tg.contact(tg.Cavity(tg.Cylinder(1.0, 3.0)), tg.Cylinder(0.9, 0.5))
    assert piston.distance == pytest.approx(0.1, abs=1e-12)
    assert 0.0999 < piston.lower <= 0.1
    assert tg.contact(tg.Cavity(tg.Sphere(1.0)), tg.Sphere(0.5)).status == tg.Status.APART  # balls are exact


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tg.Cavity(tg.Cavity(tg.Sphere(1.0))), "hollow must be a bounded Shape, got a Cavity"),
        (lambda: tg.Cavity(tg.Sphere(1.0), ends=False), "ends must be True for hollows other than Cylinder and Cone"),
        (
            lambda: tg.contact(tg.Cavity(tg.Sphere(1.0)), tg.Cavity(tg.Sphere(2.0))),
            "a and b must not both be a HalfSpace or Cavity",
        ),
        (
            lambda: tg.contact(tg.HalfSpace([0, 0, 1]), tg.Cavity(tg.Sphere(2.0))),
            "a and b must not both be a HalfSpace or Cavity",
        ),
        (
            lambda: tg.Bodies([tg.Cavity(tg.Sphere([1.0, 2.0]))]).contact([[0, 1]]),
            "pairs must not join two half-spaces or cavities",
        ),
        (lambda: tg.Pair(tg.Cavity(tg.Sphere(1.0)), tg.Sphere(0.1)), "a must not be a Cavity"),
        (lambda: tg.contact(tg.Cavity(tg.Sphere(1.0)), tg.Sphere(0.1), solver="romer-1"), "solver must be the default"),
        (lambda: tg.Cavity(tg.Sphere(1.0)).inertia(), "a Cavity is unbounded"),
        (lambda: tg.Cavity(tg.Sphere(1.0)).offset(0.1), "body must be a bounded Shape"),
        (lambda: tg.signed_distance(tg.Cavity(tg.Sphere(1.0)), [[0, 0, 0]]), "shape must not be a Cavity"),
    ],
)
def test_what_has_no_meaning_is_refused(ask, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ask()


def test_beyond_the_tip_of_a_funnel():
    """There the tip is nearest, whether the funnel is closed at its base or not."""
    for z in (1.2, 1.5, 50.0):
        c = tg.contact(tg.Cavity(tg.Cone(1.0, 1.0), ends=False), tg.Sphere(0.1), pose_b=(None, [0, 0, z]))
        assert float(c.distance) == pytest.approx(-(z - 1.0 + 0.1), rel=1e-12)
        np.testing.assert_allclose(c.point_a, [0, 0, 1], atol=1e-9)


@pytest.mark.parametrize("name", hollows(np.random.default_rng(0), ()))
def test_balls_outside_the_hollow(name):
    """The centre lies on a normal of the hollow, beyond its surface: the distance is exact."""
    rng, count = np.random.default_rng([8, len(name)]), 2000
    hollow, n = hollows(rng, (count,))[name], normals(rng, count)
    beyond, radius = 10.0 ** rng.uniform(-6.0, -0.5, count), 10.0 ** rng.uniform(-3.0, 0.0, count)
    place = hollow.point(n) + beyond[:, None] * n
    c = tg.contact(tg.Cavity(hollow), tg.Sphere(radius), None, (None, place))
    true, size = -(beyond + radius), hollow.bounding_radius + radius
    assert (c.lower <= true).all()
    assert (true <= c.upper).all()
    assert (np.abs(c.distance - true) <= 2e-12 * size).all()
