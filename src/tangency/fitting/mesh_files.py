"""Clouds from meshes: PLY, STL and OBJ."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .clouds import Cloud, CloudError

_PLY = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}


def read_ply(path: Path) -> Cloud:
    """Read PLY, as text or binary; elements other than vertices and faces are ignored."""
    data = path.read_bytes()
    end = data.find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        raise CloudError(f"{path}: not a PLY file (it must start with 'ply' and have an 'end_header')")
    header = data[:end].decode("ascii", "replace").splitlines()
    body = data[data.index(b"\n", end) + 1 :]
    kind = "ascii"
    elements: list[tuple[str, int, list[list[str]]]] = []
    for line in header:
        words = line.split()
        if words[:1] == ["format"]:
            kind = words[1]
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    tables = (
        _ply_text(body, elements) if kind == "ascii" else _ply_binary(body, elements, "<" if "little" in kind else ">")
    )
    vertex = tables.get("vertex", {})
    if not {"x", "y", "z"} <= set(vertex):
        raise CloudError(f"{path}: the vertices must have x, y, z, got {', '.join(vertex) or 'nothing'}")
    points = np.column_stack([vertex[name] for name in "xyz"]).astype(float)
    normals = None
    if {"nx", "ny", "nz"} <= set(vertex):
        normals = np.column_stack([vertex[name] for name in ("nx", "ny", "nz")]).astype(float)
    lists = next(iter(value for value in tables.get("face", {}).values() if isinstance(value, list)), [])
    return Cloud(points, normals, _triangles(lists))


def _triangles(polygons: list) -> np.ndarray | None:
    """Polygons as fans of triangles."""
    found = [(p[0], p[k], p[k + 1]) for p in polygons for k in range(1, len(p) - 1)]
    return np.array(found, np.int64).reshape(-1, 3) if found else None


def _ply_text(body: bytes, elements: list) -> dict:
    words = iter(body.split())
    tables: dict[str, dict] = {}
    for name, count, properties in elements:
        table: dict[str, list] = {prop[-1]: [] for prop in properties}
        for _ in range(count):
            for prop in properties:
                if prop[0] == "list":
                    table[prop[-1]].append([int(float(next(words))) for _ in range(int(next(words)))])
                else:
                    table[prop[-1]].append(float(next(words)))
        tables[name] = {
            prop[-1]: table[prop[-1]] if prop[0] == "list" else np.array(table[prop[-1]]) for prop in properties
        }
    return tables


def _ply_binary(body: bytes, elements: list, order: str) -> dict:
    tables: dict[str, dict] = {}
    at = 0
    for name, count, properties in elements:
        if all(prop[0] != "list" for prop in properties):
            layout = np.dtype([(prop[-1], order + _PLY[prop[0]]) for prop in properties])
            rows = np.frombuffer(body, layout, count, at)
            at += count * layout.itemsize
            tables[name] = {prop[-1]: rows[prop[-1]] for prop in properties}
            continue
        table: dict[str, list] = {prop[-1]: [] for prop in properties}
        for _ in range(count):
            for prop in properties:
                kinds = [order + _PLY[word] for word in (prop[1:3] if prop[0] == "list" else prop[:1])]
                length = np.frombuffer(body, kinds[0], 1, at)[0]
                at += np.dtype(kinds[0]).itemsize
                if prop[0] == "list":
                    table[prop[-1]].append(np.frombuffer(body, kinds[1], int(length), at).tolist())
                    at += int(length) * np.dtype(kinds[1]).itemsize
        tables[name] = dict(table)
    return tables


def read_stl(path: Path) -> Cloud:
    """Read STL, as text or binary; shared corners of triangles are merged, normals are means over triangles."""
    data = path.read_bytes()
    count = int(np.frombuffer(data, "<u4", 1, 80)[0]) if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
        corners = np.frombuffer(data, layout, count, 84)["corners"].astype(float)
    elif data.lstrip().startswith(b"solid"):
        numbers = [
            line.split()[1:4] for line in data.decode("ascii", "replace").splitlines() if line.split()[:1] == ["vertex"]
        ]
        corners = np.array(numbers, dtype=float).reshape(-1, 3, 3)
    else:
        raise CloudError(
            f"{path}: neither a text STL ('solid ...') nor a binary one (84 + 50 n bytes), got {len(data)}"
        )
    if not len(corners):
        raise CloudError(f"{path}: contains no triangles")
    points, place = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    faces = place.reshape(-1, 3)
    return Cloud(points, mesh_normals(points, faces), faces)


def mesh_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Normals at the points of a mesh: area-weighted means of the normals of the triangles."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    total = np.zeros_like(points)
    for k in range(3):
        np.add.at(total, faces[:, k], across)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 0, total / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])


def read_obj(path: Path) -> Cloud:
    """Read vertices and faces of a Wavefront OBJ file."""
    points, polygons = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                points.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                corners = [int(word.split("/")[0]) for word in words[1:]]
                polygons.append([k - 1 if k > 0 else len(points) + k for k in corners])
        except ValueError:
            raise CloudError(f"{path}, line {number}: not understood: {line.strip()[:60]!r}") from None
    return Cloud(np.array(points, float).reshape(-1, 3), None, _triangles(polygons))


def ply_of(cloud: Cloud) -> bytes:
    """Binary PLY with double precision."""
    columns, names = cloud.points, ["x", "y", "z"]
    if cloud.normals is not None:
        columns, names = np.hstack([columns, cloud.normals]), [*names, "nx", "ny", "nz"]
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(columns)}"]
    header += [f"property double {name}" for name in names]
    faces = b""
    if cloud.faces is not None:
        header += [f"element face {len(cloud.faces)}", "property list uchar int vertex_indices"]
        rows = np.empty(len(cloud.faces), np.dtype([("n", "u1"), ("v", "<i4", 3)]))
        rows["n"], rows["v"] = 3, cloud.faces
        faces = rows.tobytes()
    return ("\n".join([*header, "end_header"]) + "\n").encode() + columns.astype("<f8").tobytes() + faces


def obj_of(cloud: Cloud) -> str:
    lines = ["v " + " ".join(map(repr, row)) for row in cloud.points.tolist()]
    if cloud.faces is not None:
        lines += ["f " + " ".join(map(str, row)) for row in (cloud.faces + 1).tolist()]
    return "\n".join(lines) + "\n"
