"""Bodies of several parts, springs, loads, motions and mechanisms in scene files are those of Python."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import (
    Body,
    Interaction,
    Link,
    Load,
    Loop,
    Mechanism,
    Motion,
    Spring,
    World,
    closed_position,
    options_of,
    simulate,
    world_of,
)
from tangency.scene import Body as SceneBody
from tangency.scene import Compound, Scene, SceneError, all_contacts, load_scene, scene_toml

pytest.importorskip("pinocchio", reason="mechanisms need Pinocchio: pip install 'tangency[multibody]'")


def shaker():
    """The world of examples/shaker.toml, by hand."""
    ball, bar = tg.Sphere(0.05), tg.capsule(0.01, 0.1)
    parts = [(ball, (None, [0, 0, 0.12])), (ball, (None, [0, 0, -0.12])), bar]

    def shaken(t):
        return Motion((None, [0, 0, 0.9 + 0.1 * np.sin(6 * t)]), [0, 0, 0.6 * np.cos(6 * t)], [0, 0, 0])

    law = {"axis": [0, 1, 0], "mass": 1, "inertia": [0.01] * 3}
    links = [
        Link("crank", centre_of_mass=[0, 0, -0.1], **law),
        Link("coupler", "crank", pose=(None, [0, 0, -0.2]), centre_of_mass=[0.3, 0, 0], **law),
        Link("rocker", pose=(None, [0.6, 0, 0]), centre_of_mass=[0, 0, -0.2], **law),
    ]
    loop = Loop("coupler", "rocker", [0.6, 0, 0], [0, 0, -0.4])
    base = {"pose": (None, [0.6, 0, 0.6])}
    bars = Mechanism(
        "bars",
        links,
        position=closed_position(Mechanism("bars", links, **base), [loop], hold=["crank"]),
        loops=[loop],
        prescribed={"crank": lambda t: (2 * t, 2.0, 0.0)},
        torque=lambda t, state: {"rocker": -0.05 * state.of("rocker")[1]},
        **base,
    )
    return World(
        [
            Body("ground", tg.HalfSpace([0, 0, 1])),
            Body("shaker", tg.Sphere(0.02), motion=shaken),
            Body("dumbbell", parts, (None, [0, 0, 0.4]), density=500),
        ],
        interaction=Interaction(forces.Flores(stiffness=1e6, restitution=0.8)),
        springs=[Spring("shaker", "dumbbell", point_b=[0, 0, 0.17], stiffness=80, damping=0.5, length=0.3)],
        loads=[Load("dumbbell", lambda t, state: -0.1 * (state.velocity - [1.0, 0, 0]))],
        mechanisms=[bars],
    )


def test_a_file_moves_as_the_same_world_in_python(root, tmp_path):
    scene = load_scene(root / "examples" / "shaker.toml")
    options = {**options_of(scene), "duration": 0.3}
    wanted = simulate(shaker(), **options)
    (tmp_path / "again.toml").write_text(scene_toml(scene), encoding="utf-8")
    for made in (scene, load_scene(tmp_path / "again.toml")):
        run = simulate(world_of(made), **options)
        assert run.names == wanted.names
        np.testing.assert_allclose(run.position, wanted.position, rtol=0, atol=1e-9)
        np.testing.assert_allclose(run.joints.position, wanted.joints.position, rtol=0, atol=1e-8)
        np.testing.assert_allclose(run.joint("crank").position, 2 * run.time, atol=1e-12)
        assert np.abs(run.joint("rocker").torque).max() > 0.01
        for name in ("springs", "work"):
            np.testing.assert_allclose(run.energy[name], wanted.energy[name], rtol=0, atol=1e-7)


def random_compounds(rng):
    def body(name, spread):
        shape = tg.Superellipsoid(rng.uniform(0.1, 0.4, 3), rng.uniform(0.5, 1.5, 2))
        return SceneBody(name, shape, (Rotation.random(rng=rng), spread * rng.normal(size=3)))

    def whole(name, count):
        pose = RigidTransform.from_components(1.5 * rng.normal(size=3), Rotation.random(rng=rng))
        return Compound(name, tuple(body(f"{name}/{k + 1}", 0.4) for k in range(count)), pose, physics={"mass": 1.0})

    return body("single", 1.5), whole("pair", 2), whole("triple", 3)


@pytest.mark.parametrize("seed", range(4))
def test_contacts_of_compounds_are_those_of_all_parts(seed, tmp_path):
    single, pair, triple = random_compounds(np.random.default_rng(seed))
    scene = Scene((single,), compounds=(pair, triple))
    found = {(p.a.name, p.b.name): float(p.contact.distance) for p in all_contacts(scene)}
    assert len(found) == 1 * 2 + 1 * 3 + 2 * 3
    for a, b in itertools.combinations(((single,), pair.placed(), triple.placed()), 2):
        for one, other in itertools.product(a, b):
            exact = tg.contact(one.shape, other.shape, one.pose, other.pose).distance
            assert found[one.name, other.name] == pytest.approx(float(exact), abs=1e-12)
    chosen = Scene((single,), compounds=(pair, triple), pairs=(("triple", "single"),))
    assert [(p.a.name, p.b.name) for p in all_contacts(chosen)] == [(f"triple/{k}", "single") for k in (1, 2, 3)]
    (tmp_path / "again.toml").write_text(scene_toml(scene), encoding="utf-8")
    again = {(p.a.name, p.b.name): float(p.contact.distance) for p in all_contacts(load_scene(tmp_path / "again.toml"))}
    assert again == pytest.approx(found, abs=1e-12)


def test_compounds_are_drawn_in_one_colour_and_listed(tmp_path, monkeypatch, capsys):
    from tangency.viz.stage import prepare

    single, pair, triple = random_compounds(np.random.default_rng(9))
    scene = Scene((single,), compounds=(pair, triple))
    stage = prepare(scene, [], 6)
    assert len(stage.meshes) == 6
    assert len(set(stage.colors[1:3])) == len(set(stage.colors[3:6])) == 1
    assert len(set(stage.colors)) == 3
    (tmp_path / "file.toml").write_text(scene_toml(scene), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["contact", "file.toml", "--no-picture"]) == 0
    assert "triple/3" in capsys.readouterr().out
    assert main(["lab", "file.toml", "--no-browser"]) == 2
    assert "body 'pair' has several parts: the lab is for bodies of one shape each" in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(5))
def test_prescribed_motions_have_the_velocities_of_their_poses(seed):
    """Displacement and rotation about any axis: the velocity is the derivative of the pose."""
    from tangency.dynamics.formula_motion import FormulaMotion
    from tangency.scene.formulas import Formula

    rng = np.random.default_rng(seed)
    pose = RigidTransform.from_components(rng.normal(size=3), Rotation.random(rng=rng))
    words = [f"{a:.2f}*sin({b:.2f}*t) + {c:.2f}*t**2" for a, b, c in rng.normal(size=(4, 3))]
    axis, centre = rng.normal(size=(2, 3))
    motion = FormulaMotion(pose, tuple(map(Formula, words[:3])), Formula(words[3]), axis, centre)
    t, h = float(rng.uniform(0, 2)), 1e-5
    before, now, after = (motion(time) for time in (t - h, t, t + h))
    np.testing.assert_allclose((after.pose[1] - before.pose[1]) / (2 * h), now.velocity, atol=1e-7)
    np.testing.assert_allclose(
        (after.pose[0] * before.pose[0].inv()).as_rotvec() / (2 * h), now.angular_velocity, atol=1e-7
    )
    # Points of the axis move with the displacement alone.
    way = np.array([Formula(word)(t) for word in words[:3]])
    arm = now.pose[0] * pose.rotation.inv()
    np.testing.assert_allclose(now.pose[1] - way - centre, arm.apply(pose.translation - centre), atol=1e-12)


TEXT = """\
[[body]]
name = "c"
[[body.part]]
name = "p"
shape = "sphere"
radius = 1
[[body.part]]
shape = "box"
half_lengths = [1, 1, 1]
[[body]]
name = "d"
shape = "sphere"
radius = 1
position = [9, 0, 0]
[simulation]
duration = 1
normal = { law = "hertz", stiffness = 1e6 }
[[simulation.spring]]
a = "c"
b = "d"
stiffness = 1
[[simulation.load]]
body = "d"
force = [0, 0, "t"]
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("half_lengths", "half_length", 9, "did you mean 'half_lengths'"),
        ('shape = "box"', 'shape = "bocks"', 8, "did you mean 'box'"),
        (
            'name = "c"\n',
            'name = "c"\nradius = 1\n',
            3,
            "'radius' for a body of several parts; it is a key of its parts",
        ),
        (
            'name = "c"\n',
            'name = "c"\nshape = "sphere"\n',
            3,
            "'shape' for a body of several parts; it is a key of its parts",
        ),
        ('name = "c"\n', 'name = "c"\ndensety = 1\n', 3, "did you mean 'density'"),
        ('name = "p"', "name = 7", 4, "name must be text"),
        ('shape = "box"', 'name = "p"\nshape = "box"', 8, "must differ"),
        ('name = "p"', "mass = 1", 4, "unknown key 'mass' for shape sphere"),
        ('a = "c"', 'aa = "c"', 19, "unknown key 'aa'; did you mean 'a'"),
        ('a = "c"', 'a = "e"', 19, "springs must name.*'e'"),
        ('a = "c"\n', "", 18, "'a' is missing"),
        ('a = "c"', 'a = "d"', 19, "a and b must be two different bodies"),
        ("stiffness = 1\n", "stiffness = -1\n", 21, "stiffness must be"),
        ('body = "d"', 'bodi = "d"', 23, "did you mean 'body'"),
        ('"t"', '"tt"', 24, "got 'tt'; did you mean 't'"),
        ('[0, 0, "t"]', '[0, "t"]', 24, "three numbers or formulas"),
    ],
)
def test_mistakes(old, new, line, said, tmp_path):
    assert TEXT.count(old) == 1
    path = tmp_path / "wrong.toml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(SceneError, match=rf"wrong\.toml, line {line}: .*{said}"):
        world_of(load_scene(path))


def test_a_scene_that_was_changed_is_written_with_the_changes(root, tmp_path):
    """Changes of tables that are not bodies, too: groups, laws and options."""
    changes = {
        "simulation.duration": 7.5,
        "simulation.spring.0.stiffness": 3,
        "mechanism.bars.prescribed": {"crank": "t"},
    }
    scene = load_scene(root / "examples" / "shaker.toml", changes)
    (tmp_path / "again.toml").write_text(scene_toml(scene), encoding="utf-8")
    again = load_scene(tmp_path / "again.toml")
    assert again.simulation["duration"] == 7.5
    assert again.simulation["spring"][0]["stiffness"] == 3.0
    assert again.mechanisms[0].options["prescribed"]["crank"].text == "t"


def test_rods_join_the_joints(root):
    """Every rod ends where the next joint, or the point of the loop, is."""
    run = simulate(world_of(load_scene(root / "examples" / "shaker.toml")), 0.1, output_interval=0.05)
    assert [rod.body for rod in run.rods] == ["bars/crank", "bars/coupler", "bars/rocker"]
    for frame in range(len(run.time)):
        ends = [
            run.position[frame, k] + Rotation.from_quat(run.quaternion[frame, k]).apply(rod.end)
            for rod in run.rods
            for k in [run.number(rod.body)]
        ]
        np.testing.assert_allclose(ends[0], run.position[frame, run.number("bars/coupler")], atol=1e-9)
        np.testing.assert_allclose(ends[1], ends[2], atol=1e-6)


MECHANISM = """\
[[mechanism]]
name = "m"
start = { knee = 0.1 }
torque = { knee = "-q" }
[[mechanism.link]]
name = "knee"
joint = "revolute"
axis = [0, 1, 0]
mass = 1
inertia = [1, 1, 1]
[[mechanism.link]]
name = "foot"
parent = "knee"
joint = "fixed"
[[mechanism.spring]]
joint = "knee"
stiffness = 1
[[mechanism.shape]]
link = "foot"
shape = "sphere"
radius = 0.1
[simulation]
duration = 1
normal = { law = "hertz", stiffness = 1e6 }
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('joint = "revolute"', 'joint = "revolut"', 7, "did you mean 'revolute'"),
        ("axis = [0, 1, 0]", "axis = [0, 0, 0]", 8, "axis must not be the zero vector"),
        ('name = "foot"', 'name = "knee"', 12, "names of links must differ, got 'knee'"),
        ('parent = "knee"', 'parent = "nee"', 13, "parent must be an earlier link, got 'nee'"),
        ("start = { knee = 0.1 }", "start = { nee = 0.1 }", 3, "no joint 'nee'.*did you mean 'knee'"),
        ('torque = { knee = "-q" }', 'torque = { nee = "-q" }', 4, "no joint 'nee'.*did you mean 'knee'"),
        ('torque = { knee = "-q" }', 'torque = { knee = "-p" }', 4, "got 'p'"),
        ('joint = "knee"\n', 'joint = "nee"\n', 16, "no joint 'nee'.*did you mean 'knee'"),
        ("stiffness = 1\n", "stiffness = -1\n", 17, "stiffness must be"),
        ('link = "foot"', 'link = "boot"', 19, "must name a link, got 'boot'"),
        ("start", "close_loops = true\nstart", 3, r"close_loops needs a table \[\[mechanism.loop\]\]"),
    ],
)
def test_mistakes_in_mechanisms(old, new, line, said, tmp_path):
    assert MECHANISM.count(old) == 1
    path = tmp_path / "wrong.toml"
    path.write_text(MECHANISM.replace(old, new), encoding="utf-8")
    with pytest.raises(SceneError, match=rf"wrong\.toml, line {line}: mechanism 'm'.*{said}"):
        world_of(load_scene(path))


def test_a_part_and_a_body_must_not_have_one_name():
    ball = tg.Sphere(0.1)
    bodies = (SceneBody("c/1", ball, (None, [9, 0, 0])), SceneBody("d", ball, (None, [5, 0, 0])))
    whole = Compound("c", (SceneBody("c/1", ball),), RigidTransform.identity())
    with pytest.raises(SceneError, match="names must be unique, got 'c/1' 2 times"):
        Scene(bodies, compounds=(whole,))
