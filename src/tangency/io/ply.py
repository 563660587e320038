"""PLY, as text or binary: vertices, their normals and faces; other elements are skipped."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from .clouds import Cloud, CloudError
from .mesh_files import fans

_KINDS = {
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
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_CORNERS = ("vertex_indices", "vertex_index")  # of a face


class _Property(NamedTuple):
    name: str
    kind: str
    length: str | None  # kind of the length of a list; None for a number


class _Element(NamedTuple):
    name: str
    rows: int
    properties: list[_Property]


def read_ply(path: Path) -> Cloud:
    """Read a PLY file; a message names the line of a text, or the element at which a binary file ends."""
    data = path.read_bytes()
    end = data.find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        raise CloudError(f"{path}: not a PLY file (it must start with 'ply' and have an 'end_header')")
    order, elements = _header(data[:end].decode("ascii", "replace").splitlines(), path)
    start = data.find(b"\n", end) + 1 or len(data)
    if order:
        tables = _binary(data[start:], elements, order, path)
    else:
        tables = _text(data[start:], elements, path, 1 + data.count(b"\n", 0, start))
    vertex = tables.get("vertex", {})
    if not {"x", "y", "z"} <= set(vertex):
        raise CloudError(f"{path}: the vertices must have x, y, z, got {', '.join(vertex) or 'nothing'}")
    points = np.column_stack([vertex[name] for name in "xyz"]).astype(float)
    normals = None
    if {"nx", "ny", "nz"} <= set(vertex):
        normals = np.column_stack([vertex[name] for name in ("nx", "ny", "nz")]).astype(float)
    face = tables.get("face", {})
    return Cloud(points, normals, fans(next((face[name] for name in _CORNERS if name in face), [])))


def _header(lines: list[str], path: Path) -> tuple[str, list[_Element]]:
    order, elements = "", []
    for number, line in enumerate(lines, 1):
        words = line.split()
        try:
            if words[:1] == ["format"]:
                order = _ORDERS[words[1]]
            elif words[:1] == ["element"]:
                elements.append(_Element(words[1], int(words[2]), []))
                if elements[-1].rows < 0:
                    raise ValueError
            elif words[:2] == ["property", "list"]:
                length, kind, name = words[2:]
                elements[-1].properties.append(_Property(name, _KINDS[kind], _KINDS[length]))
            elif words[:1] == ["property"]:
                kind, name = words[1:]
                elements[-1].properties.append(_Property(name, _KINDS[kind], None))
        except (ValueError, KeyError, IndexError):
            raise CloudError(f"{path}, line {number}: not understood: {line.strip()[:60]!r}") from None
    return order, elements


def _text(body: bytes, elements: list[_Element], path: Path, first: int) -> dict[str, dict]:
    """The elements as tables of columns; lines are counted from the first one behind the header."""
    words = ((number, word) for number, line in enumerate(body.splitlines(), first) for word in line.split())
    number, word = first, b""

    def take(kind: str) -> float:
        nonlocal number, word
        number, word = next(words)
        return float(word) if kind.startswith("f") else int(word)

    tables: dict[str, dict] = {}
    for name, count, properties in elements:
        table: dict[str, list] = {part.name: [] for part in properties}
        for row in range(count):
            try:
                for part in properties:
                    if part.length is None:
                        table[part.name].append(take(part.kind))
                    else:
                        table[part.name].append([take(part.kind) for _ in range(int(take(part.length)))])
            except StopIteration:
                raise CloudError(f"{path}: ends early, at {name} {row} of {count}") from None
            except ValueError:
                said = word.decode("ascii", "replace")[:60]
                raise CloudError(f"{path}, line {number}: a number expected, got {said!r}") from None
        tables[name] = table
    for number, _ in words:
        raise CloudError(f"{path}, line {number}: more numbers than the header declares")
    return tables


def _binary(body: bytes, elements: list[_Element], order: str, path: Path) -> dict[str, dict]:
    tables: dict[str, dict] = {}
    at = 0
    for element in elements:
        rows = _equal_rows(body, element, order, at)
        if rows is not None:
            at += rows.nbytes
            tables[element.name] = {part.name: rows[part.name] for part in element.properties}
            continue
        table: dict[str, list] = {part.name: [] for part in element.properties}
        for row in range(element.rows):
            try:
                for part in element.properties:
                    kind, length = np.dtype(order + part.kind), 1
                    if part.length is not None:
                        length = int(np.frombuffer(body, order + part.length, 1, at)[0])
                        at += np.dtype(part.length).itemsize
                        if length < 0:
                            raise ValueError
                    table[part.name].append(np.frombuffer(body, kind, length, at).tolist())
                    at += length * kind.itemsize
            except ValueError:  # too few bytes
                raise CloudError(f"{path}: ends early, at {element.name} {row} of {element.rows}") from None
        tables[element.name] = dict(table)
    return tables


def _equal_rows(body: bytes, element: _Element, order: str, at: int) -> np.ndarray | None:
    """All rows at once, if every list is as long as in the first one; None if not, or if the file ends before."""
    layout: list[tuple] = []
    place = at
    for part in element.properties:
        kind = np.dtype(order + part.kind)
        shape: tuple[int, ...] = ()
        if part.length is not None:
            length = np.dtype(order + part.length)
            if not element.rows or place + length.itemsize > len(body):
                return None
            shape = (int(np.frombuffer(body, length, 1, place)[0]),)
            if shape[0] < 0:
                return None
            layout.append((f"length of {part.name}", length))
        layout.append((part.name, kind, shape))
        place = at + np.dtype(layout).itemsize
    rows_of = np.dtype(layout)
    if at + element.rows * rows_of.itemsize > len(body):
        return None
    rows = np.frombuffer(body, rows_of, element.rows, at)
    lists = [part.name for part in element.properties if part.length is not None]
    return rows if all((rows[f"length of {name}"] == rows[name].shape[1]).all() for name in lists) else None


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
