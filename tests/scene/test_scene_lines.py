"""A mistake in a scene file names the file, the line and the key, wherever it is."""

import re
from pathlib import Path

import numpy as np
import pytest

from tangency.cli.main import main
from tangency.dynamics import options_of, world_of
from tangency.scene import SceneError, load_scene
from tangency.scene.lines import SceneFile

ROOT = Path(__file__).parents[2]
NESTED = """\
title = '''
two lines'''

# a comment
[[body]]
name = "rod"
shape = "offset"
distance = 0.1
density = 1000

[body.body]
shape = "affine"
matrix = [
  [1, 0, 0],
  [0, 2, 0],   # [[body]] in a comment
  [0, 0, 1],
]
[body.body.body]
shape = "segment"
half_length = 0.5

[[body]]
shape = "ellipsoid"
radii = [
  1,
  2,
  3,
]
position = [0, 0, 9]

[body.orientation]
axis = [1, 0, 0]
angle_deg = 30

[contact]
pairs = [
  ["rod", "ellipsoid"],
]

[simulation]
duration = 1.0
gravity = [0, 0, -9.81]
[simulation.normal]
law = "hertz"
stiffness = 1e6
"""
TEXTS = {"nested": NESTED} | {
    name: (ROOT / "examples" / name).read_text(encoding="utf-8") for name in ("scene.toml", "bowl.toml", "shaker.toml")
}
KEY = re.compile(r"^(\w+) = (.*)$")


def complaint(path):
    try:
        scene = load_scene(path)
        world_of(scene)
        options_of(scene)
    except SceneError as error:
        return str(error)
    pytest.fail(f"no mistake was found in {path.read_text()}")


def changed(lines, k, key, value):
    """The file with another line k; a value of several lines goes as a whole."""
    stop = k + 1
    while stop < len(lines) and re.match(r"\s+\S|\]$", lines[stop]):
        stop += 1
    return "\n".join([*lines[:k], f"{key} = {value}", *lines[stop:]])


@pytest.mark.parametrize("name", TEXTS)
def test_every_key(name, tmp_path):
    """Each key in turn gets a value of a wrong type, and a wrong name."""
    lines, path = TEXTS[name].split("\n"), tmp_path / "wrong.toml"
    load_scene(_written(path, TEXTS[name]))
    rng = np.random.default_rng(0)
    places = [k for k, line in enumerate(lines) if KEY.match(line) and not line.startswith("title")]
    for k in rng.permutation(places)[:25]:
        key = KEY.match(lines[k])[1]
        header = max(j for j in range(k) if lines[j].startswith("["))
        said = complaint(_written(path, changed(lines, k, key, "{ wrong = '?' }")))
        assert re.match(rf"{re.escape(str(path))}, line {k + 1}: .*\b{key}\b", said), said
        said = complaint(_written(path, changed(lines, k, f"x{key}", "1")))
        assert re.match(rf"{re.escape(str(path))}, line ({k + 1}|{header + 1}): ", said), said
        assert key in said


def _written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ("half_length = 0.5", "half_length = -1", 20, "half_length"),
        ("half_length = 0.5", "", 19, "half_length"),
        ("  [0, 2, 0],", "  [0, 2],", 13, "matrix"),
        ("angle_deg = 30", "angle = 30", 31, "angle_deg"),
        ("axis = [1, 0, 0]", "axis = [0, 0, 0]", 32, "axis"),
        ('["rod", "ellipsoid"]', '["rod", "egg"]', 36, "pairs"),
        ('shape = "ellipsoid"', 'name = "rod"\nshape = "ellipsoid"', 23, "name"),
        ("duration = 1.0", "", 40, "duration"),
        ('law = "hertz"', 'law = "herz"', 44, "law"),
        ("stiffness = 1e6", "stiffness = -1", 45, "stiffness"),
        ("density = 1000", "material = { young = 2e9, poisson = 0.7 }", 9, "poisson"),
        ("title = '''\ntwo lines'''", "title = [\n1, 2]", 1, "title"),
    ],
)
def test_values_and_nested_tables(old, new, line, key, tmp_path):
    assert NESTED.count(old) == 1
    said = complaint(_written(tmp_path / "wrong.toml", NESTED.replace(old, new)))
    assert re.match(rf".*wrong\.toml, line {line}: .*{key}", said), said


def test_options_of_the_simulation(tmp_path, capsys):
    text = TEXTS["bowl.toml"].replace('mode = "fast"', 'mode = "fats"')
    path = _written(tmp_path / "wrong.toml", text)
    assert main(["simulate", str(path), "--out", str(tmp_path)]) == 2
    line = text.split("\n").index('mode = "fats"') + 1
    assert f"wrong.toml, line {line}: [simulation]: mode must be" in capsys.readouterr().err


def test_lines_of_a_long_file(tmp_path):
    lines = [f"[[body]]\nname = '{k}'\nradius = [\n{k},\n]\n" for k in range(300)]
    file = SceneFile(tmp_path / "long.toml", "".join(lines))
    for k in (0, 1, 150, 299):
        assert file.line(("body", k)) == 5 * k + 1
        assert file.line(("body", k, "radius")) == 5 * k + 3
