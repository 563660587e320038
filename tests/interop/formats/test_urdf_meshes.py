"""URDF files as robots come: meshes of packages, of one name in two folders, of unknown formats, or missing."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency.interop.formats import read_scene

pytest.importorskip("mujoco", reason="URDF needs MuJoCo: pip install 'tangency[mujoco]'")
trimesh = pytest.importorskip("trimesh", reason="meshes are written by trimesh: pip install 'tangency[meshes]'")

BAD = '<inertial><mass value="0"/><inertia ixx="-1" iyy="9" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def link(name, collisions):
    """A link with a picture that does not exist, and an inertia that cannot be."""
    return f"""<link name="{name}">{BAD}<visual><geometry><mesh filename="package://robot/none.dae"/></geometry></visual>
      {"".join(collisions)}</link>"""


def collision(file, place, scale=""):
    x, y, z = place
    return f"""<collision><origin xyz="{x} {y} {z}" rpy="0.1 0.2 0.3"/><geometry>
      <mesh filename="{file}" {scale}/></geometry></collision>"""


def boxes(folder, rng):
    """Two boxes of one file name in two folders."""
    sizes = rng.uniform(0.1, 0.5, (2, 3))
    for word, size in zip(("left", "right"), sizes):
        (folder / "meshes" / word).mkdir(parents=True)
        trimesh.creation.box(2 * size).export(folder / "meshes" / word / "part.STL", file_type="stl")
    return sizes


@pytest.mark.parametrize("seed", range(3))
def test_meshes_of_a_package(seed, tmp_path):
    rng = np.random.default_rng(seed)
    package = tmp_path / "share" / "robot"
    sizes = boxes(package, rng)
    places = rng.uniform(-1, 1, (4, 3)).round(3)
    (package / "urdf").mkdir()
    (package / "meshes" / "hull.dae").write_text("<COLLADA/>", encoding="utf-8")
    text = f"""<?xml version="1.0"?><robot name="robot">
      {
        link(
            "base",
            [
                collision("package://robot/meshes/left/part.STL", places[0]),
                collision("package://robot/meshes/hull.dae", places[1]),
            ],
        )
    }
      {
        link(
            "arm",
            [
                collision("../meshes/right/part.STL", places[2]),
                collision("package://robot/meshes/left/part.STL", places[3], 'scale="2 2 2"'),
                collision("package://robot/meshes/lost.stl", places[1]),
            ],
        )
    }
      <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/>
      <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    path = package / "urdf" / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    scene, remarks = read_scene(path)
    turn = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    wanted = [(sizes[0], places[0]), (sizes[1], places[2] + [0, 0, 1]), (2 * sizes[0], places[3] + [0, 0, 1])]
    assert len(scene.bodies) == len(wanted)
    for body, (size, place) in zip(scene.bodies, wanted):
        box = tg.Box(size)
        normals = rng.normal(size=(50, 3))
        exact = box.support(normals @ turn) + normals @ place
        found = body.shape.support(normals @ body.rotation) + normals @ body.position
        np.testing.assert_allclose(found, exact, atol=1e-6)  # STL has single precision
    said = "\n".join(remarks)
    assert "link 'base': the mesh 'package://robot/meshes/hull.dae' is not in a format that MuJoCo reads" in said
    assert "link 'arm': the mesh 'package://robot/meshes/lost.stl' is not found" in said
