"""Scenes: bodies, files and every mistake a person can make in one."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.cli.main import main
from tangency.scene import Body, Roller, Scene, SceneError, all_contacts, demo_scene, load_scene
from tangency.scene.catalogue import CATALOGUE, harmless

BOWL = Path(__file__).parents[2] / "examples" / "bowl.toml"
TWO = """
[[body]]
name = "left"
shape = "Sphere"
radius = 1

[[body]]
name = "right"
shape = "sphere"
radius = 0.5
position = [3, 0, 0]
"""


@pytest.fixture
def write(tmp_path):
    def to(text):
        path = tmp_path / "scene.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return to


def test_two_spheres(write):
    scene = load_scene(write(TWO))
    assert scene.title == "scene"
    (pair,) = all_contacts(scene)
    assert (pair.a.name, pair.b.name) == ("left", "right")
    assert float(pair.contact.distance) == pytest.approx(1.5, abs=1e-14)


@pytest.mark.parametrize(
    ("text", "rotation"),
    [
        ("{ axis = [0, 0, 2], angle_deg = 90 }", Rotation.from_euler("z", 90, degrees=True)),
        ("{ quaternion = [0, 0, 1, 1] }", Rotation.from_euler("z", 90, degrees=True)),
        ('{ euler = "xyz", angles_deg = [10, 20, 30] }', Rotation.from_euler("xyz", [10, 20, 30], degrees=True)),
        ('{ euler = "ZX", angles_deg = [10, 20] }', Rotation.from_euler("ZX", [10, 20], degrees=True)),
        ('{ euler = "y", angles_deg = 15 }', Rotation.from_euler("y", 15, degrees=True)),
        ("{ matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }", Rotation.from_euler("z", 90, degrees=True)),
    ],
)
def test_orientations(write, text, rotation):
    scene = load_scene(write(TWO + f"orientation = {text}\n"))
    np.testing.assert_allclose(scene["right"].rotation, rotation.as_matrix(), atol=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("radius = 1", "radius = -1"), "body 'left': radius must be > 0, got -1"),
        (("radius = 1", "radius = '1'"), "body 'left': radius must be a number or a list of numbers, got '1'"),
        (("radius = 1", "radius = true"), "body 'left': radius must be a number or a list of numbers, got True"),
        (("radius = 1", "radius = nan"), "body 'left': radius must be finite, got nan"),
        (("radius = 1", "radius = [1, 2]"), "body 'left': shape must be one body, got a stack of shape (2,)"),
        (("radius = 1", ""), "body 'left': shape sphere needs the key 'radius' (it takes radius)"),
        (("radius = 1", "raduis = 1"), "body 'left': unknown key 'raduis' for shape sphere; did you mean 'radius'?"),
        (('"Sphere"', '"elipsoid"'), "body 'left': unknown shape 'elipsoid'; did you mean 'ellipsoid'?"),
        (('"Sphere"', "3"), "body 'left': shape must be text, got 3"),
        (('shape = "Sphere"', ""), "body 'left': the key 'shape' is missing"),
        (('name = "left"', 'name = "right"'), "body names must be unique, got 'right' 2 times"),
        (('name = "left"', "name = 3"), "body 1: name must be text, got 3"),
        (("[3, 0, 0]", "[3, 0]"), "body 'right': position must be 3 numbers, got [3, 0]"),
        (("[3, 0, 0]", "[3, 0, inf]"), "body 'right': position must be finite, got [3, 0, inf]"),
        (("position", "posiiton"), "body 'right': unknown key 'posiiton' for shape sphere; did you mean 'position'?"),
        (("[[body]]", "[[bodies]]"), "unknown key 'bodies' in the file; did you mean 'body'?"),
        (("radius = 1", "radius = 1\ncolor = 'red'"), "body 'left': color must look like '#4c78a8', got 'red'"),
    ],
)
def test_mistakes_in_bodies(write, change, message):
    path = write(TWO.replace(*change))
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert re.match(rf"{re.escape(str(path))}, line \d+: {re.escape(message)}", str(caught.value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("orientation = [1, 0, 0]", "body 'right': orientation must be one of {angle_deg, axis} or {quaternion} or"),
        ("orientation = { axis = [1, 0, 0] }", "body 'right': orientation must be one of"),
        ("orientation = { axis = [0, 0, 0], angle_deg = 3 }", "body 'right', orientation: axis must not be zero"),
        ("orientation = { quaternion = [0, 0, 0, 0] }", "body 'right', orientation: quaternion must not be zero"),
        ("orientation = { quaternion = [0, 0, 1] }", "body 'right', orientation: quaternion (x, y, z, w) must be 4"),
        ("orientation = { euler = 'abc', angles_deg = [1, 2, 3] }", "body 'right', orientation: euler must name"),
        ("orientation = { euler = 'xyz', angles_deg = [1, 2] }", "body 'right', orientation: euler must name"),
        ("orientation = { matrix = [[2, 0, 0], [0, 1, 0], [0, 0, 1]] }", "body 'right', orientation: matrix must be"),
        ("orientation = { matrix = [[-1, 0, 0], [0, 1, 0], [0, 0, 1]] }", "body 'right', orientation: matrix must be"),
        ("[contact]\ntol = 2", "[contact]: tol must be a number between 0 and 1, got 2"),
        ("[contact]\ntol = 'a'", "[contact]: tol must be a number between 0 and 1, got 'a'"),
        ("[contact]\npairs = ['left', 'right']", "[contact]: pairs must look like"),
        ("[contact]\npairs = [['left', 'rihgt']]", "pairs must name bodies of the scene, got 'rihgt'; did"),
        ("[contact]\npairs = [['left', 'left']]", "pairs must name two different bodies"),
        ("[contact]\nspeed = 1", "unknown key 'speed' in [contact]"),
    ],
)
def test_mistakes_after_bodies(write, line, message):
    path = write(TWO + line + "\n")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert re.match(rf"{re.escape(str(path))}, line \d+: {re.escape(message)}", str(caught.value))
    assert "\n" not in str(caught.value)


def test_mistakes_in_files(write, tmp_path):
    with pytest.raises(SceneError, match="no such file"):
        load_scene(tmp_path / "absent.toml")
    with pytest.raises(SceneError, match="cannot read the file"):
        load_scene(tmp_path)
    with pytest.raises(SceneError, match=r"not valid TOML: .*line 2"):
        load_scene(write("title = 'a'\nradius = = 3\n"))
    with pytest.raises(SceneError, match=r"twice .*; each body is written as \[\[body\]\], with double brackets"):
        load_scene(write(TWO.replace("[[body]]", "[body]")))
    path = write("")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SceneError, match="not a UTF-8 text file"):
        load_scene(path)
    with pytest.raises(SceneError, match="at least two bodies, got 0"):
        load_scene(write("title = 'nothing'\n"))


def test_composites_and_pairs(write):
    scene = load_scene(
        write("""
        [[body]]
        name = "rod"
        shape = "offset"
        body = { shape = "segment", half_length = 1 }
        distance = 0.25
        [[body]]
        name = "sum"
        shape = "Minkowski sum"
        a = { shape = "sphere", radius = 0.5 }
        b = { shape = "affine", body = { shape = "sphere", radius = 1 }, matrix = [[1, 0, 0], [0, 2, 0], [0, 0, 1]] }
        position = [4, 0, 0]
        [[body]]
        name = "wall"
        shape = "plane"
        normal = [1, 0, 0]
        offset = -3
        [contact]
        tol = 1e-9
        pairs = [["wall", "rod"], ["rod", "sum"]]
        """)
    )
    assert scene.options == {"tol": 1e-9}
    first, second = all_contacts(scene)
    assert float(first.contact.distance) == pytest.approx(2.75)
    assert float(second.contact.distance) == pytest.approx(4 - 0.25 - 1.5)


def test_mistake_in_a_nested_shape(write):
    nested = "[[body]]\nname = 'c'\nshape = 'offset'\nbody = { shape = 'sphere', radius = 0 }\ndistance = 1\n"
    path = write(TWO + nested)
    with pytest.raises(SceneError, match="body 'c', body: radius must be > 0, got 0"):
        load_scene(path)


def test_formulas(write):
    pytest.importorskip("sympy")
    egg = "[[body]]\nname = 'egg'\nshape = 'support'\nposition = [0, 5, 0]\n"
    scene = load_scene(write(TWO + egg + "expression = 'sqrt(a**2*nx**2 + ny**2 + nz**2)'\na = 2\n"))
    assert float(scene["egg"].shape.support([1, 0, 0])) == pytest.approx(2.0)
    with pytest.raises(SceneError, match=r"body 'egg': h must describe a convex body, but a radius .* falls to -"):
        load_scene(write(TWO + egg + "expression = 'nz**3 + 1'\n"))
    with pytest.raises(
        SceneError,
        match="body 'egg': h must be finite for every normal: the formulas of FromSupport ",
    ):
        load_scene(write(TWO + egg + "expression = 'sqrt(nx**2 + ny**2 - nz**2/2)'\n"))
    with pytest.raises(SceneError, match=r"body 'egg': h contains b"):
        load_scene(write(TWO + egg + "expression = 'sqrt(b**2*nx**2 + ny**2 + nz**2)'\n"))


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "nx.real",
        "(lambda: 1)()",
        "[1]",
        "'a'",
        "open('x')",
        "1 if 1 else 2",
        "1 +",
        "9**9**9",
        "9**999999999",  # would never end
        "9**-(9**9)",
        "nx**(1 + 9**9)",
        "9**(nx - nx + 1000*1000*1000)",
        "9**(nx/1e-9)",
        "9**Max(999999999, nx)",
        "sin(" * 150 + "nx" + ")" * 150,
        "-" * 1500 + "nx",
    ],
)
def test_formulas_cannot_run_code(text):
    with pytest.raises(ValueError, match="expression must"):
        harmless(text)


@pytest.mark.parametrize("text", ["nx**2", "nx**(2/e)", "ny**-3.5", "a**(b + 1)", "(nx**2 + ny**2)**(3/4*k)"])
def test_usual_powers_are_formulas(text):
    assert harmless(text) == text


def test_half_spaces_are_not_paired():
    floor, wall = tg.HalfSpace([0, 0, 1], 0.0), tg.HalfSpace([1, 0, 0], -2.0)
    scene = Scene((Body("floor", floor), Body("wall", wall), Body("ball", tg.Sphere(1.0), (None, [0, 0, 2]))))
    assert [(p.a.name, p.b.name) for p in all_contacts(scene)] == [("floor", "ball"), ("wall", "ball")]
    with pytest.raises(SceneError, match="not a half-space or cavity"):
        Scene((Body("floor", floor), Body("wall", wall)))
    with pytest.raises(SceneError, match="two half-spaces"):
        Scene(scene.bodies, pairs=(("floor", "wall"),))


def test_body_checks():
    with pytest.raises(SceneError, match="shape must be a Shape"):
        Body("a", 3)
    with pytest.raises(SceneError, match="pose must be one pose"):
        Body("a", tg.Sphere(1.0), (None, np.zeros((2, 3))))
    with pytest.raises(SceneError, match="reflection"):
        Body("a", tg.Sphere(1.0), (np.diag([1.0, 1.0, -1.0]), np.zeros(3)))


def test_demo_scene():
    scene = demo_scene()
    assert len(scene.bodies) >= 7
    assert {type(body.shape).__name__ for body in scene.bodies} >= {
        "HalfSpace",
        "Sphere",
        "Ellipsoid",
        "Superellipsoid",
        "MinkowskiSum",
        "Roller",
    }
    pairs = all_contacts(scene)
    assert len(pairs) == len(scene.bodies) * (len(scene.bodies) - 1) // 2
    assert all(bool(pair.contact.converged) for pair in pairs)
    distances = np.array([float(pair.contact.distance) for pair in pairs])
    assert (distances < -0.01).any()
    assert (abs(distances) < 1e-12).any()
    assert ((distances > 0) & (distances < 0.1)).any()
    for pair in pairs:
        c = pair.contact
        np.testing.assert_allclose(c.point_b, c.point_a + c.distance * c.normal, atol=1e-12)
        assert c.lower - 1e-12 <= c.distance <= c.upper + 1e-12


def test_roller():
    roller = Roller(radius=0.45, skew=0.85)
    assert tg.check(roller).ok
    n = np.random.default_rng(0).normal(size=(50, 3))
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    np.testing.assert_allclose(roller.support(n) + roller.support(-n), 0.9, rtol=1e-14)
    assert (roller.curvature(n).radii > 0).all()


def test_catalogue_names_every_shape():
    words = {name.replace("_", "") for name in CATALOGUE}
    classes = [cls for cls in vars(tg.shapes).values() if isinstance(cls, type) and issubclass(cls, tg.Shape)]
    words.add("cavity")  # written as cavity = true
    missing = [cls.__name__ for cls in classes if cls.__name__.lower() not in words]
    assert not missing, f"shapes without a word for scene files: {missing}"


@pytest.mark.parametrize("again", [["a", "b"], ["b", "a"]])
def test_pairs_are_asked_for_once(again):
    bodies = [Body(name, tg.Sphere(0.1), (None, [k, 0, 0])) for k, name in enumerate("abc")]
    with pytest.raises(SceneError, match="pairs must hold each pair once"):
        Scene(bodies, pairs=(("a", "b"), ("b", "c"), tuple(again)))


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    text = BOWL.read_text(encoding="utf-8")
    (tmp_path / "marked.toml").write_text(text, encoding="utf-8-sig")
    names = [[body.name for body in load_scene(path).bodies] for path in (BOWL, tmp_path / "marked.toml")]
    assert names[0] == names[1]


@pytest.mark.parametrize(("mode", "tol"), [("accurate", 1e-12), ("fast", 1e-10)])
def test_a_tolerance_that_a_simulation_does_not_keep_is_refused(mode, tol, tmp_path, capsys):
    text = BOWL.read_text(encoding="utf-8")
    for factor in (1.0, 0.5):
        path = tmp_path / "scene.toml"
        path.write_text(f"{text}\n[contact]\ntol = {factor * tol}\n", encoding="utf-8")
        scene = load_scene(path)
        scene.simulation["mode"] = mode
        if factor == 1.0:
            tg.dynamics.world_of(scene)
            continue
        with pytest.raises(SceneError, match=rf"line \d+: \[contact\]: tol must not be less than {tol:g}"):
            tg.dynamics.world_of(scene)
        assert main(["simulate", str(path), "--mode", mode, "--out", str(tmp_path)]) == 2
        assert "tol must not be less" in capsys.readouterr().err


KEYS = {
    "duration": ("2.0", lambda run, world: run["duration"] == 2.0),
    "output_interval": ("0.5", lambda run, world: run["output_interval"] == 0.5),
    "step": ("0.25", lambda run, world: run["step"] == 0.25),
    "rtol": ("1e-5", lambda run, world: run["rtol"] == 1e-5),
    "atol": ("1e-6", lambda run, world: run["atol"] == 1e-6),
    "max_step": ("0.1", lambda run, world: run["max_step"] == 0.1),
    "skin": ("0.2", lambda run, world: run["skin"] == 0.2),
    "mode": ('"fast"', lambda run, world: run["mode"] == "fast"),
    "method": ('"Radau"', lambda run, world: run["method"] == "Radau"),
    "force_point": ('"a"', lambda run, world: world.force_point == "a"),
    "gravity": ("[1, 2, 3]", lambda run, world: world.gravity.tolist() == [1, 2, 3]),
    "threads": ("3", lambda run, world: run["threads"] == 3),
    "local_damping": ("0.5", lambda run, world: world.local_damping == 0.5),
    "periodic": ("{ y = [1, 2] }", lambda run, world: world.periodic == (None, (1, 2), None)),
    "interaction": (
        '[{ between = ["left", "right"], touch = false }]',
        lambda run, world: list(world.interactions.values()) == [None],
    ),
    "motion": (
        "{ angular_velocity = [0, 0, 2], centre = [1, 0, 0] }",
        lambda run, world: world.bodies[0].motion(0.0).velocity.round(12).tolist() == [0, -2, 0],
    ),
    "spring": (
        '[{ a = "left", b = "right", stiffness = 3, point_a = [0, 0, 1] }]',
        lambda run, world: world.springs[0].stiffness == 3.0 and world.springs[0].point_a[2] == 1.0,
    ),
    "load": (
        '[{ body = "left", force = [0, 0, "2*t"], torque = [1, 0, 0] }]',
        lambda run, world: (
            [part.tolist() for part in world.loads[0](1.5, tg.dynamics.BodyState(*np.zeros((5, 3))))]
            == [[0, 0, 3], [1, 0, 0]]
        ),
    ),
    "rest": ("0.5", lambda run, world: run["rest"] == 0.5),
    "outlet": (
        "[{ low = [-inf, 0, 0], high = [0, 1, inf] }]",
        lambda run, world: world.outlets[0].high.tolist() == [0, 1, float("inf")],
    ),
    "checkpoint_every": ("7", lambda run, world: run["checkpoint_every"] == 7),
    "normal": ('{ law = "hertz", stiffness = 5e6 }', lambda run, world: world.interaction.normal.stiffness == 5e6),
    "friction": (
        '{ law = "tanh", coefficient = 0.4, speed = 1 }',
        lambda run, world: world.interaction.friction.coefficient == 0.4,
    ),
    "rolling": ("{ rolling = 0.1 }", lambda run, world: world.interaction.rolling.rolling == 0.1),
    "density": ("500.0", lambda run, world: world["left"].density == 500.0),
    "mass": ("3.0", lambda run, world: world["left"].mass_properties.mass == 3.0),
    "centre_of_mass": ("[0, 0, 0.1]", lambda run, world: world["left"].mass_properties.centre[2] == 0.1),
    "inertia": ("[1, 2, 2]", lambda run, world: world["left"].mass_properties.inertia[0, 0] == 1.0),
    "velocity": ("[1, 0, 0]", lambda run, world: world["left"].velocity[0] == 1.0),
    "angular_velocity": ("[0, 1, 0]", lambda run, world: world["left"].angular_velocity[1] == 1.0),
    "fixed": ("true", lambda run, world: world["left"].fixed),
    "material": ("{ young = 1e9, poisson = 0.3 }", lambda run, world: world["left"].material.young == 1e9),
}


def test_every_key_of_motion_arrives(write):
    from tangency.dynamics import options_of, world_of
    from tangency.scene import physics

    # A servo belongs to a body that does not move freely: test_dynamics_walls.py.
    assert set(KEYS) == {*physics._SIMULATION, *physics.PHYSICS} - {"servo"}
    for key, (value, arrived) in KEYS.items():
        own = key in physics.PHYSICS
        law = "" if key in ("normal", "material") else 'normal = { law = "hertz", stiffness = 1e6 }\n'
        other = "" if key == "duration" else "duration = 1.0\n"
        table = f"[simulation]\n{other}{law}{'' if own else f'{key} = {value}'}\n"
        body = TWO.replace("radius = 1\n", f"radius = 1\n{key} = {value}\n") if own else TWO
        pairs = "[]" if key == "material" else '[["left", "right"]]'
        scene = load_scene(write(f"{body}\n[contact]\npairs = {pairs}\n{table}"))
        assert arrived(options_of(scene), world_of(scene)), key


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_encodings_are_read_or_named(tmp_path, encoding, newline):
    sphere = '[[body]]\nshape = "sphere"\nradius = 1\n'
    text = f'title = "Größe"\n{sphere}{sphere}'
    path = tmp_path / "scene.toml"
    path.write_bytes(text.replace("\n", newline).encode(encoding))
    if encoding.startswith("utf-8"):
        assert load_scene(path).title == "Größe"
        return
    why = "byte 0xf6 in line 1" if encoding == "latin-1" else "it looks like UTF-16 or UTF-32"
    with pytest.raises(SceneError, match=rf"scene.toml: not a UTF-8 text file \({why}: save it as UTF-8\)"):
        load_scene(path)
