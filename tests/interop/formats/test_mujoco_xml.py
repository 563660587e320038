"""MJCF and URDF in and out, checked by MuJoCo itself."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.interop.formats import read_scene, write_scene
from tangency.scene import Body, Scene, SceneError, all_contacts

mujoco = pytest.importorskip("mujoco", reason="MJCF needs MuJoCo: pip install 'tangency[mujoco]'")

MODEL = """<mujoco>
  <compiler angle="degree"/>
  <default><geom rgba="1 0.5 0 1"/></default>
  <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -1" euler="10 0 0"/>
    <geom name="light" type="sphere" size="0.1" contype="0" conaffinity="0"/>
    <body name="arm" pos="0 0 1" euler="0 30 40">
      <joint type="hinge" axis="0 1 0"/>
      <geom name="bone" type="capsule" fromto="0 0 0  0.5 0 0.2" size="0.05"/>
      <geom name="muscle" type="ellipsoid" size="0.2 0.1 0.05" pos="0.3 0 0.2"/>
      <body name="hand" pos="0.6 0 0.2" quat="0.5 0.5 0.5 -0.5">
        <geom type="box" size="0.05 0.1 0.02"/>
        <geom name="tip" type="cylinder" size="0.02 0.1" pos="0 0.2 0" euler="0 0 20"/>
        <geom name="claw" type="mesh" mesh="wedge" pos="0 0 0.4"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""

ROBOT = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tool"/><origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="tool">
<collision><origin xyz="0.1 0 0" rpy="0 1.5 0"/><geometry><cylinder radius="0.03" length="0.4"/></geometry></collision>
<collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.07"/></geometry></collision>
</link></robot>"""


def distances(model):
    """Signed distance of every pair of colliding geoms by MuJoCo."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    solid = [k for k in range(model.ngeom) if model.geom_contype[k]]
    points = np.zeros(6)
    return {(i, j): mujoco.mj_geomDistance(model, data, i, j, 100.0, points) for i in solid for j in solid if i < j}


def test_geoms_stand_where_mujoco_puts_them(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(MODEL, encoding="utf-8")
    scene, remarks = read_scene(path)
    assert [body.name for body in scene.bodies] == ["floor", "bone", "muscle", "hand geom 4", "tip", "claw"]
    kinds = [type(body.shape).__name__ for body in scene.bodies]
    assert kinds == ["HalfSpace", "Offset", "Ellipsoid", "Box", "Cylinder", "Hull"]
    assert scene["muscle"].shape.radii.tolist() == [0.2, 0.1, 0.05]
    assert scene["muscle"].color == "#ff8000"
    assert any("'light'" in remark and "does not collide" in remark for remark in remarks)
    assert any("'claw'" in remark and "convex hull" in remark for remark in remarks)
    assert any(remark.startswith("1 joints") for remark in remarks)
    model = mujoco.MjSpec.from_string(MODEL).compile()
    exact = list(distances(model).values())
    found = [float(pair.contact.distance) for pair in all_contacts(scene)]
    assert len(found) == len(exact) == 15
    apart = np.array(found) > 1e-3
    assert apart.sum() > 5
    assert np.abs(np.array(found) - exact)[apart].max() < 2e-4  # MuJoCo's own tolerance for curved geoms


def test_urdf(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    scene, _ = read_scene(path)
    shapes = [body.shape for body in scene.bodies]
    assert [type(shape).__name__ for shape in shapes] == ["Box", "Cylinder", "Sphere"]
    assert shapes[0].half_lengths.tolist() == [0.1, 0.1, 0.05]
    assert (float(shapes[1].radius), float(shapes[1].half_length)) == (0.03, 0.2)
    turn, base = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]), np.array([0.0, 0.0, 0.3])
    assert np.allclose(scene.bodies[1].position, base + turn.apply([0.1, 0, 0]), atol=1e-12)
    assert np.allclose(
        scene.bodies[1].rotation, (turn * Rotation.from_euler("xyz", [0, 1.5, 0])).as_matrix(), atol=1e-12
    )
    assert np.allclose(scene.bodies[2].position, base + turn.apply([0, 0, 0.5]), atol=1e-12)


def placed(rng, *shapes):
    return Scene(
        tuple(
            Body(f"body {k}", shape, (Rotation.random(rng=rng), rng.normal(size=3) * 3.0), "#336699")
            for k, shape in enumerate(shapes)
        )
    )


def test_a_scene_comes_back_the_same(tmp_path):
    rng = np.random.default_rng(6)
    exact = (tg.HalfSpace([0.6, 0, 0.8], -4.0), tg.Sphere(0.3), tg.Ellipsoid([0.5, 0.3, 0.2]), tg.Box([0.3, 0.2, 0.1]))
    scene = placed(rng, *exact, tg.Cylinder(0.2, 0.4), tg.capsule(0.1, 0.5))
    assert write_scene(scene, tmp_path / "scene.xml") == ()
    again, remarks = read_scene(tmp_path / "scene.xml")
    assert remarks == ()
    assert [body.name for body in again.bodies] == [body.name for body in scene.bodies]
    for first, second in zip(all_contacts(scene), all_contacts(again)):
        assert abs(first.contact.distance - second.contact.distance) < 1e-13
    assert again.bodies[1].color == "#336699"


def test_other_shapes_are_meshes_and_said_to_be(tmp_path):
    rng = np.random.default_rng(7)
    scene = placed(rng, tg.Superellipsoid([0.5, 0.4, 0.3], (0.5, 0.7)), tg.Sphere(0.2))
    (remark,) = write_scene(scene, tmp_path / "scene.xml")
    assert "MJCF has no Superellipsoid; it is a mesh of" in remark
    again, _ = read_scene(tmp_path / "scene.xml")
    first, second = (all_contacts(one)[0].contact.distance for one in (scene, again))
    assert 0.0 <= second - first < 2e-3  # the hull of surface points lies inside
    with pytest.raises(SceneError, match="MJCF cannot hold a cavity"):
        write_scene(placed(rng, tg.Cavity(tg.Sphere(5.0)), tg.Sphere(1.0)), tmp_path / "cavity.xml")
    assert not (tmp_path / "cavity.xml").exists()


def test_masses_go_out_and_the_rest_is_said(tmp_path):
    ball = Body("ball", tg.Sphere(0.5), (None, [0, 0, 2]), physics={"density": 100.0, "velocity": np.ones(3)})
    scene = Scene((ball, Body("ground", tg.HalfSpace([0, 0, 1]), physics={"fixed": True})))
    (remark,) = write_scene(scene, tmp_path / "scene.xml")
    assert remark == "body 'ball': velocity is not written"
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    assert model.njnt == 1
    assert abs(model.body("ball").mass[0] - 100.0 * np.pi / 6.0) < 1e-9


def test_warnings_of_mujoco_are_remarks(tmp_path, monkeypatch):
    import warnings

    from tangency.interop import mjcf

    load = mjcf.load_model

    def warned(path):
        warnings.warn("the compiler attribute is deprecated", UserWarning, stacklevel=1)
        return load(path)

    monkeypatch.setattr(mjcf, "load_model", warned)
    path = tmp_path / "model.xml"
    path.write_text(MODEL, encoding="utf-8")
    assert "MuJoCo: the compiler attribute is deprecated" in read_scene(path).remarks


def test_files_that_mujoco_refuses(tmp_path):
    path = tmp_path / "wrong.xml"
    path.write_text("<mujoco><worldbody><geom type='egg'/></worldbody></mujoco>", encoding="utf-8")
    with pytest.raises(ValueError, match=r"wrong\.xml: MuJoCo cannot read it"):
        read_scene(path)
    path.write_text("<mujoco/>", encoding="utf-8")
    with pytest.raises(SceneError, match="at least two bodies"):
        read_scene(path)


def test_the_ending_mjcf_is_read_as_xml(tmp_path):
    """With meshes and includes beside the file, whatever the working directory is."""
    (tmp_path / "meshes").mkdir()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    lines = ["v " + " ".join(map(str, row)) for row in corners.tolist()]
    lines += ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "meshes" / "corner.obj").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "more.xml").write_text('<x><include file="most.xml"/></x>', encoding="utf-8")
    (tmp_path / "most.xml").write_text('<x><geom name="ball" size="0.1" pos="0 0 9"/></x>', encoding="utf-8")
    text = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="corner" file="corner.obj"/></asset><worldbody>
    <include file="more.xml"/><geom name="corner" type="mesh" mesh="corner" pos="1 2 3"/></worldbody></mujoco>"""
    found = []
    for ending in ("xml", "mjcf"):
        (tmp_path / f"model.{ending}").write_text(text, encoding="utf-8")
        found.append(read_scene(tmp_path / f"model.{ending}"))
    first, second = found
    assert first.remarks == second.remarks
    n = np.random.default_rng(1).normal(size=(20, 3))
    for a, b in zip(first.scene.bodies, second.scene.bodies, strict=True):
        assert (a.pose.as_matrix() == b.pose.as_matrix()).all()
        assert (a.shape.support(n) == b.shape.support(n)).all()
    exact = (n @ corners.T).max(axis=1) + n @ [1, 2, 3]
    body = second.scene["corner"]
    np.testing.assert_allclose(body.shape.support(n @ body.rotation) + n @ body.position, exact, atol=1e-6)
    (tmp_path / "model.mjcf").write_text(text.replace("more.xml", "none.xml"), encoding="utf-8")
    with pytest.raises(SceneError, match="MuJoCo cannot read it"):
        read_scene(tmp_path / "model.mjcf")
