"""Files for OVITO and ParaView: as text, and read back with the real packages where they are installed."""

import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tangency as tg
from tangency import forces
from tangency.cli.main import main
from tangency.dynamics import Body, Group, Interaction, World, load_trajectory, simulate

LAW = Interaction(forces.KelvinVoigt(stiffness=2e4, damping=20.0))
L = 0.6


@pytest.fixture(scope="module")
def run():
    """Ellipsoids, superellipsoids and a dumbbell that fall through a periodic box onto a floor."""
    rng = np.random.default_rng(0)
    eggs = tg.Ellipsoid(rng.uniform(0.03, 0.06, (20, 3)))
    poses = tg.broadphase.scatter(eggs, [0, 0, 0], [L, L, L], seed=1)
    pills = tg.Superellipsoid([0.05, 0.04, 0.03], epsilon=(0.3, 0.8))
    above = tg.broadphase.scatter(pills, [0, 0, L], [L, L, 2 * L], 10, seed=2)
    ball = tg.Sphere(0.03)
    dumbbell = Body("dumbbell", [(ball, (None, [0.05, 0, 0])), (ball, (None, [-0.05, 0, 0]))], (None, [0.3, 0.3, 1.5]))
    rates = {"velocity": [2.0, 1.0, 0.0], "angular_velocity": [0, 0, 5]}
    bodies = [Body("floor", tg.HalfSpace([0, 0, 1])), dumbbell, Group("eggs", eggs, poses, **rates)]
    world = World(
        [*bodies, Group("pills", pills, above, density=500)], interaction=LAW, periodic=((0, L), (0, L), None)
    )
    return simulate(world, 0.3, "fast", step=2e-4, output_interval=0.1)


def read_dump(path):
    """Plain reader of a dump: for each frame the number of the step and the columns by name."""
    frames = []
    for text in path.read_text(encoding="ascii").split("ITEM: TIME\n")[1:]:
        head, table = text.split("ITEM: ATOMS ")
        names, *rows = table.splitlines()
        assert int(re.search(r"NUMBER OF ATOMS\n(\d+)", head)[1]) == len(rows)
        values = np.array([row.split() for row in rows], float)
        frames.append((int(re.search(r"TIMESTEP\n(\d+)", head)[1]), dict(zip(names.split(), values.T)), head))
    return frames


def test_dump_as_text(run, tmp_path):
    (path,) = run.dump(tmp_path / "a.dump")
    frames = read_dump(path)
    assert [number for number, _, _ in frames] == [0, 500, 1000, 1500]
    assert f"ITEM: BOX BOUNDS pp pp ff\n0 {L}\n0 {L}\n" in frames[0][2]
    for frame, (_, columns, _) in enumerate(frames):
        assert len(columns["id"]) == 32  # two of the dumbbell
        own = columns["body"].astype(int) - 1
        place = np.stack([columns[c] for c in "xyz"], axis=1)
        images = np.stack([columns[f"i{c}"] for c in "xyz"], axis=1)
        whole = place[2:] + images[2:] * [L, L, 0]
        assert np.allclose(whole, run.position[frame, own[2:]], atol=1e-9)
        inside = run.wrapped().centre_of_mass[frame, own[2:], :2]
        assert ((inside >= 0) & (inside <= L)).all()
        turn = Rotation.from_quat(np.stack([columns[f"quat{c}"] for c in "ijkw"], axis=1))
        assert np.allclose(
            (turn[2:] * Rotation.from_quat(run.quaternion[frame, own[2:]]).inv()).magnitude(), 0, atol=1e-8
        )
    columns = frames[0][1]
    eggs = run.pieces[run.group("eggs").start][0].shape
    first = np.flatnonzero(columns["body"] == run.group("eggs").start + 1)[0]
    assert np.allclose([columns[f"shape{c}"][first] for c in "xyz"], 2 * eggs.radii)
    assert columns["type"].tolist() == [1, 1] + [2] * 20 + [3] * 10
    assert (columns["SuperquadricRoundnessPhi"][-1], columns["SuperquadricRoundnessTheta"][-1]) == (0.8, 0.3)
    # The equation of superquadrics in OVITO's manual, at points of the surface.
    pill = run.pieces[run.group("pills").start][0].shape
    x, y, z = np.abs(pill.point(np.random.default_rng(0).normal(size=(50, 3))) / pill.radii).T
    phi, theta = (columns[f"SuperquadricRoundness{name}"][-1] for name in ("Phi", "Theta"))
    left = (x ** (2 / phi) + y ** (2 / phi)) ** (phi / theta) + z ** (2 / theta)
    assert np.allclose(left, 1.0)
    assert np.allclose(np.diff([columns[c][:2] for c in "xyz"], axis=1).ravel(), [-0.1, 0, 0])
    assert columns["mass"][-1] == pytest.approx(run.masses.mass[-1])


def test_lines_of_a_body_add_up_to_it(tmp_path):
    """Shares of the mass; places and velocities of the shapes, with the momentum and the spin of the body."""
    parts = [(tg.Sphere(0.03), (None, [0.1, 0, 0])), (tg.Ellipsoid([0.05, 0.02, 0.02]), (None, [-0.05, 0.02, 0]))]
    turning = {"velocity": [1.0, 2.0, 0.0], "angular_velocity": [3.0, -4.0, 5.0]}
    body = Body("body", parts, (Rotation.from_euler("xyz", [0.4, 0.8, -0.3]), [0, 0, 1]), density=700, **turning)
    run = simulate(World([body], gravity=[0, 0, 0]), 1e-6, "fast", step=1e-6)
    columns = read_dump(run.dump(tmp_path / "a.dump")[0])[0][1]
    mass, place, velocity = (
        np.stack([columns[name] for name in names.split()], axis=1) for names in ("mass", "x y z", "vx vy vz")
    )
    volumes = 4 / 3 * np.pi * np.array([0.03**3, 0.05 * 0.02**2])
    assert np.allclose(mass[:, 0], 700 * volumes, rtol=1e-9)
    assert np.allclose((mass * place).sum(axis=0) / mass.sum(), run.centre_of_mass[0, 0], atol=1e-9)
    assert np.allclose((mass * velocity).sum(axis=0) / mass.sum(), [1, 2, 0], atol=1e-8)
    assert np.allclose(velocity[0] - velocity[1], np.cross([3, -4, 5], place[0] - place[1]), atol=1e-8)


def arrays_of(path):
    """Arrays of a .vtp file by name, decoded by hand."""
    types = {"Float64": "<f8", "Int64": "<i8", "Float32": "<f4"}
    found = {}
    for node in ET.parse(path).iter("DataArray"):
        raw = base64.b64decode(node.text.strip())
        assert int.from_bytes(raw[:8], "little") == len(raw) - 8
        values = np.frombuffer(raw[8:], types[node.get("type")])
        wide = int(node.get("NumberOfComponents", 1))
        found[node.get("Name")] = values.reshape(-1, wide) if wide > 1 else values
    return found


def test_vtk_as_text(run, tmp_path):
    paths = run.dump(tmp_path / "a.pvd", "vtk", every=3)
    assert [path.name for path in paths] == ["a_bodies.pvd", "a_contacts.pvd", "a_surfaces.pvd"]
    for path in paths:
        rows = list(ET.parse(path).iter("DataSet"))
        assert [float(row.get("timestep")) for row in rows] == pytest.approx([0.0, 0.3])
        assert all((tmp_path / row.get("file")).is_file() for row in rows)
    bodies = arrays_of(tmp_path / "a_vtk/bodies_00003.vtp")
    assert bodies["body"].tolist() == list(range(1, 32))
    inside = run.wrapped()
    assert np.array_equal(bodies["Points"], inside.position[3, 1:])
    egg = run.group("eggs").start
    radii = run.pieces[egg][0].shape.radii
    values = np.linalg.eigvalsh(bodies["tensor"][egg - 1].reshape(3, 3))
    assert np.allclose(values, np.sort(radii))
    contacts = arrays_of(tmp_path / "a_vtk/contacts_00003.vtp")
    last = run.contacts.at(3)
    assert len(contacts["normal_force"]) == len(last) > 2
    none = arrays_of(tmp_path / "a_vtk/contacts_00000.vtp")  # the same arrays without contacts
    assert len(run.contacts.at(0)) == len(none["body_a"]) == 0
    assert none.keys() == contacts.keys()
    ends = contacts["Points"].reshape(2, -1, 3)
    assert np.linalg.norm(ends[1] - ends[0], axis=1).max() < 0.13  # never across the box
    surfaces = arrays_of(tmp_path / "a_vtk/surfaces_00003.vtp")
    own = surfaces["body"] == egg
    local = Rotation.from_quat(run.quaternion[3, egg]).inv().apply(surfaces["Points"][own] - inside.position[3, egg])
    assert np.allclose(((local / radii) ** 2).sum(axis=1), 1.0)


def test_refusals(run, tmp_path):
    with pytest.raises(ValueError, match="form must be one of ovito, vtk, got 'ovto'; did you mean 'ovito'"):
        run.dump(tmp_path / "a", "ovto")
    with pytest.raises(ValueError, match="every must be a whole number >= 1, got 0"):
        run.dump(tmp_path / "a", every=0)
    box = World([Body("box", tg.Box([1, 1, 1]))], gravity=[0, 0, 0])
    still = simulate(box, 1.0, "fast", step=0.1)
    with pytest.raises(ValueError, match=r"form must be 'vtk' for shapes other than .* got 'ovito' for 'box', a Box"):
        still.dump(tmp_path / "a")
    assert len(still.dump(tmp_path / "box.pvd", "vtk")) == 3
    still.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="run must know its world"):
        load_trajectory(tmp_path / "a.npz").dump(tmp_path / "a")


def test_from_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '[[body]]\nshape = "sphere"\nradius = 0.1\n'
    text += '[[body]]\nname = "b"\nshape = "sphere"\nradius = 0.1\nposition = [1, 0, 0]\n'
    text += '[simulation]\nduration = 0.01\nmode = "fast"\nstep = 1e-3\nnormal = { law = "hertz", stiffness = 1e6 }\n'
    (tmp_path / "two.toml").write_text(text, encoding="utf-8")
    assert main(["simulate", "two.toml", "--dump", "ovito,vtk"]) == 0
    assert "out/two.dump, out/two_bodies.pvd" in capsys.readouterr().out
    assert len(read_dump(tmp_path / "out/two.dump")) == 11
    assert main(["simulate", "two.toml", "--dump", "ovitto", "--overwrite"]) == 2
    assert "--dump must name some of ovito, vtk, got 'ovitto'; did you mean 'ovito'" in capsys.readouterr().err


def test_read_back_by_ovito(run, tmp_path):
    io = pytest.importorskip("ovito.io", reason="needs OVITO: pip install 'tangency[ovito]'")
    (path,) = run.dump(tmp_path / "a.dump")
    pipeline = io.import_file(str(path))
    assert pipeline.source.num_frames == 4
    data = pipeline.compute(3)
    assert tuple(data.cell.pbc) == (True, True, False)
    assert np.allclose(np.asarray(data.cell)[:2, :2], L * np.eye(2))
    parts = data.particles
    columns = read_dump(path)[3][1]
    assert np.allclose(parts["Position"], np.stack([columns[c] for c in "xyz"], axis=1))
    shape, egg = np.asarray(parts["Aspherical Shape"]), run.group("eggs")
    first = 2  # after the two balls of the dumbbell
    for k in range(20):
        assert np.allclose(shape[first + k], run.pieces[egg.start + k][0].shape.radii)  # semi-axes
        found = Rotation.from_quat(np.asarray(parts["Orientation"])[first + k])
        assert (
            found * Rotation.from_quat(run.quaternion[3, egg.start + k]).inv()
        ).magnitude() < 1e-6  # single precision
    assert np.allclose(np.asarray(parts["Superquadric Roundness"])[-1], [0.8, 0.3])
    assert np.allclose(np.asarray(parts["Velocity"])[first:], run.velocity[3, 2:])
    assert "Periodic Image" in parts


def test_read_back_by_vtk(run, tmp_path):
    vtk = pytest.importorskip("vtk", reason="needs VTK: pip install 'tangency[vtk]'")
    from vtk.util.numpy_support import vtk_to_numpy

    run.dump(tmp_path / "a.pvd", "vtk")

    def read(name):
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(str(tmp_path / "a_vtk" / name))
        reader.Update()
        return reader.GetOutput()

    bodies = read("bodies_00003.vtp")
    assert bodies.GetNumberOfPoints() == bodies.GetNumberOfVerts() == 31
    inside = run.wrapped()
    assert np.array_equal(vtk_to_numpy(bodies.GetPoints().GetData()), inside.position[3, 1:])
    assert np.array_equal(vtk_to_numpy(bodies.GetPointData().GetArray("quaternion")), run.quaternion[3, 1:])
    # Glyphs of the tensor: a unit sphere becomes the ellipsoid.
    bodies.GetPointData().SetActiveTensors("tensor")
    glyph, ball = vtk.vtkTensorGlyph(), vtk.vtkSphereSource()
    ball.SetRadius(1.0)
    glyph.SetInputData(bodies)
    glyph.SetSourceConnection(ball.GetOutputPort())
    glyph.ExtractEigenvaluesOn()
    glyph.ColorGlyphsOff()
    glyph.Update()
    points = vtk_to_numpy(glyph.GetOutput().GetPoints().GetData()).reshape(31, -1, 3)
    egg = run.group("eggs").start
    local = Rotation.from_quat(run.quaternion[3, egg]).inv().apply(points[egg - 1] - inside.position[3, egg])
    assert np.allclose(((local / run.pieces[egg][0].shape.radii) ** 2).sum(axis=1), 1.0, atol=1e-5)
    contacts = read("contacts_00003.vtp")
    assert contacts.GetNumberOfLines() == len(run.contacts.at(3))
    surfaces = read("surfaces_00003.vtp")
    mass = vtk.vtkMassProperties()
    mass.SetInputData(surfaces)
    mass.Update()
    shapes = [piece.shape for number in range(1, 32) for piece in run.pieces[number]]
    assert mass.GetVolume() == pytest.approx(sum(float(shape.volume) for shape in shapes), rel=0.02)
