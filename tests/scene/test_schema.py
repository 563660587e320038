"""The JSON Schema of scene files accepts what the reader accepts, and refuses its mistakes."""

import json
import re
import tomllib

import pytest

from tangency.cli.main import main
from tangency.lab.samples import SAMPLES
from tangency.scene import SceneError, load_scene, physics
from tangency.scene.catalogue import CATALOGUE
from tangency.scene.groups import GROUP_KEYS
from tangency.scene.mechanisms import KEYS
from tangency.scene.mesh_walls import KEYS as MESH_KEYS
from tangency.scene.schema import scene_schema
from tangency.scene.toml import BODY_KEYS, FILE_KEYS, PART_KEYS

jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked by jsonschema: pip install jsonschema")

BALL = {"name": "ball", "shape": "sphere", "radius": 1.0}


@pytest.fixture(scope="module")
def judge():
    made = scene_schema()
    jsonschema.Draft7Validator.check_schema(made)
    return jsonschema.Draft7Validator(made)


def test_it_has_all_keys():
    made = scene_schema()
    assert set(made["properties"]) == set(FILE_KEYS)
    body = made["definitions"]["body"]
    cases = body["else"]
    keys = {**cases["else"]["properties"], **cases["then"]["properties"]}
    assert set(keys) == set(BODY_KEYS)
    assert set(body["then"]["properties"]) == {*BODY_KEYS, *MESH_KEYS} - {"shape", "part", "cavity", "ends"}
    assert set(keys["part"]["items"]["properties"]) == set(PART_KEYS)
    assert set(made["definitions"]["group"]["properties"]) == set(GROUP_KEYS)
    assert set(made["properties"]["simulation"]["properties"]) == set(physics._SIMULATION)
    assert set(made["definitions"]["mechanism"]["properties"]) == set(KEYS)
    assert keys["shape"]["enum"] == sorted(CATALOGUE)


def test_mechanisms_of_the_documentation_pass(judge, root):
    text = (root / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    tables = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    assert any("mechanism" in table for table in tables)
    for table in tables:
        judge.validate(table)


def test_scene_files_pass(judge, root):
    files = [*(root / "examples").glob("*.toml"), *(root / "src" / "tangency" / "scene" / "templates").glob("*.toml")]
    assert len(files) > 5
    for path in files:
        judge.validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("word", sorted(SAMPLES))
def test_samples_pass_as_bodies_and_with_a_key_left_out_do_not(judge, word):
    judge.validate({"body": [{"name": "a", **SAMPLES[word], "cavity": False, "position": [0, 0, 1]}, BALL]})
    needed = next(case["then"] for case in scene_schema()["definitions"]["shape"]["allOf"]
                  if case["if"]["properties"]["shape"]["const"] == word).get("required", [])  # fmt: skip
    for key in needed:
        table = {name: value for name, value in SAMPLES[word].items() if name != key}
        assert not judge.is_valid({"body": [table, BALL]})


MISTAKES = [
    "[[body]]\nshape = 'sphere'\nradius = 1\nradii = [1, 1, 1]",
    "[[body]]\nshape = 'sphere'",
    "[[body]]\nshape = 'spere'\nradius = 1",
    "[[body]]\nradius = 1",
    "[[body]]\nshape = 'sphere'\nradius = 'one'",
    "[[body]]\nshape = 'sphere'\nradius = 1\nposition = [0, 0]",
    "[[body]]\nshape = 'sphere'\nradius = 1\norientation = { axis = [0, 0, 1] }",
    "[[body]]\nshape = 'sphere'\nradius = 1\ncolor = 'red'",
    "[[body]]\nshape = 'sphere'\nradius = 1\nfixed = 1",
    "[[body]]\nshape = 'sphere'\nradius = 1\nmaterial = { young = 1e9 }",
    "[[body]]\nshape = 'superellipsoid'\nradii = [1, 1, 1]",
    "[[body]]\nshape = 'offset'\ndistance = 1\nbody = { shape = 'segment', length = 1 }",
    "[bodies]\nshape = 'sphere'",
    "title = 3",
    "[contact]\ntol = 2",
    "[contact]\npairs = [['a']]",
    "[simulation]\ndurations = 1",
    "[simulation]\ngravity = -9.81",
    "[simulation]\nnormal = 'hertz'",
    "[measure]\nlayers = 0",
    "[[group]]\nshape = 'sphere'\nradius = 1\npositions = [[0, 0, 0]]",
    "[[group]]\nname = 'g'\nshape = 'sphere'\nradius = 1\ngrid = { first = [0, 0, 0] }",
    "[[body]]\nname = 'c'\npart = []",
    "[[body]]\nname = 'c'\npart = [{ shape = 'sphere' }]",
    "[[body]]\nname = 'c'\nshape = 'sphere'\nradius = 1\npart = [{ shape = 'sphere', radius = 1 }]",
    "[[body]]\nname = 'c'\npart = [{ shape = 'sphere', radius = 1, mass = 1 }]",
    "[[body]]\nshape = 'sphere'\nradius = 1\nmotion = { displacement = [0, 0] }",
    "[[body]]\nshape = 'sphere'\nradius = 1\nmotion = { velocity = [0, 0, 1], angle = 't' }",
    "[simulation]\nspring = [{ b = 'a' }]",
    "[simulation]\nspring = [{ a = 'a', stiffness = 'stiff' }]",
    "[simulation]\nload = [{ body = 'a' }]",
    "[simulation]\nload = [{ body = 'a', force = 3 }]",
    "[[mechanism]]\nname = 'm'\nfile = 'x.urdf'\nprescribed = { crank = true }",
]


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_refused_by_both(judge, text, tmp_path):
    path = tmp_path / "scene.toml"
    ball = "\n[[body]]\nname = '{}'\nshape = 'sphere'\nradius = 1\nposition = [{}, 0, 0]\n"
    balls = ball.format("a", 5) + ball.format("b", 9)
    path.write_text(f"{text}\n{balls}", encoding="utf-8")
    with pytest.raises(SceneError):
        load_scene(path)
    assert not judge.is_valid(tomllib.loads(path.read_text(encoding="utf-8")))


def test_the_command_prints_it(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == scene_schema()


def test_the_documentation_has_it(root):
    text = (root / "docs" / "_static" / "scene.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == scene_schema(), "run tangency schema > docs/_static/scene.schema.json"
