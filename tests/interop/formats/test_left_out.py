"""Whatever a scene holds and a format does not is said, for every format; bodies of several parts go out whole."""

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import tangency as tg
from tangency.interop.formats import WRITERS, read_scene, write_scene
from tangency.scene import Body, Compound, Scene, SceneError, load_scene

#: Values of physics that a scene may hold
PHYSICS = {
    "mass": 2.0,
    "density": 700.0,
    "velocity": np.array([1.0, 0.0, 0.0]),
    "angular_velocity": np.array([0.0, 1.0, 0.0]),
    "inertia": np.array([1.0, 1.0, 1.0]),
    "centre_of_mass": np.array([0.0, 0.0, 0.01]),
    "fixed": True,
    "material": {"young": 1e9, "poisson": 0.3},
}
HELD = {"toml": set(PHYSICS), "xml": {"mass", "density", "fixed"}, "mjcf": {"mass", "density", "fixed"}}
NO_COLOR = ("npz", "dump", "vtp", "stl", "ply", "obj")


def random_scene(rng):
    def body(name):
        shape = tg.Superellipsoid(rng.uniform(0.1, 0.4, 3), rng.uniform(0.5, 1.5, 2))
        keys = rng.permutation(list(PHYSICS))[: rng.integers(0, 4)]
        color = "#336699" if rng.random() < 0.5 else None
        pose = (Rotation.random(rng=rng), rng.normal(size=3))
        return Body(name, shape, pose, color, {key: PHYSICS[key] for key in keys})

    pairs = (("a", "b"),) if rng.random() < 0.5 else None
    options = {"tol": 1e-9} if rng.random() < 0.5 else {}
    return Scene((body("a"), body("b"), body("c")), "random", pairs, options)


@pytest.mark.parametrize("ending", WRITERS)
def test_what_is_lost_is_said(ending, tmp_path):
    if ending in ("glb", "gltf", "stl", "ply", "obj"):
        pytest.importorskip("trimesh", reason="triangles need trimesh: pip install 'tangency[meshes]'")
    rng = np.random.default_rng(7)
    for _ in range(6):
        scene = random_scene(rng)
        said = write_scene(scene, tmp_path / f"scene.{ending}")
        for body in scene.bodies:
            own = " ".join(remark for remark in said if remark.startswith(f"body {body.name!r}: "))
            for key in set(body.physics) - HELD.get(ending, set()):
                assert key in own, (ending, key)
            if body.color is not None and ending in NO_COLOR:
                assert "color" in own or any("colours" in remark for remark in said)
        if ending != "toml":
            assert any("pairs" in remark for remark in said) == (scene.pairs is not None)
            assert any("tol" in remark for remark in said) == bool(scene.options)
        else:
            assert said == ()


@pytest.mark.parametrize("ending", [ending for ending in WRITERS if ending != "toml"])
def test_simulations_are_lost_and_groups_and_mechanisms_refused(ending, tmp_path, root):
    if ending in ("glb", "gltf", "stl", "ply", "obj"):
        pytest.importorskip("trimesh", reason="triangles need trimesh: pip install 'tangency[meshes]'")
    ball = '[[body]]\nname = "{}"\nshape = "sphere"\nradius = 1\nposition = [{}, 0, 0]\n'
    text = ball.format("a", 0) + ball.format("b", 9) + "[simulation]\nduration = 1\n"
    path = tmp_path / "scene.toml"
    path.write_text(text, encoding="utf-8")
    assert any("simulation" in remark for remark in write_scene(load_scene(path), tmp_path / f"out.{ending}"))
    path.write_text(
        text + '[[group]]\nname = "g"\nshape = "sphere"\nradius = 1\npositions = [[0, 9, 0]]\n', encoding="utf-8"
    )
    with pytest.raises(SceneError, match="group 'g'"):
        write_scene(load_scene(path), tmp_path / f"out.{ending}")
    with pytest.raises(SceneError, match="mechanism 'bars'"):
        write_scene(load_scene(root / "examples" / "shaker.toml"), tmp_path / f"out.{ending}")


def random_compound(rng):
    shapes = (tg.Sphere(0.2), tg.Ellipsoid(rng.uniform(0.1, 0.3, 3)), tg.Box(rng.uniform(0.1, 0.3, 3)))
    parts = tuple(
        Body(f"whole/{k + 1}", shape, (Rotation.random(rng=rng), 0.3 * rng.normal(size=3)))
        for k, shape in enumerate(shapes)
    )
    pose = RigidTransform.from_components(rng.normal(size=3), Rotation.random(rng=rng))
    return Compound("whole", parts, pose, "#102030", {"mass": float(rng.uniform(1, 5))})


@pytest.mark.parametrize("seed", range(3))
def test_a_body_of_several_parts_weighs_the_same_in_mujoco(seed, tmp_path):
    mujoco = pytest.importorskip("mujoco", reason="MJCF needs MuJoCo: pip install 'tangency[mujoco]'")
    whole = random_compound(np.random.default_rng(seed))
    scene = Scene((Body("ball", tg.Sphere(0.1), (None, [9, 0, 0])),), compounds=(whole,))
    write_scene(scene, tmp_path / "scene.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    own = tg.dynamics.Body("whole", [(part.shape, part.pose) for part in whole.parts], mass=whole.physics["mass"])
    number = model.body("whole").id
    assert model.body_mass[number] == pytest.approx(whole.physics["mass"], rel=1e-9)
    np.testing.assert_allclose(model.body_ipos[number], own.mass_properties.centre, atol=1e-9)
    moments = np.sort(own.mass_properties.principal()[0])
    np.testing.assert_allclose(np.sort(model.body_inertia[number]), moments, rtol=1e-8)
    back = {body.name: body for body in read_scene(tmp_path / "scene.xml").scene.bodies}
    for part in whole.placed():
        np.testing.assert_allclose(back[part.name].pose.as_matrix(), part.pose.as_matrix(), atol=1e-12)


def test_ovito_and_vtk_read_scenes(tmp_path):
    """The numbers in the files, and by the real packages where they are installed."""
    rng = np.random.default_rng(1)
    scene = random_scene(rng)
    write_scene(scene, tmp_path / "scene.dump")
    write_scene(scene, tmp_path / "scene.vtp")
    lines = (tmp_path / "scene.dump").read_text().splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("ITEM: ATOMS"))
    columns = lines[head].split()[2:]
    for body, line in zip(scene.bodies, lines[head + 1 :], strict=True):
        row = dict(zip(columns, map(float, line.split())))
        np.testing.assert_allclose([row[key] for key in "xyz"], body.position, rtol=1e-9)
        np.testing.assert_allclose([row[f"shape{key}"] for key in "xyz"], 2 * body.shape.radii, rtol=1e-9)
        turn = Rotation.from_quat([row[f"quat{key}"] for key in "ijkw"])
        np.testing.assert_allclose(turn.as_matrix(), body.rotation, atol=1e-9)
    try:
        import vtk
    except ImportError:
        return
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(tmp_path / "scene.vtp"))
    reader.Update()
    mass = vtk.vtkMassProperties()
    mass.SetInputConnection(reader.GetOutputPort())
    assert mass.GetVolume() == pytest.approx(sum(float(body.shape.volume) for body in scene.bodies), rel=0.02)
