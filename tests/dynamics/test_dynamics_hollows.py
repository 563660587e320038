"""Cavities of all kinds against a brute search of directions, and what a body in them does."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Cavity, Interaction, Motion, Spring, World, simulate

HOLLOWS = {
    "box": tg.Box([0.5, 0.6, 0.7]),
    "rounded box": tg.rounded_box([0.5, 0.6, 0.7], 0.1),
    "capsule": tg.capsule(0.6, 0.5),
    "ellipsoid": tg.Ellipsoid([0.6, 0.6, 0.8]),
    "superellipsoid": tg.Superellipsoid([0.6, 0.7, 0.8], (0.3, 0.3)),
}
BODIES = (tg.Sphere(0.1), tg.Ellipsoid([0.1, 0.15, 0.3]), tg.Box([0.06, 0.07, 0.3]), tg.capsule(0.05, 0.2))


@pytest.mark.parametrize("name", HOLLOWS)
def test_no_direction_is_nearer(name):
    """The clearance is a minimum over all directions: none of many random ones may have less."""
    hollow, rng = HOLLOWS[name], np.random.default_rng(3)
    d = rng.normal(size=(20000, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    outer, worst = hollow.support(d), []
    for body in BODIES:
        for k in range(12):
            turn, towards = Rotation.random(rng=rng), d[k]
            room = float(hollow.support(towards) - body.support(turn.inv().apply(towards)))
            place = rng.uniform(0.5, 1.02) * room * towards
            c = Cavity(hollow).contact(body, pose_b=(turn, place), guess=-towards if k % 2 else None)
            seen = outer - body.support(turn.inv().apply(d)) - d @ place
            worst.append(c.distance - seen.min())
            assert c.converged
            n = -c.normal
            own = float(hollow.support(n) - body.support(turn.inv().apply(n)) - n @ place)
            assert own == pytest.approx(c.distance, abs=1e-9)
    assert np.sum(np.array(worst) > 1e-9) <= 1  # a minimum may be missed, rarely


def test_a_ball_in_a_box_knows_its_faces():
    c = Cavity(tg.rounded_box([0.5] * 3, 0.1)).contact(tg.Sphere(0.05), pose_b=(None, [0.3, 0.1, -0.44]))
    assert c.distance == pytest.approx(0.01, abs=1e-12)
    assert np.allclose(c.normal, [0, 0, 1], atol=1e-9)


@pytest.mark.parametrize("name", ["box", "capsule"])
def test_an_elastic_ball_keeps_its_energy(name):
    ball = Body("ball", tg.Sphere(0.1), (None, [0.1, 0.05, 0.0]), mass=1.0, velocity=[0.7, -0.4, 0.9])
    law = Interaction(forces.Hertz(stiffness=1e6))
    run = simulate(World([Body("wall", Cavity(HOLLOWS[name])), ball], interaction=law), 2.0, "fast", step=1e-4)
    energy = run.mechanical_energy
    assert run.energy["elastic"].max() > 0.0 or run.velocity[-1, 1] @ [0.7, -0.4, 0.9] < 1.0  # it has touched
    assert np.abs(energy / energy[0] - 1.0).max() < 2e-2
    assert run.info["contacts_failed"] == 0


def test_a_plane_that_turns_meets_bodies_far_from_its_centre():
    ground = Body("ground", tg.HalfSpace([0, 0, 1]), mass=1e6, inertia=[1e6] * 3, angular_velocity=[0, -1.0, 0])
    ball = Body("ball", tg.Sphere(0.1), (None, [5, 0, 2]))
    law = Interaction(forces.HuntCrossley(stiffness=1e6, restitution=0.7))
    run = simulate(World([ground, ball], gravity=[0, 0, 0], interaction=law), 1.0, "fast", step=1e-4)
    assert run.velocity[-1, 1, 2] > 4.0  # thrown by a wall that comes at 5 m/s


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_velocities_of_a_motion_follow_from_its_poses(mode):
    def hammer(t, *speeds):
        return Motion((Rotation.from_euler("z", 3.0 * t), [0, 0, 2 - 2 * t]), *speeds)

    def run(motion):
        bodies = [Body("hammer", tg.Sphere(0.1), motion=motion), Body("ball", tg.Sphere(0.1), (None, [0, 0.02, 0]))]
        law = Interaction(forces.HuntCrossley(stiffness=1e5, restitution=0.7))
        options = {"step": 5e-4} if mode == "fast" else {"rtol": 1e-7}
        return simulate(World(bodies, gravity=[0, 0, 0], interaction=law), 1.0, mode, output_interval=0.1, **options)

    found, given = run(hammer), run(lambda t: hammer(t, [0, 0, -2.0], [0, 0, 3.0]))
    assert np.allclose(found.velocity[:, 0], [0, 0, -2.0], atol=1e-8)
    assert np.allclose(found.angular_velocity[:, 0], [0, 0, 3.0], atol=1e-6)
    assert found.velocity[-1, 1, 2] < -3.0  # hit
    assert np.allclose(found.velocity[-1, 1], given.velocity[-1, 1], rtol=1e-6, atol=1e-6)


def test_springs_between_fixed_bodies_and_stiff_dampers():
    law = Interaction(forces.Hertz(stiffness=1e6))
    walls = [Body("a", tg.Sphere(0.1), fixed=True), Body("b", tg.Sphere(0.1), (None, [1, 0, 0]), fixed=True)]
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 1]), mass=4.0)
    springs = [Spring("a", "b", stiffness=1e3), Spring("ball", None, stiffness=10.0, damping=1e4)]
    run = simulate(World([*walls, ball], interaction=law, springs=springs), 0.1, "fast", output_interval=0.1)
    assert np.isfinite(run.position).all()
    assert np.linalg.norm(run.velocity[-1, 2]) < 0.05  # the damper holds it
