"""The readers of meshes agree with other packages to the last digit, and notice every file that is cut off."""

import io

import numpy as np
import pytest

from mesh_samples import cuts, random_mesh, samples
from tangency.fitting import Cloud, CloudError, read_cloud, write_cloud
from tangency.io.mesh_files import mesh_normals

NAMES = sorted(samples(*random_mesh(np.random.default_rng(0))))


def triangles(points, faces):
    """Corners of every triangle: what a mesh is, however its points are numbered."""
    return np.asarray(points, float)[np.asarray(faces)]


@pytest.fixture(params=range(3))
def mesh(request):
    return random_mesh(np.random.default_rng(request.param), 12 + 40 * request.param)


def by_trimesh(data, ending):
    trimesh = pytest.importorskip("trimesh", reason="the comparison needs trimesh: pip install 'tangency[meshes]'")
    found = trimesh.load(io.BytesIO(data), file_type=ending, process=False)
    found = found if isinstance(found, trimesh.Trimesh) else found.to_geometry()
    return triangles(found.vertices, found.faces)


def by_meshio(data, ending, path):
    meshio = pytest.importorskip("meshio", reason="the comparison needs meshio: pip install 'tangency[clouds]'")
    path.write_bytes(data)
    found = meshio.read(path)
    return triangles(found.points, found.cells_dict["triangle"])


def by_vtk(data, path):
    vtk = pytest.importorskip("vtk", reason="the comparison needs VTK: pip install 'tangency[vtk]'")
    from vtk.util.numpy_support import vtk_to_numpy

    path.write_bytes(data)
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    found = reader.GetOutput()
    corners = vtk_to_numpy(found.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    return triangles(vtk_to_numpy(found.GetPoints().GetData()), corners)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read(name, mesh, tmp_path):
    (tmp_path / name).write_bytes(samples(*mesh)[name])
    cloud = read_cloud(tmp_path / name)
    exact = triangles(*mesh)
    if name == "binary.stl":
        exact = exact.astype(np.float32).astype(float)
    assert (triangles(cloud.points, cloud.faces) == exact).all()


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("vtp")])
@pytest.mark.filterwarnings("ignore:.*fromstring:DeprecationWarning")  # in trimesh
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # in meshio
def test_trimesh_and_meshio_read_the_same(name, mesh, tmp_path):
    data, ending = samples(*mesh)[name], name.partition(".")[2]
    (tmp_path / name).write_bytes(data)
    cloud = read_cloud(tmp_path / name)
    found = triangles(cloud.points, cloud.faces)
    assert (by_trimesh(data, ending) == found).all()
    assert (by_meshio(data, ending, tmp_path / name) == found).all()


@pytest.mark.parametrize("ending", ["ply", "obj"])
def test_trimesh_and_meshio_read_what_is_written_here(ending, mesh, tmp_path):
    path = write_cloud(tmp_path / f"mesh.{ending}", Cloud(mesh[0], None, mesh[1]))
    assert (by_trimesh(path.read_bytes(), ending) == triangles(*mesh)).all()
    assert (by_meshio(path.read_bytes(), ending, path) == triangles(*mesh)).all()


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("vtp")])
def test_vtk_reads_the_same(name, mesh, tmp_path):
    assert (by_vtk(samples(*mesh)[name], tmp_path / name) == triangles(*mesh)).all()


def test_vtk_writes_what_is_read(mesh, tmp_path):
    """Every form of VTK's own writer, with normals, polygons and single precision."""
    vtk = pytest.importorskip("vtk", reason="the comparison needs VTK: pip install 'tangency[vtk]'")
    from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray

    points, faces = mesh
    normals = mesh_normals(points, faces)
    data, cells, place = vtk.vtkPolyData(), vtk.vtkCellArray(), vtk.vtkPoints()
    place.SetData(numpy_to_vtk(points, deep=True))
    ends = numpy_to_vtkIdTypeArray(3 * np.arange(len(faces) + 1), deep=True)
    cells.SetData(ends, numpy_to_vtkIdTypeArray(faces.ravel(), deep=True))
    data.SetPoints(place)
    data.SetPolys(cells)
    said = numpy_to_vtk(normals, deep=True)
    said.SetName("Normals")
    data.GetPointData().SetNormals(said)
    writer = vtk.vtkXMLPolyDataWriter()
    for form in ("Ascii", "Binary", "Appended"):
        for packer in ("None", "ZLib", "LZ4", "LZMA"):
            for coded in (True, False):
                path = tmp_path / f"{form}{packer}{coded}.vtp"
                writer.SetInputData(data)
                getattr(writer, f"SetDataModeTo{form}")()
                getattr(writer, f"SetCompressorTypeTo{packer}")()
                writer.SetEncodeAppendedData(coded)
                writer.SetFileName(str(path))
                writer.Write()
                if packer in ("LZ4", "LZMA") and b"compressor" in path.read_bytes():
                    with pytest.raises(CloudError, match=f"compressed by vtk{packer}DataCompressor"):
                        read_cloud(path)
                    continue
                cloud = read_cloud(path)
                exact = form != "Ascii"  # VTK writes 11 digits of a double
                for found, known in ((cloud.points, points), (cloud.normals, normals)):
                    assert np.allclose(found, known, rtol=0 if exact else 1e-9, atol=0 if exact else 1e-9)
                assert (cloud.faces == faces).all()


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_cut_off(name, tmp_path):
    """Somewhere at random: every one is refused, with its name."""
    rng = np.random.default_rng(5)
    data = samples(*random_mesh(rng))[name]
    for k, part in enumerate(cuts(name, data, rng, 40)):
        path = tmp_path / f"{k} {name}"
        path.write_bytes(part)
        with pytest.raises(CloudError) as error:
            read_cloud(path)
        assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("text.ply", (b"property double z", b"property dubble z"), "line 7: not understood: 'property dubble z'"),
        ("text.ply", (b"element vertex ", b"element vertex -"), "line 4: not understood"),
        ("text.ply", (b"\n3 ", b"\n3 x"), r"line \d+: a number expected, got 'x\d+'"),
        ("text.ply", (b"element face ", b"element other 0\nelement face 1"), r"ends early, at face \d+ of 1\d+"),
        ("text.ply", (b"property double z\n", b""), "line .*: a number expected|more numbers than"),
        ("little.ply", (b"element vertex ", b"element vertex 9"), r"ends early, at vertex \d+ of 9\d+"),
        ("text.stl", (b"vertex ", b"vertex x"), "line 4: 'vertex x y z' expected, got 'vertex x"),
        ("text.stl", (b"outer loop\nvertex", b"outer loop\nwertex"), "line 7: a loop of 3 vertices expected, got 2"),
        ("binary.stl", (b"random mesh", b"random"), r"nor a whole binary one .* it declares"),
        ("text.obj", (b"v ", b"v 1 "), None),
        ("text.obj", (b"f ", b"f 0 "), r"line \d+: not understood: 'f 0"),
        ("text.obj", (b"f ", b"f -9999 "), r"line \d+: not understood: 'f -9999"),
        ("text.obj", (b"f ", b"f 9999 "), "a face refers to point 9998"),
        ("text.vtp", (b'NumberOfPoints="', b'NumberOfPoints="1'), r"coordinates of 1\d+ points must be"),
        ("text.vtp", (b'NumberOfPolys="', b'NumberOfPolys="1'), "the offsets of the polygons do not fit"),
        ("text.vtp", (b"</Points>", b""), "not valid XML: mismatched tag: line 6"),
    ],
)
def test_mistakes_are_found_where_they_are(name, change, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(samples(*random_mesh(np.random.default_rng(1)))[name].replace(*change, 1))
    if message is None:  # a fourth number is the weight of a vertex, or begins its colour
        assert len(read_cloud(path))
        return
    with pytest.raises(CloudError, match=message) as error:
        read_cloud(path)
    assert str(error.value).startswith(str(path))


def test_faces_with_many_corners_and_lists_of_any_length(tmp_path):
    """A square, a triangle and texture coordinates, as text and binary; OBJ with numbers from behind."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]])
    head = "ply\nformat {} 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n"
    head += "element face 2\nproperty list uchar float texcoord\nproperty list uchar short vertex_index\nend_header\n"
    rows = "\n".join(" ".join(map(str, corner)) for corner in corners.tolist())
    (tmp_path / "a.ply").write_text(head.format("ascii") + rows + "\n2 0.5 0.25 4 0 1 2 3\n0 3 0 1 4\n")
    lists = [np.uint8(2).tobytes(), np.array([0.5, 0.25], ">f4").tobytes(), np.uint8(4).tobytes()]
    lists += [np.array([0, 1, 2, 3], ">i2").tobytes(), b"\0\3", np.array([0, 1, 4], ">i2").tobytes()]
    content = head.format("binary_big_endian").encode() + corners.astype(">f8").tobytes() + b"".join(lists)
    (tmp_path / "b.ply").write_bytes(content)
    text = "".join(f"v {x} {y} {z} # a corner\n" for x, y, z in corners.tolist())
    (tmp_path / "c.obj").write_text(text + "vn 0 0 1\nf 1/1/1 2//1 -3 4\nf -5 -4 -1\n")
    for name in ("a.ply", "b.ply", "c.obj"):
        cloud = read_cloud(tmp_path / name)
        assert (cloud.points == corners).all()
        assert cloud.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]


def test_pieces_of_a_vtp_file_are_joined(tmp_path):
    points, faces = random_mesh(np.random.default_rng(3))
    text = samples(points, faces)["text.vtp"].decode()
    piece = text[text.index("<Piece") : text.index("</PolyData>")]
    (tmp_path / "two.vtp").write_text(text.replace(piece, piece + piece))
    cloud = read_cloud(tmp_path / "two.vtp")
    assert (cloud.points == np.concatenate([points, points])).all()
    assert (cloud.faces == np.concatenate([faces, faces + len(points)])).all()


def test_squares_of_other_formats_are_divided(tmp_path):
    meshio = pytest.importorskip("meshio", reason="other formats need meshio: pip install 'tangency[clouds]'")
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    meshio.Mesh(corners, [("quad", [[0, 1, 2, 3]])]).write(tmp_path / "a.vtu")
    assert read_cloud(tmp_path / "a.vtu").faces.tolist() == [[0, 1, 2], [0, 2, 3]]
