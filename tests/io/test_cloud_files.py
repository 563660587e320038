"""Clouds from and to files; what cannot be read is refused with a reason."""

import gzip
import zlib
from base64 import b64encode

import numpy as np
import pytest

from tangency.fitting import Cloud, CloudError, read_cloud, write_cloud

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.mark.parametrize("ending", ["csv", "npy", "npz", "ply", "obj", "vtp"])
def test_round_trip(tmp_path, ending):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 3))
    path = write_cloud(tmp_path / f"cloud.{ending}", points)
    assert np.array_equal(read_cloud(path).points, points)


@pytest.mark.parametrize("ending", ["npz", "ply", "vtp"])
def test_round_trip_of_a_mesh(tmp_path, ending):
    cloud = Cloud(CORNERS, CORNERS + 1.0, FACES)
    back = read_cloud(write_cloud(tmp_path / f"mesh.{ending}", cloud))
    assert np.array_equal(back.points, CORNERS)
    assert np.array_equal(back.normals, CORNERS + 1.0)
    assert np.array_equal(back.faces, FACES)
    assert back.areas.sum() == pytest.approx(1.5 + np.sqrt(3) / 2)


def test_text_with_other_separators(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("# scan\nx y z\n1 2 3\n\n4;5;6\n7,8,9\n")
    assert read_cloud(path).points.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    path = tmp_path / "b.csv"
    path.write_bytes(gzip.compress(b"1,2,3,0,0,1\n"))
    assert read_cloud(path).normals.tolist() == [[0, 0, 1]]


def test_ply_as_text_and_big_endian(tmp_path):
    text = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
    text += "property float z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    text += "0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n4 0 1 2 3\n"
    path = tmp_path / "a.ply"
    path.write_text(text)
    cloud = read_cloud(path)
    assert cloud.points[2].tolist() == [1, 1, 0]
    assert cloud.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    header = (
        "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
    )
    path.write_bytes(header.encode() + b"end_header\n" + np.array([[1, 2, 3], [4, 5, 6]], ">f4").tobytes())
    assert read_cloud(path).points.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_stl_as_text_and_binary(tmp_path):
    corners = CORNERS[FACES]
    lines = ["solid t"]
    for triangle in corners:
        lines += [
            "facet normal 0 0 0",
            "outer loop",
            *(f"vertex {x} {y} {z}" for x, y, z in triangle),
            "endloop",
            "endfacet",
        ]
    (tmp_path / "a.stl").write_text("\n".join([*lines, "endsolid t"]))
    rows = np.zeros(4, np.dtype([("n", "<f4", 3), ("c", "<f4", (3, 3)), ("r", "<u2")]))
    rows["c"] = corners
    (tmp_path / "b.stl").write_bytes(b"solid but binary".ljust(80) + np.uint32(4).tobytes() + rows.tobytes())
    for name in ("a.stl", "b.stl"):
        cloud = read_cloud(tmp_path / name)
        assert len(cloud) == 4
        assert len(cloud.faces) == 4
        outward = np.einsum("ij,ij->i", cloud.normals, cloud.points - cloud.points.mean(axis=0))
        assert (outward > 0).all()


def vtp(arrays, extra="", tail=""):
    return (
        f'<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt32"{extra}><PolyData>'
        f'<Piece NumberOfPoints="4"><Points>{arrays}</Points></Piece></PolyData>{tail}</VTKFile>'
    )


def test_vtp_binary_compressed_and_appended(tmp_path):
    raw = CORNERS.astype("<f8").tobytes()
    size = np.uint32(len(raw)).tobytes()
    plain = f'<DataArray type="Float64" format="binary">{b64encode(size + raw).decode()}</DataArray>'
    packed = zlib.compress(raw)
    sizes = np.array([1, len(raw), 0, len(packed)], "<u4").tobytes()
    small = f'<DataArray type="Float64" format="binary">{(b64encode(sizes) + b64encode(packed)).decode()}</DataArray>'
    there = '<DataArray type="Float64" format="appended" offset="0"/>'
    contents = {
        "plain.vtp": vtp(plain).encode(),
        "packed.vtp": vtp(small, ' compressor="vtkZLibDataCompressor"').encode(),
        "appended.vtp": vtp(there, "", '<AppendedData encoding="raw">_@@</AppendedData>')
        .encode()
        .replace(b"@@", size + raw),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        assert np.array_equal(read_cloud(tmp_path / name).points, CORNERS), name


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "contains no points"),
        ("a.csv", b"x,y\n1,2\n", "line 2: at least 3 numbers expected, got 2"),
        ("a.csv", b"1,2,3\n1,2\n", "line 2: 3 numbers expected, got 2"),
        ("a.csv", b"1,2,3\nfoo,2,3\n", "line 2: numbers expected, got 'foo,2,3'"),
        ("a.csv", b"1,2,nan\n", "points must be finite, but point 0"),
        ("a.csv", b"\xff\xfe\x00", "not a readable CSV file"),
        ("a.npy", b"nonsense", "not a readable NPY file"),
        ("a.ply", b"solid", "not a PLY file"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nend_header\n1 2",
            "ends early, at vertex 2 of 3",
        ),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float u\nend_header\n1\n",
            "must have x, y, z, got u",
        ),
        ("a.stl", b"short", "neither a text STL"),
        ("a.stl", b"solid\nendsolid", "contains no triangles"),
        ("a.obj", b"v 1 2 x\n", "line 1: not understood"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", "a face refers to point 2, but there are 1"),
        ("a.vtp", b"<a", "not valid XML: unclosed token: line 1"),
        ("a.vtp", b"<VTKFile/>", "no PolyData"),
    ],
)
def test_unreadable_files(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CloudError, match=sentence) as error:
        read_cloud(tmp_path / name)
    assert name in str(error.value)


def test_missing_file_and_unknown_ending(tmp_path):
    with pytest.raises(CloudError, match="no such file"):
        read_cloud(tmp_path / "none.ply")
    with pytest.raises(ValueError, match="path must end in one of"):
        write_cloud(tmp_path / "a.doc", CORNERS)
    (tmp_path / "npz.npz").write_bytes(b"")
    np.savez(tmp_path / "npz.npz", a=CORNERS, b=CORNERS)
    with pytest.raises(CloudError, match="an array named 'points' expected, got a, b"):
        read_cloud(tmp_path / "npz.npz")


@pytest.mark.parametrize(
    ("text", "normals"),
    [
        ("id,x,y,z\n7,1,2,3\n8,4,5,6\n", False),
        ("z y x\n3 2 1\n6 5 4\n", False),
        ("1,2,3,255,0,17\n4,5,6,255,255,0\n", False),  # colours are no normals
        ("x;y;z\n1,0;2,0;3,0\n4,0;5,0;6,0\n", False),  # a decimal comma
        ("'x','y','z','nx','ny','nz'\n1,2,3,0,0,1\n4,5,6,0.6,0.8,0\n", True),
    ],
)
def test_columns_of_text(tmp_path, text, normals):
    path = tmp_path / "cloud.csv"
    path.write_text(text)
    cloud = read_cloud(path)
    assert cloud.points.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (cloud.normals is not None) == normals
