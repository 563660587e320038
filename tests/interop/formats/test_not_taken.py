"""Whatever a file holds and a scene does not take is said, for every reader."""

from xml.etree import ElementTree

import numpy as np
import pytest

from tangency.interop.formats import READERS, read_scene
from tangency.interop.formats.imported import xml_root

SDF = """<sdf version="1.9"><world name="w"><frame name="f"><pose>1 0 0 0 0 0</pose></frame><model name="m">
<pose relative_to="f">0 1 0 0 0 0</pose><link name="a"><pose>0 0 1 0 0 0</pose><collision name="c"><geometry><sphere>
<radius>0.2</radius></sphere></geometry></collision></link><link name="b"><collision name="c"><pose>3 0 0 0 0 0</pose>
<geometry><box><size>1 1 1</size></box></geometry></collision></link></model></world></sdf>"""
OSIM = """<OpenSimDocument Version="40500"><Model name="m"><ContactGeometrySet><objects>
<ContactHalfSpace name="a"><socket_frame>/ground</socket_frame><location>0 0 0</location></ContactHalfSpace>
<ContactSphere name="b"><socket_frame>/bodyset/c</socket_frame><location>-1 0 0</location><radius>0.1</radius>
</ContactSphere></objects></ContactGeometrySet><BodySet><objects><Body name="c"/></objects></BodySet>
<JointSet><objects><WeldJoint name="j"><socket_parent_frame>f</socket_parent_frame>
<socket_child_frame>/bodyset/c</socket_child_frame><frames><PhysicalOffsetFrame name="f">
<socket_parent>/ground</socket_parent><translation>1 2 3</translation><orientation>0.1 0.2 0.3</orientation>
</PhysicalOffsetFrame></frames></WeldJoint></objects></JointSet></Model></OpenSimDocument>"""
URDF = """<robot name="r"><link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="b"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
#: Text of a file, parents of elements that are not read, and such elements
XML = {
    "sdf": (
        SDF,
        ("sdf", "world", "frame", "model", "link", "collision", "sphere", "box"),
        ("inertial", "joint", "visual", "surface", "static", "light", "plugin", "sensor", "gravity", "invented"),
    ),
    "osim": (
        OSIM,
        ("Model", "ContactHalfSpace", "ContactSphere", "BodySet", "Body", "WeldJoint", "frames", "PhysicalOffsetFrame"),
        ("ForceSet", "WrapObjectSet", "gravity", "Appearance", "MarkerSet", "invented"),
    ),
    "urdf": (
        URDF,
        ("robot", "link", "collision", "joint"),
        ("inertial", "visual", "transmission", "gazebo", "material", "mimic_of", "invented"),
    ),
}
XML["world"] = XML["sdf"]
#: What an MJCF file may hold besides geoms, where it stands, and a word of the remark
MJCF = {
    '<freejoint name="f"/>': ("body", "joint"),
    '<site name="s"/>': ("body", "site"),
    '<camera name="c"/>': ("body", "camera"),
    '<light name="l"/>': ("body", "light"),
    '<geom name="v" size="0.1" contype="0" conaffinity="0"/>': ("body", "geom 'v'"),
    '<geom name="g" size="0.1" pos="0 0 1"/>': ("body", "geoms of one body"),
    '<geom name="slick" size="0.1" pos="0 0 2" friction="0.3"/>': ("body", "friction"),
    '<geom name="margin" size="0.1" pos="0 0 3" margin="0.01"/>': ("body", "margin"),
    '<geom name="soft" size="0.1" pos="0 0 4" solref="0.1 1"/>': ("body", "solref"),
    '<geom name="alone" size="0.1" pos="0 0 5" contype="2"/>': ("body", "contype"),
    '<contact><exclude body1="a" body2="b"/></contact>': ("mujoco", "excluded pairs"),
    '<equality><weld body1="a" body2="b"/></equality>': ("mujoco", "equality"),
    '<sensor><framepos objtype="body" objname="a"/></sensor>': ("mujoco", "sensor"),
}


def test_every_reader_is_here():
    assert {*XML, "xml", "mjcf", "npz"} == {*READERS} - {"toml", "usd", "usda", "usdc"}


@pytest.mark.parametrize("ending", XML)
def test_elements(ending, tmp_path):
    if ending == "urdf":
        pytest.importorskip("mujoco", reason="URDF needs MuJoCo: pip install 'tangency[mujoco]'")
    text, parents, words = XML[ending]
    path = tmp_path / f"file.{ending}"
    path.write_text(text, encoding="utf-8")
    before = read_scene(path)
    assert before.remarks == ()
    rng = np.random.default_rng(5)
    for _ in range(15):
        root = xml_root(path)
        added = {}
        for _ in range(rng.integers(1, 5)):
            parent, word = str(rng.choice(parents)), str(rng.choice(words))
            places = list(root.iter(parent))
            child = ElementTree.SubElement(places[rng.integers(len(places))], word)
            child.text = "1"
            added[parent, word] = added.get((parent, word), 0) + 1
        other = tmp_path / f"other.{ending}"
        other.write_bytes(ElementTree.tostring(root))
        after = read_scene(other)
        assert [body.name for body in after.scene.bodies] == [body.name for body in before.scene.bodies]
        (said,) = after.remarks
        for (parent, word), count in added.items():
            assert f"{count} <{word}> of <{parent}>" in said


@pytest.mark.parametrize("ending", ["xml", "mjcf"])
def test_mjcf(ending, tmp_path):
    pytest.importorskip("mujoco", reason="MJCF needs MuJoCo: pip install 'tangency[mujoco]'")
    rng = np.random.default_rng(6)
    path = tmp_path / f"file.{ending}"
    for number in range(12):
        chosen = rng.permutation(list(MJCF))[: number % 5].tolist()
        inside, beside = ("".join(x for x in chosen if MJCF[x][0] == place) for place in ("body", "mujoco"))
        path.write_text(
            f"""<mujoco><worldbody><body name="a"><geom size="0.1"/>{inside}</body><body name="b" pos="9 0 0">
            <geom size="0.1"/></body></worldbody>{beside}</mujoco>""",
            encoding="utf-8",
        )
        said = " ".join(read_scene(path).remarks)
        assert bool(said) == bool(chosen)
        for part in chosen:
            assert MJCF[part][1] in said
        assert ("masses and gravity" in said) == ("joint" in said)


def test_arrays(tmp_path):
    arrays = {
        "scale": np.ones((2, 3)),
        "epsilon": np.ones((2, 2)),
        "rotation": np.array([np.eye(3)] * 2),
        "translation": np.array([[0.0, 0, 0], [3, 0, 0]]),
    }
    np.savez(tmp_path / "file.npz", **arrays, mass=np.ones(2), label=np.zeros(2))
    assert read_scene(tmp_path / "file.npz").remarks == ("the arrays mass, label are not read",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('<model name="m">', '<model name="m" placement_frame="a">'), "placement_frame is not read"),
        (('relative_to="f"', 'relative_to="g"'), "the pose of 'm' must be relative to .*, got 'g'"),
        (("</sphere>", "</sphere><box/>"), "<geometry> must hold one shape, got 2"),
        (('link name="b"', 'link name="a"'), "names of links, frames and models must differ"),
    ],
)
def test_poses_of_models_that_are_not_read(change, message, tmp_path):
    path = tmp_path / "file.sdf"
    path.write_text(SDF.replace(*change), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_scene(path)


def test_models_stand_in_frames_of_the_world_and_beside_other_models(tmp_path):
    path = tmp_path / "file.sdf"
    more = '<model name="n"><pose relative_to="m">0 0 0.5 0 0 0</pose><link name="a"><collision name="c"><geometry>'
    more += "<sphere><radius>1</radius></sphere></geometry></collision></link></model></world>"
    path.write_text(SDF.replace("</world>", more), encoding="utf-8")
    scene = read_scene(path).scene
    assert scene["m a"].position.tolist() == [1, 1, 1]
    assert scene["m b"].position.tolist() == [4, 1, 0]
    assert scene["n a"].position.tolist() == [1, 1, 0.5]
