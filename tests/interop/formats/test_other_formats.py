"""SDF, OpenSim, superquadrics and triangles; `tangency convert`."""

import io

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.cli.main import main
from tangency.interop.formats import READERS, WRITERS, read_scene, write_scene
from tangency.interop.formats.osim import contact_geometry
from tangency.interop.formats.superquadrics import superquadric_bytes
from tangency.interop.formats.surfaces import surface_bytes
from tangency.scene import Body, Scene, SceneError, load_scene

WORLD = """<sdf version="1.9"><world name="w">
<model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal>
  <size>1 1</size></plane></geometry></collision></link></model>
<model name="toy"><pose degrees="true">1 2 3 0 0 90</pose>
  <frame name="eye" attached_to="head"><pose>0 0.1 0 0 0 0</pose></frame>
  <link name="head"><pose relative_to="trunk">0 0 0.5 0.1 0.2 0.3</pose>
    <collision name="a"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
    <collision name="b"><pose relative_to="eye">0 0 0.05 0 0 0</pose>
      <geometry><sphere><radius>0.02</radius></sphere></geometry></collision></link>
  <link name="trunk"><pose rotation_format="quat_xyzw">1 0 0  0 0 0.7071067811865476 0.7071067811865476</pose>
    <collision name="a"><geometry><capsule><radius>0.1</radius><length>0.6</length></capsule></geometry></collision>
    <collision name="m"><geometry><mesh><uri>x.dae</uri></mesh></geometry></collision></link>
  <link name="foot"><collision name="a"><geometry><box><size>0.2 0.4 0.6</size></box></geometry></collision></link>
  <link name="leg"><collision name="a"><geometry><cylinder><radius>0.1</radius><length>1</length></cylinder></geometry>
  </collision></link>
</model><include><uri>model://table</uri></include></world></sdf>"""

GAIT = """<OpenSimDocument Version="40500"><Model name="gait"><ContactGeometrySet><objects>
<ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame><location>0 0.1 0</location>
  <orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>
<ContactSphere name="heel"><socket_frame>/bodyset/calcn_r</socket_frame><location>0.02 -0.01 0</location>
  <orientation>0 0 0</orientation><radius>0.035</radius></ContactSphere>
<ContactEllipsoid name="knee"><socket_frame>/bodyset/femur_r</socket_frame><location>0 -0.4 0</location>
  <orientation>0.1 0.2 0.3</orientation><radii>0.03 0.04 0.05</radii></ContactEllipsoid>
<ContactMesh name="pelvis"><filename>pelvis.obj</filename></ContactMesh>
</objects></ContactGeometrySet><ForceSet><objects><HuntCrossleyForce name="foot">
<HuntCrossleyForce::ContactParametersSet name="contact_parameters"><objects>
<HuntCrossleyForce::ContactParameters><geometry>heel floor</geometry>
</HuntCrossleyForce::ContactParameters></objects></HuntCrossleyForce::ContactParametersSet></HuntCrossleyForce>
</objects></ForceSet></Model></OpenSimDocument>"""


def test_sdf(tmp_path):
    path = tmp_path / "toy.sdf"
    path.write_text(WORLD, encoding="utf-8")
    scene, remarks = read_scene(path)
    names = ["ground l", "toy head 1", "toy head 2", "toy trunk 1", "toy foot", "toy leg"]
    assert [body.name for body in scene.bodies] == names
    said = " ".join(remarks)
    assert "model://table" in said
    assert "<mesh> is not read" in said
    assert "the plane is unbounded" in said
    model = Rotation.from_euler("z", 90, degrees=True)
    trunk = model * Rotation.from_quat([0, 0, 0.7071067811865476, 0.7071067811865476])
    base = np.array([1.0, 2.0, 3.0]) + model.apply([1, 0, 0])
    head, place = trunk * Rotation.from_euler("xyz", [0.1, 0.2, 0.3]), base + trunk.apply([0, 0, 0.5])
    assert np.allclose(scene["toy head 1"].rotation, head.as_matrix(), atol=1e-14)
    assert np.allclose(scene["toy head 1"].position, place, atol=1e-14)
    assert np.allclose(scene["toy head 2"].position, place + head.apply([0, 0.1, 0.05]), atol=1e-14)
    assert scene["toy head 1"].shape.radii.tolist() == [0.1, 0.2, 0.3]
    assert scene["toy foot"].shape.half_lengths.tolist() == [0.1, 0.2, 0.3]
    rod = scene["toy trunk 1"].shape
    assert rod.aabb()[1].round(12).tolist() == [0.1, 0.1, 0.4]
    assert float(scene["toy leg"].shape.half_length) == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('relative_to="trunk"', 'relative_to="trunck"'), "got 'trunck'"),
        (('relative_to="trunk"', 'relative_to="eye"'), "refer to each other in a circle"),
        (("<radius>0.02</radius>", "<radius>big</radius>"), "<radius> must be a finite number, got 'big'"),
        (("<radii>0.1 0.2 0.3</radii>", ""), "<radii> is missing"),
        (("<sdf ", "<!DOCTYPE sdf><sdf "), "document type or entities"),
        (("</sdf>", ""), "not valid XML"),
        (("sdf", "urdf"), "the root of an SDF file is <sdf>"),
    ],
)
def test_mistakes_in_sdf(change, message, tmp_path):
    path = tmp_path / "toy.sdf"
    path.write_text(WORLD.replace(*change), encoding="utf-8")
    with pytest.raises(SceneError, match=message) as error:
        read_scene(path)
    assert str(path) in str(error.value)


def test_opensim(tmp_path):
    path = tmp_path / "gait.osim"
    path.write_text(GAIT, encoding="utf-8")
    found, remarks = contact_geometry(path)
    assert [(geometry.name, geometry.frame) for geometry in found] == [
        ("floor", "ground"),
        ("heel", "calcn_r"),
        ("knee", "femur_r"),
    ]
    assert remarks == ["ContactMesh 'pelvis' is not read", "not taken over: 1 <ForceSet> of <Model>"]
    scene, remarks = read_scene(path)
    for name in ("calcn_r", "femur_r"):
        reason = f"no frame '/bodyset/{name}' is in the file"
        assert f"the frame of {name} is at the origin of the scene: {reason}" in remarks
    floor = scene["floor"]
    assert (floor.rotation @ floor.shape.normal).round(12).tolist() == [0.0, 1.0, 0.0]  # up is y in OpenSim
    heel = tg.contact(floor.shape, scene["heel"].shape, floor.pose, scene["heel"].pose)
    assert abs(heel.distance - (-0.01 - 0.1 - 0.035)) < 1e-12


def test_opensim_itself_reads_the_same(tmp_path):
    opensim = pytest.importorskip("opensim", reason="the check of OSIM files needs OpenSim: pip install opensim")
    path = tmp_path / "gait.osim"
    model = opensim.Model()
    body = opensim.Body("calcn_r", 1.0, opensim.Vec3(0), opensim.Inertia(1))
    model.addBody(body)
    model.addJoint(opensim.FreeJoint("free", model.getGround(), body))
    turn, place = opensim.Vec3(0.1, 0.2, 0.3), opensim.Vec3(1, 2, 3)
    model.addContactGeometry(opensim.ContactSphere(0.035, place, body, "heel"))
    model.addContactGeometry(opensim.ContactEllipsoid(opensim.Vec3(3, 4, 5), place, turn, body, "knee"))
    model.addContactGeometry(opensim.ContactHalfSpace(place, turn, model.getGround(), "floor"))
    model.finalizeConnections()
    model.printToXML(str(path))
    found = {geometry.name: geometry for geometry in contact_geometry(path)[0]}
    assert float(found["heel"].shape.radius) == 0.035
    assert found["knee"].shape.radii.tolist() == [3, 4, 5]
    assert found["knee"].frame == "calcn_r"
    model.initSystem()
    geometry = model.getContactGeometrySet().get("knee")
    transform = geometry.getTransform()  # kept, since its parts are references into it
    rotation = transform.R()
    rows = [[rotation.get(i, j) for j in range(3)] for i in range(3)]
    assert np.allclose(found["knee"].rotation.as_matrix(), rows, atol=1e-12)
    assert [transform.p().get(i) for i in range(3)] == found["knee"].position.tolist()


def scene_of(rng):
    shapes = (tg.Superellipsoid([0.5, 0.4, 0.3], (0.5, 0.7)), tg.Ellipsoid([0.3, 0.2, 0.1]), tg.Sphere(0.2))
    return Scene(
        tuple(
            Body(f"body {k}", shape, (Rotation.random(rng=rng), rng.normal(size=3) * 2.0))
            for k, shape in enumerate((*shapes, tg.HalfSpace([0, 0, 1], -5.0)))
        )
    )


def test_superquadrics_come_back_the_same(tmp_path):
    scene = scene_of(np.random.default_rng(2))
    remarks = write_scene(scene, tmp_path / "fit.npz")
    assert remarks == ("body 'body 3': a HalfSpace is no superquadric and is not written",)
    again, remarks = read_scene(tmp_path / "fit.npz")
    assert remarks == ()
    for first, second in zip(scene.bodies[:3], again.bodies):
        assert first.name == second.name
        assert np.allclose(first.rotation, second.rotation, atol=1e-15)
        assert (first.position == second.position).all()
        n = np.random.default_rng(3).normal(size=(50, 3))
        assert np.allclose(first.shape.support(n), second.shape.support(n), rtol=1e-14)


def test_mistakes_in_superquadrics(tmp_path):
    path = tmp_path / "fit.npz"
    arrays = dict(np.load(io.BytesIO(superquadric_bytes(scene_of(np.random.default_rng(2)))[0])))
    np.savez(path, **{name: array for name, array in arrays.items() if name != "scale"})
    with pytest.raises(SceneError, match="scale is missing"):
        read_scene(path)
    np.savez(path, **{**arrays, "scale": -arrays["scale"]})
    with pytest.raises(SceneError, match="'body 0': radii must be"):
        read_scene(path)
    np.savez(path, **{**arrays, "epsilon": arrays["epsilon"][:2]})
    with pytest.raises(SceneError, match=r"epsilon must have the shape \(3, 2\), got \(2, 2\)"):
        read_scene(path)
    np.savez(path, **{**arrays, "scale": np.array([None] * 3)})  # needs pickle, which is not read
    with pytest.raises(SceneError, match="not an NPZ file of plain numbers"):
        read_scene(path)
    path.write_bytes(b"no file of this kind")
    with pytest.raises(SceneError, match="not an NPZ file"):
        read_scene(path)
    ground = Scene((Body("a", tg.Box([1, 1, 1])), Body("b", tg.HalfSpace([0, 0, 1]))))
    with pytest.raises(SceneError, match="no superquadric to write"):
        superquadric_bytes(ground)


@pytest.mark.parametrize("ending", ["glb", "gltf", "stl", "ply", "obj"])
def test_triangles_enclose_the_volume(ending):
    trimesh = pytest.importorskip("trimesh", reason="triangles need trimesh: pip install 'tangency[meshes]'")
    scene = scene_of(np.random.default_rng(4))
    data, remarks = surface_bytes(scene, ending)
    found = trimesh.load(io.BytesIO(data), file_type=ending)
    if ending in ("glb", "gltf"):
        assert set(found.graph.nodes_geometry) == {body.name for body in scene.bodies}
        for body in scene.bodies[:3]:
            transform, name = found.graph.get(body.name)
            assert np.allclose(transform, body.pose.as_matrix(), atol=1e-6)
            volume = found.geometry[name].copy().apply_transform(transform).volume
            assert abs(volume / float(body.shape.volume) - 1.0) < 0.01
    else:
        assert any("names and colours" in remark for remark in remarks)
        joined = found if isinstance(found, trimesh.Trimesh) else found.to_geometry()
        exact = np.array([body.shape.aabb(body.pose) for body in scene.bodies[:3]])
        inside = joined.vertices
        for low, high in exact:
            near = inside[((inside > low - 1e-3) & (inside < high + 1e-3)).all(axis=1)]
            assert np.allclose(near.max(axis=0), high, atol=5e-3)
            assert np.allclose(near.min(axis=0), low, atol=5e-3)
    assert any("'body 3'" in remark and "square" in remark for remark in remarks)


def test_convert_command(tmp_path, capsys, root):
    target = tmp_path / "new" / "scene.npz"
    assert main(["convert", str(root / "examples" / "scene.toml"), str(target)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"wrote {target}")
    assert "note: body" in said.err
    assert main(["convert", str(target), str(tmp_path / "again.toml")]) == 0
    assert load_scene(tmp_path / "again.toml").bodies
    for source, to, message in (
        ("scene.tml", "a.toml", "did you mean 'toml'"),
        (str(root / "examples" / "scene.toml"), "a.step", "can be written, got '.step'"),
        ("none.sdf", "a.toml", "none.sdf: no such file"),
    ):
        assert main(["convert", source, str(tmp_path / to)]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / to).exists()


def test_every_format_is_named_in_the_documentation(root):
    page = (root / "docs" / "formats.md").read_text(encoding="utf-8")
    for ending in {*READERS, *WRITERS}:
        assert f".{ending}" in page, ending
