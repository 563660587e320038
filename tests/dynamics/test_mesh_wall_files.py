"""Meshes of walls and their files: what is repaired, what is refused, in Python and in scene files."""

import math
import re

import numpy as np
import pytest

import tangency as tg
from tangency import forces
from tangency.dynamics import Body, Group, Interaction, MeshWall, World, simulate, world_of
from tangency.interop.lammps.refusals import refuse
from tangency.scene import SceneError, load_scene
from tangency.viz import motion_page
from wall_meshes import drum

GRIP = Interaction(forces.KelvinVoigt(stiffness=1e4, damping=10.0))


def test_a_mesh_is_repaired_where_that_changes_no_surface():
    points = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0], [0, -1, 0], [2, -1, 0], [0, 0, 1e-13]]
    wall = MeshWall(points, [[0, 2, 3], [6, 1, 4], [1, 2, 5], [1, 4, 5], [5, 4, 1], [0, 1, 2]])
    assert wall.remarks == (
        "1 triangles without an area were left out",
        "1 triangles that occurred before were left out",
        "1 triangles were divided at corners of others on their edges",
        "the wall is open at 5 edges, which belong to one triangle only",
    )
    area = np.linalg.norm(np.cross(*np.diff(wall.points[wall.triangles], axis=1).swapaxes(0, 1)), axis=1).sum() / 2
    assert (len(wall.points), len(wall.triangles)) == (6, 5)
    assert area == pytest.approx(3.0)


SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("points", "triangles", "options", "message"),
    [
        ([[0, 0], [1, 0]], [[0, 1, 2]], {}, "points must"),
        ([[0, 0, math.nan], *SQUARE], [[0, 1, 2]], {}, "points must be finite"),
        (SQUARE, [[0, 1, 4]], {}, "triangles must refer to the 4 points, got the index 4"),
        (SQUARE, [[0.0, 1.0, 2.0]], {}, "triangles must be whole numbers"),
        (SQUARE, [0, 1, 2], {}, "triangles must have shape"),
        (SQUARE, [[0, 1, 1]], {}, "triangles must have an area, got 1 without one"),
        (SQUARE, [[0, 1, 2]], {"crease": 120}, "crease must be an angle from 0 to 90 degrees, got 120"),
    ],
)
def test_wrong_meshes_are_refused(points, triangles, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MeshWall(points, triangles, **options)


def test_what_a_mesh_wall_cannot_do_is_refused():
    wall, ball = MeshWall(SQUARE, [[0, 1, 2], [0, 2, 3]]), tg.Sphere(0.1)
    with pytest.raises(TypeError, match="a must be convex or a Cavity, got a MeshWall"):
        tg.contact(wall, ball)
    with pytest.raises(TypeError, match=r"shapes\[1\] must be convex or a Cavity, got a MeshWall"):
        tg.Bodies([ball, wall])
    with pytest.raises(ValueError, match="has no support"):
        wall.support([0, 0, 1])
    with pytest.raises(ValueError, match="fixed must be True, or motion given, for a body with a MeshWall"):
        Body("wall", wall, mass=1.0, inertia=[1, 1, 1])
    with pytest.raises(TypeError, match="shape must be a bounded Shape"):
        Group("walls", wall, (None, np.zeros((2, 3))))
    with pytest.raises(ValueError, match="shape of 'wall' must not be a MeshWall with LAMMPS"):
        refuse(World([Body("wall", wall), Body("ball", ball)], interaction=GRIP))
    world = World([Body("wall", wall), Body("ball", ball)], interaction=GRIP, periodic=((0, 9), None, None))
    with pytest.raises(ValueError, match="periodic must be None for worlds with mesh walls, got 'wall'"):
        simulate(world, 0.1, "fast", step=1e-3)


def binary_stl(corners):
    """A binary STL file of triangles (F, 3, 3)."""
    rows = np.zeros(len(corners), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")]))
    rows["corners"] = corners
    return b"drawn by hand".ljust(80) + np.uint32(len(corners)).tobytes() + rows.tobytes()


def text_stl(corners):
    lines = ["solid wall"]
    for corner in corners:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {x:.17g} {y:.17g} {z:.17g}" for x, y, z in corner)]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid wall", ""]).encode()


def test_binary_and_text_files_give_the_same_wall(tmp_path):
    points, triangles = drum(12)
    corners = np.round(1024.0 * points)[triangles] / 1024.0  # exact in both
    walls = []
    for name, data in (("a.stl", binary_stl(corners)), ("b.STL", text_stl(corners))):
        (tmp_path / name).write_bytes(data)
        walls.append(MeshWall.from_file(tmp_path / name, scale=0.5))
    assert np.array_equal(walls[0].points, walls[1].points)
    assert np.array_equal(walls[0].triangles, walls[1].triangles)
    assert len(walls[0].triangles) == len(triangles)
    assert walls[0].remarks == ("the triangles at 48 edges face opposite sides, which does not matter",)


FLAT = np.array([[[0, 0, 0], [1, 0, 0], [2, 0, 0]]])
WHOLE = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "neither a text STL .* nor a whole binary one"),
        (binary_stl(WHOLE)[:-7], "it declares 1 triangles, 134 bytes"),
        (text_stl(WHOLE)[:-20], "ends early, without 'endsolid'"),
        (text_stl(WHOLE).replace(b"1 0 0", b"1 O 0"), "line 5: 'vertex x y z' expected"),
        (text_stl(WHOLE).replace(b"1 0 0", b"nan 0 0"), "points must be finite"),
        (binary_stl(WHOLE[:0]), "contains no triangles"),
        (binary_stl(FLAT), "triangles must have an area, got 1 without one"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path, data, message):
    path = tmp_path / "wall.stl"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}.*{message}"):
        MeshWall.from_file(path)


STL = """solid drum
  facet normal 0 0 1
    outer loop
      vertex 0 0 0
      vertex 1000 0 0
      vertex 0 1000 0
    endloop
  endfacet
endsolid drum
"""
SCENE = """
[[body]]
name = "chute"
mesh = "chute.stl"
scale = 0.001
position = [-0.2, -0.2, 0]

[[body]]
name = "ball"
shape = "sphere"
radius = 0.05
position = [0, 0, 0.049]

[simulation]
duration = 0.1
mode = "fast"
step = 1e-4
normal = { law = "kelvin_voigt", stiffness = 1e4, damping = 5.0 }
"""


def test_walls_in_scene_files(tmp_path):
    (tmp_path / "chute.stl").write_text(STL)
    path = tmp_path / "scene.toml"
    path.write_text(SCENE)
    world = world_of(load_scene(path))
    wall = world["chute"].pieces[0].shape
    assert world["chute"].fixed
    assert wall.points.max() == pytest.approx(1.0)
    run = simulate(world, 0.1, "fast", step=1e-4)
    assert run.position[-1, 1, 2] == pytest.approx(0.05, abs=1e-3)
    assert len(run.dump(tmp_path / "out", "vtk")) > 0
    assert len(run.dump(tmp_path / "out", "ovito")) > 0  # without walls
    run.snapshots([0.0]).savefig(tmp_path / "picture.png")
    assert '"wall ' in motion_page(run)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("chute.stl", "missing.stl", 4, "mesh must be a readable file: .*missing.stl: no such file"),
        ('mesh = "chute.stl"', "mesh = 3", 4, "mesh must be the path of a file, got 3"),
        ("scale = 0.001", "scale = -1", 5, "scale must be > 0"),
        ("scale = 0.001", "scale = true", 5, "scale must be a number, got True"),
        ("scale = 0.001", "crease = 100", 5, "crease must be an angle from 0 to 90 degrees, got 100"),
        ("scale = 0.001", "scael = 0.001", 5, "unknown key 'scael' for a mesh wall; did you mean 'scale'"),
        ("scale = 0.001", "cavity = true", 5, "cavity must not be given together with mesh"),
        ("scale = 0.001", 'shape = "sphere"', 5, "shape must not be given together with mesh"),
    ],
)
def test_errors_in_scene_files_name_file_line_and_key(tmp_path, old, new, line, message):
    (tmp_path / "chute.stl").write_text(STL)
    path = tmp_path / "scene.toml"
    path.write_text(SCENE.replace(old, new))
    with pytest.raises(SceneError, match=rf"{re.escape(str(path))}, line {line}: body 'chute': {message}"):
        load_scene(path)
