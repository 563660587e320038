"""Fitted bodies in files: scenes, JSON, meshes, MuJoCo."""

import json
import math
import typing

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from tangency.cli.main import main
from tangency.fitting import fitted_scene, read_cloud, shape_from_parameters, surface_mesh, write_cloud, write_surface
from tangency.scene import body_text, load_scene, shape_table

POSE = RigidTransform.from_components([1.0, -2.0, 0.5], Rotation.from_euler("xyz", [0.3, -0.4, 1.0]))
SHAPES = [
    tg.Sphere(0.3),
    tg.Ellipsoid([0.3, 0.2, 0.1]),
    tg.Superellipsoid([0.3, 0.2, 0.1], (0.5, 0.8)),
    tg.PowerEllipsoid([0.3, 0.2, 0.1], [2, 3, 4]),
    tg.Ovoid([0.3, 0.2, 0.4], [1, 0.2, 0, 0], [1, 0.1, 0, 0]),
    tg.Superovoid([0.3, 0.2, 0.4], [2.5, 2, 2], [1, 0.2, 0, 0], [1, 0.2, 0, 0]),
    tg.TaperedSuperellipsoid([0.3, 0.2, 0.1], (0.8, 1.2), (0.2, 0.2)),
    tg.capsule(0.1, 0.3),
    tg.rounded_box([0.3, 0.2, 0.1], 0.05),
    tg.Box([0.3, 0.2, 0.1]),
    tg.Cylinder(0.2, 0.3),
    tg.Cone(0.2, 0.3, 0.1),
    tg.HarmonicShape.from_shape(tg.Ellipsoid([0.3, 0.25, 0.2]), 4),
    tg.SplineShape.from_shape(tg.Ellipsoid([0.3, 0.25, 0.2]), 2),
    tg.Ellipsoid([0.3, 0.2, 0.1]).affine([[1, 0.1, 0], [0, 1, 0], [0, 0, 2]], [1, 2, 3]),
    tg.Ellipsoid([0.3, 0.2, 0.1]) + tg.Sphere(0.1),
    tg.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_written_shape_is_read_again(shape, tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(body_text('a "b\\c', shape, POSE) + '[[body]]\nname = "far"\nshape = "sphere"\nradius = 1\n')
    body = load_scene(path).bodies[0]
    assert body.name == 'a "b\\c'
    assert type(body.shape) is type(shape)
    assert np.array_equal(body.shape.rows, shape.rows)
    assert np.allclose(body.pose.as_matrix(), POSE.as_matrix(), atol=1e-15)


class Ball(tg.Shape):
    class Kernel(typing.NamedTuple):
        radius: float

        def point(self, n):
            k = self.radius / math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2)
            return (k * n[0], k * n[1], k * n[2])


def test_shapes_without_a_name_are_refused():
    with pytest.raises(ValueError, match="a scene file cannot hold a Ball"):
        shape_table(Ball(1.0))


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    rng = np.random.default_rng(0)
    egg = tg.Ellipsoid([22.0, 18.0, 15.0])
    points = POSE.apply(egg.point(rng.normal(size=(300, 3)))) + rng.normal(0, 0.05, (300, 3))
    path = tmp_path_factory.mktemp("scan") / "scan.ply"
    write_cloud(path, points)
    return path, points


def test_from_scan_to_simulation(scan, tmp_path, monkeypatch, capsys):
    path, points = scan
    monkeypatch.chdir(tmp_path)
    limited = ["--model", "ellipsoid", "--unit", "mm"]
    surfaces = [part for name in ("a.stl", "a.obj", "a.ply", "a.xml", "a.osim") for part in ("--surface", name)]
    assert main(["fit", str(path), *limited, "--scene", "hip.toml", "--json", *surfaces]) == 0
    data = json.loads(capsys.readouterr().out)
    fit = data["fits"][0]
    shape = shape_from_parameters("ellipsoid", fit["parameters"])
    pose = RigidTransform.from_components(fit["position"], Rotation.from_quat(fit["quaternion_xyzw"]))
    residuals = tg.signed_distance(shape, points, pose).distance
    assert np.sqrt((residuals**2).mean()) == pytest.approx(fit["statistics"]["rms"], rel=1e-9)
    assert fit["scene_body"] == {"shape": "ellipsoid", "radii": shape.radii.tolist()}
    body = load_scene("hip.toml").bodies[0]
    assert body.name == "scan"
    # Distances of the scene, in metres, are those of the fit
    again = tg.signed_distance(body.shape, 1e-3 * points, body.pose).distance
    assert np.allclose(1e3 * again, residuals, atol=1e-9)
    for name in ("a.stl", "a.obj", "a.ply"):
        mesh = read_cloud(name)
        off = tg.signed_distance(body.shape, mesh.points, body.pose).distance
        assert np.abs(off).max() < 1e-7 * 22e-3 + (3e-9 if name == "a.stl" else 0)
        assert len(mesh.faces) == 2 * len(mesh.points) - 4  # closed, by Euler's formula
    assert main(["contact", "hip.toml"]) == 0
    assert main(["simulate", "hip.toml"]) == 0
    assert "energy" in capsys.readouterr().out


def test_files_of_mujoco(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    for shape in SHAPES:
        path = tmp_path / "body.xml"
        if not isinstance(shape, tg.Sphere | tg.Ellipsoid | tg.Box | tg.Cylinder) and shape is not SHAPES[7]:
            with pytest.raises(ValueError, match="MuJoCo has no geom"):
                write_surface(path, shape, POSE)
            continue
        write_surface(path, shape, POSE)
        model = mujoco.MjModel.from_xml_path(str(path))
        state = mujoco.MjData(model)
        mujoco.mj_forward(model, state)
        assert np.allclose(state.geom_xpos[0], POSE.translation)
        assert np.allclose(state.geom_xmat[0].reshape(3, 3), POSE.rotation.as_matrix())
        assert model.body_mass[1] / 1000 == pytest.approx(float(shape.volume), rel=1e-9)  # its default density
        path.unlink()


def test_meshes_are_closed_and_oriented():
    for shape in SHAPES:
        mesh = surface_mesh(shape, POSE, corners=600)
        a, b, c = (mesh.points[mesh.faces[:, k]] for k in range(3))
        inner = POSE.apply(np.asarray(shape.centroid))
        assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a - inner) > -1e-12).all()
        edges = np.sort(np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]]), axis=1)
        assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--bound", "g1"], "--bound must look like"),
        (["--bound", "g1=x:"], "--bound must have a number"),
        (["--fixed", "a"], "--fixed must look like"),
        (["--limits", "thesis", "--bound", "a=1:"], "must not be given together"),
        (["--fixed", "zz=1"], "no model has 'zz'"),
        (["--model", "ellipsoid", "--surface", "a.xyz"], "must end in .stl"),
        (["--model", "sphere", "--scene", "out.toml", "--density", "-1"], "density must be > 0"),
    ],
)
def test_mistakes_on_the_command_line(scan, arguments, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["fit", str(scan[0]), *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())  # nothing half-written


def test_the_scene_of_a_fit_in_python(scan, tmp_path):
    found = tg.fit(scan[1], "sphere")
    path = tmp_path / "ball.toml"
    path.write_text(fitted_scene(found, "ground", unit=1e-3))
    assert [body.name for body in load_scene(path).bodies] == ["ground", "floor"]
