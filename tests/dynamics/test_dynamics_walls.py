"""Walls that move, turn, or press with a force."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.dynamics import (
    Body,
    Cavity,
    Group,
    Interaction,
    Servo,
    World,
    load_trajectory,
    measures,
    simulate,
    steady_motion,
    world_of,
)
from tangency.scene import SceneError, load_scene

GRIP = Interaction(
    forces.KelvinVoigt(stiffness=1e4, damping=10.0), forces.Bristle(static=0.6, stiffness=4e3, damping=40.0)
)
BALL = 0.05  # radius [m]
CUBE = [[x, y, z] for x in (-1.0, 1.0) for y in (-0.2, 0.2) for z in (-0.1, 0.0)]
TILT = np.arctan(0.4)  # of the axis of a cone that lies on one of its lines
AXIS = np.array([np.cos(TILT), 0.0, np.sin(TILT)])  # from its tip
LYING = Rotation.from_euler("y", np.pi / 2 - TILT) * Rotation.from_euler("x", np.pi)  # its own z axis is - AXIS

#: Walls whose upper side, or lowest line inside, is z = 0 along x: shapes, pose.
BELTS = {
    "half-space": (tg.HalfSpace([0, 0, 1]), None),
    "box": (tg.Box([1.0, 0.3, 0.2]), (None, [0, 0, -0.2])),
    "hull": (tg.Hull(CUBE), None),
    "compound body": (
        [(tg.Box([0.5, 0.3, 0.1]), (None, [-0.5, 0, -0.1])), (tg.Cylinder(0.2, 0.5), (None, [0, 0, -1.5]))],
        None,
    ),
    "cylindrical trough": (Cavity(tg.Cylinder(0.3, 2.0)), (Rotation.from_euler("y", np.pi / 2), [0, 0, 0.3])),
    "conical shell": (Cavity(tg.Cone(0.8, 1.0), ends=False), (LYING, AXIS - [1.0, 0, 0])),
}


@pytest.mark.parametrize("name", BELTS)
def test_a_ball_on_a_moving_wall_takes_two_sevenths_of_its_speed(name):
    # A ball that slips until it rolls: friction acts at the lowest point, so v = 2/7 u and r w = 5/7 u.
    shape, pose = BELTS[name]
    belt, speed = steady_motion(pose, velocity=[0.7, 0, 0]), 0.7
    start = -0.3
    ball = Body("ball", tg.Sphere(BALL), (None, [start, 0, BALL - 5e-4]), density=1000)
    world = World([Body("belt", shape, motion=belt), ball], interaction=GRIP)
    run = simulate(world, 0.24, "fast", step=2e-4, output_interval=0.02)
    assert run.velocity[-1, 1] == pytest.approx([2.0 / 7.0 * speed, 0, 0], abs=2e-3)
    assert run.angular_velocity[-1, 1] * BALL == pytest.approx([0, -5.0 / 7.0 * speed, 0], abs=4e-3)


def test_a_ball_circles_on_a_turntable_at_two_sevenths_of_its_rate():
    # Weckesser, Am. J. Phys. 65 (1997) 736: a ball that rolls on a turning plane moves on a circle.
    rate, radius = 2.0, 0.3
    table = Body("table", tg.HalfSpace([0, 0, 1]), motion=steady_motion(angular_velocity=[0, 0, rate]))
    # Rolling at the start: at the lowest point the ball moves as the table does there.
    own = 2.0 / 7.0 * rate
    velocity = np.array([0.0, own * radius, 0.0])  # on a circle about the origin
    spin = np.array([(rate * radius - velocity[1]) / BALL, 0.0, 0.0])
    place = (None, [radius, 0, BALL - 5e-4])
    ball = Body("ball", tg.Sphere(BALL), place, density=1000, velocity=velocity, angular_velocity=spin)
    run = simulate(World([table, ball], interaction=GRIP), 0.6, "fast", step=2e-4, output_interval=0.1)
    angle = np.unwrap(np.arctan2(run.position[:, 1, 1], run.position[:, 1, 0]))
    assert angle[-1] == pytest.approx(own * 0.6, rel=0.01)
    assert np.linalg.norm(run.position[:, 1, :2], axis=1) == pytest.approx(radius, rel=0.01)


@pytest.mark.parametrize("hollow", [tg.Cylinder(0.3, 0.2), tg.Cone(0.32, 0.2, 0.28)], ids=["drum", "conical drum"])
def test_a_ball_at_the_bottom_of_a_turning_drum_spins_with_it(hollow):
    along_x = Rotation.from_euler("y", np.pi / 2)
    drum = Body("drum", Cavity(hollow), motion=steady_motion((along_x, [0, 0, 0]), angular_velocity=[3.0, 0, 0]))
    ball = Body("ball", tg.Sphere(BALL), (None, [0, 0, -0.3 + BALL]), density=1000)
    stops = [Body(f"stop {x}", tg.HalfSpace([-x, 0, 0]), (None, [x * 0.06, 0, 0])) for x in (-1, 1)]
    smooth = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=10.0))
    special = {("ball", stop.name): smooth for stop in stops}
    world = World([drum, ball, *stops], interaction=GRIP, interactions=special)
    run = simulate(world, 0.5, "fast", step=2e-4, output_interval=0.02)
    for frame in range(-5, 0):  # it rolls on the wall: both move alike where they touch
        last = run.contacts.at(frame)
        point = last.point[(last.body_a == 0) | (last.body_b == 0)][0]
        own = run.velocity[frame, 1] + np.cross(run.angular_velocity[frame, 1], point - run.position[frame, 1])
        assert own == pytest.approx(np.cross([3.0, 0, 0], point), abs=0.02)
    assert np.linalg.norm(run.angular_velocity[-1, 1]) > 10.0


def pressed(force=40.0, speed=0.6, **options):
    """Balls without weight on a grid, between a floor and a lid that presses, in a box periodic along x and y."""
    grid = np.stack(np.meshgrid(*[np.arange(n) for n in (4, 4, 3)], indexing="ij"), axis=-1).reshape(-1, 3)
    balls = Group("balls", tg.Sphere(0.0249), (None, 0.05 * grid + 0.025), density=2000)
    law = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=30.0))
    lid = Body("lid", tg.HalfSpace([0, 0, -1]), (None, [0, 0, 0.2]), motion=Servo([0, 0, -2], force, speed, **options))
    bodies = [Body("floor", tg.HalfSpace([0, 0, 1])), lid, balls]
    return World(bodies, gravity=[0, 0, 0], interaction=law, periodic=[(0, 0.2), (0, 0.2), None])


def test_a_lid_presses_with_its_force(tmp_path):
    options = {"mode": "fast", "step": 2e-4, "output_interval": 0.05, "checkpoint_every": 5}
    run = simulate(pressed(), 0.6, **options, threads=1)
    for wall in (0, 1):
        last = run.contacts.at(-1)
        part = (last.body_a == wall) | (last.body_b == wall)
        assert last.normal_force[part].sum() == pytest.approx(40.0, rel=1e-4)
    height = run.position[-1, 1, 2]
    # By the mean stress theorem; the contacts with the walls lie at the bounds of the region.
    stress = measures.stress(run, ([0, 0, -0.001], [0.2, 0.2, height + 0.001]))
    assert stress[2, 2] * (height + 0.002) == pytest.approx(40.0 / 0.04 * height, rel=1e-3)
    # The lid does work, contacts dissipate it.
    balance = run.mechanical_energy + run.energy["dissipated"] - run.energy["work"]
    assert np.ptp(balance) < 1e-6 * run.energy["work"].max()
    # In two parts, and with two threads, it is the same to the last bit.
    path = tmp_path / "run.npz"
    simulate(pressed(), 0.25, **options, checkpoint=path)
    rest = simulate(pressed(), 0.6, **options, checkpoint=path, resume=True, threads=2)
    assert rest.position.tobytes() == run.position.tobytes()
    assert rest.info == run.info
    assert load_trajectory(path).energy["work"].tobytes() == run.energy["work"].tobytes()
    with pytest.raises(ValueError, match="belongs to another world"):
        simulate(pressed(force=41.0), 0.6, **options, checkpoint=path, resume=True)


def test_a_chattering_servo_is_reported():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # contacts are too short, too
        run = simulate(pressed(speed=2.0, gain=1.0), 0.4, "fast", step=2e-4, output_interval=0.05)
    assert any(text.startswith("the wall 'lid' chatters: in") for text in run.info["warnings"])


def test_servos_are_refused_where_they_cannot_work():
    with pytest.raises(ValueError, match="motion of 'lid' must not be a Servo in mode 'accurate'"):
        simulate(World([Body("lid", tg.HalfSpace([0, 0, -1]), motion=Servo([0, 0, -1], 1.0, 1.0))]), 0.1)
    for given, text in (
        (([0, 0, 0], 1.0, 1.0), "direction must not be zero"),
        (([0, 0, 1], -1.0, 1.0), "force must be > 0"),
        (([0, 0, 1], 1.0, 0.0), "speed must be > 0"),
        (([0, 0, 1], 1.0, 1.0, -2.0), "gain must be > 0"),
    ):
        with pytest.raises(ValueError, match=text):
            Servo(*given)
    with pytest.raises(TypeError, match="motion must be a function of time that returns a Motion, or a Servo, got 3"):
        Body("lid", tg.HalfSpace([0, 0, 1]), motion=3)


LID = """
[[body]]
name = "lid"
shape = "half_space"
normal = [0, 0, -1]
position = [0, 0, 0.5]
servo = { direction = [0, 0, -1], force = 50, speed = 0.1 }

[[body]]
name = "ball"
shape = "sphere"
radius = 0.1

[simulation]
mode = "fast"
duration = 0.1
"""


def test_a_servo_in_a_scene_file(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(LID)
    lid = world_of(load_scene(path))["lid"]
    assert lid.motion.force == 50.0
    assert lid.motion.gain == pytest.approx(0.002)
    assert lid.position.tolist() == [0, 0, 0.5]
    path.write_text(LID.replace("force = 50, ", ""))
    with pytest.raises(SceneError, match=r"servo must look like \{ direction"):
        load_scene(path)
    path.write_text(LID.replace("force = 50", "force = -50"))
    with pytest.raises(SceneError, match="force must be > 0"):
        world_of(load_scene(path))
    path.write_text(LID.replace("servo = {", "motion = { velocity = [0, 0, 1] }\nservo = {"))
    with pytest.raises(SceneError, match="motion and servo must not both be given"):
        world_of(load_scene(path))
