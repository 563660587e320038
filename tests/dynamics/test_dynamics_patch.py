"""Faces and lines touch in a patch: bodies stand, slide, tip, rock and spin as statics and dynamics say."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Interaction, World, simulate

G = 9.81
DAMPED = forces.HuntCrossley(stiffness=1e6, damping=20.0)
PRISM = tg.Hull([[0.1 * np.cos(t), 0.1 * np.sin(t), z] for t in np.arange(6) * np.pi / 3 for z in (-0.04, 0.04)])
# Body, its height above the plane, turned so that its face or line is below.
LYING = {
    "box": (tg.Box([0.1, 0.07, 0.05]), 0.05, Rotation.identity()),
    "prism": (PRISM, 0.04, Rotation.identity()),
    "capsule": (tg.capsule(0.05, 0.1), 0.05, Rotation.from_euler("y", np.pi / 2)),  # points down the slope
    "rounded box": (tg.rounded_box([0.08, 0.06, 0.04], 0.01), 0.05, Rotation.identity()),
}


def test_which_bodies_are_flat():
    box, ball = tg.Box([1, 2, 3]), tg.Sphere(1.0)
    flat = [
        box,
        tg.Segment(1.0),
        PRISM,
        tg.capsule(0.1, 1.0),
        tg.rounded_box([1, 1, 1], 0.1),
        box + ball,
        box.offset(0.1),
    ]
    assert all(shape.flat for shape in flat)
    round_ones = [
        ball,
        tg.Ellipsoid([1, 2, 3]),
        tg.Superellipsoid([1, 2, 3], epsilon=(0.3, 0.3)),
        ball.offset(0.1),
        ball + ball,
    ]
    assert not any(shape.flat for shape in round_ones)


def on_a_slope(shape, height, turn, angle, friction, *, mass=1.0, yaw=0.0, normal=DAMPED):
    """A body at rest on a plane that falls towards +x."""
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    pose = (Rotation.from_euler("y", angle) * Rotation.from_euler("z", yaw) * turn, height * n)
    bodies = [Body("plane", tg.HalfSpace(n)), Body("body", shape, pose, mass=mass)]
    return World(bodies, interaction=Interaction(normal, friction)), down


@pytest.mark.parametrize("name", LYING)
def test_slides_if_and_only_if_the_slope_is_steeper_than_friction(name):
    rng = np.random.default_rng(len(name))
    shape, height, turn = LYING[name]
    for steeper in (0.9, 1.1):
        angle, mass = np.radians(rng.uniform(5, 25)), rng.uniform(0.5, 2.0)
        mu = np.tan(angle) / steeper
        friction = forces.Bristle(static=mu, stiffness=1e5, damping=200.0, stribeck_speed=1.0)
        yaw = 0.0 if name == "capsule" else rng.uniform(-3, 3)
        world, down = on_a_slope(shape, height - 4e-5, turn, angle, friction, mass=mass, yaw=yaw)
        run = simulate(world, 1.5, "fast", step=2.5e-4, output_interval=0.025)
        speed = run.velocity[:, 1] @ down
        late = run.time >= 1.0
        if steeper < 1.0:
            assert np.ptp(run.position[late, 1], axis=0).max() < 2e-6
            jumps = np.diff([run.contacts.at(f).point[0] for f in np.flatnonzero(late)], axis=0)
            assert np.abs(jumps).max() < 1e-5  # the centre of pressure stays where it is
        else:
            want = G * (np.sin(angle) - mu * np.cos(angle))
            got = np.polyfit(run.time[late], speed[late], 1)[0]
            assert got == pytest.approx(want, rel=0.03)


@pytest.mark.parametrize("mode", ["accurate", "fast"])
def test_a_box_stands_still_on_twenty_degrees(mode):
    options = {"rtol": 1e-7, "atol": 1e-10} if mode == "accurate" else {"step": 2.5e-4}
    friction = forces.Bristle(static=0.5, stiffness=1e5, damping=200.0)
    world, _ = on_a_slope(tg.Box([0.1] * 3), 0.1 - 4e-5, Rotation.identity(), np.radians(20.0), friction, yaw=0.3)
    run = simulate(world, 1.0, mode, output_interval=0.05, **options)
    assert np.linalg.norm(run.position[-1, 1] - run.position[-6, 1]) < 1e-6
    assert np.linalg.norm(run.velocity[-1, 1]) < 1e-5


def test_tips_if_and_only_if_the_weight_leaves_the_face():
    rng = np.random.default_rng(3)
    for steeper in (0.93, 1.07):
        width, tall = rng.uniform(0.03, 0.06), 0.12
        angle = np.arctan(steeper * width / tall)
        world, _ = on_a_slope(
            tg.Box([width, 0.1, tall]),
            tall - 4e-5,
            Rotation.identity(),
            angle,
            forces.Bristle(static=0.9, stiffness=1e6, damping=500.0),
            normal=forces.HuntCrossley(stiffness=1e7, damping=1.0),
        )
        run = simulate(world, 1.5, "fast", step=1e-4, output_interval=0.05)
        start, end = (Rotation.from_quat(run.quaternion[f, 1]) for f in (0, -1))
        turned = (end * start.inv()).magnitude()
        assert (turned > 0.5) == (steeper > 1.0), turned


def test_rocks_as_on_four_springs():
    """Linear springs under the corners of a box: heave and pitch have closed forms."""
    half, stiffness, mass = np.array([0.1, 0.05, 0.08]), 1e5, 2.0
    sunk = mass * G / (4 * stiffness)
    box = Body("box", tg.Box(half), (Rotation.from_euler("y", 2e-4), [0, 0, half[2] - sunk]), mass=mass)
    law = Interaction(forces.KelvinVoigt(stiffness=stiffness, damping=0.0))
    world = World([Body("ground", tg.HalfSpace([0, 0, 1])), box], interaction=law)
    inertia = mass * (half[0] ** 2 + half[2] ** 2) / 3.0
    omega = np.sqrt((4 * stiffness * half[0] ** 2 - mass * G * half[2]) / inertia)
    run = simulate(world, 4 * np.pi / omega, "fast", output_interval=np.pi / omega / 50, step=np.pi / omega / 500)
    pitch = 2.0 * run.quaternion[:, 1, 1]
    np.testing.assert_allclose(pitch, 2e-4 * np.cos(omega * run.time), atol=2e-7)


def test_spinning_is_braked_by_friction_at_the_corners():
    half, mass, mu, spin = np.array([0.1, 0.06, 0.03]), 1.5, 0.3, 5.0
    law = Interaction(forces.HuntCrossley(stiffness=1e6, damping=5.0), forces.Tanh(coefficient=mu, speed=1e-3))
    sunk = (mass * G / 4e6) ** (2 / 3)
    box = Body("box", tg.Box(half), (None, [0, 0, half[2] - sunk]), mass=mass, angular_velocity=[0, 0, spin])
    run = simulate(World([Body("g", tg.HalfSpace([0, 0, 1])), box], interaction=law), 0.1, "fast", step=1e-4)
    reach, inertia = np.hypot(half[0], half[1]), mass * (half[0] ** 2 + half[1] ** 2) / 3.0
    want = np.maximum(spin - mu * mass * G * reach / inertia * run.time, 0.0)
    np.testing.assert_allclose(run.angular_velocity[:, 1, 2], want, atol=0.01)


@pytest.mark.parametrize("name", LYING)
def test_elastic_falls_keep_their_energy(name):
    rng = np.random.default_rng(7)
    shape, _, turn = LYING[name]
    for tilt in (0.0, 1e-3, 3e-2, 1.0):
        pose = Rotation.from_rotvec(tilt * rng.normal(size=3)) * turn
        height = float(shape.support(pose.inv().apply([0, 0, -1.0]))) + 0.02
        body = Body("b", shape, (pose, [0, 0, height]), mass=1.0, angular_velocity=tilt * rng.normal(size=3))
        law = Interaction(forces.Hertz(stiffness=1e7))
        run = simulate(World([Body("g", tg.HalfSpace([0, 0, 1])), body], interaction=law), 0.12, "fast", step=2e-5)
        assert len(run.contacts) > 0
        energy = run.mechanical_energy
        assert np.abs(energy / energy[0] - 1.0).max() < 2e-4


def test_a_box_on_a_box_on_a_slope():
    """Crossed bars: the corners of the patch are crossings of edges, of neither body."""
    angle, n = np.radians(20.0), np.array([np.sin(np.radians(20.0)), 0.0, np.cos(np.radians(20.0))])
    tilt = Rotation.from_euler("y", angle)
    law = Interaction(DAMPED, forces.Bristle(static=0.5, stiffness=1e5, damping=200.0))
    bodies = [
        Body("plane", tg.HalfSpace(n)),
        Body("lower", tg.Box([0.15, 0.04, 0.03]), (tilt, n * (0.03 - 6e-5)), mass=2.0),
        Body("upper", tg.Box([0.04, 0.15, 0.03]), (tilt * Rotation.from_euler("z", 0.2), n * (0.09 - 1e-4)), mass=1.0),
    ]
    run = simulate(World(bodies, interaction=law), 1.5, "fast", step=2.5e-4, output_interval=0.05)
    assert np.linalg.norm(run.position[-1] - run.position[-6], axis=1).max() < 1e-5
    top = run.contacts.at(-1)
    assert top.normal_force[top.body_b == 2].sum() == pytest.approx(G * np.cos(angle), rel=1e-3)
