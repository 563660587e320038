"""Hollows, candidates, curvatures, and what both integrators have in common."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import tangency as tg
from gap_curvatures import gap_curvatures, touching
from tangency import forces
from tangency.broadphase.overlapping_boxes import overlapping_boxes
from tangency.dynamics import Body, Interaction, World, simulate


def distance_inside(radii, point):
    """Distance of a point inside an ellipsoid to its surface: the root of the secular equation (Eberly)."""
    low = -(min(radii) ** 2)
    root = brentq(lambda t: ((radii * point / (radii**2 + t)) ** 2).sum() - 1.0, low * (1 - 1e-14), 0.0, xtol=1e-17)
    return float(np.linalg.norm(radii**2 * point / (radii**2 + root) - point))


def test_sphere_in_a_sphere():
    rng = np.random.default_rng(1)
    for _ in range(20):
        big, small = 1.0, rng.uniform(0.05, 0.9)
        place = rng.normal(size=3) * 0.3
        shift = rng.normal(size=3)
        pose_a = (Rotation.random(rng=rng), shift)
        c = tg.contact(tg.Cavity(tg.Sphere(big)), tg.Sphere(small), pose_a, (Rotation.random(rng=rng), shift + place))
        assert c.converged
        assert c.distance == pytest.approx(big - small - np.linalg.norm(place), abs=1e-13)
        np.testing.assert_allclose(c.normal, -place / np.linalg.norm(place), atol=1e-9)
        np.testing.assert_allclose(c.point_b, c.point_a + c.distance * c.normal, atol=1e-14)


def test_sphere_in_an_ellipsoid():
    rng = np.random.default_rng(2)
    for _ in range(60):
        radii = rng.uniform(0.5, 2.0, 3)
        direction = rng.normal(size=3)
        point = direction / np.linalg.norm(direction) * radii * rng.uniform(0.3, 0.99)
        turn = Rotation.random(rng=rng)
        c = tg.contact(tg.Cavity(tg.Ellipsoid(radii)), tg.Sphere(0.1), (turn, np.zeros(3)), (None, turn.apply(point)))
        assert c.converged
        assert c.distance == pytest.approx(distance_inside(radii, point) - 0.1, abs=1e-11)


def test_ellipsoid_in_a_rounder_sphere():
    """The sphere of radius R holds what no point of the ellipsoid leaves: R minus the farthest point."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        radii, place = rng.uniform(0.1, 0.5, 3), rng.normal(size=3) * 0.4
        turn = Rotation.random(rng=rng)
        body = tg.Ellipsoid(radii)
        c = tg.contact(tg.Cavity(tg.Sphere(1.5)), body, pose_b=(turn, place))
        # Brute force over surface points, then polished by the stationarity of |x|.
        n = rng.normal(size=(20000, 3))
        x = turn.apply(body.point(n)) + place
        best = turn.inv().apply(x[np.argmax((x * x).sum(axis=1))])
        for _ in range(500):  # the farthest point maximises x.(x / |x|): a fixed point of the support map
            best = body.point(best) + turn.inv().apply(place)
        assert c.converged
        assert c.distance == pytest.approx(1.5 - np.linalg.norm(best), abs=1e-9)


def test_manufactured_contact_in_a_hollow():
    """x_B(n) put at x_H(n) - s n, with W_B < W_H - s: an exact local minimum, here the global one."""
    rng = np.random.default_rng(4)
    hollow, body = tg.Ellipsoid([1.0, 1.1, 1.2]), tg.Superellipsoid([0.1, 0.12, 0.09], epsilon=(1.2, 0.9))
    for s in (0.05, 0.0, -0.02):
        for _ in range(5):
            n = rng.normal(size=3)
            n /= np.linalg.norm(n)
            turn = Rotation.random(rng=rng)
            place = hollow.point(n) - s * n - turn.apply(body.point(turn.inv().apply(n)))
            c = tg.contact(tg.Cavity(hollow), body, pose_b=(turn, place), guess=-n)
            assert c.distance <= s + 1e-12
            assert c.distance == pytest.approx(s, abs=1e-9)


def test_boxes_that_overlap():
    rng = np.random.default_rng(5)
    low = rng.uniform(0, 10, (200, 3))
    high = low + rng.uniform(0, 1.5, (200, 3))
    low[3], high[3] = -np.inf, np.inf
    want = [
        [i, j] for i in range(200) for j in range(i + 1, 200) if (low[i] <= high[j]).all() and (low[j] <= high[i]).all()
    ]
    assert overlapping_boxes(low, high).tolist() == want
    with pytest.raises(ValueError, match="low must be <= high"):
        overlapping_boxes([[1, 0, 0]], [[0, 1, 1]])


def test_curvature_of_the_gap():
    """The compiled curvatures are those of `Contact.relative_curvature`."""
    rng = np.random.default_rng(6)
    a, b = tg.Ellipsoid([0.5, 0.3, 0.2]), tg.Superellipsoid([0.3, 0.2, 0.4], epsilon=(1.1, 0.8))
    law = Interaction(forces.Hertz(materials=forces.Material(1e9, 0.3)))
    for _ in range(10):
        turns, place = Rotation.random(2, rng=rng), rng.normal(size=3)
        poses = (turns[0], np.zeros(3)), (turns[1], place)
        poses = poses[0], (turns[1], touching(place, tg.contact(a, b, *poses)))
        want = tg.contact(a, b, *poses).relative_curvature.values
        bodies = [Body("a", a, poses[0], fixed=True), Body("b", b, poses[1], mass=1.0)]
        np.testing.assert_allclose(gap_curvatures(World(bodies, interaction=law)), want, rtol=1e-4)


def box(size):
    sides = [([0, 0, 1], 0.0), ([1, 0, 0], -size), ([-1, 0, 0], -size), ([0, 1, 0], -size), ([0, -1, 0], -size)]
    return [Body(f"wall {k}", tg.HalfSpace(n, d)) for k, (n, d) in enumerate(sides)]


def two_ellipsoids(order=(0, 1)):
    law = Interaction(forces.Flores(stiffness=1e6, restitution=0.6), forces.Tanh(coefficient=0.3, speed=0.05))
    tilt = Rotation.from_euler("xy", [0.5, 0.3])
    bodies = [
        Body("I", tg.Ellipsoid([0.3, 0.2, 0.1]), (tilt, [-0.1, 0.0, 0.5]), density=800.0, angular_velocity=[2, 0, 1]),
        Body("II", tg.Ellipsoid([0.2, 0.1, 0.15]), (tilt, [0.0, 0.1, 0.9]), density=900.0, angular_velocity=[0, 1, 0]),
    ]
    return World([*box(0.4), *(bodies[k] for k in order)], interaction=law)


def test_energy_never_rises_and_is_accounted_for():
    run = simulate(two_ellipsoids(), 0.6, output_interval=0.01, rtol=1e-8, atol=1e-10)
    energy = run.mechanical_energy
    assert run.info["impacts"] > 3
    assert run.info["contacts_failed"] == 0
    assert np.diff(energy).max() < 1e-6 * energy[0]
    assert energy[-1] < 0.7 * energy[0]  # something happened
    balance = energy + run.energy["dissipated"]
    assert np.abs(balance / balance[0] - 1.0).max() < 1e-5
    # Forces and depths of the contacts: none pulls, none is outside the law.
    assert (run.contacts.normal_force >= 0).all()
    assert (run.contacts.depth > -1e-9).all()


def test_order_of_bodies_does_not_matter():
    for mode, options, tol in (("accurate", {"rtol": 1e-9}, 1e-6), ("fast", {"step": 1e-4}, 1e-9)):
        runs = [simulate(two_ellipsoids(o), 0.35, mode, output_interval=0.05, **options) for o in ((0, 1), (1, 0))]
        for name in ("I", "II"):
            a, b = (run.position[:, run.number(name)] for run in runs)
            assert np.abs(a - b).max() < tol


def test_fast_mode_converges_to_the_accurate_one():
    """Second order, in a contact that lasts: an ellipsoid rocks on the ground."""
    law = Interaction(forces.HuntCrossley(stiffness=1e5, damping=1.0), forces.Tanh(coefficient=0.5, speed=0.5))
    egg = Body("egg", tg.Ellipsoid([0.3, 0.2, 0.1]), (Rotation.from_euler("y", 0.3), [0, 0, 0.125]), mass=2.0)
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), egg], interaction=law)
    exact = simulate(world, 0.4, output_interval=0.4, rtol=1e-11, atol=1e-13).position[-1, 1]
    errors = [
        np.linalg.norm(simulate(world, 0.4, "fast", output_interval=0.4, step=h).position[-1, 1] - exact)
        for h in (1e-3, 5e-4, 2.5e-4)
    ]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (orders > 1.6).all(), (errors, orders)
    assert errors[-1] < 1e-5


def test_where_the_force_acts():
    """With the force on A or B the torque changes by force times depth, not the force."""
    law = Interaction(forces.Hertz(stiffness=1e4), forces.Tanh(coefficient=0.5, speed=0.01))
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.09]), mass=1.0, velocity=[1.0, 0, 0])
    points = {}
    for where in ("a", "middle", "b"):
        world = World([Body("ground", tg.HalfSpace([0, 0, 1])), ball], interaction=law, force_point=where)
        c = simulate(world, 1e-6, output_interval=1e-6).contacts.at(0)
        points[where] = c.point[0, 2]
        assert c.depth[0] == pytest.approx(0.01)
        assert c.force[0, 2] == pytest.approx(1e4 * 0.01**1.5)
        assert c.force[0, 0] == pytest.approx(-0.5 * c.force[0, 2], rel=1e-9)
    assert points == pytest.approx({"a": 0.0, "middle": -0.005, "b": -0.01}, abs=1e-12)


def test_several_shapes_and_a_centre_of_mass_apart():
    """A dumbbell from two balls: mass, centre and inertia by hand; and it falls on both."""
    ball = tg.Sphere(0.1)
    body = Body("d", [(ball, (None, [0.3, 0, 0])), (ball, (None, [-0.3, 0, 0]))], (None, [0, 0, 0.3]), density=500.0)
    one = 500.0 * 4.0 / 3.0 * np.pi * 1e-3
    mass = body.mass_properties
    assert mass.mass == pytest.approx(2 * one)
    np.testing.assert_allclose(mass.inertia.diagonal(), one * np.array([0.008, 0.188, 0.188]), rtol=1e-9)
    law = Interaction(forces.KelvinVoigt(stiffness=1e5, damping=300.0))
    run = simulate(World([Body("ground", tg.HalfSpace([0, 0, 1])), body], interaction=law), 2.0, "fast", step=2e-4)
    last = run.contacts.at(-1)
    assert sorted(last.shape_b.tolist()) == [0, 1]
    assert last.normal_force.sum() == pytest.approx(2 * one * 9.81, rel=1e-3)
