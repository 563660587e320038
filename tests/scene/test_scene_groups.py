"""Groups and laws by pair in scene files, and their simulation from the command line."""

import numpy as np
import pytest

import tangency as tg
from tangency.cli.main import main
from tangency.dynamics import world_of
from tangency.scene import SceneError, load_scene

SCENE = """
[[body]]
name = "ground"
shape = "plane"
normal = [0, 0, 1]

[[group]]
name = "grains"
shape = "ellipsoid"
radii = { low = [0.02, 0.02, 0.01], high = [0.03, 0.02, 0.02] }
count = 30
region = { low = [-0.2, -0.2, 0.0], high = [0.2, 0.2, 0.4] }
seed = 5
density = 2500
velocity = [0, 0, -1]
color = "#4c78a8"

[[group]]
name = "bed"
shape = "sphere"
radius = 0.02
grid = { first = [-0.2, -0.2, -0.01], spacing = 0.1, counts = [5, 5, 1] }
fixed = true

[simulation]
duration = 0.02
mode = "fast"
step = 1e-4
threads = 1
periodic = { x = [-0.25, 0.25], y = [-0.25, 0.25] }

[simulation.normal]
law = "kelvin_voigt"
stiffness = 1e4
damping = 1.0

[[simulation.interaction]]
between = ["grains", "bed"]
touch = false

[[simulation.interaction]]
between = ["ground", "grains"]
normal = { law = "kelvin_voigt", stiffness = 2e4, damping = 0.0 }
friction = { law = "tanh", coefficient = 0.3, speed = 0.1 }
"""

OUTLET = "[[simulation.outlet]]\nlow = [0, 0, 0]\nhigh = {}\n\n[[simulation.i"


def scene(tmp_path, old="", new=""):
    path = tmp_path / "many.toml"
    assert old in SCENE
    path.write_text(SCENE.replace(old, new, 1) if old else SCENE, encoding="utf-8")
    return path


def test_groups_of_a_file(tmp_path):
    made = load_scene(scene(tmp_path))
    world = world_of(made)
    assert [entry.name for entry in world.bodies] == ["ground", "grains", "bed"]
    assert world.periodic == ((-0.25, 0.25), (-0.25, 0.25), None)
    grains, bed = world["grains"], world["bed"]
    assert (len(grains), len(bed), bed.fixed) == (30, 25, True)
    radii = grains.shape.radii
    assert (radii >= [0.02, 0.02, 0.01]).all()
    assert (radii <= [0.03, 0.02, 0.02]).all()
    assert len(np.unique(radii[:, 0])) == 30
    bodies = tg.Bodies(grains.shape)
    i, j = np.triu_indices(30, 1)
    assert (bodies.contact(np.stack([i, j], axis=1), (grains.rotation, grains.position)).lower > 0).all()
    assert np.allclose(bed.position[[0, 1, 5]], [[-0.2, -0.2, -0.01], [-0.1, -0.2, -0.01], [-0.2, -0.1, -0.01]])
    assert set(world.interactions) == {frozenset(["grains", "bed"]), frozenset(["grains", "ground"])}
    assert world.interactions[frozenset(["grains", "bed"])] is None
    again = world_of(load_scene(scene(tmp_path)))["grains"]
    assert np.array_equal(again.position, grains.position)


def test_positions_and_orientations(tmp_path):
    path = scene(
        tmp_path,
        "grid = { first = [-0.2, -0.2, -0.01], spacing = 0.1, counts = [5, 5, 1] }",
        'positions = [[0, 0, 1], [0, 0, 2]]\norientation = "random"',
    )
    bed = world_of(load_scene(path))["bed"]
    assert bed.position.tolist() == [[0, 0, 1], [0, 0, 2]]
    assert bed.rotation[0].magnitude() != bed.rotation[1].magnitude()
    path = scene(tmp_path, "seed = 5", "orientation = { axis = [0, 0, 1], angle_deg = 90 }")
    assert np.allclose(world_of(load_scene(path))["grains"].rotation.as_euler("xyz"), [0, 0, np.pi / 2])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("count = 30", "", "line 12: group 'grains': region needs the key 'count'"),
        ("count = 30", "count = 2.5", "group 'grains': count must be a whole number from 1"),
        ("count = 30", "count = 3000", "group 'grains': region: low and high must leave room for 3000 bodies"),
        ("seed = 5", "mass = 5", "group 'grains': unknown key 'mass' for shape ellipsoid"),
        (
            "fixed = true",
            "positions = [[0, 0, 0]]",
            "exactly one of positions, grid, region and pour, got positions and grid",
        ),
        ("spacing = 0.1, ", "", "group 'bed', grid must look like"),
        ("counts = [5, 5, 1]", "counts = [5, 5]", "group 'bed', grid: counts must be 3 whole numbers"),
        ('"#4c78a8"', '"blue"', "group 'grains': color must look like"),
        ('name = "bed"', 'name = "ground"', "body names must be unique, got 'ground' 2 times"),
        ('"grains", "bed"]', '"grains", "bad"]', "interactions must name bodies of the world, got 'bad'"),
        ("touch = false", "touch = true", "give laws for 'grains' and 'bed', or touch = false"),
        ("touch = false", "tuch = false", "unknown key 'tuch'.*did you mean 'touch'"),
        ("x = [-0.25", "u = [-0.25", "periodic must look like"),
        ("stiffness = 2e4, ", "stifness = 2e4, ", "interaction.*, normal: unknown key 'stifness'"),
        ("low = [0.02, 0.02, 0.01], high", "low = [0.05, 0.02, 0.01], high", "radii must have a low"),
        ("velocity = [0, 0, -1]", "velocity = [0, 0, 1e9]", "line 15: group 'grains': velocity must keep all points"),
        ("[[group]]\nname", "[group]\nname", "not valid TOML|double brackets"),
        ("region = {", "pour = { rate = 0,", r"line 12: group 'grains', pour: rate must be > 0, got 0"),
        (
            "[0, 0, 1]",
            "[0, 0, 1]\nservo = { direction = [0, 0, 0], force = 1, speed = 1 }",
            "line 6: body 'ground', servo",
        ),
        ("[[simulation.i", OUTLET.format("[0, 1, 1]"), "line 38: .*low and high must be 3 numbers each, low < high"),
        ("[[simulation.i", OUTLET.format("[0, 1]"), r"line 39: \[\[simulation.outlet\]\] must look like"),
        ("[[simulation.i", OUTLET.format("[9, 0.3, 1]"), r"line 37: .* inside the periodic box, .* in outlets\[0\]"),
        (
            '["ground", "grains"]',
            '["grains", "bed"]',
            "line 41: .* pair must be given once, got 'grains' and 'bed' twice",
        ),
    ],
)
def test_mistakes(tmp_path, old, new, sentence):
    path = scene(tmp_path, old, new)
    with pytest.raises(SceneError, match=sentence):
        world_of(load_scene(path))


def test_contacts_of_groups_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["contact", str(scene(tmp_path))]) == 2
    assert "group 'grains': groups are for tangency simulate" in capsys.readouterr().err


def test_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", str(scene(tmp_path)), "--threads", "2"]) == 0
    out = capsys.readouterr().out
    assert "grains (30)" in out
    assert "bed (25)" in out
    assert "grains[0]  " not in out
    with np.load("out/many.npz") as file:
        assert file["position"].shape == (101, 56, 3)
    assert main(["simulate", str(scene(tmp_path)), "--threads", "0", "--overwrite"]) == 2
    assert "threads must be a whole number >= 1, got 0" in capsys.readouterr().err
