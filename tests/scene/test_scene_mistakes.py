"""Every mistake a person can make in a scene file is named with file, line and key."""

import re
from pathlib import Path

import pytest

from tangency.scene import SceneError, load_scene

BOWL = Path(__file__).parents[2] / "examples" / "bowl.toml"


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
def test_mistakes_in_bodies(write, two, change, message):
    path = write(two.replace(*change))
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
def test_mistakes_after_bodies(write, two, line, message):
    path = write(two + line + "\n")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert re.match(rf"{re.escape(str(path))}, line \d+: {re.escape(message)}", str(caught.value))
    assert "\n" not in str(caught.value)


def test_mistakes_in_files(write, two, tmp_path):
    with pytest.raises(SceneError, match="no such file"):
        load_scene(tmp_path / "absent.toml")
    with pytest.raises(SceneError, match="cannot read the file"):
        load_scene(tmp_path)
    with pytest.raises(SceneError, match=r"not valid TOML: .*line 2"):
        load_scene(write("title = 'a'\nradius = = 3\n"))
    with pytest.raises(SceneError, match=r"twice .*; each body is written as \[\[body\]\], with double brackets"):
        load_scene(write(two.replace("[[body]]", "[body]")))
    path = write("")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SceneError, match="not a UTF-8 text file"):
        load_scene(path)
    with pytest.raises(SceneError, match="at least two bodies, got 0"):
        load_scene(write("title = 'nothing'\n"))


def test_mistake_in_a_nested_shape(write, two):
    nested = "[[body]]\nname = 'c'\nshape = 'offset'\nbody = { shape = 'sphere', radius = 0 }\ndistance = 1\n"
    path = write(two + nested)
    with pytest.raises(SceneError, match="body 'c', body: radius must be > 0, got 0"):
        load_scene(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    text = BOWL.read_text(encoding="utf-8")
    (tmp_path / "marked.toml").write_text(text, encoding="utf-8-sig")
    names = [[body.name for body in load_scene(path).bodies] for path in (BOWL, tmp_path / "marked.toml")]
    assert names[0] == names[1]


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
