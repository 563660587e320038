"""VTK's XML PolyData (VTP): points, normals and triangles, as text or binary, compressed or not."""

from __future__ import annotations

import base64
import itertools
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from .clouds import Cloud, CloudError

_KINDS = {
    "Float32": "f4",
    "Float64": "f8",
    "Int8": "i1",
    "UInt8": "u1",
    "Int16": "i2",
    "UInt16": "u2",
    "Int32": "i4",
    "UInt32": "u4",
    "Int64": "i8",
    "UInt64": "u8",
}


def read_vtp(path: Path) -> Cloud:
    data = path.read_bytes()
    raw = b""
    # Appended raw bytes are not XML: remove them before parsing.
    match = re.search(rb"<AppendedData[^>]*>\s*_", data)
    if match:
        stop = data.rindex(b"</AppendedData>")
        raw = data[match.end() : stop]
        data = data[: match.end() - 1] + data[stop:]
    root = ElementTree.fromstring(data)
    piece = root.find("PolyData/Piece")
    if piece is None:
        raise CloudError(f"{path}: no PolyData with a Piece in it")
    appended = root.find("AppendedData")
    coded = appended is not None and appended.get("encoding") == "base64"
    order = "<" if root.get("byte_order", "LittleEndian") == "LittleEndian" else ">"
    header = np.dtype(order + _KINDS[root.get("header_type", "UInt32")])
    packed = root.get("compressor") is not None

    def values(array: ElementTree.Element) -> np.ndarray:
        kind, form = np.dtype(order + _KINDS[array.get("type", "Float32")]), array.get("format", "ascii")
        if form == "ascii":
            return np.array((array.text or "").split(), dtype=float).astype(kind)
        if form == "appended":
            block = raw[int(array.get("offset", "0")) :]
            return np.frombuffer(_unpacked(block, header, packed, coded), kind)
        return np.frombuffer(_unpacked((array.text or "").strip().encode(), header, packed, True), kind)

    return Cloud(*_parts(piece, values, path))


def _unpacked(block: bytes, header: np.dtype, packed: bool, coded: bool) -> bytes:
    """Bytes of an array that follows its header of sizes."""
    size = header.itemsize

    def take(start: int, count: int) -> bytes:
        """`count` bytes; in base64 every part starts at a multiple of four characters."""
        if not coded:
            return block[start : start + count]
        return base64.b64decode(block[start : start + 4 * -(-count // 3)])[:count]

    def behind(start: int, count: int) -> int:
        return start + (4 * -(-count // 3) if coded else count)

    if not packed:
        if coded:  # header and data are one part
            length = int(np.frombuffer(take(0, size), header)[0])
            return take(0, size + length)[size:]
        length = int(np.frombuffer(take(0, size), header)[0])
        return take(size, length)
    count = int(np.frombuffer(take(0, size), header)[0])
    sizes = np.frombuffer(take(0, (3 + count) * size), header)[3:].astype(int)
    start = behind(0, (3 + count) * size)
    data = take(start, int(sizes.sum()))
    cuts = np.concatenate([[0], np.cumsum(sizes)])
    return b"".join(zlib.decompress(data[a:b]) for a, b in itertools.pairwise(cuts))


def _parts(
    piece: ElementTree.Element, values: Callable[[ElementTree.Element], np.ndarray], path: Path
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    place = piece.find("Points/DataArray")
    if place is None:
        raise CloudError(f"{path}: the Piece has no Points")
    points = values(place).astype(float).reshape(-1, 3)
    normals = None
    for array in piece.findall("PointData/DataArray"):
        if (array.get("Name") or "").lower() == "normals":
            normals = values(array).astype(float).reshape(-1, 3)
    arrays = {array.get("Name"): array for array in piece.findall("Polys/DataArray")}
    faces = None
    if "connectivity" in arrays and "offsets" in arrays:
        corners, ends = values(arrays["connectivity"]).astype(np.int64), values(arrays["offsets"]).astype(np.int64)
        if len(ends):
            polygons = np.split(corners, ends[:-1])
            fans = [(p[0], p[k], p[k + 1]) for p in polygons for k in range(1, len(p) - 1)]
            faces = np.array(fans, np.int64).reshape(-1, 3)
    return points, normals, faces


def vtp_of(cloud: Cloud) -> str:
    """The cloud as VTP in text form, which every reader understands."""
    faces = cloud.faces if cloud.faces is not None else np.zeros((0, 3), np.int64)

    def array(name: str, kind: str, values: np.ndarray, parts: int = 1) -> str:
        text = " ".join(map(repr, values.ravel().tolist()))
        return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{parts}" format="ascii">{text}</DataArray>'

    normals = "" if cloud.normals is None else array("Normals", "Float64", cloud.normals, 3)
    return (
        '<?xml version="1.0"?>\n'
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
        f'<PolyData><Piece NumberOfPoints="{len(cloud.points)}" NumberOfPolys="{len(faces)}">\n'
        f"<PointData>{normals}</PointData>\n<Points>{array('Points', 'Float64', cloud.points, 3)}</Points>\n"
        f"<Polys>{array('connectivity', 'Int64', faces)}"
        f"{array('offsets', 'Int64', 3 * np.arange(1, len(faces) + 1))}</Polys>\n</Piece></PolyData></VTKFile>\n"
    )
