"""Contacts of mechanisms: against equations written by hand, against free bodies, and the balance of energy."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Interaction,
    JointSpring,
    Link,
    Mechanism,
    Spring,
    World,
    acceleration_derivatives,
    simulate,
    world_of,
)
from tangency.dynamics.joints.system import JointSystem
from tangency.interop.formats import write_scene
from tangency.scene import SceneError, load_scene

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'tangency[multibody]'")

G = 9.81
GROUND = Body("ground", tg.HalfSpace([0, 0, 1]))


def test_a_wheel_on_a_swing_arm_rolls_as_its_equations_say():
    """Two degrees of freedom with Hertz contact and friction, from Lagrange's equations, to 1e-9."""
    length, height, radius, arm, wheel = 0.5, 0.3, 0.2, 0.4, 1.5
    j_arm, j_wheel = arm * length**2 / 3, 0.5 * wheel * radius**2
    stiffness, friction, creep = 1e5, 0.6, 0.05

    def pushes(theta, spin, dtheta):
        depth = radius - (height - length * np.sin(theta))
        load = stiffness * max(depth, 0.0) ** 1.5
        lever = radius - depth / 2
        slip = -length * np.sin(theta) * dtheta - spin * lever
        return load, -friction * load * np.tanh(slip / creep), lever

    def rate(t, y):
        theta, _, dtheta, dphi = y
        load, rub, lever = pushes(theta, dtheta + dphi, dtheta)
        q_phi = -rub * lever
        q_theta = (arm / 2 + wheel) * length * G * np.cos(theta) - load * length * np.cos(theta)
        q_theta += rub * (-length * np.sin(theta) - lever)
        matrix = np.array([[j_arm + wheel * length**2 + j_wheel, j_wheel], [j_wheel, j_wheel]])
        return [dtheta, dphi, *np.linalg.solve(matrix, [q_theta, q_phi])]

    links = [
        Link(
            "arm", axis=[0, 1, 0], mass=arm, centre_of_mass=[length / 2, 0, 0], inertia=[arm * length**2 / 12] * 3
        ),
        Link("wheel", "arm", axis=[0, 1, 0], pose=(None, [length, 0, 0]), shape=tg.Sphere(radius), mass=wheel,
             inertia=[j_wheel] * 3),
    ]  # fmt: skip
    start = np.arcsin((height - radius) / length) + 1e-3  # in contact from the start, so that both have the same kinks
    mechanism = Mechanism(
        "bike", links, pose=(None, [0, 0, height]), position={"arm": start}, velocity={"wheel": 8.0, "arm": 0.02}
    )
    law = Interaction(forces.Hertz(stiffness=stiffness), forces.Tanh(coefficient=friction, speed=creep))
    run = simulate(World([GROUND], interaction=law, mechanisms=[mechanism]), 0.2, output_interval=0.02, rtol=1e-11)
    assert len(run.impacts) == 1  # it never lifts off
    expected = solve_ivp(rate, (0, 0.2), [start, 0, 0.02, 8.0], "DOP853", run.time, rtol=1e-13, atol=1e-14).y
    np.testing.assert_allclose(run.joints.position.T, expected[:2], atol=1e-9)
    np.testing.assert_allclose(run.joints.velocity.T, expected[2:], atol=1e-7)
    load, rub, _ = pushes(expected[0, -1], expected[2:, -1].sum(), expected[2, -1])
    np.testing.assert_allclose(run.contacts.at(-1).force[0], [rub, 0, load], rtol=1e-6, atol=1e-9)
    total = run.mechanical_energy + run.energy["dissipated"]
    np.testing.assert_allclose(total, total[0], atol=1e-8)


NORMAL = forces.HuntCrossley(stiffness=1e5, restitution=0.6)
#: By mode; at an impact with slip, bristles are too stiff for explicit methods of variable step.
LAWS = {
    "accurate": Interaction(NORMAL, forces.Tanh(coefficient=0.4, speed=0.05)),
    "fast": Interaction(NORMAL, forces.Bristle(static=0.4, dynamic=0.3, stiffness=5e4, damping=5)),
}
LAW = LAWS["accurate"]


@pytest.mark.parametrize(("mode", "options", "close"), [("accurate", {}, 1e-6), ("fast", {"step": 5e-5}, 2e-3)])
def test_a_link_on_a_free_joint_bounces_as_a_free_body(mode, options, close):
    """Impact, friction with memory and a spring to the world, on a superellipsoid."""
    shape, spin, velocity = tg.Superellipsoid([0.12, 0.08, 0.1], (0.8, 1.0)), [0.0, 6.0, 1.0], [0.8, 0.1, -0.5]
    place = (None, [0, 0, 0.2])
    free = Body("it", shape, place, velocity=velocity, angular_velocity=spin)
    position, velocity6 = [0, 0, 0.2, 0, 0, 0, 1], [*velocity, *spin]
    linked = Mechanism("m", [Link("it", joint="free", shape=shape)], position=position, velocity=velocity6)
    runs = []
    for bodies, mechanisms, name in (([GROUND, free], (), "it"), ([GROUND], (linked,), "m/it")):
        spring = Spring(name, point_a=[0.12, 0, 0], point_b=[0.4, 0, 0.3], stiffness=200, damping=1, length=0.3)
        world = World(bodies, interaction=LAWS[mode], mechanisms=mechanisms, springs=[spring])
        runs.append(simulate(world, 0.25, mode, output_interval=0.05, **options))
    a, b = runs
    assert len(a.impacts) == len(b.impacts) > 0
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(b, name), getattr(a, name), atol=20 * close, err_msg=name)
    for name in a.energy:
        np.testing.assert_allclose(b.energy[name], a.energy[name], atol=100 * close, err_msg=name)


def arm(**given):
    """Two links with an ellipsoid at the end."""
    rest = {"axis": [0, 1, 0], "centre_of_mass": [0, 0, -0.25], "inertia": [1e-2] * 3}
    upper = Link("upper", mass=1, **rest)
    end = [(tg.Ellipsoid([0.1, 0.08, 0.12]), (None, [0, 0, -0.5]))]
    lower = Link("lower", "upper", pose=(None, [0, 0, -0.5]), mass=0.5, shape=end, **rest)
    return Mechanism("arm", [upper, lower], pose=(None, [0, 0, 1.2]), **given)


@pytest.mark.parametrize(("mode", "options", "close"), [("accurate", {}, 1e-7), ("fast", {"step": 1e-4}, 1e-2)])
def test_energy_balances_with_contacts_springs_and_torques(mode, options, close):
    """An arm strikes a ball that lies on the ground: everything that is lost or done is accounted for."""
    mechanism = arm(
        position={"upper": 1.2, "lower": 0.4},
        elements=[JointSpring("lower", stiffness=2.0, damping=0.01)],
        torque=lambda t, state: {"upper": 0.5 * np.sin(5 * t)},
    )
    ball = Body("ball", tg.Sphere(0.1), (None, [0, 0, 0.1]), mass=0.5)
    world = World([GROUND, ball], interaction=LAWS[mode], mechanisms=[mechanism])
    run = simulate(world, 0.6, mode, output_interval=0.05, **options)
    struck = {frozenset((run.names[a], run.names[b])) for a, b in zip(run.impacts.body_a, run.impacts.body_b)}
    assert frozenset(("ball", "arm/lower")) in struck
    assert run.velocity[-1, 1, 0] != 0.0
    total = run.mechanical_energy + run.energy["dissipated"] - run.energy["work"]
    np.testing.assert_allclose(total, total[0], atol=close * np.ptp(run.energy["kinetic"]))
    assert np.ptp(run.energy["work"]) > 0.01
    assert not run.info["warnings"]


def test_links_touch_unless_a_joint_connects_them():
    rest = {"axis": [0, 1, 0], "pose": (None, [0, 0, 0.4]), "shape": tg.Sphere(0.1), "mass": 1}
    links = [Link("a", **rest), Link("b", "a", **rest), Link("c", "b", **rest)]
    world = World([GROUND], interaction=LAW, mechanisms=[Mechanism("m", links)])
    a, b, c = (world[f"m/{name}"] for name in "abc")
    assert world.interaction_of(a, b) is None
    assert world.interaction_of(b, c) is None
    assert world.interaction_of(a, c) is LAW
    assert all(world.interaction_of(world["ground"], link) is LAW for link in (a, b, c))
    world = World([GROUND], interaction=LAW, interactions={("m/a", "m/b"): LAW}, mechanisms=[Mechanism("m", links)])
    assert world.interaction_of(world["m/a"], world["m/b"]) is LAW
    assert dataclasses.replace(world, gravity=(0, 0, 0)).names == world.names


def test_derivatives_of_accelerations():
    """With contact, friction, springs and a spinning free link, against differences of the whole right-hand side."""
    shape = tg.Ellipsoid([0.12, 0.08, 0.1])
    links = [
        Link("base", joint="free", shape=shape, mass=2.0),
        Link("arm", "base", axis=[0, 1, 0], pose=(None, [0.2, 0, 0]), shape=tg.Sphere(0.05), mass=0.5),
    ]
    turn = np.array([0.1, -0.2, 0.05])
    quat = np.append(np.sin(np.linalg.norm(turn) / 2) * turn / np.linalg.norm(turn), np.cos(np.linalg.norm(turn) / 2))
    q = np.array([0.0, 0.0, 0.095, *quat, 0.7])
    v = np.array([0.4, -0.2, -0.1, 1.0, 2.0, -1.5, 3.0])
    elements = [JointSpring("arm", stiffness=5.0, damping=0.2, rest=0.1)]
    # A law that does not depend on the speed of the impact, which is part of the past.
    law = Interaction(forces.HuntCrossley(stiffness=1e5, damping=2.0), forces.Tanh(coefficient=0.4, speed=0.5))

    def at(q, v):
        made = Mechanism("m", links, position=q, velocity=v, elements=elements)
        return acceleration_derivatives(World([GROUND], interaction=law, mechanisms=[made]))

    found, model = at(q, v), Mechanism("m", links).model
    h = 1e-5
    for c, e in enumerate(np.eye(7)):
        a, b = (at(pin.integrate(model, q, s * h * e), v).acceleration for s in (1, -1))
        np.testing.assert_allclose(found.by_position[:, c], (a - b) / (2 * h), rtol=2e-4, atol=2e-2)
        a, b = (at(q, v + s * h * e).acceleration for s in (1, -1))
        np.testing.assert_allclose(found.by_velocity[:, c], (a - b) / (2 * h), rtol=2e-4, atol=1e-3)


URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.4 0.6"/></geometry></collision></link>
<link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
 <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
 <collision><origin xyz="0 0 -1" rpy="0 1.5707963267948966 0"/><geometry>
 <cylinder radius="0.05" length="0.3"/></geometry></collision></link>
<link name="tip"><inertial><mass value="0.5"/>
 <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
 <limit lower="-3" upper="3" effort="1" velocity="1"/><dynamics damping="0.3"/></joint>
<joint name="glue" type="fixed"><parent link="rod"/><child link="tip"/><origin xyz="0 0 -1.2"/></joint></robot>"""


def test_a_urdf_file_with_its_collision_shapes(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    made = Mechanism("m", path, {"tip": tg.Superellipsoid([0.1, 0.1, 0.1], (0.5, 0.5))}, position={"hinge": 1.0},
                     collisions=True)  # fmt: skip
    base, rod = made.bodies
    assert (base.name, rod.name) == ("m/base", "m/rod")
    np.testing.assert_allclose(base.pieces[0].shape.half_lengths, [0.1, 0.2, 0.3])
    cylinder, tip = rod.pieces
    assert float(cylinder.shape.half_length) == 0.15
    np.testing.assert_allclose(cylinder.rotation @ [0, 0, 1], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(tip.position, [0, 0, -1.2])
    run = simulate(World([], mechanisms=[made]), 0.5, output_interval=0.1)
    inertia, moment = 0.1 + 2 * 0.25 + 0.01 + 0.5 * 1.44, (2 * 0.5 + 0.5 * 1.2) * G  # with the damping of the file
    expected = solve_ivp(
        lambda t, y: [y[1], (-moment * np.sin(y[0]) - 0.3 * y[1]) / inertia], (0, 0.5), [1, 0], "DOP853", run.time,
        rtol=1e-13, atol=1e-13,
    ).y  # fmt: skip
    np.testing.assert_allclose(run.joint("hinge").position, expected[0], atol=1e-9)
    with pytest.raises(FileNotFoundError, match="no such file"):
        Mechanism("m", tmp_path / "none.urdf")
    path.write_text(URDF.replace('cylinder radius="0.05" length="0.3"', 'capsule radius="0.05" length="0.3"'))
    with pytest.raises(ValueError, match="only 1 of 2 collision elements were read"):
        Mechanism("m", path, collisions=True)
    path.write_text("<nothing/>")
    with pytest.raises(ValueError, match="must be a URDF file, with <robot>, or an MJCF file, with <mujoco>"):
        Mechanism("m", path)


SCENE = """
[[body]]
name = "ground"
shape = "half_space"
normal = [0, 0, 1]

[[mechanism]]
name = "arm"
position = [0, 0, 1.2]
start = { upper = 1.2, lower = 0.4 }

[[mechanism.link]]
name = "upper"
axis = [0, 1, 0]
mass = 1
centre_of_mass = [0, 0, -0.25]
inertia = [0.01, 0.01, 0.01]

[[mechanism.link]]
name = "lower"
parent = "upper"
axis = [0, 1, 0]
position = [0, 0, -0.5]
mass = 0.5
centre_of_mass = [0, 0, -0.25]
inertia = [0.01, 0.01, 0.01]

[[mechanism.shape]]
link = "lower"
shape = "ellipsoid"
radii = [0.1, 0.08, 0.12]
position = [0, 0, -0.5]

[[mechanism.spring]]
joint = "lower"
stiffness = 2
damping = 0.01

[simulation]
duration = 0.5

[simulation.normal]
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.6
"""


def test_a_mechanism_in_a_scene_file(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(SCENE)
    world = world_of(load_scene(path))
    made = arm(position={"upper": 1.2, "lower": 0.4}, elements=[JointSpring("lower", stiffness=2.0, damping=0.01)])
    law = Interaction(forces.HuntCrossley(stiffness=1e5, restitution=0.6))
    expected = World([GROUND], interaction=law, mechanisms=[made])
    a, b = (simulate(w, 0.5, output_interval=0.25) for w in (world, expected))
    np.testing.assert_array_equal(a.joints.position, b.joints.position)
    for old, new, message in (
        ('joint = "lower"', 'joint = "knee"', r"line \d+: .*there is no joint 'knee'; there are upper, lower"),
        ('parent = "upper"', 'parrent = "upper"', r"line 2\d: .*unknown key 'parrent'; did you mean 'parent'"),
        ('link = "lower"', 'link = "foot"', r"shapes must name a link, got 'foot'"),
        ('name = "arm"', 'name = "arm"\nfile = "x.urdf"', "give either a file or tables"),
        ("stiffness = 2", "stifness = 2", r"line 3\d: .*unknown key 'stifness'; did you mean 'stiffness'"),
    ):
        path.write_text(SCENE.replace(old, new, 1))
        with pytest.raises(SceneError, match=message):
            world_of(load_scene(path))


def test_the_command_shows_and_writes_joints(tmp_path, capsys):
    """The table has the joints at the end; the CSV has a column for each number of each."""
    path = tmp_path / "arm.toml"
    path.write_text(SCENE)
    assert main(["simulate", str(path), "--out", str(tmp_path), "--duration", "0.1"]) == 0
    run = tg.dynamics.load_trajectory(tmp_path / "arm.npz")
    lower = run.joint("lower")
    lines = capsys.readouterr().out.splitlines()
    shown = next(line for line in lines if line.startswith("lower "))
    assert shown.split()[1:] == [f"{lower.position[-1]:.5f}", f"{lower.velocity[-1]:.4g}", "0"]
    table = np.genfromtxt(tmp_path / "arm.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["lower_position"], lower.position)
    np.testing.assert_array_equal(table["upper_velocity"], run.joint("upper").velocity)


def test_a_missing_model_file_is_named_with_its_line(tmp_path, capsys):
    path = tmp_path / "arm.toml"
    path.write_text('[[mechanism]]\nname = "arm"\nfile = "nowhere.urdf"\n\n[simulation]\nduration = 1\n')
    assert main(["simulate", str(path), "--out", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert f"arm.toml, line 3: mechanism 'arm': file: no such file: {tmp_path / 'nowhere.urdf'}" in told


def test_an_interruption_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    path, step = tmp_path / "arm.toml", JointSystem.rate
    path.write_text(SCENE.replace("duration = 0.5", "duration = 0.5\noutput_interval = 0.01\ncheckpoint_every = 2"))

    def interrupted(self, time, *rest):
        if time > 0.1:
            raise KeyboardInterrupt
        return step(self, time, *rest)

    command = ["simulate", str(path), "--out", str(tmp_path)]
    with monkeypatch.context() as changed:
        changed.setattr(JointSystem, "rate", interrupted)
        assert main(command) == 130
    assert f"interrupted; {tmp_path / 'arm.npz'} holds the motion so far, --resume continues" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert tg.dynamics.load_trajectory(tmp_path / "arm.npz").time[-1] == 0.5


@pytest.mark.parametrize("ending", ["xml", "stl"])
def test_mechanisms_are_not_dropped_by_other_formats(tmp_path, ending):
    path = tmp_path / "arm.toml"
    path.write_text(SCENE)
    with pytest.raises(SceneError, match=r"mechanism 'arm': .* written for bodies, not for mechanisms"):
        write_scene(load_scene(path), tmp_path / f"arm.{ending}")
    assert not (tmp_path / f"arm.{ending}").exists()
