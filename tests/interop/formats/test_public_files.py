"""Models that other packages ship come in with the sizes and poses that the format's own package gives them."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tangency as tg
from tangency.interop.formats import read_scene
from tangency.interop.formats.imported import xml_root
from tangency.interop.formats.osim import contact_geometry
from tangency.interop.formats.osim_placement import placement
from tangency.scene import SceneError

mujoco = pytest.importorskip("mujoco", reason="MJCF and URDF need MuJoCo: pip install 'tangency[mujoco]'")


def files_of(package, pattern):
    """Files inside an installed package, which is not imported."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    return sorted(Path(spec.submodule_search_locations[0]).glob(pattern))


ROBOTS = "example-robot-data/robots"
MJCF = [
    *files_of("mujoco", "testdata/model.xml"),
    *files_of("gymnasium", "envs/mujoco/assets/*.xml"),
    *files_of("dm_control", "suite/*.xml"),
]
URDF = [
    *(file for folder in sys.path for file in Path(folder).glob(f"cmeel.prefix/share/{ROBOTS}/**/*.urdf")),
    *files_of("pybullet_data", "*.urdf"),
]
OSIM = [*files_of("opensim", "**/*.osim"), *files_of("osim", "**/*.osim")]
#: Geoms for which MuJoCo's own distances are exact or nearly so
ROUND = ("SPHERE", "CAPSULE", "PLANE", "BOX")


def colliding(model):
    kinds = {int(kind): kind.name.removeprefix("mjGEOM_") for kind in mujoco.mjtGeom.__members__.values()}
    numbers = [k for k in range(model.ngeom) if model.geom_contype[k] or model.geom_conaffinity[k]]
    return [(k, kinds[int(model.geom_type[k])]) for k in numbers]


def size_of(kind, shape):
    """What MuJoCo calls the size of a geom."""
    return {
        "SPHERE": lambda: [shape.radius],
        "ELLIPSOID": lambda: shape.radii,
        "BOX": lambda: shape.half_lengths,
        "CYLINDER": lambda: [shape.radius, shape.half_length],
        "CAPSULE": lambda: [shape.distance, shape.body.half_length],
    }[kind]()


@pytest.mark.parametrize("path", MJCF, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore")  # MuJoCo warns of old models
def test_mjcf(path):
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        with pytest.raises(ValueError, match="MuJoCo cannot read it"):
            read_scene(path)
        pytest.skip(f"a part of a model, which MuJoCo refuses: {error}")
    model.geom_sameframe[:] = mujoco.mjtSameFrame.mjSAMEFRAME_NONE  # or frames that agree to 1e-6 are taken for one
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    geoms = [(k, kind) for k, kind in colliding(model) if kind not in ("HFIELD", "SDF")]
    if len(geoms) < 2:
        with pytest.raises(SceneError, match="at least two bodies"):
            read_scene(path)
        return
    scene, remarks = read_scene(path)
    assert len(scene.bodies) == len(geoms)
    for (k, kind), body in zip(geoms, scene.bodies):
        assert np.abs(body.position - data.geom_xpos[k]).max() <= 1e-15 * max(1.0, np.abs(body.position).max())
        assert np.abs(body.rotation - data.geom_xmat[k].reshape(3, 3)).max() < 1e-14
        if kind not in ("PLANE", "MESH"):
            exact = model.geom_size[k][: {"SPHERE": 1, "CYLINDER": 2, "CAPSULE": 2}.get(kind, 3)]
            assert np.ravel(size_of(kind, body.shape)).tolist() == exact.tolist()
    left_out = [name for name in remarks if "is not taken over" in name or "has no shape" in name]
    assert len(left_out) >= model.ngeom - len(geoms) - len(set(left_out))
    compare_distances(model, data, scene, geoms)


def compare_distances(model, data, scene, geoms):
    """MuJoCo knows the shapes only by its own code: the same distances mean the same bodies."""
    pairs = [(i, j) for j in range(len(geoms)) for i in range(j) if geoms[i][1] in ROUND and geoms[j][1] in ROUND]
    points = np.zeros(6)
    for i, j in pairs[:60]:
        a, b = scene.bodies[i], scene.bodies[j]
        if "PLANE" in (geoms[i][1], geoms[j][1]) and geoms[i][1] == geoms[j][1]:
            continue
        theirs = mujoco.mj_geomDistance(model, data, geoms[i][0], geoms[j][0], 100.0, points)
        if theirs > 1e-6:
            ours = float(tg.contact(a.shape, b.shape, a.pose, b.pose).distance)
            tolerance = 1e-12 if "BOX" not in (geoms[i][1], geoms[j][1]) else 2e-4
            assert abs(ours - theirs) < tolerance * max(1.0, theirs), (a.name, b.name)


@pytest.mark.parametrize("path", MJCF[:3], ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore")
def test_mjcf_goes_out_and_comes_back(path, tmp_path):
    from tangency.interop.formats import write_scene

    try:
        scene, _ = read_scene(path)
    except ValueError as error:
        pytest.skip(f"not a model with two bodies: {error}")
    for ending in ("xml", "toml"):
        write_scene(scene, tmp_path / f"again.{ending}")
        again, _ = read_scene(tmp_path / f"again.{ending}")
        n = np.random.default_rng(0).normal(size=(20, 3))
        for first, second in zip(scene.bodies, again.bodies, strict=True):
            if isinstance(first.shape, tg.HalfSpace):
                normals = [body.rotation @ body.shape.normal for body in (first, second)]
                assert np.allclose(*normals, atol=1e-14)
                continue
            for body in (first, second):
                assert body.name == first.name
            support = [body.shape.support(n @ body.rotation) + n @ body.position for body in (first, second)]
            assert np.allclose(*support, rtol=0, atol=1e-6 if isinstance(first.shape, tg.Hull) else 1e-14)


ROBOT = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.3 0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tool"/><origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.1 0 0" rpy="0 1.5 0"/><geometry><cylinder radius="0.03" length="0.4"/></geometry></collision>
<collision><origin xyz="0 0 0.5" rpy="0.4 0 0"/><geometry><sphere radius="0.07"/></geometry></collision>
</link></robot>"""


def by_pinocchio(path, normals):
    """Support function of every collision geometry in the world, by Pinocchio and Coal."""
    pin = pytest.importorskip(
        "pinocchio", reason="the check of URDF needs Pinocchio: pip install 'tangency[multibody]'"
    )
    coal = pytest.importorskip("coal", reason="the check of URDF needs Coal: pip install 'tangency[peers]'")
    try:
        model = pin.buildModelFromUrdf(str(path))
    except ValueError as error:
        pytest.skip(f"Pinocchio refuses the file: {error}")
    packages = [str(path.parent), *(str(folder) for folder in path.parents if folder.name == "share")]
    geometry = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION, package_dirs=packages)
    data, placed = model.createData(), geometry.createData()
    pin.updateGeometryPlacements(model, data, geometry, placed, pin.neutral(model))
    found = []
    extended = "<collision_checking>" in path.read_text(encoding="utf-8")  # Pinocchio's own: a cylinder as a capsule
    for item, pose in zip(geometry.geometryObjects, placed.oMg):
        shape, n = item.geometry, normals @ pose.rotation
        if extended and isinstance(shape, coal.Capsule):
            shape = coal.Cylinder(shape.radius, 2.0 * shape.halfLength)
        if isinstance(shape, coal.Box):
            support = np.abs(n) @ shape.halfSide
        elif isinstance(shape, coal.Sphere):
            support = np.full(len(n), shape.radius)
        elif isinstance(shape, coal.Cylinder):
            support = shape.radius * np.hypot(n[:, 0], n[:, 1]) + shape.halfLength * np.abs(n[:, 2])
        elif isinstance(shape, coal.Capsule):
            support = shape.radius + shape.halfLength * np.abs(n[:, 2])
        else:
            points = shape.points() if hasattr(shape, "points") else shape.vertices()
            support = (n @ np.array(points).T).max(axis=1)
        found.append(support + normals @ pose.translation)
    return found


@pytest.mark.parametrize("path", [None, *URDF], ids=lambda path: "written here" if path is None else path.name)
@pytest.mark.filterwarnings("ignore")  # Pinocchio warns of its own options
def test_urdf(path, tmp_path):
    if path is None:
        path = tmp_path / "arm.urdf"
        path.write_text(ROBOT, encoding="utf-8")
    try:
        scene, remarks = read_scene(path)
    except SceneError as error:
        if "a scene needs at least two bodies" not in str(error):
            raise
        pytest.skip(f"fewer than two bodies that are not Collada: {str(error)[:200]}")
    normals = np.random.default_rng(8).normal(size=(40, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    theirs = by_pinocchio(path, normals)
    for body in scene.bodies:  # MuJoCo and Pinocchio number the links differently
        mine = body.shape.support(normals @ body.rotation) + normals @ body.position
        errors = [np.abs(mine - other).max() for other in theirs]
        nearest = int(np.argmin(errors))
        assert errors[nearest] < (1e-7 if isinstance(body.shape, tg.Hull) else 1e-12), (
            body.name
        )  # MuJoCo's hulls: single
        del theirs[nearest]
    assert bool(theirs) == any(remark.startswith("link ") and "is not taken over" in remark for remark in remarks)


def compare_bodies(model, state, path):
    """Poses of all bodies in the ground."""
    placed = placement(xml_root(path).find("Model"), str(path))
    bodies = model.getBodySet()
    for k in range(bodies.getSize()):
        transform = bodies.get(k).getTransformInGround(state)
        rotation, position = transform.R(), transform.p()
        mine = placed.places[f"/bodyset/{bodies.get(k).getName()}"]
        rows = [[rotation.get(i, j) for j in range(3)] for i in range(3)]
        assert np.allclose(mine.position, [position.get(i) for i in range(3)], rtol=0, atol=1e-12)
        assert np.allclose(mine.rotation.as_matrix(), rows, rtol=0, atol=1e-12)


@pytest.mark.parametrize("path", OSIM or [None], ids=lambda path: "none" if path is None else path.name)
def test_osim(path):
    if path is None:
        pytest.skip("no package with OSIM files is installed, such as osim-rl")
    opensim = pytest.importorskip("opensim", reason="the check of OSIM files needs OpenSim: pip install opensim")
    try:
        found = {geometry.name: geometry for geometry in contact_geometry(path)[0]}
    except SceneError as error:
        pytest.skip(f"OpenSim is less strict about XML: {error}")
    opensim.Logger.setLevelString("Error")
    model = opensim.Model(str(path))
    state = model.initSystem()
    compare_bodies(model, state, path)
    scene = read_scene(path).scene if len(found) > 1 else None
    known, compared = model.getContactGeometrySet(), []
    for k in range(known.getSize()):
        theirs = known.get(k)
        if theirs.getName() not in found:
            assert theirs.getConcreteClassName() not in ("ContactSphere", "ContactEllipsoid", "ContactHalfSpace")
            continue
        mine = found[theirs.getName()]
        transform = theirs.getTransform()  # kept, since its parts are references into it
        rotation = transform.R()
        rows = [[rotation.get(i, j) for j in range(3)] for i in range(3)]
        assert np.allclose(mine.rotation.as_matrix(), rows, atol=1e-12)
        assert np.allclose(mine.position, [transform.p().get(i) for i in range(3)], atol=1e-15)
        assert mine.frame == theirs.getFrame().getName()
        if scene is not None:
            station = theirs.getFrame().findStationLocationInGround(state, transform.p())
            assert np.allclose(scene[mine.name].position, [station.get(i) for i in range(3)], rtol=0, atol=1e-12)
        if theirs.getConcreteClassName() == "ContactSphere":
            compared.append(theirs.getName())
            assert float(mine.shape.radius) == opensim.ContactSphere.safeDownCast(theirs).getRadius()
    assert len(compared) == path.read_text(encoding="utf-8", errors="replace").count("<ContactSphere ")


@pytest.mark.parametrize("path", files_of("mujoco", "testdata/*.usda"), ids=lambda path: path.name)
def test_usd_is_read_or_refused_with_a_reason(path):
    try:
        mujoco.MjSpec.from_file(str(path))
    except ValueError:
        with pytest.raises(SceneError, match=r"does not read USD, .* export the model as MJCF or URDF"):
            read_scene(path)
    else:
        pytest.skip("this MuJoCo reads USD")
