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
from .mesh_files import fans

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
        stop = data.rfind(b"</AppendedData>")
        if stop < match.end():
            raise CloudError(f"{path}: ends early, without '</AppendedData>'")
        raw = data[match.end() : stop]
        data = data[: match.end() - 1] + data[stop:]
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise CloudError(f"{path}: not valid XML: {error}") from None  # it names the line
    pieces = root.findall("PolyData/Piece")
    if not pieces:
        raise CloudError(f"{path}: no PolyData with a Piece in it")
    appended = root.find("AppendedData")
    coded = appended is not None and appended.get("encoding") == "base64"
    order = "<" if root.get("byte_order", "LittleEndian") == "LittleEndian" else ">"
    header = np.dtype(order + _KINDS[root.get("header_type", "UInt32")])
    compressor = root.get("compressor")
    if compressor not in (None, "vtkZLibDataCompressor"):
        raise CloudError(f"{path}: compressed by {compressor}, which is not read; write it with zlib or uncompressed")
    packed = compressor is not None

    def values(array: ElementTree.Element) -> np.ndarray:
        kind, form = np.dtype(order + _KINDS[array.get("type", "Float32")]), array.get("format", "ascii")
        if form == "ascii":
            return np.array((array.text or "").split(), dtype=float).astype(kind)
        if form == "appended":
            block = raw[int(array.get("offset", "0")) :]
            return np.frombuffer(_unpacked(block, header, packed, coded), kind)
        return np.frombuffer(_unpacked((array.text or "").strip().encode(), header, packed, True), kind)

    return _joined([_parts(piece, values, path) for piece in pieces])


def _joined(parts: list[Cloud]) -> Cloud:
    """Several pieces as one, with normals if every piece has them."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part) for part in parts)])
    normals = [part.normals for part in parts if part.normals is not None]
    faces = [part.faces + start for part, start in zip(parts, starts) if part.faces is not None]
    return Cloud(
        np.concatenate([part.points for part in parts]),
        np.concatenate(normals) if len(normals) == len(parts) else None,
        np.concatenate(faces) if faces else None,
    )


def _unpacked(block: bytes, header: np.dtype, packed: bool, coded: bool) -> bytes:
    """Bytes of an array that follows its header of sizes."""
    size = header.itemsize

    def take(start: int, count: int) -> bytes:
        """`count` bytes; in base64 every part starts at a multiple of four characters."""
        found = base64.b64decode(block[start : start + 4 * -(-count // 3)]) if coded else block[start : start + count]
        if len(found) < count:
            raise ValueError(f"an array ends early, after {len(found)} of {count} bytes")
        return found[:count]

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


def _parts(piece: ElementTree.Element, values: Callable[[ElementTree.Element], np.ndarray], path: Path) -> Cloud:
    count = int(piece.get("NumberOfPoints", "0"))
    place = piece.find("Points/DataArray")
    if place is None:
        raise CloudError(f"{path}: the Piece has no Points")

    def vectors(array: ElementTree.Element, what: str) -> np.ndarray:
        found = values(array).astype(float)
        if found.size != 3 * count:
            raise CloudError(f"{path}: {what} of {count} points must be {3 * count} numbers, got {found.size}")
        return found.reshape(-1, 3)

    normals = None
    for array in piece.findall("PointData/DataArray"):
        if (array.get("Name") or "").lower() == "normals":
            normals = vectors(array, "normals")
    arrays = {array.get("Name"): array for array in piece.findall("Polys/DataArray")}
    faces = None
    if "connectivity" in arrays and "offsets" in arrays:
        corners, ends = values(arrays["connectivity"]).astype(np.int64), values(arrays["offsets"]).astype(np.int64)
        if len(ends) != int(piece.get("NumberOfPolys", len(ends))) or (len(ends) and ends[-1] != len(corners)):
            raise CloudError(f"{path}: the offsets of the polygons do not fit their number and corners")
        faces = fans(np.split(corners, ends[:-1]) if len(ends) else [])
    return Cloud(vectors(place, "coordinates"), normals, faces)


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
