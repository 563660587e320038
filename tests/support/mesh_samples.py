"""Random meshes as files of every format that is read here, written without the library."""

from __future__ import annotations

import base64
import zlib

import numpy as np
from scipy.spatial import ConvexHull


def random_mesh(rng: np.random.Generator, count: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Points on an ellipsoid and the triangles of their convex hull."""
    points = rng.normal(size=(count, 3))
    points *= rng.uniform(0.01, 100.0, 3) / np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points)
    used, faces = np.unique(hull.simplices, return_inverse=True)
    return points[used], faces.reshape(-1, 3)


def samples(points: np.ndarray, faces: np.ndarray) -> dict[str, bytes]:
    """Contents by the name of a file."""
    return {
        "text.ply": _ply(points, faces, "ascii"),
        "little.ply": _ply(points, faces, "binary_little_endian"),
        "big.ply": _ply(points, faces, "binary_big_endian"),
        "text.stl": _stl_text(points[faces]),
        "binary.stl": _stl_binary(points[faces]),
        "text.obj": _obj(points, faces),
        "text.vtp": _vtp(points, faces, "ascii"),
        "binary.vtp": _vtp(points, faces, "binary"),
        "packed.vtp": _vtp(points, faces, "packed"),
    }


def _row(values: np.ndarray) -> str:
    return " ".join(map(repr, values.tolist()))


def _ply(points: np.ndarray, faces: np.ndarray, form: str) -> bytes:
    header = ["ply", f"format {form} 1.0", "comment a random mesh", f"element vertex {len(points)}"]
    header += [f"property double {name}" for name in "xyz"]
    header += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    head = "\n".join(header).encode()
    if form == "ascii":
        rows = [*map(_row, points), *(f"3 {_row(face)}" for face in faces)]
        return head + ("\n".join(rows) + "\n").encode()
    order = "<" if "little" in form else ">"
    lists = np.empty(len(faces), [("n", "u1"), ("v", f"{order}i4", 3)])
    lists["n"], lists["v"] = 3, faces
    return head + points.astype(f"{order}f8").tobytes() + lists.tobytes()


def _stl_text(corners: np.ndarray) -> bytes:
    lines = ["solid random mesh"]
    for triangle in corners:
        lines += ["facet normal 0 0 0", "outer loop", *(f"vertex {_row(corner)}" for corner in triangle)]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid random mesh", ""]).encode()


def _stl_binary(corners: np.ndarray) -> bytes:
    rows = np.zeros(len(corners), [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("r", "<u2")])
    rows["c"] = corners
    return b"random mesh".ljust(80) + np.uint32(len(rows)).tobytes() + rows.tobytes()


def _obj(points: np.ndarray, faces: np.ndarray) -> bytes:
    rows = [*(f"v {_row(point)}" for point in points), *(f"f {_row(face + 1)}" for face in faces), ""]
    return "\n".join(rows).encode()


def _vtp(points: np.ndarray, faces: np.ndarray, form: str) -> bytes:
    def array(name: str, kind: str, values: np.ndarray, parts: int = 1) -> str:
        said = "ascii" if form == "ascii" else "binary"
        return (
            f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{parts}" format="{said}">'
            f"{_coded(values, form)}</DataArray>"
        )

    packer = ' compressor="vtkZLibDataCompressor"' if form == "packed" else ""
    ends = 3 * np.arange(1, len(faces) + 1)
    return (
        f'<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64"'
        f'{packer}>\n<PolyData><Piece NumberOfPoints="{len(points)}" NumberOfPolys="{len(faces)}">\n'
        f"<Points>{array('Points', 'Float64', points.astype('<f8'), 3)}</Points>\n"
        f"<Polys>{array('connectivity', 'Int64', faces.astype('<i8'))}{array('offsets', 'Int64', ends.astype('<i8'))}"
        "</Polys>\n</Piece></PolyData></VTKFile>\n"
    ).encode()


def _coded(values: np.ndarray, form: str) -> str:
    if form == "ascii":
        return _row(values.ravel())
    raw = values.tobytes()
    if form == "binary":
        return base64.b64encode(np.uint64(len(raw)).tobytes() + raw).decode()
    packed = zlib.compress(raw)
    sizes = np.array([1, len(raw), len(raw), len(packed)], "<u8").tobytes()
    return base64.b64encode(sizes).decode() + base64.b64encode(packed).decode()


def cuts(name: str, data: bytes, rng: np.random.Generator, count: int) -> list[bytes]:
    """The same file cut off at random places, so that something that counts is lost.

    A text of OBJ has no end mark: it is cut inside of a number or a word, not behind a line.
    """
    whole = len(data.rstrip())
    if name == "text.stl":
        whole = data.rindex(b"endsolid") + len(b"endsolid") - 1
    if name == "text.ply":  # behind a digit of the last number, the number is another one
        whole = data.rstrip().rindex(b" ") + 1
    if name == "text.obj":
        lines = data.decode().splitlines()
        chosen = rng.integers(0, len(lines), count).tolist()
        return ["\n".join([*lines[:k], _lost(lines[k])]).encode() for k in chosen]
    return [data[:stop] for stop in rng.integers(5, whole, count).tolist()]


def _lost(line: str) -> str:
    return line[: line.rindex(" ") + 1]
