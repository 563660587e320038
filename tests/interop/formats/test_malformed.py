"""Damaged files are read as they stand or refused with an error that names the file; nothing else comes out."""

import re

import numpy as np
import pytest
from test_not_taken import OSIM, SDF, URDF

from tangency.interop.formats import read_scene
from tangency.scene import SceneError

MJCF = """<mujoco><worldbody><body name="a" euler="10 20 30"><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
<body name="b" pos="9 0 0"><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/></body></worldbody></mujoco>"""
TOML = """[[body]]
name = "a"
shape = "ellipsoid"
radii = [1.0, 2.0, 3.0]
[[body]]
name = "b"
shape = "sphere"
radius = 1.0
position = [9.0, 0.0, 0.0]
"""
TEXTS = {"sdf": SDF, "osim": OSIM, "urdf": URDF, "xml": MJCF, "mjcf": MJCF, "toml": TOML}
WORDS = ("nan", "inf", "-inf", "-1", "0", "1e400", "1e308", "-1e-300", "x", "", "1 2", "0x10", "<", "\u00e4", "9" * 400)
TRIALS = 60


def outcome(path):
    """A scene of finite numbers, or an error with one line that names the file."""
    try:
        scene = read_scene(path).scene
    except SceneError as error:
        said = str(error)
    else:
        for body in scene.bodies:
            assert np.isfinite(body.position).all()
            assert np.isfinite(body.rotation).all()
        return "read"
    assert said.startswith(str(path))
    assert "\n" not in said
    return "refused"


def damaged(text, rng):
    """A text with one number replaced, cut off, or with one byte changed."""
    kind, whole = rng.integers(6), text.encode()
    if kind == 0:
        return whole[: rng.integers(len(whole))]
    if kind == 1:
        place = int(rng.integers(len(whole)))
        return whole[:place] + rng.bytes(1) + whole[place + 1 :]
    numbers = list(re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", text))
    found = numbers[rng.integers(len(numbers))]
    return (text[: found.start()] + str(rng.choice(WORDS)) + text[found.end() :]).encode()


@pytest.mark.parametrize("ending", TEXTS)
def test_texts(ending, tmp_path):
    if ending in ("urdf", "xml", "mjcf"):
        pytest.importorskip("mujoco", reason="MJCF and URDF need MuJoCo: pip install 'tangency[mujoco]'")
    rng = np.random.default_rng(11)
    path = tmp_path / f"file.{ending}"
    found = []
    for _ in range(TRIALS):
        path.write_bytes(damaged(TEXTS[ending], rng))
        found.append(outcome(path))
    assert found.count("refused") > TRIALS // 4


def test_arrays(tmp_path):
    rng = np.random.default_rng(12)
    whole = {
        "scale": np.ones((2, 3)),
        "epsilon": np.ones((2, 2)),
        "rotation": np.array([np.eye(3)] * 2),
        "translation": np.array([[0.0, 0, 0], [3, 0, 0]]),
        "name": np.array(["a", "b"]),
    }
    path = tmp_path / "file.npz"
    np.savez(path, **whole)
    assert outcome(path) == "read"
    wrong = [
        np.float64(1.0),
        np.array("x"),
        np.array(["x"]),
        np.zeros((3, 3)),
        np.full((2, 3), np.nan),
        np.ones(2) * 1j,
    ]
    wrong += [np.array([None, 1], dtype=object), -np.ones((2, 3)), np.array([b"x", b"y"]), np.ones((2, 3), bool)]
    for value in wrong:
        for name in whole:
            np.savez(path, **{**whole, name: value})
            assert outcome(path) == "refused" or (name == "translation" and (value == -1).all())
    np.savez(path, **whole)
    data = path.read_bytes()
    for _ in range(TRIALS):
        place = int(rng.integers(len(data)))
        path.write_bytes(data[:place] if rng.random() < 0.5 else data[:place] + rng.bytes(3) + data[place + 3 :])
        outcome(path)


@pytest.mark.parametrize(
    ("ending", "change", "message"),
    [
        ("sdf", ("<radius>0.2", "<radius>-0.2"), "model 'm', 'm a': radius must be > 0, got -0.2"),
        ("osim", ("<radius>0.1", "<radius>0"), "ContactSphere 'b': radius must be > 0"),
        ("sdf", ("<pose>3 0 0 0", '<pose rotation_format="quat_xyzw">3 0 0 0 0'), "a quaternion that is not zero"),
        ("urdf", ("1 0 0", "nan 0 0"), "position or orientation is not finite"),
        ("urdf", ('<sphere radius="0.1"/>', ""), "link 'a': <geometry> must hold one shape, got 0"),
        ("urdf", ('<sphere radius="0.1"/>', '<plane normal="0 0 1"/>'), "<plane> is no shape of URDF and is not taken"),
        ("mjcf", ('name="b"', 'name="\udce4"'), "'utf-8' codec can't decode"),
    ],
)
def test_errors_say_what_is_wrong(ending, change, message, tmp_path):
    if ending in ("urdf", "mjcf"):
        pytest.importorskip("mujoco", reason="MJCF and URDF need MuJoCo: pip install 'tangency[mujoco]'")
    path = tmp_path / f"file.{ending}"
    path.write_bytes(TEXTS[ending].replace(*change, 1).encode("utf-8", "surrogateescape"))
    with pytest.raises(SceneError, match=rf"^{re.escape(str(path))}.*{message}"):
        read_scene(path)


def test_entities_in_utf_16_are_refused(tmp_path):
    path = tmp_path / "file.sdf"
    path.write_bytes(('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE s [<!ENTITY a "1">]>' + SDF).encode("utf-16"))
    with pytest.raises(SceneError, match="not a UTF-8 text file"):
        read_scene(path)
